"""Small traces and studies of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from films import Film

#: Values that every study of films needs.
SIZE = {"screen.scale_to_trace": True}
#: Columns of the smallest study that has two configurations and a technique.
GRID = {"caches.l2.size_bytes": ["64K", "128K"]}


def film(path: Path, frames: int = 5, seed: int = 1) -> Path:
    """Record a film whose squares move; each seed is another one."""
    one = Film()
    for frame in range(frames):
        one.clear()
        for number in range(4):
            one("glUniform2f", one.shift, 0.02 * seed * frame * number, 0.0)
            one.square(number)
        one.swap()
    one.write(path)
    return path


def films(folder: Path, count: int = 2, frames: int = 5) -> list[Path]:
    """Record several."""
    return [film(folder / f"film{number}.gltrace", frames, number + 1) for number in range(count)]


def study(**given: Any) -> dict[str, Any]:
    """A study of all films in the current folder."""
    return {"traces": ["film*.gltrace"], "set": SIZE, **given}


def table_bytes(folder: Path) -> dict[str, bytes]:
    """What a study has written that must not depend on the host."""
    kept = [path for path in sorted(folder.rglob("*")) if path.suffix == ".parquet" or path.name == "study.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept}


def scenes(path: Path, frames: int = 120) -> Path:
    """Record a film of three scenes: few squares at rest, more and more of them that move, many at rest."""
    one = Film()
    for frame in range(frames):
        one.clear()
        scene, within = divmod(3 * frame, frames)
        count = (2, 4 + 8 * within // frames, 14)[scene]
        for number in range(count):
            one("glUniform2f", one.shift, 0.05 * number + (0.003 * within if scene == 1 else 0.0), 0.0)
            one.square(number)
        one.swap()
    one.write(path)
    return path
