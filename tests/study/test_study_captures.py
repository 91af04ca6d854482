"""Programs of our own that a study records by itself."""

import re
import subprocess
from pathlib import Path

import pytest

from gpureplay.capturing import capture
from traceformat.errors import FindingError, StorageError


def test_a_program_that_fails_is_told_by_its_last_line(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("raise SystemExit('no meadow today')\n")
    with pytest.raises(FindingError, match=r"the meadow: not captured: .*"):
        capture("the meadow", "run", tmp_path / "meadow.gltrace", [str(program)])


def test_a_slow_machine_is_not_taken_for_a_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []
    finished = subprocess.CompletedProcess([], StorageError.exit_code, "", "working\nno space left")

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        limits.append(options.get("timeout"))
        return finished

    monkeypatch.setattr("gpureplay.capturing.subprocess.run", run)
    with pytest.raises(StorageError, match=re.escape("the meadow: not captured: no space left")):
        capture("the meadow", "run", tmp_path / "meadow.gltrace", ["meadow.py"])
    assert limits == [None]
