"""glslangValidator as a judge: accept or reject, many shaders a process."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

EXTENSIONS = {"vertex": "vert", "fragment": "frag"}


def accepts(shaders: Sequence[tuple[str, str]], chunk: int = 200) -> list[bool] | None:
    """Tell of each (source, stage) whether it compiles; None where glslangValidator is not installed."""
    command = shutil.which("glslangValidator")
    if command is None:
        return None
    out: list[bool] = []
    for first in range(0, len(shaders), chunk):
        part = shaders[first : first + chunk]
        with tempfile.TemporaryDirectory() as folder:
            names = [f"{k}.{EXTENSIONS[stage]}" for k, (_, stage) in enumerate(part)]
            for name, (source, _) in zip(names, part, strict=True):
                Path(folder, name).write_bytes(source.encode("latin-1", "replace"))
            # glslang writes the file's name, then its messages.
            result = subprocess.run([command, *names], cwd=folder, capture_output=True, check=False, timeout=300)
        bad = set()
        current = ""
        for line in result.stdout.decode(errors="replace").splitlines():
            if line in names:
                current = line
            elif line.startswith("ERROR:"):
                bad.add(current)
        out += [name not in bad for name in names]
    return out
