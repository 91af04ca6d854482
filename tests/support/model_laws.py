"""Laws that every modelled frame keeps, whatever it shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpumodel.machine import MachineFrame, PassRun
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["check_conservation"]


def check_conservation(frame: MachineFrame, trace: FrameTrace) -> None:
    """DESIGN §8's laws, and that a unit's cycles are all accounted for."""
    c = frame.counters
    assert c["fragments.rasterized"] == c["fragments.early_z_killed"] + c["fragments.shaded"]
    assert c["fragments.shaded"] == c["fragments.discarded"] + c["fragments.late_z_killed"] + c["fragments.written"]
    assert c["quads.rasterized"] == c["quads.early_z_killed"] + c["quads.blended"] == trace["quads"].num_rows
    assert c["fs.quads"] == c["quads.blended"]
    assert c["fragments.rasterized"] == sum(int(m).bit_count() for m in trace["quads"]["coverage"])
    for cache in ("command", "vertex", "tile", "texture", "l2"):
        assert c[f"cache.{cache}.hits"] + c[f"cache.{cache}.misses"] == c[f"cache.{cache}.accesses"]
    level_one = sum(
        c[f"cache.{k}.primary_misses"] + c[f"cache.{k}.write_backs"]
        for k in ("command", "vertex", "tile", "texture", "instruction")
    )
    assert c["cache.l2.accesses"] == level_one
    tiles = sum(len(p.streams.tiles) for p in frame.passes)
    assert c["tiles.rendered"] == tiles == c["tiles.flushed"]
    assert c["primitives.in"] == trace["primitives"].num_rows
    assert c["primitives.binned"] == trace["emitted"].num_rows
    pixels = sum(p.streams.width * p.streams.height for p in frame.passes)
    assert c["dram.write_bytes.color"] == 4 * pixels
    total = frame.geometry_cycles + frame.raster_cycles
    for unit, states in frame.unit_cycles.items():
        assert sum(states.values()) == total, unit
    work = [_work(p) for p in frame.passes]
    counted = {name: sum(one[name] for one in work) for name in work[0]}
    assert {name: c[name] for name in counted} == counted
    # A look-up of code that misses is made again from there on: each line hits once.
    assert c["cache.instruction.hits"] == sum(_code_lines(p) for p in frame.passes)
    for cache in ("texture", "instruction"):
        filled = [states["busy"] for unit, states in frame.unit_cycles.items() if unit.startswith(f"{cache}_cache")]
        assert not filled or sum(filled) <= c[f"cache.{cache}.primary_misses"] <= sum(filled) + len(filled)
    assert c["cache.tile.accesses"] == c["cache.tile.writes"] + c["tile_fetch.requests"]
    for p in frame.passes:
        quads = p.retired[p.retired >= 0]
        assert sorted(quads) == sorted(np.flatnonzero(p.streams.early[: len(p.streams.quads)] & 15))


def _lines(address: Any, size: Any) -> Any:
    """Lines of 64 bytes that ranges of bytes lie in."""
    return (address + size - 1) // 64 - address // 64 + 1


def _ranges(first: Any, count: Any) -> Any:
    """Numbers from each first one on, so many of each, behind each other."""
    return np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())


def _attribute_lines(rows: Any) -> int:
    """Accesses for all attributes of list entries or binned primitives, of 48 bytes each."""
    address = np.repeat(rows["attribute_address"], rows["attributes"]) + 48 * _ranges(0, rows["attributes"])
    return int(_lines(address, 48).sum())


def _code_lines(p: PassRun) -> int:
    """Lines of code of shaded quads and vertices, where there are Instruction Caches."""
    s = p.streams
    if p.tables.config.caches.instruction is None:
        return 0
    lines = np.append(0, np.cumsum(p.tables.segments["line_count"], dtype=np.int64))
    quads = s.quads[: s.quad_rows[1] - s.quad_rows[0]]
    shaded = quads[(s.early[: len(quads)] & 15) != 0]
    vertices = s.vertices[: s.rows[1] - s.rows[0]]
    code = int(vertices["code_count"][vertices["shaded"] != 0].sum()) if p.tables.config.vertex.instruction_cache else 0
    if p.tables.config.fragment.instruction_caches == 0:
        return code
    return int((lines[shaded["segment_end"]] - lines[shaded["segment"]]).sum()) + code


def _work(p: PassRun) -> dict[str, int]:
    """What a pass has to do, whenever it does it: from its streams, and from what passed Early-Z and was written."""
    s, tables = p.streams, p.tables
    num_quads = s.quad_rows[1] - s.quad_rows[0]
    num_pairs = int(s.tiles["pair_count"].sum())
    quads, pairs = s.quads[:num_quads], s.pairs[:num_pairs]
    draws, alive = tables.draws[slice(*s.draw_range)], s.early[:num_quads] & 15
    binned = s.emitted[: s.part.emitted[1] - s.part.emitted[0]]
    binned = binned[s.bin_count[: len(binned)] > 0]
    shaded = np.flatnonzero(alive)
    cycles = np.append(0, np.cumsum(tables.segments["cycles"], dtype=np.int64))
    textures = (quads["segment_end"] - quads["segment"])[shaded].astype(np.int64) - 1
    ops = _ranges(quads["op"][shaded], textures)
    mask, rows = np.repeat(alive[shaded], textures), tables.ops[ops]
    line_count = rows["line_count"].astype(np.int64)
    lanes = tables.lanes[_ranges(rows["line_first"], line_count)] & np.repeat(mask, line_count)
    written = s.written[:num_quads] != 0
    attributes = np.zeros(len(quads), np.int64)
    for pair in pairs[pairs["quad_count"] > 0]:
        attributes[pair["quad_first"] : pair["quad_first"] + pair["quad_count"]] = pair["attributes"]
    return {
        "cache.command.accesses": int((-(-draws["command_bytes"] // 64)).sum()),
        "cache.vertex.accesses": int(s.vertices["line_count"].sum()),
        "vertices.shaded": int(s.vertices["shaded"][: s.rows[1] - s.rows[0]].sum()),
        "primitives.culled": int(
            (s.primitives["emitted_count"][: s.part.primitives[1] - s.part.primitives[0]] == 0).sum()
        ),
        "binning.pointer_writes": int(binned["bin_count"].sum()),
        "binning.attribute_writes": _attribute_lines(binned),
        "binning.attributes": int(binned["attributes"].sum()),
        "cache.tile.writes": int(binned["bin_count"].sum()) + _attribute_lines(binned),
        "tile_fetch.requests": num_pairs + int((pairs["link_line"] >= 0).sum()) + _attribute_lines(pairs),
        "tile_fetch.primitives": num_pairs,
        "tile_fetch.attributes": int(pairs["attributes"].sum()),
        "primitive_tile_pairs": num_pairs,
        "attributes.interpolated": int(attributes.sum()),
        "fs.issue_cycles": int((cycles[quads["segment_end"]] - cycles[quads["segment"]])[shaded].sum()),
        "fs.texture_quads": len(ops),
        "texels": int((rows["texels"] * (mask[:, None] >> np.arange(4) & 1)).sum()),
        "cache.texture.accesses": int((lanes != 0).sum()),
        "color_buffer.writes": int(written.sum()),
        "color_buffer.reads": int((written & (tables.draws["blend"][quads["draw"]] != 0)).sum()),
        "quads.early_z_killed": int((alive == 0).sum()),
        "fragments.shaded": int(sum(int(a).bit_count() for a in alive)),
    }
