"""What a page keeps of each frame: figures, picture, tile maps, the dearest draws, render passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.rollup import metric
from gpumodel.report.page.passes import MAX_PASSES, pass_rows
from gpumodel.report.page.pictures import LAYERS, Layers, draw_masks, packed, picture_uri, shown_size
from gpumodel.report.verdict import verdict
from gpumodel.results import dram_bytes
from traceformat.gles.enum_names import enum_name

if TYPE_CHECKING:
    from gpumodel.attribution.table import Attribution
    from gpumodel.machine import MachineFrame
    from gpumodel.results import FrameResult
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["MAX_DRAWS", "FrameKeeper"]

#: Draws of a frame that a page lists, and those of them whose pixels it can show.
MAX_DRAWS: Final = 40
MAX_MASKS: Final = 10
_FIGURES: Final = ("fragments", "instructions", "texels", "vertices", "primitives", "dram")


class FrameKeeper:
    """Takes frames as they are modelled.

    Parameters
    ----------
    clock_mhz : of the GPU
    """

    def __init__(self, clock_mhz: float) -> None:
        self._milliseconds = 1e-3 / clock_mhz
        self._layers = Layers()
        self.frames: list[dict[str, Any]] = []

    def add(self, frame: FrameTrace, raw: MachineFrame, result: FrameResult) -> dict[str, NDArray[np.int64]]:
        """Take a frame that is done; gives its layers."""
        costs = result.attribution
        assert costs is not None
        counters = result.counters
        layers = self._layers.of(frame, raw)
        dearest = np.argsort(-costs.cycles[: costs.num_draws], kind="stable")[:MAX_DRAWS]
        masks = draw_masks(frame, raw, dearest[:MAX_MASKS].tolist())
        size = shown_size(frame.width, frame.height)
        self.frames.append(
            {
                "frame": frame.frame,
                "ms": result.cycles * self._milliseconds,
                "geometry_ms": result.geometry_cycles * self._milliseconds,
                "raster_ms": result.raster_cycles * self._milliseconds,
                "mj": result.energy.total / 1e9,
                "dram": sum(dram_bytes(counters).values()),
                "fragments": counters["fragments.shaded"],
                "draws": counters["draws"],
                "verdict": verdict(result),
                "width": frame.width,
                "height": frame.height,
                "shown": size,
                "tile": raw.tile_size,
                "grid": next((values.shape[::-1] for values in layers.values()), (0, 0)),
                "picture": None if frame.picture is None else picture_uri(frame.picture),
                "layers": {name: packed(values) for name, values in layers.items()},
                "draw_rows": [self._draw(frame, costs, int(draw), masks.get(int(draw))) for draw in dearest],
                "other_draws": costs.num_draws - len(dearest),
                "passes": pass_rows(frame, costs, self._milliseconds),
                "other_passes": max(frame["passes"].num_rows - MAX_PASSES, 0),
            }
        )
        return layers

    def _draw(self, frame: FrameTrace, costs: Attribution, draw: int, mask: str | None) -> dict[str, Any]:
        names, draws = costs.names, frame["draws"]
        return {
            "draw": draw,
            "call": int(costs.calls[draw]),
            "object": names.object[draw],
            "program": names.program_id[draw],
            "mode": (enum_name(int(draws["mode"][draw]), "PrimitiveType") or "")
            .removeprefix("GL_")
            .lower()
            .replace("_", " "),
            "textures": names.textures[draw],
            "framebuffer": names.framebuffer[draw],
            "pass": int(costs.passes[draw]),
            "blend": bool(draws["blend"][draw]),
            "depth": bool(draws["depth_test"][draw]),
            "ms": float(costs.cycles[draw]) * self._milliseconds,
            "mj": float(costs.total_energy_pj[draw]) / 1e9,
            **{name: int(metric(costs, name)[draw]) for name in _FIGURES},
            "mask": mask,
            "so_far": None,
        }

    def tops(self) -> dict[str, float]:
        """Value of the brightest colour of each layer, the same in all frames."""
        return {
            name: max((frame["layers"][name]["top"] for frame in self.frames if name in frame["layers"]), default=1.0)
            for name in LAYERS
        }
