"""Polyscope: a surface mesh and points, five frames and a screenshot's pixels."""

import numpy as np
import polyscope as ps

ps.set_verbosity(0)
ps.set_use_prefs_file(False)
ps.set_window_size(160, 120)
ps.set_enable_vsync(False)
ps.init()
corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
ps.register_surface_mesh("mesh", corners, np.array([[0, 1, 2], [0, 1, 3], [1, 2, 3], [0, 2, 3]]))
ps.register_point_cloud("points", corners + 1)
for _ in range(5):
    ps.frame_tick()
print(np.asarray(ps.screenshot_to_buffer(False)).sum())
