"""The papers' experiments: complete, quoted word for word, refused plainly where they cannot run, read right."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from gpumodel.cli import cli
from gpumodel.counters import COUNTERS
from gpumodel.papers.closed import closed_bars, graph_buffer_bytes
from gpumodel.papers.description import PAPERS, Experiment, experiment, experiments, wanted_experiments
from gpumodel.papers.drawing import picture
from gpumodel.papers.page import page
from gpumodel.papers.reading import Bar, Ran, bars_csv, bars_of, headlines_csv
from gpumodel.techniques.registry import known_techniques
from traceformat.cli.door import run

SHARED = Path(os.environ.get("GPUREPLAY_SHARED") or Path(__file__).resolve().parents[3] / "shared")
TEXTS = SHARED / "papers"
FILES = {
    "thesis": "parallel-tile-rendering-thesis.txt", "vro": "visibility-rendering-order.txt",
    "re": "rendering-elimination.txt", "masses": "graphics-for-the-masses.txt",
}  # fmt: skip
#: What the model can speak to.
WANTED = {
    "vro": [*["2", "10", "11", "14", "15", "16", "17", "18", "19", "stability"]],
    "re": [*["2", "14a", "14b", "15a", "15b", "16", "17a", "17b", "hash", "subblock"]],
    "thesis": ["table3.2", "table3.3", "table4.1", "4.1", "4.2", "4.6", "5.1"]
    + [f"5.{k}" for k in range(3, 13)]
    + [f"6.{k}" for k in range(4, 9)],
    "masses": [*["1", "7", "8", "9", "10", "11", "12", "13", "tables"]],
}


def plain(text):
    """Words alone: no markup, no hyphens at ends of lines, no signs of a damaged text."""
    text = re.sub(r"<\|[^|]*\|>", "", text).replace("*", "")
    return re.sub(r"\s+", " ", re.sub(r"-\n", "", text))


def test_the_list_is_complete():
    ids = {one.id for one in experiments()}
    assert len(ids) == len(experiments())
    assert {f"{paper}:{number}" for paper, numbers in WANTED.items() for number in numbers} <= ids
    assert all(one.id.split(":")[0] in PAPERS and one.source for one in experiments())


@pytest.mark.parametrize("paper", FILES)
def test_what_is_printed_is_quoted_word_for_word(paper):
    path = TEXTS / FILES[paper]
    if not path.exists():
        pytest.skip("the papers' texts are not on this machine")
    text = plain(path.read_text(encoding="utf-8"))
    for one in experiments():
        if one.id.startswith(f"{paper}:"):
            for printed in (printed for series in one.series for printed in series.printed):
                assert plain(printed.sentence) in text, (one.id, printed.sentence)


@pytest.mark.parametrize(
    ("identity", "said"),
    [
        ("re:1", "is impossible here: "),
        ("thesis:5.33", "did you mean 'thesis:5."),
    ],
)
def test_what_cannot_be_run_says_so(identity, said, tmp_path, capfd):
    assert run(cli, ["paper", "run", "thesis:table4.1", identity, "-o", str(tmp_path / "out")], name="gpureplay") == 2
    out, err = capfd.readouterr()
    assert not (tmp_path / "out").exists(), "nothing is run before all is known to be one"
    assert out == ""
    assert said in err
    assert len(err.splitlines()) == 1


def test_experiments_are_asked_for_by_id_by_paper_or_all():
    by_paper = {one.id for one in wanted_experiments(["beyond"])}
    assert by_paper == {one.id for one in experiments() if one.id.startswith("beyond:")}
    every = {one.id for one in wanted_experiments(["all"])}
    assert {one.id for one in experiments() if one.can_run} == by_paper | every
    assert not by_paper & every, "questions of our own are asked for by their name"
    assert not every & {"re:1", "masses:battery"}, "what cannot be run is not among many"
    mixed = [one.id for one in wanted_experiments(["re:14a", "thesis:5.3", "re:14a", "beyond"], ["cos"])]
    assert mixed[:2] == ["re:14a", "thesis:5.3"]
    assert len(mixed) == len(set(mixed)) > 2
    assert all("cos" in experiment(one).workloads for one in mixed[2:]), "of a paper, those that have the workload"


def test_show_has_source_runs_and_numbers(capfd):
    assert run(cli, ["paper", "show", "thesis:5.3"], name="gpureplay") == 0
    out = capfd.readouterr().out
    for text in (
        "thesis, Figure 5.3", "variants of each twin: all", "tbr-fhd, 1920x1080", "ptr.assignment = mixed",
        "mean: 1.83: ",
    ):  # fmt: skip
        assert text in out


def two_frames(cycles):
    """So many raster cycles in all."""
    return [{"cycles.raster": cycles / 4}, {"cycles.raster": 3 * cycles / 4}]


def measured():
    """Two twins, the first with two variants, the baseline and ptr."""
    return {
        ("bbr", "a", "baseline", 0): two_frames(200),
        ("bbr", "a", "ptr", 0): two_frames(100),
        ("bbr", "b", "baseline", 0): two_frames(300),
        ("bbr", "b", "ptr", 0): two_frames(200),
        ("s3d", "a", "baseline", 0): two_frames(400),
        ("s3d", "a", "ptr", 0): two_frames(100),
    }


def test_bars_have_variants_means_and_the_papers_numbers():
    bars = [bar for bar in bars_of(experiment("thesis:5.3"), measured()) if bar.series == "static"]
    assert [(bar.workload, bar.ours, bar.low, bar.high, bar.paper) for bar in bars] == [
        ("bbr", 1.75, 1.5, 2.0, None), ("s3d", 4.0, 4.0, 4.0, 1.94), ("mean", 2.875, 1.5, 4.0, 1.83),
    ]  # fmt: skip
    assert bars[1].ratio == pytest.approx(4 / 1.94)
    assert bars[0].ratio is None
    lines = bars_csv(bars).splitlines()
    assert lines[1] == "static,bbr,1.75,1.5,2,,,,"
    assert lines[2].startswith("static,s3d,4,4,4,1.94,2.06186,,S3D achieves a 94%")


def test_a_mean_beside_its_interval_is_drawn():
    """A mean of three equal numbers may be off by a rounding; that of a bootstrap may lie beside it."""
    one = experiment("thesis:5.3")
    equal = sum([0.1] * 3) / 3
    assert equal > 0.1
    for low, high in ((0.1, 0.1), (0.2, 0.3)):
        assert picture(one, [Bar("mean", "static", equal, low, high, None, "")], ".svg")


def test_of_many_series_the_means_are_drawn():
    """As in the thesis's Figure 6.4, where seventeen mappings have a bar each."""
    one = experiment("thesis:6.4")
    names = [series.name for series in one.series]
    means = [Bar("mean", name, 1 + number / 20, 0.9, 2, None, "") for number, name in enumerate(names)]
    others = [Bar("bbr", name, 3, 3, 3, None, "") for name in names]
    drawn = picture(one, [*others, *means], ".svg")
    assert drawn == picture(one, means, ".svg")
    assert all(name.encode() in drawn for name in names)
    assert b"bbr" not in drawn


