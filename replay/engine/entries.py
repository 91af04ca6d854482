"""The engine's kernels as Python calls them, or other kernels by their addresses; found when they are first needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from replay.linked_kernels import EntryPoint

__all__ = [
    "BATCH_KERNELS",
    "BLEND_QUADS",
    "FETCH_ATTRIBUTES",
    "LINE_KERNELS",
    "LIST_VERTICES",
    "RASTER",
    "RASTER_SAMPLES",
    "RUN_DRAWS",
    "RUN_JOB",
    "SOURCE_COLORS",
    "TEST_QUADS",
]

_KERNELS: Final = "replay.engine.kernels."

RUN_DRAWS: Final = EntryPoint(_KERNELS + "batch", "run_draws")
RASTER: Final = EntryPoint(_KERNELS + "front", "raster")
RASTER_SAMPLES: Final = EntryPoint(_KERNELS + "multisample", "raster_samples")
RUN_JOB: Final = EntryPoint(_KERNELS + "shading", "run_job")
FETCH_ATTRIBUTES: Final = EntryPoint(_KERNELS + "fetch", "fetch_attributes")
LIST_VERTICES: Final = EntryPoint(_KERNELS + "streams", "list_vertices")
TEST_QUADS: Final = EntryPoint(_KERNELS + "fragment_tests", "test_quads")
BLEND_QUADS: Final = EntryPoint(_KERNELS + "blend", "blend_quads")
SOURCE_COLORS: Final = EntryPoint(_KERNELS + "blend", "source_colors")

#: Kernels that a batch calls, by their fields of BATCH.
BATCH_KERNELS: Final[Mapping[str, EntryPoint]] = {
    "fetch": FETCH_ATTRIBUTES,
    **{name: EntryPoint(_KERNELS + "front", name) for name in ("read_vertices", "clip", "attributes", "planes")},
    "test_early": EntryPoint(_KERNELS + "shading", "test_early"),
    "run_job": RUN_JOB,
}
#: Kernels that the front calls for lines and points, by their fields of FRONT.
LINE_KERNELS: Final[Mapping[str, EntryPoint]] = {
    name: EntryPoint(_KERNELS + "lines", name) for name in ("place_line", "clip_points", "line_planes")
}
