"""Which finding comes first: by what its repair saves, and not by what nobody knows how to get."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gpumodel.report.page.advice import Placed, advice_document, changes_to_try, findings_by_saving, ranked
from gpumodel.whatif.kinds import change_of
from gpumodel.whatif.outcome import Answer, Answers, Elsewhere, Figures, PictureChange

NAMES = SimpleNamespace(
    object=["hall", "lamp", "blur"], program=["aa", "aa", "bb"], program_id=[4, 4, 7],
    framebuffer=["framebuffer 1"] * 2 + ["default"],
    textures=[["texture 1 64x64 RGBA8"], ["texture 1 64x64 RGBA8"], ["texture 2 64x64 RGBA8"]],
)  # fmt: skip
ROWS: Any = SimpleNamespace(names=NAMES)


def finding(kind: str, share: float, change: tuple[str, ...] = (), bound: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"kind": kind, "share": share, "change": change, "bound": bound}


FOUND = [
    finding("shader", 0.9),
    finding("object", 0.6, bound=("hollow", "blur")),
    finding("object", 0.5, bound=("hollow", "hall")),
    finding("mipmaps", 0.4, ("mipmaps", "texture 1")),
    finding("overdraw", 0.3, ("order", "all", "front-to-back")),
    finding("passes", 0.2, ("invalidate-depth", "framebuffer 1")),
]


def answer(saved: float, *words: str, frames: int = 1, elsewhere: float | None = None) -> Answer:
    others = [] if elsewhere is None else [Elsewhere("tbr-fhd", "dram", 1000, round(1000 * (1 - elsewhere)))]
    before, after = Figures(1000, 1.0, 10), Figures(round(1000 * (1 - saved)), 1.0, 10)
    return Answer(change_of(*words), before, after, frames, PictureChange(), others)


def titles(placed: list[Placed]) -> list[str]:
    return [one.answer.change.title for one in placed]


@pytest.fixture
def answers() -> list[Answer]:
    return [
        answer(0.21, "hollow", "blur"), answer(0.35, "hollow", "hall"), answer(0.2, "mipmaps", "texture 1"),
        answer(-0.05, "order", "all", "front-to-back"), answer(0.03, "invalidate-depth", "framebuffer 1"),
    ]  # fmt: skip


def test_repairs_come_before_bounds_that_are_less_than_all_of_them(answers: list[Answer]) -> None:
    # The hall's bound is 0.15 beyond its texture's mipmaps.
    placed = ranked(FOUND, answers, ROWS)
    assert titles(placed) == [
        "mipmaps texture 1", "invalidate-depth framebuffer 1", "hollow blur", "hollow hall", "order all=front-to-back"
    ]  # fmt: skip
    assert [one.at_most for one in placed] == [False, False, True, True, False]


def test_a_bound_leads_where_what_can_be_hoped_for_is_more_than_all_repairs(answers: list[Answer]) -> None:
    answers[0] = answer(0.91, "hollow", "blur")
    assert titles(ranked(FOUND, answers, ROWS))[0] == "mipmaps texture 1"
    answers[0] = answer(0.93, "hollow", "blur")
    assert titles(ranked(FOUND, answers, ROWS))[:2] == ["hollow blur", "mipmaps texture 1"]


@pytest.mark.parametrize(
    ("bounds", "repairs", "first"),
    [
        # The dearest object of a program is no culprit where a repair is known that is worth its while ...
        ({("hollow", "blur"): 0.347}, {("no-discard", "hall"): 0.117, ("invalidate-depth", "default"): 0.026},
         "no-discard hall"),
        ({("hollow", "blur"): 0.322}, {("join-passes", "framebuffer 1"): 0.198}, "join-passes framebuffer 1"),
        ({("hollow", "blur"): 0.287, ("without", "hall"): 0.298}, {("opaque", "hall"): 0.247}, "opaque hall"),
        # ... and is one where the others bring little; layers over layers can be left out, all but some.
        ({("hollow", "blur"): 0.401}, {("invalidate-depth", "default"): 0.03}, "hollow blur"),
        ({("without", "hall"): 0.31, ("hollow", "blur"): 0.06}, {("opaque", "hall"): 0.051}, "without hall"),
        ({("without", "hall"): 0.3, ("hollow", "blur"): 0.4}, {}, "without hall"),
    ],
)  # fmt: skip
def test_the_culprit_of_a_program_leads(
    bounds: dict[tuple[str, ...], float], repairs: dict[tuple[str, ...], float], first: str
) -> None:
    found = [finding("object", 0.5, bound=words) for words in bounds]
    found += [finding("object", 0.1, words) for words in repairs]
    answers = [answer(saved, *words) for words, saved in {**bounds, **repairs}.items()]
    assert titles(ranked(found, answers, ROWS))[0] == first


def test_findings_follow_and_say_where_the_sign_is_another_one(answers: list[Answer]) -> None:
    answers[4] = answer(0.03, "invalidate-depth", "framebuffer 1", elsewhere=-0.02)
    answers[2] = answer(0.2, "mipmaps", "texture 1", frames=0)
    placed = ranked(FOUND, answers, ROWS)
    found = findings_by_saving(FOUND, placed)
    # The hall's bound is now beyond all repairs; what has nothing to change, or no change, stands last.
    assert [each["kind"] for each in found] == ["object", "object", "passes", "overdraw", "shader", "mipmaps"]
    assert [each["saves"] and each["saves"]["at_most"] for each in found] == [True, True, False, False, None, None]
    assert found[2]["saves"] == {
        "change": "invalidate-depth framebuffer 1", "share": 0.03, "at_most": False, "not_on": ["tbr-fhd (dram)"]
    }  # fmt: skip
    document = advice_document(Answers("t", "c", "paper", 100.0, 1, answers), placed, ROWS, 7)
    assert [each["title"] for each in document["answers"]][2] == "Depth of framebuffer 1 is not stored"
    assert document["answers"][2]["sign_holds"] is False


def test_titles_name_programs_as_the_page_does() -> None:
    placed = ranked(
        [finding("program", 0.6, bound=("hollow", "program bb"))], [answer(0.2, "hollow", "program bb")], ROWS
    )
    document = advice_document(Answers("t", "c", "paper", 100.0, 1, [one.answer for one in placed]), placed, ROWS, 7)
    assert [each["title"] for each in document["answers"]] == ["Shading of program 7 for free"]
    assert document["answers"][0]["change"]["target"] == "program bb"


def test_repairs_are_tried_before_bounds_and_only_what_is_there() -> None:
    found = [*FOUND, finding("mipmaps", 0.1, ("mipmaps", "texture 9"))]
    tried = changes_to_try(found, ROWS, is_stored=False)
    assert [[change.kind.name for change in part] for part in tried] == [
        ["mipmaps", "order", "invalidate-depth"], ["hollow", "hollow"]
    ]  # fmt: skip
    assert "mipmaps" not in [change.kind.name for change in changes_to_try(FOUND, ROWS, is_stored=True)[0]]


def test_five_repairs_and_three_bounds_are_tried_those_that_cost_most() -> None:
    kinds = ("mipmaps", "compress", "reindex", "opaque", "no-discard", "merge-draws")
    found = [finding(kind, 0.5, (kind, "all"), ("hollow", "all")) for kind in kinds]
    found += [finding("object", 0.1, bound=("hollow", name)) for name in ("blur", "hall", "lamp")]
    repairs, bounds = changes_to_try(found, ROWS, is_stored=False)
    assert [change.kind.name for change in repairs] == list(kinds[:5])
    assert [change.target for change in bounds] == ["all", "blur", "hall"]
