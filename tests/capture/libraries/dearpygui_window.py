"""Dear PyGui: a window with a button and a plot, five frames."""

import dearpygui.dearpygui as dpg

dpg.create_context()
dpg.create_viewport(title="window", width=320, height=240, vsync=False)
dpg.setup_dearpygui()
with dpg.window(label="window", width=300, height=220):
    dpg.add_button(label="button")
    with dpg.plot(width=250, height=120):
        dpg.add_plot_axis(dpg.mvXAxis)
        with dpg.plot_axis(dpg.mvYAxis):
            dpg.add_line_series([0, 1, 2, 3], [0, 1, 0, 1])
dpg.show_viewport()
for _ in range(5):
    dpg.render_dearpygui_frame()
dpg.destroy_context()
print("frames 5")
