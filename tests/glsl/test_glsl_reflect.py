"""The adapter to GL objects: linked programs come from the cache on disk, state that shaders read is filled in."""

from __future__ import annotations

import multiprocessing
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from replay import reflect
from replay.engine.programs import LinkedProgram
from replay.glsl import compile_shader, link_program
from replay.glsl.program_cache import ProgramCache

VERTEX = "attribute vec4 p; void main() { gl_Position = p * gl_DepthRange.diff; }"
FRAGMENT = (
    "precision highp float; uniform vec2 u;"
    "void main() { gl_FragColor = vec4(gl_DepthRange.near, gl_DepthRange.far, u); }"
)


def program_object() -> Any:
    shaders = [
        SimpleNamespace(compiled=True, backing=compile_shader(text, stage))
        for text, stage in ((VERTEX, "vertex"), (FRAGMENT, "fragment"))
    ]
    return SimpleNamespace(
        shaders=shaders, attribute_bindings={}, fragment_bindings={}, feedback_varyings=(), separable=False, owners=()
    )


def test_a_program_is_linked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUREPLAY_CACHE", str(tmp_path))
    reflect._program_cache.cache_clear()
    try:
        first = reflect.link_program(program_object())
        (folder,) = tmp_path.glob("programs-*")
        (entry,) = folder.iterdir()
        monkeypatch.setattr("replay.glsl.linking.linker.link", None)  # a second link would fail
        assert reflect.reflect(reflect.link_program(program_object())) == reflect.reflect(first)
        monkeypatch.undo()
        entry.write_bytes(b"damaged")
        monkeypatch.setenv("GPUREPLAY_CACHE", str(tmp_path))
        assert reflect.reflect(reflect.link_program(program_object())) == reflect.reflect(first)
        assert entry.read_bytes() != b"damaged"
    finally:
        reflect._program_cache.cache_clear()


def test_folders_of_older_compilers_are_removed(tmp_path: Path) -> None:
    for age in range(5):
        (tmp_path / f"programs-{age}").mkdir()
    cache = ProgramCache.of_this_compiler(tmp_path)
    assert cache.folder in list(tmp_path.iterdir())
    assert len(list(tmp_path.iterdir())) == 3


def _link_often(folder: Path) -> int:
    good = 0
    for k in range(12):
        shaders = [compile_shader(VERTEX + f"// {k}", "vertex"), compile_shader(FRAGMENT, "fragment")]
        good += link_program(shaders, cache=ProgramCache(folder)).ok
    return good


def test_two_processes_share_a_folder(tmp_path: Path) -> None:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_link_often, [tmp_path, tmp_path]) == [12, 12]
    entries = list(tmp_path.iterdir())
    assert len(entries) == 12
    assert all(ProgramCache(tmp_path).read(entry.name) is not None for entry in entries)


def test_depth_range_reaches_both_stages() -> None:
    linked = link_program([compile_shader(VERTEX, "vertex"), compile_shader(FRAGMENT, "fragment")])
    assert linked.ok, linked.log
    uniforms = reflect.reflect(linked).uniforms
    assert {u.name for u in uniforms} == {"gl_DepthRange.near", "gl_DepthRange.far", "gl_DepthRange.diff", "u"}
    assert {u.name: u.location for u in uniforms if u.location >= 0} == {"u": 0}
    slots = [
        SimpleNamespace(index=k, offset=8 * k, element_bytes=4, uniform=uniform) for k, uniform in enumerate(uniforms)
    ]
    executable: Any = SimpleNamespace(slots=slots, constants=bytearray(8 * len(slots)), changed=set(), version=0)
    context: Any = SimpleNamespace(depth_range=(0.25, 0.75), uniform_buffers=[])
    program = LinkedProgram(linked, (0, 0))
    program.refresh_builtins(context, executable)
    vertex, fragment = (program.constants(stage, context, executable, 1).areas[0] for stage in ("vertex", "fragment"))
    assert 0.5 in [struct.unpack("<f", word.tobytes())[0] for word in vertex]
    values = [struct.unpack("<f", word.tobytes())[0] for word in fragment]
    assert 0.25 in values
    assert 0.75 in values
    assert executable.changed
    executable.changed.clear()
    program.refresh_builtins(context, executable)
    assert not executable.changed
