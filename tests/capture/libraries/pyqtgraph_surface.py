"""pyqtgraph's OpenGL view: a surface and a scatter plot; prints the colours of a picture."""

import numpy as np
import pyqtgraph as pg
import pyqtgraph.opengl as gl

app = pg.mkQApp()
view = gl.GLViewWidget()
view.resize(160, 120)
view.setBackgroundColor("navy")
z = np.add.outer(np.linspace(-1, 1, 8) ** 2, np.linspace(-1, 1, 8) ** 2)
view.addItem(gl.GLSurfacePlotItem(z=z, shader="normalColor", smooth=False))
view.addItem(gl.GLScatterPlotItem(pos=np.eye(3) * 3, color=(1, 0, 0, 1), size=8))
view.show()
for _ in range(3):
    view.update()
    app.processEvents()
picture = view.grabFramebuffer()
print(picture.width(), picture.height(), picture.pixelColor(2, 2).getRgb())
