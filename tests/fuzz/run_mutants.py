"""Judges the tests of the timing model: which of its mutants do they find?

usage: python tests/fuzz/run_mutants.py STATE [--seed N...] [--folders units,energy,memory,techniques]
           [--mutants NAME...] [--tests FILE...] [--minutes M] [--processes N] [--seconds S] [--survivors] [--list]

Mutants (``tests/support/mutants.py``) are drawn by the seed and compiled once, all into one copy of the source. The
tests are collected once and measured once: how long each takes, whether it passes without a mutant, and which mutants'
places it passes. A forked process then puts a mutant to work and runs those that reach it, the most promising file
first, of each its fastest tests, all where it is named like the mutant's file, then the others, some at a time, until
one fails or ``--seconds`` of measured time are through. What is reached while modules are imported is judged in a
process of its own. A test that fails, a process that dies and one that takes too long find a mutant. Golden counters,
pictures and hashes do not count: tests that know them are not run, nor are those that fail without a mutant.

STATE is a folder; what it has a result of is not run again, unless it has survived and is asked for once
more (``--survivors``, ``--mutants``), so that an interrupted run goes on. Test files that have changed are measured
again. Exit status 1 when fewer are found than ``--limit``.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import importlib
import json
import os
import pkgutil
import re
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, Final

import pytest

_ROOT: Final = Path(__file__).resolve().parents[2]
SEED: Final = 19
#: Mutants of each folder.
SHARES: Final = {"units": 130, "energy": 40, "memory": 60, "techniques": 110}
#: Rooms whose tests are run.
ROOMS: Final = ("model", "dram", "techniques", "verify")
#: Tests that hold the model against its own figures, or its text.
NOT_COUNTED: Final = ("test_model_docs.py", "test_model_config.py", "test_model_timeline.py", "test_model_results.py")
#: Seconds that the tests of a mutant may take.
LIMIT_SECONDS: Final = 900
#: Seconds of processor that a test may take: at least so many, and so many times what it takes without a mutant.
TEST_SECONDS: Final = 10
SLOWER: Final = 10
#: Tests of a file that are run before those of other files, and then at a time.
FIRST: Final = 8
LATER: Final = 32
_MEMORY_BYTES: Final = 6 << 30
#: Of the environment: the mutant at work, see ``mutant_switch``, which only processes with the mutated model import.
VARIABLE: Final = "GPUREPLAY_MUTANT"
_RESULTS: Final = "results.jsonl"
_SAY_NOTHING: Final = {"gpumodel", "py", "unit", "model", "technique", "like", "test", "twin"}
EXCUSED: Final = _ROOT / "tests" / "data" / "mutants_excused.toml"


def _used_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _forget_cached() -> None:
    """Let the model's cached functions compute again, so that each test that needs one reaches its mutants."""
    for name, module in list(sys.modules.items()):
        for value in vars(module).values() if name.startswith("gpumodel.") else ():
            if isinstance(value, functools._lru_cache_wrapper):
                value.cache_clear()


def _file_of(test: str) -> str:
    return test.partition("::")[0]


def _words(path: str) -> set[str]:
    """Words of a file's name, in the singular, that say what it is about."""
    return {word.removesuffix("s") for word in re.split(r"[/_.]", path)} - _SAY_NOTHING


class Loop:
    """Pytest plugin that has something else done with the collected tests than to run them in turn.

    Parameters
    ----------
    work : is called with the tests by name
    """

    def __init__(self, work: Callable[[dict[str, pytest.Item]], None]) -> None:
        self._work = work
        self.failed: list[str] = []

    def collect(self, files: Sequence[str]) -> bool:
        """Collect the tests of files and do the work; says whether pytest could."""
        plain = ["-qq", "--no-header", "-p", "no:cacheprovider", f"--rootdir={_ROOT}"]
        status = pytest.main([*files, *plain, "-c", str(_ROOT / "pyproject.toml")], plugins=[self])
        return status == pytest.ExitCode.OK

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._work({item.nodeid: item for item in session.items})
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def run(self, tests: dict[str, pytest.Item]) -> Iterator[str]:
        """Run tests; gives the name of each before it runs, and once more an empty one."""
        names = list(tests)
        for k, name in enumerate(names, 1):
            yield name
            _forget_cached()
            item, following = tests[name], tests[names[k]] if k < len(names) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        yield ""


