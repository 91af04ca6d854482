"""How soon a run begins that is asked for late frames of a long trace.

usage: python tests/fuzz/run_late_frames.py [--frames 20000] [--asked 15000] [--trace FILE] [--most 10]

Writes a trace of so many frames (``tests/support/long_trace.py``), has ``gputrace repack`` put the index of state into
it, and times ``gpureplay run --frames ASKED``, whose modelling of that small frame is in the time, in a process of its
own. ``--trace`` names such a trace, made where it is not there. Exit status 1 when a run takes longer than ``--most``
seconds or fails.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]


def command(program: str, *arguments: str) -> tuple[float, str]:
    """Run one of the commands; gives its seconds, and what was wrong."""
    code = f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from traceformat.start import {program}; {program}()"
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    said = f"status {done.returncode}: {done.stderr[-1000:]}" if done.returncode else ""
    return time.monotonic() - begin, said


def make(trace: Path, frames: int) -> str:
    """Write the trace with its index of state; gives what was wrong."""
    from long_trace import write_long_trace

    plain = trace.with_suffix(".plain.gltrace")
    write_long_trace(plain, frames)
    _, wrong = command("gputrace", "repack", str(plain), "-o", str(trace))
    plain.unlink()
    return wrong


def begin_seconds(trace: Path, asked: int) -> tuple[float, str]:
    """Seconds of a run of one frame; what was wrong."""
    return command("gpureplay", "run", str(trace), "--frames", str(asked), "--set", "screen.scale_to_trace=true")


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="How soon a run of late frames begins.")
    parser.add_argument("--frames", type=int, default=20_000)
    parser.add_argument("--asked", type=int, default=15_000)
    parser.add_argument("--trace", type=Path)
    parser.add_argument("--most", type=float, default=10.0, help="seconds that a run may take")
    options = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    with tempfile.TemporaryDirectory() as scratch:
        trace = options.trace or Path(scratch) / "long.gltrace"
        wrong = "" if trace.exists() else make(trace, options.frames)
        for asked in (0, options.asked):
            if wrong:
                break
            seconds, wrong = begin_seconds(trace, asked)
            print(f"frame {asked} of {options.frames}: {seconds:.1f} s", flush=True)
            if seconds > options.most:
                wrong = wrong or f"frame {asked}: {seconds:.1f} s, more than {options.most}"
    print(wrong or "in time")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
