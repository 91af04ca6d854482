"""Representative frames against whole films: totals within 2 % of the film's, and errors of totals and of the ratios
to the baseline within their stated bounds.

    python benchmarks/judge_representative.py [FILM ...] [--frames 800] [--size 160x96] [--store DIR] [--out DIR]

Runs each film whole once (minutes; runs that are done are kept in the store) and then from representative frames, so
many that no run models more than a twentieth of the film's frames, those that warm up among them. Exit status 1 where
fewer than four in five films are within 2 % in all totals, or an error exceeds its bound; ``!`` marks those.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import gpureplay
from gpumodel.sampling.choice import LEAST_FRAMES

FILMS = ("menu", "sprites", "level", "temple", "city")
TECHNIQUES = ("vro", "re", "te")
SET = {"screen.scale_to_trace": True}
FIGURES = ("cycles", "energy_pj")
RATIOS = tuple(f"{name}_ratio" for name in FIGURES)
FEWER = 20
WITHIN = 0.02
FILMS_WITHIN = 0.8


def _whole(film: str, given: argparse.Namespace) -> tuple[str, dict[str, dict[str, float]]]:
    """The trace, and figures of all its frames by technique."""
    study = {
        "sample": [{"name": [film], "size": [given.size], "frames": given.frames}],
        "techniques": list(TECHNIQUES),
        "set": SET,
    }
    out = Path(given.out) / film
    runs = gpureplay.sweep(study, out, store=given.store, progress=True).runs
    (trace,) = (out / "traces").glob(f"{film}-{given.size}-{given.frames}-*.gltrace")
    whole = {row["technique"]: {name: row[name] for name in FIGURES} for row in runs}
    baseline = whole["baseline"]
    for figures in whole.values():
        figures |= {f"{name}_ratio": figures[name] / baseline[name] for name in FIGURES}
    return str(trace), whole


def _estimated(trace: str, technique: str, given: argparse.Namespace) -> dict[str, float]:
    """Row of a technique, from as many frames as a twentieth of the film pays for."""
    for count in range(given.frames // FEWER, LEAST_FRAMES - 1, -1):
        ids = [] if technique == "baseline" else [technique]
        if _modelled(trace, ids, count) * FEWER <= given.frames:
            table = gpureplay.estimate(trace, techniques=ids, frames=count, set=SET, store=given.store).table
            return next(row for row in table if row["technique"] == technique)
    raise SystemExit(f"{trace}: {given.frames} frames are too few for {technique}")


def _modelled(trace: str, ids: list[str], count: int) -> int:
    """Frames that a run of so many frames models, by what the technique looks back on."""
    from gpumodel import load_config
    from gpumodel.warm_up import modelled_frames

    machine = load_config("mali450-vro")
    around = modelled_frames(machine, ids, range(100, 101))
    # The first frames, one a frame buffer, are always taken, and have none before them.
    buffers = machine.screen.frame_buffers
    return (count - buffers) * len(around) + buffers


def main() -> int:
    """Judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("films", nargs="*", default=FILMS)
    parser.add_argument("--frames", type=int, default=800)
    parser.add_argument("--size", default="160x96")
    parser.add_argument("--store")
    parser.add_argument("--out", default="representative")
    given = parser.parse_args()
    films_within = judged = outside = 0
    columns = "".join(f"{name:>10}     bound" for name in ("cycles", "energy", "cycles/", "energy/"))
    print(f"film       technique   frames {columns}")
    for film in given.films:
        trace, whole = _whole(film, given)
        is_within = True
        for technique, true in whole.items():
            row = _estimated(trace, technique, given)
            shown = []
            for name in FIGURES if technique == "baseline" else (*FIGURES, *RATIOS):
                error, bound = row[name] / true[name] - 1, row[f"{name}_bound"] / row[name]
                is_within &= name in RATIOS or abs(error) <= WITHIN
                is_out = abs(row[name] - true[name]) > row[f"{name}_bound"]
                judged += 1
                outside += is_out
                shown.append(f"{100 * error:+7.2f} % {100 * bound:6.2f} %{'!' if is_out else ' '}")
            print(f"{film:10} {technique:10} {row['frames_modelled']:7}  {' '.join(shown)}", flush=True)
        films_within += is_within
    print(f"{films_within} of {len(given.films)} films within 2 % in all totals")
    print(f"{outside} of {judged} errors beyond their bound")
    return 0 if films_within >= FILMS_WITHIN * len(given.films) and not outside else 1


if __name__ == "__main__":
    sys.exit(main())
