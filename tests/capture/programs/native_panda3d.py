"""Panda3D without a window, in the core profile: a card; prints pixels of the picture that it reads back."""

from panda3d.core import CardMaker, PNMImage, loadPrcFileData

loadPrcFileData(
    "",
    "window-type offscreen\nload-display p3headlessgl\naudio-library-name null\nwin-size 160 120\ngl-version 3 2\n"
    "notify-level-device fatal\nnotify-level-display fatal\n",
)
from direct.showbase.ShowBase import ShowBase  # noqa: E402

base = ShowBase()
maker = CardMaker("card")
maker.setFrame(-1, 1, -1, 1)
card = base.render.attachNewNode(maker.generate())
card.setColor(1, 0, 0, 1)
for number in range(3):
    card.setPos(number / 10, 5, 0)
    base.taskMgr.step()
picture = PNMImage()
base.win.getScreenshot(picture)
print([tuple(round(part, 3) for part in picture.getXel(x, y)) for x, y in ((80, 60), (3, 3))])
