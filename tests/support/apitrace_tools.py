"""apitrace's own tools as judges of the files that we write in its format."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from traceformat.gles.enums import BY_NAME

#: Calls of EGL that our traces have, under our handles; the others (queries, configurations) say nothing to a replay.
_KEPT = re.compile(r"eglCreateContext|eglDestroyContext|eglMakeCurrent|eglSwapBuffers|eglCreateImage|eglDestroyImage")
_LINE = re.compile(r"(\d+) (?:@\d+ )?((\w+)\(.*)", re.S)


def missing(*tools: str) -> str:
    """Tools that are not installed, as a message; empty if all are."""
    absent = [tool for tool in tools if shutil.which(tool) is None]
    return f"not installed: {', '.join(absent)}" if absent else ""


def dumped(path: Path) -> list[str]:
    """The calls of a file as ``apitrace dump`` prints them, without numbers, and without what we document as different.

    Different are: EGL calls that only ask or configure, addresses of EGL's objects and of mapped memory, attributes of
    contexts, what is current behind the last frame, client arrays that no draw of the frame reads, names of parameters
    (ours are the registry's), and which of its names a value of an enum has.
    """
    command = ["apitrace", "dump", "--color=never", "--verbose", str(path)]
    text = subprocess.run(command, capture_output=True, check=True, timeout=300).stdout.decode("utf-8", "replace")
    lines = []
    for part in re.split(r"\n(?=\d+ |\n|//)", text):
        found = _LINE.match(part.strip("\n"))
        if found is None:
            continue
        line, name = found[2], found[3]
        if name.startswith(("egl", "glX")):
            if not _KEPT.match(name):
                continue
            line = re.sub(r"(?<== )(0x[0-9a-f]+|NULL)", "HANDLE", line).split(", attrib_list")[0]
        elif name == "memcpy" or name.startswith("glMapBuffer"):
            line = re.sub(r"(dest = |= )0x[0-9a-f]+", r"\1ADDRESS", line)
        line = re.sub(r"([(,] ?)\w+ = ", r"\1", line)
        lines.append(re.sub(r"\bGL_\w+", lambda name: str(BY_NAME.get(name[0], name[0])), line))
    while lines and lines[-1].startswith(("eglMakeCurrent", "eglDestroyContext")):
        lines.pop()
    return _without_unread_arrays(lines)


def _without_unread_arrays(lines: list[str]) -> list[str]:
    """Leave out contents of client arrays that no draw reads before the frame ends or others take their place.

    No draw reads the array of an attribute that is disabled.
    """
    unread: dict[str, int] = {}
    disabled: set[str] = set()
    left_out: set[int] = set()
    for place, line in enumerate(lines):
        attribute = line.partition("(")[2].partition(",")[0].rstrip(")")
        if line.startswith("glVertexAttribPointer") and "blob(" in line:
            left_out.update({unread[attribute]} if attribute in unread else ())
            unread[attribute] = place
        elif line.startswith("glDisableVertexAttribArray"):
            disabled.add(attribute)
        elif line.startswith("glEnableVertexAttribArray"):
            disabled.discard(attribute)
        elif line.startswith(("glDraw", "glMultiDraw")):
            unread = {one: at for one, at in unread.items() if one in disabled}
        elif line.startswith("eglSwapBuffers"):
            left_out.update(unread.values())
            unread.clear()
    left_out.update(unread.values())
    return [line for place, line in enumerate(lines) if place not in left_out]


@contextmanager
def display(number: int = 93) -> Iterator[dict[str, str]]:
    """Environment of a program with an X server of its own and a software driver."""
    command = ["Xvfb", f":{number}", "-screen", "0", "1920x1200x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(100):
                if Path(f"/tmp/.X11-unix/X{number}").exists():
                    break
                time.sleep(0.05)
            yield os.environ | {"DISPLAY": f":{number}", "LIBGL_ALWAYS_SOFTWARE": "1"}
        finally:
            server.terminate()


def replayed(path: Path, folder: Path, environment: dict[str, str]) -> list[NDArray[np.uint8]]:
    """Pictures of all frames that ``eglretrace`` draws; (height, width, 3), top row first."""
    folder.mkdir(exist_ok=True)
    command = ["eglretrace", "--headless", "-s", str(folder / "shot_"), str(path)]
    subprocess.run(command, capture_output=True, check=True, timeout=600, env=environment)
    return [np.asarray(Image.open(shot).convert("RGB")) for shot in sorted(folder.glob("shot_*.png"))]
