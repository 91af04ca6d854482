"""pyopengltk: a triangle of shaders in a frame of Tk, three frames; prints a pixel of each."""

import tkinter

import pyopengltk.linux
from OpenGL import GL
from OpenGL.GL import shaders
from pyopengltk import OpenGLFrame

# It says how many configurations the driver has.
pyopengltk.linux.print = lambda *words: None


class Frame(OpenGLFrame):
    number = 0

    def initgl(self):
        GL.glViewport(0, 0, 160, 120)
        self.program = shaders.compileProgram(
            shaders.compileShader(
                "#version 120\nattribute vec2 place; void main() { gl_Position = vec4(place, 0.0, 1.0); }",
                GL.GL_VERTEX_SHADER,
            ),
            shaders.compileShader(
                "#version 120\nuniform float green; void main() { gl_FragColor = vec4(1.0, green, 0.0, 1.0); }",
                GL.GL_FRAGMENT_SHADER,
            ),
            validate=False,
        )
        self.corners = GL.glGenBuffers(1)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self.corners)
        data = (GL.GLfloat * 6)(-0.5, -0.5, 0.5, -0.5, 0.0, 0.5)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, 24, data, GL.GL_STATIC_DRAW)

    def redraw(self):
        GL.glClearColor(0.0, 0.0, 0.5, 1.0)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT)
        GL.glUseProgram(self.program)
        GL.glUniform1f(GL.glGetUniformLocation(self.program, "green"), 0.2 * self.number)
        place = GL.glGetAttribLocation(self.program, "place")
        GL.glEnableVertexAttribArray(place)
        GL.glVertexAttribPointer(place, 2, GL.GL_FLOAT, False, 0, None)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
        print(bytes(GL.glReadPixels(80, 55, 1, 1, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE)).hex())
        self.number += 1
        if self.number == 3:
            self.after(1, self.quit)
        else:
            self.after(1, self.tkExpose, None)


root = tkinter.Tk()
frame = Frame(root, width=160, height=120)
frame.pack()
root.mainloop()
