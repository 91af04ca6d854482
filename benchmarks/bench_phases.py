"""What the replay of a frame spends its time on, by phase: a table with a row a trace.

    python benchmarks/bench_phases.py [NAME ...] [--traces FOLDER] [--repeat 5]

One thread, full FrameTrace, frames behind the last one that links a program; processor time. What a call of compiled
code takes is divided among its phases by the processor's cycle counter: a few instructions stand before each function
that the engine calls by its address. ``FOLDER`` holds imported traces; without it the corpus is imported.

* calls: decoding, tracker, and all that Python does for draws
* vertex: fetch, vertex stage, reading positions
* setup: assembly, clipping, plane equations
* raster: primitives to quads
* shade: fragment stage, with sampling and lines made distinct
* tests, blend: depth, stencil; colours
* record: texture record to tables, numbers of paths, what else happens between stages
* pixels: clears, pictures, copies of targets at the end of passes
* frame: the tables of a frame
"""

import argparse
import itertools
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
PHASES = ("calls", "vertex", "setup", "raster", "shade", "tests", "blend", "record", "pixels", "frame")
#: Kernels by phase; run_draws and run_job call others.
KERNELS = {
    "RUN_DRAWS": "batch",
    "fetch": "vertex",
    "read_vertices": "vertex",
    "clip": "setup",
    "attributes": "setup",
    "planes": "setup",
    "RASTER": "raster",
    "RASTER_SAMPLES": "raster",
    "test_early": "job",
    "run_job": "job",
    "TEST_QUADS": "tests",
    "BLEND_QUADS": "blend",
    "SOURCE_COLORS": "blend",
}
_SLOTS = ("batch", "vertex", "setup", "raster", "shade", "tests", "blend", "job")
_TEXT = """
declare i64 @llvm.readcyclecounter()
define i64 @{name}(i64 %argument) {{
  %before = call i64 @llvm.readcyclecounter()
  %function = inttoptr i64 {address} to i64 (i64)*
  %result = call i64 %function(i64 %argument)
  %after = call i64 @llvm.readcyclecounter()
  %spent = sub i64 %after, %before
  %place = inttoptr i64 {place} to i64*
  %sum = load i64, i64* %place
  %more = add i64 %sum, %spent
  store i64 %more, i64* %place
  ret i64 %result
}}
"""


class Clock:
    """Cycles of compiled functions, seconds of Python's, by phase."""

    def __init__(self):
        import numpy as np

        self.cycles = np.zeros(len(_SLOTS), np.int64)
        self.seconds = Counter()
        #: In compiled code.
        self.compiled = 0.0
        self._loaded = []
        self._known = {}

    def timed(self, address, phase):
        """Address of a function that calls another one, and counts its cycles."""
        from replay.glsl.llvm.machine import compile_object, load_object
        from traceformat.native.records import address_of

        if not address or address in self._known.values():
            return address
        if address not in self._known:
            name = f"timed_{len(self._known)}"
            place = address_of(self.cycles) + 8 * _SLOTS.index(phase)
            text = _TEXT.format(name=name, address=address, place=place)
            self._loaded.append(load_object(compile_object(text), name, name))
            self._known[address] = int(self._loaded[-1].address)
        return self._known[address]

    def wrap(self, owner, name, phase):
        """Time a method, but for what other timed ones do within it."""
        method = getattr(owner, name)

        def call(*args, **named):
            start, before = time.thread_time(), sum(self.seconds.values()) + self.compiled
            try:
                return method(*args, **named)
            finally:
                inner = sum(self.seconds.values()) + self.compiled - before
                self.seconds[phase] += time.thread_time() - start - inner

        setattr(owner, name, call)

    def run(self, function):
        """A compiled function whose time is divided among phases."""

        def call(address):
            start = time.thread_time()
            try:
                return function(address)
            finally:
                self.compiled += time.thread_time() - start

        return call

    def clear(self):
        self.cycles[:] = 0
        self.compiled = 0.0
        self.seconds.clear()

    def phases(self, total):
        """Seconds of each phase of ``total``."""
        scale = self.compiled / max(int(self.cycles[0]), 1)
        found = {name: scale * int(count) for name, count in zip(_SLOTS, self.cycles, strict=True)}
        inner = ("shade", "tests", "blend")
        found["record"] = found["batch"] - sum(found[name] for name in ("vertex", "setup", "raster", *inner))
        found |= self.seconds
        found["calls"] = total - found["batch"] - sum(self.seconds.values())
        return {name: found.get(name, 0.0) for name in PHASES}


