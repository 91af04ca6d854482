"""The command: results of schema 1, tables, pictures, verification, and what is refused."""

from __future__ import annotations

import csv
import json

import pytest
from handheld_scenes import colored, mixed, soup

from gpumodel.cli import cli
from traceformat.cli.door import run


def call(capsys, *arguments):
    status = run(cli, [str(a) for a in arguments])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    return mixed(tmp_path_factory.mktemp("run") / "mixed.gltrace")


SMALL = ("-c", "handheld-2003", "--set", "screen.width=90", "--set", "screen.height=70")


def test_the_result_file(trace, tmp_path, capsys):
    out, table = tmp_path / "o.json", tmp_path / "o.csv"
    status, text, _ = call(
        capsys, "run", trace, *SMALL, "-t", "pooma+zmin+flipquad", "-t", "trilinear",
        "--json", out, "--csv", table, "--images", tmp_path / "png", "--host-json", tmp_path / "h.json", "--verify",
    )  # fmt: skip
    assert status == 0
    assert "pooma" in text
    assert "MB a frame" in text
    found = json.loads(out.read_text())
    assert found["schema"] == 2
    assert found["config"]["name"] == "handheld-2003"
    assert [r["technique"] for r in found["runs"]] == ["baseline", "pooma+zmin+flipquad", "trilinear"]
    for r in found["runs"]:
        assert len(r["frames"]) == 2
        assert r["memory"] == "paper"
        assert r["verify"]["identical"]
        for frame in [*r["frames"], r["total"]]:
            c = frame["counters"]
            assert frame["cycles"]["total"] == frame["cycles"]["raster"] > 0
            sums = ("access.total", "access.total_with_filter", "access.clear")
            kinds = sum(v for k, v in c.items() if k.startswith("access.") and "filter" not in k and k not in sums)
            assert kinds == c["access.total"]
            assert abs(frame["cycles"]["total"] - c["access.total_with_filter"] - c["access.clear"]) <= 2
            assert c["fragments.rasterized"] == c["fragments.early_z_killed"] + c["fragments.shaded"]
            parts = c["fragments.discarded"] + c["fragments.late_z_killed"] + c["fragments.written"]
            assert c["fragments.shaded"] == parts
            assert c["alpha"] + c["beta"] == pytest.approx(1)
            assert (
                c["access_ideal.total"]
                <= c["access.total"]
                <= sum(v for k, v in c.items() if k.startswith("access_values.") and "filter" not in k)
            )
    rows = list(csv.DictReader(table.open()))
    assert len(rows) == 6
    assert float(rows[0]["mb"]) > 0
    assert (tmp_path / "png" / "baseline" / "frame_0000.png").exists()
    assert (tmp_path / "png" / "trilinear" / "frame_0001_overdraw.png").exists()
    # The same again, byte by byte.
    again = tmp_path / "again.json"
    call(capsys, "run", trace, *SMALL, "-t", "pooma+zmin+flipquad", "-t", "trilinear", "--json", again, "--verify")
    first, second = (path.read_text().splitlines() for path in (out, again))
    begin = first.index(' "trace": {')
    assert first[begin:] == second[second.index(' "trace": {') :]


