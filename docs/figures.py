"""Make the pictures of the documentation anew: ``python docs/figures.py``.

``chain.svg`` is drawn from the list of stations below; ``outcome.png`` from a run of a demo program.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

DOCS: Final = Path(__file__).parent
FIGURES: Final = DOCS / "figures"
#: Name of a station, what it does, and what it passes on.
STATIONS: Final = (
    ("your program", "PyOpenGL, moderngl,\nglfw, pyglet ...", "GL calls"),
    ("capture", "records what the\nprogram said", ".gltrace"),
    ("replay", "GLSL compiler and\nrasterizer in software", "FrameTrace"),
    ("gpumodel", "a tile-based GPU,\ncycle by cycle", "results"),
    ("you", "cycles, energy, traffic,\nand why", ""),
)
PANELS: Final = (
    ("frame_0001.png", "the frame"),
    ("frame_0001_overdraw.png", "overdraw"),
    ("frame_0001_tiles.png", "cost of each tile"),
    ("frame_0001_traffic.png", "memory traffic of each tile"),
)


def chain() -> str:
    """The rooms in a row, as SVG."""
    width, height, step = 150, 92, 208
    parts = []
    for place, (name, text, passed) in enumerate(STATIONS):
        x = 10 + place * step
        fill = "#eef3fb" if 0 < place < len(STATIONS) - 1 else "#f6f6f6"
        parts.append(
            f'<rect x="{x}" y="20" width="{width}" height="{height}" rx="10" fill="{fill}" stroke="#4a6fa5"/>'
            f'<text x="{x + width / 2}" y="48" text-anchor="middle" font-weight="bold" font-size="16">{name}</text>'
        )
        for number, line in enumerate(text.split("\n")):
            parts.append(
                f'<text x="{x + width / 2}" y="{72 + 18 * number}" text-anchor="middle" font-size="12">{line}</text>'
            )
        if passed:
            start, end = x + width + 4, x + step - 4
            parts.append(
                f'<line x1="{start}" y1="66" x2="{end - 7}" y2="66" stroke="#333" stroke-width="1.5"/>'
                f'<path d="M{end - 8} 61 L{end} 66 L{end - 8} 71 Z" fill="#333"/>'
                f'<text x="{(start + end) / 2}" y="56" text-anchor="middle" font-size="10">{passed}</text>'
            )
    total = 20 + step * (len(STATIONS) - 1) + width
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} 132" width="{total}" height="132" '
        f'font-family="sans-serif" fill="#222">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
    )


def outcome(folder: Path) -> Image.Image:
    """A frame beside its maps."""
    tools = Path(sys.executable).parent
    trace = folder / "city.gltrace"
    sample = [tools / "gpucapture", "sample", "city", "--frames", "2", "--size", "480x320", "-o", trace]
    subprocess.run(sample, check=True)
    subprocess.run([tools / "gpureplay", "run", trace, "--images", folder / "maps"], check=True, capture_output=True)
    pictures = [(Image.open(folder / "maps" / name), title) for name, title in PANELS]
    width = pictures[0][0].width
    bottom = max(picture.height for picture, _ in pictures)
    sheet = Image.new("RGB", (2 * width + 30, 2 * (bottom + 30)), "white")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(16)
    for place, (picture, title) in enumerate(pictures):
        x, y = 10 + (place % 2) * (width + 10), (place // 2) * (bottom + 30)
        draw.text((x, y + 5), title, fill="black", font=font)
        sheet.paste(picture.convert("RGB"), (x, y + 27))
    return sheet.quantize(256)


def main() -> None:
    """Write all figures."""
    FIGURES.mkdir(exist_ok=True)
    (FIGURES / "chain.svg").write_text(chain())
    with tempfile.TemporaryDirectory() as folder:
        outcome(Path(folder)).save(FIGURES / "outcome.png", optimize=True)
    script = DOCS.parent / "benchmarks" / "quad_map_pictures.py"
    subprocess.run([sys.executable, script, DOCS / "quad_maps.svg"], check=True)


if __name__ == "__main__":
    main()
