"""The handheld rasterizer next to its paper: tables of §6.3 and §6.4, what-if runs, quality against bandwidth, speed.

usage: python benchmarks/bench_handheld.py tables|whatif|gaps|energy|corpus|twins|quality|speed
       [--frames N] [--first K] [-o OUT] TRACE...

Traces are captures of the samples screensaver, menu and level (``gpucapture sample NAME --size 320x240 --frames 300``),
or any others. All but ``quality`` print Markdown; ``gaps`` captures the scenes (all three, or those named) itself, as
they are and otherwise (handheld_scene.py), into the folder OUT; ``twins`` captures frames 0, 100, 200, 300 of
``--twins``, with pictures of ``--texels`` times as many texels a side; ``quality`` writes a plot (SVG) and its numbers
(JSON).
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
        is_papers = name == "QVGA"
        then = "; then the paper's" if is_papers else ""
        print(f"\n### MB a frame at {name} (without clears; in brackets with the filter pass{then})\n")
        print("| scene | " + " | ".join(SCHEMES) + " | pooma+zmin / trilinear | with FLIPQUAD |")
        print("|---|" + "---|" * (len(SCHEMES) + 2))
        ratios = []
        for trace in traces:
            found = [run(trace, scheme, frames, size) for scheme in SCHEMES]
            mb = [c["mb"] for c in found]
            paper = PAPER[trace.stem][0] if is_papers and trace.stem in PAPER else None
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
        tail = "; -53 %, -32 %" if is_papers else ""
        print(f"\nMean: {mean[0]:+.0%}, {mean[1]:+.0%}{tail}")
        print(f"\n### z-min culling at {name}, 8x8 tiles\n")
        heads = ("scene", "depth complexity", "depth reads", "total, nearest", "total, trilinear",
                 "on-chip accesses / total", "in bytes")  # fmt: skip
        print("| " + " | ".join(heads) + " |")
        print("|---" * len(heads) + "|")
        for trace in traces:
            base, zmin = (run(trace, t, frames, size) for t in ("nearest", "zmin"))
            tri, tri_zmin = (run(trace, t, frames, size) for t in ("trilinear", "trilinear+zmin"))
            saved = 1 - zmin["access.z_read"] / max(base["access.z_read"], 1)
            on_chip = (zmin["onchip.reads"] + zmin["onchip.writes"]) / max(base["access.total"], 1)
            # A fragment reads two bits; a tile is entered with 16 + 2 bits, z-min updated and written back with 16.
            entered = zmin["culling.tiles_entered"]
            updates = zmin["onchip.writes"] - entered
            on_chip_bytes = zmin["fragments.rasterized"] / 4 + 2.25 * entered + 2 * updates + 2 * entered
            p = ["", "", "", ""]
            if is_papers and trace.stem in PAPER:
                complexity, reads, total, chip = PAPER[trace.stem][1]
                p = [f"; {complexity}", f"; {-reads:+.0%}", f"; {total:+.0%}", f"; {chip:+.0%}"]
            print(
                f"| {trace.stem} | {base['depth_complexity']:.2f}{p[0]} | {-saved:+.0%}{p[1]} | "
                f"{zmin['mb'] / base['mb'] - 1:+.1%}{p[2]} | {tri_zmin['mb'] / tri['mb'] - 1:+.1%} | "
                f"{on_chip:+.0%}{p[3]} | {on_chip_bytes / max(base['access.total'], 1) / 4:+.0%} |",
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


#: What the paper's scenes may have otherwise: detail, textures and order of handheld_scene.py, and settings.
GAPS = (
    ("as the scenes are", ("1", "1", "own"), ()),
    ("textures twice as large", ("1", "2", "own"), ()),
    ("textures four times as large: nothing is magnified", ("1", "4", "own"), ()),
    ("two values a word always (Equation 5)", ("1", "1", "own"), ("pairing.model=ideal",)),
    ("0.4 of the segments (a seventh to a third of the triangles)", ("0.4", "1", "own"), ()),
    ("objects from the farthest to the nearest", ("1", "1", "back"), ()),
    ("tiles of 2x2", ("1", "1", "own"), ("culling.tile_size=2",)),
    ("a bound for each pixel, moved for nothing", ("1", "1", "own"), ("culling.tile_size=1",)),
    ("larger textures, fewer triangles, farthest first, Equation 5", ("0.4", "4", "back"),
     ("pairing.model=ideal",)),
)  # fmt: skip


def gaps(scenes: list[str], frames: int, folder: Path) -> None:
    """Causes of the differences from §6.3 and §6.4, each taken away in a run of its own."""
    import subprocess
    import sys

    size = SIZES["QVGA"]
    print("| at QVGA | " + " | ".join(f"{name}: z reads; POOMA; FLIPQUAD" for name in scenes) + " | mean |")
    print("|---|" + "---|" * (len(scenes) + 1))
    folder.mkdir(parents=True, exist_ok=True)
    for label, variant, settings in GAPS:
        cells, ratios = [], []
        for scene in scenes:
            trace = folder / f"{scene}_{'_'.join(variant)}_{frames}.gltrace"
            if not trace.exists():
                script = str(Path(__file__).with_name("handheld_scene.py"))
                arguments = ["run", "-o", str(trace), "--driver", "null", script, scene, *variant]
                arguments += ["--frames", str(frames), "--size", f"{size[0]}x{size[1]}"]
                code = "from capture.cli import main; main()"
                subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True)
            base, zmin, pooma, quad, tri = (
                run(trace, scheme, frames, size, *settings)
                for scheme in ("nearest", "zmin", "pooma+zmin", "pooma+zmin+flipquad", "trilinear")
            )
            # A tile of one pixel shows what a culling that knows everything would save: its own accesses don't count.
            free = "culling.tile_size=1" in settings
            mb = [c["mb"] - free * 4e-6 * (c["access.tile_read"] + c["access.tile_write"]) / frames
                  for c in (pooma, quad, tri)]  # fmt: skip
            saved = zmin["access.z_read"] / base["access.z_read"] - 1
            ratios.append((mb[0] / mb[2] - 1, mb[1] / mb[2] - 1))
            cells.append(f"{saved:+.0%}; {ratios[-1][0]:+.0%}; {ratios[-1][1]:+.0%}")
        mean = np.mean(ratios, axis=0)
        print(f"| {label} | " + " | ".join(cells) + f" | {mean[0]:+.0%}; {mean[1]:+.0%} |", flush=True)
    papers = [PAPER[scene] for scene in scenes]
    cells = [f"{-culling[1]:+.0%}; {mb[1] / mb[3] - 1:+.0%}; {mb[2] / mb[3] - 1:+.0%}" for mb, culling in papers]
    print("| the paper | " + " | ".join(cells) + " | -53%; -32% |")


#: Energy of an access off the chip over one on it, and who says so.
ENERGY_RATIOS = ((10.0, "the paper's lower bound"), (27.5, "the preset"), (130.0, "Horowitz 2014"))


def energy(traces: list[Path], frames: int) -> None:
    """How the ratio of off-chip to on-chip energy moves what z-min and POOMA save."""
    print(
        "| off-chip / on-chip | "
        + " | ".join(f"{t.stem}: on-chip share; z-min; POOMA; FLIPQUAD" for t in traces)
        + " |"
    )
    print("|---|" + "---|" * len(traces))
    schemes = ("nearest", "zmin", "pooma+zmin", "pooma+zmin+flipquad", "trilinear")
    found = [[run(trace, scheme, frames, SIZES["QVGA"]) for scheme in schemes] for trace in traces]
    for ratio, who in ENERGY_RATIOS:
        cells = []
        for of_scene in found:
            chip = [(c["onchip.reads"] + c["onchip.writes"]) / ratio for c in of_scene]
            base, zmin, pooma, quad, tri = (c["access.total"] + on for c, on in zip(of_scene, chip, strict=True))
            cells.append(
                f"{chip[2] / pooma:.1%}; {zmin / base - 1:+.1%}; {pooma / tri - 1:+.0%}; {quad / tri - 1:+.0%}"
            )
        print(f"| {ratio:g} ({who}) | " + " | ".join(cells) + " |")
    even = [
        (c[1]["onchip.reads"] + c[1]["onchip.writes"]) / (c[0]["access.total"] - c[1]["access.total"]) for c in found
    ]
    print("| z-min saves energy from here on | " + " | ".join(f"{ratio:.1f}" for ratio in even) + " |")


CORPUS_SCHEMES = ("nearest", "pooma+zmin", "pooma+zmin+flipquad", "trilinear")


def corpus(traces: list[Path], frames: int) -> None:
    """Any traces on the machine, scaled to QVGA; culling must leave every picture as it is."""
    from gpumodel.config import load_machine
    from gpumodel.handheld.run import HandheldRun
    from replay.handheld.player import HandheldFrames

    heads = ("trace", "frames", "depth complexity", "beta", *CORPUS_SCHEMES, "z reads, both cullings", "their pictures")
    print("| " + " | ".join(heads) + " |")
    print("|---" * len(heads) + "|")
    bad = 0
    for trace in traces:
        pictures: dict[str, list[Any]] = {}
        totals: dict[str, Any] = {}
        for scheme in (*CORPUS_SCHEMES, "trilinear+zmin+zmax"):
            ids = () if scheme == "nearest" else tuple(scheme.split("+"))
            one = HandheldRun(load_machine("handheld-2003"), ids)
            with HandheldFrames(trace, one.mode, one.sink, frames=(0, frames - 1)) as played:
                shown = []
                for frame in played:
                    one.add(frame)
                    shown.append(frame.picture)
            pictures[scheme], totals[scheme] = shown, one.total.counters
        base = totals["trilinear"]
        pairs = zip(pictures["trilinear"], pictures["trilinear+zmin+zmax"], strict=True)
        equal = all(a is b or np.array_equal(a, b) for a, b in pairs)
        bad += not equal
        reads = totals["trilinear+zmin+zmax"]["access_values.z_read"]
        bad += reads > base["access_values.z_read"]
        saved = f"{reads / base['access_values.z_read'] - 1:+.0%}" if base["access_values.z_read"] else "none"
        cells = " | ".join(f"{totals[scheme]['mb']:.3f}" for scheme in CORPUS_SCHEMES)
        print(
            f"| {trace.stem} | {len(pictures['trilinear'])} | {base['depth_complexity']:.2f} | {base['beta']:.2f} | "
            f"{cells} | {saved} | {'equal' if equal else 'DIFFERS'} |",
            flush=True,
        )
    print(f"\n{len(traces)} traces, {bad} differences")


QUALITY_SCHEMES = (
    "nearest", "bilinear", "bilinear-average", "pooma+zmin", "trilinear", "pooma+zmin+quincunx", "pooma+zmin+flipquad",
    "trilinear+flipquad", "trilinear+rgss", "trilinear+ss2x2",
)  # fmt: skip
#: Beside the schemes: what POOMA loses where.
QUALITY_WHATIFS = (
    ("pooma+zmin, not dithered", "pooma+zmin", ("pooma.dither=false",)),
    ("pooma+zmin, not compressed", "pooma+zmin", ("pooma.overlap=false", "pooma.compression=false")),
)


def references(trace: Path, shown: tuple[int, int], grid: int, cache: Path | None) -> dict[int, Any]:
    """Supersampled pictures by frame, top row first; kept in a folder if there is one."""
    import hashlib

    from replay.handheld.player import supersampled

    width, height = SIZES["QVGA"]
    kept = None
    if cache is not None:
        digest = hashlib.sha256(trace.read_bytes()).hexdigest()[:16]
        kept = cache / f"{trace.stem}_{digest}_{width}x{height}_{grid}_{shown[0]}-{shown[1]}.npz"
        if kept.exists():
            with np.load(kept) as found:
                return {int(number): found[number] for number in found.files}
    played = supersampled(trace, width=width, height=height, grid=grid, frames=shown)
    pictures = {number: picture[::-1, :, :3].copy() for number, picture in played}
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(kept, **{str(number): picture for number, picture in pictures.items()})
    return pictures


def quality(traces: list[Path], first: int, frames: int, out: Path, grid: int, cache: Path | None) -> None:
    """PSNR, SSIM and VSSIM of each scheme against the supersampled reference, over MB a frame."""
    from handheld_plot import quality_plot

    from gpumodel.config import load_machine
    from gpumodel.handheld.run import HandheldRun
    from replay.handheld.player import HandheldFrames
    from replay.imagediff import compare_images
    from replay.quality import vssim

    shown = (first, first + frames - 1)
    document: dict[str, Any] = {}
    rows = (*((scheme, scheme, ()) for scheme in QUALITY_SCHEMES), *QUALITY_WHATIFS)
    for trace in traces:
        reference = references(trace, shown, grid, cache)
        document[trace.stem] = {}
        for label, scheme, settings in rows:
            ids = () if scheme == "nearest" else tuple(scheme.split("+"))
            one = HandheldRun(load_machine("handheld-2003", settings), ids)
            pictures = {}
            with HandheldFrames(trace, one.mode, one.sink, frames=shown) as played:
                for frame in played:
                    one.add(frame)
                    if frame.picture is not None:
                        pictures[frame.frame] = frame.picture[::-1, :, :3].copy()
            pairs = [(reference[number], pictures[number]) for number in sorted(reference)]
            compared = [compare_images(a, b) for a, b in pairs]
            found = document[trace.stem][label] = {
                "mb": one.total.counters["mb"],
                "mb_with_filter": one.total.counters["mb_with_filter"],
                # Equal pictures have no finite distance; 99 dB stands for it.
                "psnr_db": round(float(np.mean([min(c.psnr_db, 99.0) for c in compared])), 3),
                "ssim": round(float(np.mean([c.ssim for c in compared])), 5),
                "vssim": round(vssim([a for a, _ in pairs], [b for _, b in pairs]).index, 5),
                "frames": len(pairs),
            }
            print(
                f"| {trace.stem} | {label} | {found['mb']:.2f} ({found['mb_with_filter']:.2f}) | "
                f"{found['psnr_db']:.1f} dB | {found['ssim']:.3f} | {found['vssim']:.3f} |",
                flush=True,
            )
    out.with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n")
    drawn = {scene: {name: found[name] for name in QUALITY_SCHEMES} for scene, found in document.items()}
    out.write_text(quality_plot(drawn))


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


def twins(names: list[str], texels: int) -> None:
    """POOMA and FLIPQUAD on twins, in the order of accesses a trilinear look-up; the mean with its interval of 95 %."""
    import tempfile

    from larger_pictures import with_larger_pictures

    from gpumodel.papers.intervals import interval
    from gpureplay.twin_workloads import FRAMES, capture_twin
    from samples.twins.recipe import aliases
    from samples.twins.writing import recipe_text

    rows, mb = [], []
    for alias in names or aliases():
        with tempfile.TemporaryDirectory() as folder:
            trace, recipe = Path(folder) / "twin.gltrace", Path(folder) / f"{alias}.toml"
            recipe.write_text(recipe_text(with_larger_pictures(alias, texels)), encoding="utf-8")
            capture_twin(alias, "a", trace, recipe=recipe, size="320x240")
            base, zmin, pooma, quad, tri = (
                run(trace, scheme, FRAMES, SIZES["QVGA"])
                for scheme in ("nearest", "zmin", "pooma+zmin", "pooma+zmin+flipquad", "trilinear")
            )
        saved = 1 - zmin["access.z_read"] / max(base["access.z_read"], 1)
        mb.append([pooma["mb"], quad["mb"], tri["mb"]])
        share = tri["access.texture"] / tri["access.total"]
        rows.append((tri["texture.accesses_per_lookup"], alias, share, -saved, *np.divide(mb[-1][:2], mb[-1][2]) - 1))
        print(f"{alias} is done", flush=True)
    print("| twin | accesses a look-up | of textures | z reads | POOMA | FLIPQUAD |")
    print("|---|--:|--:|--:|--:|--:|")
    for accesses, alias, *shares in sorted(rows):
        print(f"| {alias} | {accesses:.2f} | " + " | ".join(f"{share:+.0%}" for share in shares) + " |")
    for number, name in enumerate(("POOMA", "FLIPQUAD")):
        of_twins = [[np.array([[own[number], own[2]]])] for own in mb]
        ends = interval(of_twins, lambda totals: totals[..., 0] / totals[..., 1] - 1)
        mean = np.mean([row[4 + number] for row in rows])
        print(f"{name}: {mean:+.1%}, {ends.low:+.1%} to {ends.high:+.1%}")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("tables", "whatif", "gaps", "energy", "corpus", "twins", "quality", "speed"))
    parser.add_argument("--twins", action="append", default=[], help="twins: which; all by default")
    parser.add_argument(
        "--texels", type=int, default=1, help="twins: sides of pictures, to the twin's own; 1024 at most"
    )
    parser.add_argument("traces", nargs="*", type=Path)
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--size", action="append", choices=sorted(SIZES), help="tables: of these screens only")
    parser.add_argument("--first", type=int, default=0, help="quality: first frame to compare")
    parser.add_argument("--grid", type=int, default=16, help="quality: samples a pixel along each axis")
    parser.add_argument("--references", type=Path, help="quality: folder that keeps the reference pictures")
    parser.add_argument("-o", "--out", type=Path, default=Path("handheld_quality.svg"))
    given = parser.parse_intermixed_args()
    if given.what == "tables":
        tables(given.traces, given.frames, given.size or list(SIZES))
    elif given.what == "whatif":
        what_if(given.traces, given.frames)
    elif given.what == "gaps":
        gaps([trace.stem for trace in given.traces] or list(PAPER), given.frames, given.out)
    elif given.what == "energy":
        energy(given.traces, given.frames)
    elif given.what == "corpus":
        corpus(given.traces, given.frames)
    elif given.what == "twins":
        twins(given.twins, given.texels)
    elif given.what == "speed":
        speed(given.traces, given.frames)
    else:
        quality(given.traces, given.first, given.frames, given.out, given.grid, given.references)


if __name__ == "__main__":
    main()