def run_tests(loop: Loop, tests: dict[str, pytest.Item], seconds: dict[str, float], result: Path) -> None:
    """Run tests until one fails or takes too long; the file is left with its name, or an empty one."""
    for name in loop.run(tests):
        if loop.failed or not name:
            break
        # One that hangs is killed, and its name stands in the file.
        limit = int(_used_seconds() + max(TEST_SECONDS, SLOWER * seconds[name])) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        result.write_text(name)
    result.write_text(loop.failed[0] if loop.failed else "")


class Judge:
    """The state, and the processes that work on it."""

    def __init__(self, options: argparse.Namespace) -> None:
        from mutants import all_mutants, draw, write_tree

        self._options = options
        self._state: Path = options.state.resolve()
        self._state.mkdir(parents=True, exist_ok=True)
        self._tree = self._state / "tree"
        known = all_mutants(_ROOT)
        self._drawn = {seed: draw(known, seed, SHARES) for seed in options.seed}
        self.mutants = list({mutant.name: mutant for own in self._drawn.values() for mutant in own}.values())
        if not set(options.mutants) <= {mutant.name for mutant in self.mutants}:
            self.mutants = [mutant for mutant in known if mutant.name in options.mutants]
            self._drawn = {0: self.mutants}
        self._numbers = {mutant.name: k for k, mutant in enumerate(self.mutants, 1)}
        self._names = {number: name for name, number in self._numbers.items()}
        if not options.list:
            write_tree(_ROOT, self._tree, self._numbers)
        self.results = {result["name"]: result for result in _lines(self._state / _RESULTS)}
        self._kills = Counter(_file_of(result["by"]) for result in self.results.values() if result["by"])
        names = "\n".join(self._numbers)
        self._measurements = self._state / f"measured-{hashlib.sha256(names.encode()).hexdigest()[:8]}.jsonl"
        self._hashes: dict[str, str] = {}
        self._measured: dict[str, dict[str, Any]] = {}
        self._imported: set[str] = set()
        self._loop = Loop(self._work)
        self._tests: dict[str, pytest.Item] = {}

    def run(self) -> None:
        """Import the mutated model with all kernels, so that forked processes have them, and judge."""
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(self._state / "hypothesis")
        os.environ["PYTHONPATH"] = str(self._tree)
        os.chdir(_ROOT)
        sys.path.insert(0, str(self._tree))
        import gpumodel

        assert Path(gpumodel.__file__).is_relative_to(self._tree), gpumodel.__file__
        for name in ("hypothesis", "replay", "gpumodel.memory", "gpumodel.techniques", "gpumodel.units"):
            module = importlib.import_module(name)
            if name.startswith("gpumodel."):
                for found in pkgutil.walk_packages(module.__path__, name + "."):
                    importlib.import_module(found.name)
        files = self._options.tests or [
            str(file.relative_to(_ROOT))
            for room in ROOMS
            for file in sorted((_ROOT / "tests" / room).glob("test_*.py"))
        ]
        self._hashes = {file: hashlib.sha256((_ROOT / file).read_bytes()).hexdigest()[:16] for file in files}
        if not self._loop.collect([file for file in files if Path(file).name not in NOT_COUNTED]):
            raise SystemExit("pytest does not run here, which says nothing about a mutant")

    def _work(self, tests: dict[str, pytest.Item]) -> None:
        from mutant_switch import reached

        self._tests = tests
        self._imported = {self._names[number] for number in reached()}
        for entry in _lines(self._measurements):
            if entry["test"] in tests and entry["hash"] == self._hashes[_file_of(entry["test"])]:
                self._measured[entry["test"]] = entry
        while missing := {name: item for name, item in tests.items() if name not in self._measured}:
            self._fork(0, lambda result: self._measure(missing, result), self._state / "measuring").wait()
            before = len(self._measured)
            for entry in _lines(self._measurements):
                if entry["test"] in missing and entry["hash"] == self._hashes[_file_of(entry["test"])]:
                    self._measured[entry["test"]] = entry
            died = next((name for name in missing if name not in self._measured), None)
            if died is not None:
                self._note_measured(died, False, 0.0, [])
                self._measured[died] = {"passed": False}
            print(f"{len(self._measured) - before} tests measured, {died or 'none'} died", flush=True)
        self._judge()

    def _note_measured(self, test: str, passed: bool, seconds: float, numbers: list[int]) -> None:
        entry = {"test": test, "hash": self._hashes[_file_of(test)], "passed": passed, "seconds": round(seconds, 3),
                 "reached": [self._names[number] for number in numbers]}  # fmt: skip
        with (self._measurements).open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def _measure(self, tests: dict[str, pytest.Item], _: Path) -> None:
        """Run tests without a mutant: how long they take, what they reach, and what fails anyway."""
        from mutant_switch import forget_reached, reached

        before, start, failed = "", 0.0, 0
        for name in self._loop.run(tests):
            if before:
                self._note_measured(before, len(self._loop.failed) == failed, _used_seconds() - start, reached())
            before, start, failed = name, _used_seconds(), len(self._loop.failed)
            forget_reached()

    def _fork(self, number: int, work: Callable[[Path], None], result: Path) -> Child:
        result.unlink(missing_ok=True)
        child = os.fork()
        if child:
            return Child(child, result)
        status = 1
        try:
            os.setsid()
            log = os.open(result.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            for stream in (1, 2):
                os.dup2(log, stream)
            scratch = result.with_suffix(".scratch")
            scratch.mkdir(exist_ok=True)
            os.environ["PYTEST_DEBUG_TEMPROOT"] = str(scratch)
            from memory_limit import limit_new_memory
            from mutant_switch import choose

            limit_new_memory(_MEMORY_BYTES)
            choose(number)
            work(result)
            status = 0
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            raise
        finally:
            os._exit(status)

    def _order(self, mutant: Any) -> dict[str, float]:
        """Tests for a mutant with their seconds, as many as there is time for."""
        words = _words(mutant.path)
        in_import = mutant.name in self._imported
        files: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for name in self._tests:
            own = self._measured[name]
            if own["passed"] and (in_import or mutant.name in own["reached"]):
                files[_file_of(name)].append((own["seconds"], name))
        turns: list[tuple[bool, float, list[tuple[float, str]]]] = []
        for file, tests in files.items():
            tests.sort()
            named = bool(words & _words(Path(file).stem))
            promise = 1 + self._kills[file] + 8 * named
            starts = [0, *range(FIRST, len(tests), LATER)]
            for at, end in pairwise([*starts, len(tests)]):
                part = tests[at:end]
                turns.append((at > 0 and not named, sum(test[0] for test in part) / promise, part))
        chosen: dict[str, float] = {}
        for _, _, part in sorted(turns):
            for seconds, name in part:
                if sum(chosen.values()) + seconds <= self._options.seconds:
                    chosen[name] = seconds
        return chosen

    def _start(self, mutant: Any) -> Child:
        seconds = self._order(mutant)
        number = self._numbers[mutant.name]
        result = self._state / f"mutant{number}"
        if mutant.name in self._imported and seconds:
            return self._fork(number, lambda path: self._replace(seconds, path), result)
        tests = {name: self._tests[name] for name in seconds}
        return self._fork(number, lambda path: run_tests(self._loop, tests, seconds, path), result)

    def _replace(self, seconds: dict[str, float], result: Path) -> None:
        """Become a process that has imported nothing yet."""
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_SECONDS, resource.RLIM_INFINITY))
        arguments = [__file__, "--child", json.dumps(seconds), str(result)]
        os.execv(sys.executable, [sys.executable, *arguments])

    def _judge(self) -> None:
        """Put mutants to work, several at a time."""
        end = time.monotonic() + 60 * self._options.minutes
        waiting = [m for m in self.mutants if m.folder in self._options.folders and self._is_wanted(m.name)]
        # Folders in turn, so that a score after a part says something of each.
        by_folder = [[mutant for mutant in waiting if mutant.folder == folder] for folder in SHARES]
        waiting = [mutant for turn in zip_longest(*by_folder) for mutant in turn if mutant is not None]
        running: list[tuple[Any, Child]] = []
        while running or (waiting and time.monotonic() < end):
            while waiting and len(running) < self._options.processes and time.monotonic() < end:
                running.append((waiting[0], self._start(waiting.pop(0))))
            time.sleep(0.02)
            for mutant, child in running[:]:
                if child.is_done():
                    running.remove((mutant, child))
                    self._note(mutant, child)
        print(f"{len(waiting)} wait")

    def _is_wanted(self, name: str) -> bool:
        known = self.results.get(name)
        if self._options.mutants:
            return name in self._options.mutants
        return known is None if not self._options.survivors else known is not None and not known["by"]

    def _note(self, mutant: Any, child: Child) -> None:
        by = child.found_by()
        self._kills[_file_of(by)] += bool(by)
        entry = {"name": mutant.name, "line": mutant.line, "before": mutant.before, "after": mutant.after, "by": by,
                 "seconds": round(child.seconds(), 1), "tests": len(self._order(mutant))}  # fmt: skip
        self.results[mutant.name] = entry
        with (self._state / _RESULTS).open("a") as file:
            file.write(json.dumps(entry) + "\n")
        found = by or f"SURVIVES {entry['tests']} tests"
        print(f"{entry['seconds']:6.1f} s {mutant.name}: {found}", flush=True)

    def show(self) -> float:
        """Print each seed's scores and the survivors; gives the least share that was found."""
        import tomllib

        excused = tomllib.loads(EXCUSED.read_text())["equivalent"]
        judged = [mutant for mutant in self.mutants if mutant.name in self.results]
        share = min(self._show_seed(seed, excused) for seed in self._drawn)
        for mutant in judged:
            if not self.results[mutant.name]["by"] and mutant.name not in excused:
                print(f"survives: {mutant.name} (line {mutant.line}): {mutant.before} -> {mutant.after or 'left out'}")
        return share

    def _show_seed(self, seed: int, excused: dict[str, str]) -> float:
        judged = [mutant for mutant in self._drawn[seed] if mutant.name in self.results]
        print(f"\nSeed {seed}\n\n| folder | drawn | judged | found | equivalent | score |\n|---|--:|--:|--:|--:|--:|")
        share = 0.0
        for folder in (*SHARES, "all"):
            own = [m for m in judged if folder in (m.folder, "all")]
            found = [m for m in own if self.results[m.name]["by"]]
            same = [m for m in own if not self.results[m.name]["by"] and m.name in excused]
            drawn = sum(folder in (m.folder, "all") for m in self._drawn[seed])
            share = len(found) / max(len(own) - len(same), 1)
            print(f"| {folder} | {drawn} | {len(own)} | {len(found)} | {len(same)} | {share:.1%} |")
        return share


