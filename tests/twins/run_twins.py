"""Judges twins at their games' resolutions: what Mesa draws, null and system alike, and every technique's pixels.

usage: python tests/twins/run_twins.py [TWIN...] [--variants abc] [--frames 8] [--size WxH] [--techniques A,B+C]

Frames are spread over 300. A picture is right by the rule of ``benchmarks/corpus_pictures.py``; a technique's pixels
have to be the replay's (``tests/verify/run_techniques.py``). Exit status 1 where something differs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT), *(str(_ROOT / "tests" / name) for name in ("support", "verify")), str(_ROOT / "benchmarks")]

from corpus_pictures import limits, measure  # noqa: E402
from run_techniques import judge  # noqa: E402
from sample_goldens import play  # noqa: E402

import replay  # noqa: E402
from gpumodel import VERIFIED_COLUMNS  # noqa: E402
from gpumodel.techniques.registry import technique_columns  # noqa: E402
from gpureplay.twin_workloads import capture_twin  # noqa: E402
from samples.twins.recipe import aliases, read_recipe  # noqa: E402
from traceformat.gltrace.reader import open_trace  # noqa: E402
from traceformat.gputrace.frametrace import ColumnSet  # noqa: E402

_FILM = 300


def pictures(trace: Path, frames: int) -> list[str]:
    """What is wrong with the replay's pictures against Mesa's."""
    wrong = []
    reference = play(trace, tuple(range(frames)))
    for number, picture in replay.pictures(trace):
        found = measure(picture[::-1, :, :3].astype(np.int32), reference[number].astype(np.int32))
        most = limits({})
        over = [name for name in found.__dataclass_fields__ if getattr(found, name) > getattr(most, name)]
        wrong += [f"frame {number}: {name} {getattr(found, name):.4f}" for name in over]
    return wrong


def names_of(trace: Path) -> list[str]:
    """Calls of a trace, without the drivers' own answers."""
    with open_trace(trace) as reader:
        return [call.name for call in reader.calls()]


def drivers(alias: str, letter: str, frames: int, folder: Path) -> list[str]:
    """Record it under both drivers at a small size: the same calls."""
    found = []
    for driver in ("null", "system"):
        trace = folder / f"{driver}.gltrace"
        given = ["--variant", letter, "--frames", str(frames), "--size", "192x120"]
        command = [sys.executable, "-P", "-m", "capture.cli", "run", "-o", str(trace), "--driver", driver]
        done = subprocess.run(
            [*command, "-m", "samples.twins", alias, *given], capture_output=True, text=True, timeout=600, check=False
        )
        if done.returncode:
            return [f"{driver}: {done.stderr.splitlines()[-1:]}"]
        found.append(names_of(trace))
    return [] if found[0] == found[1] else [f"null has {len(found[0])} calls, system {len(found[1])}, or others"]


def techniques(trace: Path, frames: int, wanted: list[str]) -> list[str]:
    """Techniques whose pixels are not the replay's."""
    columns = ColumnSet([*VERIFIED_COLUMNS, *technique_columns(["memo"])])
    with replay.frames(trace, columns=columns, frames=(0, frames - 1)) as played:
        found = judge(played, wanted)
    return [f"{name}: {checked.located[:1]}" for name, checked in found.items() if not checked.passed]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("aliases", nargs="*", help="all by default")
    parser.add_argument("--variants", default="a")
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--size", help="WxH; the game's by default")
    parser.add_argument("--techniques", default="", help="some of them, with commas; - for none")
    parser.add_argument("--no-mesa", action="store_true")
    given = parser.parse_args()
    num_wrong = 0
    for alias in given.aliases or aliases():
        for letter in [letter for letter in read_recipe(alias).variants if letter in given.variants]:
            begun, wrong = time.monotonic(), []
            with tempfile.TemporaryDirectory() as folder:
                trace = Path(folder) / "twin.gltrace"
                capture_twin(alias, letter, trace, frames=given.frames, step=_FILM // given.frames, size=given.size)
                if not given.no_mesa:
                    wrong += pictures(trace, given.frames) + drivers(alias, letter, 2, Path(folder))
                if given.techniques != "-":
                    names = [name for name in given.techniques.split(",") if name]
                    wrong += techniques(trace, given.frames, names)
            num_wrong += bool(wrong)
            said = "; ".join(wrong) or "right"
            print(f"{alias} {letter}: {said}, {time.monotonic() - begun:.0f} s", flush=True)
    return int(num_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
