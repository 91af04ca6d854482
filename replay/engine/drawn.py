"""A draw on its way from the state of GL to its batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gles.backend import DrawCall
from traceformat.gles.objects import Query
from traceformat.native.records import address_of

if TYPE_CHECKING:
    from replay.engine.constants import StageConstants
    from replay.engine.input_cache import DrawnRange
    from replay.engine.setting import Setting
    from replay.engine.stages import StageRun
    from replay.engine.vertex_source import FetchPlace, VertexSource

__all__ = ["UNSHADED", "Drawn", "Vertices"]


@dataclass(slots=True)
class Vertices:
    """Vertices of a draw that were shaded before it is queued.

    Parameters
    ----------
    stage : that did it
    outputs : (rows, width) float32
    paths : (lanes,) path of each lane, or None where all take ``path``
    distances : (lanes, D) clip distances, or None
    """

    stage: StageRun
    outputs: NDArray[np.float32]
    paths: NDArray[np.uint32] | None
    path: int
    distances: NDArray[np.float32] | None

    def fields(self) -> dict[str, int]:
        """Those of the draw's record."""
        distances = self.distances
        return {
            "outputs": address_of(self.outputs),
            "output_width": self.outputs.shape[1],
            "paths": 0 if self.paths is None else address_of(self.paths),
            "distances": 0 if distances is None else address_of(distances),
            "num_distances": 0 if distances is None else distances.shape[1],
        }


#: Fields of a draw whose vertices the batch shades.
UNSHADED: Final = {"outputs": 0, "output_width": 0, "paths": 0, "distances": 0, "num_distances": 0}


@dataclass(slots=True, eq=False)
class Drawn:
    """A draw with what it needs of the state.

    Parameters
    ----------
    setting : what it has in common with others
    source, taken : where its vertices come from, and which they are
    constants : of its stages
    place : what the batch fetches
    vertices : shaded before it is queued, None where the batch does that
    query : counts its fragments
    kept : what else its record points to
    """

    setting: Setting
    source: VertexSource
    call: DrawCall
    constants: dict[str, StageConstants]
    taken: DrawnRange
    place: FetchPlace | None
    vertices: Vertices | None = None
    query: Query | None = None
    kept: Any = None
