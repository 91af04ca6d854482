"""Draws that differ in nothing but their vertices: drawn in one call."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.judges import changed, rearranged
from gpumodel.whatif.scene import Scene
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import SCHEMA, STAGES, DrawFlags, EventKind, FrameTrace

__all__ = ["merged"]

Array = NDArray[Any]

_ROWS: Final = ("vertex", "primitive", "emitted", "quad")
#: Columns of draws in which those that are drawn in one call may differ.
_OWN: Final = frozenset(
    {
        *("call", "object", "flags", "constant_first", "constants_new_bytes", "fetch_first", "texture_first"),
        *("color_first", *(f"{name}_{what}" for name in _ROWS for what in ("first", "count"))),
    }
)
_LISTS: Final = (gl.GL_POINTS, gl.GL_LINES, gl.GL_TRIANGLES)
#: Modes in which an index that restarts stands between the parts.
_STRIPS: Final = (gl.GL_LINE_STRIP, gl.GL_TRIANGLE_STRIP, gl.GL_TRIANGLE_FAN)
_APART: Final = (
    DrawFlags.READS_PRIMITIVE | DrawFlags.SIDE_EFFECTS | DrawFlags.READS_FRAMEBUFFER | DrawFlags.VERTEX_EFFECTS
)
_VERTEX: Final = STAGES.index("vertex")
_FRAGMENT: Final = STAGES.index("fragment")
#: Index of two bytes that restarts.
_RESTART: Final = 0xFFFF
_PAGE: Final = 4096


def merged(scene: Scene, target: str, _: str) -> FrameTrace | None:
    """Draw neighbours in one call that have state, textures and the fragment shader's uniforms in common.

    What the vertex shader's uniforms say of each is taken to come with its vertices; vertices that lie in other buffers
    come behind each other in one.
    """
    trace = scene.trace
    chosen = set(scene.draws(target).tolist())
    begins = np.ones(trace["draws"].num_rows, bool)
    events = trace["events"]
    draws, kinds, passes = (events[name].tolist() for name in ("draw", "kind", "pass"))
    keys = {draw: _key(trace, draw) for draw in sorted(chosen)}
    for row in range(1, len(draws)):
        before, after = draws[row - 1], draws[row]
        in_a_row = kinds[row - 1] == kinds[row] == EventKind.DRAW and passes[row - 1] == passes[row]
        if in_a_row and after == before + 1 and keys.get(before) is not None and keys.get(before) == keys.get(after):
            begins[after] = False
    return None if begins.all() else _joined(rearranged(trace, np.arange(len(begins))), begins)


def _key(trace: FrameTrace, draw: int) -> Hashable | None:
    """What draws in one call have in common; None of a draw that stays alone."""
    table = trace["draws"]
    fetches, textures = trace["vertex_fetches"], trace["texture_bindings"]
    rows, bound = _range(table, "fetch", draw), _range(table, "texture", draw)
    mode = int(table["mode"][draw])
    is_alone = (
        table["instance_count"][draw] > 1 or table["query_active"][draw] or int(table["flags"][draw]) & _APART
        or (mode not in _LISTS and mode not in _STRIPS) or trace["passes"]["num_colors"][table["pass"][draw]] > 1
        or fetches["divisor"][rows].any() or len(set(fetches["stride"][rows].tolist())) > 1
        or (_stages(trace, draw) != _VERTEX).any()
    )  # fmt: skip
    if is_alone:
        return None
    address = fetches["address"][rows].astype(np.int64)
    state = tuple(column[draw].tobytes() for name, column in table.items() if name not in _OWN)
    flags = int(table["flags"][draw]) & ~DrawFlags.RELOADED
    layout = tuple(fetches[name][rows].tobytes() for name in ("stride", "bytes", "location"))
    offsets = (address - address.min(initial=0 if not len(address) else address[0])).tobytes()
    binds = tuple(column[bound].tobytes() for column in textures.values())
    return state, flags, layout, offsets, binds, _constants(trace, draw)


def _range(table: Any, name: str, draw: int) -> slice:
    first = int(table[f"{name}_first"][draw])
    return slice(first, first + int(table[f"{name}_count"][draw]))


def _stages(trace: FrameTrace, draw: int) -> Array:
    """Stages of what is invoked by vertex or, of a geometry shader, by primitive."""
    path = trace["vertices"]["path"][_range(trace["draws"], "vertex", draw)]
    stages: Array = trace["programs"]["stage"][trace["paths"]["program"][path]]
    return stages


def _constants(trace: FrameTrace, draw: int) -> bytes:
    """Uniforms of the fragment shader."""
    first = int(trace["draws"]["constant_first"][draw, _FRAGMENT])
    return trace["constants"]["word"][first : first + int(trace["draws"]["constant_count"][draw, _FRAGMENT])].tobytes()


def _joined(trace: FrameTrace, begins: Array) -> FrameTrace:
    """Frame whose draws are parts of the draw before where they do not begin one; rows lie in the order of draws."""
    old, events = trace["draws"], trace["events"]
    kept = np.flatnonzero(begins)
    number = np.cumsum(begins) - 1
    draws = {name: column[kept].copy() for name, column in old.items()}
    for name in _ROWS:
        draws[f"{name}_count"] = np.add.reduceat(old[f"{name}_count"], kept).astype(old[f"{name}_count"].dtype)
    draws["flags"] = np.bitwise_or.reduceat(old["flags"], kept)
    tables: dict[str, dict[str, Array]] = {"draws": draws}
    for name in ("primitives", "emitted"):
        tables[name] = {**trace[name], "draw": number[trace[name]["draw"]].astype(SCHEMA[name]["draw"].dtype)}
    stays = (events["draw"] < 0) | begins[events["draw"]]
    tables["events"] = {name: column[stays].copy() for name, column in events.items()}
    has = tables["events"]["draw"] >= 0
    tables["events"]["draw"][has] = number[tables["events"]["draw"][has]]
    tables["passes"] = dict(trace["passes"])
    for name, those in (("draw", begins), ("event", stays)):
        _renumber(tables["passes"], name, np.concatenate([[0], np.cumsum(those)]))
    _pack(trace, draws, np.append(kept, len(begins)), tables)
    return changed(trace, tables)


def _renumber(passes: dict[str, Array], name: str, before: Array) -> None:
    """Set the ranges of passes; ``before`` has the rows that stay before each."""
    first, count = (passes[f"{name}_{what}"].astype(np.int64) for what in ("first", "count"))
    passes[f"{name}_first"] = before[first].astype(passes[f"{name}_first"].dtype)
    passes[f"{name}_count"] = (before[first + count] - before[first]).astype(passes[f"{name}_count"].dtype)


def _pack(trace: FrameTrace, draws: dict[str, Array], parts: Array, tables: dict[str, dict[str, Array]]) -> None:
    """Put vertices of other buffers behind each other, and indices between strips, with the bytes that they need."""
    old, vertices = trace["draws"], {name: column.copy() for name, column in trace["vertices"].items()}
    fetches = {name: column.copy() for name, column in trace["vertex_fetches"].items()}
    ends = [_page(fetches["address"] + fetches["stride"].astype(np.uint64) * (1 + vertices["index"].max(initial=0)))]
    index_end = _page(vertices["index_address"])
    added: list[dict[str, Array]] = []
    for k in np.flatnonzero(np.diff(parts) > 1).tolist():
        own = range(int(parts[k]), int(parts[k + 1]))
        rows = [_range(old, "fetch", draw) for draw in own]
        if any((fetches["address"][each] != fetches["address"][rows[0]]).any() for each in rows):
            table = {name: column[rows[0]].copy() for name, column in fetches.items()}
            base, size = ends[-1], int(table["stride"].max(initial=0))
            table["address"] = base + table["address"] - table["address"].min(initial=table["address"][0])
            draws["fetch_first"][k] = len(fetches["address"]) + sum(len(one["address"]) for one in added)
            added.append(table)
            placed = 0
            for draw in own:
                index = vertices["index"][_range(old, "vertex", draw)]
                if len(index):
                    index[:] = index - index.min() + np.uint32(placed)
                    placed = int(index.max()) + 1
            ends.append(_page(np.array([base + size * placed])))
        is_strip, size = draws["mode"][k] in _STRIPS, int(draws["index_bytes"][k])
        largest = int(vertices["index"][_range(draws, "vertex", k)].max(initial=0))
        needs_others = largest >> 8 * size > 0 if size else is_strip
        if needs_others:
            size = 2 if largest < _RESTART else 4
            draws["index_bytes"][k] = size
            counts = old["vertex_count"][own.start : own.stop].astype(np.int64)
            place = np.arange(counts.sum()) + is_strip * np.repeat(np.arange(len(counts)), counts)
            vertices["index_address"][_range(draws, "vertex", k)] = index_end + size * place
            index_end = _page(index_end + size * (place[-1:] + 1))
    tables["vertices"] = vertices
    tables["vertex_fetches"] = {
        name: np.concatenate([column, *(one[name] for one in added)]) for name, column in fetches.items()
    }


def _page(addresses: Array) -> int:
    """First page behind all addresses."""
    return (int(addresses.max(initial=0)) // _PAGE + 1) * _PAGE
