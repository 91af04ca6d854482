"""Runs frames through machines and prices what came out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpumodel.ahead import PassesAhead, PassOrder
from gpumodel.columns import REQUIRED_COLUMNS, VERIFIED_COLUMNS
from gpumodel.config.schema import GpuConfig
from gpumodel.machine import Machine, MachineFrame, PassHandling
from gpumodel.overlap import OverlappedFrames
from gpumodel.pass_run import PassRun
from gpumodel.results import FrameResult, RunResult, frame_result
from gpumodel.shared_passes import share_passes
from gpumodel.side_by_side import run_frames
from gpumodel.techniques.plugs import Plugs
from gpumodel.techniques.registry import BASELINE, Technique, combine, known_techniques
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameRole, FrameTrace

if TYPE_CHECKING:
    from gpumodel.verify import Recomposer

__all__ = ["REQUIRED_COLUMNS", "VERIFIED_COLUMNS", "KeepPass", "Run", "run", "run_all"]

#: Whether the log of a pass is handed out.
KeepPass: TypeAlias = "Callable[[FrameTrace, PassRun], bool]"


class Run:
    """One configuration with one combination of techniques, fed frame by frame.

    Parameters
    ----------
    config : the GPU
    techniques : ids, empty for the baseline
    verify : recompose each frame's pixels and compare them; the frames need VERIFIED_COLUMNS
    sample_cycles, every_cycle, attribution : see :class:`gpumodel.machine.Machine`
    keep_passes : hand out the log of each pass with the raw frames, or of those of which this says so, given the pass
        and its log; the arrays of others are let go of as soon as they are done, so that many runs side by side need
        the memory of a pass
    frames : others are passed over, see :mod:`gpumodel.warm_up`; None = none are
    """

    def __init__(
        self,
        config: GpuConfig,
        techniques: Sequence[str] = (),
        *,
        verify: bool = False,
        sample_cycles: int = 0,
        every_cycle: bool = False,
        attribution: bool = False,
        keep_passes: bool | KeepPass = True,
        frames: range | None = None,
    ) -> None:
        known = known_techniques()
        self._techniques: list[Technique] = [known[name]() for name in techniques]
        base = config
        for technique in self._techniques:
            config = technique.configure(config)
        self._extra = [structure for technique in self._techniques for structure in technique.hardware(config)]
        self.machine = Machine(
            config,
            combine(self._techniques, config),
            every_cycle=every_cycle,
            sample_cycles=sample_cycles,
            log_slots=verify,
            attribution=attribution,
        )
        for technique in self._techniques:
            technique.attach(self.machine)
        self.result = RunResult("+".join(techniques) or BASELINE, base.memory.mode, base, config, hardware=self._extra)
        self._waiting: list[FrameTrace] = []
        self.frames = frames
        self._counts_first = False
        self._heir: Run | None = None
        recomposer = None
        if verify:
            from gpumodel.verify import Recomposer

            hash_bits = max((technique.hash_bits(config) for technique in self._techniques), default=0)
            recomposer = Recomposer(config.screen.frame_buffers, hash_bits)
            self.result.verification = recomposer.result
        self._handling = _Handling(self._techniques, recomposer, keep_passes)
        self._overlapped = None
        if config.binning.overlap != "none":
            self._overlapped = OverlappedFrames(self.machine, self._handling)
            #: Roles of the frames that are not done.
            self._roles: deque[FrameRole] = deque()
            self._counted: dict[str, float] = {}

    @property
    def frames_at_once(self) -> int:
        """Frames that are rendered in parallel."""
        return self.machine.plugs.frames

    def add(self, trace: FrameTrace) -> tuple[FrameResult, MachineFrame]:
        """Run the next frame of a machine that renders one at a time, and ends it before the next begins
        (``binning.overlap`` is not frame); the raw frame holds the trace's arrays, let go of it to free them.
        """
        (raw,) = self.feed(trace)
        return self.result.frames[-1], raw

    @property
    def arranges_plainly(self) -> bool:
        """Whether its passes are arranged by the configuration alone, one frame at a time."""
        return not self._techniques and self._overlapped is None

    def go_on_from(self, other: Run, pictures: Recomposer | None = None) -> None:
        """Begin with what another run of this configuration has left, of which nothing is counted here; neither has
        techniques, and phases do not overlap from frame to frame.

        Parameters
        ----------
        pictures : has the frame buffers as they are by now
        """
        self.machine.go_on_from(other.machine)
        if self._handling.recomposer is not None and pictures is not None:
            self._handling.recomposer.go_on_from(pictures)

    def leave_to(self, other: Run) -> None:
        """Let another run go on from where this one will stand when the first measured frame begins."""
        self._heir = other

    def work_ahead(self, pool: Executor) -> PassesAhead | None:
        """Arrange passes on threads of a pool before their turn comes; None where techniques change what is arranged,
        frames are rendered in parallel, or phases overlap.
        """
        plugs = self.machine.plugs
        changes = any(type(technique).prepare is not Technique.prepare for technique in self._techniques)
        if changes or plugs.before_frame or plugs.frames > 1 or self._overlapped is not None:
            return None
        ahead = PassesAhead(self.machine.tables, pool)
        self.machine.order = ahead
        return ahead

    def close(self) -> None:
        """Let go of machine and techniques, which hold each other: a ring of few objects and many megabytes, which
        the collector does not hurry to find. The result stays.
        """
        self._techniques.clear()
        self.machine.plugs = Plugs()
        self.machine.order = PassOrder()

    def count_first(self) -> None:
        """Count what draws cost in the first measured frame alone, where frames come one by one and phases do not
        overlap: enough to name what is dear, at a part of a frame's time.
        """
        self._counts_first = self.frames_at_once == 1 and self._overlapped is None

    def keep_drawings(self) -> None:
        """Let techniques draw every frame from now on."""
        for technique in self._techniques:
            technique.draws = True

    def drawings(self, frame: int) -> dict[str, str]:
        """What the techniques have drawn of a frame, by file name; it is handed out once."""
        return {name: text for technique in self._techniques for name, text in technique.drawings(frame).items()}

    def takes(self, trace: FrameTrace) -> bool:
        """Whether a frame is one of those that it models."""
        return self.frames is None or trace.frame in self.frames

    def feed(self, trace: FrameTrace) -> list[MachineFrame]:
        """Take the next frame; gives those that are done with it, in order: none, until as many are there as are
        rendered in parallel. Frames that warm up are not given.
        """
        if not self.takes(trace):
            return []
        if self._heir is not None and trace.role is FrameRole.MEASURED:
            self._heir.go_on_from(self)
            self._heir = None
        if self._overlapped is not None:
            self._check_size(trace)
            self._roles.append(trace.role)
            return self._take(self._overlapped.feed(trace))
        self._waiting.append(trace)
        return self.finish() if len(self._waiting) == self.frames_at_once else []

    def finish(self) -> list[MachineFrame]:
        """Run the frames that still wait for others, behind the last one."""
        if self._overlapped is not None:
            return self._take(self._overlapped.finish())
        traces = tuple(self._waiting)
        self._waiting.clear()
        for trace in traces:
            self._check_size(trace)
        return self._run(traces) if traces else []

    def _take(self, raws: list[MachineFrame]) -> list[MachineFrame]:
        """Take the figures of frames whose phases overlap; a technique's counters are those of the frames' interval."""
        out = []
        for raw in raws:
            now = self._own_counters(0)
            own = {name: value - self._counted.get(name, 0) for name, value in now.items()}
            self._counted = now
            self.result.frames.append(frame_result(self.machine.config, raw, own, self._extra))
            if self._roles.popleft() is not FrameRole.WARM_UP:
                out.append(raw)
        return out

    def _check_size(self, trace: FrameTrace) -> None:
        screen = self.machine.config.screen
        if not screen.scale_to_trace and (trace.width, trace.height) != (screen.width, screen.height):
            raise ConfigError(
                [f"screen is {screen.width}x{screen.height}, frame {trace.frame} is {trace.width}x{trace.height}"],
                hint="set screen.scale_to_trace=true",
            )

    def _run(self, traces: tuple[FrameTrace, ...]) -> list[MachineFrame]:
        """Run frames in parallel."""
        counts = self._counts_first and traces[0].role is FrameRole.MEASURED
        if counts:
            self.machine.count_costs(wanted=True)
        before = [self._own_counters(frame_index) for frame_index in range(self.frames_at_once)]
        raws = run_frames(self.machine, traces, self._handling)
        out: list[MachineFrame] = []
        for frame_index, (trace, raw) in enumerate(zip(traces, raws, strict=True)):
            counters = self._own_counters(frame_index).items()
            own = {name: value - before[frame_index].get(name, 0) for name, value in counters}
            self.result.frames.append(frame_result(self.machine.config, raw, own, self._extra))
            if trace.role is not FrameRole.WARM_UP:
                out.append(raw)
        if counts:
            self._counts_first = False
            self.machine.count_costs(wanted=False)
            done = self.result.frames[-1]
            self.result.first_costs, done.attribution = done.attribution, None
        return out

    def _own_counters(self, frame_index: int) -> dict[str, float]:
        return {
            name: value
            for technique in self._techniques
            for name, value in technique.read_frame_counters(frame_index).items()
        }


class _Handling(PassHandling):
    """Passes as techniques submit them, and their verification."""

    def __init__(self, techniques: Sequence[Technique], recomposer: Recomposer | None, keep: bool | KeepPass) -> None:
        self._techniques = techniques
        self.recomposer = recomposer
        self._keep = keep
        #: Targets of the first of two frames in parallel.
        self._targets: NDArray[np.uint64] | None = None
        #: Passes of the second one.
        self._waiting: list[tuple[FrameTrace, list[PassRun]]] = []

    def keeps(self, given: FrameTrace, done: PassRun) -> bool:
        """Whether somebody looks at the pass's log later."""
        return self._keep if isinstance(self._keep, bool) else self._keep(given, done)

    def submit(self, given: FrameTrace) -> FrameTrace:
        """Give the pass as it is submitted with the techniques."""
        for technique in self._techniques:
            given = technique.prepare(given)
        return given

    def finish(self, frame_index: int, given: FrameTrace, runs: list[PassRun]) -> None:
        """Verify the pass.

        Frames in parallel begin with nothing of each other's targets: where both draw into the same ones pass by pass,
        what stays is the second one's either way; else that one waits for the end of the first one.
        """
        if self.recomposer is None:
            return
        targets = given["passes"]["color_address"]
        if frame_index == 0:
            self._targets = targets
        elif self._targets is None or not np.array_equal(self._targets, targets):
            self._waiting.append((given, runs))
            return
        self.recomposer.add(given, runs)

    def end_frame(self, frame_index: int, frame: FrameTrace) -> None:
        """Show the frame."""
        if self.recomposer is None:
            return
        if frame_index == 1:
            for given, runs in self._waiting:
                self.recomposer.add(given, runs)
            self._waiting.clear()
        self.recomposer.end_frame(frame.rule)


