"""``gputrace diff``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples, parse_frames, refuse_damage
from traceformat.cli.paths import InputFile
from traceformat.cli.terminal import reading

if TYPE_CHECKING:
    from traceformat.gltrace.reader import TraceReader

__all__ = ["diff"]


@click.command(cls=Command, epilog=examples("gputrace diff app.gltrace app.gltrace --state --pictures"))
@click.argument("first", type=InputFile())
@click.argument("second", type=InputFile())
@click.option("--canonical", is_flag=True, help="Compare what the programs said, whatever driver answered them.")
@click.option("--answers", is_flag=True, help="Compare results and outputs of calls too.")
@click.option("--frames", metavar="A-B", help="Compare the calls and pictures of these frames only.")
@click.option("--state", is_flag=True, help="Compare GL state at the ends of frames too.")
@click.option("--pictures", is_flag=True, help="Replay both and compare the pictures too.")
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="Differences to show of a kind.")
@click.option("--json", "as_json", is_flag=True, help="Differences as one JSON object.")
def diff(
    first: str,
    second: str,
    canonical: bool,
    answers: bool,
    frames: str | None,
    state: bool,
    pictures: bool,
    limit: int,
    as_json: bool,
) -> None:
    """Compare two traces: calls and their arguments, then state, then pictures.

    Lines with - are in FIRST only, lines with + in SECOND; a call with other arguments has both. The status is 1 where
    the traces differ. Places in the program are not compared.
    """
    from traceformat.errors import FindingError
    from traceformat.frame_numbers import check_frames
    from traceformat.gltrace.reader import open_trace

    with open_trace(first) as a, open_trace(second) as b:
        refuse_damage(first, a.damage)
        refuse_damage(second, b.damage)
        chosen = parse_frames(frames)
        count, longer = max((len(a.frames), first), (len(b.frames), second))
        check_frames(longer, chosen, count)
        parts: dict[str, Iterator[dict[str, Any]]] = {"calls": _calls(a, b, canonical, answers, chosen)}
        if state:
            parts["state"] = _states(a, b)
        if pictures:
            parts["pictures"] = _pictures(a, b, chosen)
        found: dict[str, list[dict[str, Any]]] = {}
        counts = {}
        for part, differences in parts.items():
            with reading(f"comparing {part}", a, b):
                found[part] = list(islice(differences, limit))
                counts[part] = len(found[part]) + sum(1 for _ in differences)
            if not as_json:
                for difference in found[part]:
                    click.echo("\n".join(difference["lines"]))
                if counts[part] > len(found[part]):
                    click.echo(f"... {counts[part] - len(found[part])} more ({part})")
        if as_json:
            shown = {part: [_without_lines(each) for each in each_part] for part, each_part in found.items()}
            click.echo(json.dumps({"first": first, "second": second, "counts": counts, **shown}, indent=2))
        if any(counts.values()):
            kinds = ", ".join(f"{count} in {part}" for part, count in counts.items() if count)
            raise FindingError(f"{first} and {second} differ: {kinds}")


def _without_lines(difference: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in difference.items() if key != "lines"}


def _calls(
    a: TraceReader, b: TraceReader, canonical: bool, answers: bool, frames: range | None
) -> Iterator[dict[str, Any]]:
    from traceformat.tools.canonical import canonical as canonical_lines
    from traceformat.tools.diff import CallItem, LineItem, compare
    from traceformat.tools.dump import format_call

    if canonical:
        lines = [(LineItem.of(*pair) for pair in enumerate(canonical_lines(reader))) for reader in (a, b)]
        for found in compare(*lines):
            pair = [("-", found.first), ("+", found.second)]
            yield {
                "first": found.first.exact if found.first else None,
                "second": found.second.exact if found.second else None,
                "lines": [f"{sign} {item.exact}" for sign, item in pair if item is not None],
            }
        return
    items = [(CallItem.of(call, answers=answers) for call in reader.calls(frames=frames)) for reader in (a, b)]
    for difference in compare(*items):
        sides = [("-", difference.first), ("+", difference.second)]
        changed = difference.changed()
        texts = [f"{sign} {format_call(item.call)}" for sign, item in sides if item is not None]
        yield {
            "first": difference.first.call.number if difference.first else None,
            "second": difference.second.call.number if difference.second else None,
            "function": next(item.call.name for _, item in sides if item is not None),
            "changed": changed,
            "lines": [*texts, f"    other: {', '.join(changed)}"] if changed else texts,
        }


def _states(a: TraceReader, b: TraceReader) -> Iterator[dict[str, Any]]:
    from traceformat.cli.playing import reflecting_backend
    from traceformat.tools.diff import compare_states

    for found in compare_states(a, b, (reflecting_backend(), reflecting_backend())):
        sides = (("-", found.first), ("+", found.second))
        where = f"frame {found.frame}, {found.where}"
        yield {**found._asdict(), "lines": [f"{sign} {where} = {value}" for sign, value in sides if value is not None]}


def _pictures(a: TraceReader, b: TraceReader, frames: range | None) -> Iterator[dict[str, Any]]:
    from itertools import zip_longest

    import numpy as np

    from replay.player import pictures

    last = max(len(a.frames), len(b.frames)) - 1
    chosen = (frames.start, min(frames.stop - 1, last)) if frames is not None else None
    for one, other in zip_longest(pictures(a, frames=chosen), pictures(b, frames=chosen)):
        number = (one or other)[0]
        if one is None or other is None or one[0] != other[0] or one[1].shape != other[1].shape:
            text = f"frame {number}: the traces have no pictures of one size"
            yield {"frame": number, "different_pixels": None, "largest_difference": None, "lines": [text]}
            continue
        distance = np.abs(one[1].astype(np.int16) - other[1]).max(axis=-1)
        count = int((distance > 0).sum())
        if count:
            text = f"frame {number}: {count} of {distance.size} pixels differ, by at most {int(distance.max())}"
            yield {
                "frame": number,
                "different_pixels": count,
                "largest_difference": int(distance.max()),
                "lines": [text],
            }
