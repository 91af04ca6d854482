"""Many commands at once on one cache: all are right, whatever is killed meanwhile.

usage: python tests/fuzz/run_processes.py together [--cold 8] [--light 56] [--trace FILE]
       python tests/fuzz/run_processes.py killed [--processes 8] [--rounds 20] [--seed 1] [--trace FILE]
       python tests/fuzz/run_processes.py interrupted [--rounds 20] [--seed 1] [--trace FILE]

``together`` starts commands at once on a cold cache and one trace: so many ``gpureplay run`` and so many light ones; it
tells their peak memory. ``killed`` starts ``gpureplay run`` in so many processes on a cold cache, kills half of them at
random, starts as many again, and holds every result against the first. ``interrupted`` sends Ctrl-C to commands, and
to all that they have started, at random moments: they end without a word, and what they write is whole or not there.
Exit status 1 when something was not right.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_LIGHT: Final = (
    "gputrace info {}", "gputrace info --json {}", "gputrace dump {}", "gputrace validate {}", "gpureplay config list",
    "gpureplay config show mali450-vro", "gputrace dump --json {}",
)  # fmt: skip


#: Commands that Ctrl-C ends; they write ``out``.
INTERRUPTED: Final = (
    "gpureplay run {} -t re -t memo --threads 2 --json out", "gputrace repack {} -o out.gltrace",
    "gpureplay report {} -o out.html", "gputrace trim {} --frames 0 -o out.gltrace",
)  # fmt: skip
#: Seconds until one has ended: a call of compiled code is waited for.
_ENDING_SECONDS: Final = 20.0


@dataclass
class Started:
    """A command at work."""

    line: list[str]
    process: subprocess.Popen[bytes]
    output: Path

    def ended(self) -> str:
        """Wait for it; gives what was wrong."""
        status = self.process.wait()
        said = self.output.with_suffix(".err").read_text(errors="replace").strip()
        if status or "Traceback" in said:
            return f"{' '.join(self.line)}: status {status}: {said[-500:]}"
        return ""


def start(line: str, place: Path, cache: Path, number: int) -> Started:
    """Start a command; what it says goes into files, and one says that it has come to code of ours."""
    program, *arguments = line.split()
    ready = place / f"{number}.ready"
    code = f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from traceformat.start import {program}; "
    code += f"import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); open({str(ready)!r}, 'x'); {program}()"
    output = place / f"{number}.out"
    with output.open("wb") as out, output.with_suffix(".err").open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            cwd=place, stdout=out, stderr=errors, start_new_session=True,
            env={**os.environ, "GPUREPLAY_CACHE": str(cache), "GPUREPLAY_PROGRESS": "0"},
        )  # fmt: skip
    return Started([program, *arguments], process, output)


def _held_bytes(process: int) -> int:
    """Memory of a process that it shares in proportion."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


def _result(path: Path) -> str:
    """What a run found, without its command line, which names the file."""
    return json.dumps({**json.loads(path.read_text()), "command": None})


def together(trace: Path, place: Path, cold: int, light: int) -> tuple[list[str], dict[str, Any]]:
    """Start all at once; gives what was wrong, and figures."""
    begin = time.monotonic()
    commands = [start(f"gpureplay run {trace} --json {k}.json", place, place / "cache", k) for k in range(cold)]
    commands += [start(_LIGHT[k % len(_LIGHT)].format(trace), place, place / "cache", cold + k) for k in range(light)]
    peak = 0
    while any(one.process.poll() is None for one in commands):
        peak = max(peak, sum(_held_bytes(one.process.pid) for one in commands if one.process.poll() is None))
        time.sleep(0.5)
    wrong = [text for one in commands if (text := one.ended())]
    results = {_result(path) for k in range(cold) if (path := place / f"{k}.json").exists()}
    if len(results) != 1:
        wrong.append(f"{len(results)} different results of {cold} runs")
    same: dict[str, set[bytes]] = {}
    for one in commands[cold:]:
        same.setdefault(" ".join(one.line), set()).add(one.output.read_bytes())
    wrong += [f"{line}: {len(texts)} different outputs" for line, texts in same.items() if len(texts) != 1]
    return wrong, {"commands": len(commands), "peak_bytes": peak, "seconds": time.monotonic() - begin}


