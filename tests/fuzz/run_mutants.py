"""Judges the tests of the timing model: which of its mutants do they find?

usage: python tests/fuzz/run_mutants.py STATE [--seed N] [--folders units,energy,memory,techniques] [--mutants NAME...]
           [--minutes M] [--processes N] [--fresh] [--list]

Mutants (``tests/support/mutants.py``) are drawn by the seed, compiled once, and put to work in a forked process each,
which runs the tests of its folder until one fails: those that have found most a second come first. A test that fails, a
process that dies and one that takes too long find a mutant. Golden counters, pictures and hashes do not count: tests
that know them are not run, nor are those that fail without a mutant. STATE is a folder; what it has a result of is not
run again, unless it has survived and the tests have changed (``--survivors``), so that an interrupted run goes on.
``--fresh`` runs survivors once more, each in a process of its own, in which also what is made on import is mutated.
Exit status 1 when fewer are found than ``--limit``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import re
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).resolve().parents[2]
SEED: Final = 19
#: Mutants of each folder.
SHARES: Final = {"units": 130, "energy": 40, "memory": 60, "techniques": 110}
#: Rooms whose tests are run for a folder.
ROOMS: Final = {
    "units": ("model", "dram", "techniques"),
    "energy": ("model",),
    "memory": ("dram", "model"),
    "techniques": ("techniques", "verify", "model"),
}
#: Tests that hold the model against its own figures, or its text.
NOT_COUNTED: Final = ("test_model_docs.py", "test_model_config.py", "test_model_timeline.py", "test_model_results.py")
#: Seconds that the tests of a mutant may take, and seconds of processor of one file.
LIMIT_SECONDS: Final = 900
FILE_SECONDS: Final = 30
_MEMORY_BYTES: Final = 6 << 30
#: Of the environment: the mutant at work, see ``mutant_switch``, which only processes with the mutated model import.
VARIABLE: Final = "GPUREPLAY_MUTANT"
#: How the state is kept.
_RESULTS: Final = "results.jsonl"
_FILES: Final = "files.json"
EXCUSED: Final = _ROOT / "tests" / "data" / "mutants_excused.toml"


class _Watch:
    """Plugin that notes which tests failed."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def run_tests(files: list[str], deselected: list[str], first_failure: bool, scratch: Path) -> list[str]:
    """Run test files in this process, one after the other; gives the tests that failed."""
    import pytest

    common = ["-q", "--no-header", "-p", "no:cacheprovider", "--timeout", "120", f"--rootdir={_ROOT}"]
    common += [f"--basetemp={scratch}", "-c", str(_ROOT / "pyproject.toml")]
    common += ["-x"] * first_failure + [f"--deselect={name}" for name in deselected]
    watch = _Watch()
    for file in files:
        # One that hangs is found before a minute is over.
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = int(used.ru_utime + used.ru_stime) + FILE_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
        status = pytest.main([file, *common], plugins=[watch])
        if status == pytest.ExitCode.USAGE_ERROR:
            raise RuntimeError(f"{file}: pytest does not run here, which says nothing about a mutant")
        if not watch.failed and status not in (0, 5):
            watch.failed.append(f"{file}: pytest ended with {int(status)}")
        if watch.failed and first_failure:
            break
    return watch.failed


def _write(result: Path, failed: list[str]) -> None:
    """Leave a process's result, whole."""
    part = result.with_suffix(".part")
    part.write_text(json.dumps(failed))
    part.rename(result)


