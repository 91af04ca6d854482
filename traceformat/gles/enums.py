"""GL's numbers under the names of the specification: ``from traceformat.gles import enums as gl; gl.GL_TEXTURE_2D``.

The table is generated (``generate.py``); a test finds names of ours that it does not have.
"""

from __future__ import annotations

from typing import Final

from traceformat.gles.enums_table import VALUES

#: Name -> value, in the order of the table.
BY_NAME: Final[dict[str, int]] = {
    f"GL_{name}": int(value, 16) for name, value in (pair.split(":") for pair in VALUES.split())
}
globals().update(BY_NAME)


def __getattr__(name: str) -> int:
    raise AttributeError(f"GL has no constant {name}")
