"""What is shown of techniques against redundancy: rows of the table, and files."""

from __future__ import annotations

from pathlib import Path

import pytest
from films import HEIGHT, WIDTH, Film, film

from gpumodel import load_config
from gpumodel.report.pictures import write_maps
from gpumodel.report.table import summary_rows
from gpumodel.runs import Run
from gpumodel.techniques.memo import FragmentMemoization
from traceformat.gputrace.frametrace import FrameTrace

TILES = WIDTH // 16 * (HEIGHT // 16)


def still(one: Film, frame: int) -> None:
    one.all_squares()


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    return film(tmp_path_factory.mktemp("film") / "a.gltrace", [still] * 4, FragmentMemoization.columns)


def rows(frames: list[FrameTrace], technique: str) -> dict[str, tuple[str, str]]:
    one = Run(load_config("mali450-re", ["memory.mode=paper"]), technique.split("+") if technique else ())
    for frame in frames:
        one.feed(frame)
    one.finish()
    return {name.strip(): (value, remark) for name, value, remark in summary_rows(one.result)}


def test_rows(frames: list[FrameTrace]) -> None:
    """A still film of four frames: the last two, or with ``te`` three of the four flushes of each frame buffer."""
    plain = rows(frames, "")
    assert "added hardware" not in plain
    re, te, memo = (rows(frames, technique) for technique in ("re", "te", "memo"))
    assert re["tiles not rendered"] == (f"{TILES // 2} of {TILES}", "50%; 0 collisions")
    assert re["same inputs / colours / changed"] == ("50% / 0% / 50%", "against two frames back")
    assert re["waits for signatures"][0].endswith("cycles")
    assert te["tiles not written"] == (f"{TILES // 2} of {TILES} hashed", "0.01 MB; 0 collisions")
    assert memo["rendered in parallel"][0] == "4 of 4 frames"
    assert float(memo["rendered in parallel"][1].split()[3]) > 0
    assert memo["colours from the table"][1].endswith("0 collisions")
    for own in (re, te, memo):
        assert own["added hardware"][0].split()[2].startswith("+")
    # What is left as it was is part of the picture.
    overdraw = plain["fragments rasterized"][1]
    assert te["fragments rasterized"][1] == memo["fragments rasterized"][1] == overdraw
    assert float(re["fragments rasterized"][1].split()[0]) == pytest.approx(float(overdraw.split()[0]) / 2, abs=0.01)


def test_only_who_compares_inputs_says_what_changed(frames: list[FrameTrace], tmp_path: Path) -> None:
    for technique, changes in (("re", True), ("te", False), ("re+te", True), ("vro", False)):
        one = Run(load_config("mali450-re"), technique.split("+"))
        raws = [one.add(frame)[1] for frame in frames]
        (tmp_path / technique).mkdir()
        maps = write_maps([tmp_path / technique], frames[3], [raws[3]])
        assert ("redundant" in maps) == (technique != "vro")
        assert (tmp_path / technique / "frame_0003_changes.csv").exists() == changes
