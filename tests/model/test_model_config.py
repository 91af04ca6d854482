"""Configurations: presets, precedence, hashes, and all problems at once."""

from __future__ import annotations

import json

import pytest

from gpumodel.cli import cli
from gpumodel.config import apply_settings, load, load_config, preset_names, preset_text
from gpumodel.config.load import config_sha256
from traceformat.cli.door import run
from traceformat.errors import ConfigError, ToolWarning, UsageError


def test_presets_are_valid_and_named_for_their_files() -> None:
    assert {"mali450-vro", "mali450-re"} <= set(preset_names())
    for name in preset_names():
        assert load_config(name).name == name


def test_every_value_of_a_preset_has_a_source() -> None:
    """A value's line, or the first line of its group, says where it comes from."""
    for name in preset_names():
        commented = False
        for line in preset_text(name).splitlines():
            if not line.strip():
                commented = False
            elif line.startswith("#") or "#" in line:
                commented = True
            elif "=" in line and not line.startswith(("name", "description", "[")):
                assert commented, f"{name}: {line}"


def test_table_2_of_vro() -> None:
    c = load_config("mali450-vro")
    assert (c.tech.clock_mhz, c.tech.node_nm, c.screen.width, c.screen.height) == (400, 32, 1200, 768)
    assert (c.caches.tile.size_bytes, c.caches.tile.ways, c.caches.l2.size_bytes, c.caches.l2.latency_cycles) == (
        131072, 8, 262144, 2,
    )  # fmt: skip
    assert (c.raster.attributes_per_cycle, c.early_z.in_flight_quads, c.queues.fragment) == (4, 32, 64)


def test_table_1_of_re() -> None:
    c = load_config("mali450-re")
    assert (c.screen.width, c.raster.attributes_per_cycle, c.queues.tile) == (1196, 16, 16)


def test_precedence(tmp_path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('base = "mali450-vro"\nname = "mine"\n[fragment]\nthreads = 8\nprocessors = 2\n')
    config = load_config(str(file), ["fragment.threads=4"])
    assert (config.name, config.fragment.threads, config.fragment.processors, config.raster.attributes_per_cycle) == (
        "mine", 4, 2, 4,
    )  # fmt: skip


def test_hash_is_of_values_not_of_text(tmp_path) -> None:
    file = tmp_path / "copy.toml"
    file.write_text("# another comment\n" + preset_text("mali450-vro"))
    assert config_sha256(load_config(str(file))) == config_sha256(load_config("mali450-vro"))
    assert config_sha256(load_config("mali450-vro", ["fragment.threads=8"])) != config_sha256(
        load_config("mali450-vro")
    )


TEN = [
    "fragmnt.threads=4", "caches.l2.wayz=8", "tile.width=17", "tile.order='zorder'", "tech.node_nm=28",
    "memory.paper.channels=0", "fragment.threads='many'", "caches.texture.size_bytes=1000", "queues.tile=100000",
    "blend.color_buffers=3",
]  # fmt: skip


def test_ten_mistakes_are_reported_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config("mali450-vro", TEN)
    text = str(caught.value)
    assert len(caught.value.problems) == 10
    for path in (
        "fragmnt", "caches.l2.wayz", "tile.width", "tile.order", "tech.node_nm", "memory.paper.channels",
        "fragment.threads", "caches.texture.size_bytes", "queues.tile", "blend.color_buffers",
    ):  # fmt: skip
        assert path in text
    assert "did you mean fragment.threads?" in text
    assert "did you mean caches.l2.ways?" in text
    assert "did you mean z-order?" in text


def test_ten_mistakes_are_a_line_each(capsys) -> None:
    assert run(cli, ["config", "show", "mali450-vro", *(part for one in TEN for part in ("--set", one))]) == 2
    first, *lines = capsys.readouterr().err.splitlines()
    assert first.endswith(": 10 problems (configuration mali450-vro; see gpureplay config schema):")
    assert len(lines) == 10
    assert all(line.startswith("  ") for line in lines)
    assert "  fragmnt.threads = 4: unknown key (did you mean fragment.threads?)" in lines


@pytest.mark.parametrize(
    ("source", "settings", "message"),
    [
        ("mali450", [], "did you mean mali450-"),
        ("mali450-vro", ["fragment.threads"], "expected key=value"),
        ("mali450-vro", ["l2.size_bytes=524288"], r"l2.size_bytes = 524288: .*did you mean caches.l2.size_bytes\?"),
        ("mali450-vro", ["threads=8"], r"did you mean fragment.threads\?"),
        ("mali450-vro", ["name.x=1"], "is a value, not a section"),
        ("mali450-vro", ["caches.l2.ways=32", "caches.l2.size_bytes=1024"], "do not fit"),
        ("mali450-vro", ["memory.paper.row_miss_cycles=10"], "less than row_hit_cycles"),
        ("mali450-vro", ["energy.static_scale=nan"], "energy.static_scale"),
        ("mali450-vro", ["tile.width=inf"], "tile.width"),
    ],
)
def test_bad_configurations(source: str, settings: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(source, settings)


def test_mistakes_name_the_configuration(tmp_path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('base = "mali450-vro"\n[fragment]\nprocessors = "many"\n')
    with pytest.raises(ConfigError) as caught:
        load_config(str(file))
    assert caught.value.hint == f"configuration {file}; see gpureplay config schema"


def test_a_preset_stands_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "preset_text", lambda name: 'base = "mali450-vro"')
    with pytest.raises(ConfigError, match="preset small: base is for files"):
        load_config("small")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"", ConfigError), (b"[", ConfigError), (b"\xff\xfe\x00", ConfigError), (b"base = 3", ConfigError),
        (b"base = 'nope'", ConfigError), (b"x = " + b"[" * 5000, ConfigError), (b"a = 1\n" * 200_000, UsageError),
    ],
)  # fmt: skip
def test_bad_files(tmp_path, text: bytes, error: type[Exception]) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(text)
    with pytest.raises(error):
        load_config(str(file))


