"""The kit on a command line: run, list, draw, check."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .device import Device, NoDevice
from .measuring import Plan, Run, chosen, draw_once_each
from .results import ResultsError, read, suspicions, write
from .stage import Unsupported

__all__ = ["Asked", "main", "measured", "summary"]


@dataclass(frozen=True)
class Asked:
    """What a run is asked for.

    Parameters
    ----------
    names : benchmarks or families, all where there are none
    api : ``gles`` or ``gl``
    seed : of the order; None = that of the run that goes on, or a new one
    quick : few and short samples
    seconds : no benchmark begins after so long
    """

    names: tuple[str, ...] = ()
    api: str = "gles"
    seed: int | None = None
    quick: bool = False
    seconds: float = 900.0


def measured(
    place: Path, asked: Asked, save: Callable[[dict[str, Any]], None], tell: Callable[[str], None]
) -> dict[str, Any]:
    """Measure what a file of results lacks, and give all of it.

    Parameters
    ----------
    place : of the file; a run goes on where it is there
    save : keeps the document, after each benchmark
    tell : takes the name of each benchmark

    Raises
    ------
    ResultsError : the file holds something else, or a name is unknown
    NoDevice : there is no GPU
    """
    before = read(place) if place.exists() else None
    seed = asked.seed
    if seed is None:
        kept = before["run"].get("seed") if before else None
        seed = kept if isinstance(kept, int) else int.from_bytes(os.urandom(4), "big")
    repeats, sample_ms = (3, 0.0) if asked.quick else (10, 20.0)
    plan = Plan(asked.names, seed, repeats, sample_ms, asked.seconds)
    chosen(asked.names)
    run = Run(Device(asked.api), plan, before, save)
    try:
        run.measure(tell)
    finally:
        run.close()
    return run.document


def summary(document: dict[str, Any]) -> list[str]:
    """What a run gave, what it could not measure, and what looks untrue: a line each."""
    done, counters = len(document["benchmarks"]), len(document["counters"])
    lines = [f"{done} benchmarks, {counters} counters, seed {document['run']['seed']}"]
    lines += [f"not measured: {one['what']}: {one['reason']}" for one in document["missing"]]
    return lines + [f"not to be trusted: {line}" for line in suspicions(document)]


def _run(given: argparse.Namespace) -> int:
    place = Path(given.output)
    asked = Asked(tuple(given.names), given.api, given.seed, given.quick, given.seconds)
    document = measured(
        place, asked, lambda document: write(document, place), lambda text: print(text, file=sys.stderr, flush=True)
    )
    print("\n".join(summary(document)))
    return 0


def _list(given: argparse.Namespace) -> int:
    for one in chosen(tuple(given.names)).values():
        print(f"{one.name:24} {one.identifies}")
    return 0


def _draw(given: argparse.Namespace) -> int:
    draw_once_each(Device(given.api), tuple(given.names))
    return 0


def _check(given: argparse.Namespace) -> int:
    print("\n".join(summary(read(given.results))))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="silicon", description="Measure a GPU: times and counters of known programs.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="measure, into one file; the same command goes on after an interruption")
    run.add_argument("-o", "--output", required=True, metavar="RESULTS.json[.gz]")
    run.add_argument("--quick", action="store_true", help="few and short samples")
    run.add_argument("--seed", type=int, help="of the order; drawn and written into the file by default")
    run.add_argument("--seconds", type=float, default=900.0, help="begin no benchmark after so long (900)")
    run.set_defaults(function=_run)
    names = commands.add_parser("list", help="the benchmarks, and what each identifies")
    names.set_defaults(function=_list)
    draw = commands.add_parser("draw", help="draw benchmarks once, for a capture")
    draw.set_defaults(function=_draw)
    check = commands.add_parser("check", help="whether a file has the form of results, and what in it looks untrue")
    check.add_argument("results", metavar="RESULTS")
    check.set_defaults(function=_check)
    for one in (run, draw):
        one.add_argument("--api", choices=("gles", "gl"), default="gles", help="OpenGL ES, or desktop OpenGL (gles)")
    for one in (run, names, draw):
        one.add_argument("names", nargs="*", metavar="NAME", help="benchmarks or families; all by default")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; gives the exit status: 0 done, 2 wrong file or name, 4 no GPU or no place to write."""
    given = _parser().parse_args(arguments)
    try:
        status: int = given.function(given)
        return status
    except KeyboardInterrupt:
        print("silicon: interrupted; the same command goes on", file=sys.stderr)
        return 130
    except ResultsError as error:
        print(f"silicon: {error}", file=sys.stderr)
        return 2
    except (NoDevice, Unsupported, OSError) as error:
        print(f"silicon: {error}", file=sys.stderr)
        return 4
