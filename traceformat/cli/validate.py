"""``gputrace validate``."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples, refuse_damage
from traceformat.cli.paths import InputFile
from traceformat.cli.terminal import reading

if TYPE_CHECKING:
    from traceformat.tools.validate import Finding

__all__ = ["validate"]

#: Findings of one kind at one function that the text lists; the others are counted.
SHOWN = 10


@click.command(
    cls=Command, epilog=examples("gputrace validate app.gltrace", "gputrace validate app.gltrace --skip errors --json")
)
@click.argument("trace", type=InputFile())
@click.option(
    "--skip",
    multiple=True,
    type=click.Choice(["arguments", "lifetimes", "errors"]),
    help="Leave a check out; can be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="Findings as one JSON object.")
def validate(trace: str, skip: tuple[str, ...], as_json: bool) -> None:
    """Read a trace from its first to its last byte and check it.

    Check sums, structure, and the content hash; then the arguments of each call against the table of entry points,
    objects that are used without being there, and the GL errors that the calls raise. The status is 1 if anything is
    found.
    """
    from traceformat.errors import FindingError
    from traceformat.gltrace.reader import open_trace
    from traceformat.gputrace.reader import is_gputrace, open_gputrace
    from traceformat.tools.validate import CHECKS, check_calls

    if is_gputrace(trace):
        with open_gputrace(trace) as frames:
            count = sum(1 for _ in frames)
            refuse_damage(trace, frames.damage)
            found = f"{trace}: ok, {count} frames"
            click.echo(json.dumps({"trace": trace, "frames": count, "findings": []}) if as_json else found)
            return
    checks = [check for check in CHECKS if check not in skip]
    backend = None
    if "errors" in checks or "lifetimes" in checks:
        from traceformat.cli.playing import reflecting_backend

        backend = reflecting_backend()
    with open_trace(trace) as reader:
        refuse_damage(trace, reader.damage)
        with reading("checking", reader):
            findings = list(check_calls(reader, checks, backend))
            has_hash = reader.compute_hash() == reader.content_hash
        if as_json:
            summary = {
                "trace": trace,
                "calls": reader.num_calls,
                "frames": len(reader.frames),
                "sha256": reader.content_hash,
                "hash_is_right": has_hash,
                "findings": [finding._asdict() for finding in findings],
            }
            click.echo(json.dumps(summary, indent=2))
        else:
            _show(findings)
            if not has_hash:
                click.echo("the content hash in the index is wrong")
        problems = len(findings) + (not has_hash)
        if problems:
            raise FindingError(f"{trace}: {problems} problems found")
        if not as_json:
            size = f"{reader.num_calls} calls in {len(reader.frames)} frames"
            click.echo(f"{trace}: ok, {size}, sha256 {reader.content_hash}")


def _show(findings: list[Finding]) -> None:
    """List findings; of many alike the first ones, and how many more there are."""
    counts: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        counts[finding.check, finding.function] += 1
        if counts[finding.check, finding.function] <= SHOWN:
            click.echo(str(finding))
    for (check, function), count in counts.items():
        if count > SHOWN:
            click.echo(f"{count - SHOWN} more findings ({check}) at calls of {function}")
