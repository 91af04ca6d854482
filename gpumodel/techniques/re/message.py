"""The message that is signed for a tile, block by block.

A tile's message is the pass's block, then for each draw with a primitive in the tile, in submission order, the draw's
constants (once a tile) and its primitives' attributes as the Parameter Buffer stores them (RE §III-E, Figure 6).

What the paper leaves to the driver is made exact here: state that changes pixels but is neither constant nor
attribute: blending, depth, stencil, masks, scissor, viewport, program and version, textures with content version and
sampler (:data:`NOT_STATE` lists what does not matter for pixels, so that state which a later schema adds is signed by
itself). The driver numbers the distinct states that it has seen, as it would number pipeline objects, and writes the
number in front of the draw's constants: one sub-block of 8 bytes a draw, exact because equal numbers are equal states.
The state a pass begins with (sizes, formats, clear values) and the clears inside it are numbered likewise; the former
is what the Signature Buffer is reset to. Numbers begin with 1 and lengths are part of the state, so that different
inputs are different messages. Window positions hold depth offset, viewport and depth range already.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import DrawFlags, FrameTrace

__all__ = ["Blocks", "StateNumbers", "draw_blocks", "pass_blocks", "primitive_blocks"]

Array = NDArray[Any]

#: Columns of ``draws`` without effect on pixels beyond what is signed otherwise: places in other tables, what the
#: primitives' attributes already are the result of, and statistics.
NOT_STATE: Final = frozenset({
    "call", "pass", "object", "vertex_first", "vertex_count", "primitive_first", "primitive_count", "emitted_first",
    "emitted_count", "quad_first", "quad_count", "instance_count", "index_bytes", "query_active", "fetch_first",
    "fetch_count", "texture_first", "texture_count", "constant_first", "constants_new_bytes", "color_first",
    "cull_face", "vertex_program", "fragment_program", "flags",
})  # fmt: skip
#: Columns of ``texture_bindings`` that decide texels: not the place in memory.
_TEXTURE: Final = ("unit", "target", "texture", "version", "sampler")
#: Columns of ``passes`` that decide what a tile starts from.
_PASS: Final = (
    "framebuffer", "width", "height", "samples", "num_colors", "color_format", "color_load", "clear_color",
    "depth_format", "depth_load", "clear_depth", "stencil_bits", "stencil_load", "clear_stencil",
)  # fmt: skip
_CLEAR: Final = (
    "x", "y", "width", "height", "buffers", "color_mask", "stencil_mask", "clear_color", "clear_depth", "clear_stencil",
)  # fmt: skip
#: Second word of a numbered block: what the number is of.
_DRAW: Final = 1
_PASS_START: Final = 2
_CLEAR_INSIDE: Final = 3
_IGNORED_FLAGS: Final = int(DrawFlags.RELOADED | DrawFlags.PATHS_FALLBACK)


@dataclass(slots=True)
class Blocks:
    """Blocks one behind the other.

    Parameters
    ----------
    words : (W,) uint32, at least one
    first, count : (B,) int64 words of each block
    """

    words: Array
    first: Array
    count: Array

    def __len__(self) -> int:
        """Number of blocks."""
        return len(self.first)


class StateNumbers:
    """The driver's numbers of distinct states, from 1; they last as long as the run."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def of(self, rows: Array) -> Array:
        """Numbers (N,) uint32 of the states that are the rows (N, words) of an array."""
        return np.array([self.number(row.tobytes()) for row in np.ascontiguousarray(rows)], np.uint32)

    def number(self, state: bytes) -> int:
        """Number of one state."""
        return self._numbers.setdefault(state, len(self._numbers) + 1)


def draw_blocks(trace: FrameTrace, first: int, end: int, numbers: StateNumbers) -> Blocks:
    """Blocks of the draws ``first`` to ``end``: the state's number and kind of block, then all live constants."""
    draws, programs, bindings = trace["draws"], trace["programs"], trace["texture_bindings"]
    count = end - first
    own = {name: draws[name][first:end] for name in draws}
    state = [own[name] for name in sorted(set(own) - NOT_STATE)]
    state.append(own["flags"] & np.uint32(0xFFFFFFFF & ~_IGNORED_FLAGS))
    for column in ("vertex_program", "fragment_program"):
        state += [programs[name][own[column]] for name in ("id", "version")]
    fixed, textures = _words(*state), _words(*(bindings[name] for name in _TEXTURE))
    bound = own["texture_first"].astype(np.int64)
    last = bound + own["texture_count"]
    number = np.array(
        [numbers.number(fixed[k].tobytes() + textures[bound[k] : last[k]].tobytes()) for k in range(count)], np.uint32
    )
    head = np.stack([number, np.full(count, _DRAW, np.uint32)], axis=1).reshape(-1)
    words = np.ascontiguousarray(trace["constants"]["word"], np.uint32)
    parts = [(head, 2 * np.arange(count), np.full(count, 2))]
    parts += [
        (words, own["constant_first"][:, k].astype(np.int64), own["constant_count"][:, k].astype(np.int64))
        for k in range(2)
    ]
    return _join(parts)


