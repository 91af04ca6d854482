"""Rows of ``passes``: what follows from a pass's targets, and what comes again in frame after frame, is packed once."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from replay.engine.rows import PackedRows
from replay.engine.targets import Targets
from traceformat.gputrace.frametrace import MAX_COLOR_ATTACHMENTS, SCHEMA, LoadOp, StoreOp, Table

__all__ = ["PassRow", "PassRows"]

_LOAD, _STORE = int(LoadOp.DONT_CARE), int(StoreOp.DONT_CARE)
#: Columns that differ from pass to pass, as :meth:`PassRows.add` gives them.
_COUNTS: Final = (
    "event_first", "event_count", "draw_first", "draw_count", "read_first", "read_count",
    "transfer_read_bytes", "transfer_write_bytes",
)  # fmt: skip
#: Those that follow from the targets.
_TARGETS: Final = (
    "framebuffer", "context", "width", "height", "samples", "num_colors", "color_address", "color_format",
    "color_bytes", "depth_address", "depth_format", "depth_bytes", "stencil_bits",
)  # fmt: skip
#: How attachments are loaded and stored.
_OPERATIONS: Final = tuple(key for key in SCHEMA["passes"] if key not in _COUNTS + _TARGETS)
_COLORS: Final = struct.Struct(f"<{4 * MAX_COLOR_ATTACHMENTS}d")
_MAX_OPERATIONS: Final = 256


@dataclass(slots=True)
class PassRow:
    """A pass as ``passes`` has it.

    Parameters
    ----------
    targets : what it renders to
    event_first, draw_first, read_first : first rows of what belongs to it
    """

    targets: Targets
    event_first: int = 0
    draw_first: int = 0
    read_first: int = 0
    event_count: int = 0
    draw_count: int = 0
    read_count: int = 0
    transfer_read_bytes: int = 0
    transfer_write_bytes: int = 0
    color_load: bytearray = field(default_factory=lambda: bytearray([_LOAD]) * MAX_COLOR_ATTACHMENTS)
    color_store: bytearray = field(default_factory=lambda: bytearray([_STORE]) * MAX_COLOR_ATTACHMENTS)
    clear_color: list[float] = field(default_factory=lambda: [0.0] * (4 * MAX_COLOR_ATTACHMENTS))
    depth_load: int = _LOAD
    depth_store: int = _STORE
    clear_depth: int = 0
    stencil_load: int = _LOAD
    stencil_store: int = _STORE
    clear_stencil: int = 0
    content_matches: int = 1

    @property
    def num_colors(self) -> int:
        """Colour attachments that it has a place for."""
        return min(len(self.targets.colors), MAX_COLOR_ATTACHMENTS)


class PassRows:
    """Rows of ``passes`` of the frame in progress."""

    def __init__(self) -> None:
        self._rows = PackedRows("passes", _COUNTS, _TARGETS, _OPERATIONS)
        self._known: dict[tuple[object, ...], bytes] = {}

    def add(self, row: PassRow) -> None:
        """Append a pass that has ended."""
        fixed = (row.targets.packed or self._pack_targets(row.targets)) + self._operations(row)
        self._rows.append(
            row.event_first, row.event_count, row.draw_first, row.draw_count, row.read_first, row.read_count,
            row.transfer_read_bytes, row.transfer_write_bytes, fixed=fixed,
        )  # fmt: skip

    def finish(self, wanted: Sequence[str]) -> Table:
        """Hand over the wanted columns and start anew."""
        return self._rows.finish(wanted)

    def _pack_targets(self, targets: Targets) -> bytes:
        most = MAX_COLOR_ATTACHMENTS
        address, format, size = [0] * most, [0] * most, [0] * most
        for k, surface in enumerate(targets.colors[:most]):
            if surface is not None:
                address[k], format[k], size[k] = surface.address, surface.format.internal, surface.format.texel_bytes
        depth = targets.depth
        targets.packed = self._rows.pack(
            framebuffer=targets.framebuffer.name,
            context=targets.context,
            width=targets.width,
            height=targets.height,
            samples=targets.samples,
            num_colors=min(len(targets.colors), most),
            color_address=address,
            color_format=format,
            color_bytes=size,
            depth_address=depth.address if depth is not None else 0,
            depth_format=depth.format.internal if depth is not None else 0,
            depth_bytes=depth.format.texel_bytes if depth is not None else 0,
            stencil_bits=8 if targets.stencil is not None else 0,
        )
        return targets.packed

    def _operations(self, row: PassRow) -> bytes:
        # As bytes a colour's zeros have signs.
        key = (
            bytes(row.color_load), bytes(row.color_store), _COLORS.pack(*row.clear_color), row.depth_load,
            row.depth_store, row.clear_depth, row.stencil_load, row.stencil_store, row.clear_stencil,
            row.content_matches,
        )  # fmt: skip
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MAX_OPERATIONS:
                self._known.clear()
            values = {name: getattr(row, name) for name in _OPERATIONS}
            lists = {name: list(value) for name, value in values.items() if isinstance(value, bytearray)}
            found = self._known[key] = self._rows.pack(**values | lists)
        return found
