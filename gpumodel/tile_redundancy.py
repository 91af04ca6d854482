"""What of a pass was redundant, and what changed where it was not: what techniques find out, for maps and tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ATTRIBUTES", "BEGIN", "CAUSE", "CAUSES", "CHANGED", "CONSTANTS", "EQUAL_COLORS", "EQUAL_INPUTS", "LIST", "STATE",
    "Redundancy",
]  # fmt: skip

#: Classes of tiles against what their frame buffer holds: other colours; the same colours from other inputs; the same
#: inputs.
CHANGED: Final = 0
EQUAL_COLORS: Final = 1
EQUAL_INPUTS: Final = 2

#: What differs first in a tile's inputs.
BEGIN: Final = 0
LIST: Final = 1
STATE: Final = 2
CONSTANTS: Final = 3
ATTRIBUTES: Final = 4
#: Name and meaning by number.
CAUSES: Final = (
    ("begin", "what the pass begins with, or a clear"),
    ("list", "another draw or primitive is in the tile, or none any more"),
    ("state", "state, program or textures of the draw"),
    ("constants", "constants of the draw"),
    ("attributes", "attributes of the draw's primitives"),
)

#: A tile whose inputs changed: its place in rendering order, the draw of the frame (-1 = none), the kind of cause.
CAUSE: Final = np.dtype([("tile", "<i4"), ("draw", "<i4"), ("kind", "u1")], align=True)


@dataclass(slots=True)
class Redundancy:
    """A pass against what its frame buffer holds.

    Parameters
    ----------
    classes : (tiles,) uint8 in rendering order
    causes : CAUSE rows of the tiles with other inputs than before; None where no inputs were compared
    """

    classes: NDArray[np.uint8]
    causes: NDArray[Any] | None = None
