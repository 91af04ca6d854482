"""PySide6: a QOpenGLWidget that draws a triangle by Qt's own functions; prints pixels of the picture."""

import array

from PySide6.QtGui import QOpenGLFunctions, QSurfaceFormat
from PySide6.QtOpenGL import QOpenGLBuffer, QOpenGLShader, QOpenGLShaderProgram, QOpenGLVertexArrayObject
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import QApplication

VERTEX = "#version 330\nin vec2 a; void main() { gl_Position = vec4(a, 0.0, 1.0); }"
FRAGMENT = "#version 330\nout vec4 o; void main() { o = vec4(1.0, 0.5, 0.0, 1.0); }"


class Canvas(QOpenGLWidget):
    def initializeGL(self):
        self.gl = QOpenGLFunctions(self.context())
        self.gl.initializeOpenGLFunctions()
        self.program = QOpenGLShaderProgram(self)
        for kind, text in ((QOpenGLShader.Vertex, VERTEX), (QOpenGLShader.Fragment, FRAGMENT)):
            assert self.program.addShaderFromSourceCode(kind, text), self.program.log()
        self.program.link()
        self.array = QOpenGLVertexArrayObject(self)
        self.array.create()
        self.array.bind()
        self.buffer = QOpenGLBuffer()
        self.buffer.create()
        self.buffer.bind()
        data = array.array("f", [-0.5, -0.5, 0.5, -0.5, 0.0, 0.5]).tobytes()
        self.buffer.allocate(data, len(data))
        self.program.bind()
        self.program.enableAttributeArray("a")
        self.program.setAttributeBuffer("a", 0x1406, 0, 2)

    def paintGL(self):
        self.gl.glClearColor(0.0, 0.0, 0.5, 1.0)
        self.gl.glClear(0x4000)
        self.program.bind()
        self.array.bind()
        self.gl.glDrawArrays(4, 0, 3)


shape = QSurfaceFormat()
shape.setVersion(3, 3)
shape.setProfile(QSurfaceFormat.CoreProfile)
QSurfaceFormat.setDefaultFormat(shape)
app = QApplication([])
canvas = Canvas()
canvas.resize(160, 120)
canvas.show()
for _ in range(3):
    canvas.update()
    app.processEvents()
picture = canvas.grabFramebuffer()
print([picture.pixelColor(x, y).getRgb() for x, y in ((80, 65), (5, 5))])
canvas.close()
