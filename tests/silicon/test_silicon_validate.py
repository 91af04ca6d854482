"""Results next to the model: mapping files, functional counts as drivers count them, times by trend and error."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from gl_recorder import Recorder
from planted_device import PlantedDevice, planted_results

from gpumodel.cli import cli
from gpumodel.config import load_config, preset_names
from gpumodel.config.preset_values import preset_values
from gpumodel.counters import COUNTERS
from gpumodel.papers.page import page
from gpumodel.silicon import UNMEASURED_DEVICES, VALIDATED, silicon_note
from gpureplay.silicon.counting import FUNCTIONAL, _misses
from gpureplay.silicon.mapping import known_mappings, mapping_for
from gpureplay.silicon.modelled import capture_programs, model_programs, our_benchmarks
from gpureplay.silicon.page import validation_page
from gpureplay.silicon.statistics import rank_correlation, relative_error, slope
from gpureplay.silicon.validation import csv_text, validate
from samples.silicon.measuring import program_of
from samples.silicon.results import text_of
from samples.silicon.table import BENCHMARKS
from traceformat.cli.door import run

NAMES = ("fill_none", "switch_two", "draws_few", "vertex_indexed", "resolution_s128", "depth_shuffled")
PRESET = "mali450-vro"


@pytest.fixture(scope="module")
def modelled(tmp_path_factory):
    """Each benchmark on the model, and on one with half the memory."""
    trace = tmp_path_factory.mktemp("kit") / "kit.gltrace"
    capture_programs(NAMES, trace)
    gpus = [load_config(PRESET, [f"memory.paper.bytes_per_cycle={width}", "memory.mode='paper'"]) for width in (4, 2)]
    return dict(model_programs(NAMES, trace, gpus))


def results(monkeypatch, tmp_path, modelled, wrong=(), clock_mhz=500.0):
    """Results of a device that is the model at another clock, but for wrong counters."""
    mapping = mapping_for("V3D 4.2")
    assert mapping is not None

    def planted(common):
        # What several counters have together is all in the first one of them.
        def value(name):
            ours = sum(modelled[name][0].counters[key] for key in common.ours) / common.factor
            return ours + (common.label in wrong and name == "fill_none")

        return value

    counters = {"cycle-count": ("uint64", lambda name: modelled[name][0].cycles)}
    for common in mapping.common:
        for place, name in enumerate(common.name):
            counters.setdefault(name, ("uint64", (lambda name: 0) if place else planted(common)))
    device = PlantedDevice(counters, lambda name: modelled[name][0].cycles * 1e3 / clock_mhz)
    return planted_results(device, monkeypatch, NAMES, tmp_path / "none.json")


def test_mappings_name_counters_that_exist_and_say_where_theirs_are_from():
    mappings = known_mappings()
    assert [one.vendor for one in mappings] == ["Arm Mali", "Broadcom V3D", "Mesa llvmpipe", "Qualcomm Adreno"]
    for mapping in mappings:
        for common in mapping.common:
            assert set(common.ours) <= {*COUNTERS, *FUNCTIONAL}, common
            assert common.meaning
            assert common.source
            assert common.factor > 0
            assert common.note or common.relation != "near", common
    found = [mapping_for(text) for text in ("V3D 4.2.14", "FD618", "Adreno (TM) 640", "Mali-G76", "llvmpipe (LLVM 15)")]
    assert [one and one.vendor.split()[-1] for one in found] == ["V3D", "Adreno", "Adreno", "Mali", "llvmpipe"]
    assert mapping_for("GeForce") is None


def test_a_device_that_is_the_model_has_no_error(monkeypatch, tmp_path, modelled):
    document = results(monkeypatch, tmp_path, modelled)
    found = validate(
        document, {name: one[0] for name, one in modelled.items()}, PRESET, 400.0, mapping_for("V3D 4.2")
    )  # fmt: skip
    assert found.clock_scale == pytest.approx(0.8, rel=1e-3)
    rows = {row.common.label: row for row in found.counters}
    assert rows["TLB-quads-written-to-color-buffer"].num_equal == len(NAMES)
    assert found.findings == []
    assert all(one.ratio == pytest.approx(1, rel=2e-3) for one in found.times)
    assert found.time_correlation == pytest.approx(1)


def test_what_differs_is_found_and_written_down(monkeypatch, tmp_path, modelled):
    document = results(monkeypatch, tmp_path, modelled, wrong=("TLB-quads-written-to-color-buffer",))
    document["benchmarks"]["other"] = dict(document["benchmarks"]["fill_none"])
    found = validate(document, {name: one[1] for name, one in modelled.items()}, PRESET, 400.0, mapping_for("V3D 4.2"))
    ours = modelled["fill_none"][0].counters["color_buffer.writes"]
    said = f"TLB-quads-written-to-color-buffer: fill_none has {ours + 1:,.0f}, ours {ours:,.0f} (-0.00%)"
    assert found.findings == [said]
    assert found.not_captured == ["other"]
    # Half the memory's width: never faster, and slower where memory bounds the time.
    assert all(one.ratio > 0.99 for one in found.times)
    assert max(one.ratio for one in found.times) > 1.5
    written = validation_page(found)
    assert "Functional counts that differ" in written
    assert f"No silicon validation of {PRESET}." in written
    assert len(re.findall("<svg", written)) > 5
    assert csv_text(found).count("time, ns,time, ns") == 0
    assert csv_text(found).splitlines()[0].startswith("benchmark,theirs,ours")


def test_results_of_other_programs_are_not_compared(monkeypatch, tmp_path, modelled):
    """A benchmark that draws something else since then says nothing; other families don't matter."""
    document = results(monkeypatch, tmp_path, modelled)
    assert set(our_benchmarks(document)) == set(NAMES)
    document["benchmarks"]["fill_none"]["program"] = "0" * 16
    assert set(our_benchmarks(document)) == set(NAMES) - {"fill_none"}
    ours = {name: modelled[name][0] for name in our_benchmarks(document)}
    found = validate(document, ours, PRESET, 500.0, mapping_for("V3D 4.2"))
    assert found.not_captured == ["fill_none"]
    one, other = BENCHMARKS["fill_none"], BENCHMARKS["fill_more"]
    assert len({program_of(one), program_of(other), program_of(replace(one, family="alu"))}) == 3


