"""PySide6: a Qt Quick scene with a gradient and a rotating item, three frames."""

import os

os.environ.setdefault("QSG_RHI_BACKEND", "opengl")
from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtQml import QQmlComponent
from PySide6.QtQuick import QQuickView

app = QGuiApplication([])
view = QQuickView()
component = QQmlComponent(view.engine())
source = b"""
import QtQuick
Rectangle {
    width: 160; height: 120; color: "navy"
    Rectangle { x: 20; y: 20; width: 60; height: 40; color: "red"; rotation: 10 }
    Rectangle { x: 90; y: 50; width: 40; height: 40; radius: 20
                gradient: Gradient { GradientStop { position: 0; color: "green" }
                                     GradientStop { position: 1; color: "yellow" } } }
}
"""
component.setData(source, QUrl())
item = component.create()
view.setContent(QUrl(), component, item)
frames = 0


def swapped():
    global frames
    frames += 1
    if frames == 3:
        QTimer.singleShot(0, app.quit)
    else:
        item.setProperty("color", "teal" if frames == 1 else "navy")
        view.update()


view.frameSwapped.connect(swapped)
view.show()
app.exec()
print("frames", frames, view.rendererInterface().graphicsApi())
