"""The tables of the frame in progress that draws write their bulk into."""

from __future__ import annotations

from dataclasses import dataclass

from replay.engine.columns import GrowingTable
from replay.engine.pass_memory import PassMemory

__all__ = ["Tables"]


@dataclass(slots=True)
class Tables:
    """The tables that draws write their bulk into, and who gives them memory."""

    vertices: GrowingTable
    primitives: GrowingTable
    emitted: GrowingTable
    attributes: GrowingTable
    quads: GrowingTable
    tex_ops: GrowingTable
    texture_lines: GrowingTable
    color_data: GrowingTable
    memory: PassMemory
