"""What to try: the changes that findings call for, which ``gpureplay whatif`` runs through the model; and which of
them comes first by what it saves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gpumodel.whatif.kinds import KINDS, Change, change_of
from gpumodel.whatif.outcome import sign

if TYPE_CHECKING:
    from gpumodel.attribution.table import Attribution
    from gpumodel.whatif.outcome import Answer, Answers

__all__ = ["Placed", "advice_document", "changes_to_try", "findings_by_saving", "ranked"]

#: Repairs that are tried, and bounds.
_REPAIRS: Final = 5
_BOUNDS: Final = 3
#: What of a bound can be hoped for. ASSUMED: half of some layers or triangles can go unseen, while a shader that looks
#: the same seldom gets cheaper by more than a quarter.
_HOPED: Final[Mapping[str, float]] = {"hollow": 0.25, "without": 0.5}
#: A change in words.
_TITLES: Final[Mapping[str, str]] = {
    "hollow": "Shading of {} for free",
    "without": "Without {}",
    "order": "Opaque draws from front to back",
    "opaque": "No blending of {}",
    "no-discard": "No discard in {}",
    "mipmaps": "Mipmaps for {}",
    "compress": "ETC2 for {}",
    "clear-not-load": "Clear {} in place of loading it",
    "invalidate-depth": "Depth of {} is not stored",
    "join-passes": "Draw {} in one go",
    "reindex": "Triangles of {} in the order of neighbours",
    "merge-draws": "Neighbouring draws of {} in one call",
    "strip-varyings": "Varyings of {} that say nothing left out",
}
Words = tuple[str, ...]


def changes_to_try(
    found: Sequence[Mapping[str, Any]], rows: Attribution, *, is_stored: bool
) -> tuple[list[Change], list[Change]]:
    """The changes of findings that have something to change in a frame, each once: repairs, and bounds.

    Parameters
    ----------
    found : of :func:`.findings.findings`
    rows : the frame
    is_stored : there is a GPU trace alone, which cannot be rewritten
    """
    names = rows.names
    known = {*names.object, *names.framebuffer, "all"}
    known |= {_short(name) for own in names.textures for name in own} | {f"program {code}" for code in names.program}

    def there(which: str) -> list[Change]:
        words = dict.fromkeys(tuple(each[which]) for each in found)
        return [
            change_of(*each) for each in words
            if each and each[1] in known and not (is_stored and KINDS[each[0]].function is None)
        ]  # fmt: skip

    repairs = there("change")[:_REPAIRS]
    return repairs, [bound for bound in there("bound") if bound not in repairs][:_BOUNDS]


def _short(texture: str) -> str:
    """A texture without its size and format."""
    return " ".join(texture.split(" ")[:2])


class Placed(NamedTuple):
    """An answer, and whether no repair can save more than it does."""

    answer: Answer
    at_most: bool


def ranked(found: Sequence[Mapping[str, Any]], answers: Sequence[Answer], rows: Attribution) -> list[Placed]:
    """Answers that had something to change, what to look at first before.

    Repairs come by what they save, those that save nothing last of all. What a bound has beyond the repairs of the same
    draws nobody knows how to get: it stands behind the repairs, unless what can be hoped for of it is more than all of
    them save together.

    Parameters
    ----------
    found : of :func:`.findings.findings`; they say what is a repair and what a bound
    rows : the frame that the answers are about
    """
    wanted = {tuple(each["change"]) for each in found}
    there = [answer for answer in answers if answer.frames]
    repairs = sorted((one for one in there if _words(one) in wanted), key=lambda one: -one.saved_cycles)
    draws = {_words(one): set(_draws(one.change.target, rows)) for one in there}

    def beyond(bound: Answer) -> float:
        own = draws[_words(bound)]
        known = sum(max(one.saved_share, 0.0) for one in repairs if own & draws[_words(one)])
        return _HOPED[bound.change.kind.name] * (bound.saved_share - known)

    bounds = sorted((one for one in there if _words(one) not in wanted), key=lambda one: -beyond(one))
    together = sum(max(one.saved_share, 0.0) for one in repairs)
    num_leading = sum(beyond(one) > together for one in bounds)
    num_saving = sum(sign(one.saved_share) > 0 for one in repairs)
    return [
        *(Placed(one, at_most=True) for one in bounds[:num_leading]),
        *(Placed(one, at_most=False) for one in repairs[:num_saving]),
        *(Placed(one, at_most=True) for one in bounds[num_leading:]),
        *(Placed(one, at_most=False) for one in repairs[num_saving:]),
    ]


def _words(answer: Answer) -> Words:
    change = answer.change
    return (change.kind.name, change.target, *([change.value] if change.value else []))


def _draws(target: str, rows: Attribution) -> Iterator[int]:
    """Draws of a frame whose shading a change is about; those of a framebuffer's loads and stores are none."""
    names = rows.names
    for draw, own in enumerate(names.object):
        textures = map(_short, names.textures[draw])
        if target in ("all", own, f"program {names.program[draw]}") or target in textures:
            yield draw


def findings_by_saving(found: Sequence[Mapping[str, Any]], ranking: Sequence[Placed]) -> list[dict[str, Any]]:
    """Findings in the order of their answers, with what each saves; those without one follow, the largest share first.

    ``saves`` has the ``change``, its ``share`` of the frame's time, whether that is ``at_most``, and ``not_on``:
    machines on which the sign is another one.
    """
    place = {_words(one.answer): number for number, one in enumerate(ranking)}
    out = []
    for each in found:
        own = [place[tuple(each[which])] for which in ("change", "bound") if tuple(each[which]) in place]
        out.append((min(own, default=len(place)), {**each, "saves": _saves(ranking[min(own)]) if own else None}))
    return [each for _, each in sorted(out, key=lambda entry: entry[0])]


def _saves(placed: Placed) -> dict[str, Any]:
    answer = placed.answer
    return {
        "change": answer.change.title,
        "share": round(answer.saved_share, 6),
        "at_most": placed.at_most,
        "not_on": [f"{one.config} ({one.memory})" for one in answer.exceptions],
    }


def advice_document(found: Answers, ranking: Sequence[Placed], rows: Attribution, frame: int) -> dict[str, Any]:
    """Answers about a frame as a page shows them, in the order of the ranking."""
    # Pages know programs by the number that the program gave them.
    numbers = {f"program {code}": f"program {name}" for code, name in
               zip(rows.names.program, rows.names.program_id, strict=True)}  # fmt: skip
    answers = [
        {
            **one.answer.document(),
            "at_most": one.at_most,
            "title": _TITLES[one.answer.change.kind.name].format(
                numbers.get(one.answer.change.target, one.answer.change.target)
            ),
        }
        for one in ranking
    ]
    return {**found.document(), "answers": answers, "frame": frame}
