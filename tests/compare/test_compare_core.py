"""The comparing core on results made by hand: frames aligned, draws matched, differences in three parts."""

from __future__ import annotations

import json

import numpy as np
import pytest
from compare_documents import document, draw, frame

from gpumodel.compare.comparison import compare
from gpumodel.compare.draws import match
from gpumodel.compare.figures import side_of
from gpumodel.compare.frames import align
from gpumodel.compare.layout import json_of, markdown_of, text_of
from gpumodel.compare.pictures import kept_picture
from gpumodel.config.origin import technique_defaults
from traceformat.errors import UsageError


def compared(first, second):
    return compare(side_of(first), side_of(second))


def draws_of(*draws):
    found = side_of(document(frame(0, *draws))).frames[0].draws
    assert found is not None
    return found


def scene(number: int, *more, shift: float = 0.0):
    return frame(number, draw("sky"), draw("hero", fragments__rasterized=500 + 10 * (number + shift)), *more)


def test_equal_runs_are_equal():
    found = compared(document(*map(scene, range(3))), document(*map(scene, range(3))))
    assert found.differences == []
    assert found.aligned.pairs == [(0, 0), (1, 1), (2, 2)]
    assert "equal: draws, counters of 3 frames" in text_of(found)
    assert json_of(found)["differs"] is False


def test_what_names_of_drivers_are_makes_no_difference():
    one = draw("", mesh="m1", texture="64x64 RGBA8")
    first, second = document(frame(0, one)), document(frame(5, one))
    second["runs"][0]["frames"][0]["frame"] = 0
    # Another name of a texture, another number of a program.
    assert first["runs"][0]["frames"][0]["attribution"] != second["runs"][0]["frames"][0]["attribution"]
    assert compared(first, second).differences == []


def test_a_slower_object_is_named_with_its_reason():
    blur = {"cycles__raster_units": 8000, "fs__alu_instructions": 791_000}
    first = document(frame(0, draw("sky"), draw("post/blur", fs__alu_instructions=190_000)))
    second = document(frame(0, draw("sky"), draw("post/blur", program="p1", **blur)))
    found = compared(first, second)
    assert found.headline == (
        "`post/blur` costs 0.0103 ms instead of 0.00125: shaded fragments equal, instructions 791 instead of 190"
    )
    parts = [difference.part for difference in found.differences]
    assert parts == sorted(parts)
    assert found.differences[0].text == "`post/blur` runs another program in 1 draw a frame"
    assert found.things[0].name == "post/blur"
    assert found.headline in text_of(found)
    assert found.headline in markdown_of(found)
    # 3,600 of 900 cycles more.
    assert found.totals["cycles"] == (1000, 4600)
    assert found.beyond(4.0) == []


def test_the_machine_is_the_reason_where_the_work_is_the_same():
    slow = draw("sky", cycles__raster_units=1600, cache__texture__misses=40)
    found = compared(document(frame(0, draw("sky", cache__texture__misses=10))), document(frame(0, slow)))
    assert "the same work; texture cache misses 40 instead of 10" in found.headline


def test_draws_that_come_and_go():
    found = compared(
        document(frame(0, draw("sky"), draw("old"), draw("rain"))),
        document(frame(0, draw("sky"), draw("rain"), draw("rain", mesh="m9"), draw("new", program="p9"))),
    )
    texts = [difference.text for difference in found.differences if difference.part == "content"]
    assert "`old` is gone: 1 draw a frame" in texts
    assert "`new` is new: 1 draw a frame" in texts
    assert "`rain` has 2 draws a frame instead of 1" in texts
    assert len(texts) == 3


@pytest.mark.parametrize(
    ("first", "second", "pairs"),
    [
        # By name, whatever the order.
        ([draw("a"), draw("b")], [draw("b"), draw("a")], [(0, 1), (1, 0)]),
        # Of one name by program and geometry, then order.
        ([draw("a", mesh="x"), draw("a", mesh="y")], [draw("a", mesh="y"), draw("a", mesh="x")], [(0, 1), (1, 0)]),
        ([draw("a", mesh="x"), draw("a", mesh="y")], [draw("a", mesh="z"), draw("a", mesh="w")], [(0, 0), (1, 1)]),
        # The name goes before program and geometry.
        ([draw("a", mesh="x"), draw("b", mesh="y")], [draw("a", mesh="y"), draw("b", mesh="x")], [(0, 0), (1, 1)]),
        # Without names: by texture where geometry repeats, by geometry where the program is another.
        ([draw("", texture="1x1 A"), draw("", texture="2x2 A")], [draw("", texture="2x2 A")], [(1, 0)]),
        ([draw("", program="x", mesh="u")], [draw("", program="y", mesh="u")], [(0, 0)]),
        ([draw("", program="x", mesh="u")], [draw("", program="y", mesh="v")], []),
        # What was renamed.
        ([draw("a", program="x")], [draw("b", program="x")], [(0, 0)]),
    ],
)
def test_draws_are_matched(first, second, pairs):
    assert match(draws_of(*first), draws_of(*second)).pairs == pairs


def test_another_order_is_content():
    found = compared(
        document(frame(0, draw("a"), draw("b"), draw("c"))), document(frame(0, draw("b"), draw("c"), draw("a")))
    )
    assert [d.text for d in found.differences] == ["1 draw comes in another order"]


