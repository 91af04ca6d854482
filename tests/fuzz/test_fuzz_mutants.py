"""Mutants of the timing model: made as they should be, drawn by a seed, and found; ``run_mutants.py`` has hundreds."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import mutants
import pytest
from run_mutants import EXCUSED, SEED, SHARES

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''"""Text."""
from __future__ import annotations
LIMIT = 3
def tick(s, c, *, step: int = 1):
    """Text."""
    if s.now < c.until:
        return 1
    c.valid = 0
    c.reads += 1
    notify(s, LIMIT - c.at)
    return max(c.at, 7)
'''


@pytest.fixture(scope="module")
def everything() -> list[mutants.Mutant]:
    return mutants.all_mutants(ROOT)


def test_each_kind_of_mistake_is_made(tmp_path: Path) -> None:
    for place in mutants.FOLDERS.values():
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "gpumodel/units/one.py").write_text(SOURCE)
    made = {mutant.name.partition("::")[2]: (mutant.before, mutant.after) for mutant in mutants.all_mutants(tmp_path)}
    assert made == {
        "tick::compare#1": ("s.now < c.until", "s.now <= c.until"),
        "tick::stall#1": ("s.now < c.until", "False"),
        "tick::offset#1": ("1", "2"), "tick::offset#2": ("1", "0"),
        "tick::offset#3": ("0", "1"), "tick::offset#4": ("0", "-1"),
        "tick::reset#1": ("c.valid = 0", ""),
        "tick::offset#5": ("1", "2"), "tick::offset#6": ("1", "0"),
        "tick::count#1": ("c.reads += 1", ""),
        "tick::operator#1": ("LIMIT - c.at", "LIMIT + c.at"), "tick::swap#1": ("LIMIT - c.at", "c.at - LIMIT"),
        "tick::call#1": ("notify(s, LIMIT - c.at)", ""),
        "tick::offset#7": ("7", "8"), "tick::offset#8": ("7", "6"),
        "tick::operator#2": ("max(c.at, 7)", "min(c.at, 7)"),
    }  # fmt: skip


def test_the_copy_has_all_of_them_and_is_the_model_without(tmp_path: Path) -> None:
    for place in mutants.FOLDERS.values():
        (tmp_path / "in" / place).mkdir(parents=True)
    (tmp_path / "in/gpumodel/units/one.py").write_text(SOURCE)
    numbers = {mutant.name: k for k, mutant in enumerate(mutants.all_mutants(tmp_path / "in"), 1)}
    mutants.write_tree(tmp_path / "in", tmp_path / "out", numbers)
    text = (tmp_path / "out/gpumodel/units/one.py").read_text()
    assert text.count("mutant_chosen(") == len(numbers)
    chosen = 0
    known: dict[str, object] = {"notify": lambda *_: None, "mutant_chosen": lambda number: number == chosen}
    tree = ast.parse(text)
    tree.body = [node for node in tree.body if not isinstance(node, ast.ImportFrom)]
    exec(compile(tree, "one.py", "exec"), known)

    class Thing:
        now, until, at, valid, reads = 5, 5, 9, 1, 0

    results = {}
    for name, chosen in {"": 0, **numbers}.items():  # noqa: B007
        thing = Thing()
        results[name.partition("::")[2]] = known["tick"](thing, thing), thing.valid, thing.reads  # type: ignore[operator]
    plain = results.pop("")
    assert plain == (9, 0, 1)
    assert results["tick::compare#1"] == (1, 1, 0)
    assert results["tick::reset#1"] == (9, 1, 1)
    assert results["tick::count#1"] == (9, 0, 0)
    assert results["tick::operator#2"] == (7, 0, 1)
    # What a return value and two fields do not show: a condition that does not hold anyway, the call.
    same = {name for name, result in results.items() if result == plain}
    assert same == {"tick::stall#1", "tick::offset#1", "tick::offset#2", "tick::operator#1", "tick::swap#1",
                    "tick::call#1", "tick::offset#7", "tick::offset#8"}  # fmt: skip


def test_the_draw_is_the_seeds_and_has_every_kind(everything: list[mutants.Mutant]) -> None:
    drawn = mutants.draw(everything, SEED, SHARES)
    assert drawn == mutants.draw(everything[::-1], SEED, SHARES)
    assert len({mutant.name for mutant in drawn}) == sum(SHARES.values()) >= 300
    assert drawn != mutants.draw(everything, SEED + 1, SHARES)
    kinds = Counter((mutant.folder, mutant.kind) for mutant in drawn)
    assert min(kinds[folder, kind] for folder in ("units", "techniques") for kind in mutants.KINDS) >= 5


def test_excuses_are_of_mutants_that_there_are(everything: list[mutants.Mutant]) -> None:
    import tomllib

    excused = tomllib.loads(EXCUSED.read_text())["equivalent"]
    assert set(excused) <= {mutant.name for mutant in everything}
    assert all(len(reason) > 20 for reason in excused.values())
    drawn = {mutant.name for mutant in mutants.draw(everything, SEED, SHARES)}
    assert len(drawn & set(excused)) <= len(drawn) / 10


def judged(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """One that needs no kernel, in a process of its own."""
    name = "gpumodel/energy/bill.py::_fixed::offset#1"
    command = [sys.executable, str(ROOT / "tests/fuzz/run_mutants.py"), str(folder), "--processes", "1",
               "--tests", "tests/model/test_model_bill_by_hand.py", "--mutants", name]  # fmt: skip
    return subprocess.run(
        command, capture_output=True, text=True, timeout=280, check=False, env={**os.environ, **environment}
    )


@pytest.mark.slow
def test_a_mutant_is_found(tmp_path: Path) -> None:
    """Imports, switch, tests and state work together."""
    done = judged(tmp_path)
    assert "| all | 1 | 1 | 1 | 0 | 100.0% |" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
    assert "test_model_bill_by_hand.py::test_" in (tmp_path / "results.jsonl").read_text()


@pytest.mark.slow
def test_a_pytest_that_does_not_run_finds_nothing(tmp_path: Path) -> None:
    done = judged(tmp_path, PYTEST_ADDOPTS="-p there_is_no_such_plugin")
    assert "pytest does not run here" in done.stderr
    assert not (tmp_path / "results.jsonl").exists()
