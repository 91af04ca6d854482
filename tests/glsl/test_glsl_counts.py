"""Instruction counts: static, executed, and against Mesa's TGSI."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from replay.glsl import CompileOptions, compile_shader, link_program
from replay.glsl.counts import InstructionKind, count_instructions
from traceformat.gputrace.frametrace import InstructionKind as TraceKind


def test_kinds_are_those_of_the_frame_trace() -> None:
    assert [(k.name, int(k)) for k in InstructionKind] == [(k.name, int(k)) for k in TraceKind]


def executed(run_fragment: Callable[..., Any], source: str, **given: Any) -> tuple[Any, Any, Any]:
    program, result = run_fragment(source, record=True, **given)
    return program, result, result.log.executed(program.fragment, len(result.alive))


def test_branch_free_counts_are_static_counts_in_every_live_lane(run_fragment: Callable[..., Any]) -> None:
    source = (
        "precision highp float; varying vec3 v; uniform vec3 l; void main() { vec3 n = normalize(v);"
        " gl_FragColor = vec4(pow(max(dot(n, l), 0.0), 8.0) * l + fract(v), 1.0); }"
    )
    coverage = np.array([True, True, False, True])
    program, _, counts = executed(run_fragment, source, coverage=coverage, varyings={"v": np.ones((3, 4))})
    static = np.zeros(6, np.int64)
    for block in program.fragment.blocks:
        for kind, _ in block.kinds:
            static[kind] += 1
    assert (counts == coverage[:, None] * static).all()
    total = count_instructions(program.fragment)
    assert total.alu == static[0] + static[1]
    # normalize: DP3, RSQ, MUL; dot: DP3; MAX; POW; FRC; MAD
    assert (static[0], static[1]) == (6, 2)


def test_divergent_loop_counts_by_hand(run_fragment: Callable[..., Any]) -> None:
    source = (
        "precision highp float; varying float v; void main() { float s = 1.0;"
        " for (float i = 0.0; i < v; i++) { s *= 1.5; s = exp2(s); } gl_FragColor = vec4(s); }"
    )
    _, _, counts = executed(run_fragment, source, varyings={"v": [[0, 1, 2, 5]]})
    rounds = np.array([0, 1, 2, 5])
    # Each round: multiply, exp2, step; each test: one comparison and one branch, once more than there are rounds.
    assert counts[:, InstructionKind.TRANSCENDENTAL].tolist() == rounds.tolist()
    assert counts[:, InstructionKind.ALU].tolist() == (2 * rounds + rounds + 1).tolist()
    assert counts[:, InstructionKind.CONTROL].tolist() == (rounds + 1 + rounds).tolist()


def test_divergent_branch_and_discard_by_hand(run_fragment: Callable[..., Any]) -> None:
    source = (
        "precision highp float; varying float v; uniform sampler2D t; void main() { float s = v;"
        " if (v > 1.0) { s = exp2(exp2(exp2(exp2(exp2(exp2(exp2(exp2(exp2(v))))))))); }"
        " if (s > 1e30) discard; gl_FragColor = vec4(sqrt(s)); }"
    )
    _, result, counts = executed(run_fragment, source, varyings={"v": [[0, 1, 2, 0.5]]})
    assert result.alive.tolist() == [True, True, False, True]
    # Lane 2 alone takes the branch: nine exp2; it is discarded before the square root.
    assert counts[:, InstructionKind.TRANSCENDENTAL].tolist() == [1, 1, 9, 1]
    assert counts[:, InstructionKind.KILL].tolist() == [1, 1, 1, 1]


def test_early_return_is_not_counted_further(run_fragment: Callable[..., Any]) -> None:
    source = (
        "precision highp float; varying float v; void main() { gl_FragColor = vec4(0.0); if (v < 1.0) return;"
        " gl_FragColor = vec4(sin(v)); }"
    )
    _, _, counts = executed(run_fragment, source, varyings={"v": [[0, 1, 2, 0.5]]})
    assert counts[:, InstructionKind.TRANSCENDENTAL].tolist() == [0, 1, 1, 0]


def test_path_of_a_quad(run_fragment: Callable[..., Any]) -> None:
    source = (
        "precision highp float; varying float v; void main() { float s = 0.0;"
        " for (float i = 0.0; i < v; i++) s = sin(s + i); gl_FragColor = vec4(s); }"
    )
    coverage = np.array([True, True, True, False])
    program, result, _ = executed(run_fragment, source, coverage=coverage, varyings={"v": [[2, 0, 1, 0]]})
    steps = result.log.quad_path(0)
    active = [step & 15 for step in steps]
    helpers = [step >> 4 & 15 for step in steps]
    assert active[0] == active[-1] == 15
    assert helpers[0] == 8
    assert {5, 1} <= set(active)
    assert all(step >> 8 < len(program.fragment.blocks) for step in steps)


def test_tgsi_reference(shared: Path) -> None:
    """ALU without moves within 15 % in the median and 35 % at worst; texture counts exact."""
    deviations = []
    files = sorted((shared / "facts" / "tgsi_reference").glob("*.json"))
    assert len(files) > 20
    for path in files:
        if path.name == "counts.json":
            continue
        data = json.loads(path.read_text())
        options = CompileOptions(es=data["api"] == "es")
        program = link_program([compile_shader(s["source"], stage, options) for stage, s in data["stages"].items()])
        assert program.ok, (path.name, program.log)
        for stage, reference in data["stages"].items():
            counts = count_instructions(getattr(program, stage))
            assert counts.texture == reference["counts"]["tex"], (path.name, stage)
            wanted = reference["counts"]["alu_excluding_mov"]
            deviation = abs(counts.alu - wanted) / max(wanted, 1)
            assert deviation <= 0.35, (path.name, stage, counts.alu, wanted)
            deviations.append(deviation)
    assert statistics.median(deviations) <= 0.15


@pytest.mark.parametrize(
    ("expression", "alu"),
    [
        ("vec4(mix(v.x, v.y, v.z))", 1),
        ("vec4(m * v)", 4),
        ("vec4(m * vec4(v.xyz, 1.0))", 4),
        ("clamp(v * 2.0, 0.0, 1.0)", 1),
        ("-abs(v) + v", 1),
        ("v.wzyx + v.xxxx", 1),
        ("vec4(dot(v, v))", 1),
        ("vec4(reflect(v.xyz, v.yzw), 1.0)", 3),
        ("sin(v)", 4),
        ("vec4(sin(v.x))", 1),
        ("v * v + v", 1),
    ],
)
def test_static_alu_counts(run_fragment: Callable[..., Any], expression: str, alu: int) -> None:
    source = f"precision highp float; varying vec4 v; uniform mat4 m; void main() {{ gl_FragColor = {expression}; }}"
    program, _ = run_fragment(source, varyings={"v": np.ones((4, 4))})
    assert count_instructions(program.fragment).alu == alu
