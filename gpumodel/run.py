"""Runs frames through a machine and prices what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gpumodel.config.schema import GpuConfig
from gpumodel.machine import Machine, MachineFrame
from gpumodel.results import FrameResult, RunResult, frame_result
from gpumodel.techniques.registry import BASELINE, Technique, combine, known_techniques
from traceformat.errors import ConfigError
from traceformat.frametrace import MODEL_COLUMNS, ColumnSet, FrameTrace

__all__ = ["REQUIRED_COLUMNS", "Run", "run"]

#: The columns of a FrameTrace that the model reads.
REQUIRED_COLUMNS = ColumnSet([*MODEL_COLUMNS, "quads.shader_depth"])


class Run:
    """One configuration with one combination of techniques, fed frame by frame.

    Parameters
    ----------
    config : the GPU
    techniques : ids, empty for the baseline
    every_cycle : the tick-everything loop, see :class:`gpumodel.machine.Machine`
    """

    def __init__(self, config: GpuConfig, techniques: Sequence[str] = (), *, every_cycle: bool = False) -> None:
        known = known_techniques()
        self._techniques: list[Technique] = [known[name]() for name in techniques]
        for technique in self._techniques:
            config = technique.configure(config)
        self._extra = [structure for technique in self._techniques for structure in technique.hardware(config)]
        self.machine = Machine(config, combine(self._techniques, config), every_cycle=every_cycle)
        for technique in self._techniques:
            technique.attach(self.machine)
        self.result = RunResult("+".join(techniques) or BASELINE, config.memory.mode, config, hardware=self._extra)

    def add(self, trace: FrameTrace) -> tuple[FrameResult, MachineFrame]:
        """Run the next frame; the raw frame holds the trace's arrays, let go of it to free them."""
        screen = self.machine.config.screen
        if not screen.scale_to_trace and (trace.width, trace.height) != (screen.width, screen.height):
            raise ConfigError(
                [f"screen is {screen.width}x{screen.height}, frame {trace.frame} is {trace.width}x{trace.height}"],
                hint="set screen.scale_to_trace=true",
            )
        before = self._own_counters()
        raw = self.machine.run_frame(trace)
        own = {name: value - before.get(name, 0) for name, value in self._own_counters().items()}
        result = frame_result(self.machine.config, raw, own, self._extra)
        self.result.frames.append(result)
        return result, raw

    def _own_counters(self) -> dict[str, float]:
        return {name: value for technique in self._techniques for name, value in technique.read_counters().items()}


def run(
    frames: Iterable[FrameTrace],
    config: GpuConfig,
    techniques: Sequence[str] = (),
    *,
    observe: Callable[[FrameTrace, MachineFrame], None] | None = None,
) -> RunResult:
    """Run frames through one configuration.

    Parameters
    ----------
    frames : such as ``replay.frames(path, columns=REQUIRED_COLUMNS)`` or an open ``.gputrace``
    config : the GPU
    techniques : ids, empty for the baseline
    observe : called with every frame and its raw figures
    """
    one = Run(config, techniques)
    for trace in frames:
        _, raw = one.add(trace)
        if observe is not None:
            observe(trace, raw)
    return one.result