def test_a_range_of_frames_counts_those_alone(trace, tmp_path, capsys):
    call(capsys, "run", trace, *SMALL, "-t", "zmin", "--json", tmp_path / "a.json")
    call(capsys, "run", trace, *SMALL, "-t", "zmin", "--frames", "1-1", "--json", tmp_path / "b.json")
    whole, part = (json.loads((tmp_path / name).read_text())["runs"] for name in ("a.json", "b.json"))
    for a, b in zip(whole, part, strict=True):
        assert b["frames"] == a["frames"][1:]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("-t", "zmin+flipqad"), "did you mean flipquad?"),
        (("-t", "flipquad+rgss"), "exclude each other"),
        (("-t", "pooma+trilinear"), "exclude each other"),
        (("-t", "pooma", "--set", "pooma.compression=false"), "set pooma.overlap=false"),
        (("--set", "culling.tile_size=7"), "nearest: 4 or 8"),
        (("--set", "culling.tile_size=64"), "nearest: 32"),
        (("--set", "culling.tile_size=0"), "nearest: 1"),
        (("--set", "energy.off_chip_pj=0"), "nearest: 0.001"),
        (("--set", "energy.on_chip_pj=1e99"), "nearest: 1e+07"),
        (("--set", "tech.clock_mhz=-5"), "nearest: 0.001"),
        (("--set", "tech.clock_mhz=nan"), "must lie between"),
        (("--set", "screen.height=4000"), "nearest: 2048"),
        (("--set", "screen.width=5"), "nearest: 16"),
        (("--set", "pooma.filter=bilinaer"), "did you mean bilinear?"),
        (("--set", "pooma.filtr=1"), "did you mean pooma.filter?"),
        (("--memory", "dram"), "one access a cycle"),
        (("--save-gputrace", "x.gputrace"), "draws other pixels"),
    ],
)
def test_what_is_refused(trace, capsys, arguments, expected):
    status, out, err = call(capsys, "run", trace, "-c", "handheld-2003", *arguments)
    assert status == 2
    assert expected in err
    assert not out


def test_ids_belong_to_their_machines(trace, capsys):
    from gpumodel.techniques import known_techniques

    status, _, err = call(capsys, "run", trace, "-c", "mali450-vro", "-t", "zmin")
    assert status == 2
    assert "tile-based" in err
    assert "handheld-2003" in err
    for name in known_techniques():
        status, _, err = call(capsys, "run", trace, "-c", "handheld-2003", "-t", name)
        assert status == 2
        assert "technique of tile-based GPUs" in err
    status, _, err = call(capsys, "run", trace, "-c", "handheld-2003", "-c", "mali450-vro")
    assert status == 2
    assert "shares no replay" in err
    status, _, err = call(capsys, "stats", trace, "-c", "handheld-2003")
    assert status == 2
    assert "no tiles" in err


def test_the_preset_is_listed_and_shown(capsys):
    _, out, _ = call(capsys, "config", "list")
    assert "handheld-2003" in out
    assert "mali450-vro" in out
    _, out, _ = call(capsys, "config", "show", "handheld-2003")
    assert "§4.3" in out
    _, out, _ = call(capsys, "config", "schema", "--machine", "handheld")
    assert "tile_entry" in out


def test_every_value_of_the_preset_has_a_source():
    from gpumodel.config import preset_text

    group = False
    for line in preset_text("handheld-2003").splitlines():
        if not line.strip():
            group = False
        elif "#" in line:
            group = True
        elif "=" in line and not line.startswith(("machine", "name", "description", "[")):
            assert group, line


def test_a_screen_smaller_than_the_window(tmp_path, capsys):
    """A trace of another size is scaled: the same picture, smaller."""
    import numpy as np

    from replay.handheld.player import HandheldFrames
    from traceformat.gputrace.accessstream import HandheldMode

    path = colored(tmp_path / "s.gltrace", soup(3, 20), (128, 96))
    with HandheldFrames(path, HandheldMode()) as whole, HandheldFrames(path, HandheldMode(64, 48)) as half:
        big, small = next(whole).picture, next(half).picture
    assert small.shape == (48, 64, 4)
    mean = big.reshape(48, 2, 64, 2, 4).mean((1, 3))
    assert np.abs(mean - small)[..., :3].mean() < 10


def test_frames_without_draws(tmp_path, capsys):
    """A frame that only clears: no fragments, no ratios, and a table nevertheless."""
    from gl_recorder import Recorder

    r = Recorder(version=(2, 0), size=(32, 24))
    for _ in range(2):
        r.clear()
        r.swap()
    path = r.write(tmp_path / "empty.gltrace")
    out = tmp_path / "e.json"
    status, text, _ = call(capsys, "run", path, *SMALL, "-t", "pooma+zmin+flipquad", "--json", out)
    assert status == 0
    assert "depth complexity" in text
    total = json.loads(out.read_text())["runs"][0]["total"]
    assert total["counters"]["access.total"] == 0
    assert total["cycles"]["total"] == total["counters"]["access.clear"] > 0