class Judge:
    """The state, and the processes that work on it."""

    def __init__(self, options: argparse.Namespace) -> None:
        from mutants import all_mutants, draw, write_tree

        self._options = options
        self._state: Path = options.state.resolve()
        self._state.mkdir(parents=True, exist_ok=True)
        self._tree = self._state / "tree"
        known = all_mutants(_ROOT)
        self.mutants = draw(known, options.seed, SHARES)
        if options.mutants:
            wanted = set(options.mutants)
            self.mutants = [mutant for mutant in known if mutant.name in wanted]
        self.numbers = {mutant.name: k for k, mutant in enumerate(self.mutants, 1)}
        if not options.list:
            write_tree(_ROOT, self._tree, self.numbers)
        self.results: dict[str, dict[str, Any]] = {}
        path = self._state / _RESULTS
        for line in path.read_text().splitlines() if path.exists() else ():
            result = json.loads(line)
            self.results[result["name"]] = result
        self._kills: Counter[str] = Counter(
            result["by"].partition("::")[0] for result in self.results.values() if result.get("by")
        )
        files = self._state / _FILES
        self._files: dict[str, dict[str, Any]] = json.loads(files.read_text()) if files.exists() else {}

    def prepare(self) -> None:
        """Import the mutated model with all kernels, so that forked processes have them, and measure the test files."""
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(self._state / "hypothesis")
        os.environ["PYTHONPATH"] = str(self._tree)
        os.chdir(_ROOT)
        sys.path[:0] = [str(self._tree), *(str(_ROOT / "tests" / name) for name in ("support", "fuzz", "verify"))]
        import gpumodel

        assert Path(gpumodel.__file__).is_relative_to(self._tree), gpumodel.__file__
        if not self._options.fresh:
            for name in ("hypothesis", "pytest", "replay", "gpumodel.memory", "gpumodel.techniques", "gpumodel.units"):
                module = importlib.import_module(name)
                if name.startswith("gpumodel."):
                    for found in pkgutil.walk_packages(module.__path__, name + "."):
                        importlib.import_module(found.name)
        for name in self._options.tests or self._rooms():
            if name not in self._files and Path(name).name not in NOT_COUNTED:
                self._measure(name)

        if not self._options.fresh:
            self._collect()

    def _rooms(self) -> list[str]:
        """Test files of the rooms that judge the folders."""
        rooms = dict.fromkeys(room for folder in self._options.folders for room in ROOMS[folder])
        return [str(file.relative_to(_ROOT)) for room in rooms
                for file in sorted((_ROOT / "tests" / room).glob("test_*.py"))]  # fmt: skip

    def _collect(self) -> None:
        """Import all tests that count, so that forked processes have them."""
        import pytest

        files = [name for name in self._files if Path(name).exists()]
        pytest.main([*files, "--collect-only", "-qq", "-p", "no:cacheprovider", f"--rootdir={_ROOT}"])

    def _measure(self, file: str) -> None:
        """Run a test file without a mutant: how long it takes, and what fails anyway."""
        start = time.monotonic()
        result = self._state / "measured.json"
        child = self._fork(0, [file], False, result)
        os.waitpid(child, 0)
        failed = json.loads(result.read_text()) if result.exists() else [file]
        result.unlink(missing_ok=True)
        self._files[file] = {"seconds": time.monotonic() - start, "failed": failed}
        (self._state / _FILES).write_text(json.dumps(self._files, indent=1))
        print(f"{file}: {self._files[file]['seconds']:.1f} s, {len(failed)} fail without a mutant", flush=True)

    def _order(self, mutant: Any) -> list[str]:
        """Test files for a mutant: first those that find most a second, and those that are named as its module is."""
        limit = self._options.file_seconds
        words = set(re.split(r"[/_.]", mutant.path)) - {"gpumodel", "py", "units", "model"}

        def cost(name: str) -> float:
            known = 1 + self._kills[name] + 8 * bool(words & set(Path(name).stem.split("_")))
            return float(self._files[name]["seconds"]) / known

        rooms = ROOMS[mutant.folder]
        first = self._options.first or None
        files = [name for name, file in self._files.items() if file["seconds"] <= limit and name not in file["failed"]]
        wanted = self._options.tests
        files = [name for name in files if (name in wanted if wanted else Path(name).parts[1] in rooms)]
        return sorted(files, key=cost)[:first]

    def _fork(self, number: int, files: list[str], first_failure: bool, result: Path) -> int:
        child = os.fork()
        if child:
            return child
        status = 1
        try:
            os.setsid()
            log = os.open(result.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            for stream in (1, 2):
                os.dup2(log, stream)
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
            deselected = [name for file in files for name in self._files.get(file, {}).get("failed", ())]
            scratch = result.with_suffix(".scratch")
            if self._options.fresh:
                environment = {**os.environ, VARIABLE: str(number)}
                work = json.dumps([files, deselected, first_failure, str(scratch), str(result)])
                os.execve(sys.executable, [sys.executable, __file__, "--child", work], environment)
            from mutant_switch import choose

            choose(number)
            failed = run_tests(files, deselected, first_failure, scratch)
            _write(result, failed)
            status = 0
        finally:
            os._exit(status)

    def run(self) -> None:
        """Put mutants to work, several at a time."""
        end = time.monotonic() + 60 * self._options.minutes
        waiting = [m for m in self.mutants if m.folder in self._options.folders and self._is_wanted(m.name)]
        # Folders in turn, so that a score after a part says something of each.
        by_folder = [[mutant for mutant in waiting if mutant.folder == folder] for folder in SHARES]
        waiting = [mutant for turn in zip_longest(*by_folder) for mutant in turn if mutant is not None]
        running: dict[int, tuple[Any, float, Path]] = {}
        while running or (waiting and time.monotonic() < end):
            while waiting and len(running) < self._options.processes and time.monotonic() < end:
                mutant = waiting.pop(0)
                number = self.numbers[mutant.name]
                result = self._state / f"mutant{number}.json"
                result.unlink(missing_ok=True)
                child = self._fork(number, self._order(mutant), True, result)
                running[child] = mutant, time.monotonic(), result
            time.sleep(0.05)
            for child in list(running):
                mutant, start, result = running[child]
                late = time.monotonic() - start > LIMIT_SECONDS
                if late:
                    os.killpg(child, signal.SIGKILL)
                done, status = os.waitpid(child, 0 if late else os.WNOHANG)
                if done:
                    del running[child]
                    self._note(mutant, result, "too long" if late else f"process ended with {status}", start)
        print(f"{len(waiting)} wait")

    def _is_wanted(self, name: str) -> bool:
        known = self.results.get(name)
        again = bool(self._options.survivors or self._options.fresh)
        if known is None:
            return not again or bool(self._options.mutants)
        return (again or bool(self._options.mutants)) and not known["by"]

    def _note(self, mutant: Any, result: Path, otherwise: str, start: float) -> None:
        failed = json.loads(result.read_text()) if result.exists() else [otherwise]
        by = failed[0] if failed else ""
        seconds = time.monotonic() - start
        self._kills[by.partition("::")[0]] += bool(by)
        entry = {"name": mutant.name, "line": mutant.line, "before": mutant.before, "after": mutant.after, "by": by}
        self.results[mutant.name] = entry
        with (self._state / _RESULTS).open("a") as file:
            file.write(json.dumps({**entry, "seconds": round(seconds, 1)}) + "\n")
        print(f"{seconds:6.1f} s {mutant.name}: {by or 'SURVIVES'}", flush=True)
        for path in result.parent.glob(result.stem + ".*"):
            if path.suffix == ".scratch":
                subprocess.run(["rm", "-rf", str(path)], check=False)
            elif path.suffix != ".log" or by:
                path.unlink(missing_ok=True)

    def show(self) -> float:
        """Print the score of each folder and the survivors; gives the share that was found."""
        import tomllib

        excused = tomllib.loads(EXCUSED.read_text())["equivalent"]
        judged = [mutant for mutant in self.mutants if mutant.name in self.results]
        print("| folder | drawn | judged | found | equivalent | score |\n|---|--:|--:|--:|--:|--:|")
        share = 0.0
        for folder in (*SHARES, "all"):
            own = [m for m in judged if folder in (m.folder, "all")]
            found = [m for m in own if self.results[m.name]["by"]]
            same = [m for m in own if not self.results[m.name]["by"] and m.name in excused]
            drawn = sum(folder in (m.folder, "all") for m in self.mutants)
            share = len(found) / max(len(own) - len(same), 1)
            print(f"| {folder} | {drawn} | {len(own)} | {len(found)} | {len(same)} | {share:.1%} |")
        for mutant in judged:
            if not self.results[mutant.name]["by"] and mutant.name not in excused:
                print(f"survives: {mutant.name} (line {mutant.line}): {mutant.before} -> {mutant.after or 'left out'}")
        return share


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state", type=Path, nargs="?", default=Path("mutants"))
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--folders", type=lambda text: text.split(","), default=list(SHARES))
    parser.add_argument("--mutants", nargs="*", default=[], help="these alone")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no further mutant after so many")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--file-seconds", type=float, default=20, help="leave out test files that take longer")
    parser.add_argument("--tests", nargs="*", default=[], help="test files to run, in place of the folders' rooms")
    parser.add_argument("--first", type=int, default=0, help="run so many test files of each mutant alone, 0 = all")
    parser.add_argument("--survivors", action="store_true", help="run survivors again, and nothing else")
    parser.add_argument("--fresh", action="store_true", help="run survivors again, each with imports of its own")
    parser.add_argument("--list", action="store_true", help="print the score alone")
    parser.add_argument("--limit", type=float, default=0.95)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path[:0] = [str(_ROOT / "tests" / name) for name in ("support", "fuzz", "verify")]
    if options.child:
        files, deselected, first_failure, scratch, result = json.loads(options.child)
        _write(Path(result), run_tests(files, deselected, first_failure, Path(scratch)))
        return 0
    judge = Judge(options)
    if not options.list:
        judge.prepare()
        judge.run()
    return int(judge.show() < options.limit)


if __name__ == "__main__":
    sys.exit(main())
