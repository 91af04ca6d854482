"""A run: every benchmark warmed up, counted and timed, in an order that a seed shuffles, kept as soon as it is done."""

from __future__ import annotations

import hashlib
import inspect
import json
import random
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from .device import Device, host_facts, sensors
from .families import FAMILIES, Draw
from .meters import meters_of, timer_of
from .results import FORMAT, VERSION, ResultsError
from .stage import Stage, Unsupported
from .table import BENCHMARKS, Benchmark, twin_benchmarks

__all__ = ["FRAMES_EACH", "Plan", "Run", "chosen", "draw_once_each", "program_of"]

#: Frames that ``draw_once_each`` makes of a benchmark: its preparation, a warm-up, the one that is measured.
FRAMES_EACH: Final = 3
_MOST_LOOPS: Final = 256
#: Digits of what a program is known by.
_PROGRAM_DIGITS: Final = 16


@dataclass(frozen=True)
class Plan:
    """How to measure.

    Parameters
    ----------
    names : benchmarks
    seed : of the order
    repeats : timed samples of a benchmark
    sample_ms : a sample draws so often that it takes this long on the host
    seconds : the run ends before the benchmark that would begin after so long
    """

    names: tuple[str, ...]
    seed: int
    repeats: int = 10
    sample_ms: float = 20.0
    seconds: float = 900.0


def chosen(names: tuple[str, ...] = ()) -> dict[str, Benchmark]:
    """Benchmarks by name: those that are named, a family's for its name, or all.

    Raises
    ------
    ResultsError : there is none of a name
    """
    known = {**BENCHMARKS, **twin_benchmarks()}
    if not names:
        return known
    found: dict[str, Benchmark] = {}
    for name in names:
        of = {key: one for key, one in known.items() if name in (key, one.family)}
        if not of:
            raise ResultsError(f"there is no benchmark {name!r}; `list` names all")
        found |= of
    return found


def draw_once_each(device: Device, names: tuple[str, ...]) -> None:
    """Draw each benchmark as it is measured, :data:`FRAMES_EACH` frames that ``glFinish`` ends: for a capture.

    Raises
    ------
    Unsupported : the device cannot draw one
    """
    for name, one in chosen(names).items():
        with closing(Stage(device.gl)) as stage:
            draw = _prepared(device, stage, one)
            for _ in range(FRAMES_EACH - 1):
                draw()
                device.gl.glFinish()
            _refuse_errors(device, name)


def _prepared(device: Device, stage: Stage, one: Benchmark) -> Draw:
    draw = FAMILIES[one.family](stage, **one.parameters)
    device.gl.glFinish()
    _refuse_errors(device, "the preparation")
    return draw


def _refuse_errors(device: Device, what: str) -> None:
    error = device.error()
    if error:
        raise Unsupported(f"{what} ends with the GL error {error:#06x}")


