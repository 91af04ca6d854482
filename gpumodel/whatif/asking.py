"""Runs frames before and with changes, side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import islice
from typing import Any

from gpumodel.attribution.judging import frame_cycles
from gpumodel.compare.pictures import Picture, kept_picture, picture_difference
from gpumodel.config import load_config, preset_names
from gpumodel.config.change import changed
from gpumodel.config.schema import GpuConfig
from gpumodel.results import FrameResult
from gpumodel.run_plan import RunPlan
from gpumodel.runs import Run
from gpumodel.silicon import UNMEASURED_DEVICES
from gpumodel.whatif.kinds import Change, Pixels
from gpumodel.whatif.outcome import Answer, Elsewhere, Figures, PictureChange, sign
from gpumodel.whatif.past import Past
from gpumodel.whatif.scene import Scene
from traceformat.errors import UsageError
from traceformat.gputrace.frametrace import FrameRole, FrameTrace

__all__ = ["Baseline", "FrameChanges", "Replayed", "other_machines"]

_MEMORIES = ("paper", "dram")
#: Names that an error lists, and that it looks for the nearest in.
_OFFERED, _SEARCHED = 5, 2000


def other_machines(config: GpuConfig, *, both_memories: bool) -> list[GpuConfig]:
    """Every preset of a paper, with both memories or with that of the machine, but the machine itself."""
    presets = [load_config(name) for name in preset_names() if name not in UNMEASURED_DEVICES]
    modes = _MEMORIES if both_memories else (config.memory.mode,)
    out = [changed(preset, {"memory.mode": mode}) for preset in presets for mode in modes]
    return [one for one in out if (one.name, one.memory.mode) != (config.name, config.memory.mode)]


class Baseline:
    """The frames as they are: measured, and by the machines elsewhere where a change asks for it.

    Frames that warm up are modelled once, and unchanged: all runs go on from where they end.

    Parameters
    ----------
    machines : the others, see :func:`other_machines`
    keeps_pictures : keep the pictures of measured frames
    verify : changes compare pixels
    advice : ask the others about these changes only, where they save something; None = about all
    threads : frames in work at a time; answers do not depend on it
    past : what the frames that warm up have left, where they have been modelled already
    """

    def __init__(
        self, plan: RunPlan, asked: range, machines: Sequence[GpuConfig], *, keeps_pictures: bool,
        verify: bool, advice: Collection[Change] | None = None, threads: int = 1, past: Past | None = None,
    ) -> None:  # fmt: skip
        (self.run,) = plan.runs(asked)
        ((gpu, _),) = plan.wanted
        self._past = past or Past(gpu, pictures=verify)
        self._has_past = past is not None
        self.machines = machines
        self._advice = advice
        self._threads = threads
        self.pictures: dict[int, Picture] = {}
        self.first: tuple[int, list[int]] | None = None
        self._keeps = keeps_pictures
        self._known: tuple[int, list[int]] = (-1, [])
        #: Figures of the measured frames, where somebody has modelled them already.
        self.given: list[FrameResult] = []

    @property
    def runs(self) -> list[Run]:
        """To be closed."""
        return [self.run, self._past.run]

    def feed(self, trace: FrameTrace) -> None:
        """Take the next frame."""
        if trace.role is not FrameRole.MEASURED:
            self._past.feed(trace)
            self._has_past = True
            return
        if self.given:
            self.run.result.frames.append(self.given.pop(0))
        else:
            self.begin(self.run)
            self.run.feed(trace)
        if self._keeps:
            if self.first is None:
                self.first = trace.frame, self.elsewhere(trace)
            if trace.picture is not None:
                self.pictures[trace.frame] = kept_picture(trace.picture)

    def begin(self, run: Run) -> None:
        """Let a run that has modelled nothing go on from the frames that warm up."""
        if not run.result.frames and self._has_past:
            self._past.begin(run)

    def elsewhere(self, trace: FrameTrace) -> list[int]:
        """Cycles of the frame on each of the other machines."""
        if self._known[0] != trace.frame:
            self._known = trace.frame, self.cycles([trace])[0]
        return self._known[1]

    def cycles(self, traces: Sequence[FrameTrace]) -> list[list[int]]:
        """Cycles of each frame on each of the other machines."""
        work = [(machine, trace) for trace in traces for machine in self.machines]
        done = self.in_parallel(lambda each: frame_cycles(*each), work)
        count = len(self.machines)
        return [done[k * count : (k + 1) * count] for k in range(len(traces))]

    def in_parallel(self, function: Callable[[Any], Any], over: Sequence[Any]) -> list[Any]:
        """Call the function for each, some at a time."""
        if self._threads == 1:
            return [function(each) for each in over]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(function, over))

    def asks_others(self, change: Change, after: FrameResult) -> bool:
        """Whether the others are asked about a change of a frame."""
        if self._advice is None:
            return True
        before = self.run.result.frame(after.frame).cycles
        return change in self._advice and sign(1 - after.cycles / max(before, 1)) > 0

    def compared(self, before: Iterable[int], after: Iterable[int]) -> list[Elsewhere]:
        """A frame on the other machines: cycles as it is and changed."""
        return [
            Elsewhere(machine.name, machine.memory.mode, *cycles)
            for machine, *cycles in zip(self.machines, before, after, strict=True)
        ]


@dataclass(slots=True)
class _Asked:
    """A change that is being answered."""

    change: Change
    run: Run
    frames: int = 0
    is_there: bool = False
    elsewhere: list[Elsewhere] = field(default_factory=list)


class FrameChanges:
    """Changes that are made in the frames of one replay.

    Parameters
    ----------
    pictures : compose the changed pixels and compare them; frames need the columns for it
    """

    def __init__(
        self, plan: RunPlan, asked: range, changes: Sequence[Change], baseline: Baseline, *, pictures: bool
    ) -> None:
        self._baseline = baseline
        self._asked = []
        self._known: set[str] = set()
        for change in changes:
            verify = pictures and change.kind.pixels is Pixels.COMPOSED
            (run,) = replace(plan, verify=verify).runs(asked)
            self._asked.append(_Asked(change, run))

    @property
    def runs(self) -> list[Run]:
        """Of the changes, to be closed."""
        return [one.run for one in self._asked]

    def feed(self, trace: FrameTrace) -> None:
        """Take the next frame."""
        if trace.role is not FrameRole.MEASURED:
            return
        baseline, scene = self._baseline, Scene(trace)
        new: list[tuple[_Asked, FrameTrace]] = []
        frames: list[tuple[_Asked, FrameTrace]] = []
        for one in self._asked:
            found = one.change.kind.frame_change()(scene, one.change.target, one.change.value)
            one.is_there |= found is not None or scene.has(one.change.kind.what, one.change.target)
            if found is not None:
                if not one.frames:
                    new.append((one, found))
                one.frames += 1
            baseline.begin(one.run)
            frames.append((one, trace if found is None else found))
        baseline.in_parallel(lambda each: each[0].run.feed(each[1]), frames)
        tried = [
            (one, found) for one, found in new if baseline.asks_others(one.change, one.run.result.frame(trace.frame))
        ]
        if tried:
            before = baseline.elsewhere(trace)
            for (one, _), after in zip(tried, baseline.cycles([found for _, found in tried]), strict=True):
                one.elsewhere = baseline.compared(before, after)
        if not all(one.is_there for one in self._asked):
            self._known.update(islice(scene.known(), _SEARCHED))

    def answers(self) -> list[Answer]:
        """Answer, behind the last frame.

        Raises
        ------
        UsageError : a target that names nothing
        """
        before = Figures.of(self._baseline.run.result.measured)
        out = []
        for one in self._asked:
            one.run.finish()
            if not one.is_there:
                raise _nothing_named(one.change, sorted(self._known))
            after = Figures.of(one.run.result.measured)
            out.append(Answer(one.change, before, after, one.frames, self._picture(one), one.elsewhere))
        return out

    @staticmethod
    def _picture(one: _Asked) -> PictureChange:
        if not one.frames:
            return PictureChange(why="stays as it is")
        found = one.run.result.verification
        if one.change.kind.pixels is Pixels.UNKNOWN:
            return PictureChange(why="is not known")
        if found is None:
            return PictureChange(why="was not compared")
        return PictureChange(found.mismatched_pixels, found.pixels)


class Replayed:
    """A change for which the trace was rewritten: its frames come from a replay of their own."""

    def __init__(self, plan: RunPlan, asked: range, change: Change, baseline: Baseline) -> None:
        self._change = change
        self._baseline = baseline
        (self.run,) = plan.runs(asked)
        self._elsewhere: list[Elsewhere] = []
        self._differing = self._pixels = self._largest = self._squared = 0

    def feed(self, trace: FrameTrace) -> None:
        """Take the next frame."""
        self.run.feed(trace)
        if trace.role is not FrameRole.MEASURED:
            return
        first = self._baseline.first
        done = self.run.result.frame(trace.frame)
        if first is not None and first[0] == trace.frame and self._baseline.asks_others(self._change, done):
            (after,) = self._baseline.cycles([trace])
            self._elsewhere = self._baseline.compared(first[1], after)
        known = self._baseline.pictures.get(trace.frame)
        if known is not None and trace.picture is not None:
            self._pixels += known.shape[0] * known.shape[1]
            differs = picture_difference(known, kept_picture(trace.picture), (trace.frame, trace.frame))
            if differs is not None:
                self._differing += differs.pixels
                self._largest = -1 if -1 in (self._largest, differs.largest) else max(self._largest, differs.largest)
                self._squared += differs.squared

    @staticmethod
    def unchanged(change: Change, baseline: Baseline) -> Answer:
        """Answer where the rewriting has found nothing to change."""
        before = Figures.of(baseline.run.result.measured)
        return Answer(change, before, before, 0, PictureChange(why="stays as it is"))

    def answer(self) -> Answer:
        """Answer, behind the last frame."""
        self.run.finish()
        before, measured = Figures.of(self._baseline.run.result.measured), self.run.result.measured
        picture = PictureChange(self._differing, self._pixels, self._largest, "was not compared", self._squared)
        return Answer(self._change, before, Figures.of(measured), len(measured), picture, self._elsewhere)


def _nothing_named(change: Change, known: Sequence[str]) -> UsageError:
    near = get_close_matches(change.target, known, 1) or list(known[:_OFFERED])
    names = f", such as {', '.join(near)}" if near else ""
    return UsageError(
        f"{change.title}: nothing in these frames has that name", hint=f"gpureplay top names what there is{names}"
    )
