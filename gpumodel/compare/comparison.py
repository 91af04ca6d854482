"""What differs between two runs, in three parts: content, timing of the program, cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from gpumodel.compare.explain import draws_text, sentence
from gpumodel.compare.figures import COSTS, Frame, Side
from gpumodel.compare.frames import Aligned, align
from gpumodel.compare.pictures import PictureDifference, picture_difference
from gpumodel.compare.quantities import TITLES, in_units, number, percent
from gpumodel.compare.things import FACTS, Thing, things_of
from gpumodel.config.origin import technique_defaults
from traceformat.tools.canonical import is_query

__all__ = ["Comparison", "Difference", "compare"]

CONTENT: Final = "content"
TIMING: Final = "timing"
COST: Final = "cost"
#: Share of the frame's time from which on an object's change is what one wants to know first.
_WORTH_NAMING: Final = 0.002


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs.

    Parameters
    ----------
    part : ``content``, ``timing`` or ``cost``
    text : a sentence with its evidence
    share : how large it is, of what it is a part of; held against the threshold
    """

    part: str
    text: str
    share: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs beside each other.

    Parameters
    ----------
    first, second : the runs
    aligned : places of frames
    totals : means a frame of both sides, by name: COSTS and counters, over the aligned frames
    things : what draws cost on both sides, the largest change first; empty without attribution
    shared : cycles of what draws share on both sides, by name, the largest change first
    pictures : those that differ; None where not both sides have pictures
    config : keys of the configurations that differ, with both values
    calls : functions that both traces call another number of times, with both numbers; what they change shows elsewhere
    differences : all of it as sentences, content first
    """

    first: Side
    second: Side
    aligned: Aligned
    totals: Mapping[str, tuple[float, float]]
    things: Sequence[Thing]
    shared: Mapping[str, tuple[float, float]]
    pictures: Sequence[PictureDifference] | None
    config: Mapping[str, tuple[Any, Any]]
    calls: Mapping[str, tuple[int, int]]
    differences: Sequence[Difference] = field(default=())

    @property
    def headline(self) -> str:
        """The object, or the work that draws share, that changes the cost most, else the largest difference; empty
        where there is none.
        """
        named = _named_costs(self)
        if named and named[0].share > _WORTH_NAMING:
            return named[0].text
        return max(self.differences, key=lambda each: each.share).text if self.differences else ""

    def beyond(self, threshold: float) -> list[Difference]:
        """Differences that are larger than a share."""
        return [difference for difference in self.differences if difference.share > threshold]


def _differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Keys with different values; parameters of a technique that one side did not know yet are the defaults there."""
    missing = {**dict.fromkeys((*first, *second)), **technique_defaults()}
    pairs = {key: tuple(side.get(key, missing[key]) for side in (first, second)) for key in {**first, **second}}
    return {
        key: (one, other) for key, (one, other) in pairs.items() if one != other and key not in ("name", "description")
    }


def compare(first: Side, second: Side) -> Comparison:
    """Compare two runs.

    Parameters
    ----------
    first, second : see :func:`gpumodel.compare.figures.side_of`
    """
    aligned = align(first.frames, second.frames)
    things: list[Thing] = []
    moved = 0
    if first.has_draws and second.has_draws:
        things, moved = things_of(first.frames, second.frames, aligned.pairs)
        things.sort(key=lambda thing: (-abs(thing.change("cycles")), thing.name))
    totals = _totals(first.frames, second.frames, aligned.pairs)
    pictures = _pictures(first.frames, second.frames, aligned.pairs)
    config = _differing(first.config, second.config)
    shared = _shared(first.frames, second.frames, aligned.pairs)
    found = Comparison(first, second, aligned, totals, things, shared, pictures, config, _calls(first, second))
    return replace(found, differences=[*_content(found, moved), *_timing(found), *_costs(found)])


def _calls(first: Side, second: Side) -> dict[str, tuple[int, int]]:
    """Queries are left out: what they say is the driver's."""
    if first.calls is None or second.calls is None:
        return {}
    both = {name: (first.calls.get(name, 0), second.calls.get(name, 0)) for name in {*first.calls, *second.calls}}
    changed = [name for name, (a, b) in both.items() if a != b and not is_query(name)]
    changed.sort(key=lambda name: (-abs(both[name][1] - both[name][0]), name))
    return {name: both[name] for name in changed}


def _totals(
    first: Sequence[Frame], second: Sequence[Frame], pairs: Sequence[tuple[int, int]]
) -> dict[str, tuple[float, float]]:
    names = dict.fromkeys(name for frame in (*first, *second) for name in frame.totals)
    count = max(len(pairs), 1)
    return {
        name: (
            sum(first[one].totals.get(name, 0.0) for one, _ in pairs) / count,
            sum(second[other].totals.get(name, 0.0) for _, other in pairs) / count,
        )
        for name in names
    }


def _shared(
    first: Sequence[Frame], second: Sequence[Frame], pairs: Sequence[tuple[int, int]]
) -> dict[str, tuple[float, float]]:
    names = sorted({name for frame in (*first, *second) for name in frame.shared})
    both = {
        name: (
            sum(first[one].shared.get(name, 0.0) for one, _ in pairs),
            sum(second[other].shared.get(name, 0.0) for _, other in pairs),
        )
        for name in names
    }
    return dict(sorted(both.items(), key=lambda entry: -abs(entry[1][1] - entry[1][0])))


def _pictures(
    first: Sequence[Frame], second: Sequence[Frame], pairs: Sequence[tuple[int, int]]
) -> list[PictureDifference] | None:
    shown = [
        (a.picture, b.picture, (a.number, b.number))
        for a, b in ((first[one], second[other]) for one, other in pairs)
        if a.picture is not None and b.picture is not None
    ]
    if not shown:
        return None
    found = (picture_difference(*each) for each in shown)
    return [difference for difference in found if difference is not None]


