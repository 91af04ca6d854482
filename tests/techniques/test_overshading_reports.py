"""What is shown of techniques against overshading: rows, the graph's files, the picture of all runs."""

from __future__ import annotations

import io
import json
from pathlib import Path

import networkx
import numpy as np
import pytest
from hidden_films import PIXELS, SCALED, one, stack
from object_films import Thing
from PIL import Image

from gpumodel.config.load import load_config
from gpumodel.report.compare import COLUMNS, comparison_rows
from gpumodel.report.maps import overdraw_map, side_by_side
from gpumodel.report.overshading import graph_buffer_bytes, order_verdicts
from gpumodel.report.table import summary_rows
from gpumodel.runs import Run
from traceformat.gputrace.frametrace import FrameTrace


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    """Five planes from back to front."""
    return one(tmp_path_factory.mktemp("film"), stack(5))


def run(frames: list[FrameTrace], technique: str) -> Run:
    made = Run(load_config("mali450-vro", [SCALED]), [technique] if technique else [])
    made.keep_drawings()
    for trace in frames:
        made.add(trace)
    return made


def test_the_graph_as_files(frames: list[FrameTrace]) -> None:
    files = run(frames, "vro").drawings(0)
    assert sorted(files) == ["frame_0000_pass_0.dot", "frame_0000_pass_0.json"]
    drawn = json.loads(files["frame_0000_pass_0.json"])
    assert [node["label"] for node in drawn["nodes"]] == [f"p{k}" for k in range(5)]
    assert [node["place"] for node in drawn["nodes"]] == list(range(5))
    assert sorted(map(tuple, drawn["edges"])) == [(k, k - 1) for k in range(1, 5)]
    graph = networkx.DiGraph(map(tuple, drawn["edges"]))
    assert networkx.is_directed_acyclic_graph(graph)
    assert "  n4 -> n3;" in files["frame_0000_pass_0.dot"]
    assert 'n0 [label="p0 (0)", shape=ellipse];' in files["frame_0000_pass_0.dot"]


def test_drawings_are_handed_out_once_and_only_when_wanted(frames: list[FrameTrace]) -> None:
    made = run(frames, "vro")
    assert made.drawings(0)
    assert not made.drawings(0)
    silent = Run(load_config("mali450-vro", [SCALED]), ["vro"])
    silent.add(frames[0])
    assert not silent.drawings(0)


@pytest.mark.parametrize(
    ("technique", "wanted"),
    [
        ("vro", ("visibility graph", "5 nodes, 4 edges")), ("vro", ("  Graph Buffer", "0.52 MB")),
        ("dr", ("hidden surfaces removed", f"{4 * PIXELS:,} fragments")),
        ("dr-seq", ("hidden surfaces removed", f"{4 * PIXELS:,} fragments")), ("zprepass", ("drawn twice", "5 draws")),
        ("ideal-order", ("hidden by other objects", "80.0%")),
    ],
)  # fmt: skip
def test_rows(frames: list[FrameTrace], technique: str, wanted: tuple[str, str]) -> None:
    assert wanted in [row[:2] for row in summary_rows(run(frames, technique).result)]


def test_the_graph_buffer_of_figure_10() -> None:
    """VRO §4.3.1: an entry of 36 children is slightly smaller than 64 bytes; 131,072 nodes take less than 11 MB."""
    assert graph_buffer_bytes(8192, 36) == 8192 * 63
    assert 10.5e6 < graph_buffer_bytes(131072, 36) < 11e6


def test_side_by_side(frames: list[FrameTrace]) -> None:
    """A fifth of the fragments is shaded where one of five planes is seen."""
    rows = comparison_rows([run(frames, technique).result for technique in ("", "dr")])
    assert [row[COLUMNS.index("shading\nratio")] for row in rows] == ["-", "0.200"]


def test_ordered_and_unordered(tmp_path: Path, frames: list[FrameTrace]) -> None:
    results = [run(frames, technique).result for technique in ("", "ideal-order")]
    assert order_verdicts(results)[0].startswith("unordered: the ideal order of objects saves 80.0%")
    near_first = one(tmp_path, [Thing.plane("near", -0.5), Thing.plane("far", 0.5)])
    results = [run(near_first, technique).result for technique in ("", "ideal-order")]
    assert order_verdicts(results)[0].startswith("ordered: ")


def test_overshading_side_by_side(frames: list[FrameTrace]) -> None:
    """Five fragments a pixel, and one: the brightest colour and a dark one, left and right."""
    maps = []
    for technique in ("", "zprepass"):
        made = Run(load_config("mali450-vro", [SCALED]), [technique] if technique else [])
        maps.append(overdraw_map(frames[0], made.add(frames[0])[1]))
    assert (maps[0] == 5).all()
    assert (maps[1] == 1).all()
    picture = np.asarray(Image.open(io.BytesIO(side_by_side(maps, ["a", "b"], unit="fragments"))))
    brightest = picture[20, 10].astype(int).sum()
    assert brightest > 600
    assert 60 < picture[20, 10 + 244].astype(int).sum() < brightest
