"""Command line of the harness."""

from __future__ import annotations

import fnmatch
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from replay.glsl.conformance.judge import Verdict
from replay.glsl.conformance.verdicts import EXECUTORS, verdicts
from traceformat.cli.door import Command, door
from traceformat.cli.options import examples
from traceformat.cli.paths import JSON, InputFile, OutputFile
from traceformat.cli.terminal import Progress
from traceformat.errors import UsageError
from traceformat.output import leads_to_stdout, write_output


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.strip()]
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise UsageError(f"{path} is not a file of cases, one JSON object a line") from None


def _is_reject(case: dict[str, Any]) -> bool:
    return str(case["expect"]).endswith("fail")


def _family(case: dict[str, Any]) -> str:
    name = str(case["file"])
    if name.endswith(".test"):
        return name.removeprefix("cts/").removesuffix(".test")
    return str(case["suite"])


def _summary(rows: Iterable[tuple[dict[str, Any], Verdict]]) -> dict[str, Any]:
    counts: dict[str, Counter[str]] = {}
    for case, verdict in rows:
        group = "must_reject" if _is_reject(case) else "valid"
        for key in (group, f"{case['suite']} {group}", f"{_family(case)} {group}"):
            counts.setdefault(key, Counter())[verdict.result] += 1
    summary: dict[str, Any] = {}
    for key, counter in counts.items():
        run = sum(counter.values()) - counter["skip"]
        summary[key] = {**counter, "total": run, "rate": counter["pass"] / run if run else None}
    return summary


@click.command(
    cls=Command,
    epilog=examples(
        "python -m replay.glsl.conformance cases.json",
        "python -m replay.glsl.conformance cases.json --filter 'es3/*' --jobs 2",
    ),
)
@click.argument("cases", type=InputFile())
@click.option("--executor", type=click.Choice(sorted(EXECUTORS)), default="numpy", help="What runs the shaders.")
@click.option("--filter", "pattern", default="*", help="Only cases whose id matches, with * and ?.")
@click.option("--jobs", default=1, help="Worker processes.")
@click.option("--json", "json_path", type=OutputFile(JSON), help="Write summary and results.")
def conformance(cases: str, executor: str, pattern: str, jobs: int, json_path: str | None) -> int:
    """Run the shader cases of a file, with negative controls."""
    chosen = [case for case in _read(Path(cases)) if fnmatch.fnmatchcase(str(case["id"]), pattern)]
    if not chosen:
        raise UsageError(f"no case of {cases} matches '{pattern}'")
    found: list[Verdict] = []
    with Progress("judging", len(chosen), unit="cases") as progress:
        for verdict in verdicts(chosen, executor, jobs):
            found.append(verdict)
            progress.done = len(found)
    rows = list(zip(chosen, found, strict=True))
    summary = _summary(rows)
    if not leads_to_stdout(json_path):
        for case, verdict in rows:
            if verdict.result in ("fail", "crash"):
                click.echo(f"{verdict.result}  {case['id']}  {verdict.reason}")
        for key, entry in summary.items():
            rate = "-" if entry["rate"] is None else f"{entry['rate']:7.2%}"
            click.echo(f"{rate}  {entry.get('pass', 0):5d} of {entry['total']:5d}  {key}")
    if json_path is not None:
        _write(json_path, summary, rows)
    return 1 if any(verdict.result in ("fail", "crash") for verdict in found) else 0


def _write(path: str, summary: dict[str, Any], rows: list[tuple[dict[str, Any], Verdict]]) -> None:
    cases = [
        {
            **{key: case[key] for key in ("id", "suite", "kind", "expect")},
            "result": verdict.result,
            "control": verdict.control,
            "reason": verdict.reason,
        }
        for case, verdict in rows
    ]
    write_output(path, json.dumps({"summary": summary, "cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    door(conformance, "conformance")()
