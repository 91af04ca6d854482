"""What the thesis's tables leave open, measured on captured programs: the ranges that variants of twins are drawn from.

    python benchmarks/measure_ranges.py CORPUS_FOLDER -o samples/twins/ranges.toml [--frames N]

Of each trace of a folder of apitrace files the first N frames are replayed (6); each figure is a trace's own mean, so
that no trace counts more than another, and the file has the deciles over the traces that have the figure. Nothing here
runs the model or a technique.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import replay
from traceformat.errors import ToolError
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import ALL_COLUMNS, ColumnSet, FrameTrace

#: Deciles of each figure.
SHARES = np.linspace(0, 1, 11)
_FORMATS = {
    "rgb8": (gl.GL_RGB8, gl.GL_RGB),
    "rgb565": (gl.GL_RGB565,),
    "rgba4": (gl.GL_RGBA4,),
}
_TABLES = ("passes", "events", "draws", "objects", "programs", "texture_bindings", "primitives", "emitted")
ABOUT = {
    "texture_side": "larger side of the pictures that draws use, texels: median over draws",
    "textures_a_program": "different pictures that draws of one program use in a frame, mean over programs",
    "mipmapped": "share of used pictures that have more than one level",
    "moving": "share of draws, matched by object, whose corners on the screen differ from the last frame's",
    "spread": "of the sides of like draws (of one program, root of the box on the screen): deviation over mean",
    "shift": "median way of the corners of matched draws that move, of the screen's width a frame",
    "inversions": "share of pairs of opaque draws that follow each other, the nearer one second",
}


def boxes(frame: FrameTrace) -> np.ndarray:
    """Box of each draw on the screen, (D, 4) float64 in pixels; NaN where it has none."""
    emitted = frame["emitted"]
    out = np.full((frame["draws"].num_rows, 4), np.nan)
    for k, (column, pick) in enumerate((("x", np.minimum), ("y", np.minimum), ("x", np.maximum), ("y", np.maximum))):
        value = emitted[column].astype(np.float64) / 256
        ends = value.min(axis=1) if pick is np.minimum else value.max(axis=1)
        start = np.full(len(out), np.inf if pick is np.minimum else -np.inf)
        pick.at(start, emitted["draw"], ends)
        out[:, k] = np.where(np.isfinite(start), start, np.nan)
    return out


def textures(frame: FrameTrace) -> dict[str, float]:
    """Figures of a frame's pictures."""
    draws, bindings = frame["draws"], frame["texture_bindings"]
    count = draws["texture_count"].astype(np.int64)
    owner = np.repeat(np.arange(draws.num_rows), count)
    row = (
        np.repeat(draws["texture_first"].astype(np.int64), count)
        + np.arange(len(owner))
        - np.repeat(np.cumsum(count) - count, count)
    )
    if len(row) == 0:
        return {}
    side = np.maximum(bindings["width"], bindings["height"])[row]
    pairs = np.unique(
        np.stack([draws["fragment_program"][owner].astype(np.int64), bindings["address"][row].astype(np.int64)]), axis=1
    )
    used = row[np.unique(bindings["address"][row], return_index=True)[1]]
    out = {
        "texture_side": float(np.median(side)),
        "textures_a_program": pairs.shape[1] / len(np.unique(pairs[0])),
        "mipmapped": float((bindings["levels"][used] > 1).mean()),
    }
    for name, values in _FORMATS.items():
        out[f"format_{name}"] = float(np.isin(bindings["format"][used], values).mean())
    return out


