"""The kit: what it reads of a driver, what it says of one that lies, and that nothing measured is lost."""

from __future__ import annotations

import ast
import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from planted_device import PlantedDevice, planted_results

from samples.silicon import families, numbers, table
from samples.silicon.command import summary
from samples.silicon.measuring import chosen
from samples.silicon.results import ResultsError, mistakes, parsed, read, suspicions, text_of, write
from traceformat.gles import egl_enums, enums

KIT = Path(table.__file__).parent
SOME = ("fill_none", "fill_more", "alu_mad8", "vertex_indexed", "chain_eight")
NUMBER = {name: float(7 + place) for place, name in enumerate(chosen())}
HONEST = {
    "FEP-valid-quads": ("uint", lambda name: 100 * NUMBER[name]),
    "cycle-count": ("uint64", lambda name: 5e11 * NUMBER[name]),
    "busy": ("percentage", lambda name: NUMBER[name]),
    "level": ("float", lambda name: 0.5 * NUMBER[name]),
    "fifth": ("uint", lambda name: NUMBER[name]),
}


def test_the_table_is_whole():
    assert len(table.BENCHMARKS) >= 40
    assert {one.family for one in chosen().values()} == set(families.FAMILIES)
    assert all(one.identifies for one in chosen().values())
    assert {one.removeprefix("twin_") for one in table.twin_benchmarks()} >= {"bbr", "ccs"}


def test_the_kit_imports_nothing_but_numpy_and_pyopengl():
    allowed = set(sys.stdlib_module_names) | {"numpy", "OpenGL"}
    for path in KIT.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 1 or node.module.split(".")[0] in allowed, path
            elif isinstance(node, ast.Import):
                assert {one.name.split(".")[0] for one in node.names} <= allowed, path


def test_the_kits_numbers_are_the_registrys():
    own = {name: value for name, value in vars(numbers).items() if name.startswith(("GL_", "EGL_"))}
    assert len(own) > 15
    for name, value in own.items():
        if name.startswith("GL_"):
            assert getattr(enums, name.removesuffix("_ARB"), None) == value or getattr(enums, name) == value, name
        else:
            assert getattr(egl_enums, name.removeprefix("EGL_")) == value, name


def test_what_a_driver_counts_is_read(monkeypatch, tmp_path):
    device = PlantedDevice(HONEST, time_ns=lambda name: 1000 * NUMBER[name])
    document = planted_results(device, monkeypatch, SOME, tmp_path / "none.json")
    assert [one["name"] for one in document["counters"]][1:] == [f"CORE/{name}" for name in HONEST]
    for name in SOME:
        sample = document["benchmarks"][name]
        for counter, (_, value) in HONEST.items():
            assert sample["counters"][f"CORE/{counter}"] == [value(name)] * 2
        assert sample["times_ns"] == [1000 * NUMBER[name] * sample["loops"]] * 3
    text = "\n".join(suspicions(document))
    assert not [line for line in suspicions(document) if "CORE" in line], text
    # The planted clock runs faster than the host's.
    assert document["run"]["seed"] == 1


def test_lies_are_said(monkeypatch, tmp_path):
    lies = {
        "negative": ("uint64", lambda name: -5 if name == "alu_mad8" else 3),
        "wrapped": ("uint", lambda name: 2**32 - 9 if name == "fill_more" else 4),
        "zero": ("uint", lambda name: 0),
        "share": ("percentage", lambda name: 140),
        "honest": ("uint", lambda name: NUMBER[name]),
    }
    device = PlantedDevice(lies, time_ns=lambda name: -1 if name == "chain_eight" else 0)
    found = suspicions(planted_results(device, monkeypatch, SOME, tmp_path / "none.json"))

    def said(of: str) -> str:
        return "; ".join(line for line in found if of in line)

    assert "CORE/negative: 1.84467e+19 in alu_mad8: negative as 64 bits" in said("CORE/negative")
    assert "in fill_more: negative as 32 bits, or it wrapped" in said("CORE/wrapped")
    assert said("CORE/zero") == "CORE/zero: 0 in all 5 benchmarks: it does not count"
    assert said("CORE/share").startswith("CORE/share: 140 % in ")
    assert not said("CORE/honest")
    assert "the GPU's timer gave 0 ns" in said("fill_none")
    assert "the GPU's timer gave more than the host saw pass" in said("chain_eight")


def test_a_disturbed_clock_gives_no_time(monkeypatch, tmp_path):
    device = PlantedDevice(HONEST)
    device.is_disjoint = True
    document = planted_results(device, monkeypatch, ("fill_none",), tmp_path / "none.json")
    sample = document["benchmarks"]["fill_none"]
    assert sample["times_ns"] == []
    assert len(sample["host_ns"]) == 3


class Killed(BaseException):
    pass


