"""What exists, listed: presets, counters, techniques; and sizes as people write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_trees import ALL, PROGRAMS
from gl_recorder import Recorder

from gpumodel import load_config
from gpumodel.config import all_preset_names
from gpumodel.config.load import config_sha256
from gpumodel.config.origin import load_with_origin
from gpumodel.config.preset_values import preset_values
from gpumodel.counter_list import known_counters
from gpumodel.techniques import known_techniques
from traceformat.cli.door import run
from traceformat.errors import ConfigError
from traceformat.guards import number_of

ROOT = Path(__file__).parents[2]


def said(capsys: pytest.CaptureFixture[str], *line: str) -> str:
    assert run(PROGRAMS[line[0]], list(line[1:]), name=line[0]) == 0
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *line: str) -> Any:
    return json.loads(said(capsys, *line, "--json"))


def test_presets(capsys: pytest.CaptureFixture[str]) -> None:
    names = all_preset_names()
    text = said(capsys, "gpureplay", "presets")
    assert [line.split()[0] for line in text.splitlines()] == names
    assert text == said(capsys, "gpureplay", "config", "list")
    rows = document(capsys, "gpureplay", "presets")
    assert [row["name"] for row in rows] == names
    assert all(row["values"] for row in rows)
    (line,) = [line for line in said(capsys, "gpureplay", "presets", "tbr-fhd").splitlines() if "clock_mhz" in line]
    assert line.split("  ")[0] == "tech.clock_mhz"
    assert [word in line for word in ("800.0", "GPU clock, MHz", "thesis Table 4.1: 800 MHz")] == [True] * 3
    assert run(PROGRAMS["gpureplay"], ["presets", "tbr"], name="gpureplay") == 2


@pytest.mark.parametrize("name", all_preset_names())
def test_every_value_of_a_preset_has_a_meaning_and_a_source(name: str) -> None:
    values = {one.key: one for one in preset_values(name)}
    for one in values.values():
        assert one.meaning, one
        assert one.source, one
    if name == "mali450-vro":
        # Behind the value, behind its section, behind the value above it, in a line above an inline table, nowhere.
        assert values["tech.node_nm"].source == "VRO Table 2: 32 nm"
        assert values["caches.l2.ways"].source == "VRO Table 2: 256 KB, 8-way, 8 banks, 2 cycles"
        assert values["tile.height"].source == values["tile.width"].source == "VRO Table 2: 16x16"
        assert values["vertex.issue_cycles.move"].source.startswith("Issue cycles: a vec4 instruction a cycle")
        assert values["raster.units"].source == "default"


def test_counters(capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(capsys, "gpureplay", "counters")
    names = [row["name"] for row in rows]
    assert len(set(names)) == len(names) == len(known_counters())
    assert {source for row in rows for source in row["source"].split(", ")} <= {"machine", *known_techniques()}
    assert all(row["unit"] and row["meaning"] for row in rows)
    text = said(capsys, "gpureplay", "counters", "cache.l2", "*.early_z_*")
    listed = [line.split()[0] for line in text.splitlines()[1:]]
    assert listed == [name for name in names if name.startswith("cache.l2.") or ".early_z_" in name]
    assert run(PROGRAMS["gpureplay"], ["counters", "fragmnts"], name="gpureplay") == 2


def test_a_run_has_the_counters_that_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = Recorder(size=(16, 16))
    one.clear()
    one.swap()
    path = one.write(tmp_path / "film.gltrace")
    for technique in ("re", "vro"):
        result = json.loads(said(capsys, "gpureplay", "run", str(path), "--json", "-", "-t", technique))
        for entry, sources in zip(result["runs"], ({"machine"}, {"machine", technique}), strict=True):
            known = {row.name for row in known_counters() if set(row.source.split(", ")) & sources}
            assert set(entry["total"]["counters"]) <= known


def test_techniques(capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(capsys, "gpureplay", "techniques")
    assert [row["id"] for row in rows] == sorted(known_techniques())
    (vro,) = document(capsys, "gpureplay", "techniques", "vro")
    assert vro == next(row for row in rows if row["id"] == "vro")
    assert vro["source"] == "VRO §3, §4.3"
    assert all(parameter["source"] for parameter in vro["parameters"])
    assert run(PROGRAMS["gpureplay"], ["techniques", "--json", "--markdown"], name="gpureplay") == 2


@pytest.mark.parametrize(
    ("text", "number"),
    [("512", 512), ("64K", 1 << 16), ("64k", 1 << 16), ("2MiB", 2 << 20), ("8G", 8 << 30), ("64KB", None), ("K", None),
     ("1.5M", None), ("-1K", None), ("64iB", None)],
)  # fmt: skip
def test_sizes(text: str, number: int | None) -> None:
    assert number_of(text) == number


def test_sizes_in_settings_and_files(tmp_path: Path) -> None:
    plain = load_config("mali450-vro", ["caches.l2.size_bytes=65536"])
    assert load_config("mali450-vro", ["caches.l2.size_bytes=64K"]) == plain
    assert load_config("mali450-vro", ['caches.l2.size_bytes="64KiB"']) == plain
    file = tmp_path / "own.toml"
    file.write_text('base = "mali450-vro"\n[caches.l2]\nsize_bytes = "64K"\n[vro.graph_cache]\nsize_bytes = "8K"\n')
    found, origin = load_with_origin(str(file))
    assert found == load_config("mali450-vro", ["caches.l2.size_bytes=65536", "vro.graph_cache.size_bytes=8192"])
    assert origin.overrides == ("caches.l2.size_bytes", "vro.graph_cache.size_bytes")
    file.write_text('base = "mali450-vro"\n[caches.l2]\nsize_bytes = "256K"\n')
    found, origin = load_with_origin(str(file))
    assert (config_sha256(found), origin.overrides) == (config_sha256(load_config("mali450-vro")), ())


@pytest.mark.parametrize("setting", ["caches.l2.size_bytes=64Q", "queues.tile=1K", "caches.l2.size_bytes=3K"])
def test_what_is_no_size_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError) as error:
        load_config("mali450-vro", [setting])
    assert ("64K or 1M" in str(error.value)) == setting.endswith("Q")


@pytest.mark.parametrize("name", [name for name, _ in ALL])
def test_every_command_is_in_the_documentation(name: str) -> None:
    program, _, words = name.partition(" ")
    if program == "gputrace":
        assert f"| `{words}` |" in (ROOT / "docs" / "TOOLS.md").read_text(encoding="utf-8"), "a row in docs/TOOLS.md"
        return
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "guide").glob("*.md")]
    described = [page for page in pages if page.name != "STATUS.md" and name in page.read_text(encoding="utf-8")]
    assert described, f"{name}: say in README.md, docs/ or docs/guide/ what it is for"
