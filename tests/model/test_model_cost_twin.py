"""Whose each cycle is, told anew behind every cycle from where quads, list entries and primitives are."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from test_model_oracle import random_scene
from test_model_watched import PIPELINED, SIMPLE, Watched

from gpumodel.streams import PassStreams
from gpumodel.units.costs import Shared
from gpumodel.units.events import BUSY, DATA, RESOURCE


def ring(values: Any, head: int, count: int, size: int = 0) -> list[int]:
    return [int(values[(head + k) % (size or len(values))]) for k in range(count)]


def quads_in(ru: Any) -> list[int]:
    """Quads between the Rasterizer and the end of Blending, the oldest first."""
    found = [
        *ring(ru["post"], ru["post_head"], ru["post_count"]), *ring(ru["color"], ru["color_head"], ru["color_count"]),
        *ring(ru["in_flight"], ru["in_flight_head"], ru["in_flight_count"]),
        *ring(ru["blending"], ru["blending_head"], ru["blending_count"]),
    ]  # fmt: skip
    for k in range(int(ru["num_queues"])):
        found += ring(ru["fragment"][k], ru["fragment_head"][k], ru["fragment_count"][k])
    for p in ru["processor"][: int(ru["num_processors"])]:
        found += ring(p["quad"], p["head"], p["count"], int(p["num_threads"]))
    return sorted(found)


def next_entry(s: Any, g: Any, ru: Any, p: PassStreams) -> int:
    """Oldest list entry that a Raster Unit has not rasterized, or that is fetched for it; -1 = none."""
    front = int(ru["front"])
    if front >= 0 and p.tiles[front]["pairs_left"]:
        return int(p.tiles[front]["pair_first"] + p.tiles[front]["pair_count"] - p.tiles[front]["pairs_left"])
    if ru["pair_count"]:
        return int(ru["pair"][ru["pair_head"]])
    fetched = ring(g["table_pair"], g["table_head"], g["table_count"], int(s["cfg"]["table_entries"]) or 1)
    if not s["cfg"]["fetches_ahead"] and 3 <= g["fetch_state"] <= 6:
        fetched = [int(g["fetch_pair"])]
    return next((e for e in fetched if p.tiles[p.pairs[e]["tile"]]["raster_unit"] == ru["number"]), -1)


def owner_of_unit(s: Any, g: Any, ru: Any, p: PassStreams) -> tuple[int, int]:
    """Rows of costs: whose the cycle of a Raster Unit is, and whose shading or textures alone hold it up (-1)."""
    quads, entry, shared = quads_in(ru), next_entry(s, g, ru, p), int(g["cost_shared"])
    loading, flushing = bool(ru["loading"]), bool(ru["flushing"]) or ru["flush_pending"] >= 0
    of_draws = int(g["cost_first"])
    if quads:
        own = of_draws + int(p.quads[quads[0]]["draw"])
        ends = int(ru["order"][ru["order_head"]])
        has_front = entry >= 0 and p.pairs[entry]["tile"] == ru["front"] and p.pairs[entry]["clear"] < 0
        # Half full is full.
        backed_up = ru["color_count"] >= ru["color_depth"] / 2
        if backed_up or not (has_front or p.tiles[ends]["unshaded"] > 0):
            needs_flush = ru["color_buffers"] == 1 or p.quads[quads[0]]["tile"] != ends
            owner, shades = own if not (flushing and needs_flush) else -1, False
            front = False
        else:
            filled = ru["queued"] >= ru["queue_depth"] * ru["num_queues"] / 2
            front = bool(has_front and not (filled or ru["post_count"] > ru["post_depth"] / 2))
            owner, shades = -1 if front else own, not front
    else:
        owner, shades, front = -1, False, True
    if owner < 0:
        if loading:
            owner = shared + Shared.LOAD
        elif front and entry >= 0:
            draw = int(p.pairs[entry]["draw"])
            owner = of_draws + draw if draw >= 0 else shared + Shared.CLEAR
        else:
            owner = shared + (Shared.FLUSH if flushing else Shared.WAIT)
    if shades:
        alone = s["unit_state"][ru["u_raster"]] != BUSY and s["dram"]["moves_other"] == 0
        return owner, owner if alone else -1
    states = s["unit_state"]
    waits = loading or states[ru["u_flush"]] == RESOURCE or states[g["u_fetch_tiles"]] == DATA
    return owner, int(s["dram"]["moves_for"]) if waits else -1


def owner_of_geometry(s: Any, g: Any, p: PassStreams) -> tuple[int, bool]:
    """Row whose the cycle of the geometry phase is, by what is farthest, and whether vertices alone hold it up."""
    fed = g["input_count"] >= g["input_depth"] / 2 or g["row"] == g["row_end"]
    let = g["output_count"] < g["output_depth"] / 2 and s["unit_state"][g["u_binner"]] != BUSY
    shades = fed and let and s["dram"]["moves_other"] == 0 and g["processor_busy"][: g["num_processors"]].any()
    if g["binning"] >= 0:
        draw = p.emitted[g["binning"]]["draw"]
    elif g["triangle_count"]:
        draw = p.emitted[g["triangle"][g["triangle_head"]]]["draw"]
    elif g["primitive"] < g["primitive_end"]:
        draw = p.primitives[g["primitive"]]["draw"]
    elif g["row"] < g["row_end"]:
        draw = p.vertices[g["row"]]["draw"]
    elif g["draws_ready"] < g["draw_end"]:
        draw = g["draws_ready"]
    else:
        return int(g["cost_shared"]) + Shared.WAIT, bool(shades)
    return int(g["cost_first"]) + int(draw), bool(shades)


@pytest.mark.parametrize(
    "settings", [SIMPLE, PIPELINED, (*PIPELINED, "raster.units=2", "fragment.instruction_caches=0")],
    ids=["simple", "pipelined", "units"],
)  # fmt: skip
def test_each_cycle_is_somebody_s(settings: tuple[str, ...]) -> None:
    counted: dict[str, Counter[int]] = {name: Counter() for name in ("geometry", "raster")}
    counted |= {f"{name}_shading": Counter() for name in ("geometry", "raster")}

    def look(s: Any, p: PassStreams) -> None:
        g = s["frame"][0]
        if g["phase"] == 0:
            owner, shades = owner_of_geometry(s, g, p)
            counted["geometry"][owner] += 1
            counted["geometry_shading"][owner] += shades
            return
        for ru in s["ru"][: int(s["cfg"]["raster_units"])]:
            owner, shader = owner_of_unit(s, g, ru, p)
            counted["raster"][owner] += 1
            counted["raster_shading"][shader] += shader >= 0

    machine = Watched(settings, look, attribution=True)
    scene = random_scene(12)
    for one in scene.passes:
        # Copies take place outside of the units.
        one["changes"]["transfer_read_bytes"] = 0
    frame = machine.run_frame(scene.trace())
    assert frame.costs is not None
    rows = frame.costs.rows
    for name, found in counted.items():
        assert {k: int(v) for k, v in enumerate(rows[f"{name}_cycles"]) if v} == {k: v for k, v in found.items() if v}