def motion(before: FrameTrace, frame: FrameTrace) -> dict[str, float]:
    """What moved since the last frame: draws matched by object and place among its draws."""
    ends = []
    for one in (before, frame):
        objects = one["objects"]["id"][one["draws"]["object"]]
        seen: dict[int, int] = {}
        keys = []
        for identity in objects.tolist():
            seen[identity] = seen.get(identity, -1) + 1
            keys.append((identity, seen[identity]))
        ends.append(dict(zip(keys, boxes(one), strict=True)))
    ways = [np.abs(ends[1][key] - ends[0][key]).max() for key in ends[0].keys() & ends[1].keys()]
    ways = [way for way in ways if not math.isnan(way)]
    if not ways:
        return {}
    moved = [way for way in ways if way > 0]
    out = {"moving": len(moved) / len(ways)}
    return out | ({"shift": float(np.median(moved)) / frame.width} if moved else {})


def order(frame: FrameTrace) -> dict[str, float]:
    """Spread of sizes of like draws, and how often what is nearer comes second."""
    draws, box = frame["draws"], boxes(frame)
    side = np.sqrt(np.maximum((box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1]), 0))
    spreads = []
    for program in np.unique(draws["fragment_program"]):
        own = side[(draws["fragment_program"] == program) & (side > 0)]
        if len(own) >= 4:
            spreads.append(float(own.std() / own.mean()))
    out = {"spread": float(np.mean(spreads))} if spreads else {}
    depth = np.full(draws.num_rows, np.nan)
    total = np.bincount(frame["emitted"]["draw"], weights=frame["emitted"]["z"].mean(axis=1), minlength=draws.num_rows)
    number = np.bincount(frame["emitted"]["draw"], minlength=draws.num_rows)
    np.divide(total, number, out=depth, where=number > 0)
    solid = depth[(draws["depth_test"] != 0) & (draws["depth_write"] != 0) & (draws["blend"] == 0)]
    solid = solid[~np.isnan(solid)]
    return out | ({"inversions": float((np.diff(solid) < 0).mean())} if len(solid) >= 8 else {})


def measure(trace: Path, frames: int) -> dict[str, float]:
    """Means over a trace's first frames."""
    found: dict[str, list[float]] = {}
    before: FrameTrace | None = None
    columns = ColumnSet(name for name in ALL_COLUMNS if name.split(".")[0] in _TABLES)
    with replay.frames(trace, columns=columns, frames=(0, frames - 1)) as played:
        for frame in played:
            figures = textures(frame) | order(frame) | (motion(before, frame) if before is not None else {})
            for name, value in figures.items():
                found.setdefault(name, []).append(value)
            before = frame
    return {name: float(np.mean(values)) for name, values in found.items()}


def imported(traces: Iterable[Path], folder: Path, frames: int) -> Iterable[tuple[str, dict[str, float]]]:
    """Figures of each trace that can be imported."""
    for trace in traces:
        path = folder / f"{trace.stem}.gltrace"
        done = subprocess.run(
            [sys.executable, "-P", "-m", "capture.cli", "import", str(trace), "-o", str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        try:
            yield trace.stem, measure(path, frames) if done.returncode == 0 else {}
        except ToolError as error:
            print(f"{trace.stem}: {error}", file=sys.stderr)
        path.unlink(missing_ok=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--frames", type=int, default=6)
    given = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, found in imported(sorted(given.folder.glob("*.trace")), Path(folder), given.frames):
            print(name, found, file=sys.stderr, flush=True)
            for figure, value in found.items():
                figures.setdefault(figure, {})[name] = value
    lines = [
        "# Ranges that variants of twins are drawn from: deciles over captured programs (raylib, SDL, Kivy, Qt Quick,",
        f"# WebGL, benchmark scenes), by benchmarks/measure_ranges.py, {given.frames} frames of each.",
    ]
    for figure, by_trace in sorted(figures.items()):
        deciles = np.quantile(sorted(by_trace.values()), SHARES)
        lines += ["", f"[{figure}]", f'about = "{ABOUT.get(figure, "share of used pictures in this format")}"']
        lines += [f"traces = {len(by_trace)}", f"deciles = [{', '.join(f'{value:.4g}' for value in deciles)}]"]
    given.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