def test_a_missing_file_is_a_usage_error(tmp_path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        load_config(str(tmp_path / "none.toml"))


def test_commands(capsys) -> None:
    assert run(cli, ["config", "list"]) == 0
    assert "mali450-vro" in capsys.readouterr().out
    assert run(cli, ["config", "show", "mali450-vro"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(preset_text("mali450-vro"))
    assert '[re]\naccumulate = "iterative"  # ' in shown
    assert run(cli, ["config", "show", "mali450-vro", "--set", "fragment.threads=3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["config"]["fragment"]["threads"] == 3
    assert run(cli, ["config", "diff", "mali450-vro", "mali450-vro"]) == 0
    assert run(cli, ["config", "diff", "mali450-vro", "mali450-re"]) == 1
    assert "raster.attributes_per_cycle" in capsys.readouterr().out
    assert run(cli, ["config", "schema"]) == 0
    assert json.loads(capsys.readouterr().out)["additionalProperties"] is False
    assert run(cli, ["config", "show", "mali450-vro", "--set", "fragment.thread=3"]) == 2
    assert "fragment.thread = 3: unknown key (did you mean fragment.threads?)" in capsys.readouterr().err


def test_keys_that_are_gone_load_with_a_warning(tmp_path, capsys) -> None:
    """For one version; the rest of the file counts as ever."""
    file = tmp_path / "old.toml"
    file.write_text('base = "mali450-vro"\n[caches.tile]\nbanks = 8\nways = 4\n[vro.graph_cache]\nbanks = 1\n')
    with pytest.warns(ToolWarning, match=r"caches\.tile\.banks means nothing any more"):
        assert load_config(str(file)).caches.tile.ways == 4
    assert run(cli, ["config", "show", str(file), "--set", "caches.vertex.banks=2"]) == 0
    warned = capsys.readouterr().err.splitlines()
    assert [line.partition("warning: ")[2].partition(" ")[0] for line in warned] == [
        "caches.vertex.banks", "caches.tile.banks", "vro.graph_cache.banks",
    ]  # fmt: skip
    with pytest.raises(ConfigError, match=r"caches\.l2\.bank = 1: unknown key"):
        load_config("mali450-vro", ["caches.l2.bank=1"])


def test_settings_apply_to_a_copy() -> None:
    values = load_config("mali450-vro").model_dump()
    assert apply_settings(values, []).fragment.threads == 16


def test_one_value_of_a_cache_with_defaults_can_be_set() -> None:
    """The Graph Cache is in no preset's file: what is not given is VRO Table 2's."""
    cache = load_config("mali450-vro", ["vro.graph_cache.size_bytes=16384"]).vro.graph_cache
    assert cache.size_bytes == 16384
    assert cache.ways == load_config("mali450-vro").vro.graph_cache.ways == 4