def _content(found: Comparison, moved: int) -> list[Difference]:
    """What the program asks for."""
    out = []
    frames = len(found.aligned.pairs)
    for thing in found.things:
        changed = thing.appeared + thing.vanished
        if changed:
            share = changed / max(thing.first["draws"], thing.second["draws"])
            out.append(Difference(CONTENT, _came_and_went(thing, frames), share))
        if thing.recoded:
            text = f"`{thing.name}` runs another program in {draws_text(thing.recoded / frames)} a frame"
            out.append(Difference(CONTENT, text, thing.recoded / thing.first["draws"]))
        for name in FACTS[1:]:
            a, b = thing.first[name], thing.second[name]
            if a != b and not changed:
                text = f"`{thing.name}`: {name} {number(b / frames)} instead of {number(a / frames)}"
                out.append(Difference(CONTENT, text, abs(b - a) / max(a, b)))
    if not found.things:
        for name in FACTS:
            a, b = found.totals.get(name, (0.0, 0.0))
            if a != b:
                text = f"{name} {number(b)} instead of {number(a)} a frame"
                out.append(Difference(CONTENT, text, abs(b - a) / max(a, b)))
    draws = found.totals.get("draws", (0.0, 0.0))[0] * frames
    if moved:
        text = f"{draws_text(moved)} come{'s' if moved == 1 else ''} in another order"
        out.append(Difference(CONTENT, text, moved / max(draws, 1)))
    for picture in found.pictures or ():
        same = picture.first == picture.second
        which = f"frame {picture.first}" if same else f"frames {picture.first}/{picture.second}"
        text = (
            f"{which}: {picture.pixels:,} of {picture.of:,} pixels differ, by at most {picture.largest}"
            if picture.largest >= 0
            else f"{which}: the pictures differ in size"
        )
        out.append(Difference(CONTENT, text, picture.pixels / picture.of))
    return sorted(out, key=lambda each: -each.share)


def _came_and_went(thing: Thing, frames: int) -> str:
    if thing.first["draws"] and thing.second["draws"]:
        before, now = (number(sums["draws"] / frames) for sums in (thing.first, thing.second))
        return f"`{thing.name}` has {now} draws a frame instead of {before}"
    word, count = ("new", thing.appeared) if thing.appeared else ("gone", thing.vanished)
    return f"`{thing.name}` is {word}: {draws_text(count / frames)} a frame"


def _timing(found: Comparison) -> list[Difference]:
    """When the program shows it."""
    out = []
    a, b = found.first.frames, found.second.frames
    for frames, places, label in (
        (a, found.aligned.only_first, found.first.label), (b, found.aligned.only_second, found.second.label),
    ):  # fmt: skip
        if places:
            numbers = ", ".join(str(frames[place].number) for place in list(places)[:8])
            more = f" and {len(places) - 8} more" if len(places) > 8 else ""
            text = f"{len(places)} of {len(frames)} frames are in {label} only: {numbers}{more}"
            out.append(Difference(TIMING, text, len(places) / len(frames)))
    offsets = [b[other].number - a[one].number for one, other in found.aligned.pairs]
    late = [offset for offset in offsets if offset]
    if late:
        by = f"{min(late):+}" if min(late) == max(late) else f"{min(late):+} to {max(late):+}"
        text = f"{len(late)} of {len(offsets)} frames have another number: {by}"
        out.append(Difference(TIMING, text, len(late) / len(offsets)))
    return out


def _named_costs(found: Comparison) -> list[Difference]:
    """What objects, and what draws share, cost more or less, the largest change first."""
    clocks = found.first.clock_mhz, found.second.clock_mhz
    frames = max(len(found.aligned.pairs), 1)
    whole = max(found.totals.get("cycles", (0.0, 0.0))[0] * frames, 1.0)
    out = [
        Difference(COST, sentence(thing, frames, clocks), abs(thing.change("cycles")) / whole)
        for thing in found.things
        if thing.change("cycles")
    ]
    for name, (a, b) in found.shared.items():
        share = abs(b - a) / whole
        if share > _WORTH_NAMING:
            texts = [in_units("cycles", value / frames, clock) for value, clock in zip((a, b), clocks, strict=True)]
            out.append(Difference(COST, f"{name} costs {texts[1]} instead of {texts[0]}", share))
    return sorted(out, key=lambda each: -each.share)


def _costs(found: Comparison) -> list[Difference]:
    """What the machine spends on it."""
    clocks = found.first.clock_mhz, found.second.clock_mhz
    out = []
    for name in COSTS:
        a, b = found.totals.get(name, (0.0, 0.0))
        one, other = (a / clocks[0], b / clocks[1]) if name == "cycles" and all(clocks) else (a, b)
        if one != other:
            texts = [in_units(name, value, clock) for value, clock in zip((a, b), clocks, strict=True)]
            text = f"{TITLES[name]} {texts[1]} a frame instead of {texts[0]} ({percent(one, other)})"
            out.append(Difference(COST, text, abs(other - one) / max(one, other)))
    out.sort(key=lambda each: -each.share)
    out += _named_costs(found)
    rest = [
        (abs(b - a) / max(abs(a), abs(b)), name)
        for name, (a, b) in found.totals.items()
        if a != b and name not in COSTS and name not in FACTS
    ]
    if rest:
        rest.sort(key=lambda pair: (-pair[0], pair[1]))
        names = ", ".join(f"{name} {percent(*found.totals[name])}" for _, name in rest[:3])
        more = f" and {len(rest) - 3} more" if len(rest) > 3 else ""
        out.append(Difference(COST, f"counters: {names}{more}", rest[0][0]))
    return out
