"""``gpureplay report``: its data, and its page in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Tab, browser
from films import FRAGMENT, HEIGHT, VERTEX, WIDTH, Film
from PIL import Image

from gpumodel.cli import cli
from replay import frames
from traceformat.cli.door import run as run_command
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import ColumnSet

#: What traces may hold, and no page may run.
NASTY = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">'&amp;"
SHOTS = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pages: of three frames, of one, with techniques, of two traces; and the data of the first."""
    folder = tmp_path_factory.mktemp("report")
    film = Film()
    # Names and sources are as bad as they can be.
    film.clear()
    for number, name in enumerate(("sky", NASTY, "gr\udcffund", "sun")):
        size = len(name.encode("utf-8", "surrogateescape"))
        film("glPushDebugGroup", gl.GL_DEBUG_SOURCE_APPLICATION, number, size, name)
        film.square(number)
        film("glPopDebugGroup")
    film.swap()
    program = film.program(VERTEX, f"// {NASTY}\n{FRAGMENT}")
    film("glUseProgram", program)
    film("glUniform4f", film("glGetUniformLocation", program, "tint"), 1.0, 0.8, 0.3, 1.0)
    for _ in range(2):
        film.all_squares()
        film.swap()
    trace = film.write(folder / "a\"<b>'&.gltrace")
    report(trace, "-o", folder / "three.html", "--json", folder / "three.json")
    report(trace, "--frames", "1-1", "-o", folder / "one.html", "--what-if")
    report(trace, "-t", "te", "-o", folder / "runs.html")
    other = Film()
    other.all_squares()
    other.swap()
    report(trace, other.write(folder / "other.gltrace"), "-o", folder / "two.html")
    # Something that has no fragment at all.
    hidden = Film()
    hidden.clear()
    hidden("glEnable", gl.GL_CULL_FACE)
    hidden("glCullFace", gl.GL_FRONT_AND_BACK)
    hidden.square(0)
    hidden.swap()
    report(hidden.write(folder / "hidden.gltrace"), "-o", folder / "hidden.html")
    return folder


def report(*words: object, status: int = 0) -> None:
    assert run_command(cli, ["report", *map(str, words)], name="gpureplay") == status


@pytest.fixture(scope="module")
def document(made: Path) -> dict[str, Any]:
    return json.loads((made / "three.json").read_text())


