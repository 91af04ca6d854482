"""Techniques from outside this project, observers that change nothing, a gate that skips tiles with nothing in them."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from model_scene import Scene
from test_model_oracle import random_scene

from gpumodel import load_config
from gpumodel.energy import Structure
from gpumodel.report.maps import overdraw_map, tile_cost_map
from gpumodel.runs import Run
from gpumodel.techniques import Plugs, Technique, known_techniques, parse_techniques, registry
from gpumodel.units.counters import Counter, named
from traceformat.errors import ToolWarning, UsageError

CONFIG = load_config("mali450-vro")


@pytest.fixture
def clean_registry() -> Iterator[None]:
    before = registry.known_techniques()
    yield
    registry._REGISTERED.clear()
    registry._REGISTERED.update(before)


class Watcher(Technique):
    """Overdraw of each frame and the dearest tile, read from the log; its hardware is two counters."""

    id = "watch"
    source = "test"
    counters = named(
        "watch",
        Counter("fragments", "fragments", "shaded fragments"),
        Counter("dearest_tile_cycles", "cycles", "summed over passes"),
    )

    def plugs(self, config: Any) -> Plugs:
        def watch(trace: Any, done: Any) -> None:
            self.record["fragments"] += done.streams.tiles["shaded"].sum()
            self.record["dearest_tile_cycles"] += (done.streams.tiles["end"] - done.streams.tiles["start"]).max()

        return Plugs(observers=[watch])

    def hardware(self, config: Any) -> list[Structure]:
        return [Structure("watch.counters", 0.001, 0.0001, {"watch.fragments": 0.1}, "two registers")]


class SkipEmpty(Technique):
    """Leaves tiles without a primitive out, which is wrong where their background changes: a gate in three lines."""

    id = "skip-empty"
    source = "test"

    def plugs(self, config: Any) -> Plugs:
        return Plugs(tile_render=[lambda trace, streams: streams.tiles["pair_count"] > 0])

    def hardware(self, config: Any) -> list[Structure]:
        return []


def test_an_observer_changes_nothing_but_is_paid_for(clean_registry: None) -> None:
    registry.register(Watcher)
    trace = random_scene(4).trace()
    plain, raw = Run(CONFIG).add(trace)
    run = Run(CONFIG, ["watch"])
    watched, _ = run.add(trace)
    assert watched.cycles == plain.cycles
    assert watched.stalls == plain.stalls
    own = {name: value for name, value in watched.counters.items() if name.startswith("watch.")}
    assert {name: value for name, value in watched.counters.items() if name not in own} == plain.counters
    assert own["watch.fragments"] == plain.counters["fragments.shaded"] >= overdraw_map(trace, raw).sum()
    assert own["watch.dearest_tile_cycles"] >= tile_cost_map(trace, raw).max() > 0
    assert watched.energy.total > plain.energy.total
    assert watched.energy.structures["watch.counters"][0] == pytest.approx(0.1 * own["watch.fragments"])
    assert run.result.as_json()["hardware"]["area_share"] > 0


def test_a_gate_skips_tiles(clean_registry: None) -> None:
    registry.register(SkipEmpty)
    scene = Scene(64, 64)
    scene.quad_block(scene.draw(), 8, 8, 24, 16, path=scene.path(5))
    trace = scene.trace()
    plain, raw = Run(CONFIG).add(trace)
    gated, _ = Run(CONFIG, ["skip-empty"]).add(trace)
    empty = sum(int((done.streams.tiles["pair_count"] == 0).sum()) for done in raw.passes)
    assert gated.counters["tiles.skipped"] == empty == 12
    assert gated.counters["fragments.shaded"] == plain.counters["fragments.shaded"]
    assert gated.cycles < plain.cycles


def test_a_technique_that_is_known_but_off_costs_nothing(clean_registry: None) -> None:
    trace = random_scene(6).trace()
    before = Run(CONFIG).add(trace)[0]
    registry.register(Watcher)
    registry.register(SkipEmpty)
    after = Run(CONFIG).add(trace)[0]
    assert after.as_json() == before.as_json()


def test_a_package_outside_registers_by_entry_point(
    clean_registry: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "far_away.py").write_text(
        dedent(
            """
            from gpumodel.techniques import Plugs, Technique, register

            @register
            class FarAway(Technique):
                id = "far-away"
                source = "nowhere"
                def plugs(self, config):
                    return Plugs(tile_flush=[lambda trace, streams: streams.tiles["x0"] > 0])
                def hardware(self, config):
                    return []
            """
        )
    )
    about = tmp_path / "far_away-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: far-away\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[gpureplay.techniques]\nfar-away = far_away:FarAway\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert parse_techniques(["far-away"]) == [(), ("far-away",)]
    assert known_techniques()["far-away"].source == "nowhere"
    trace = random_scene(7).trace()
    plain = Run(CONFIG).add(trace)[0]
    far = Run(CONFIG, ["far-away"]).add(trace)[0]
    assert 0 < far.counters["tiles.flushed"] < plain.counters["tiles.flushed"]
    assert far.counters["dram.write_bytes.color"] < plain.counters["dram.write_bytes.color"]
    with pytest.raises(UsageError, match="did you mean far-away"):
        parse_techniques(["far-awai"])
    sys.modules.pop("far_away", None)
    assert np.all(trace["passes"]["num_colors"] == 1)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("from gpumodel.techniques import", "SyntaxError"),
        ("FarAway = 3", "ConfigError: it registers no technique far-away"),
        (
            "from gpumodel.techniques import Technique, register\n"
            "@register\nclass FarAway(Technique):\n    id = 'far-away'\n    source = ''\n",
            "ConfigError: technique far-away has no hardware, plugs",
        ),
        (
            "from gpumodel.techniques import register\nfrom gpumodel.techniques.re import technique\n"
            "@register\nclass Near(technique.RenderingElimination):\n    id = 'near'\n"
            "@register\nclass FarAway(technique.RenderingElimination):\n    id = 're'\n",
            "ConfigError: technique re is registered twice",
        ),
    ],
)
def test_a_plugin_that_cannot_be_loaded(
    tmp_path: Path, clean_registry: None, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], body: str, reason: str,
) -> None:  # fmt: skip
    """It is named with its package in one line and left out; exit 4 where it is asked for; doctor shows it."""
    from gpumodel.cli import cli
    from traceformat.cli.door import run

    (tmp_path / "far_broken.py").write_text(body)
    about = tmp_path / "far_broken-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: far-broken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[gpureplay.techniques]\nfar-away = far_broken:FarAway\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "_PLUGINS", {})
    try:
        with pytest.warns(ToolWarning) as told:
            assert parse_techniques(["re"]) == [(), ("re",)]
        (line,) = [str(one.message) for one in told]
        assert line.startswith("technique far-away of far-broken 1.0 is left out, it cannot be loaded: ")
        assert reason in line
        assert not {"far-away", "near"} & set(known_techniques())
        (tmp_path / "t.gltrace").write_bytes(b"not looked at")
        assert run(cli, ["run", str(tmp_path / "t.gltrace"), "-t", "far-away"], name="gpureplay") == 4
        (line,) = capsys.readouterr().err.splitlines()
        assert "technique far-away of far-broken 1.0 cannot be loaded: " in line
        assert run(cli, ["doctor", "--json"], name="gpureplay") in (0, 4)
        (shown,) = [check for check in json.loads(capsys.readouterr().out) if check["name"] == "technique far-away"]
        assert shown["state"] == "note"
        assert reason in shown["found"]
    finally:
        sys.modules.pop("far_broken", None)


def test_a_plugin_that_fails_takes_none_of_ours_with_it(tmp_path: Path) -> None:
    (tmp_path / "far_broken.py").write_text("import gpumodel.techniques.re\nraise KeyError('late')\n")
    about = tmp_path / "far_broken-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: far-broken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[gpureplay.techniques]\nfar-away = far_broken\n")
    code = (
        f"import sys; sys.path.append({str(tmp_path)!r}); from gpumodel.techniques import registry as r;"
        "print([plugin.error for plugin in r.plugins()], 're' in r.known_techniques())"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == """["KeyError: 'late'"] True"""


@pytest.mark.parametrize("technique", sorted(known_techniques()))
def test_a_closed_run_lets_go_of_its_machine(technique: str) -> None:
    """Techniques hold the machine whose hooks they are: without a word, only the collector finds the ring."""
    config = load_config("mali450-re")
    Run(config, [technique], verify=True).close()  # what is compiled first leaves rings of its own
    gc.collect()
    gc.disable()
    try:
        run = Run(config, [technique], verify=True)
        machine = weakref.ref(run.machine)
        run.close()
        del run
        assert machine() is None
    finally:
        gc.enable()


def test_opening_a_trace_compiles_no_kernel() -> None:
    code = "import gpureplay.sources, sys; print('numba' in sys.modules)"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == "False"


_FAULTY = """
from gpumodel.techniques import Hook, Plugs, Technique, register
from gpumodel.units.plug import PLUG_SIGNATURE
from traceformat.kernels import callback

