"""The harness on a sample of the conformance cases, and its negative controls."""

# ruff: noqa: E501  (a shader reads best as one string)

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from replay.glsl.conformance.judge import Verdict, judge, perturbed
from replay.glsl.conformance.pipeline import Executor, LlvmExecutor, NumpyExecutor


@pytest.mark.parametrize(("name", "size"), [("cases.jsonl", 250), ("piglit_cases.jsonl", 150)])
def test_sample_of_cases(shared: Path, name: str, size: int) -> None:
    lines = (shared / "conformance" / name).read_text().splitlines()
    executor = NumpyExecutor()
    wrong = []
    for line in random.Random(20261121).sample(lines, size):
        case = json.loads(line)
        verdict = judge(case, executor)
        if verdict.result not in ("pass", "skip"):
            wrong.append((case["id"], verdict))
        if verdict.result == "pass" and not case["expect"].endswith("fail"):
            assert verdict.control == "failed"
    assert not wrong


CASE = {
    "id": "own/add",
    "suite": "own",
    "file": "own",
    "glsl_version": "100 es",
    "es_version": 100,
    "kind": "fragment",
    "expect": "pass",
    "passes": 2,
    "vertex_source": "attribute vec4 dEQP_Position; attribute float a; varying float v; void main() { v = a; gl_Position = dEQP_Position; }",
    "fragment_source": "precision highp float; varying float v; uniform float ref; void main() { float sum = v + 1.0; gl_FragColor = vec4(abs(sum - ref) < 0.05); }",
    "frag_color": "gl_FragColor",
    "expected_color": [[1.0, 1.0, 1.0]] * 2,
    "inputs": [{"name": "a", "attribute": "a", "attribute_type": "float", "values": [[1.0], [2.0]]}],
    "uniforms": [],
    "outputs": [{"name": "ref", "type": "float", "ref_uniform": "ref", "values": [[2.0], [3.0]]}],
}


@pytest.mark.parametrize("executor", [NumpyExecutor, LlvmExecutor])
def test_case_with_a_texture_that_nobody_bound(executor: Callable[[], Executor]) -> None:
    source = CASE["fragment_source"].replace("uniform float ref;", "uniform float ref; uniform sampler2D t;")  # type: ignore[attr-defined]
    case = {**CASE, "fragment_source": source.replace("v + 1.0", "v + texture2D(t, vec2(v)).a")}
    assert judge(case, executor()).result == "pass"


def test_right_wrong_and_cheating_cases() -> None:
    executor = NumpyExecutor()
    assert judge(CASE, executor).result == "pass"
    wrong = {**CASE, "fragment_source": CASE["fragment_source"].replace("1.0;", "2.0;", 1)}  # type: ignore[attr-defined]
    assert judge(wrong, executor).result == "fail"
    cheat = {**CASE, "fragment_source": "void main() { gl_FragColor = vec4(1.0); }"}
    verdict = judge(cheat, executor)
    assert (verdict.result, verdict.control) == ("fail", "passed")
    reject = {**CASE, "expect": "compile_fail"}
    assert judge(reject, executor).result == "fail"


def test_shaders_that_need_only_compile() -> None:
    executor = NumpyExecutor()
    case = {"kind": "compile_vertex", "es_version": 100, "expect": "pass"}
    assert judge({**case, "vertex_source": "void main() { }\n// \\"}, executor) == Verdict("pass", "failed")


def test_requirements_as_names_and_as_records() -> None:
    executor = NumpyExecutor()
    for known in (
        "GL_OES_standard_derivatives",
        {"extension": ["GL_none", "GL_EXT_frag_depth"]},
        {"flag": "full_glsl_es_100_support"},
    ):
        assert judge({**CASE, "requires": [known]}, executor).result == "pass"
    for missing in (
        "GL_none",
        {"extension": "GL_none"},
        {"flag": "exactly_one_draw_buffer"},
        "exactly_one_draw_buffer",
    ):
        assert judge({**CASE, "requires": [missing]}, executor).result == "skip"


NO_REFERENCES = {
    **CASE,
    "vertex_source": "#version 300 es\nin vec4 dEQP_Position; in float a; invariant smooth out mediump vec4 v; void main() { v = vec4(a); gl_Position = dEQP_Position; }",
    "expected_color": [[1.0, 1.0, 1.0]],
    "passes": 1,
    "inputs": [{"name": "a", "attribute": "a", "attribute_type": "float", "values": [[1.0]]}],
    "outputs": [],
}


@pytest.mark.parametrize(
    ("declaration", "value"),
    [
        ("layout(location = 0) out mediump vec4 other", "v"),
        ("out lowp vec3 other", "v.xyz"),
        ("layout(location = 0) out highp vec4 other[2]", "vec4[2](v, v)"),
    ],
)
def test_control_of_outputs_of_any_name_and_type(declaration: str, value: str) -> None:
    fragment = f"#version 300 es\nsmooth in mediump vec4 v; {declaration}; void main() {{ other = {value}; }}"
    case = {**NO_REFERENCES, "fragment_source": fragment}
    assert judge(case, NumpyExecutor()) == Verdict("pass", "failed")


def test_perturbation() -> None:
    assert perturbed(np.array([2.0, -2.0]), "vec2").tolist() == [4.0, 0.0]
    assert perturbed(np.array([2.0, -2.0]), "ivec2").tolist() == [3.0, -1.0]
    assert perturbed(np.array([0.0, 1.0]), "bvec2").tolist() == [1.0, 0.0]


def test_several_processes(tmp_path: Path) -> None:
    """``python -m`` of the package: its workers find what they are to do."""
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(json.dumps({**CASE, "id": f"own/{k}"}) + "\n" for k in range(120)))
    command = [sys.executable, "-m", "replay.glsl.conformance", str(cases), "--jobs", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "120 of   120  valid" in done.stdout


def test_command_line(tmp_path: Path) -> None:
    cases, out = tmp_path / "cases.jsonl", tmp_path / "out.json"
    cases.write_text(json.dumps(CASE) + "\n")
    command = [sys.executable, "-m", "replay.glsl.conformance", str(cases), "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(out.read_text())
    assert report["cases"] == [
        {"id": "own/add", "suite": "own", "kind": "fragment", "expect": "pass", "result": "pass", "control": "failed", "reason": ""}
    ]  # fmt: skip
    missing = subprocess.run([*command[:3], str(tmp_path / "none")], capture_output=True, text=True, check=False)
    assert missing.returncode == 2
    assert "Traceback" not in missing.stderr
