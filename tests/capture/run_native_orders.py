"""Random programs of native code, bare and captured: in what order libraries come, draw, fork and go.

    python tests/capture/run_native_orders.py FIRST_SEED LAST_SEED

Each seed links libraries in some way (lazily, at once, with full RELRO, without a PLT), and lets them draw in some
order, by all ways of finding GL, in threads of Python and of C and in children, under either driver, with LD_BIND_NOW
or without. Children come first: behind a draw the bare program hangs in them, for Mesa's threads are not forked. A run
passes where it prints and ends as it does bare, where every page's protection is given back, and where the trace has as
many frames as were drawn. Needs a C compiler and a driver of EGL without a display.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(Path(__file__).parent)]

from native_objects import FLAGS, build  # noqa: E402
from test_capture_native import CHECK_MAPS  # noqa: E402

from traceformat.gltrace.reader import open_trace  # noqa: E402

PROGRAM = Path(__file__).parent / "programs" / "native_library.py"


def problem_of(seed: int, folder: Path, libraries: dict[str, Path]) -> str:
    """Run one seed; empty if it passes."""
    dice = random.Random(seed)
    turns, frames = [], 0
    for _ in range(dice.randint(1, 8)):
        places = ("", "", "thread", "pthread") if frames else ("", "thread", "pthread", "fork")
        place, count = dice.choice(places), dice.randint(1, 4)
        frames += 0 if place == "fork" else count
        turns += [*([place] if place else []), f"{dice.randint(0, 3)}:{count}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "EGL_PLATFORM": "surfaceless"}
    environment |= {"LD_BIND_NOW": "1"} if dice.random() < 0.3 else {}
    driver = dice.choice(("system", "null"))
    words = [str(PROGRAM), str(libraries[dice.choice(sorted(libraries))]), *turns]
    trace = folder / f"{seed}.gltrace"
    code = f"{CHECK_MAPS}\nfrom capture.cli import main; main()"
    ours = ["-c", code, "run", "--driver", driver, "-o", str(trace)]
    bare, done = (
        subprocess.run([sys.executable, *how, *words], env=environment, capture_output=True, text=True, check=False)
        for how in ([], ours)
    )
    what = f"{driver} {' '.join(words[1:])}"
    if done.stdout != bare.stdout + "CHANGED []\n":
        return f"{what}: printed {done.stdout!r} for {bare.stdout!r}: {done.stderr}"
    if not frames:
        return ""
    if done.returncode != bare.returncode:
        return f"{what}: status {done.returncode} for {bare.returncode}: {done.stderr}"
    with open_trace(trace) as reader:
        found = len(reader.frames)
    return "" if found == frames else f"{what}: {found} frames for {frames}"


def main() -> None:
    first, last = (int(word) for word in sys.argv[1:3])
    failed = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        libraries = {name: build(folder, flags, name) for name, flags in FLAGS.items()}
        for seed in range(first, last + 1):
            problem = problem_of(seed, folder, libraries)
            failed += bool(problem)
            if problem:
                print(f"seed {seed}: {problem}", flush=True)
            for left in folder.glob("*.gltrace"):
                left.unlink()
    print(f"{last - first + 1} runs, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
