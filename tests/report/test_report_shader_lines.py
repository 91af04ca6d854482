"""What shaders executed by line: sums are the counters, lines are where the work is."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from films import Film
from object_films import Thing, object_film

from gpumodel.cli import cli
from gpumodel.columns import REQUIRED_COLUMNS
from gpumodel.config import load_config
from gpumodel.report.shader_lines import ShaderLines, StageLines
from gpumodel.runs import Run
from gpumodel.workload import KIND_NAMES
from replay import frames
from traceformat.cli.door import run as run_command
from traceformat.gputrace.frametrace import SOURCE_COLUMNS, ColumnSet
from traceformat.gputrace.reader import GpuTraceWriter

LOOP = """precision highp float;
varying vec4 v;
uniform sampler2D t;
void main() {
    vec4 sum = vec4(0.0);
    for (int k = 0; k < 5; k++) {
        if (v.x * float(k) > 0.7) break;
        sum += texture2D(t, v.xy * float(k));
    }
    if (v.y > 0.6) discard;
    gl_FragColor = sum + sin(v);
}
"""


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    one = Film()
    for _ in range(2):
        one.all_squares()
        one.swap()
    other = one.program(
        "attribute vec4 p; attribute vec4 c; varying vec4 v;\nvoid main() { v = c; gl_Position = p; }", LOOP
    )
    one("glUseProgram", other)
    one.all_squares()
    one.swap()
    return one.write(tmp_path_factory.mktemp("film") / "film.gltrace")


def measured(path: Path) -> tuple[list[StageLines], Counter[str]]:
    """Lines of all frames, and the counters of the same run."""
    gpu = load_config("mali450-vro", ())
    lines, run = ShaderLines(gpu), Run(gpu, attribution=True)
    for frame in frames(path, columns=ColumnSet([*REQUIRED_COLUMNS, *SOURCE_COLUMNS])):
        for raw in run.feed(frame):
            assert lines.add(frame, raw.passes)
    totals: Counter[str] = Counter()
    for result in run.result.frames:
        totals.update(result.counters)
        units = [states for unit, states in result.stalls.items() if unit.startswith("fragment_processor")]
        totals["stalls"] += sum(states["data"] + states["resource"] for states in units)
    run.close()
    return lines.stages, totals


def test_sums_over_lines_are_the_counters(film: Path, tmp_path: Path) -> None:
    things = [Thing.plane("near", -0.5), Thing.plane("leaves", 0.2, foliage=True), Thing.plane("far", 0.5, blend=True)]
    objects = tmp_path / "objects.gltrace"
    object_film(objects, [things, things[::-1]])
    for path in (film, objects):
        stages, totals = measured(path)
        for short, name in (("vs", "vertex"), ("fs", "fragment")):
            mine = [stage for stage in stages if stage.stage == name]
            assert sum(stage.cycles for stage in mine) == totals[f"{short}.issue_cycles"]
            for kind, word in enumerate(KIND_NAMES):
                assert sum(int(stage.executed[:, kind].sum()) for stage in mine) == totals[f"{short}.executed.{word}"]
        assert totals["fs.issue_cycles"] > 0
        assert sum(int(stage.texels.sum()) for stage in stages) == totals["texels"]
        assert sum(int(stage.texture_lines.sum()) for stage in stages) == totals["cache.texture.accesses"]
        assert sum(int(stage.texture_misses.sum()) for stage in stages) == totals["cache.texture.misses"]
        assert sum(int(stage.stall_cycles.sum()) for stage in stages) == totals["stalls"]
        assert path is objects or (totals["cache.texture.misses"] > 0 and totals["stalls"] > 0)
        assert sum(s.invocations for s in stages if s.stage == "fragment") == totals["fragments.shaded"]


def test_work_is_at_the_lines_that_ask_for_it(film: Path) -> None:
    stages, _ = measured(film)
    (loop,) = (stage for stage in stages if stage.text == LOOP)
    assert {line for line in range(13) if loop.issue_cycles[line]} == {6, 7, 8, 10, 11}
    for column in (loop.texels, loop.texture_cycles, loop.texture_misses, loop.stall_cycles):
        assert {line for line in range(13) if column[line]} == {8}
    assert loop.texture_cycles[8] >= loop.texture_lines[8]
    # Between one and five turns.
    turns = loop.executed[8, KIND_NAMES.index("texture")] / loop.invocations
    assert 1 < turns < 5
    assert loop.executed[11, KIND_NAMES.index("transcendental")] <= 4 * loop.invocations
    assert loop.shortest < loop.longest


def shader(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert run_command(cli, ["shader", *words], name="gpureplay") == status
    said = capsys.readouterr()
    return said.err if status else said.out


def test_the_command_annotates_sources(film: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(shader(capsys, str(film), "--json"))
    assert document["frames"] == 3
    cycles: Counter[int] = Counter()
    for stage in document["stages"]:
        cycles[stage["program"]] += stage["issue_cycles"]
    assert document["stages"][0]["program"] == cycles.most_common(1)[0][0]
    number = next(stage["program"] for stage in document["stages"] if stage["source"] == LOOP.splitlines())
    text = shader(capsys, str(film), "--program", str(number), "--frames", "2-2")
    rows = [line.split() for line in text.splitlines() if "texture2D" in line]
    assert rows[0][0].endswith("%")
    assert rows[0][rows[0].index("sum") - 1] == "8"
    assert "program" in shader(capsys, str(film))


def test_the_command_refuses_what_makes_no_sense(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "no draw uses program 99" in shader(capsys, str(film), "--program", "99", status=2)
    assert "--gl is for files" in shader(capsys, str(film), "--gl", status=2)
    assert "for a trace" in shader(capsys, "a.vert", "--program", "1", status=2)
    bare = tmp_path / "bare.gputrace"
    with GpuTraceWriter(bare) as writer:
        for frame in frames(film, columns=REQUIRED_COLUMNS):
            writer.write(frame)
    assert "does not know the sources" in shader(capsys, str(bare), status=2)
