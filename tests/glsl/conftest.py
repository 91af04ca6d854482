from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from replay.glsl import CompileOptions, Program, compile_shader, link_program
from replay.glsl.conformance.pipeline import fill_constants
from replay.glsl.numpy_executor import NumpyResult, NumpyStage

PASS_THROUGH = {
    "": "attribute vec4 position; void main() { gl_Position = position; }",
    "#version 300 es\n": "#version 300 es\nin vec4 position; void main() { gl_Position = position; }",
    "#version 330\n": "#version 330\nin vec4 position; void main() { gl_Position = position; }",
}


def _link(vertex: str, fragment: str, **options: Any) -> Program:
    es = "#version 1" not in vertex and "#version 33" not in vertex
    shaders = [
        compile_shader(vertex, "vertex", CompileOptions(es=es)),
        compile_shader(fragment, "fragment", CompileOptions(es=es)),
    ]
    return link_program(shaders, **options)


@pytest.fixture(scope="session")
def link() -> Callable[..., Program]:
    """Compile and link two sources."""
    return _link


@pytest.fixture(scope="session")
def run_fragment() -> Callable[..., tuple[Program, NumpyResult]]:
    """Run a fragment shader over lanes: uniforms by name, varyings as (w, lanes) arrays."""

    def run(
        source: str,
        lanes: int = 4,
        uniforms: dict[str, Any] | None = None,
        varyings: dict[str, Any] | None = None,
        coverage: Any = None,
        **options: Any,
    ) -> tuple[Program, NumpyResult]:
        version = next((v for v in ("#version 300 es\n", "#version 330\n") if source.startswith(v)), "")
        vertex = PASS_THROUGH[version]
        if varyings:
            words = "varying" if not version else "out"
            declared = ""
            for name, value in varyings.items():
                width = len(value)
                declared += f"{words} {'float' if width == 1 else f'vec{width}'} {name};\n"
            vertex = version + declared + vertex.removeprefix(version)
        program = _link(vertex, source)
        assert program.ok, program.log + "".join(
            compile_shader(source, "fragment", CompileOptions(es=version != "#version 330\n")).log
        )
        ir = program.fragment
        assert ir is not None
        values = {k: np.atleast_2d(np.array(v, np.float64)) for k, v in (uniforms or {}).items()}
        areas = [area[:, 0] for area in fill_constants(program, ir, values, 1)]
        inputs = []
        for slot in ir.inputs:
            given = (varyings or {}).get(slot.name)
            if given is None:
                given = np.zeros((slot.type.width, lanes))
            inputs.append(np.broadcast_to(np.array(given, np.float32), (slot.type.width, lanes)))
        return program, NumpyStage(ir).run(lanes, inputs, areas, coverage, **options)

    return run


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data; skips where there is none."""
    default = Path(__file__).resolve().parents[2].parent / "shared"
    folder = Path(os.environ.get("GPUREPLAY_SHARED") or default)
    if not (folder / "conformance").is_dir():
        pytest.skip(f"no reference data in {folder}; set GPUREPLAY_SHARED")
    return folder