def killed(trace: Path, place: Path, processes: int, rounds: int, seed: int) -> list[str]:
    """Kill half of the commands at random, on a cold cache each round; gives what was wrong."""
    rng, wrong, results = random.Random(seed), [], set()
    for number in range(rounds):
        cache, folder = place / f"cache{number}", place / f"round{number}"
        folder.mkdir()
        line = f"gpureplay run {trace} --json {{}}.json"
        first = [start(line.format(k), folder, cache, k) for k in range(processes)]
        for one in rng.sample(first, processes // 2):
            time.sleep(rng.random() * 4)
            one.process.send_signal(signal.SIGKILL)
            one.process.wait()
        again = [start(line.format(k), folder, cache, k) for k in range(processes, processes + processes // 2)]
        for one in first + again:
            if one.process.wait() != -signal.SIGKILL:
                wrong += [text] if (text := one.ended()) else []
        results |= {_result(path) for path in folder.glob("*.json")}
        print(f"round {number}: {len(results)} results, {len(wrong)} wrong", file=sys.stderr, flush=True)
    return wrong + ([f"{len(results)} different results"] if len(results) != 1 else [])


def interrupted(trace: Path, place: Path, cache: Path, commands: Sequence[str], rounds: int, seed: int) -> list[str]:
    """Send Ctrl-C at random moments; gives what was wrong."""
    rng, wrong, seconds, whole = random.Random(seed), [], [0.0] * len(commands), [0] * len(commands)
    for number in range(-len(commands), rounds):
        which, folder = number % len(commands), place / f"interrupted{number}"
        folder.mkdir()
        one = start(commands[which].format(trace), folder, cache, 0)
        while not (folder / "0.ready").exists() and one.process.poll() is None:
            time.sleep(0.002)
        begin, moment = time.monotonic(), rng.random() * seconds[which]
        if number >= 0:
            time.sleep(moment)
            os.killpg(one.process.pid, signal.SIGINT)
        try:
            status = one.process.wait(_ENDING_SECONDS if number >= 0 else None)
        except subprocess.TimeoutExpired:
            status = None
            os.killpg(one.process.pid, signal.SIGKILL)
            one.process.wait()
        took, said = time.monotonic() - begin, (folder / "0.err").read_text(errors="replace")
        sizes = {path.name: path.stat().st_size for path in folder.iterdir() if not path.name.startswith("0.")}
        if number < 0:
            # The first of each is left alone.
            seconds[which], whole[which] = took, sum(sizes.values())
            fine = status == 0 and len(sizes) == 1
        else:
            fine = status in (0, 130, -signal.SIGINT) and not said and sum(sizes.values()) in (0, whole[which])
        if not fine:
            wrong.append(f"{one.line} after {moment:.3f} s: status {status}, leaves {sizes}: {said[-2000:]}")
    return wrong


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Start many commands at once on one cache.")
    parser.add_argument("what", choices=("together", "killed", "interrupted"))
    parser.add_argument("--cold", type=int, default=8)
    parser.add_argument("--light", type=int, default=56)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trace", type=Path, help="a .gltrace; a small one is made where none is given")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        place, trace = Path(scratch), args.trace
        if trace is None:
            sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
            from fuzz_scenes import SCENES
            from trace_fuzz import write_trace

            trace = place / "small.gltrace"
            write_trace(trace, SCENES["es3"]())
        trace = trace.resolve()
        if args.what == "together":
            wrong, figures = together(trace, place, args.cold, args.light)
            print(json.dumps(figures))
        elif args.what == "killed":
            wrong = killed(trace, place, args.processes, args.rounds, args.seed)
        else:
            from traceformat.kernels import cache_root

            wrong = interrupted(trace, place, cache_root(), INTERRUPTED, args.rounds, args.seed)
    print(*wrong, f"{len(wrong)} wrong", sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
