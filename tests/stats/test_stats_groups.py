"""Groupings, the two kinds of means, JSON, CSV and the tables."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from gpumodel.config import load_config
from gpumodel.report.stats.columns import COUNT_INDEX, COUNTS, RATIOS, ratios_of
from gpumodel.report.stats.document import statistics_csv, statistics_json
from gpumodel.report.stats.frame import FrameCounter
from gpumodel.report.stats.groups import By, Group, Statistics
from gpumodel.report.stats.table import print_statistics

RATIO_INDEX = {ratio.name: place for place, ratio in enumerate(RATIOS)}


@pytest.fixture(scope="module")
def config():
    return load_config("mali450-vro", ())


@pytest.fixture(scope="module")
def statistics(frames, config):
    out = Statistics(list(By))
    counter = FrameCounter(config)
    for frame in frames("overlapping"):
        out.add(counter.count(frame))
    return out


def row_of(**values):
    out = np.zeros(len(COUNTS), np.int64)
    for name, value in values.items():
        out[COUNT_INDEX[name.replace("__", ".")]] = value
    return out


def test_every_ratio_is_made_of_counts():
    names = [ratio.name for ratio in RATIOS]
    assert len(set(names)) == len(names)
    for ratio in RATIOS:
        row = row_of(**{ratio.numerator.replace(".", "__"): 30, ratio.denominator.replace(".", "__"): 4})
        assert ratios_of(row)[RATIO_INDEX[ratio.name]] == 7.5
        assert np.isnan(ratios_of(row_of())).all()


def test_columns_as_the_thesis_has_them():
    # BBR of Tables 3.2 and 3.3 at the 1280x720 that its primitives a tile imply: what is printed follows from counts.
    primitives, pixels = 23_343, 1280 * 720
    row = row_of(
        draws=245, primitives__in=primitives, primitives__emitted=primitives // 2, tiles=40 * 23, pixels=pixels,
        fragments__rasterized=round(133.39 * primitives), fragments__shaded=round(1.96 * pixels),
        fragments__early_z_killed=round(133.39 * primitives) - round(1.96 * pixels), primitive_tile_pairs=40_000,
        attributes=4 * (primitives // 2), frames=1,
    )  # fmt: skip
    values = dict(zip([ratio.name for ratio in RATIOS], ratios_of(row), strict=True))
    assert values["primitives_per_draw"] == pytest.approx(95.23, abs=0.06)
    assert values["primitives_per_tile"] == pytest.approx(25.37, abs=0.005)
    assert values["fragments_per_primitive"] == pytest.approx(133.39, abs=1e-3)
    assert values["attributes_per_primitive"] == 4
    assert values["overdraw_before_early_z"] == pytest.approx(3.38, abs=0.005)
    assert values["overdraw_after_early_z"] == pytest.approx(1.96)
    assert values["early_z_killed_share"] == pytest.approx(0.42, abs=0.005)


def test_means_of_ratios_leave_out_what_has_no_denominator():
    group = Group({})
    first, second, empty = (
        row_of(texels=8, fragments__shaded=2, frames=1, draws=2),
        row_of(texels=10, fragments__shaded=1, frames=1, draws=1),
        row_of(frames=1, draws=1),
    )
    a, b = row_of(texels=2, fragments__shaded=1, draws=1), row_of(texels=6, fragments__shaded=1, draws=1)
    group.add(first, np.stack([a, b]))
    group.add(second, second[None])
    group.add(empty, empty[None])
    place = RATIO_INDEX["texels_per_fragment"]
    assert group.ratio_of_sums()[place] == 6  # 18 / 3
    assert group.mean_over_frames()[place] == 7  # (4 + 10) / 2, the empty frame has no ratio
    assert group.mean_over_draws()[place] == 6  # (2 + 6 + 10) / 3
    draws = RATIO_INDEX["draws_per_frame"]
    assert group.mean_over_frames()[draws] == pytest.approx(4 / 3)
    assert np.isnan(group.mean_over_draws()[draws])


def test_groups_add_up(statistics):
    frame_counts = ("frames", "tiles", "pixels")
    for by in (By.FRAME, By.DRAW, By.OBJECT, By.PROGRAM):
        total = sum(group.counts for group in statistics.groups[by])
        for count in COUNTS:
            if count.name not in frame_counts:
                assert total[COUNT_INDEX[count.name]] == statistics.total.counts[COUNT_INDEX[count.name]], (by, count)
    # Rows of one frame have the frame's own pixels and tiles: their overdraw adds up to the frame's.
    for frame in statistics.groups[By.FRAME]:
        draws = [g for g in statistics.groups[By.DRAW] if g.key["frame"] == frame.key["frame"]]
        for name in ("overdraw_after_early_z", "primitives_per_tile", "draws_per_frame"):
            place = RATIO_INDEX[name]
            assert sum(g.ratio_of_sums()[place] for g in draws) == pytest.approx(frame.ratio_of_sums()[place])


def test_objects_by_label_and_draws_in_order(statistics):
    assert [(g.key["label"], int(g.counts[COUNT_INDEX["draws"]])) for g in statistics.groups[By.OBJECT]] == [
        ("ground", 2),
        ("house", 4),
    ]
    keys = [(g.key["frame"], g.key["draw"], g.key["label"]) for g in statistics.groups[By.DRAW]]
    assert keys == [(f, d, label) for f in (0, 1) for d, label in enumerate(("ground", "house", "house"))]
    house = statistics.groups[By.OBJECT][1]
    parts = [g for g in statistics.groups[By.DRAW] if g.key["label"] == "house"]
    place = RATIO_INDEX["fragments_per_primitive"]
    assert house.mean_over_draws()[place] == pytest.approx(np.mean([g.ratio_of_sums()[place] for g in parts]))
    assert house.mean_over_draws()[place] != pytest.approx(house.ratio_of_sums()[place])


def test_textures_and_programs(frames, config):
    statistics = Statistics([By.TEXTURE, By.PROGRAM])
    counts = FrameCounter(config).count(frames("late")[0])
    statistics.add(counts)
    (texture,) = statistics.groups[By.TEXTURE]
    assert (texture.key["width"], texture.key["format"]) == (32, "RGBA8")
    table = counts.trace["draws"]
    assert texture.counts[COUNT_INDEX["draws"]] == (table["texture_count"] > 0).sum() == 3
    assert texture.counts[COUNT_INDEX["texels"]] == statistics.total.counts[COUNT_INDEX["texels"]] > 0
    programs = statistics.groups[By.PROGRAM]
    assert [int(g.counts[COUNT_INDEX["draws"]]) for g in programs] == [3, 2, 2]
    assert [g.key["fs_textures"] for g in programs] == [1, 0, 0]


def test_json_has_the_documented_keys(statistics, config):
    about = {"name": "t", "sha256": "", "frames": 2, "width": 1, "height": 1}
    document = json.loads("".join(statistics_json(about, config, statistics)))
    assert list(document) == [
        "schema", "program", "trace", "config", "partial", "total", "frames", "draws", "objects", "programs",
        "textures",
    ]  # fmt: skip
    assert document["schema"] == 2
    assert document["config"]["tile_width"] == 16
    assert document["textures"] == []
    for row in (document["total"], *document["frames"], *document["draws"], *document["objects"]):
        assert list(row["counts"]) == [count.name for count in COUNTS]
        assert list(row["ratios"]) == [ratio.name for ratio in RATIOS]
        for forms in row["ratios"].values():
            assert list(forms) == ["ratio_of_sums", "mean_over_frames", "mean_over_draws"]
    ratio = document["total"]["ratios"]["fs_instructions_per_fragment"]["ratio_of_sums"]
    counts = document["total"]["counts"]
    assert ratio == round(counts["fs.instructions"] / counts["fragments.shaded"], 6)
    assert document["total"]["ratios"]["alu_per_tex_instruction"]["ratio_of_sums"] is None
    assert document["draws"][3]["frame"] == 1


def test_csv_is_the_same_as_json(statistics, config):
    document = json.loads("".join(statistics_json({}, config, statistics)))
    rows = list(csv.DictReader(io.StringIO(statistics_csv(statistics))))
    assert rows[0]["by"] == "total"
    draws = [row for row in rows if row["by"] == "draw"]
    assert len(draws) == len(document["draws"]) == 6
    for row, wanted in zip(draws, document["draws"], strict=True):
        assert int(row["draw"]) == wanted["draw"]
        assert row["label"] == wanted["label"]
        for name, value in wanted["counts"].items():
            assert int(row[name]) == value
        for name, forms in wanted["ratios"].items():
            for kind, value in forms.items():
                assert row[f"{name}.{kind}"] == ("" if value is None else str(value))


@pytest.mark.parametrize("width", [100, 70])
def test_tables_fit(statistics, width):
    from rich.console import Console

    stream = io.StringIO()
    print_statistics(Console(file=stream, width=width, color_system=None), statistics, title="[trace]")
    text = stream.getvalue()
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    assert "[trace]" in text
    if width == 100:
        assert "…" not in text
        assert "killed by Early-Z" in text
        assert "0.1 house" in text


def test_labels_cannot_steer_a_terminal_or_break_a_file(config):
    from rich.console import Console

    label = "a\x1b[2Jb\udcff\n[red]"
    statistics = Statistics([By.OBJECT])
    statistics.groups[By.OBJECT].append(Group({"object": 1, "label": label, "rule": "debug_group"}))
    stream = io.StringIO()
    print_statistics(Console(file=stream, width=140, color_system=None), statistics, title="\x1b]0;t\x07")
    assert "\x1b" not in stream.getvalue()
    assert "\\x1b[2Jb\\udcff\\n[red]" in stream.getvalue()
    assert "\\udcff" in statistics_csv(statistics).encode().decode()
    document = json.loads("".join(statistics_json({}, config, statistics)).encode())
    assert document["objects"][0]["label"] == label