def primitive_blocks(trace: FrameTrace, first: int, end: int) -> Blocks:
    """Blocks of the emitted primitives ``first`` to ``end``: their attributes, the size of a point or line, and their
    number in the draw where the shader reads it.
    """
    emitted = trace["emitted"]
    words = np.ascontiguousarray(trace["attributes"]["value"], np.float32).reshape(-1).view(np.uint32)
    draw = emitted["draw"][first:end]
    begin = emitted["attribute_first"][first:end].astype(np.int64) * 4
    count = trace["draws"]["num_attributes"][draw].astype(np.int64) * 12
    sized = emitted["num_vertices"][first:end] < 3
    numbered = (trace["draws"]["flags"][draw] & np.uint32(DrawFlags.READS_PRIMITIVE)) != 0
    if not (sized.any() or numbered.any()):
        return Blocks(words if len(words) else np.zeros(1, np.uint32), begin, count)
    sizes = np.ascontiguousarray(emitted["size"][first:end], np.float32).view(np.uint32)
    numbers = (emitted["primitive"][first:end] - trace["draws"]["primitive_first"][draw]).astype(np.uint32)
    own = np.arange(end - first)
    return _join(
        [(words, begin, count), (sizes, own, sized.astype(np.int64)), (numbers, own, numbered.astype(np.int64))]
    )


def pass_blocks(trace: FrameTrace, index: int, clears: Array, numbers: StateNumbers) -> Blocks:
    """Block of what a pass starts with, then a block for each of the ``clears`` inside it, rows of ``events``."""
    passes, events = trace["passes"], trace["events"]
    start = numbers.of(_words(*(passes[name][index : index + 1] for name in _PASS)))
    inside = numbers.of(_words(*(events[name][clears] for name in _CLEAR)))
    kinds = np.array([_PASS_START] + [_CLEAR_INSIDE] * len(inside), np.uint32)
    words = np.stack([np.concatenate([start, inside]), kinds], axis=1).reshape(-1)
    return Blocks(words, 2 * np.arange(len(kinds)), np.full(len(kinds), 2))


def _words(*columns: Array) -> Array:
    """Columns side by side as rows of 32-bit words: (rows, words) uint32, filled up with zero bytes."""
    rows = len(columns[0])
    raw = [np.ascontiguousarray(column).reshape(rows, -1).view(np.uint8) for column in columns if rows]
    if not rows:
        width = sum(column.dtype.itemsize * int(np.prod(column.shape[1:])) for column in columns)
        return np.zeros((0, -(-width // 4)), np.uint32)
    packed = np.hstack(raw)
    return np.ascontiguousarray(np.pad(packed, ((0, 0), (0, -packed.shape[1] % 4)))).view(np.uint32)


def _join(parts: list[tuple[Array, Array, Array]]) -> Blocks:
    """Blocks made of several pieces each: ``parts`` holds words, first and count of each kind of piece."""
    firsts = np.stack([np.asarray(first, np.int64) for _, first, _ in parts], axis=1)
    counts = np.stack([np.asarray(count, np.int64) for _, _, count in parts], axis=1)
    whole = np.concatenate([words for words, _, _ in parts] + [np.zeros(1, np.uint32)])
    firsts = firsts + np.concatenate([[0], np.cumsum([len(words) for words, _, _ in parts])[:-1]])
    flat = counts.reshape(-1)
    starts = np.concatenate([[0], np.cumsum(flat)[:-1]]) if len(flat) else flat
    at = np.arange(int(flat.sum())) - np.repeat(starts, flat) + np.repeat(firsts.reshape(-1), flat)
    count = counts.sum(axis=1)
    begin = np.concatenate([[0], np.cumsum(count)[:-1]]).astype(np.int64) if len(count) else count
    return Blocks(np.concatenate([whole[at], np.zeros(1, np.uint32)]), begin, count)