class Reader(HTMLParser):
    """Elements, and the text of the data block."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.data = ""
        self._in_data = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_data = tag == "script" and dict(attrs).get("id") == "data"

    def handle_endtag(self, tag: str) -> None:
        self._in_data = False

    def handle_data(self, data: str) -> None:
        if self._in_data:
            self.data += data


def test_costs_add_up_and_frames_are_whole(document: dict[str, Any]) -> None:
    totals = document["totals"]
    for rows in (document["costs"][by] for by in ("object", "program", "pass")):
        assert sum(row["ms"] + row["shared_ms"] for row in rows) == pytest.approx(totals["ms"], rel=1e-6)
        assert sum(row["mj"] for row in rows) == pytest.approx(totals["mj"], rel=1e-6)
        assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert [frame["frame"] for frame in document["frames"]] == [0, 1, 2]
    assert np.mean([frame["ms"] for frame in document["frames"]]) == pytest.approx(totals["ms"])
    area = sum(each["width"] * each["height"] for each in document["treemap"])
    assert area == pytest.approx(1e4)
    for each in document["treemap"]:
        assert each["width"] * each["height"] / 1e4 == pytest.approx(each["share"], abs=1e-6)
    # The second and third frame show the same.
    assert document["frames"][1]["picture"] == document["frames"][2]["picture"]
    (unchanged,) = (each for each in document["findings"] if each["kind"] == "unchanged")
    assert int(unchanged["title"].split("%")[0]) >= 50
    issue = sum(stage["issue_cycles"] for stage in document["shaders"])
    assert issue == pytest.approx(3 * (totals["fs.issue_cycles"] + totals["vs.issue_cycles"]))


def test_draws_of_two_frames_have_what_they_leave(document: dict[str, Any]) -> None:
    frames = sorted(document["frames"], key=lambda frame: frame["ms"])
    assert not any(row["so_far"] for row in frames[0]["draw_rows"])
    for frame in frames[1:]:
        rows = sorted(frame["draw_rows"], key=lambda row: row["draw"])
        assert all(row["mask"] and row["so_far"] for row in rows)
        assert len({row["so_far"] for row in rows}) == len(rows) == 4
        # The last one leaves what the frame shows.
        assert rows[-1]["so_far"] == frame["picture"]


def test_nothing_of_a_trace_becomes_part_of_the_page(made: Path, document: dict[str, Any]) -> None:
    text = (made / "three.html").read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(text)
    assert [tag for tag, _ in reader.tags].count("script") == 2
    assert not any(name.startswith("on") for _, attributes in reader.tags for name in attributes)
    found = json.loads(reader.data)
    assert {**found, "ramp": 0} == {**json.loads(json.dumps(document)), "ramp": 0}
    assert any(row["name"] == NASTY for row in found["costs"]["object"])
    assert "http://" not in text
    assert "https://" not in text
    # One script may run, by its hash.
    policy = next(
        dict(a)["content"] for tag, a in reader.tags if tag == "meta" and "Policy" in str(a.get("http-equiv"))
    )
    assert re.fullmatch(
        r"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-[\w+/=]+'", str(policy)
    )


def test_what_makes_no_sense_is_refused(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = next(made.glob("a*.gltrace"))
    report(trace, status=2)
    assert "nothing is asked for" in capsys.readouterr().err
    report(trace, trace, "-t", "re", "-o", "x.html", status=2)
    assert "compared on one GPU" in capsys.readouterr().err


@pytest.fixture(scope="module")
def tab(made: Path) -> Iterator[Tab]:
    with browser() as one:
        yield one


PAGES = ("three", "one", "runs", "two", "hidden")


@pytest.mark.browser
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, False), (1280, True)])
def test_pages_open_without_complaint(made: Path, tab: Tab, page: str, width: int, dark: bool) -> None:
    tab.open(made / f"{page}.html", width=width, dark=dark)
    assert not tab.complaints
    assert tab.fetched == [(made / f"{page}.html").as_uri()]
    assert tab.run("document.title").endswith("gpureplay report")
    assert tab.run("document.documentElement.scrollWidth") <= width
    assert not tab.nameless()
    light = tab.picture()[:200].mean()
    assert light < 60 if dark else light > 220


@pytest.mark.browser
def test_a_frame_is_shown_and_chosen(made: Path, tab: Tab, document: dict[str, Any]) -> None:
    tab.open(made / "three.html")
    dearest = max(document["frames"], key=lambda frame: frame["ms"])["frame"]
    assert tab.run("document.getElementById('frame-name').textContent") == f"Frame {dearest}"
    tab.click("[data-frame='1']")
    assert tab.run("document.getElementById('frame-name').textContent") == "Frame 1"
    tab.press("ArrowRight")
    assert tab.run("document.getElementById('frame-name').textContent") == "Frame 2"
    assert tab.run("location.hash") == "#frame=2"
    assert tab.run("document.querySelector('[data-frame=\"2\"]').getAttribute('aria-pressed')") == "true"
    # The picture is the frame's.
    with frames(next(made.glob("a*.gltrace")), columns=ColumnSet(()), frames=(2, 2), only_pictures=True) as played:
        (frame,) = played
    assert frame.picture is not None
    wanted = frame.picture[::-1, :, :3].astype(int)
    box = tab.run("(r => [r.x + scrollX, r.y + scrollY, r.width, r.height])(picture.getBoundingClientRect())")
    x, y, w, h = (round(value) for value in box)
    assert wanted.std() > 30
    shown = np.asarray(Image.fromarray(tab.picture()[y : y + h, x : x + w]).resize((WIDTH, HEIGHT))).astype(int)
    assert np.abs(shown - wanted)[4:-4, 4:-4].mean() < 16


@pytest.mark.browser
def test_layers_tiles_and_draws(made: Path, tab: Tab, document: dict[str, Any]) -> None:
    tab.open(made / "three.html", "#frame=1&layer=fragments")
    assert tab.run("document.querySelector('[data-layer=fragments]').getAttribute('aria-pressed')") == "true"
    across, down = document["frames"][1]["grid"]
    tab.until(f"!map.hidden && map.width === {across} && map.height === {down}")
    # Every tile has fragments, of which four squares shade one a pixel.
    pixels = tab.run("Array.from(map.getContext('2d').getImageData(0, 0, map.width, map.height).data)")
    assert min(pixels[3::4]) > 0
    tab.run("document.getElementById('shot').scrollIntoView({block: 'center', behavior: 'instant'})")
    box = tab.run("(r => [r.x, r.y, r.width, r.height])(shot.getBoundingClientRect())")
    tab.mouse(box[0] + 0.1 * box[2], box[1] + 0.9 * box[3])
    tab.until("tile.textContent.startsWith('Tile ')")
    said = tab.run("tile.textContent")
    assert said.startswith(f"Tile {int(0.1 * WIDTH / 16)}, {int(0.9 * HEIGHT / 16)}: ")
    assert "fragments a pixel" in said
    assert "cycles" in said
    assert across * down == len(pixels) // 4
    tab.click("#draws tr.has-mask th")
    assert tab.run("[mask.hidden, map.hidden]") == [False, True]
    chosen = tab.run("document.querySelector('#draws tr[aria-selected=true]').dataset.draw")
    (draw,) = (row for row in document["frames"][1]["draw_rows"] if str(row["draw"]) == chosen)
    assert draw["mask"] in tab.run("mask.style.maskImage")
    assert f"draw {chosen}" in tab.run("mask.getAttribute('aria-label')")
    assert "draw=" in tab.run("location.hash")
    tab.click("[data-layer=picture]")
    assert tab.run("[mask.hidden, map.hidden]") == [True, True]
    assert not tab.complaints


@pytest.mark.browser
def test_tables_are_sorted_and_changed(made: Path, tab: Tab) -> None:
    tab.open(made / "three.html")
    visible = "[...document.querySelectorAll('.by')].filter(part => !part.hidden).map(part => part.dataset.by)"
    assert tab.run(visible) == ["object"]
    column = (
        "[...document.querySelectorAll('.by[data-by=object] tbody tr')].map(row => Number(row.cells[{}].dataset.v))"
    )
    shares = tab.run(column.format(4))
    assert shares == sorted(shares, reverse=True)
    for order in (True, False):
        tab.click(".by[data-by=object] th:nth-child(3) button")
        values = tab.run(column.format(2))
        assert values == sorted(values, reverse=order)
    names = "[...document.querySelectorAll('.by[data-by=object] tbody th')].map(cell => cell.textContent)"
    assert NASTY in tab.run(names)
    tab.click("[data-by=program]")
    assert tab.run(visible) == ["program"]
    tab.click("#theme")
    assert tab.run("document.documentElement.dataset.theme") == "dark"
    assert tab.picture()[:200].mean() < 60
    assert not tab.complaints


@pytest.mark.browser
def test_other_runs_traces_and_changes_are_shown(made: Path, tab: Tab) -> None:
    tab.open(made / "runs.html")
    assert tab.run("[...document.querySelectorAll('#runs tbody th')].map(cell => cell.textContent)")[0] == "baseline"
    tab.open(made / "two.html")
    assert "3 frames" not in tab.run("document.querySelector('#compared .lead').textContent")
    assert tab.run("document.querySelectorAll('#compared .said li').length") > 1
    tab.open(made / "one.html")
    assert tab.run("document.querySelectorAll('.bars').length") == 0
    assert tab.run("document.querySelectorAll('#what-if .advice li').length") >= 1
    assert "saved" in tab.run("document.querySelector('#stands-out .share').textContent")


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "width", "dark"), [("desktop", 1280, False), ("phone", 390, False), ("dark", 1280, True)]
)
def test_pages_look_as_they_did(made: Path, tab: Tab, name: str, width: int, dark: bool) -> None:
    """Loosely, and by section: fonts differ from machine to machine, figures from version to version; where things are
    and how bright they are does not.
    """
    tab.open(made / "three.html", width=width, dark=dark)
    boxes = tab.run(
        "['header, #verdict', '#frame', '#machine'].map(names => [...document.querySelectorAll(names)]"
        ".map(part => part.getBoundingClientRect()).filter(box => box.height))"
        ".map(boxes => [boxes[0].top + scrollY, boxes.at(-1).bottom + scrollY])"
    )
    whole = tab.picture()
    seen = Image.new("RGB", (64, 3 * 64))
    for place, (top, bottom) in enumerate(boxes):
        part = Image.fromarray(whole[round(top) : round(bottom)]).resize((64, 64), Image.Resampling.BOX)
        seen.paste(part, (0, 64 * place))
    kept = SHOTS / f"page_{name}.png"
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        seen.save(kept)
        pytest.fail(f"{kept.name} was not there and is now: look at it")
    difference = np.abs(np.asarray(seen).astype(int) - np.asarray(Image.open(kept).convert("RGB")).astype(int))
    assert difference.mean() < 9, "look at the page; without the kept picture a new one is made"
