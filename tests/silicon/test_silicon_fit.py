"""Fits: secret parameters are found again from microbenchmarks, or said not to be identifiable.

``python tests/silicon/run_fit.py`` does all parameters, with three sets.
"""

from __future__ import annotations

import json
import math

import pytest
from planted_device import PlantedDevice, planted_results

from gpumodel.config import load_config
from gpumodel.config.load import setting_keys
from gpumodel.config.schema import GpuConfig
from gpureplay.silicon.fitting import fit, fit_document
from gpureplay.silicon.mapping import mapping_for
from gpureplay.silicon.modelled import Modelled
from gpureplay.silicon.parameters import NOT_IDENTIFIABLE, PARAMETERS, benchmarks_needed
from samples.silicon.measuring import chosen

BASE = ("memory.mode='paper'",)


class Formula:
    """A bench whose model is a formula: what the fit does is looked at, not the machine."""

    def run(self, names, gpus):
        return {name: [self.outcome(name, gpu) for gpu in gpus] for name in names}

    def outcome(self, name: str, gpu: GpuConfig) -> Modelled:
        alu = {"alu_mad8": 8, "alu_mad40": 40}.get(name, 0)
        draws = {"draws_few": 16, "draws_many": 256}.get(name, 1)
        work = {"vertex_work8": 8, "vertex_work40": 40}.get(name, 0)
        layers = {"fill_none": 4, "fill_more": 12}.get(name, 1)
        # Something else bounds the rate of quads.
        hidden = max(gpu.raster.quads_per_cycle, 4)
        cycles = 5000 + 900 * alu * gpu.fragment.issue_cycles.alu + draws * (60 + gpu.command.cycles_per_draw)
        cycles += 300 * work * gpu.vertex.issue_cycles.alu + layers * 64000 // hidden
        pairs = {"binning_wide": 512 // gpu.tile.width, "binning_tall": 512 // gpu.tile.height}.get(name, 0)
        return Modelled(cycles, {"tile_fetch.primitives": pairs, "cache.texture.primary_misses": 1})


FEW = [one for one in PARAMETERS if one.key.split(".")[0] in ("tile", "command", "raster") or one.key.endswith(".alu")]
NAMES = tuple(
    dict.fromkeys(name for one in FEW for each in one.observations for name in (each.benchmark, each.less) if name)
)


def device_of(gpu, lie=1.0):
    """A V3D by the formula, through the kit's seam."""
    model = Formula()

    def cycles(name):
        return model.outcome(name, gpu).cycles

    def pairs(name):
        return model.outcome(name, gpu).counters["tile_fetch.primitives"]

    counters = {
        "cycle-count": ("uint64", cycles),
        "FEP-valid-primitives-rendered-pixels": ("uint64", pairs),
        "FEP-valid-primitives-no-rendered-pixels": ("uint64", lambda name: 0),
    }
    return PlantedDevice(counters, lambda name: lie * 1e3 * cycles(name) / gpu.tech.clock_mhz)


SECRETS = [
    {
        "tech.clock_mhz": clock, "tile.width": width, "tile.height": height, "fragment.issue_cycles.alu": alu,
        "command.cycles_per_draw": command, "vertex.issue_cycles.alu": vertex,
    }
    for clock, width, height, alu, command, vertex in (
        (431.0, 32, 8, 3, 150, 4), (650.0, 64, 64, 5, 37, 2), (250.0, 8, 32, 2, 420, 6),
    )
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
def test_planted_parameters_are_found_again(secret, monkeypatch, tmp_path):
    gpu = load_config("mali450-vro", [*BASE, *(f"{key}={value!r}" for key, value in secret.items())])
    document = planted_results(device_of(gpu), monkeypatch, NAMES, tmp_path / "none.json")
    found = fit(document, mapping_for("V3D"), load_config("mali450-vro", BASE), Formula(), parameters=FEW)
    results = {one.key: one for one in found.parameters}
    for key, value in secret.items():
        assert results[key].is_identified, results[key]
        assert results[key].value == pytest.approx(value, rel=0.05)
        assert results[key].low * 0.999 <= value <= results[key].high * 1.001
    quads = results["raster.quads_per_cycle"]
    assert not quads.is_identified
    assert (quads.low, quads.high) == (1, 4)
    assert "not identifiable, 1 to 4 observe alike" in quads.remark
    assert "depth-only layers" in quads.remark
    for key in NOT_IDENTIFIABLE:
        assert not results[key].is_identified
    # What is not identified keeps its value.
    assert found.config.raster.quads_per_cycle == load_config("mali450-vro").raster.quads_per_cycle
    text = json.loads(json.dumps(fit_document(found, {"x": (0.5, 0.1)}), allow_nan=False))
    assert set(text["settings"]) == set(secret)


def test_without_counters_the_clock_and_the_tiles_are_not_identified(monkeypatch, tmp_path):
    base = load_config("mali450-vro", BASE)
    document = planted_results(device_of(base), monkeypatch, NAMES, tmp_path / "none.json")
    found = {one.key: one for one in fit(document, None, base, Formula(), parameters=FEW).parameters}
    for key in ("tech.clock_mhz", "tile.width"):
        assert not found[key].is_identified
        assert math.isnan(found[key].misfit)
    assert "no counter of cycles" in found["tech.clock_mhz"].remark
    assert "not observed; needed: a counter of primitives by tile" in found["tile.width"].remark


def test_a_device_that_no_value_describes_is_said(monkeypatch, tmp_path):
    base = load_config("mali450-vro", BASE)
    document = planted_results(device_of(base, lie=40.0), monkeypatch, NAMES, tmp_path / "none.json")
    found = {one.key: one for one in fit(document, None, base, Formula(), parameters=FEW).parameters}
    assert not found["vertex.issue_cycles.alu"].is_identified
    assert "no value describes what was observed" in found["vertex.issue_cycles.alu"].remark


def test_parameters_exist_and_are_observed_by_benchmarks_that_exist():
    keys = setting_keys(GpuConfig)
    assert {one.key for one in PARAMETERS} | set(NOT_IDENTIFIABLE) <= set(keys)
    assert set(benchmarks_needed()) <= set(chosen())
    assert all(one.needed for one in PARAMETERS)
    assert not any(name.startswith("twin") for name in benchmarks_needed())
