"""GTK 4 through PyGObject: a window with a GLArea that clears, and GTK's own renderer around it; three frames."""

import ctypes

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402

gl = ctypes.CDLL("libGL.so.1")
gl.glClearColor.argtypes = (ctypes.c_float,) * 4
frames = 0


def render(area, context):
    global frames
    frames += 1
    gl.glClearColor(0.2 * frames, 0.4, 0.0, 1.0)
    gl.glClear(0x4000)
    if frames == 3:
        GLib.timeout_add(200, app.quit)
    return True


def activate(app):
    window = Gtk.ApplicationWindow(application=app, default_width=160, default_height=120)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    box.append(Gtk.Label(label="GTK"))
    area = Gtk.GLArea(hexpand=True, vexpand=True)
    area.connect("render", render)
    area.add_tick_callback(lambda area, clock: area.queue_render() or frames < 3)
    box.append(area)
    window.set_child(box)
    window.present()


app = Gtk.Application(flags=32)
app.connect("activate", activate)
app.run()
print("frames", frames >= 3)