def test_a_killed_run_goes_on_and_keeps_what_it_had(monkeypatch, tmp_path):
    place = tmp_path / "board.json.gz"
    kept = []

    def save(document):
        write(document, place)
        kept.append(json.loads(json.dumps(document)))
        if len(kept) == 3:
            raise Killed

    with pytest.raises(Killed):
        planted_results(PlantedDevice(HONEST), monkeypatch, SOME, place, save=save)
    assert gzip.decompress(place.read_bytes()).startswith(b"{")
    before = read(place)
    assert len(before["benchmarks"]) == 3
    document = planted_results(PlantedDevice(HONEST), monkeypatch, SOME, place, save=lambda one: write(one, place))
    assert set(document["benchmarks"]) == set(SOME)
    assert all(document["benchmarks"][name] == sample for name, sample in before["benchmarks"].items())
    assert read(place)["benchmarks"] == document["benchmarks"]
    assert list(document["benchmarks"])[:3] == list(before["benchmarks"])


def test_another_run_is_not_mixed_in(monkeypatch, tmp_path):
    place = tmp_path / "board.json"
    planted_results(PlantedDevice(HONEST), monkeypatch, SOME, place, save=lambda one: write(one, place))
    for device, names, differs in (
        (PlantedDevice(HONEST, renderer="other"), SOME, "device"),
        (PlantedDevice(HONEST), SOME[:2], "run"),
        (PlantedDevice({"one": HONEST["fifth"]}), SOME, "counters"),
    ):
        with pytest.raises(ResultsError, match=f"another run: its {differs} differ"):
            planted_results(device, monkeypatch, names, place)
    with pytest.raises(ResultsError, match="no benchmark 'fil'"):
        planted_results(PlantedDevice(HONEST), monkeypatch, ("fil",), tmp_path / "new.json")


def test_the_order_is_the_seeds(monkeypatch, tmp_path):
    orders = [
        list(planted_results(PlantedDevice(HONEST), monkeypatch, SOME, tmp_path / "no.json", seed)["benchmarks"])
        for seed in (1, 1, 2)
    ]
    assert orders[0] == orders[1] != orders[2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[: len(text) // 2], "no JSON"),
        (lambda text: text.replace('"loops": 1', '"loops": 2', 1), "digest"),
        (lambda text: "{}", "no results"),
        (lambda text: text.replace('"version": 1', '"version": 2'), "version 2"),
        (lambda text: text.replace('"loops": 1', '"loops": 0'), "no numbers"),
        (lambda text: text.replace('"missing"', '"nothing"'), "missing"),
        (lambda text: "[" * 100_000, "no JSON"),
        (lambda text: gzip.compress(text.encode())[:-40], "cut short|damaged"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_in_a_line(monkeypatch, tmp_path, change, message):
    place = tmp_path / "board.json"
    write(planted_results(PlantedDevice(HONEST), monkeypatch, SOME, place), place)
    assert mistakes(read(place)) == []
    changed = change(place.read_text())
    place.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
    with pytest.raises(ResultsError, match=message) as caught:
        read(place)
    assert "\n" not in str(caught.value)


def test_files_of_others_never_end_in_a_traceback(monkeypatch, tmp_path):
    """Any value of a good file is replaced by another kind, with the digest made right."""
    document = planted_results(PlantedDevice(HONEST), monkeypatch, SOME[:2], tmp_path / "none.json")
    document = json.loads(json.dumps(document))

    def places(value, path=()):
        yield path
        children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, child in children:
            yield from places(child, (*path, key))

    refused = 0
    for path in list(places(document))[1:]:
        for other in (None, -1, "text", [], {}, [None], {"a": 1}, 1e308):
            changed = json.loads(json.dumps(document))
            inner = changed
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = other
            try:
                read_back = parsed(text_of(changed).encode())
            except ResultsError:
                refused += 1
            else:
                summary(read_back)
    assert refused > 100


def kit(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The kit as a folder that was copied alone."""
    if not (folder / "silicon").exists():
        shutil.copytree(KIT, folder / "silicon", ignore=shutil.ignore_patterns("__pycache__"))
    return subprocess.run(
        [sys.executable, "silicon", *arguments],
        cwd=folder, capture_output=True, text=True, check=False, timeout=100, env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.gl
def test_the_copied_folder_measures_and_two_runs_agree(tmp_path):
    some = ("fill_none", "binning_tiny", "depth_shuffled", "discard_half", "vertex_indexed")
    found = []
    for place, seed in (("a.json", "1"), ("b.json.gz", "2")):
        done = kit(tmp_path, "run", "--quick", "--api", "gl", "--seed", seed, "-o", place, *some)
        if done.returncode == 4:
            pytest.skip(done.stderr)
        assert done.returncode == 0, done.stderr
        found.append(read(tmp_path / place))
    counters = [{name: one["counters"] for name, one in each["benchmarks"].items()} for each in found]
    assert counters[0] == counters[1]
    assert all(value for value in counters[0].values())
    assert set(counters[0]) == set(some)
    assert {one["what"] for one in found[0]["missing"]} >= {"GL_AMD_performance_monitor"}


def test_no_gpu_is_said_in_a_line(tmp_path):
    done = kit(tmp_path, "run", "-o", "x.json", __EGL_VENDOR_LIBRARY_FILENAMES=str(tmp_path / "none.json"))
    assert done.returncode == 4
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert not (tmp_path / "x.json").exists()
    done = kit(tmp_path, "run", "-o", "x.json", "nothing")
    assert (done.returncode, "no benchmark 'nothing'" in done.stderr) == (2, True)
    assert kit(tmp_path, "list").returncode == 0
