"""The command that draws the figures: every picture is made, of the right size, and shows what it is said to show."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from gpumodel.cli import cli
from gpureplay import handheld_figures as command
from traceformat.cli.door import run

CAPTION, GAP = command._CAPTION, command._PANEL_GAP
SKY = command._SKY
#: Columns and rows of panels, pixels of a panel.
LAYOUT = {
    "figure_1": (4, 1, 352, 288),
    "figure_7": (3, 1, 528, 432),
    "figure_8": (5, 2, 330, 270),
    "figure_9": (3, 2, 440, 352),
    "figure_10": (3, 1, 528, 432),
    "figure_11": (2, 2, 528, 3 * (144 - SKY)),
    "figure_12": (5, 1, 288, 288),
    "figure_13": (3, 2, 528, 3 * (144 - SKY)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        # Early frames, for speed.
        patch.setattr(command, "_SHOWN", {"testcard": 4, "screensaver": 0, "level": 0, "menu": 2})
        place = tmp_path_factory.mktemp("figures")
        assert run(cli, ["handheld-figures", "-o", str(place)]) == 0
    return place


def panels(folder, name):
    """Panels of a figure, row by row, without captions."""
    across, down, width, height = LAYOUT[name]
    picture = np.asarray(Image.open(folder / f"{name}.png").convert("RGB"))
    return [
        picture[j * (height + CAPTION + GAP) :, i * (width + GAP) :][:height, :width]
        for j in range(down)
        for i in range(across)
    ]


def test_every_figure_is_there_with_its_size(folder):
    assert {p.stem for p in folder.glob("*.png")} == set(LAYOUT)
    for name, (across, down, width, height) in LAYOUT.items():
        with Image.open(folder / f"{name}.png") as picture:
            assert picture.size == (across * (width + GAP), down * (height + CAPTION + GAP)), name


@pytest.mark.parametrize("name", LAYOUT)
def test_panels_show_something_and_differ(folder, name):
    found = panels(folder, name)
    filled = found if name != "figure_9" else found[:5]
    for number, panel in enumerate(filled):
        assert panel.std() > 8, (name, number)
    # The schemes of a row differ from each other: no picture stands in two places.
    for i, a in enumerate(filled):
        for b in filled[:i]:
            assert not np.array_equal(a, b), name


def test_captions_are_written(folder):
    for name, (_, _, width, height) in LAYOUT.items():
        picture = np.asarray(Image.open(folder / f"{name}.png").convert("L"))
        assert picture[height : height + CAPTION, :width].min() < 80, name


def shades(panel, scale):
    return len(np.unique(panel[::scale, ::scale, 1]))


def test_edges_have_the_shades_that_the_paper_counts(folder):
    """Figure 8: white triangle on black: 2, 5, 5, 5 and up to 6 shades; one sample has no grey."""
    one, two, flipquad, rgss, quincunx = (shades(panel, 6) for panel in panels(folder, "figure_8")[:5])
    assert one == 2
    assert two <= 5
    assert flipquad == rgss == 5
    assert 4 <= quincunx <= 6


def test_filters_smooth_what_is_far_away(folder):
    """Figure 11: far away every mipmapped filter is far smoother than nearest texels, trilinear most so."""
    nearest, bilinear, average, trilinear = (
        np.abs(np.diff(panel[:60:3, ::3].astype(int), axis=1)).mean() for panel in panels(folder, "figure_11")
    )
    assert nearest > 3 * max(bilinear, average)
    assert trilinear <= min(bilinear, average)


def test_compressed_pictures_are_near_the_original(folder):
    original, *others = (panel[::3, ::3].astype(float) for panel in panels(folder, "figure_12"))
    psnr = [10 * np.log10(255**2 / ((other - original) ** 2).mean()) for other in others]
    dithered, plain, extremes, s3tc = psnr
    assert 24 < dithered < extremes < plain < s3tc < 45


def test_a_folder_that_cannot_be_made(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert run(cli, ["handheld-figures", "-o", str(tmp_path / "file")]) == 2
    assert "file" in capsys.readouterr().err
