"""What whole commands hold of memory, and that a limit on it ends them well.

usage: python tests/fuzz/run_memory.py [TRACE...] [--synthetic] [--frames 0-3] [--techniques re te memo zprepass]
                                       [--most 2G] [--limits 1G 512M 256M] [--timeline] [--report]

``gpureplay run -t A -t B -t C -t D --verify`` of each trace, in a process of its own whose peak of resident memory the
system tells; then once with each of the limits on ``process_memory``, under which it has to be done or to end with the
one line that names the limit: no signal, no traceback. ``--synthetic`` adds a trace whose first frame has 600 passes
and 25 million fragments, and may take three gigabytes. ``--timeline`` and ``--report`` make those outputs, too.
Exit status 1 when a peak is over the most, or a command ended otherwise.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
#: Says its own peak at its end: what the system tells of a process begins with the peak of the one that started it.
_START: Final = f"""
import sys
sys.path.insert(0, {str(_ROOT)!r})
import atexit
def peak(path):
    with open("/proc/self/status") as status, open(path, "w") as out:
        out.write(next(line.split()[1] for line in status if line.startswith("VmHWM")))
atexit.register(peak, sys.argv.pop(1))
from traceformat.start import gpureplay
gpureplay()
"""
_LIMIT_STATUS: Final = 3
_SYNTHETIC_BYTES: Final = 3 << 30
#: Of the GPU that the runs are on.
_CONFIG: Final = ("-c", "mali450-re", "--set", "screen.scale_to_trace=true")


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Parameters
    ----------
    status : exit status; the negative number of a signal
    peak_bytes : most resident memory
    """

    status: int
    peak_bytes: int
    seconds: float
    said: str

    def finding(self, limit: str | None) -> str:
        """What is wrong with the end under a limit on process_memory, or without one; "" where nothing is."""
        if self.status == 0:
            return ""
        if limit is not None and self.status == _LIMIT_STATUS and "limit process_memory=" in self.said:
            lines = [line for line in self.said.splitlines() if line.strip()]
            return "" if len(lines) == 1 else f"{len(lines)} lines: {self.said[-500:]}"
        return f"status {self.status}: {self.said[-500:]}"


def ended(arguments: Sequence[str], limit: str | None = None) -> Ended:
    """Run ``gpureplay`` with arguments; under a limit on process_memory, where one is given."""
    environment = {**os.environ, "GPUREPLAY_PROGRESS": "0"}
    if limit is not None:
        environment["GPUREPLAY_LIMITS"] = f"process_memory={limit}"
    begin = time.monotonic()
    with tempfile.TemporaryFile() as said, tempfile.NamedTemporaryFile() as peak:
        process = subprocess.Popen(
            [sys.executable, "-c", _START, peak.name, *arguments], stdout=subprocess.DEVNULL, stderr=said,
            env=environment,
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read().decode(errors="replace")
        kib = int(peak.read() or usage.ru_maxrss)
    return Ended(process.returncode, kib << 10, time.monotonic() - begin, text)


def findings(trace: Path, commands: dict[str, list[str]], limits: Sequence[str], most: int) -> list[str]:
    """Run the commands of a trace, each without a limit and with each of them; prints a row of each. Gives findings."""
    found = []
    for name, arguments in commands.items():
        print(f"| {trace.stem} | {name} |", end="", flush=True)
        for limit in (None, *limits):
            one = ended(arguments, limit)
            wrong = one.finding(limit)
            if limit is None and one.peak_bytes > most:
                wrong = wrong or f"{one.peak_bytes} bytes, more than {most}"
            if wrong:
                found.append(f"{trace.stem} {name}{f' under {limit}' if limit else ''}: {wrong}")
            done = "FINDING" if wrong else "done" if one.status == 0 else "limit"
            cell = f"{one.peak_bytes / 1e6:.0f} MB" + (f" {done}" if limit or wrong else f" {one.seconds:.0f} s")
            print(f" {cell} |", end="", flush=True)
        print()
    return found


def bytes_of(text: str) -> int:
    """Number of a text such as 512M or 2G."""
    parts = re.fullmatch(r"(\d+)([MG])", text)
    if parts is None:
        raise argparse.ArgumentTypeError(f"{text}: such as 512M or 2G")
    return int(parts[1]) << {"M": 20, "G": 30}[parts[2]]


def commands_of(trace: Path, options: argparse.Namespace, scratch: Path) -> dict[str, list[str]]:
    """Arguments of the commands that are run, by name."""
    base = [str(trace), *_CONFIG, "--frames", options.frames]
    techniques = [word for technique in options.techniques for word in ("-t", technique)]
    commands = {"run": ["run", *base, *techniques, "--verify"]}
    if options.timeline:
        commands["timeline"] = ["run", *base, "-t", "re", "-t", "zprepass", "--timeline", str(scratch / "out.pftrace")]
    if options.report:
        commands["report"] = ["report", *base, *techniques, "-o", str(scratch / "out.html")]
    return commands


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="What whole commands hold of memory.")
    parser.add_argument("traces", nargs="*", type=Path)
    parser.add_argument("--synthetic", action="store_true", help="a frame of 600 passes, 25 million fragments, too")
    parser.add_argument("--frames", default="0-3")
    parser.add_argument("--techniques", nargs="*", default=["re", "te", "memo", "zprepass"])
    parser.add_argument("--most", type=bytes_of, default="2G", help="that a command may hold")
    parser.add_argument("--limits", nargs="*", default=["1G", "512M", "256M"])
    parser.add_argument("--timeline", action="store_true", help="run with --timeline, too")
    parser.add_argument("--report", action="store_true", help="gpureplay report, too")
    options = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    print(f"| trace | command | peak | {' | '.join(options.limits)} |\n|---|---|{'--:|' * (1 + len(options.limits))}")
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        for trace in options.traces:
            commands = commands_of(trace, options, Path(scratch))
            found += findings(trace, commands, options.limits, options.most)
        if options.synthetic:
            from many_passes import write_many_passes

            trace = Path(scratch) / "synthetic.gltrace"
            write_many_passes(trace)
            commands = commands_of(trace, options, Path(scratch))
            found += findings(trace, commands, options.limits, _SYNTHETIC_BYTES)
    print(*found, f"{len(found)} findings", sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
