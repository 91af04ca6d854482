"""``gpureplay whatif`` and :func:`gpureplay.whatif`: what they answer, what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from films import Film
from test_model_oracle import random_scene

import gpureplay
from gpumodel.cli import cli
from gpumodel.whatif.kinds import KINDS, change_of
from traceformat.cli.door import run as run_command
from traceformat.gputrace.reader import GpuTraceWriter


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """Three frames of four squares, of which the second two have a group's name."""
    film = Film()
    for _ in range(3):
        film.clear()
        film.square(0)
        film.square(1)
        name = "later"
        film("glPushDebugGroupKHR", 0x824A, 0, -1, name)
        film.square(2)
        film.square(3)
        film("glPopDebugGroupKHR")
        film.swap()
    return str(film.write(tmp_path / "film.gltrace"))


def status(*words: str) -> int:
    return run_command(cli, ["whatif", *words], name="gpureplay")


def test_answers_are_sorted_and_say_how_sure_they_are(
    trace: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "answers.json"
    words = ["--frames", "1-2", "--hollow", "later", "--without", "later", "--without", "draw 0", "--scale", "1", "0.5"]
    assert status(trace, *words, "--json", str(out)) == 0
    document = json.loads(out.read_text())
    answers = {answer["change"]["title"]: answer for answer in document["answers"]}
    assert list(answers) == [
        one["change"]["title"] for one in sorted(answers.values(), key=lambda a: -a["saves"]["cycles"])
    ]
    assert document["frames"] == 2
    gone, hollow = answers["without later"], answers["hollow later"]
    assert gone["sure"] == "exact"
    assert hollow["sure"] == "upper bound"
    assert gone["saves"]["cycles"] > hollow["saves"]["cycles"] >= 0
    assert gone["saves"]["cycles"] == gone["before"]["cycles"] - gone["after"]["cycles"]
    # Two of four squares, each 40 % of a side, over two frames.
    assert gone["picture"]["pixels"] / gone["picture"]["of"] == pytest.approx(2 * 0.16, abs=0.03)
    assert answers["without draw 0"]["picture"]["pixels"] == pytest.approx(gone["picture"]["pixels"] / 2, rel=0.2)
    assert hollow["picture"]["pixels"] == 0
    assert answers["scale 1=0.5"]["picture"]["pixels"] > 0
    for answer in answers.values():
        assert {(one["config"], one["memory"]) for one in answer["elsewhere"]} == {
            ("mali450-vro", "dram"), ("mali450-re", "paper"), ("mali450-re", "dram"), ("tbr-fhd", "paper"),
            ("tbr-fhd", "dram"),
        }  # fmt: skip
    assert gone["sign_holds"] is True
    assert all(one["before_cycles"] > one["after_cycles"] for one in gone["elsewhere"])
    table = capsys.readouterr().out
    assert "film.gltrace: mali450-vro" in table
    assert "same sign on 5" in table


def test_python_asks_the_same(trace: str) -> None:
    found = gpureplay.whatif(trace, [("without", "later")], frames=range(1, 2), everywhere=False, pictures=False)
    (answer,) = found.answers
    whole = gpureplay.run(trace, frames=range(1, 2)).runs[0].measured[0]
    assert answer.before.cycles == whole.cycles
    assert answer.before.energy_pj == whole.energy.total
    assert answer.elsewhere == []
    assert answer.picture.text == "was not compared"
    assert found.document()["answers"][0]["sign_holds"] is None


@pytest.mark.parametrize(("both", "machines"), [(False, 2), (True, 5)])
def test_others_are_asked_about_advice_that_saves_something(trace: str, both: bool, machines: int) -> None:
    asked = [change_of(*words) for words in (("hollow", "all"), ("opaque", "later"), ("without", "all"))]
    alone, with_threads = (
        gpureplay.whatif(
            trace, asked, frames=range(1, 2), both_memories=both, advice=asked[1:], pictures=False, threads=threads
        )
        for threads in (1, 2)
    )
    assert [len(answer.elsewhere) for answer in alone.answers] == [0, 0, machines]
    assert alone.document() == with_threads.document()


@pytest.mark.parametrize("overlap", ["none", "pass"])
def test_frames_go_on_from_those_that_warm_up(trace: str, overlap: str) -> None:
    machine, frames = {"binning.overlap": overlap}, range(2, 3)
    asked = [("without", "draw 0"), ("no-discard", "all")]
    found = gpureplay.whatif(trace, asked, set=machine, frames=frames, everywhere=False)
    (whole,) = gpureplay.run(trace, set=machine, frames=frames).runs[0].measured
    gone, same = found.answers
    assert found.num_frames == 1
    assert same.before == same.after
    assert (same.before.cycles, same.before.energy_pj) == (whole.cycles, whole.energy.total)
    # The pixels of one frame, and of one square.
    assert gone.picture.of == 64 * 48
    assert gone.picture.pixels / gone.picture.of == pytest.approx(0.16, abs=0.03)


def test_frames_whose_phases_overlap_are_refused(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(trace, "--hollow", "all", "--set", "binning.overlap=frame") == 2
    assert "binning.overlap" in capsys.readouterr().err


def test_what_changes_nothing_saves_nothing(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(trace, "--opaque", "later", "--only-here") == 0
    assert "nothing to change" in capsys.readouterr().out


def test_a_stored_frame_is_changed_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "film.gputrace"
    with GpuTraceWriter(path) as writer:
        writer.write(random_scene(3).trace())
    assert status(str(path), "--hollow", "all", "--only-here") == 0
    assert "hollow all" in capsys.readouterr().out
    assert status(str(path), "--mipmaps", "texture 1") == 2
    assert "command trace" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no change is asked for"),
        (["--hollow", "lat"], "such as later"),
        (["--order", "later=up"], "no order is called 'up'"),
        (["--clear-not-load", "framebuffer 7"], "nothing in these frames has that name"),
        (["--instructions", "1"], "nothing in these frames"),
        (["--compress", "texture 8"], "no such texture"),
    ],
)
def test_what_makes_no_sense_is_refused(
    trace: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(trace, "--only-here", *words) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_help_has_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("--help") == 0
    out = capsys.readouterr().out
    assert all(f"--{name}" in out for name in KINDS)
