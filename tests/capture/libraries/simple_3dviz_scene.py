"""simple-3dviz: spheres in a scene off screen; prints a pixel of the picture."""

import numpy as np
from simple_3dviz import Scene, Spherecloud

scene = Scene(size=(160, 120), background=(0.0, 0.0, 0.5, 1.0))
scene.add(Spherecloud(np.array([[0.0, 0.0, 0.0], [0.6, 0.0, 0.0]]), sizes=0.3, colors=(1.0, 0.3, 0.0)))
for turn in range(3):
    scene.camera_position = (0.0, -2.0 - 0.1 * turn, 0.5)
    scene.render()
picture = scene.frame
print(picture[60, 80].tolist(), picture[2, 2].tolist())
