"""The template for a technique in a package of its own: copied, installed with pip, run, described."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hidden_films import one, stack

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
