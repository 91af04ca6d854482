"""What a run is known by: everything that can change its results."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from sample_goldens import ROOT
from study_films import film

from gpumodel import load_config
from gpumodel.study import identity
from gpumodel.study.identity import UNUSED_ROOMS, run_identity, run_key
from gpumodel.techniques.registry import known_techniques

SEGMENTS = [(range(2, 4), range(1, 4))]

#: A task as a worker runs it; prints the modules of ours that it has imported.
WORKER = """
import sys
sys.path[:0] = [{root!r}]
from gpumodel.study.description import study_from
from gpumodel.study.plan import make_plan
from gpumodel.study.store import RunStore
from gpumodel.study.sweep import tasks_of
from gpumodel.study.engine import InProcess
from gpumodel.study.work import run_task
from gpureplay.study_traces import ReplayedTraces
from pathlib import Path
traces = ReplayedTraces()
given = {{"traces": [{film!r}], "techniques": ["vro", "re+te", "dr", "pfr", "memo", "ptr", "zprepass"]}}
plan = make_plan(study_from(given, Path(), []), traces, Path("."), RunStore(Path("runs")))
for task in tasks_of(plan.runs, InProcess(), None):
    outcome = run_task(task, traces, lambda done: None)
    assert not outcome.failures, outcome.failures
print(*sorted(sys.modules))
"""


def test_rooms_that_are_left_out_are_not_used(tmp_path: Path) -> None:
    """What a run imports is in its identity; the study's own rooms only ask and choose frames, which are in it."""
    code = WORKER.format(root=str(ROOT), film=str(film(tmp_path / "film.gltrace", 2)))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=200, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    # What `gputrace info` counts is imported with the reader, and tells runs nothing.
    modules = set(done.stdout.split()) - {"traceformat.tools", "traceformat.tools.summary"}
    rooms = {"/".join(name.split(".")[:2]) for name in modules}
    assert {"gpumodel/units", "replay/engine", "gpumodel/energy"} <= rooms
    assert rooms & UNUSED_ROOMS <= {"gpumodel/sampling", "gpumodel/study"}


def test_tables_of_numbers_count() -> None:
    names = [name for package in ("gpumodel", "replay", "traceformat") for name, _ in identity._sources(package)]
    for name in ("gpumodel/energy/table.csv", "gpumodel/memory/dram/configs.toml", "gpumodel/machine.py",
                 "replay/player.py", "traceformat/gputrace/frametrace.py"):  # fmt: skip
        assert name in names
    assert not [name for name in names if name.startswith(("gpumodel/cli", "gpumodel/study", "gpumodel/presets"))]


def test_everything_makes_another_key() -> None:
    config = load_config("mali450-vro")
    base = run_key(run_identity("a" * 64, SEGMENTS, config, ("vro",)))
    others = [
        run_identity("b" * 64, SEGMENTS, config, ("vro",)),
        run_identity("a" * 64, [(range(2, 5), range(1, 5))], config, ("vro",)),
        run_identity("a" * 64, [(range(2, 4), range(0, 4))], config, ("vro",)),
        run_identity("a" * 64, SEGMENTS, load_config("mali450-vro", ["caches.l2.size_bytes=64K"]), ("vro",)),
        run_identity("a" * 64, SEGMENTS, config, ()),
        run_identity("a" * 64, SEGMENTS, config, ("vro", "dr")),
    ]
    keys = {run_key(other) for other in others}
    assert len(keys) == len(others)
    assert base not in keys
    assert base == run_key(run_identity("a" * 64, SEGMENTS, load_config("mali450-vro"), ("vro",)))


def test_parameters_that_a_run_does_not_read_make_no_other_key() -> None:
    def key(technique: str, *settings: str) -> str:
        return run_key(run_identity("a" * 64, SEGMENTS, load_config("tbr-fhd", settings), tuple(technique.split())))

    base = {name: key(name) for name in ("", "ptr", "ptr-shared", "re", "re te", "evr-like", "frag-prepass")}
    equal = [("ptr_shared.ports=2", "", "ptr", "re"), ("re.sub_block_bytes=4", "", "ptr-shared", "frag-prepass")]
    other = [
        ("ptr_shared.ports=2", "ptr-shared"),
        ("ptr.units=4", "ptr", "ptr-shared"),
        ("re.sub_block_bytes=4", "re", "re te", "evr-like"),
        ("dr.hsr_attributes=position", "frag-prepass"),
    ]
    assert [(setting, name) for setting, *names in equal for name in names if key(name, setting) != base[name]] == []
    assert [(setting, name) for setting, *names in other for name in names if key(name, setting) == base[name]] == []


def test_techniques_read_their_own_parameters() -> None:
    """What a run is known by leaves out the parameters of techniques that it runs without."""
    known = known_techniques().values()
    read: dict[str, set[str]] = {}
    for path in (ROOT / "gpumodel" / "techniques").rglob("*.py"):
        package = path.relative_to(ROOT / "gpumodel" / "techniques").parts[0]
        read.setdefault(package, set()).update(re.findall(r"(\w+Config)\.of\(", path.read_text(encoding="utf-8")))
    for package, names in read.items():
        own = [one for one in known if f".techniques.{package}." in one.__module__]
        theirs = {base.Config.__name__ for one in own for base in one.__mro__ if getattr(base, "Config", None)}
        assert names <= theirs, package
    assert "PtrConfig" in read["ptr_shared"]


PLUGIN = """
from gpumodel.techniques.plugs import Plugs
from gpumodel.techniques.registry import Technique, register

@register
class Foreign(Technique):
    id = "foreign-{number}"
    source = "{source}"

    def plugs(self, config):
        return Plugs()

    def hardware(self, config):
        return []
"""


def test_a_plugin_is_known_by_its_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gpumodel.techniques import registry

    monkeypatch.setattr(registry, "_REGISTERED", dict(registry.known_techniques()))
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "foreign_technique.py"
    path.write_text(PLUGIN.format(number=1, source="one"))
    import importlib

    importlib.import_module("foreign_technique")
    first = run_identity("a" * 64, SEGMENTS, load_config("mali450-vro"), ("foreign-1",))
    assert list(first["plugins"]) == ["foreign_technique"]
    path.write_text(PLUGIN.format(number=1, source="two"))
    second = run_identity("a" * 64, SEGMENTS, load_config("mali450-vro"), ("foreign-1",))
    assert run_key(first) != run_key(second)
    assert run_identity("a" * 64, SEGMENTS, load_config("mali450-vro"), ("vro",))["plugins"] == {}