def test_a_frame_that_is_left_out_is_timing():
    first = document(*map(scene, range(6)))
    second = document(*(scene(number, shift=number >= 2) for number in range(5)))
    found = compared(first, second)
    assert found.aligned.pairs == [(0, 0), (1, 1), (3, 2), (4, 3), (5, 4)]
    assert list(found.aligned.only_first) == [2]
    assert [difference.part for difference in found.differences] == ["timing", "timing"]
    assert "1 of 6 frames are in a.gltrace only: 2" in found.differences[0].text
    assert "3 of 5 frames have another number: -1" in found.differences[1].text


def test_alignment_is_the_best_one():
    """Held against every possible alignment of short runs."""
    rng = np.random.default_rng(4)

    def worth(a, b, pairs):
        score = 0
        for one, other in pairs:
            x, y = a[one], b[other]
            same = x.draws.number("fragments.rasterized").tobytes() == y.draws.number("fragments.rasterized").tobytes()
            score += 4 if same and x.draws.name == y.draws.name else int(x.draws.name == y.draws.name)
        return score - (len(a) + len(b) - 2 * len(pairs))

    def every(a, b, i=0, j=0):
        yield []
        for one in range(i, len(a)):
            for other in range(j, len(b)):
                for rest in every(a, b, one + 1, other + 1):
                    yield [(one, other), *rest]

    for _ in range(30):
        runs = [
            side_of(
                document(
                    *(
                        frame(k, draw("ab"[rng.integers(2)], fragments__rasterized=int(rng.integers(3))))
                        for k in range(rng.integers(1, 5))
                    )
                )
            ).frames
            for _ in range(2)
        ]
        found = align(*runs)
        assert worth(*runs, found.pairs) == max(worth(*runs, pairs) for pairs in every(*runs))
        assert sorted([one for one, _ in found.pairs] + list(found.only_first)) == list(range(len(runs[0])))


def test_pictures_are_held_against_each_other():
    rng = np.random.default_rng(1)
    one = rng.integers(0, 200, (5, 8, 4), np.uint8)
    other = one.copy()
    other[2, 3] += 9
    first = side_of(document(scene(0)), pictures={0: kept_picture(one)})
    second = side_of(document(scene(0)), pictures={0: kept_picture(other)})
    found = compare(first, second)
    assert [d.text for d in found.differences] == ["frame 0: 1 of 40 pixels differ, by at most 9"]
    assert found.beyond(1 / 40) == []
    assert compare(first, first).differences == []
    small = side_of(document(scene(0)), pictures={0: kept_picture(one[:3])})
    assert "differ in size" in compare(first, small).differences[0].text


def test_calls_are_told_and_decide_nothing():
    first = side_of(document(scene(0)), calls={"glBindTexture": 3, "glGetError": 4})
    second = side_of(document(scene(0)), calls={"glBindTexture": 5, "glGenTextures": 1})
    found = compare(first, second)
    assert found.differences == []
    assert found.calls == {"glBindTexture": (3, 5), "glGenTextures": (0, 1)}
    assert "Calls: glBindTexture 5 instead of 3, glGenTextures 1 instead of 0" in text_of(found)


def test_a_technique_that_one_side_did_not_know_has_its_defaults_there():
    first, second = document(scene(0)), document(scene(0), **technique_defaults())
    assert compared(first, second).config == {}
    other = document(scene(0), **{**technique_defaults(), "memo.ports": 2})
    assert compared(first, other).config == {"memo.ports": (4, 2)}


def test_configurations_and_clocks():
    first = document(scene(0), **{"tile.width": 16})
    second = document(scene(0), clock_mhz=800.0, **{"tile.width": 32})
    found = compared(first, second)
    assert found.config == {"tech.clock_mhz": (400.0, 800.0), "tile.width": (16, 32)}
    assert [d.text for d in found.differences] == ["time 0.00125 ms a frame instead of 0.0025 ms (-50.0%)"]


def test_results_without_attribution():
    documents = document(scene(0)), document(scene(0, draw("x")))
    for each in documents:
        del each["runs"][0]["frames"][0]["attribution"]
    found = compared(*documents)
    assert found.things == []
    assert "draws 3 instead of 2 a frame" in [difference.text for difference in found.differences]


def test_frames_that_warm_up_do_not_count():
    warm = frame(0, draw("other"), role="warm-up")
    assert compared(document(warm, scene(1)), document(scene(1))).differences == []


def test_texts_of_traces_are_harmless():
    name = "a|b\x1b[31m<script>`"
    found = compared(document(frame(0, draw(name))), document(frame(0, draw(name, cycles__raster_units=9000))))
    assert "\x1b" not in text_of(found) + markdown_of(found)
    assert "<script>" not in markdown_of(found)
    json.dumps(json_of(found))


@pytest.mark.parametrize("broken", ["columns", "draw", "frames", "config"])
def test_a_broken_result_is_one_line(broken):
    given = document(scene(0))
    run = given["runs"][0]
    if broken == "columns":
        run["frames"][0]["attribution"]["columns"]["texels"] = [1]
    elif broken == "draw":
        run["frames"][0]["attribution"]["columns"]["draw"][:2] = [1, 0]
    else:
        del run[broken]
    with pytest.raises(UsageError, match="not a whole result"):
        side_of(given, label="x.json")
