"""pyrender: a lit box off screen, by EGL; prints pixels of colour and depth."""

import os

os.environ["PYOPENGL_PLATFORM"] = "egl"
import numpy as np
import pyrender
import trimesh

scene = pyrender.Scene(bg_color=(0.0, 0.0, 0.5, 1.0), ambient_light=(0.3, 0.3, 0.3))
scene.add(pyrender.Mesh.from_trimesh(trimesh.creation.box((1, 1, 1)), smooth=False))
pose = np.eye(4)
pose[2, 3] = 3
scene.add(pyrender.PerspectiveCamera(yfov=0.8), pose=pose)
scene.add(pyrender.DirectionalLight(intensity=3.0), pose=pose)
renderer = pyrender.OffscreenRenderer(160, 120)
color, depth = renderer.render(scene)
print((color[60, 80] // 4).tolist(), color[2, 2].tolist(), round(float(depth[60, 80]), 2))
renderer.delete()