def test_the_command(monkeypatch, tmp_path, modelled, capsys):
    document = results(monkeypatch, tmp_path, modelled)
    document["benchmarks"] = {name: document["benchmarks"][name] for name in ("fill_none", "draws_few")}
    place = tmp_path / "board.json"
    place.write_text(text_of(json.loads(json.dumps(document))))
    written = tmp_path / "board.html"
    arguments = [
        "silicon",
        "validate",
        str(place),
        "-c",
        PRESET,
        "--set",
        "memory.mode='paper'",
        "--html",
        str(written),
    ]
    assert run(cli, arguments) == 0
    shown = capsys.readouterr().out
    assert "trend: rank correlation" in shown
    assert re.search(r"TLB-quads-written-to-color-buffer +color_buffer.writes +exact +2/2 +0.00%", shown)
    assert written.read_text().startswith("<!doctype html>")
    for one in document["benchmarks"].values():
        one["counters"] = {}
    place.write_text(text_of(json.loads(json.dumps(document))))
    assert run(cli, arguments) == 0
    assert "no counter is one of ours" in capsys.readouterr().out
    place.write_text("{}")
    assert run(cli, arguments) == 2
    assert "no results of the kit" in capsys.readouterr().err


def plain_misses(index, run_length=1023, slots=256):
    """The map of Mesa's draw module, index by index."""
    total = 0
    for first in range(0, len(index), run_length):
        kept = {}
        for one in index[first : first + run_length]:
            total += kept.get(one % slots) != one
            kept[one % slots] = one
    return total


@pytest.mark.parametrize("count", [0, 3, 1023, 1024, 6144])
def test_the_map_of_vertices_is_the_plain_one(count):
    index = np.random.default_rng(count).integers(0, 700, count)
    assert _misses(index, np.zeros(count, np.int64)) == plain_misses(index.tolist())
    twice = np.concatenate([index, index])
    instance = np.repeat(np.arange(2), count)
    assert _misses(twice, instance) == 2 * plain_misses(index.tolist())


def test_statistics():
    assert relative_error(3, 2) == 0.5
    assert relative_error(0, 0) == 0
    assert relative_error(1, 0) == float("inf")
    assert rank_correlation([1, 2, 3, 9], [10, 20, 30, 40]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert rank_correlation([1, 1, 1], [3, 2, 1]) is None
    assert slope([1, 4, 9, 16], [1, 2, 3, 4]) == pytest.approx(2)
    assert slope([1, 4], [1, 2]) is None


@pytest.mark.gl
def test_mesas_counts_are_ours(tmp_path, capsys):
    """Invocations of fragments and vertices, primitives, samples: equal, by the rules that the mapping names."""
    place = tmp_path / "mesa.json"
    some = ["fill_rgb565", "binning_small", "discard_most", "vertex_indexed", "clip_some", "depth_back_to_front"]
    status = run(cli, ["silicon", "run", "--quick", "--api", "gl", "--seed", "1", "-o", str(place), *some])
    if status == 4 or "llvmpipe" not in place.read_text():
        pytest.skip("no llvmpipe")
    capsys.readouterr()
    assert run(cli, ["silicon", "validate", str(place), "-c", PRESET]) == 0
    shown = capsys.readouterr().out
    assert len(re.findall(r" exact +6/6 +0.00%", shown)) == 6, shown
    assert re.search(r"clipping_output_primitives .* exact +[56]/6", shown), shown


def test_the_table_of_results_and_the_footers_say_the_same():
    text = (Path(__file__).parents[2] / "docs" / "SILICON.md").read_text(encoding="utf-8")
    table = text.partition("| preset | device |")[2].partition("\n\n")[0].splitlines()[2:]
    assert {line.split("|")[1].strip() for line in table} == set(VALIDATED)
    assert silicon_note(["v3d42", "tbr-fhd", "v3d42"]) == "No silicon validation of v3d42, tbr-fhd."
    assert silicon_note([]) == ""
    assert set(VALIDATED) | UNMEASURED_DEVICES <= set(preset_names())


def test_pages_and_tables_have_the_footer(tmp_path, capsys):
    assert "Figures are a model's, not a device's." in page([], is_quick=True)
    template = (files("gpumodel.report.page") / "assets" / "report.html.j2").read_text(encoding="utf-8")
    assert "{{ d.silicon }}" in template.partition("<footer>")[2]
    one = Recorder(size=(16, 16))
    one.clear()
    one.swap()
    one.write(tmp_path / "a.gltrace")
    for words, notes in (([], 0), (["-v"], 1)):
        assert run(cli, ["run", str(tmp_path / "a.gltrace"), "-c", "v3d42", *words]) == 0
        assert capsys.readouterr().out.count("No silicon validation of v3d42.") == notes


def test_every_value_of_the_devices_preset_names_a_source_or_says_assumed():
    """A line's own comment, or that of the line above it: the page of the preset shows it."""
    known = ("Mesa", "guide", "Linux", "Raspberry Pi", "DESIGN", "DRAMsim3", "ASSUMED", "as ", "the same", "used with")
    known += ("one of 32 bits", "the command-level model")
    for value in preset_values("v3d42"):
        assert value.source == "default" or any(word in value.source for word in known), value
