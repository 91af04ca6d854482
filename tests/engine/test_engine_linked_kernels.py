"""Machine code that is linked without Numba: when it is taken, and when not."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from replay import linked_kernels
from replay.engine.entries import BATCH_KERNELS, LIST_VERTICES
from traceformat.checked_files import write_checked

_MODULE = "replay.engine.kernels.streams"


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """File of a module's machine code in an empty folder, written by the way through Numba."""
    for name in [name for name in os.environ if name.startswith("NUMBA_")]:
        monkeypatch.delenv(name)
    found = tmp_path / "streams.entries"
    linked_kernels._import(_MODULE, found)
    return found


def test_what_numba_made_is_linked(path: Path) -> None:
    linked = linked_kernels._link(_MODULE + ".test", path)
    assert linked is not None
    assert set(linked) == {"list_vertices"}
    assert LIST_VERTICES.address != linked["list_vertices"]


@pytest.mark.parametrize("damage", ["cut", "no object", "symbol"])
def test_what_cannot_be_linked_is_left(path: Path, damage: str) -> None:
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-1])
    else:
        symbol, code = pickle.loads(path.read_bytes()[32:])["list_vertices"]
        broken = (symbol, b"\x7fELF" + bytes(60)) if damage == "no object" else ("another", code)
        write_checked(path, pickle.dumps({"list_vertices": broken}))
    assert linked_kernels._link(f"{_MODULE}.{damage}", path) is None
    assert path.exists() == (damage != "cut")


def test_a_changed_source_has_another_file(tmp_path: Path) -> None:
    for name in ("replay/a.py", "traceformat/b/c.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("A = 1\n")
    before = sorted(linked_kernels._sources(tmp_path))
    assert before == sorted(linked_kernels._sources(tmp_path))
    seen = [before]
    for change in (
        lambda: (tmp_path / "replay/a.py").write_text("A = 22\n"),
        lambda: os.utime(tmp_path / "traceformat/b/c.py", ns=(1, 1)),
        lambda: (tmp_path / "replay/d.py").touch(),
        lambda: (tmp_path / "traceformat/b/c.py").unlink(),
    ):
        change()
        seen.append(sorted(linked_kernels._sources(tmp_path)))
        assert seen[-1] not in seen[:-1]


def test_numba_s_settings_ask_numba(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(linked_kernels, "_made_from", linked_kernels._made_from.__wrapped__)
    for name in [name for name in os.environ if name.startswith("NUMBA_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    assert linked_kernels._file_of(_MODULE) is not None
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert linked_kernels._file_of(_MODULE) is None
    monkeypatch.delenv("NUMBA_BOUNDSCHECK")
    (tmp_path / ".numba_config.yaml").touch()
    assert linked_kernels._file_of(_MODULE) is None


def test_every_entry_exists() -> None:
    assert all(kernel.address for kernel in BATCH_KERNELS.values())
