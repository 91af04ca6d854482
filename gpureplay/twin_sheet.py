"""Contact sheets of twins: frames side by side, a row a twin."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from gpureplay.twin_workloads import FRAMES, capture_twin

__all__ = ["contact_sheet"]

_WIDTH: Final = 400
_MARGIN: Final = 4


def contact_sheet(aliases: Sequence[str], variant: str = "a") -> bytes:
    """Frames 0, 100, 200 and 300 of twins as a PNG."""
    from PIL import Image, ImageDraw

    import replay

    rows: list[list[Image.Image]] = []
    for alias in aliases:
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "twin.gltrace"
            capture_twin(alias, variant, trace)
            pictures = [Image.fromarray(picture[::-1, :, :3].copy()) for _, picture in replay.pictures(trace)]
        height = round(_WIDTH * pictures[0].height / pictures[0].width)
        rows.append([picture.resize((_WIDTH, height), Image.Resampling.BOX) for picture in pictures])
    sheet = Image.new(
        "RGB",
        ((_WIDTH + _MARGIN) * FRAMES + _MARGIN, sum(row[0].height + _MARGIN for row in rows) + _MARGIN),
        (24, 24, 24),
    )
    pen, top = ImageDraw.Draw(sheet), _MARGIN
    for alias, row in zip(aliases, rows, strict=True):
        for number, picture in enumerate(row):
            sheet.paste(picture, (_MARGIN + number * (_WIDTH + _MARGIN), top))
        pen.text((_MARGIN + 4, top + 4), alias, fill=(255, 255, 255), stroke_width=1, stroke_fill=(0, 0, 0))
        top += row[0].height + _MARGIN
    out = io.BytesIO()
    sheet.save(out, "PNG")
    return out.getvalue()
