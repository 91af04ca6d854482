"""Attributed time against the judge *hollow*, beside naive proxies.

    python benchmarks/judge_attribution.py TRACE.gltrace... [--frame N] [--groups 25] [--seed 1] [--absent]
        [--shapley PAIRS] [--json OUT] [--truth OUT]

One frame of each trace, modelled from an empty machine. Of its draws and objects with 0.5 % of the frame's time or
more, a seeded sample is judged: the frame is modelled again with what the group shades free. Two figures a frame and
estimate: how many of the five groups that hollow saves most with are among the estimate's first five, and how far the
estimate's shares are from hollow's (half the sum of the absolute differences; 0 = equal, 1 = disjoint). The estimates
are attributed time that shading alone holds up (what hollow can save), all attributed time, fragments, fragments x
instructions, and bytes of memory traffic.

With --absent the true removal of each group stands beside. With --shapley the ten dearest objects of a frame, and all
others as one, get sampled Shapley values of their presence, from so many orders and their reverses.

--truth takes groups and judgements from the --json of an earlier run: rules of attribution do not change them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from shapley import frame_value, sampled_shapley

import replay
from gpumodel import REQUIRED_COLUMNS, Run, load_config
from gpumodel.attribution.judges import absent, hollow
from gpumodel.attribution.judging import frame_cycles
from gpumodel.attribution.rollup import By, members, metric
from traceformat.errors import ToolError

#: Share of the frame's time from which on a group is judged.
_LEAST = 0.005
_FIRST = 5
#: Objects of a frame that are players of their own.
_PLAYERS = 10
ESTIMATES = ("attributed", "all attributed", "fragments", "fragments x instructions", "bytes")


def estimates(rows) -> dict[str, np.ndarray]:
    """Each estimate's value of each row."""
    return {
        "attributed": rows.shading_cycles,
        "all attributed": rows.cycles,
        "fragments": metric(rows, "fragments"),
        "fragments x instructions": metric(rows, "fs.alu_instructions") + metric(rows, "fs.tex_instructions"),
        "bytes": metric(rows, "dram"),
    }


def estimated_again(config, trace, known):
    """Groups that an earlier run has judged, with today's estimates."""
    result, _ = Run(config, attribution=True).add(trace)
    values = estimates(result.attribution)
    if any(group["whole"] != result.cycles for group in known):
        raise SystemExit(f"frame {trace.frame} takes {result.cycles} cycles: the judgements are of another model")
    return [{**g, **{key: float(column[g["draws"]].sum()) for key, column in values.items()}} for g in known]


def judge_frame(config, trace, groups, random, *, with_absent):
    """Groups of a frame with estimates and judgements."""
    result, _ = Run(config, attribution=True).add(trace)
    rows, whole = result.attribution, result.cycles
    values = estimates(rows)
    found: dict[tuple[int, ...], dict] = {}
    for by in (By.OBJECT, By.DRAW):
        for name, draws in members(rows, by):
            own = {key: float(column[draws].sum()) for key, column in values.items()}
            if own["all attributed"] >= _LEAST * whole:
                found.setdefault(tuple(draws), {"name": name, "by": str(by), "draws": list(draws), **own})
    keys = list(found)
    chosen = sorted(random.choice(len(keys), min(groups, len(keys)), replace=False)) if keys else []
    out = []
    for k in chosen:
        one = found[keys[k]]
        one["hollow"] = whole - frame_cycles(config, hollow(trace, keys[k]))
        if with_absent:
            one["absent"] = whole - frame_cycles(config, absent(trace, keys[k]))
        out.append({**one, "whole": whole})
    return out


def shapley_frame(config, trace, pairs, random):
    """The dearest objects of a frame: attributed time, hollow, absent, Shapley value and its standard error, cycles."""
    result, _ = Run(config, attribution=True).add(trace)
    rows = result.attribution
    objects = sorted(members(rows, By.OBJECT), key=lambda entry: -rows.cycles[entry[1]].sum())
    rest = [draw for _, draws in objects[_PLAYERS:] for draw in draws]
    objects = [*objects[:_PLAYERS], *([("others", rest)] if rest else [])]
    whole = frame_cycles(config, trace)
    value = frame_value(config, trace, [draws for _, draws in objects])
    values, errors = sampled_shapley(value, len(objects), pairs, random)
    return [
        {
            "name": name, "attributed": float(rows.cycles[draws].sum()), "shapley": float(one), "error": float(error),
            "hollow": whole - frame_cycles(config, hollow(trace, draws)),
            "absent": whole - frame_cycles(config, absent(trace, draws)), "whole": whole,
        }
        for (name, draws), one, error in zip(objects, values, errors, strict=True)
    ]  # fmt: skip


