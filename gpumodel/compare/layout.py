"""A comparison as text, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from gpumodel.compare.comparison import Comparison
from gpumodel.compare.figures import COSTS
from gpumodel.compare.quantities import TITLES, in_units, percent, time_text
from gpumodel.compare.things import Thing
from gpumodel.report.stats.document import printable

__all__ = ["json_of", "markdown_of", "text_of"]

#: Version of the JSON layout.
SCHEMA: Final = 1
_PARTS: Final = (
    ("content", "Content: what the program draws"),
    ("timing", "Timing: when it shows it"),
    ("cost", "Cost: what the GPU spends"),
)
_HEADINGS: Final = ("object", "first", "second", "change", "energy", "traffic", "fragments")


def text_of(found: Comparison, *, threshold: float = 0.0, limit: int = 10) -> str:
    """Text for a terminal.

    Parameters
    ----------
    threshold : smaller differences are left out
    limit : differences and objects of each part to show
    """
    lines = [*_heads(found), ""]
    if found.calls:
        lines += [_calls(found, limit), ""]
    if not found.beyond(threshold):
        return "\n".join([*lines, _verdict(found, threshold)]) + "\n"
    for part, title in _PARTS:
        lines += [title, *(f"  {text}" for text in _sentences(found, part, threshold, limit)), ""]
    rows = _rows(found, threshold, limit)
    if rows:
        lines += [*_aligned([_HEADINGS, *rows]), ""]
    lines += [f"  {key}: {a} -> {b}" for key, (a, b) in list(found.config.items())[:limit]]
    return "\n".join([*lines, _verdict(found, threshold)]) + "\n"


def markdown_of(found: Comparison, *, threshold: float = 0.0, limit: int = 10) -> str:
    """Markdown for a pull request; parameters as of :func:`text_of`."""
    lines = [f"### {_escaped(_verdict(found, threshold))}", ""]
    lines += ["| | first | second | change |", "|---|--:|--:|--:|"]
    for name, title in TITLES.items():
        a, b = found.totals.get(name, (0.0, 0.0))
        lines.append(f"| {title} a frame | {_cost(found, name, a, 0)} | {_cost(found, name, b, 1)} | {percent(a, b)} |")
    lines.append("")
    for part, title in _PARTS:
        shown = _sentences(found, part, threshold, limit)
        lines += [f"**{title}**", "", *(f"* {_escaped(text)}" for text in shown), ""]
    rows = _rows(found, threshold, limit)
    if rows:
        lines += [
            "<details><summary>Objects</summary>",
            "",
            f"| {' | '.join(_HEADINGS)} |",
            "|---" * len(_HEADINGS) + "|",
        ]
        lines += [f"| {' | '.join(map(_escaped, row))} |" for row in rows]
        lines += ["", "</details>", ""]
    lines += [_escaped(_calls(found, limit)), ""] if found.calls else []
    lines += [f"<sub>{_escaped(line)}</sub><br>" for line in _heads(found)]
    return "\n".join(lines) + "\n"


def json_of(found: Comparison, *, threshold: float = 0.0) -> dict[str, Any]:
    """Everything that was found, as a JSON object."""
    frames = max(len(found.aligned.pairs), 1)
    sides = found.first, found.second
    return {
        "schema": SCHEMA,
        "differs": bool(found.beyond(threshold)),
        "threshold": threshold,
        "first": _about(found, 0),
        "second": _about(found, 1),
        "frames": [[sides[0].frames[a].number, sides[1].frames[b].number] for a, b in found.aligned.pairs],
        "only_first": [sides[0].frames[place].number for place in found.aligned.only_first],
        "only_second": [sides[1].frames[place].number for place in found.aligned.only_second],
        "differences": [
            {"part": each.part, "text": each.text, "share": round(each.share, 9)} for each in found.differences
        ],
        "totals": {name: {"first": a, "second": b} for name, (a, b) in found.totals.items()},
        "objects": [
            {
                "name": thing.name,
                "is_named": thing.is_named,
                "appeared": thing.appeared,
                "vanished": thing.vanished,
                "first": {name: value / frames for name, value in thing.first.items()},
                "second": {name: value / frames for name, value in thing.second.items()},
            }
            for thing in found.things
        ],
        "pictures": None
        if found.pictures is None
        else [
            {
                "first": picture.first,
                "second": picture.second,
                "different_pixels": picture.pixels,
                "of": picture.of,
                "largest": picture.largest,
            }
            for picture in found.pictures
        ],
        "calls": {name: {"first": a, "second": b} for name, (a, b) in found.calls.items()},
        "config": {key: {"first": a, "second": b} for key, (a, b) in found.config.items()},
    }


def _about(found: Comparison, place: int) -> dict[str, Any]:
    side = (found.first, found.second)[place]
    return {"label": side.label, "trace": dict(side.trace), "run": side.run, "frames": len(side.frames)}


def _heads(found: Comparison) -> list[str]:
    names = zip(("first ", "second"), (found.first, found.second), strict=True)
    return [f"{name}  {printable(side.label)}: {len(side.frames)} frames, {side.run}" for name, side in names]


def _calls(found: Comparison, limit: int) -> str:
    texts = [f"{name} {b:,} instead of {a:,}" for name, (a, b) in list(found.calls.items())[:limit]]
    return f"Calls: {', '.join(texts)}" + (", ..." if len(found.calls) > limit else "")


def _verdict(found: Comparison, threshold: float) -> str:
    beyond = found.beyond(threshold)
    frames = len(found.aligned.pairs)
    if not beyond:
        within = f"; {len(found.differences)} differences within {threshold:.3g}" if found.differences else ""
        compared = "draws, " if found.things else ""
        pixels = ", pixels" if found.pictures is not None else ""
        return f"equal: {compared}counters{pixels} of {frames} frames{within}"
    counts = [f"{sum(each.part == part for each in beyond)} in {part}" for part, _ in _PARTS]
    counted = ", ".join(text for text in counts if not text.startswith("0 "))
    return f"they differ ({counted}): {printable(found.headline)}"


def _sentences(found: Comparison, part: str, threshold: float, limit: int) -> list[str]:
    """What differs in a part, or that nothing does."""
    texts = [printable(each.text) for each in found.beyond(threshold) if each.part == part]
    if not texts:
        return ["equal"]
    return texts[:limit] + ([f"and {len(texts) - limit} more"] if len(texts) > limit else [])


def _rows(found: Comparison, threshold: float, limit: int) -> list[tuple[str, ...]]:
    """A row for each of the things that have changed most."""
    frames = max(len(found.aligned.pairs), 1)
    whole = max(found.totals.get("cycles", (0.0, 0.0))[0] * frames, 1.0)
    changed = [
        thing
        for thing in found.things
        if abs(thing.change("cycles")) / whole > threshold or any(thing.change(name) for name in COSTS[1:])
    ]
    return [_row(found, thing, frames) for thing in changed[:limit]]


def _row(found: Comparison, thing: Thing, frames: int) -> tuple[str, ...]:
    clocks = found.first.clock_mhz, found.second.clock_mhz
    times = [
        " ".join((time_text(clock)[0](sums["cycles"] / frames), time_text(clock)[1]))
        for sums, clock in zip((thing.first, thing.second), clocks, strict=True)
    ]
    changes = [percent(thing.first[name], thing.second[name]) for name in (*COSTS, "fragments.shaded")]
    return (printable(thing.name), *times, *changes)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    widths[0] = min(widths[0], 48)
    return [
        "  ".join(
            [
                row[0][: widths[0]].ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in rows
    ]


def _cost(found: Comparison, name: str, value: float, place: int) -> str:
    return in_units(name, value, (found.first, found.second)[place].clock_mhz)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