def install(clock):
    """Have everything timed."""
    from ctypes import CFUNCTYPE, c_int64

    from replay.engine import entries, merge_code
    from replay.engine.engine import Engine
    from replay.engine.passes import PassRecorder
    from replay.glsl.llvm.stage import LlvmStage

    found = {name: getattr(entries, name) for name in KERNELS if name.isupper()} | dict(entries.BATCH_KERNELS)
    for name, kernel in found.items():
        kernel.address = clock.timed(kernel.address, KERNELS[name])
        kernel.call = CFUNCTYPE(c_int64, c_int64)(kernel.address)
    entries.RUN_DRAWS.call = clock.run(entries.RUN_DRAWS.call)
    loaded = merge_code._loaded

    def merge(key):
        code = loaded(key)
        code.address = clock.timed(code.address, "tests" if isinstance(key, merge_code.TestKey) else "blend")
        return code

    merge_code._loaded = merge
    make = LlvmStage.__init__

    def init(own, ir, *rest, **named):
        make(own, ir, *rest, **named)
        own.address = clock.timed(own.address, "vertex" if ir.stage == "vertex" else "shade")

    LlvmStage.__init__ = init
    clock.wrap(PassRecorder, "_pixels", "pixels")
    for name in ("clear", "clear_buffer", "_picture"):
        if hasattr(Engine, name):
            clock.wrap(Engine, name, "pixels")
    clock.wrap(Engine, "end_frame", "frame")


def measure(path, repeat, clock):
    """Seconds of a frame, by phase: of each frame and phase the median of all runs."""
    from bench_corpus_replay import first_measured

    import replay
    from traceformat.gputrace.frametrace import MODEL_COLUMNS

    skip = first_measured(path)
    runs = {}
    for number in range(repeat + 1):
        with replay.frames(path, columns=MODEL_COLUMNS) as played:
            clock.clear()
            start, numbers = time.thread_time(), itertools.count()
            # Without enumerate(), which holds a frame until it has the next one.
            for frame in played:
                at = next(numbers)
                found = clock.phases(time.thread_time() - start)
                if number and at >= skip:
                    runs.setdefault(at, []).append(found)
                del frame
                clock.clear()
                start = time.thread_time()
    frames = runs.values()
    return {name: sum(median(run[name] for run in frame) for frame in frames) / len(frames) for name in PHASES}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    from bench_corpus_replay import SHARED

    folder = options.traces or SHARED / "corpus"
    paths = sorted(folder.glob("*.gltrace" if options.traces else "*.trace"))
    if not paths:
        print(f"no traces in {folder}; nothing measured")
        return
    clock = Clock()
    install(clock)
    print("| trace | ms a frame |" + "".join(f" {name} |" for name in PHASES))
    print("|---|---|" + "---|" * len(PHASES))
    shares = Counter()
    with tempfile.TemporaryDirectory() as name:
        for path in paths:
            if options.names and not any(path.stem.startswith(wanted) for wanted in options.names):
                continue
            if not options.traces:
                from capture.importers import import_trace

                imported = Path(name) / f"{path.stem}.gltrace"
                import_trace(path, imported)
                path = imported
            found = measure(path, options.repeat, clock)
            total = sum(found.values())
            for phase, seconds in found.items():
                shares[phase] += seconds / total
            row = "".join(f" {1e3 * found[phase]:.2f} |" for phase in PHASES)
            print(f"| {path.stem} | {1e3 * total:.2f} |{row}", flush=True)
    mean = "".join(f" {100 * shares[phase] / sum(shares.values()):.0f} % |" for phase in PHASES)
    print(f"| mean share | |{mean}")


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
    main()