def test_plots_are_no_wider_than_a_page():
    """Workloads go on in a line below; nothing is said of printed values where there are none."""
    one = experiment("beyond:hidden-speed")
    names = [series.name for series in one.series]
    workloads = [f"w{number:02}" for number in range(20)]
    bars = [Bar(workload, name, 1.0 + len(name) / 50, 0.9, 2, None, "") for workload in workloads for name in names]
    drawn = picture(one, bars, ".svg").decode()
    width, height = map(float, re.findall(r'(?:width|height)="([0-9.]+)pt"', drawn)[:2])
    assert width < 72 * 16
    assert height > 72 * 6
    assert all(workload in drawn for workload in workloads)
    assert "printed" not in drawn
    few = picture(one, bars[: len(names)], ".svg").decode()
    assert float(re.findall(r'height="([0-9.]+)pt"', few)[0]) < 72 * 4


def test_plots_and_pages_repeat():
    one = experiment("thesis:5.3")
    bars = bars_of(one, measured())
    assert picture(one, bars, ".svg") == picture(one, bars, ".svg")
    assert picture(one, bars, ".png").startswith(b"\x89PNG")
    ran = Ran(one, bars, ["gob"], {"bbr-1920x1080": "12ab" * 16}, (), [("bbr", "a"), ("bbr", "b"), ("s3d", "a")], 4)
    html = page([ran], is_quick=True)
    assert "Variants a, b of 2\ntwins, 3 programs; 4 frames of each." in html
    assert "No twin yet: gob." in html
    assert html.count("<h2") == 4
    assert "12ab" * 16 in html
    assert "off by over 15 %" in html
    assert "masses:battery: Battery life and silicon (impossible: " in html


def test_a_figure_may_be_a_sum():
    one = experiment("vro:17")
    frames = {"dram.read_bytes.color": 10.0, "dram.write_bytes.color": 30.0, "dram.row_hits": 7.0}
    fewer = {**frames, "dram.read_bytes.color": 6.0}
    found = {("fo2", "a", "baseline", 0): [frames], ("fo2", "a", "vro", 0): [fewer]}
    (bar, mean) = bars_of(one, found)
    assert (bar.series, bar.ours, mean.paper) == ("VRO", 0.9, 0.98)


