"""Runs frames through machines and prices what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from gpumodel.columns import REQUIRED_COLUMNS, VERIFIED_COLUMNS
from gpumodel.config.schema import GpuConfig
from gpumodel.machine import Machine, MachineFrame
from gpumodel.results import FrameResult, RunResult, frame_result
from gpumodel.techniques.registry import BASELINE, Technique, combine, known_techniques
from traceformat.errors import ConfigError
from traceformat.frametrace import FrameTrace

__all__ = ["REQUIRED_COLUMNS", "VERIFIED_COLUMNS", "Run", "run", "run_all"]


class Run:
    """One configuration with one combination of techniques, fed frame by frame.

    Parameters
    ----------
    config : the GPU
    techniques : ids, empty for the baseline
    verify : recompose each frame's pixels and compare them; the frames need VERIFIED_COLUMNS
    sample_cycles, every_cycle : see :class:`gpumodel.machine.Machine`
    """

    def __init__(
        self,
        config: GpuConfig,
        techniques: Sequence[str] = (),
        *,
        verify: bool = False,
        sample_cycles: int = 0,
        every_cycle: bool = False,
    ) -> None:
        known = known_techniques()
        self._techniques: list[Technique] = [known[name]() for name in techniques]
        base = config
        for technique in self._techniques:
            config = technique.configure(config)
        self._extra = [structure for technique in self._techniques for structure in technique.hardware(config)]
        self.machine = Machine(
            config, combine(self._techniques, config), every_cycle=every_cycle, sample_cycles=sample_cycles
        )
        for technique in self._techniques:
            technique.attach(self.machine)
        self.result = RunResult("+".join(techniques) or BASELINE, base.memory.mode, base, config, hardware=self._extra)
        self._recomposer = None
        if verify:
            from gpumodel.verify import Recomposer

            self._recomposer = Recomposer(config.screen.frame_buffers)
            self.result.verification = self._recomposer.result

    def add(self, trace: FrameTrace) -> tuple[FrameResult, MachineFrame]:
        """Run the next frame; the raw frame holds the trace's arrays, let go of it to free them."""
        screen = self.machine.config.screen
        if not screen.scale_to_trace and (trace.width, trace.height) != (screen.width, screen.height):
            raise ConfigError(
                [f"screen is {screen.width}x{screen.height}, frame {trace.frame} is {trace.width}x{trace.height}"],
                hint="set screen.scale_to_trace=true",
            )
        before = self._own_counters()
        for technique in self._techniques:
            trace = technique.prepare(trace)
        raw = self.machine.run_frame(trace)
        own = {name: value - before.get(name, 0) for name, value in self._own_counters().items()}
        result = frame_result(self.machine.config, raw, own, self._extra)
        if self._recomposer is not None:
            self._recomposer.add(trace, raw.passes)
        self.result.frames.append(result)
        return result, raw

    def _own_counters(self) -> dict[str, float]:
        return {name: value for technique in self._techniques for name, value in technique.read_counters().items()}


def run_all(
    frames: Iterable[FrameTrace], runs: Sequence[Run], *, threads: int = 1
) -> Iterator[tuple[FrameTrace, list[MachineFrame]]]:
    """Feed each frame to several runs and give its raw figures, one a run: one functional pass serves all of them.

    Parameters
    ----------
    frames : from a replay, which goes on with the next frame while this one is modelled, or from a file
    runs : each keeps its results
    threads : runs at work at a time; results do not depend on it
    """
    if threads == 1:
        for trace in frames:
            yield trace, [one.add(trace)[1] for one in runs]
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: tuple[FrameTrace, list[Future[tuple[FrameResult, MachineFrame]]]] | None = None
        for trace in frames:
            if waiting is not None:
                yield waiting[0], [future.result()[1] for future in waiting[1]]
            waiting = trace, [pool.submit(one.add, trace) for one in runs]
        if waiting is not None:
            yield waiting[0], [future.result()[1] for future in waiting[1]]


def run(
    frames: Iterable[FrameTrace],
    config: GpuConfig,
    techniques: Sequence[str] = (),
    *,
    verify: bool = False,
    observe: Callable[[FrameTrace, MachineFrame], None] | None = None,
) -> RunResult:
    """Run frames through one configuration.

    Parameters
    ----------
    frames : such as ``replay.frames(path, columns=REQUIRED_COLUMNS)`` or an open ``.gputrace``
    config : the GPU
    techniques : ids, empty for the baseline
    verify : recompose each frame's pixels and compare them; the frames need VERIFIED_COLUMNS
    observe : called with every frame and its raw figures
    """
    one = Run(config, techniques, verify=verify)
    for trace, (raw,) in run_all(frames, [one]):
        if observe is not None:
            observe(trace, raw)
    return one.result
