"""vispy: a scene canvas with a line and markers, off screen; prints pixels of the picture."""

import numpy as np
from vispy import app, scene

app.use_app("egl")
canvas = scene.SceneCanvas(size=(160, 120), bgcolor="navy", show=False)
view = canvas.central_widget.add_view()
view.camera = scene.PanZoomCamera(rect=(0, 0, 10, 10))
scene.visuals.Line(np.array([[0, 0], [10, 10]]), color="red", width=5, parent=view.scene)
scene.visuals.Markers(pos=np.array([[3.0, 7.0], [7.0, 3.0]]), face_color="lime", size=20, parent=view.scene)
picture = canvas.render()
print(picture.shape, picture[60, 5].tolist(), picture[36, 48].tolist())
canvas.close()
