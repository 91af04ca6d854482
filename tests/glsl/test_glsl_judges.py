"""Our compiler against Mesa's: which small shaders are accepted, which pairs link, and what shaders compute.

A sample of what ``judge_shaders.py`` and ``judge_values.py`` compare as a whole; the lines on which we differ from Mesa
are known by the reason that stands in DIFFERENT.
"""

# ruff: noqa: E501  (a shader reads best as one string)

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import shader_pairs
import shader_rules
from mesa_glsl import Mesa, MesaMissingError, MesaProcess

from replay.glsl import CompileOptions, compile_shader, link_program

sys.path.append(str(Path(__file__).parent))
from judge_shaders import HEADERS, STAGES, TABLE_VERSIONS, build, profile_of
from judge_values import CONTROL, CONTROL_DECLARED, Judge

pytestmark = pytest.mark.gl

SAMPLE, PAIR_SAMPLE = 50, 25
#: Shaders on which Mesa differs, and who is right.
DIFFERENT = re.compile(
    r"\b\d[xX]?[0-9a-fA-F]*[uU]"  # Mesa takes unsigned numbers in every version
    r"|\bout (int|ivec|uint|uvec|N)"  # GLSL ES 3.00 §4.3.6: integer outputs must be flat; Mesa tells the input only
    r"|samplerExternalOES|image|double|dmat|row_major|gl_Max|gl_Clip|gl_\w*\)|\bgl_DepthRange"  # words and limits of later versions
    r"|sampler3D|sampler2DShadow|sampler2DArrayShadow|sampler2DRect|texture2D|textureCube|inverse|ftransform"
    r"|\b(abs|sign|min|max|clamp)\("  # Mesa takes integers in GLSL ES 1.00
    r"|struct x |struct S|B2|B1|x \{ vec4"  # §4.2.2: a structure, function or block of that name is there already
    r"|\bout vec4 x\[3\]|layout\(|Location|LOCATION"  # §4.3.8.2 and limits when linking
    r"|#|0xfffffff|2147483647|a{1000}|, a\)|\(3, 4\)|1, 2|: v : w|invariant"
)


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
    wrong = []
    for line in sample(shader_rules.GENERATORS[name](), SAMPLE):
        if DIFFERENT.search(line):
            continue
        for version in TABLE_VERSIONS:
            for stage in STAGES:
                source = build(line, version, False)
                ours = compile_shader(source, stage, CompileOptions(es=version in (100, 300)))
                answer = mesa.ask(profile_of(version), "compile", source, stage)
                if answer is not None and answer[0] != ours.ok:
                    wrong.append((version, stage, line, ours.log, answer[1]))
    assert not wrong


@pytest.mark.parametrize("name", ["varying_types", "structures", "uniforms", "blocks", "programs"])
def test_links_what_mesa_links(mesa: MesaProcess, name: str) -> None:
    wrong = []
    for va, vertex, vb, fragment in sample(shader_pairs.GENERATORS[name](), PAIR_SAMPLE):
        texts = HEADERS[va] + vertex + "\n", HEADERS[vb] + fragment + "\n"
        if re.search(
            r"\bout (int|ivec|uint|uvec)|struct T|packed|B14|flat|void f\(int\)|void g\(\) \{ f|int f\(\)",
            "".join(texts),
        ):
            continue
        options = CompileOptions(es=va in (100, 300))
        program = link_program([compile_shader(t, s, options) for t, s in zip(texts, STAGES, strict=True)])
        answer = mesa.ask(profile_of(max(va, vb)), "link", *texts)
        only_declared = "is no output" in program.log
        if answer is not None and (answer[0] == "ok") != program.ok and not only_declared:
            wrong.append((texts, program.log, answer))
    assert not wrong


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
