"""The template for a technique in a package of its own: copied, installed with pip, run, described."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hidden_films import one, random_states, stack
from object_films import object_film
from verified import verified_run

from gpumodel.config import load_config
from gpumodel.machine import Machine
from gpumodel.techniques import known_techniques

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "tests" / "data" / "example_technique"


def pip_install(package: Path, target: Path) -> None:
    """Install a package into a folder, from the registry only what builds it, if that is not here."""
    python = sys.executable if importlib.util.find_spec("pip") else sys._base_executable  # type: ignore[attr-defined]
    here = ["--no-build-isolation"] if importlib.util.find_spec("pip") and importlib.util.find_spec("hatchling") else []
    command = [python, "-m", "pip", "install", "-q", "--no-deps", *here, "--target", str(target), str(package)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    if done.returncode and not here and any(text in done.stderr for text in ("onnection", "No matching", "No module")):
        pytest.skip("neither hatchling nor a package registry is here")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_package_of_its_own(tmp_path: Path) -> None:
    copy, site = tmp_path / "copy", tmp_path / "site"
    shutil.copytree(EXAMPLE, copy)
    pip_install(copy, site)
    one(tmp_path, stack(3))
    trace = str(tmp_path / "a.gltrace")

    def gpureplay(*args: str) -> str:
        code = "from gpumodel.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code, *args], capture_output=True, text=True, check=False, timeout=240,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def run(cycles: int) -> dict[str, float]:
        out = tmp_path / "out.json"
        told = gpureplay(
            "run", trace, "-t", "tile-packer", "--set", f"tile_packer.pack_cycles={cycles}", "--verify",
            "--set", "screen.scale_to_trace=true", "--json", str(out),
        )  # fmt: skip
        assert "verified, all" in told
        plain, packed = json.loads(out.read_text())["runs"]
        assert packed["hardware"]["area_share"] > 0
        assert packed["total"]["energy_pj"]["structures"]["tile-packer.register"]["dynamic"] > 0
        counters = packed["total"]["counters"]
        assert counters["tile-packer.tiles"] == counters["tiles.rendered"] == 12
        return packed["total"]["cycles"]["total"] - plain["total"]["cycles"]["total"]

    assert run(0) == 0
    assert 0 < run(100) < run(1000)
    assert "tile-packer" in " ".join(gpureplay("run", "--help").split()).replace("- ", "-")
    schema = json.loads(gpureplay("config", "schema"))
    assert schema["$defs"]["PackerConfig"]["properties"]["pack_cycles"] | {"title": ""} == {
        "default": 32, "minimum": 0, "maximum": 4096, "type": "integer", "title": "",
        "description": "to pack a tile, cycles", "source": "ASSUMED",
    }  # fmt: skip
    assert "[tile_packer]\npack_cycles = 32  # to pack a tile, cycles [0 to 4096]; ASSUMED" in gpureplay(
        "config", "show", "mali450-vro"
    )
    page = gpureplay("techniques", "--markdown")
    assert "| `tile_packer.pack_cycles` | 32 | 0 to 4096 | to pack a tile, cycles | ASSUMED |" in page
    assert "| `tile-packer.tiles` | tiles | tiles packed |" in page
    file = tmp_path / "mine.toml"
    file.write_text('base = "mali450-vro"\n[tile_packer]\npack_cycles = 7\n')
    assert "tile_packer.pack_cycles = 7" in gpureplay("config", "show", str(file))


def test_the_template_is_short() -> None:
    """At most 40 lines of code for the technique."""
    code = (EXAMPLE / "tile_packer" / "__init__.py").read_text().splitlines()
    assert len([line for line in code if line.strip()]) <= 40


@pytest.fixture
def examples(clean_registry: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package's techniques, without an installation."""
    monkeypatch.syspath_prepend(str(EXAMPLE))
    for module in ("busy_first", "keep_lists", "empty_entries"):
        sys.modules.pop(module, None)
        importlib.import_module(module)


def test_a_scheduler_a_policy_and_a_cull(examples: None, tmp_path: Path) -> None:
    """Each in its own way, with exact pixels; both loops agree."""
    things = random_states(np.random.default_rng(12), 12)
    frames = object_film(tmp_path / "a.gltrace", [things, things[::-1]])
    small = ("caches.l2.size_bytes=1024", "caches.l2.ways=2", "caches.tile.size_bytes=256", "caches.tile.ways=2")
    runs = {
        name: [verified_run(frames, "mali450-vro", name, *small, every_cycle=loop) for loop in (False, True)]
        for name in ("busy-first", "keep-lists", "empty-entries", "busy-first+keep-lists+empty-entries")
    }
    for wake, every in runs.values():
        for one_frame, other in zip(wake.result.frames, every.result.frames, strict=True):
            assert one_frame.cycles == other.cycles
            assert one_frame.counters == other.counters
    machine = Machine(load_config("mali450-vro", ["screen.scale_to_trace=true"]))
    plain = [machine.run_frame(frame) for frame in frames]
    lists = [raw.passes[0].streams.pairs for raw in plain]
    empty = [int(((pairs["quad_count"] == 0) & (pairs["clear"] < 0)).sum()) for pairs in lists]
    cull = [frame.counters for frame in runs["empty-entries"][0].result.frames]
    assert [counters["empty-entries.dropped"] for counters in cull] == empty
    for raw, counters, dropped in zip(plain, cull, empty, strict=True):
        assert counters["binning.pointer_writes"] == raw.counters["binning.pointer_writes"] - dropped
    assert sum(frame.counters["keep-lists.spared"] for frame in runs["keep-lists"][0].result.frames) > 0
    sort = known_techniques()["busy-first"]()
    sort.plugs(machine.config)
    order = sort.sort(frames[0], 0, np.arange(12), 4)
    assert sorted(order) == list(range(12))
    work = np.zeros(12, int)
    for x0, y0, x1, y1 in np.maximum(frames[0]["emitted"]["bounds"].astype(int), 0).tolist():
        for tile in range(12):
            x, y = 16 * (tile % 4), 16 * (tile // 4)
            work[tile] += x0 < x + 16 and x1 >= x and y0 < y + 16 and y1 >= y
    assert (np.diff(work[order]) <= 0).all()


@pytest.mark.parametrize("module", ["busy_first", "keep_lists", "empty_entries"])
def test_the_others_are_short(module: str) -> None:
    """At most 60 lines of code, kernels included."""
    lines = [line for path in (EXAMPLE / module).glob("*.py") for line in path.read_text().splitlines()]
    assert len([line for line in lines if line.strip()]) <= 60
