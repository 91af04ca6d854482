"""PyQt5: a QOpenGLWindow that clears and paints with QPainter; three frames."""

from PyQt5.QtCore import QTimer
from PyQt5.QtGui import QColor, QGuiApplication, QOpenGLPaintDevice, QOpenGLWindow, QPainter

app = QGuiApplication([])
frames = 0


class Window(QOpenGLWindow):
    def paintGL(self):
        device = QOpenGLPaintDevice(self.size())
        painter = QPainter(device)
        painter.fillRect(0, 0, self.width(), self.height(), QColor("navy"))
        painter.setBrush(QColor("red"))
        painter.drawEllipse(20 + frames, 20, 60, 40)
        painter.end()


def swapped():
    global frames
    frames += 1
    QTimer.singleShot(0, app.quit) if frames == 3 else window.update()


window = Window()
window.frameSwapped.connect(swapped)
window.resize(160, 120)
window.show()
app.exec()
print("frames", frames)
