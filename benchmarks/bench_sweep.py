"""What the engine of studies costs: a sweep against the same runs by hand, in processor time.

    python benchmarks/bench_sweep.py [--frames 4] [--size 640x400] [--workers 2]

By hand is ``gpureplay.run`` with all configurations, trace by trace. Engine is what a sweep in this process spends
outside of replaying and of making and feeding machines, as a share of these. Processor time leaves out what other
programs do to this machine meanwhile; that of workers includes their start and the loading of kernels, which no study
avoids.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gpureplay
from gpumodel import Run, load_config
from gpumodel.config.change import setting_texts
from gpureplay.capturing import capture_sample
from replay.player import PlayedFrames

SAMPLES = ("city", "forest", "materials")
SIZES = ("64K", "128K", "256K")
TECHNIQUES = ("vro",)
#: What a sweep is for.
_WORK = ((Run, "__init__"), (Run, "feed"), (Run, "finish"), (PlayedFrames, "__next__"))
SET = {"screen.scale_to_trace": True}


def _by_hand(traces: list[Path]) -> None:
    for trace in traces:
        values = [{**SET, "caches.l2.size_bytes": size} for size in SIZES]
        machines = [load_config("mali450-vro", setting_texts(one)) for one in values]
        gpureplay.run(trace, machines, techniques=TECHNIQUES)


class _Work:
    """Processor time in replaying and in machines, while it is open."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Count the time of a function, once where such functions call each other."""

        def call(*given: Any, **named: Any) -> Any:
            self._depth += 1
            began = time.process_time()
            try:
                return function(*given, **named)
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self.seconds += time.process_time() - began

        return call

    def __enter__(self) -> _Work:
        self._before = {(owner, name): getattr(owner, name) for owner, name in _WORK}
        for (owner, name), function in self._before.items():
            setattr(owner, name, self.timed(function))
        return self

    def __exit__(self, *_: object) -> None:
        for (owner, name), function in self._before.items():
            setattr(owner, name, function)


def _seconds(work: Callable[[], object], who: int = resource.RUSAGE_SELF) -> float:
    before = resource.getrusage(who)
    work()
    after = resource.getrusage(who)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=4)
    parser.add_argument("--size", default="640x400")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        traces = [folder / f"{sample}.gltrace" for sample in SAMPLES]
        for sample, trace in zip(SAMPLES, traces, strict=True):
            capture_sample(sample, trace, frames=given.frames, size=given.size)
        study = {
            "traces": [str(trace) for trace in traces], "set": SET, "grid": {"caches.l2.size_bytes": list(SIZES)},
            "techniques": list(TECHNIQUES),
        }  # fmt: skip

        def sweep(workers: int) -> None:
            gpureplay.sweep(study, folder / "out", store=folder / "store", fresh=True, workers=workers)

        _by_hand(traces[:1])
        sweep(0)
        ratios = []
        for _ in range(given.rounds):
            hand = _seconds(lambda: _by_hand(traces))
            with _Work() as work:
                swept = _seconds(lambda: sweep(0))
            ratios.append(swept / hand)
            print(
                f"by hand {hand:.2f} s, swept in this process {swept:.2f} s: {swept / hand - 1:+.1%}; "
                f"engine {(swept - work.seconds) / work.seconds:.1%} of the work",
                flush=True,
            )
        print(f"median {sorted(ratios)[len(ratios) // 2] - 1:+.1%}")
        began = time.perf_counter()
        children = [0.0]
        own = _seconds(lambda: children.append(_seconds(lambda: sweep(given.workers), resource.RUSAGE_CHILDREN)))
        print(
            f"by {given.workers} workers: client {own:.2f} s, workers {children[-1]:.2f} s of processor time, "
            f"{time.perf_counter() - began:.1f} s of time; client {own / children[-1]:.1%} of the work"
        )


if __name__ == "__main__":
    main()
