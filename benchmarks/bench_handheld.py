"""The handheld rasterizer next to its paper: tables of §6.3 and §6.4, what-if runs, quality against bandwidth, speed.

usage: python benchmarks/bench_handheld.py tables|whatif|quality|speed [--frames N] [--first K] [-o OUT] TRACE...

Traces are captures of the samples screensaver, menu and level (``gpucapture sample NAME --size 320x240 --frames 300``),
or any others. ``tables`` and ``whatif`` print Markdown; ``quality`` writes a plot (PNG) and its numbers (JSON).
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

SIZES = {"QVGA": (320, 240), "QCIF": (176, 144)}
SCHEMES = ("nearest", "pooma+zmin", "pooma+zmin+flipquad", "trilinear")
#: §6.4, MB a frame at QVGA, in the order of SCHEMES; §6.3: depth complexity, depth reads saved, bandwidth, on-chip.
PAPER = {
    "screensaver": ((1.15, 1.29, 1.87, 2.24), (2.5, 0.69, -0.10, 0.06)),
    "menu": ((0.52, 0.51, 0.70, 1.10), (0.65, 0.84, -0.14, 0.24)),
    "level": ((0.98, 1.09, 1.58, 2.80), (1.5, 0.49, -0.08, 0.28)),
}


def run(trace: Path, technique: str, frames: int, size: tuple[int, int], *settings: str) -> Any:
    """Total of a run."""
    from gpumodel.config import load_machine
    from gpumodel.handheld.run import HandheldRun
    from replay.handheld.player import HandheldFrames

    ids = () if technique in ("nearest", "baseline") else tuple(technique.split("+"))
    config = load_machine("handheld-2003", [f"screen.width={size[0]}", f"screen.height={size[1]}", *settings])
    one = HandheldRun(config, ids)
    with HandheldFrames(trace, one.mode, one.sink, frames=(0, frames - 1)) as played:
        for frame in played:
            one.add(frame)
    return one.total.counters


def tables(traces: list[Path], frames: int, sizes: list[str]) -> None:
    """Tables of §6.3 and §6.4."""
    for name in sizes:
        size = SIZES[name]
        print(f"\n### MB a frame at {name} (without clears; in brackets with the filter pass; then the paper's)\n")
        print("| scene | " + " | ".join(SCHEMES) + " | pooma+zmin / trilinear | with FLIPQUAD |")
        print("|---|" + "---|" * (len(SCHEMES) + 2))
        ratios = []
        for trace in traces:
            found = [run(trace, scheme, frames, size) for scheme in SCHEMES]
            mb = [c["mb"] for c in found]
            paper = PAPER.get(trace.stem, ((0,) * 4, ()))[0] if name == "QVGA" else None
            cells = []
            for k, c in enumerate(found):
                text = f"{mb[k]:.2f}"
                if c["mb_with_filter"] != c["mb"]:
                    text += f" ({c['mb_with_filter']:.2f})"
                cells.append(text + (f"; {paper[k]:.2f}" if paper else ""))
            ratios.append((mb[1] / mb[3] - 1, mb[2] / mb[3] - 1))
            extra = [
                f"{ratios[-1][k]:+.0%}" + (f"; {paper[1 + k] / paper[3] - 1:+.0%}" if paper else "") for k in (0, 1)
            ]
            print(f"| {trace.stem} | " + " | ".join([*cells, *extra]) + " |", flush=True)
        mean = np.mean(ratios, axis=0)
        tail = "; -53 %, -32 %" if name == "QVGA" else ""
        print(f"\nMean: {mean[0]:+.0%}, {mean[1]:+.0%}{tail}")
        print(f"\n### z-min culling at {name}, 8x8 tiles\n")
        print(
            "| scene | depth complexity | depth reads | total, nearest | total, trilinear | on-chip accesses / total |"
        )
        print("|---|---|---|---|---|---|")
        for trace in traces:
            base, zmin = (run(trace, t, frames, size) for t in ("nearest", "zmin"))
            tri, tri_zmin = (run(trace, t, frames, size) for t in ("trilinear", "trilinear+zmin"))
            saved = 1 - zmin["access.z_read"] / max(base["access.z_read"], 1)
            on_chip = (zmin["onchip.reads"] + zmin["onchip.writes"]) / max(base["access.total"], 1)
            p = PAPER.get(trace.stem, ((), (0, 0, 0, 0)))[1]
            print(
                f"| {trace.stem} | {base['depth_complexity']:.2f}; {p[0]} | {-saved:+.0%}; {-p[1]:+.0%} | "
                f"{zmin['mb'] / base['mb'] - 1:+.1%}; {p[2]:+.0%} | {tri_zmin['mb'] / tri['mb'] - 1:+.1%} | "
                f"{on_chip:+.0%}; {p[3]:+.0%} |",
                flush=True,
            )


WHATIFS = (
    ("as the preset is", ()),
    ("two values a word always (Equation 5)", ("pairing.model=ideal",)),
    ("one value an access", ("pairing.model=none",)),
    ("pending words outlive triangles", ("pairing.across_triangles=true",)),
    ("z_tri of the vertices", ("culling.z_triangle=vertices",)),
    ("tiles 4x4", ("culling.tile_size=4",)),
    ("tiles 16x16", ("culling.tile_size=16",)),
    ("z-min written back when changed", ("culling.write_back=changed",)),
    ("tiles entered by visited pixels", ("culling.tile_entry=visited",)),
    ("blocks do not overlap", ("pooma.overlap=false",)),
    ("no compression", ("pooma.overlap=false", "pooma.compression=false")),
)


def what_if(traces: list[Path], frames: int) -> None:
    """How much each assumption matters."""
    size = SIZES["QVGA"]
    print("| pooma+zmin at QVGA, MB a frame (depth reads) | " + " | ".join(t.stem for t in traces) + " |")
    print("|---|" + "---|" * len(traces))
    for label, settings in WHATIFS:
        cells = []
        for trace in traces:
            c = run(trace, "pooma+zmin", frames, size, *settings)
            cells.append(f"{c['mb']:.3f} ({c['access.z_read'] / frames:,.0f})")
        print(f"| {label} | " + " | ".join(cells) + " |", flush=True)
    print("\n| trilinear at QVGA | " + " | ".join(t.stem for t in traces) + " |")
    print("|---|" + "---|" * len(traces))
    found = [run(trace, "trilinear", frames, size) for trace in traces]
    pooma = [run(trace, "pooma", frames, size) for trace in traces]
    rows = {
        "accesses a look-up, trilinear": [f"{c['texture.accesses_per_lookup']:.2f}" for c in found],
        "accesses a look-up, pooma": [f"{c['texture.accesses_per_lookup']:.2f}" for c in pooma],
        "beta": [f"{c['beta']:.2f}" for c in found],
        "MB if each look-up took 6": [
            f"{c['mb'] + (6 * c['texture.lookups'] - c['access.texture']) * 4e-6 / frames:.2f}" for c in found
        ],
        "MB if each look-up took 1.33 (pooma, no culling)": [
            f"{c['mb'] + (4 / 3 * c['texture.lookups'] - c['access.texture']) * 4e-6 / frames:.2f}" for c in pooma
        ],
    }  # fmt: skip
    for label, cells in rows.items():
        print(f"| {label} | " + " | ".join(cells) + " |")


QUALITY_SCHEMES = (
    "nearest", "bilinear", "bilinear-average", "pooma+zmin", "trilinear", "pooma+zmin+quincunx", "pooma+zmin+flipquad",
    "trilinear+flipquad", "trilinear+rgss", "trilinear+ss2x2",
)  # fmt: skip


def quality(traces: list[Path], first: int, frames: int, out: Path, grid: int) -> None:
    """PSNR, SSIM and VSSIM of each scheme against the supersampled reference, over MB a frame."""
    from gpumodel.config import load_machine
    from gpumodel.handheld.run import HandheldRun
    from replay.handheld.player import HandheldFrames, supersampled
    from replay.imagediff import compare_images
    from replay.quality import vssim

    size = SIZES["QVGA"]
    shown = (first, first + frames - 1)
    document: dict[str, Any] = {}
    for trace in traces:
        reference = {
            number: picture[::-1, :, :3].copy()
            for number, picture in supersampled(trace, width=size[0], height=size[1], grid=grid, frames=shown)
        }
        document[trace.stem] = {}
        for scheme in QUALITY_SCHEMES:
            ids = () if scheme == "nearest" else tuple(scheme.split("+"))
            one = HandheldRun(load_machine("handheld-2003"), ids)
            pictures = {}
            with HandheldFrames(trace, one.mode, one.sink, frames=shown) as played:
                for frame in played:
                    one.add(frame)
                    if frame.picture is not None:
                        pictures[frame.frame] = frame.picture[::-1, :, :3].copy()
            pairs = [(reference[number], pictures[number]) for number in sorted(reference)]
            compared = [compare_images(a, b) for a, b in pairs]
            document[trace.stem][scheme] = {
                "mb": one.total.counters["mb"],
                "mb_with_filter": one.total.counters["mb_with_filter"],
                "psnr_db": round(float(np.mean([c.psnr_db for c in compared])), 3),
                "ssim": round(float(np.mean([c.ssim for c in compared])), 5),
                "vssim": round(vssim([a for a, _ in pairs], [b for _, b in pairs]).index, 5),
                "frames": len(pairs),
            }
            print(trace.stem, scheme, document[trace.stem][scheme], flush=True)
    out.with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n")
    plot(document, out)


def plot(document: dict[str, Any], out: Path) -> None:
    """Quality over MB a frame, a panel a scene, as a PNG."""
    from PIL import Image, ImageDraw

    width, height, margin = 420, 360, 46
    picture = Image.new("RGB", (width * len(document), height), "white")
    draw = ImageDraw.Draw(picture)
    for panel, (scene, schemes) in enumerate(document.items()):
        left = panel * width
        xs = [v["mb"] for v in schemes.values()]
        ys = [v["ssim"] for v in schemes.values()]
        x_top, y_low, y_high = max(xs) * 1.25, min(ys) - 0.01, max(ys) + 0.01
        box = (left + margin, 24, left + width - 12, height - margin)
        draw.rectangle(box, outline="black")
        draw.text((left + margin, 6), f"{scene}: SSIM over MB a frame", fill="black")
        for k in range(5):
            x, y = box[0] + (box[2] - box[0]) * k / 4, box[3] - (box[3] - box[1]) * k / 4
            draw.text((x - 10, box[3] + 6), f"{x_top * k / 4:.2f}", fill="black")
            draw.text((left + 4, y - 6), f"{y_low + (y_high - y_low) * k / 4:.3f}", fill="black")
        for name, v in schemes.items():
            x = box[0] + (box[2] - box[0]) * v["mb"] / x_top
            y = box[3] - (box[3] - box[1]) * (v["ssim"] - y_low) / (y_high - y_low)
            draw.ellipse((x - 3, y - 3, x + 3, y + 3), fill="black")
            draw.text((x + 5, y - 6), name, fill="black")
    picture.save(out)


def speed(traces: list[Path], frames: int) -> None:
    """Frames a second of processor time on one core, replay and counting."""
    print("| scene | " + " | ".join(("nearest", "pooma+zmin+flipquad")) + " |")
    print("|---|---|---|")
    for trace in traces:
        cells = []
        for technique in ("nearest", "pooma+zmin+flipquad"):
            run(trace, technique, 2, SIZES["QVGA"])
            seconds = []
            for _ in range(3):
                started = time.process_time()
                run(trace, technique, frames, SIZES["QVGA"])
                seconds.append(time.process_time() - started)
            cells.append(f"{frames / min(seconds):.1f}")
        print(f"| {trace.stem} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("tables", "whatif", "quality", "speed"))
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--size", action="append", choices=sorted(SIZES), help="tables: of these screens only")
    parser.add_argument("--first", type=int, default=0, help="quality: first frame to compare")
    parser.add_argument("--grid", type=int, default=16, help="quality: samples a pixel along each axis")
    parser.add_argument("-o", "--out", type=Path, default=Path("handheld_quality.png"))
    given = parser.parse_args()
    if given.what == "tables":
        tables(given.traces, given.frames, given.size or list(SIZES))
    elif given.what == "whatif":
        what_if(given.traces, given.frames)
    elif given.what == "speed":
        speed(given.traces, given.frames)
    else:
        quality(given.traces, given.first, given.frames, given.out, given.grid)


if __name__ == "__main__":
    main()
