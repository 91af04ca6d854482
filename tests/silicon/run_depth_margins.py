"""Samples that pass on a device and in ours, beside fragments whose depth is within a step or two of what lies there.

    python tests/silicon/run_depth_margins.py RESULTS.json [--steps 2]

Where two surfaces meet, the last bits of a depth say which one is seen, and OpenGL leaves them open. If that is all
that a difference comes from, it is no larger than the fragments that come so near; exit status 1 where one is.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numba
import numpy as np

from gpureplay.silicon.modelled import capture_programs, measured_frame, our_benchmarks
from gpureplay.sources import open_source
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace
from traceformat.gputrace.passes import passes_of

_ALWAYS, _LESS, _LEQUAL, _GREATER, _GEQUAL, _EQUAL = (
    gl.GL_ALWAYS, gl.GL_LESS, gl.GL_LEQUAL, gl.GL_GREATER, gl.GL_GEQUAL, gl.GL_EQUAL,
)  # fmt: skip


@numba.njit
def _draw(buffer: Any, x: Any, y: Any, covered: Any, depth: Any, function: int, writes: bool, steps: int) -> Any:
    """Fragments that pass, and those within so many steps of the depth that they find."""
    passed = near = 0
    for quad in range(len(x)):
        for lane in range(4):
            if not covered[quad] >> lane & 1:
                continue
            row, column, new = 2 * y[quad] + (lane >> 1), 2 * x[quad] + (lane & 1), np.int64(depth[quad, lane])
            old = buffer[row, column]
            near += function != _ALWAYS and abs(new - old) <= steps
            if (
                function == _ALWAYS
                or (function == _LESS and new < old)
                or (function == _LEQUAL and new <= old)
                or (function == _GREATER and new > old)
                or (function == _GEQUAL and new >= old)
                or (function == _EQUAL and new == old)
            ):
                passed += 1
                if writes:
                    buffer[row, column] = new
    return passed, near


def _judged(frame: FrameTrace, steps: int) -> tuple[int, int]:
    """Fragments of a frame that pass, and those that come near."""
    total = np.zeros(2, np.int64)
    passes = frame["passes"]
    for number, part in enumerate(passes_of(frame)):
        shape = passes["height"][number] + 1, passes["width"][number] + 1
        buffer = np.full(shape, int(passes["clear_depth"][number]), np.int64)
        draws, quads = part["draws"], part["quads"]
        first = int(passes["draw_first"][number])
        for draw in range(first, first + int(passes["draw_count"][number])):
            rows = slice(int(draws["quad_first"][draw]), int(draws["quad_first"][draw] + draws["quad_count"][draw]))
            covered = quads["coverage"][rows] & quads["survives"][rows]
            function = int(draws["depth_func"][draw]) if draws["depth_test"][draw] else int(_ALWAYS)
            place = quads["x"][rows], quads["y"][rows]
            writes = bool(draws["depth_write"][draw])
            total += _draw(buffer, *place, covered, quads["depth"][rows], function, writes, steps)
    return int(total[0]), int(total[1])


def main() -> int:
    """Judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--steps", type=int, default=2)
    given = parser.parse_args()
    document = json.loads(given.results.read_text())
    names, wrong = our_benchmarks(document), 0
    wanted = {measured_frame(place): name for place, name in enumerate(names)}
    print(f"{'':22}{'theirs':>12}{'ours':>12}{'differ':>8}  within {given.steps} steps")
    with TemporaryDirectory() as folder:
        trace = Path(folder) / "kit.gltrace"
        capture_programs(names, trace)
        with open_source(str(trace), None, 1) as source:
            for frame in source.frames:
                name = wanted.get(frame.frame)
                if name is None:
                    continue
                passed, near = _judged(frame, given.steps)
                theirs = int(document["benchmarks"][name]["counters"]["occlusion/samples_passed"][0])
                wrong += abs(theirs - passed) > near
                print(f"{name:22}{theirs:12,}{passed:12,}{theirs - passed:8,}{near:8,}", flush=True)
    print(f"{wrong} differ by more")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
