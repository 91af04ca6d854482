"""Makes the golden frames: each sample captured on the system's GL (Mesa), its trace played back there and read.

usage: python tests/support/sample_goldens.py        (needs Mesa; writes tests/samples/golden/NAME_F.png)
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

#: Small enough to commit, large enough for mipmaps, text and edges.
SIZE = (320, 208)
FRAMES = 4
GOLDEN_FRAMES = (0, 3)
ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parents[1] / "samples" / "golden"
_MAIN = "from capture.cli import main; main()"


def capture(name: str, target: Path, driver: str, **options: Any) -> None:
    """Record a sample in a process of its own, as a user would; options go to ``subprocess.run``."""
    done = subprocess.run(
        [
            *(sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {_MAIN}"),
            *("sample", name, "--driver", driver, "--frames", str(FRAMES)),
            *("--size", f"{SIZE[0]}x{SIZE[1]}", "-o", str(target)),
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )
    assert done.returncode == 0, done.stderr


def play(trace: Path, wanted: tuple[int, ...]) -> dict[int, np.ndarray]:
    """Pictures of a trace as the system's GL draws them, ``(height, width, 3)`` uint8, top row first."""
    from capture.playback import Playback
    from traceformat.gltrace.reader import open_trace

    pictures = {}
    with open_trace(trace) as reader:
        player = Playback(reader.calls())
        ends = {frame.end_call - 1: frame.number for frame in reader.frames}
        framebuffer = 0
        for call in reader.calls():
            if call.name == "glBindFramebuffer":
                framebuffer = int(call.args[1])
            frame = ends.get(call.number)
            if frame in wanted:
                # A program without a window draws to a framebuffer object: that is its picture (DESIGN 3.2).
                is_window = call.name == "traceSwap"
                pictures[frame] = player.read_frame(0 if is_window else framebuffer)[::-1, :, :3].copy()
            player.execute(call)
    return pictures


def main() -> None:
    from samples import SAMPLES

    FOLDER.mkdir(exist_ok=True)
    for name in SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "sample.gltrace"
            capture(name, trace, "system")
            for frame, picture in play(trace, GOLDEN_FRAMES).items():
                Image.fromarray(picture).save(FOLDER / f"{name}_{frame}.png", optimize=True)


if __name__ == "__main__":
    main()
