"""skia-python: its GPU back end draws into a context of GLFW; prints pixels of the picture."""

import glfw
import skia

assert glfw.init()
glfw.window_hint(glfw.VISIBLE, 0)
glfw.window_hint(glfw.STENCIL_BITS, 8)
window = glfw.create_window(160, 120, "skia", None, None)
glfw.make_context_current(window)
context = skia.GrDirectContext.MakeGL()
surface = skia.Surface.MakeRenderTarget(context, skia.Budgeted.kNo, skia.ImageInfo.MakeN32Premul(160, 120))
with surface as canvas:
    canvas.clear(0xFF000080)
    canvas.drawCircle(80, 60, 30, skia.Paint(Color=skia.ColorGREEN, AntiAlias=True))
    canvas.drawRect(skia.Rect(10, 10, 40, 40), skia.Paint(Color=skia.ColorRED))
context.flush()
picture = surface.makeImageSnapshot().toarray()
print(picture[60, 80].tolist(), picture[20, 20].tolist(), picture[2, 2].tolist())
context.abandonContext()
glfw.terminate()
