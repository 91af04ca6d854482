"""gpureplay stats and diff-images as users run them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gpumodel.cli import cli
from traceformat.cli.door import run

ROOT = Path(__file__).parents[2]


@pytest.fixture
def gpureplay(capfd):
    """Run the command; gives status, stdout, stderr."""

    def call(*args):
        capfd.readouterr()
        status = run(cli, [str(arg) for arg in args], name="gpureplay")
        out, err = capfd.readouterr()
        return status, out, err

    return call


def picture(path, value=100, size=(40, 30), **changes):
    pixels = np.full((size[1], size[0], 3), value, np.uint8)
    for place in changes.get("off", ()):
        pixels[place] += 50
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)
    return path


def test_stats_prints_tables(gpureplay, scene):
    status, out, err = gpureplay("stats", scene("overlapping"), "--by", "object")
    assert (status, err) == (0, "")
    assert "overlapping.gltrace: 2 frames, 132x90, tiles of 16x16 (mali450-vro)" in out
    assert "1 house" in out
    assert "Table 3" not in out


def test_stats_json_has_everything_and_frames_choose(gpureplay, scene):
    status, out, _ = gpureplay("stats", scene("overlapping"), "--json")
    document = json.loads(out)
    assert status == 0
    assert document["trace"]["frames"] == 2
    assert (document["trace"]["width"], document["trace"]["height"]) == (132, 90)
    assert len(document["trace"]["sha256"]) == 64
    assert [len(document[name]) for name in ("frames", "draws", "objects", "programs", "textures")] == [2, 6, 2, 1, 0]
    status, out, _ = gpureplay("stats", scene("overlapping"), "--json", "--frames", "1", "--by", "frame")
    one = json.loads(out)
    assert "draws" not in one
    assert one["frames"] == [document["frames"][1]]


def test_stats_of_a_gputrace_are_the_same(gpureplay, scene, tmp_path):
    saved = tmp_path / "late.gputrace"
    status, _, _ = gpureplay("run", scene("late"), "--save-gputrace", saved, "--json", tmp_path / "out.json")
    assert status == 0
    direct = gpureplay("stats", scene("late"), "--json")
    assert gpureplay("stats", saved, "--json") == direct
    assert gpureplay("stats", scene("late"), "--json", "--threads", "2") == direct


def test_stats_csv(gpureplay, scene, tmp_path):
    status, _, _ = gpureplay("stats", scene("shapes"), "--by", "draw", "--csv", tmp_path / "s.csv")
    lines = (tmp_path / "s.csv").read_text().splitlines()
    assert status == 0
    assert lines[0].startswith("by,frame,draw,call,mode,object,label,program,frames,tiles,")
    assert len(lines) == 2 + 7
    assert ",GL_POINTS," in lines[2]


@pytest.mark.parametrize(
    ("args", "status", "text"),
    [
        (["missing.gltrace"], 2, "missing.gltrace"),
        (["{trace}", "-c", "mali450-vr"], 2, "mali450-vro"),
        (["{trace}", "--set", "tile.width=15"], 2, "tile.width"),
        (["{trace}", "--by", "colour"], 2, "colour"),
        (["{trace}", "--frames", "9"], 2, "frame"),
        (["{trace}", "--csv", "/nowhere/out.csv"], 2, "/nowhere/out.csv"),
        (["{trace}", "--set", "screen.scale_to_trace=false"], 2, "1200x768"),
        (["{text}"], 3, "text"),
    ],
)
def test_stats_refuses(gpureplay, scene, tmp_path, args, status, text):
    (tmp_path / "text").write_text("hello\n" * 100)
    args = [arg.format(trace=scene("shapes"), text=tmp_path / "text") for arg in args]
    got, out, err = gpureplay("stats", *args)
    assert got == status, err
    assert len(err.splitlines()) == 1
    assert text in err
    assert out == ""


def test_stats_of_a_cut_trace_is_partial(gpureplay, scene, tmp_path):
    whole = scene("overlapping").read_bytes()
    cut = tmp_path / "cut.gltrace"
    cut.write_bytes(whole[: len(whole) * 2 // 3])
    status, _, err = gpureplay("stats", cut)
    assert status == 3
    assert err.splitlines()


def test_equal_pictures(gpureplay, tmp_path):
    a, b = picture(tmp_path / "a.png"), picture(tmp_path / "b.png", 102)
    status, out, err = gpureplay("diff-images", a, b)
    assert (status, err) == (0, "")
    assert "0.000%" in out
    status, _, err = gpureplay("diff-images", a, b, "--threshold", "1")
    assert status == 1
    assert "100 %" in err


def test_a_limit_and_a_mask(gpureplay, tmp_path):
    a, b = picture(tmp_path / "a.png"), picture(tmp_path / "b.png", off=[(2, 3), (9, 9), (29, 39)])
    mask = tmp_path / "mask.png"
    status, out, err = gpureplay("diff-images", a, b, "--mask", mask, "--json")
    assert status == 1
    assert "0.25 %" in err
    document = json.loads(out)
    assert document["pictures"][0]["different"] == 3
    assert document["pictures"][0]["share"] == 0.0025
    assert document["over_limit"] == ["b.png"]
    got = np.asarray(Image.open(mask))
    assert got.shape == (30, 40)
    assert sorted(zip(*np.nonzero(got), strict=True)) == [(2, 3), (9, 9), (29, 39)]
    assert gpureplay("diff-images", a, b, "--limit", "0.25")[0] == 0
    assert gpureplay("diff-images", a, b, "--limit", "0.24")[0] == 1


def test_folders_by_name(gpureplay, tmp_path):
    for number in range(3):
        picture(tmp_path / "a" / f"frame_{number:04d}.png", 50 + number)
        picture(tmp_path / "b" / f"frame_{number:04d}.png", 50 + number, off=[(1, 1)] * (number == 1))
    picture(tmp_path / "b" / "overdraw_0000.png")
    status, out, err = gpureplay("diff-images", tmp_path / "a", tmp_path / "b", "--json", "--mask", tmp_path / "masks")
    assert status == 1
    assert "1 of 3 pictures" in err
    assert "frame_0001.png" in err
    assert [row["different"] for row in json.loads(out)["pictures"]] == [0, 1, 0]
    assert json.loads(out)["pictures"][0]["psnr_db"] is None
    assert sorted(path.name for path in (tmp_path / "masks").iterdir()) == [f"frame_{k:04d}.png" for k in range(3)]
    (tmp_path / "b" / "frame_0002.png").unlink()
    status, _, err = gpureplay("diff-images", tmp_path / "a", tmp_path / "b")
    assert status == 2
    assert "frame_0002.png missing" in err


def test_alpha_counts_where_it_is_asked_for(gpureplay, tmp_path):
    pixels = np.full((12, 12, 4), 200, np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    pixels[3, 3, 3] = 0
    Image.fromarray(pixels).save(tmp_path / "b.png")
    assert gpureplay("diff-images", tmp_path / "a.png", tmp_path / "b.png")[0] == 0
    assert gpureplay("diff-images", tmp_path / "a.png", tmp_path / "b.png", "--alpha")[0] == 1


def test_diff_images_refuses(gpureplay, tmp_path):
    a = picture(tmp_path / "a.png")
    wide = picture(tmp_path / "wide.png", size=(41, 30))
    text = tmp_path / "text.png"
    text.write_text("no picture")
    cut = tmp_path / "cut.png"
    cut.write_bytes(a.read_bytes()[:-40])
    deep = tmp_path / "deep.png"
    Image.fromarray(np.zeros((30, 40), np.uint16)).save(deep)
    (tmp_path / "empty").mkdir()
    cases = [
        ((a, wide), "41x30"), ((a, tmp_path / "none.png"), "none.png: no such file"), ((a, text), "not a picture"),
        ((a, cut), "cut.png"), ((deep, a), "8 bits"), ((a, tmp_path / "empty"), "two pictures or two folders"),
        ((tmp_path / "empty", tmp_path), "no pictures named"), ((a, a, "--threshold", "256"), "256"),
        ((a, a, "--limit", "101"), "101"), ((a, a, "--mask", tmp_path / "no" / "mask.png"), "mask.png"),
    ]  # fmt: skip
    for args, text in cases:
        status, _, err = gpureplay("diff-images", *args)
        assert status == 2, (args, err)
        assert text in err
        assert len(err.splitlines()) == 1


def test_help_is_light():
    code = (
        "import sys\nfrom gpumodel.cli import cli\nfrom traceformat.cli.door import run\n"
        "run(cli, ['stats', '--help'])\nrun(cli, ['diff-images', '--help'])\n"
        "assert not {'numba', 'numpy', 'PIL', 'rich'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "gpureplay stats city.gltrace --by object\n" in done.stdout
