"""Random programs of native code, bare and captured: in what order libraries come, draw, fork and go.

    python tests/capture/run_native_orders.py FIRST_SEED LAST_SEED

Each seed loads libraries that were linked in several ways (lazily, at once, with full RELRO, without a PLT) in some
order, lets them draw by all ways of finding GL, in threads of Python and of C, one by one or at once, and in children,
and closes them, to load them again or not, under either driver, with LD_BIND_NOW or without; some set their own slots,
and set them back, some are preloaded with a library that stands in front of GL. Children come first: behind a draw the
bare program hangs in them, for Mesa's threads are not forked. A run passes where it prints and ends as it does bare,
where no page keeps a right that it had not, and where the trace has as many frames and clears as were drawn.
Every fifth program is killed at some moment: its trace holds all but the last 10 ms of its work. Needs a C compiler and
a driver of EGL without a display.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(Path(__file__).parent)]

from native_objects import CHECK_MAPS, FLAGS, build, build_wrapper  # noqa: E402

from traceformat.gltrace.reader import open_trace  # noqa: E402

PROGRAMS = Path(__file__).parent / "programs"
HANGS_SECONDS: Final = 180
#: What may be lost by a kill: processor time of the process, which waits for its turn on a busy machine.
LOST_SECONDS: Final = 0.010


def problem_of(seed: int, folder: Path, libraries: dict[str, Path], wrapper: Path) -> str:
    """Run one seed; empty if it passes."""
    dice = random.Random(seed)
    if seed % 5 == 0:
        return problem_of_a_kill(dice, folder, seed)
    is_preloaded = dice.random() < 0.2
    turns, frames = random_turns(dice, len(libraries), is_preloaded=is_preloaded)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "EGL_PLATFORM": "surfaceless"}
    environment |= {"LD_BIND_NOW": "1"} if dice.random() < 0.3 else {}
    environment |= {"LD_PRELOAD": str(wrapper)} if is_preloaded else {}
    driver = dice.choice(("system", "null"))
    paths = [str(libraries[name]) for name in dice.sample(sorted(libraries), len(libraries))]
    words = [str(PROGRAMS / "native_library.py"), os.pathsep.join(paths), *turns]
    trace = folder / f"{seed}.gltrace"
    what = f"{driver} {'preloaded ' * is_preloaded}{' '.join(turns)}"
    try:
        bare, done = (
            subprocess.run(
                [sys.executable, *how, *words], env=environment, capture_output=True, text=True, timeout=HANGS_SECONDS
            )
            for how in ([], recorder(dice, driver, trace))
        )
    except subprocess.TimeoutExpired as error:
        return f"{what}: {'captured' if 'run' in error.cmd else 'bare'} it hangs: {error.stderr}"
    if done.stdout != bare.stdout + "CHANGED []\n":
        return f"{what}: printed {done.stdout!r} for {bare.stdout!r}: {done.stderr}"
    if not frames:
        return ""
    if done.returncode != bare.returncode:
        return f"{what}: status {done.returncode} for {bare.returncode}: {done.stderr}"
    with open_trace(trace) as reader:
        found, clears = len(reader.frames), [call.name for call in reader].count("glClear")
    return "" if found == clears == frames else f"{what}: {found} frames and {clears} clears for {frames}"


def random_turns(dice: random.Random, num_libraries: int, *, is_preloaded: bool) -> tuple[list[str], int]:
    """Give what ``native_library.py`` is to do, and how many frames that are, without those of children."""
    turns, frames, loaded, is_drawn_here = list[str](), 0, set[int](), False

    def draws() -> tuple[str, int, int]:
        library, count = dice.randrange(num_libraries), dice.randint(1, 4)
        # What is looked up in a library of GL itself passes by the one that is preloaded; under null there is none.
        way = dice.choice((0, 3) if is_preloaded else (0, 1, 2, 3))
        return f"{library}@{way}:{count}", library, count

    for _ in range(dice.randint(1, 8)):
        places = ("", "", "thread", "pthread", "together") if frames else ("", "thread", "pthread", "together", "fork")
        place = dice.choice(places)
        if place == "together":
            parts = [draws() for _ in range(dice.randint(2, 5))]
            turns += [f"together:{len(parts)}", *(turn for turn, _, _ in parts)]
            frames += sum(count for _, _, count in parts)
        else:
            turn, library, count = draws()
            turns += [*([place] if place else []), turn]
            frames += 0 if place == "fork" else count
            loaded |= set() if place == "fork" else {library}
        is_drawn_here |= place != "fork"
        if is_drawn_here and loaded and dice.random() < 0.4:
            library = dice.choice(sorted(loaded))
            # What is preloaded keeps the address that it has found, whatever is closed.
            others = ("load", "load") if is_preloaded else (f"close:{library}", f"close:{library}")
            turns.append(dice.choice((f"{library}@hook", f"{library}@unhook", "load", *others)))
            loaded -= {library} if turns[-1].startswith("close") else set()
    return turns, frames


def recorder(dice: random.Random, driver: str, trace: Path) -> list[str]:
    """Give Python's arguments that record what follows them."""
    # Calls are few here: of those by machine code there are some if it is made early.
    heat = f"import capture.native.trampolines, capture.recorder as r; r.HOT_CALLS = {dice.choice((1, 2, 1000))}"
    code = f"{CHECK_MAPS}\n{heat}\nfrom capture.cli import main; main()"
    return ["-c", code, "run", "--driver", driver, "-o", str(trace)]


def problem_of_a_kill(dice: random.Random, folder: Path, seed: int) -> str:
    """Kill a program that draws, at some moment, and see what its trace has lost."""
    trace, progress = folder / f"{seed}.gltrace", folder / f"{seed}.progress"
    driver, every, pause = dice.choice(("system", "null")), dice.choice((1, 50, 5000)), dice.choice((0, 0.001, 0.02))
    words = [str(PROGRAMS / "until_killed.py"), str(progress), str(every), str(pause)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "EGL_PLATFORM": "surfaceless"}
    process = subprocess.Popen([sys.executable, *recorder(dice, driver, trace), *words], env=environment)
    while process.poll() is None and not (progress.exists() and progress.stat().st_size):
        time.sleep(0.005)
    time.sleep(dice.random())
    process.kill()
    process.wait()
    times = np.fromfile(progress, "<f8")
    parts = list(folder.glob(f".{seed}.gltrace.*.part"))
    if process.returncode != -signal.SIGKILL or len(parts) != 1:
        return f"{driver} {every} {pause}: status {process.returncode}, {len(parts)} parts"
    with open_trace(parts[0]) as reader:
        found = [call.name for call in reader].count("glClear")
    parts[0].unlink()
    # Since the first lost call was over: what it waited for, such as machine code being made, it waited for before.
    lost = times[-1] - times[found] if found < len(times) else 0.0
    what = f"{driver} {every} {pause}: {found} of {len(times)}, {1e3 * lost:.1f} ms of work lost"
    return "" if lost <= LOST_SECONDS else what


def main() -> None:
    first, last = (int(word) for word in sys.argv[1:3])
    failed = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        wrapper = build_wrapper(folder)
        libraries = {name: build(folder, flags, name) for name, flags in FLAGS.items()}
        for seed in range(first, last + 1):
            problem = problem_of(seed, folder, libraries, wrapper)
            failed += bool(problem)
            if problem:
                print(f"seed {seed}: {problem}", flush=True)
            for left in folder.glob("*.gltrace"):
                left.unlink()
    print(f"{last - first + 1} runs, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