def distance(groups, one, other) -> float:
    """Half the sum of the differences of shares, 0 to 1."""
    first, second = (np.maximum([group[key] for group in groups], 0.0) for key in (one, other))
    return float(np.abs(first / max(first.sum(), 1e-9) - second / max(second.sum(), 1e-9)).sum() / 2)


def print_shapley(name, objects) -> None:
    """A row an object, shares of the frame."""
    print(f"{name}: {'object':24} {'attributed':>10} {'hollow':>8} {'absent':>8} {'Shapley':>16}")
    for one in objects:
        shares = {key: one[key] / one["whole"] for key in ("attributed", "hollow", "absent", "shapley", "error")}
        print(
            f"  {one['name'][:36]:36} {shares['attributed']:10.1%} {shares['hollow']:8.1%} {shares['absent']:8.1%} "
            f"{shares['shapley']:8.1%} +- {shares['error']:.1%}"
        )
    apart = ", ".join(f"{key} {distance(objects, key, 'shapley'):.2f}" for key in ("attributed", "hollow", "absent"))
    print(f"  distance of the shares from Shapley's: {apart}", flush=True)


def scores(groups, estimate) -> tuple[float, float]:
    """Precision among the first five, and distance of the shares."""
    judged = np.maximum([group["hollow"] for group in groups], 0.0)
    guessed = np.array([group[estimate] for group in groups])
    first = min(_FIRST, len(groups))
    best = set(np.argsort(-judged, kind="stable")[:first])
    precision = len(best & set(np.argsort(-guessed, kind="stable")[:first])) / first
    return precision, distance(groups, estimate, "hollow")


def main() -> None:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--config", default="mali450-vro")
    parser.add_argument("--frame", type=int, default=2)
    parser.add_argument("--groups", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--absent", action="store_true")
    parser.add_argument("--shapley", type=int, default=0, metavar="PAIRS")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--truth", type=Path)
    arguments = parser.parse_args()
    config, random = load_config(arguments.config), np.random.default_rng(arguments.seed)
    truth = json.loads(arguments.truth.read_text()) if arguments.truth else {}
    frames: dict[str, list] = {}
    print(f"{'trace':28} {'groups':>6}" + "".join(f" {name:>26}" for name in ESTIMATES))
    for path in arguments.traces:
        try:
            with replay.frames(path, columns=REQUIRED_COLUMNS, frames=(arguments.frame, arguments.frame)) as played:
                for trace in played:
                    if arguments.shapley:
                        found = shapley_frame(config, trace, arguments.shapley, np.random.default_rng(arguments.seed))
                        print_shapley(path.stem, found)
                    if arguments.truth:
                        groups = estimated_again(config, trace, truth[path.stem])
                    else:
                        groups = judge_frame(config, trace, arguments.groups, random, with_absent=arguments.absent)
        except ToolError as error:
            print(f"{path.stem}: {error}")
            continue
        frames[path.stem] = groups
        if len(groups) > 1:
            cells = [scores(groups, name) for name in ESTIMATES]
            text = "".join(f" {f'{precision:.2f}, {distance:.2f}':>26}" for precision, distance in cells)
            print(f"{path.stem:28} {len(groups):6}{text}", flush=True)
    # Where there are no more than five groups, the first five are all.
    several = [groups for groups in frames.values() if len(groups) > _FIRST]
    print(f"{sum(map(len, frames.values()))} groups of {len(frames)} frames; {len(several)} with more than {_FIRST}:")
    for name in ESTIMATES:
        values = np.array([scores(groups, name) for groups in several])
        if len(values):
            print(
                f"  {name:26} precision mean {values[:, 0].mean():.2f}, tenth percentile "
                f"{np.percentile(values[:, 0], 10):.2f}; distance mean {values[:, 1].mean():.2f}, ninetieth percentile "
                f"{np.percentile(values[:, 1], 90):.2f}"
            )
    worst = sorted(
        ((abs(g["attributed"] - g["hollow"]) / g["whole"], trace, g) for trace, gs in frames.items() for g in gs),
        key=lambda entry: -entry[0],
    )
    print("largest differences between attributed and hollow, shares of the frame:")
    for _, trace, g in worst[:10]:
        names = ("attributed", "all attributed", "hollow", *(["absent"] if "absent" in g else []))
        shares = ", ".join(f"{name} {g[name] / g['whole']:.1%}" for name in names)
        print(f"  {trace} {g['name']}: {shares}")
    if arguments.json:
        arguments.json.write_text(json.dumps(frames, indent=1) + "\n")


if __name__ == "__main__":
    main()
