"""Each key of the configuration is read by something that runs: units, streams, bill, results, or a technique."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from films import HEIGHT, WIDTH, Film, film
from pydantic import BaseModel

from gpumodel.config import load_config
from gpumodel.config.load import machine_schema
from gpumodel.config.section import Section
from gpumodel.runs import Run
from gpumodel.techniques import known_techniques
from traceformat.gles import enums as gl

#: Where a value is only checked, or told to a person.
CHECKED = ("schema.py", "section.py", "config.py", "origin.py", "load.py")


class Reader:
    """Remembers the dotted keys that are read."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self._paths: dict[int, tuple[Section, str]] = {}

    def read(self, section: Section, name: str, value: Any, by: str) -> None:
        prefix = self._paths[id(section)][1] if id(section) in self._paths else ""
        if isinstance(value, Section):
            self._paths[id(value)] = value, f"{prefix}{name}."
        elif by not in CHECKED:
            self.keys.add(prefix + name)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    one = Reader()
    plain = BaseModel.__getattribute__

    def read(self: Section, name: str) -> Any:
        value = plain(self, name)
        if name in type(self).model_fields:
            one.read(self, name, value, Path(sys._getframe(1).f_code.co_filename).name)
        return value

    monkeypatch.setattr(Section, "__getattribute__", read, raising=False)
    return one


def keys_of(kind: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in kind.model_fields.items():
        kinds = [field.annotation, *getattr(field.annotation, "__args__", ())]
        inner = [one for one in kinds if isinstance(one, type) and issubclass(one, BaseModel)]
        yield from keys_of(inner[0], f"{prefix}{name}.") if inner else [prefix + name]


def with_depth(one: Film, _: int) -> None:
    """A frame that techniques that work with depths have something to do in."""
    one("glEnable", gl.GL_DEPTH_TEST)
    one.all_squares()


def run_everything(folder: Path) -> None:
    """Every technique, both memories, both kinds of Tile Fetchers."""
    known = known_techniques()
    columns = [column for technique in known.values() for column in technique.columns]
    frames = film(folder / "a.gltrace", [with_depth] * 2, columns)
    screen = [f"screen.width={WIDTH}", f"screen.height={HEIGHT}", "screen.scale_to_trace=false"]
    for preset, memory, name in (
        ("mali450-vro", "paper", ""), ("mali450-re", "dram", ""), ("tbr-fhd", "paper", ""), ("tbr-fhd", "dram", ""),
        *(("mali450-re", "paper", name) for name in known),
    ):  # fmt: skip
        one = Run(load_config(preset, [*screen, f"memory.mode={memory}"]), [name] if name else [])
        for frame in frames:
            one.feed(frame)
        one.finish()
        one.result.as_json()


@pytest.mark.slow
def test_every_key_is_read(reader: Reader, tmp_path: Path) -> None:
    run_everything(tmp_path)
    assert sorted(set(keys_of(machine_schema())) - reader.keys - {"name", "description"}) == []


def test_a_key_that_nobody_reads_is_found(reader: Reader) -> None:
    config = load_config("mali450-vro")
    assert config.caches.tile.ways == 8
    assert reader.keys == {"caches.tile.ways"}
