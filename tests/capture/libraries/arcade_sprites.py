"""arcade 3: shapes and sprites, three frames; prints pixels of the last (llvmpipe ignores the samples of windows)."""

import arcade

window = arcade.Window(160, 120, "sprites", visible=False, antialiasing=False)
sprites = arcade.SpriteList()
sprites.append(arcade.SpriteSolidColor(60, 40, 40, 30, arcade.color.RED))
sprites.append(arcade.SpriteCircle(20, arcade.color.GREEN))
for number in range(3):
    window.switch_to()
    window.clear(color=arcade.color.DARK_BLUE)
    sprites[1].position = (100 + number, 70)
    sprites.draw()
    arcade.draw_line(0, 119, 159, 0, arcade.color.WHITE, 2)
    if number == 2:
        print(arcade.get_pixel(40, 30), arcade.get_pixel(100, 70), arcade.get_pixel(5, 5))
    window.flip()
window.close()
