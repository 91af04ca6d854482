"""Open3D: its legacy visualizer draws a lit box; prints pixels of the picture."""

import numpy as np
import open3d as o3d

viewer = o3d.visualization.Visualizer()
assert viewer.create_window(width=160, height=120, visible=False)
mesh = o3d.geometry.TriangleMesh.create_box()
mesh.compute_vertex_normals()
mesh.paint_uniform_color((1.0, 0.5, 0.0))
viewer.add_geometry(mesh)
for _ in range(3):
    viewer.poll_events()
    viewer.update_renderer()
picture = np.asarray(viewer.capture_screen_float_buffer(do_render=True))
print(picture.shape, (picture[60, 80] * 31).astype(int).tolist(), picture[2, 2].tolist())
viewer.destroy_window()
