"""The examples of the documentation and of docstrings run."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["TRACES.md"])
def test_examples_of_the_documentation(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(ROOT / "docs" / name), module_relative=False, encoding="utf-8")
    assert results.attempted > 10
    assert not results.failed