class Run:
    """A run that goes on where an earlier one stopped.

    Parameters
    ----------
    device : to measure
    plan : how
    before : document of the earlier one, or None
    save : keeps the document; called after each benchmark

    Raises
    ------
    ResultsError : the earlier one was another run
    """

    def __init__(
        self, device: Device, plan: Plan, before: dict[str, Any] | None, save: Callable[[dict[str, Any]], None]
    ) -> None:
        self._device, self._plan, self._save = device, plan, save
        self._benchmarks = chosen(plan.names)
        self._timer, no_timer = timer_of(device)
        self._meters, lacking = meters_of(device)
        self._lacking = [{"what": what, "reason": why} for what, why in lacking]
        if no_timer:
            self._lacking.append({"what": "timer query", "reason": no_timer})
        if not any(one.family == "twin" for one in self._benchmarks.values()) and not plan.names:
            self._lacking.append({"what": "twins", "reason": "samples/twins is not beside the kit"})
        counters = [asdict(counter) for meter in self._meters for counter in meter.counters]
        self.document: dict[str, Any] = {
            "format": FORMAT, "version": VERSION,
            "device": device.facts(), "host": host_facts(),
            "run": {**asdict(plan), "names": sorted(self._benchmarks), "programs_sha256": _identity(self._benchmarks)},
            "counters": counters, "benchmarks": {}, "missing": list(self._lacking),
        }  # fmt: skip
        if before is not None:
            self._go_on(before)

    def _go_on(self, before: Mapping[str, Any]) -> None:
        own = json.loads(json.dumps(self.document))
        for key in ("device", "run", "counters"):
            kept = {k: v for k, v in before[key].items() if k != "seconds"} if key == "run" else before[key]
            mine = {k: v for k, v in own[key].items() if k != "seconds"} if key == "run" else own[key]
            if kept != mine:
                raise ResultsError(f"the file holds another run: its {key} differ; name another file")
        self.document["benchmarks"] = dict(before["benchmarks"])

    @property
    def order(self) -> list[str]:
        """All benchmarks in the order of the seed."""
        names = sorted(self._benchmarks)
        random.Random(self._plan.seed).shuffle(names)
        return names

    def measure(self, tell: Callable[[str], None]) -> None:
        """Measure what is not there yet; each is kept as soon as it is done."""
        end = time.monotonic() + self._plan.seconds
        todo = [name for name in self.order if name not in self.document["benchmarks"]]
        self.document["missing"] = list(self._lacking)
        for place, name in enumerate(todo):
            if time.monotonic() > end:
                late = f"no time was left after {self._plan.seconds:g} s; the same command goes on"
                self.document["missing"] += [{"what": one, "reason": late} for one in todo[place:]]
                break
            tell(f"{place + 1}/{len(todo)} {name}")
            try:
                self.document["benchmarks"][name] = self._measured(self._benchmarks[name])
            except Unsupported as error:
                self.document["missing"].append({"what": name, "reason": str(error)})
            self._save(self.document)
        self._save(self.document)

    def _measured(self, one: Benchmark) -> dict[str, Any]:
        device, before = self._device, sensors()
        with ExitStack() as stack:
            stage = stack.enter_context(closing(Stage(device.gl)))
            draw = _prepared(device, stage, one)
            for _ in range(2):
                draw()
            device.gl.glFinish()
            _refuse_errors(device, "the first draw")
            counters = self._counted(draw)
            loops = self._loops(draw)
            times, host = [], []
            for _ in range(self._plan.repeats):
                gpu_ns, host_ns = self._timed(draw, loops)
                host.append(host_ns)
                times += [] if gpu_ns is None else [gpu_ns]
        return {
            "family": one.family, "parameters": dict(one.parameters), "program": program_of(one),
            "identifies": one.identifies, "loops": loops,
            "times_from": "host" if self._timer is None else "timer query",
            "times_ns": times, "host_ns": host, "counters": counters, "sensors": [before, sensors()],
        }  # fmt: skip

    def _counted(self, draw: Draw) -> dict[str, list[float]]:
        """Counters of one drawing, twice."""
        found: dict[str, list[float]] = {}
        for meter in self._meters:
            for _ in range(2):
                meter.begin()
                draw()
                meter.end()
                self._device.gl.glFinish()
                for name, value in meter.read().items():
                    found.setdefault(name, []).append(value)
        return found

    def _loops(self, draw: Draw) -> int:
        loops = 1
        while loops < _MOST_LOOPS and self._timed(draw, loops)[1] < 1e6 * self._plan.sample_ms:
            loops *= 2
        return loops

    def _timed(self, draw: Draw, loops: int) -> tuple[int | None, int]:
        """Nanoseconds of the GPU, None where it has no timer or was disturbed, and of the host."""
        gl, timer = self._device.gl, self._timer
        gl.glFinish()
        begin = time.perf_counter_ns()
        if timer is not None:
            timer.begin()
        for _ in range(loops):
            draw()
            # A pass of its own: tile-based GPUs would join what is drawn into the same target.
            gl.glFlush()
        if timer is not None:
            timer.end()
        gl.glFinish()
        passed = time.perf_counter_ns() - begin
        return (None if timer is None else timer.read()), passed

    def close(self) -> None:
        """Let go of the meters."""
        for meter in self._meters:
            meter.close()


def _identity(benchmarks: Mapping[str, Benchmark]) -> str:
    """Tells whether two runs drew the same programs."""
    text = json.dumps([[one.name, program_of(one)] for one in benchmarks.values()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def program_of(benchmark: Benchmark) -> str:
    """Tells whether two versions of the kit draw the same: of the parameters and the sources that draw."""
    digest = hashlib.sha256(json.dumps(dict(benchmark.parameters), sort_keys=True).encode())
    digest.update(inspect.getsource(FAMILIES[benchmark.family]).encode())
    here = Path(__file__).resolve().parent
    sources = [here / "stage.py"]
    if benchmark.family == "twin":
        twins = here.parent / "twins"
        sources += [*sorted(twins.rglob("*.py")), twins / "recipes" / f"{benchmark.parameters['alias']}.toml"]
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:_PROGRAM_DIGITS]
