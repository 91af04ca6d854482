"""What commands import: a small trace does not wait for packages that nothing of it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from films import Film

_SAYS = """
import sys
from importlib.metadata import entry_points
program = sys.argv[0] = sys.argv.pop(1)
try:
    next(iter(entry_points(group="console_scripts", name=program))).load()()
finally:
    print(*sorted(sys.modules), file=open("modules.txt", "w"))
"""
_COMPILER = ("numba",)
_MODEL = ("gpumodel.techniques", "gpumodel.machine", "gpumodel.units", "gpumodel.config")
_TABLES = ("pandas", "pyarrow", "polars", "matplotlib", "jinja2", "dask", "pydantic", "rich", "yaml")


@pytest.fixture
def film(tmp_path: Path) -> Path:
    one = Film()
    one.all_squares()
    one.swap()
    return one.write(tmp_path / "film.gltrace")


def imports_of(folder: Path, *line: str, **settings: str) -> set[str]:
    """Modules that a command has imported when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", _SAYS, *line],
        cwd=folder,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return set((folder / "modules.txt").read_text().split())


@pytest.mark.parametrize(
    ("line", "unwanted"),
    [
        (["gpureplay", "--help"], (*_COMPILER, *_MODEL, *_TABLES, "numpy", "replay")),
        (["gpureplay", "images", "film.gltrace", "-o", "o"], (*_COMPILER, *_MODEL, *_TABLES)),
        (["gputrace", "info", "film.gltrace"], (*_COMPILER, *_MODEL, *_TABLES, "replay", "llvmlite")),
        (["gputrace", "dump", "film.gltrace"], (*_COMPILER, *_MODEL, *_TABLES, "replay", "llvmlite")),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_a_command_imports_what_it_needs(film: Path, line: list[str], unwanted: tuple[str, ...]) -> None:
    imports_of(film.parent, *line)  # from here on machine code lies in the cache
    found = imports_of(film.parent, *line)
    assert not {name for name in found for no in unwanted if name == no or name.startswith(no + ".")}


def test_linked_kernels_draw_what_the_compiler_s_draw(film: Path) -> None:
    line = ["gpureplay", "images", "film.gltrace", "-o"]
    # Whatever is set for Numba, Numba is asked.
    assert "numba" in imports_of(film.parent, *line, "compiled", NUMBA_NUM_THREADS="1")
    imports_of(film.parent, *line, "linked")
    assert "numba" not in imports_of(film.parent, *line, "linked")
    compiled, linked = (
        {path.name: path.read_bytes() for path in (film.parent / folder).iterdir()} for folder in ("compiled", "linked")
    )
    assert compiled
    assert linked == compiled
