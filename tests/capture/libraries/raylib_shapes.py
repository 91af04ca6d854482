"""raylib: shapes and text in a hidden window, three frames; prints a pixel of the last."""

import pyray as ray

ray.set_trace_log_level(ray.TraceLogLevel.LOG_NONE)

ray.set_config_flags(ray.ConfigFlags.FLAG_WINDOW_HIDDEN)
ray.init_window(160, 120, "shapes")
for number in range(3):
    ray.begin_drawing()
    ray.clear_background(ray.DARKBLUE)
    ray.draw_rectangle(10 + number, 10, 60, 40, ray.RED)
    ray.draw_circle(110, 70, 20.0, ray.GREEN)
    ray.draw_text("raylib", 10, 90, 20, ray.WHITE)
    ray.end_drawing()
picture = ray.load_image_from_screen()
pixel = ray.get_image_color(picture, 30, 30)
print(pixel.r, pixel.g, pixel.b)
ray.close_window()
