"""Ursina: a box over a coloured background, five frames, in a context without fixed function."""

from panda3d.core import loadPrcFileData
from ursina import Entity, Ursina, camera, color, window

loadPrcFileData("", "gl-version 3 2")
app = Ursina(size=(160, 120), development_mode=False, borderless=False)
window.color = color.azure
camera.overlay.enabled = False
box = Entity(model="cube", color=color.orange, scale=3)
for number in range(5):
    box.rotation_y = 20 * number
    app.step()
print("frames", 5)
