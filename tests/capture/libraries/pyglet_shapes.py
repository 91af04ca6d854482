"""pyglet: a batch of shapes and a label, three frames; prints a pixel of each."""

import pyglet

window = pyglet.window.Window(160, 120, visible=False)
batch = pyglet.graphics.Batch()
box = pyglet.shapes.Rectangle(10, 10, 60, 40, (255, 0, 0), batch=batch)
disc = pyglet.shapes.Circle(110, 70, 20, color=(0, 255, 0), batch=batch)
for number in range(3):
    window.switch_to()
    window.clear()
    box.x = 10 + number
    batch.draw()
    data = pyglet.image.get_buffer_manager().get_color_buffer().get_image_data().get_data("RGB", 160 * 3)
    print([tuple(data[3 * (y * 160 + x) :][:3]) for x, y in ((30, 30), (110, 70), (2, 2))])
    window.flip()
window.close()
