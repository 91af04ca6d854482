"""PyQt6: a QOpenGLWindow that clears and paints with QPainter; three frames."""

from PyQt6.QtCore import QTimer
from PyQt6.QtGui import QColor, QGuiApplication, QPainter
from PyQt6.QtOpenGL import QOpenGLPaintDevice, QOpenGLWindow

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