def hook(s, own, a, b, c, d):
    return own.no_such_field

@register
class FarAway(Technique):
    id = "far-away"
    source = "nowhere"
    def plugs(self, config):
        {plugs}
    def hardware(self, config):
        {hardware}
"""


@pytest.mark.parametrize(
    ("plugs", "hardware", "reason"),
    [
        ("raise KeyError('tiles')", "return []", "KeyError: 'tiles'"),
        ("return Plugs()", "return 1 / 0", "ZeroDivisionError: division by zero"),
        ("return Plugs(hooks={'tile_flush': Hook(callback(PLUG_SIGNATURE)(hook))})", "return []", "no_such_field"),
        ("return Plugs(tile_flush=[lambda trace, streams: streams.tiles['no_such']])", "return []", "no_such"),
    ],
)
def test_a_plugin_that_fails_while_it_runs(
    tmp_path: Path, clean_registry: None, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], plugs: str, hardware: str, reason: str,
) -> None:  # fmt: skip
    """It is named with its package, and no bug of ours."""
    from fuzz_scenes import SCENES
    from trim_programs import write

    from gpumodel.cli import cli
    from traceformat.cli.door import run

    (tmp_path / "far_faulty.py").write_text(_FAULTY.format(plugs=plugs, hardware=hardware))
    about = tmp_path / "far_faulty-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: far-faulty\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[gpureplay.techniques]\nfar-away = far_faulty:FarAway\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "_PLUGINS", {})
    trace = write(tmp_path / "t.gltrace", SCENES["gl33"]())
    try:
        assert run(cli, ["run", str(trace), "-t", "far-away"], name="gpureplay") == 4
        line = capsys.readouterr().err.splitlines()[-1]
        assert line.startswith("gpureplay: technique far-away of far-faulty 1.0 failed: ")
        assert reason in line
    finally:
        sys.modules.pop("far_faulty", None)
