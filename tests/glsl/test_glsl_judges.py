"""Our compiler against Mesa's: which small shaders are accepted, which pairs link, and what shaders compute.

A sample of what ``judge_shaders.py`` and ``judge_values.py`` compare as a whole; the lines on which we differ from Mesa
are known by the reasons that stand in DIFFERENCES.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import shader_pairs
import shader_rules
from mesa_glsl import Mesa, MesaMissingError, MesaProcess

from replay.glsl import CompileOptions, compile_shader, link_program

sys.path.append(str(Path(__file__).parent))
from judge_shaders import HEADERS, STAGES, TABLE_VERSIONS, build, profile_of
from judge_values import CONTROL, CONTROL_DECLARED, Judge, exact_programs

pytestmark = pytest.mark.gl

SAMPLE, PAIR_SAMPLE = 50, 25
EVERY = frozenset(TABLE_VERSIONS)


class Difference(NamedTuple):
    """Shaders (or pairs) of the sample on which Mesa and we differ, and why."""

    ours: str  # "accept" or "reject"
    text: str  # stands in the shader
    versions: frozenset[int]
    reason: str


#: By family. Each must match something, and nothing else may differ.
DIFFERENCES = {
    "texture_misuse": [
        Difference("reject", "highp sampler3D t;", frozenset({100}), "§3.7: reserved; only an extension gives it"),
    ],
    "words": [
        Difference("accept", "float image2DRect;", EVERY - {100, 120}, "not in any version's list"),
    ],
    "scopes": [
        Difference("reject", "float x(); uniform B2 { vec4 x; };", EVERY - {100, 120}, "§4.2.3: one name, one scope"),
    ],
    "interface_variables": [
        Difference("reject", "invariant out uvec4 x;", frozenset({300}), "§4.3.6: integer outputs must be flat"),
        Difference("reject", "bool b; } ; out S x;", EVERY - {100, 120}, "§4.3.6: no booleans in outputs"),
    ],
    "statements": [Difference("reject", "1.0 + 1u", frozenset({120}), "unsigned numbers come with 1.30")],
    "extensions": [
        *(
            Difference("accept", f"#ifdef {name}", frozenset({300}), "Mesa has the macro, but not the extension")
            for name in ("GL_OES_standard_derivatives", "GL_EXT_draw_buffers", "GL_OES_EGL_image_external")
        ),
        Difference("reject", "GL_ARB_shading_language_420pack", EVERY - {100, 300}, "not offered"),
    ],
    "precisions": [
        Difference("reject", "uniform highp sampler3D a;", frozenset({100, 300}), "ESSL 1.00 §3.7: reserved"),
    ],
}
PAIR_DIFFERENCES = {
    "varying_types": [
        Difference(
            "reject", "const int x = int(1);", frozenset({330}), "the input is read, and no output has its name"
        ),
    ],
    "blocks": [
        Difference("reject", "layout(packed) uniform B", frozenset({300}), "§4.3.7: member-wise layout must match"),
    ],
    "programs": [
        Difference("reject", "if (false) f();", frozenset({100}), "called, though never run: a function needs a body"),
        Difference("accept", "void f(); void g() { f(); } void main() { }", EVERY, "nothing calls its caller"),
    ],
}


def unexplained(
    found: list[tuple[str, str, int, object]], known: list[Difference]
) -> tuple[list[tuple[str, str, int, object]], list[Difference]]:
    """Give the differences (ours, text, version, logs) that no reason covers, and the reasons that cover none."""
    used = {
        reason
        for reason in known
        for ours, text, version, _ in found
        if reason.ours == ours and reason.text in text and version in reason.versions
    }
    wrong = [
        item
        for item in found
        if not any(r.ours == item[0] and r.text in item[1] and item[2] in r.versions for r in used)
    ]
    return wrong, [reason for reason in known if reason not in used]


@pytest.fixture(scope="module")
def mesa() -> Iterator[MesaProcess]:
    try:
        Mesa.probe()
    except MesaMissingError as error:
        pytest.skip(f"no Mesa: {error}")
    judge = MesaProcess()
    yield judge
    judge.close()


def sample(items: list, size: int) -> list:
    items = list(dict.fromkeys(items))
    return items[:: max(len(items) // size, 1)]


@pytest.mark.parametrize("name", shader_rules.GENERATORS)
def test_accepts_what_mesa_accepts(mesa: MesaProcess, name: str) -> None:
    found = []
    for line in sample(shader_rules.GENERATORS[name](), SAMPLE):
        for version in TABLE_VERSIONS:
            for stage in STAGES:
                source = build(line, version, False)
                ours = compile_shader(source, stage, CompileOptions(es=version in (100, 300)))
                answer = mesa.ask(profile_of(version), "compile", source, stage)
                if answer is not None and answer[0] != ours.ok:
                    found.append(("accept" if ours.ok else "reject", line, version, (ours.log, answer[1])))
    assert unexplained(found, DIFFERENCES.get(name, [])) == ([], [])


@pytest.mark.parametrize("name", ["varying_types", "structures", "uniforms", "blocks", "programs"])
def test_links_what_mesa_links(mesa: MesaProcess, name: str) -> None:
    found = []
    for va, vertex, vb, fragment in sample(shader_pairs.GENERATORS[name](), PAIR_SAMPLE):
        texts = HEADERS[va] + vertex + "\n", HEADERS[vb] + fragment + "\n"
        options = CompileOptions(es=va in (100, 300))
        program = link_program([compile_shader(t, s, options) for t, s in zip(texts, STAGES, strict=True)])
        answer = mesa.ask(profile_of(max(va, vb)), "link", *texts)
        if answer is not None and (answer[0] == "ok") != program.ok:
            found.append(("accept" if program.ok else "reject", "".join(texts), va, (program.log, answer)))
    assert unexplained(found, PAIR_DIFFERENCES.get(name, [])) == ([], [])


def test_exact_programs_compute_what_mesa_computes(mesa: MesaProcess, capsys: pytest.CaptureFixture[str]) -> None:
    judge = Judge(False)
    exact_programs(judge, 0, 9)
    judge.mesa.close()
    assert judge.compared == 9
    assert not judge.different, capsys.readouterr().out


def test_control_flow_computes_what_mesa_computes(mesa: MesaProcess, capsys: pytest.CaptureFixture[str]) -> None:
    judge = Judge(False)
    for body in CONTROL[::2]:
        judge.compare(body, body, declared=CONTROL_DECLARED)
    judge.mesa.close()
    assert judge.compared == len(CONTROL[::2])
    assert not judge.different, capsys.readouterr().out


def test_a_wrong_value_is_found(mesa: MesaProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Judge(False)
    monkeypatch.setattr(judge, "ours", lambda fragment: (np.zeros((16, 16, 4), np.float32), ""))
    judge.compare("one", "color = vec4(1.0);")
    judge.mesa.close()
    assert judge.different == 1
