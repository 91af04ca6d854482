"""What ``--verify`` costs: processor time and peak memory of ``gpureplay run`` with it and without it, in turn.

    python benchmarks/bench_verify.py TRACE.gltrace... [--frames 4] [--repeat 3] [--technique re]

Each run is a process of its own; a first one, which is not counted, fills the cache of kernels. Medians.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

_CODE = "from gpumodel.cli import main; main()"


def cost(arguments: list[str]) -> tuple[float, float]:
    """Processor seconds and peak memory (MB) of a command."""
    child = subprocess.Popen(
        [sys.executable, "-c", _CODE, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"gpureplay {' '.join(arguments)}: status {child.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="What --verify costs.")
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--frames", type=int, default=4, help="of each trace, from the first one")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--technique", default="re")
    options = parser.parse_args()
    print("| trace | s | with | ratio | MB | with | ratio |\n|---|--:|--:|--:|--:|--:|--:|")
    for path in options.traces:
        plain = ["run", str(path), "--frames", f"0-{options.frames - 1}", "-t", options.technique]
        cost([*plain, "--verify"])
        pairs = [(cost(plain), cost([*plain, "--verify"])) for _ in range(options.repeat)]
        seconds = [median(pair[side][0] for pair in pairs) for side in (0, 1)]
        held = [median(pair[side][1] for pair in pairs) for side in (0, 1)]
        times = f"{seconds[0]:.1f} | {seconds[1]:.1f} | {seconds[1] / seconds[0]:.2f}"
        print(f"| `{path.stem}` | {times} | {held[0]:.0f} | {held[1]:.0f} | {held[1] / held[0]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
