"""``--host-json``: how long the model took, frame by frame; not part of a result, which is the same on every host."""

from __future__ import annotations

import json

from gpumodel.cli.sinks.sink import Sink, Step, Work
from traceformat.output import write_output

__all__ = ["HostSeconds"]


class HostSeconds(Sink):
    """A list of run, frame and seconds."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._rows: list[dict[str, float]] = []

    def frame(self, work: Work, step: Step) -> None:
        """Note the seconds of each run."""
        for number, seconds in enumerate(step.seconds, step.first_run):
            self._rows.append({"run": number, "frame": step.frame.frame, "seconds": seconds})

    def end(self, work: Work) -> int:
        """Write them."""
        write_output(self._path, json.dumps(self._rows, indent=1) + "\n")
        return 0
