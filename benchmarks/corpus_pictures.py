"""Imports and replays every trace of the reference corpus and holds the pictures against the reference pictures.

usage: python benchmarks/corpus_pictures.py [--corpus FOLDER] [--only NAME] [--jobs 1] [--markdown FILE]
                                            [--pictures FOLDER]

A frame is right when all four hold, against llvmpipe's picture (softpipe's own values stand in the manifest): the
share of pixels that are off by more than 2/255 is at most max(0.5 %, softpipe's + 0.2 %); the same among the pixels
unlike the picture's most common colour at most max(2 %, softpipe's + 1 %); the mean absolute error at most softpipe's
+ 0.5; the worst 16x16 tile's mean absolute error at most max(8, softpipe's + 2). Exit status 1 if a frame is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
TILE = 16


@dataclass(frozen=True)
class Measures:
    """How a picture differs from the reference."""

    share: float
    foreground: float
    mean_error: float
    tile_error: float


def measure(ours: NDArray[np.int32], reference: NDArray[np.int32]) -> Measures:
    """Compare two (height, width, 3) pictures."""
    error = np.abs(ours - reference)
    off = error.max(axis=2) > 2
    colours, counts = np.unique(reference @ [65536, 256, 1], return_counts=True)
    front = (reference @ [65536, 256, 1]) != colours[counts.argmax()]
    height, width = error.shape[:2]
    padded = np.full((-(-height // TILE) * TILE, -(-width // TILE) * TILE, 3), np.nan)
    padded[:height, :width] = error
    tiles = padded.reshape(padded.shape[0] // TILE, TILE, padded.shape[1] // TILE, TILE, 3)
    return Measures(
        float(off.mean()),
        float(off[front].mean()) if front.any() else 0.0,
        float(error.mean()),
        float(np.nanmean(tiles, axis=(1, 3)).max()),
    )


def limits(frame: dict[str, Any]) -> Measures:
    """Largest differences that are still right."""
    soft = softpipe(frame)
    return Measures(
        max(0.005, soft.share + 0.002),
        max(0.02, soft.foreground + 0.01),
        soft.mean_error + 0.5,
        max(8.0, soft.tile_error + 2.0),
    )


def softpipe(frame: dict[str, Any]) -> Measures:
    """softpipe's own differences."""
    keys = ("share_over_2", "foreground_share_over_2", "mean_abs_error", "tile_abs_error_max")
    return Measures(*(float(frame.get(f"softpipe_{key}") or 0.0) for key in keys))


def is_read_picture(native: Path, number: int, reference: NDArray[np.int32]) -> bool:
    """Tell whether a reference is what glReadPixels reads at a swap: snapshots leave the read framebuffer bound."""
    import replay

    pictures = [picture for _, picture in replay.attachments(native, "read", frames=(number, number))]
    same = [picture[::-1, :, :3].astype(np.int32) for picture in pictures]
    return len(same) == 1 and same[0].shape == reference.shape and int(np.abs(same[0] - reference).max()) <= 2


def check(job: tuple[str, dict[str, Any], str]) -> list[tuple[str, int, Measures | None, str]]:
    """Rows of one trace: name, frame, measures or None, what is wrong."""
    from PIL import Image

    import replay
    from capture.importers import import_trace

    corpus, trace, pictures = job
    name = trace["name"]
    wanted = {frame["frame"]: frame for frame in trace["reference_frames"]}
    rows: list[tuple[str, int, Measures | None, str]] = []
    with tempfile.TemporaryDirectory() as scratch:
        native = Path(scratch) / "trace.gltrace"
        try:
            import_trace(Path(corpus) / trace["trace"], native)
            for number, picture in replay.pictures(native, frames=(min(wanted), max(wanted))):
                frame = wanted.pop(number, None)
                if frame is None:
                    continue
                ours = picture[::-1, :, :3].astype(np.int32)
                reference = np.asarray(Image.open(Path(corpus) / frame["llvmpipe"]).convert("RGB")).astype(np.int32)
                if ours.shape != reference.shape:
                    rows.append((name, number, None, f"size {ours.shape[:2]}, not {reference.shape[:2]}"))
                    continue
                found, most = measure(ours, reference), limits(frame)
                keys = ("share", "foreground", "mean_error", "tile_error")
                over = [key for key in keys if getattr(found, key) > getattr(most, key)]
                if over and is_read_picture(native, number, reference):
                    over.append("the reference is not the window but what the read framebuffer holds, in every pixel")
                rows.append((name, number, found, ", ".join(over)))
                if pictures:
                    side = np.concatenate([ours, reference, np.minimum(255, np.abs(ours - reference) * 4)], axis=1)
                    Image.fromarray(side.astype(np.uint8)).save(Path(pictures) / f"{name}_{number:04d}.png")
        except Exception as error:  # the table names it, the others go on
            rows.append((name, -1, None, f"{type(error).__name__}: {error}"))
    rows += [(name, number, None, "no picture") for number in wanted]
    return rows


def _percent(value: float) -> str:
    return f"{100 * value:.3f}"


def table(rows: list[tuple[str, int, Measures | None, str]], manifest: dict[str, Any]) -> str:
    """Markdown table of all frames; softpipe's values behind ours."""
    frames = {(t["name"], f["frame"]): f for t in manifest["traces"] for f in t["reference_frames"]}
    lines = [
        "| trace | frame | share % | softpipe | foreground % | softpipe | mean error | softpipe | worst tile "
        "| softpipe | |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, number, found, wrong in rows:
        if found is None:
            lines.append(f"| {name} | {number} | | | | | | | | | {wrong} |")
            continue
        soft = softpipe(frames[name, number])
        lines.append(
            f"| {name} | {number} | {_percent(found.share)} | {_percent(soft.share)} | {_percent(found.foreground)} | "
            f"{_percent(soft.foreground)} | {found.mean_error:.3f} | {soft.mean_error:.3f} | {found.tile_error:.1f} | "
            f"{soft.tile_error:.1f} | {wrong and 'over: ' + wrong} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the command."""
    shared = Path(os.environ.get("GPUREPLAY_SHARED") or ROOT.parent / "shared")
    parser = argparse.ArgumentParser(description="Hold the pictures of the corpus against the references.")
    parser.add_argument("--corpus", type=Path, default=shared / "corpus")
    parser.add_argument("--only", default="", help="part of a trace's name")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--markdown", type=Path, help="write the table there")
    parser.add_argument("--pictures", type=Path, help="write ours, reference and difference of each frame there")
    args = parser.parse_args()
    if args.pictures is not None:
        args.pictures.mkdir(parents=True, exist_ok=True)
    manifest = json.loads((args.corpus / "manifest.json").read_text())
    pictures = str(args.pictures or "")
    jobs = [(str(args.corpus), t, pictures) for t in manifest["traces"] if args.only in t["name"]]
    rows: list[tuple[str, int, Measures | None, str]] = []
    with ProcessPoolExecutor(args.jobs, max_tasks_per_child=1) as pool:
        for found in pool.map(check, jobs):
            rows += found
            for name, number, _, wrong in found:
                print(f"{name} {number}: {wrong or 'right'}", flush=True)
    text = table(rows, manifest)
    if args.markdown is not None:
        args.markdown.write_text(text)
    wrong_frames = sum(bool(wrong) for *_, wrong in rows)
    print(f"{len(rows) - wrong_frames} of {len(rows)} frames right")
    return int(wrong_frames > 0)


if __name__ == "__main__":
    sys.exit(main())