def test_headlines_are_the_means_that_papers_print():
    one = experiment("thesis:5.3")
    lines = headlines_csv([Ran(one, bars_of(one, measured()))]).splitlines()
    assert lines[1:] == [f"thesis:5.3,{one.title},static,2.875,1.5,4,1.83,1.57104,2.64575,0"]


def test_a_mean_is_of_twins_however_many_variants_they_have():
    """A twin with two variants counts as much as one with three; the interval holds the mean and repeats."""
    found = measured()
    for letter in "bc":
        found["s3d", letter, "baseline", 0] = found["s3d", "a", "baseline", 0]
        found["s3d", letter, "ptr", 0] = found["s3d", "a", "ptr", 0]
    means = [bar for bar in bars_of(experiment("thesis:5.3"), found) if bar.workload == "mean"]
    assert means[0].ours == 2.875
    assert means[0].low < 2.875 < means[0].high
    assert means == [bar for bar in bars_of(experiment("thesis:5.3"), found) if bar.workload == "mean"]


@pytest.mark.parametrize(
    "change",
    [
        {"state": "impossible"},
        {"reason": "none"},
        {"id": "fig:1"},
        {"series": []},
        {"study": None},
        {"colour": "red"},
        {"variants": "first"},
        {"variants": "b"},
        {"pictures": "figure_1.png"},
        {"state": "handheld"},
        {"closed": {"preset": "tbr-fhd"}},
    ],
)
def test_a_description_that_contradicts_itself_is_refused(change):
    given = experiment("thesis:5.5").model_dump() | change
    with pytest.raises(ValueError, match=r".+"):
        Experiment.model_validate(given)


def test_a_difference_may_be_nothing_or_less():
    one = experiment("vro:19")
    runs = {"vro": 50.0, "dr": 40.0}
    found = {
        ("fo2", "a", name, 0): [{"cycles.total": value, "stalls.early_z.queue": 8.0}] * 2
        for name, value in runs.items()
    }
    bars = {(bar.series, bar.workload): bar.ours for bar in bars_of(one, found)}
    assert bars["time", "fo2"] == -10.0
    assert bars["fragment queue full", "mean"] == 0.0


def test_a_table_of_parameters_is_the_presets():
    bars = closed_bars(experiment("thesis:table4.1"))
    assert len(bars) > 30
    assert all(bar.ours == bar.paper for bar in bars), [bar.series for bar in bars if bar.ours != bar.paper]


def test_the_graph_buffer_has_the_papers_size():
    """VRO §4.3.1: 501 bits an entry of 36 children, padded 64 bytes; below 11 MB for three orders more objects."""
    assert graph_buffer_bytes(8192, 36) == 8192 * 501 / 8
    bars = {(bar.series, bar.workload): bar for bar in closed_bars(experiment("vro:10"))}
    assert bars["W = 36", "8192"].ratio == pytest.approx(501 / 512)
    assert 10e6 < bars["W = 36", "131072"].ours < 11e6


def test_every_counter_of_a_study_is_one():
    """A figure that no run has would leave its bars out without a word."""
    known = {*COUNTERS, *(name for technique in known_techniques().values() for name in technique.counters)}
    figures = {
        figure
        for one in experiments()
        for series in (one.series if one.state == "study" else ())
        for text in (series.figure, series.per)
        for figure in text.split(" + ")
    }
    own = {figure for figure in figures if figure and figure.split(".")[0] not in ("cycles", "energy_pj", "stalls")}
    assert len(own) > 10
    assert {figure for figure in own if not any(fnmatchcase(name, figure) for name in known)} == set()


def test_a_printed_zero_is_met_by_nothing_but_zero():
    one = experiment("re:hash")
    frame = {"re.tiles_checked": 8.0}
    found = {("ccs", "a", "re", k): [{**frame, "re.false_positives": wrong}] for k, wrong in enumerate((0.0, 2.0))}
    bars = bars_of(one, found)
    assert [(bar.series, bar.ours, bar.paper, bar.is_near) for bar in bars if bar.workload == "mean"] == [
        ("CRC32", 0.0, 0.0, True), ("XOR", 0.25, None, True),
    ]  # fmt: skip
    found["ccs", "a", "re", 0] = [{**frame, "re.false_positives": 1.0}]
    bars = bars_of(one, found)
    assert not next(bar for bar in bars if bar.paper is not None).is_near
    assert "0.125" in page([Ran(one, bars)], is_quick=False)