class Child:
    """A process at work on a mutant."""

    def __init__(self, number: int, result: Path) -> None:
        self._number = number
        self._result = result
        self._start = time.monotonic()

    def is_done(self) -> bool:
        """Whether it has ended; one that takes too long is ended."""
        if self.seconds() > LIMIT_SECONDS:
            os.killpg(self._number, signal.SIGKILL)
            return self.wait()
        return self.wait(os.WNOHANG)

    def wait(self, how: int = 0) -> bool:
        """Wait until it has ended."""
        done, status = os.waitpid(self._number, how)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status):
            raise RuntimeError(f"{self._result.with_suffix('.log')}: the judge failed, not a test")
        return bool(done)

    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self._start

    def found_by(self) -> str:
        """Test that failed, or at which the process died; empty where all passed. Its files are removed."""
        shutil.rmtree(self._result.with_suffix(".scratch"), ignore_errors=True)
        by = self._result.read_text()
        self._result.unlink()
        if by:
            self._result.with_suffix(".log").unlink()
        return by


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state", type=Path, nargs="?", default=Path("mutants"))
    parser.add_argument("--seed", type=int, nargs="+", default=[SEED])
    parser.add_argument("--folders", type=lambda text: text.split(","), default=list(SHARES))
    parser.add_argument("--mutants", nargs="*", default=[], help="these alone")
    parser.add_argument("--tests", nargs="*", default=[], help="test files to run, in place of the rooms")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no further mutant after so many")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60, help="of measured time of the tests of a mutant")
    parser.add_argument("--survivors", action="store_true", help="run survivors again, and nothing else")
    parser.add_argument("--list", action="store_true", help="print the score alone")
    parser.add_argument("--limit", type=float, default=0.95)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path[:0] = [str(_ROOT / "tests" / name) for name in ("support", "fuzz", "verify")]
    if options.child:
        seconds = json.loads(options.child[0])
        result = Path(options.child[1])
        loop = Loop(
            lambda tests: run_tests(loop, {name: tests[name] for name in seconds if name in tests}, seconds, result)
        )
        if not loop.collect(list(dict.fromkeys(map(_file_of, seconds)))):
            # It could in the process that has started this one.
            result.write_text("imports")
        return 0
    judge = Judge(options)
    if not options.list:
        judge.run()
    return int(judge.show() < options.limit)


if __name__ == "__main__":
    sys.exit(main())
