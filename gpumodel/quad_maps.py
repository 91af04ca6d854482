"""Quad maps: which Fragment Processor of its Raster Unit shades a quad, by the quad's place in the tile and the tile's.

A quad map is a table of uint8, (period, quads of a tile): row ``n % period`` is the map of the n-th tile in rendering
order, positions row by row. All quads of a pixel go to one processor, which keeps them in primitive order.

The three plain maps are the baseline's (``interleaved`` is Fig. 6.1's left-hand scheme, ``quadrants`` its right-hand
one). The seventeen of thesis §6.3 say which Texture Cache a quad uses; there, processor p of both Raster Units that
share has cache p, so that they are maps to processors, too. Their figure (6.3) is lost: each is reconstructed from the
text; docs/QUAD_MAPS.md has the pictures, the sentences, and what was inferred. They are made for tiles of 16 x 16
quads; in other tiles quads stay quads (Q), and what is a part of the tile stays that part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import ConfigError

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig

__all__ = ["MAPPINGS", "SHARED_PROCESSORS", "Mapping", "quad_map"]

# Any: NumPy types the result of arithmetic on integer arrays so.
Array: TypeAlias = Any
TileOrder: TypeAlias = Literal["scanline", "z-order", "snake"]

#: Texture Caches, and processors of a Raster Unit, that the maps of thesis §6.3 are made for.
SHARED_PROCESSORS: Final = 4
#: Lines of quads in the thesis's tile.
_LINES: Final = 16


@dataclass(frozen=True, slots=True)
class Mapping:
    """A map of thesis §6.3.

    Parameters
    ----------
    caches : (x, y, width, height, tile) -> cache of each quad; x and y are grids of quad coordinates in a tile of
        width x height quads, ``tile`` is its number in rendering order
    period : tiles after which it repeats
    order : in which tiles are rendered
    """

    caches: Callable[[Array, Array, int, int, int], Array]
    period: int = 2
    order: TileOrder = "scanline"


def _mirrored(x: Array, width: int, tile: int) -> Array:
    """Turn every second tile round left to right, so that both sides of an edge between neighbours use one cache."""
    return width - 1 - x if tile % 2 else x


def _quadrant(x: Array, y: Array, width: int, height: int, tile: int) -> Array:
    """Quarters; the caches move on by one a tile, and both quarters on an edge keep theirs across it."""
    return (2 * x // width + 2 * (2 * y // height) + tile) % 4


def _vertical(size: int) -> Callable[[Array, Array, int, int, int], Array]:
    """Columns of ``size`` quads in turn; 0 = a quarter of the tile."""

    def caches(x: Array, y: Array, width: int, height: int, tile: int) -> Array:
        return _mirrored(x, width, tile) // (size or max(width // 4, 1)) % 4 + 0 * y

    return caches


def _diagonal(size: int) -> Callable[[Array, Array, int, int, int], Array]:
    """Blocks of ``size`` x ``size`` quads in turn along both axes: diagonals up in one tile, down in the next."""

    def caches(x: Array, y: Array, width: int, height: int, tile: int) -> Array:
        return (_mirrored(x, width, tile) // size + y // size) % 4

    return caches


def _diagonal_of_lines(lines: int) -> Callable[[Array, Array, int, int, int], Array]:
    """Likewise, of blocks of so many lines of a quarter of the tile's width, in a tile of sixteen lines."""

    def caches(x: Array, y: Array, width: int, height: int, tile: int) -> Array:
        down = max(lines * height // _LINES, 1)
        return (_mirrored(x, width, tile) // max(width // 4, 1) + y // down) % 4

    return caches


def _small_diagonal(size: int) -> Callable[[Array, Array, int, int, int], Array]:
    """Diagonals up and down in turn within the tile: in columns of four blocks of ``size`` x ``size`` quads."""

    def caches(x: Array, y: Array, width: int, height: int, tile: int) -> Array:
        step = 4 * size
        small = x // step + tile * -(-width // step)
        inside = np.where(small % 2, step - 1 - x % step, x % step)
        return (inside // size + y // size) % 4

    return caches


def _z(across: int, down: int) -> Callable[[Array, Array, int, int, int], Array]:
    """Two by two blocks of ``across`` x ``down`` quads, caches 0 to 3 along a Z; 0 = a quarter of the tile."""

    def caches(x: Array, y: Array, width: int, height: int, tile: int) -> Array:
        column = _mirrored(x, width, tile) // (across or max(width // 4, 1))
        return column % 2 + 2 * (y // (down or max(height // 4, 1)) % 2)

    return caches


def _bands(size: int) -> Callable[[Array, Array, int, int, int], Array]:
    """Rows of ``size`` quads in turn, the same in every tile; 0 = a quarter of the tile."""

    def caches(x: Array, y: Array, width: int, height: int, tile: int) -> Array:
        return y // (size or max(height // 4, 1)) % 4 + 0 * x

    return caches


MAPPINGS: Final[dict[str, Mapping]] = {
    "1-quadrant": Mapping(_quadrant, period=4),
    "2-vertical": Mapping(_vertical(0)),
    "3-vertical-Q": Mapping(_vertical(1)),
    "4-mini-vertical": Mapping(_vertical(2)),
    "5-UD-Q": Mapping(_diagonal(1)),
    "6-UD-Q-x2": Mapping(_diagonal(2)),
    "7-UD-L": Mapping(_diagonal_of_lines(1)),
    "8-UD-L-x2": Mapping(_diagonal_of_lines(2)),
    "9-UD-L-x4": Mapping(_diagonal_of_lines(4)),
    "10-UD-L-x4-zorder": Mapping(_diagonal_of_lines(4), order="z-order"),
    "11-blocking": Mapping(_z(0, 0)),
    "12-snake": Mapping(_bands(0), order="snake"),
    "13-snake-fine": Mapping(_bands(1), order="snake"),
    "14-Z-Q": Mapping(_z(1, 1)),
    "15-Z-L": Mapping(_z(0, 1)),
    "16-mini-UD": Mapping(_small_diagonal(1)),
    "17-mini-UD-x2": Mapping(_small_diagonal(2)),
}


def quad_map(config: GpuConfig) -> NDArray[np.uint8]:
    """Processor of each quad position of a tile, ``fragment.quad_map``.

    Returns
    -------
    (period, quads of a tile) uint8, row by row

    Raises
    ------
    ConfigError : a map of thesis §6.3 without four processors
    """
    across, down = config.tile.width // 2, config.tile.height // 2
    count, name = config.fragment.processors, config.fragment.quad_map
    y, x = np.divmod(np.arange(across * down), across)
    if name in MAPPINGS:
        if count != SHARED_PROCESSORS:
            raise ConfigError(
                [f"fragment.quad_map={name} is made for {SHARED_PROCESSORS} processors, the Raster Unit has {count}"],
                hint="take one of interleaved, rows, quadrants",
            )
        mapping = MAPPINGS[name]
        rows = [mapping.caches(x, y, across, down, tile) for tile in range(mapping.period)]
        return np.array(rows, np.uint8)
    columns = 1 << ((count - 1).bit_length() + 1) // 2
    rows_of_processors = -(-count // columns)
    if name == "rows":
        owner = y % count
    elif name == "quadrants":
        owner = (x * columns // across + columns * (y * rows_of_processors // down)) % count
    else:
        owner = (x % columns + columns * (y % rows_of_processors)) % count
    return owner.astype(np.uint8)[np.newaxis]
