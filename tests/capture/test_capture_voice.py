"""What a program does to its standard streams is its own affair: gpucapture still says what it has to say."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from traceformat.voice import say

_DRAWS = """
import moderngl
made = moderngl.create_standalone_context()
made.simple_framebuffer((9, 9)).clear(1, 0, 0, 1)
"""
_LOGGER = """
class Logger:
    def write(self, text): raise RuntimeError("the program's own logger")
    def flush(self): pass
"""
_PROGRAMS = {
    "replaced": _LOGGER + "sys.stderr = sys.stdout = Logger()",
    "none": "sys.stdout = sys.stderr = None",
    "closed": "sys.stdout.close(); sys.stderr.close()",
    "led elsewhere": "n = os.open(os.devnull, os.O_RDWR); os.dup2(n, 1); os.dup2(n, 2)",
    "descriptors closed": "os.close(1); os.close(2)",
    "logging": "import logging; logging.basicConfig(stream=open(os.devnull, 'w')); sys.stderr = open(os.devnull, 'w')",
    "replaced, and ends with 3": _LOGGER + "sys.stderr = Logger(); sys.exit(3)",
}


def test_what_is_no_text_is_said_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(raw, encoding="utf-8", errors="strict"))
    say("call glFoo\udcff is unknown")
    assert raw.getvalue() == b"call glFoo\\udcff is unknown\n"


@pytest.mark.parametrize("ends", _PROGRAMS.values(), ids=_PROGRAMS)
def test_streams_of_the_program_are_not_ours(ends: str, tmp_path: Path) -> None:
    (tmp_path / "bare.py").write_text(f"import os, sys\n{ends}\n")
    (tmp_path / "draws.py").write_text(f"{_DRAWS}\nimport os, sys\n{ends}\n")
    bare = subprocess.run([sys.executable, "bare.py"], cwd=tmp_path, capture_output=True, timeout=60)
    ours = subprocess.run(
        [sys.executable, "-m", "capture.cli", "run", "--driver", "null", "-o", "a.gltrace", "draws.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert ours.returncode == bare.returncode
    assert "a.gltrace: 1 frame, " in ours.stderr
    assert "internal error" not in ours.stderr
    assert "Traceback" not in ours.stderr
    assert ours.stdout == ""