def run_all(
    frames: Iterable[FrameTrace], runs: Sequence[Run], *, threads: int = 1
) -> Iterator[tuple[FrameTrace, list[MachineFrame]]]:
    """Feed each frame to several runs and give its raw figures, one a run: one functional pass serves all of them.

    Frames that warm up are run and not given.

    Parameters
    ----------
    frames : from a replay, which goes on with the next frame while this one is modelled, or from a file
    runs : each keeps its results
    threads : runs at work at a time, and passes that are arranged ahead; results do not depend on it
    """
    done = _Done(len(runs))
    if threads == 1:
        share_passes(runs)
        for trace in frames:
            yield from done.add([one.feed(trace) for one in runs], trace)
        yield from done.add([one.finish() for one in runs])
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: tuple[FrameTrace, list[Future[list[MachineFrame]]]] | None = None
        # As many runs as threads leave nothing to do beside them.
        ahead = [one.work_ahead(pool) for one in runs] if len(runs) < threads else []
        try:
            for trace in frames:
                for each, one in zip(ahead, runs, strict=False):
                    if each is not None and one.takes(trace):
                        each.expect(trace)
                if waiting is not None:
                    yield from done.add([future.result() for future in waiting[1]], waiting[0])
                waiting = trace, [pool.submit(one.feed, trace) for one in runs]
            if waiting is not None:
                yield from done.add([future.result() for future in waiting[1]], waiting[0])
            yield from done.add([future.result() for future in [pool.submit(one.finish) for one in runs]])
        except BaseException:
            # Nobody waits for the end of what threads are at.
            for one in runs:
                one.machine.stop()
            raise


class _Done:
    """Frames that some runs are done with and others not yet."""

    def __init__(self, count: int) -> None:
        self._traces: deque[FrameTrace] = deque()
        self._raws: list[deque[MachineFrame]] = [deque() for _ in range(count)]

    def add(
        self, raws: Sequence[list[MachineFrame]], trace: FrameTrace | None = None
    ) -> Iterator[tuple[FrameTrace, list[MachineFrame]]]:
        """Take the next frame and what each run has finished; gives the frames that all are done with."""
        if trace is not None and trace.role is not FrameRole.WARM_UP:
            self._traces.append(trace)
        for waiting, finished in zip(self._raws, raws, strict=True):
            waiting.extend(finished)
        while self._traces and all(self._raws):
            yield self._traces.popleft(), [waiting.popleft() for waiting in self._raws]


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
    try:
        for trace, (raw,) in run_all(frames, [one]):
            if observe is not None:
                observe(trace, raw)
    finally:
        one.close()
    return one.result
