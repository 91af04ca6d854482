"""A 5x7 pixel font as a texture atlas, and text laid out as textured rectangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["atlas", "text_quads"]

# Seven lines a band; a glyph is five columns wide, one column apart.
_BANDS = (
    (
        "ABCDEFGHIJKLM",
        """
 ###  ####   #### ####  ##### #####  #### #   # #####     # #   # #     #   #
#   # #   # #     #   # #     #     #     #   #   #       # #  #  #     ## ##
#   # #   # #     #   # #     #     #     #   #   #       # # #   #     # # #
##### ####  #     #   # ####  ####  #  ## #####   #       # ##    #     # # #
#   # #   # #     #   # #     #     #   # #   #   #   #   # # #   #     #   #
#   # #   # #     #   # #     #     #   # #   #   #   #   # #  #  #     #   #
#   # ####   #### ####  ##### #      #### #   # #####  ###  #   # ##### #   #
""",
    ),
    (
        "NOPQRSTUVWXYZ",
        """
#   #  ###  ####   ###  ####   #### ##### #   # #   # #   # #   # #   # #####
##  # #   # #   # #   # #   # #       #   #   # #   # #   # #   # #   #     #
# # # #   # #   # #   # #   # #       #   #   # #   # #   #  # #   # #     #
# # # #   # ####  #   # ####   ###    #   #   # #   # # # #   #     #     #
#  ## #   # #     # # # # #       #   #   #   # #   # # # #  # #    #    #
#   # #   # #     #  #  #  #      #   #   #   #  # #  ## ## #   #   #   #
#   #  ###  #      ## # #   # ####    #    ###    #   #   # #   #   #   #####
""",
    ),
    (
        "0123456789.:-",
        """
 ###    #    ###   ###     #  #####  ###  #####  ###   ###
#   #  ##   #   # #   #   ##  #     #         # #   # #   #         #
#  ##   #       #     #  # #  ####  #         # #   # #   #         #
# # #   #      #    ##  #  #      # ####     #   ###   ####             #####
##  #   #     #       # #####     # #   #   #   #   #     #         #
#   #   #    #    #   #    #  #   # #   #   #   #   #     #   ##    #
 ###   ###  #####  ###     #   ###   ###    #    ###   ###    ##
""",
    ),
    (
        " %/+!?()<>=*#",
        """
      ##  #     #         #    ###    #   #       #   #               # #
      ##  #     #   #     #   #   #  #     #     #     #   ##### # #  # #
         #     #    #     #       # #       #   #       #         #  #####
        #     #   #####   #      #  #       #  #         #       ###  # #
       #     #      #     #     #   #       #   #       #  #####  #  #####
      #  ## #       #               #       #    #     #         # #  # #
      #  ## #             #     #    #     #      #   #               # #
""",
    ),
)

_CELL = 8
_COLUMNS = 16


def _glyphs() -> dict[str, NDArray[np.bool_]]:
    out = {}
    for characters, art in _BANDS:
        lines = art.strip("\n").split("\n")
        lines += [""] * (7 - len(lines))
        for number, character in enumerate(characters):
            cells = [line.ljust(13 * 6)[number * 6 : number * 6 + 5] for line in lines]
            out[character] = np.array([[cell == "#" for cell in row] for row in cells])
    return out


_ORDER = "".join(characters for characters, _ in _BANDS)


def atlas() -> NDArray[np.uint8]:
    """Texture of all glyphs, ``(64, 128, 4)`` uint8 RGBA, white with coverage in alpha, row 0 at the bottom."""
    out = np.full((_CELL * 8, _CELL * _COLUMNS, 4), 255, np.uint8)
    out[..., 3] = 0
    for number, character in enumerate(_ORDER):
        x, y = number % _COLUMNS * _CELL + 1, number // _COLUMNS * _CELL
        out[y : y + 7, x : x + 5, 3] = np.where(_glyphs_cache[character][::-1], 255, 0)
    return out


def text_quads(text: str, x: float, y: float, height: float) -> NDArray[np.float32]:
    """Two triangles a character: ``(6 N, 4)`` float32 of x, y, u, v; unknown characters are left out.

    Parameters
    ----------
    text : upper case letters, digits and some signs
    x, y : lower left corner
    height : of a line in the same unit
    """
    advance = height * 6 / _CELL
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)], np.float32)
    quads = []
    for place, character in enumerate(text.upper()):
        number = _ORDER.find(character)
        if number < 0 or character == " ":
            continue
        cell = np.array([number % _COLUMNS, number // _COLUMNS], np.float32)
        position = corners * (height, height) + (x + place * advance, y)
        # Half a texel inwards, so that a linear filter does not see the glyph of the next row.
        uv = ((corners * (_CELL - 1) + 0.5) + cell * _CELL) / (_CELL * _COLUMNS, _CELL * 8)
        quads.append(np.concatenate([position, uv], axis=1))
    return np.concatenate(quads).astype(np.float32) if quads else np.zeros((0, 4), np.float32)


_glyphs_cache = _glyphs()
