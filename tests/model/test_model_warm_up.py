"""What a mean is of: set-up frames of trimmed traces and frames that warm up are modelled, named, and left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from films import Film

from gpumodel import load_config
from gpumodel.cli import cli
from gpumodel.warm_up import modelled_frames
from replay.player import frames as play
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter
from traceformat.gputrace.frametrace import FrameRole
from traceformat.gputrace.reader import GpuTraceWriter, open_gputrace
from traceformat.tools.trim.writing import trim

CONFIG = load_config("mali450-re")
EXACT = ("re", "te", "re+te")


def scene(one: Film, frame: int) -> None:
    """Two squares stand still, one moves every frame, one every third."""
    one.clear()
    for number in range(4):
        shift = (0.0, 0.0, 0.03 * frame, 0.05 * (frame // 3))[number]
        one("glUniform2f", one.shift, shift, 0.0)
        one.square(number)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("warm") / "film.gltrace"
    one = Film()
    for frame in range(8):
        scene(one, frame)
        one.swap()
    one.write(path)
    return path


@pytest.fixture(scope="module")
def trimmed(trace: Path) -> Path:
    path = trace.with_name("trimmed.gltrace")
    with open_trace(trace) as reader:
        trim(reader, path, frames=range(3, 6))
    return path


def run(*arguments: Any, status: int = 0) -> tuple[list[dict[str, Any]], Any]:
    done = CliRunner().invoke(
        cli, ["run", *map(str, arguments), "-c", "mali450-re", "--set", "screen.scale_to_trace=true", "--json", "-"],
        standalone_mode=False,
    )  # fmt: skip
    assert done.exception is None, done.exception
    assert done.return_value in (status, None), done.output
    return json.loads(done.stdout)["runs"], done


def roles(frames: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return [(frame["frame"], frame["role"]) for frame in frames]


def test_the_set_up_frame_of_a_trimmed_trace_is_not_part_of_a_mean(trace: Path, trimmed: Path) -> None:
    with open_trace(trimmed) as reader:
        assert len(reader.frames) == 4
        assert reader.properties["trimmed"]["set_up"] == reader.set_up_frames == 1
    (cut,), _ = run(trimmed)
    assert roles(cut["frames"]) == [(0, "set-up"), (1, "measured"), (2, "measured"), (3, "measured")]
    assert cut["total"]["cycles"]["total"] == sum(frame["cycles"]["total"] for frame in cut["frames"][1:])
    (whole,), _ = run(trace, "--frames", "3-5")
    assert cut["total"]["counters"]["fragments.shaded"] == whole["total"]["counters"]["fragments.shaded"] > 0


def test_trimmed_again_and_from_the_first_frame_on(trimmed: Path, trace: Path, tmp_path: Path) -> None:
    for frames, count in ((range(4), 1), (range(2), 1), (range(1, 3), 1), (range(2, 4), 1)):
        with open_trace(trimmed) as reader:
            trim(reader, tmp_path / "a.gltrace", frames=frames)
        with open_trace(tmp_path / "a.gltrace") as again:
            assert again.set_up_frames == count, frames
            assert len(again.frames) == len(frames) + (frames.start > 0)
    with open_trace(trace) as reader:
        assert reader.set_up_frames == 0
        trim(reader, tmp_path / "a.gltrace", frames=range(3))
    with open_trace(tmp_path / "a.gltrace") as first:
        assert first.set_up_frames == 0


@pytest.mark.parametrize(("value", "count"), [(None, 1), (0, 0), (2, 2), (99, 4), (-3, 0), ("many", 1)], ids=str)
def test_what_a_trace_says_of_its_set_up(trimmed: Path, tmp_path: Path, value: Any, count: int) -> None:
    """Without a word of it (an older trim), or one that is none, a first frame that draws nothing is known."""
    with open_trace(trimmed) as reader:
        about = {**reader.properties["trimmed"], "set_up": value}
        if value is None:
            del about["set_up"]
        with TraceWriter(tmp_path / "a.gltrace", {**reader.properties, "trimmed": about}) as writer:
            for call in reader:
                writer.write_call(call)
    with open_trace(tmp_path / "a.gltrace") as reader:
        assert reader.set_up_frames == count


def test_a_gputrace_keeps_roles(trimmed: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.gputrace"
    with play(trimmed) as played, GpuTraceWriter(path) as writer:
        for frame in played:
            if frame.frame == 1:
                frame.role = FrameRole.WARM_UP
            writer.write(frame)
    with open_gputrace(path) as reader:
        assert [frame.role for frame in reader] == ["set-up", "warm-up", "measured", "measured"]
    data = path.read_bytes()
    assert data.count(b'"role"') in (0, 2)


@pytest.mark.parametrize(
    ("technique", "asked", "modelled"),
    [("", (5, 7), (4, 7)), ("re", (5, 7), (2, 7)), ("te", (5, 7), (3, 7)), ("vro", (5, 7), (3, 7)),
     ("memo", (5, 7), (2, 8)), ("memo", (4, 6), (2, 6)), ("pfr", (4, 5), (2, 6)), ("pfr", (5, 6), (2, 6)),
     ("dr", (5, 7), (4, 7)), ("re+te", (1, 2), (-2, 2))],
)  # fmt: skip
def test_each_technique_says_how_far_it_looks_back(
    technique: str, asked: tuple[int, int], modelled: tuple[int, int]
) -> None:
    """In pairs the partner of the last frame is modelled too."""
    ids = tuple(technique.split("+")) if technique else ()
    assert modelled_frames(CONFIG, ids, range(*asked)) == range(*modelled)
    assert modelled_frames(CONFIG, ids, range(*asked), 1) == range(asked[0] - 1, asked[1])
    assert modelled_frames(CONFIG, ids, range(*asked), 0) == range(*asked)


def test_figures_of_a_range_are_those_of_the_whole_run(trace: Path) -> None:
    # The command-level memory's refreshes fall elsewhere in a shorter run: 3 % of frames of a thousand cycles.
    wanted = ["--memory", "paper"]
    wanted += [word for technique in (*EXACT, "vro", "memo", "pfr") for word in ("-t", technique)]
    whole, _ = run(trace, *wanted)
    part, _ = run(trace, *wanted, "--frames", "5-6")
    cold, _ = run(trace, *wanted, "--frames", "5-6", "--warmup", "0")
    for one, other in zip(whole, part, strict=True):
        measured = {frame["frame"]: frame for frame in other["frames"] if frame["role"] == "measured"}
        assert sorted(measured) == [5, 6]
        assert other["total"]["cycles"]["total"] == sum(frame["cycles"]["total"] for frame in measured.values())
        for frame in one["frames"][5:7]:
            mine = measured[frame["frame"]]
            assert mine["cycles"]["total"] == pytest.approx(frame["cycles"]["total"], rel=0.01)
            if one["technique"] in EXACT:
                own = {k: v for k, v in frame["counters"].items() if k.startswith(("re.", "te.", "tiles.", "frag"))}
                assert {name: mine["counters"][name] for name in own} == own
    by_name = {one["technique"]: one["frames"] for one in part}
    assert roles(by_name["baseline"]) == [(4, "warm-up"), (5, "measured"), (6, "measured")]
    assert [frame for frame, _ in roles(by_name["re"])] == [2, 3, 4, 5, 6]
    assert [frame for frame, _ in roles(by_name["te"])] == [3, 4, 5, 6]
    assert [frame for frame, _ in roles(by_name["memo"])] == [2, 3, 4, 5, 6, 7]
    assert dict(roles(by_name["memo"]))[7] == "warm-up"
    assert all(role == "measured" for one in cold for _, role in roles(one["frames"]))
    assert cold[1]["frames"][0]["counters"]["re.tiles_skipped"] == 0


def test_a_run_is_the_same_whatever_runs_beside_it(trace: Path) -> None:
    alone, _ = run(trace, "--frames", "5-6")
    beside, _ = run(trace, "--frames", "5-6", "-t", "memo")
    assert beside[0] == alone[0]


def test_warm_up_frames_are_saved_and_named(trace: Path, tmp_path: Path) -> None:
    saved = tmp_path / "a.gputrace"
    first, done = run(trace, "--frames", "5-6", "-t", "re", "--save-gputrace", saved)
    again, _ = run(saved, "-t", "re")
    assert [one["frames"] for one in again] == [one["frames"] for one in first]
    fewer, done = run(saved, "-t", "re", "--frames", "4-5")
    assert "re: 2 of 3 frames to warm up: there are no more" in done.stderr
    assert [role for _, role in roles(fewer[1]["frames"])] == ["warm-up", "warm-up", "measured", "measured"]
    table = CliRunner().invoke(cli, ["run", str(saved), "-t", "re", "--set", "screen.scale_to_trace=true"])
    said = " ".join(table.output.split())  # headings wrap and are centred as the terminal is wide
    assert "film.gltrace: mean of 2 frames, without warm-up frame 4; ratios" in said
    assert "re: mean of 2 frames, without warm-up frames 2, 3, 4" in said


def test_frames_that_do_not_exist_are_not_made_up_for_by_those_before(trace: Path) -> None:
    done = CliRunner().invoke(cli, ["run", str(trace), "--frames", "8-9"])
    assert "there is no frame 8" in str(done.exception) + done.output
