"""Runs a trace's accesses through the model: one run a combination of techniques."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpumodel.handheld.config import HandheldConfig
from gpumodel.handheld.count import AccessCounter
from gpumodel.handheld.evaluate import as_json, evaluate_frame, on_chip_bytes, total_frame
from gpumodel.handheld.techniques import BASELINE, mode_of
from gpumodel.results import FrameResult, measured
from traceformat.gputrace.accessstream import AccessFrame, HandheldMode
from traceformat.gputrace.frametrace import FrameRole

__all__ = ["HandheldRun"]


@dataclass(slots=True)
class HandheldRun:
    """One configuration with one combination of techniques, fed frame by frame.

    ``sink`` takes the accesses of a frame, then :meth:`add` the frame.

    Parameters
    ----------
    config : the machine
    techniques : ids, empty for the baseline
    """

    config: HandheldConfig
    techniques: tuple[str, ...] = ()
    frames: list[FrameResult] = field(default_factory=list)
    sink: AccessCounter = field(init=False)
    #: Pixels that culling has changed; None unless that was looked for.
    mismatched_pixels: int | None = None

    def __post_init__(self) -> None:
        self.sink = AccessCounter(self.config.pairing.across_triangles)

    @property
    def memory(self) -> str:
        """The machine has one memory, the paper's."""
        return "paper"

    @property
    def technique(self) -> str:
        """What ``-t`` calls it."""
        return "+".join(self.techniques) or BASELINE

    @property
    def mode(self) -> HandheldMode:
        """How the replay is to work."""
        return mode_of(self.config, self.techniques)

    def add(self, frame: AccessFrame, role: FrameRole = FrameRole.MEASURED) -> FrameResult:
        """Evaluate a frame whose accesses have been counted."""
        values, words = self.sink.take()
        result = evaluate_frame(self.config, self.techniques, frame, values, words)
        result.role = role
        self.frames.append(result)
        return result

    @property
    def total(self) -> FrameResult:
        """Sum of the frames."""
        return total_frame(measured(self.frames))

    def as_json(self) -> dict[str, Any]:
        """An entry of ``runs``, without what it is a run of; of the area only the on-chip memory is modelled."""
        size = on_chip_bytes(self.config.screen.width, self.config.culling.tile_size, self.techniques)
        entry: dict[str, Any] = {
            "frames": [as_json(frame) for frame in self.frames],
            "total": as_json(self.total),
            "hardware": {"area_mm2": None, "area_share": None, "on_chip_bytes": size},
        }
        if self.mismatched_pixels is not None:
            entry["verify"] = {"identical": self.mismatched_pixels == 0, "mismatched_pixels": self.mismatched_pixels}
        return entry
