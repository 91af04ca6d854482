"""arcade: shapes and sprites, two frames."""

import sys

import arcade


class Window(arcade.Window):
    """Draws circles, which arcade makes with a geometry shader, a line and sprites."""

    def __init__(self):
        super().__init__(96, 64, "shapes", antialiasing=False)
        self.frames = 0
        self.sprites = arcade.SpriteList()
        for k in range(5):
            sprite = arcade.SpriteSolidColor(10, 8, color=(50 * k, 200, 90, 255))
            sprite.center_x, sprite.center_y, sprite.angle = 10 + 18 * k, 50, 20 * k
            self.sprites.append(sprite)

    def on_draw(self):
        """Draw, and leave after the second frame."""
        self.clear(color=(30, 60, 90))
        arcade.draw_circle_filled(30 + 10 * self.frames, 24, 14, arcade.color.RED)
        arcade.draw_ellipse_outline(60, 24, 40, 20, arcade.color.WHITE, 3)
        arcade.draw_line(4, 4, 90, 40, arcade.color.YELLOW, 3)
        self.sprites.draw()
        self.frames += 1
        if self.frames == 2:
            sys.exit()


assert arcade.get_game_controllers() == []
Window()
arcade.run()
