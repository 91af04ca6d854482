"""PyVista: a sphere and a plane in a window; prints pixels of the screenshot."""

import pyvista

plotter = pyvista.Plotter(window_size=(160, 120))
plotter.set_background("navy")
plotter.add_mesh(pyvista.Sphere(), color="orange")
plotter.add_mesh(pyvista.Plane(), color="green", show_edges=True)
plotter.show(auto_close=False, interactive=False)
picture = plotter.screenshot(return_img=True)
print(picture.shape, (picture[60, 80] // 8).tolist(), picture[2, 2].tolist())
plotter.close()
