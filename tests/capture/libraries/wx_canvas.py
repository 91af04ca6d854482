"""wxPython: a GLCanvas that clears by PyOpenGL, three frames."""

import os

os.environ.setdefault("PYOPENGL_PLATFORM", "egl" if os.environ.get("WX_EGL") else "glx")
import wx
from OpenGL import GL
from wx import glcanvas

app = wx.App()
frame = wx.Frame(None, size=(160, 120))
canvas = glcanvas.GLCanvas(frame)
context = glcanvas.GLContext(canvas)
frames = 0


def paint(event):
    global frames
    wx.PaintDC(canvas)
    canvas.SetCurrent(context)
    frames += 1
    GL.glClearColor(0.2 * frames, 0.4, 0.0, 1.0)
    GL.glClear(GL.GL_COLOR_BUFFER_BIT)
    canvas.SwapBuffers()
    if frames == 3:
        wx.CallAfter(frame.Close)
    else:
        wx.CallLater(10, canvas.Refresh)


canvas.Bind(wx.EVT_PAINT, paint)
frame.Show()
app.MainLoop()
print("frames", frames)
