"""Exports every trace of a corpus to apitrace's format and lets apitrace's own tools judge.

usage: python tests/capture/run_apitrace_tools.py CORPUS [NAME-SUBSTRING]

``apitrace dump`` of the export has to be that of the original (documented differences aside: see apitrace_tools.py),
and ``eglretrace`` of the export has to draw the reference pictures (at most 0.5 % of the pixels off by more than
2/255). Exit status 1 when one does not.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

_ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run the command."""
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    from apitrace_tools import display, dumped, missing, replayed

    from capture.importers import import_trace
    from traceformat.cli import cli
    from traceformat.cli.door import run

    if problem := missing("apitrace", "eglretrace", "Xvfb"):
        print(problem)
        return 1
    corpus, wanted = Path(sys.argv[1]), (sys.argv[2:] or [""])[0]
    entries = [each for each in json.loads((corpus / "manifest.json").read_text())["traces"] if wanted in each["name"]]
    findings = judged = 0
    with tempfile.TemporaryDirectory() as scratch, display() as environment:
        native, export = Path(scratch) / "in.gltrace", Path(scratch) / "out.trace"
        for entry in entries:
            source = corpus / (entry.get("trace") or entry["file"])
            # A picture of another framebuffer than the window's is none that eglretrace takes.
            if entry.get("attachment") or not source.exists():
                continue
            problems = []
            try:
                import_trace(source, native)
                assert run(cli, ["convert", str(native), "--to", "apitrace", "-o", str(export)], name="gputrace") == 0
                if source.suffix == ".trace" and dumped(source) != dumped(export):
                    problems.append("apitrace dump differs")
                shots = replayed(export, Path(scratch) / entry["name"], environment)
                for frame in entry["reference_frames"]:
                    picture = np.asarray(Image.open(corpus / (frame.get("llvmpipe") or frame["png"])).convert("RGB"))
                    shot = shots[frame["frame"]]
                    if shot.shape != picture.shape:
                        problems.append(f"frame {frame['frame']} is {shot.shape}, not {picture.shape}")
                    elif (share := (np.abs(shot.astype(int) - picture).max(2) > 2).mean()) > 0.005:
                        problems.append(f"frame {frame['frame']} differs in {100 * share:.2f} % of the pixels")
            except (subprocess.SubprocessError, IndexError, AssertionError) as error:
                problems.append(f"{type(error).__name__}: {str(error)[:150]}")
            judged += 1
            findings += bool(problems)
            print(entry["name"], "; ".join(problems) or "as the original", flush=True)
    print(f"{judged - findings} of {judged} traces right")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
