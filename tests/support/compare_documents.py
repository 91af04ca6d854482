"""Results made by hand, for comparisons: a few draws with a few figures."""

from __future__ import annotations

from typing import Any

#: Figures of a draw that costs something.
PLAIN = {
    "cycles.geometry": 100,
    "cycles.raster_units": 800,
    "fragments.shaded": 1000,
    "fragments.rasterized": 1000,
    "fs.alu_instructions": 10_000,
    "vertices.in": 4,
    "primitives.in": 2,
    "dram.read_bytes.texture": 640,
}


def draw(name: str, *, program: str = "p0", mesh: str = "m0", texture: str = "", **figures: float) -> dict[str, Any]:
    """A draw; ``name`` is empty where the program gave none. Dots of counters are written as double underscores."""
    numbers = {**PLAIN, **{key.replace("__", "."): value for key, value in figures.items()}}
    return {"object": name, "program": program, "mesh": mesh, "texture": texture, "numbers": numbers}


def frame(number: int, *draws: dict[str, Any], role: str = "measured") -> dict[str, Any]:
    """A frame whose figures are the sums of its draws."""
    keys = list(dict.fromkeys(key for each in draws for key in each["numbers"]))
    columns: dict[str, list[Any]] = {key: [each["numbers"].get(key, 0) for each in draws] for key in keys}
    count = len(draws)
    columns |= {
        "pass": [0] * count,
        "draw": list(range(count)),
        "call": [100 + k for k in range(count)],
        "shared": [""] * count,
        "object": [each["object"] or f"program {k}, 4 vertices from 0" for k, each in enumerate(draws)],
        "rule": ["debug_group" if each["object"] else "bindings" for each in draws],
        "program": [each["program"] for each in draws],
        "program_id": [k + number for k in range(count)],
        "mesh": [each["mesh"] for each in draws],
        "textures": [[f"texture {k + 7} {each['texture']}"] if each["texture"] else [] for k, each in enumerate(draws)],
        "framebuffer": ["default"] * count,
    }
    # A row of shared work, which belongs to no draw.
    for key, values in columns.items():
        values.append({"textures": [], "shared": "flush", "draw": -1}.get(key, 0 if key in keys else ""))
    sums = {key: sum(columns[key]) for key in keys}
    cycles = sums.get("cycles.geometry", 0) + sums.get("cycles.raster_units", 0) / 2
    counters = {key: value for key, value in sums.items() if not key.startswith("cycles.")} | {"draws": count}
    return {
        "frame": number, "role": role, "cycles": {"total": cycles}, "energy_pj": {"total": 1000.0 * cycles},
        "counters": counters, "attribution": {"raster_units": 2, "rows": count + 1, "columns": columns},
    }  # fmt: skip


def document(*frames: dict[str, Any], clock_mhz: float = 400.0, **config: Any) -> dict[str, Any]:
    """A result with one run."""
    values = {"name": "mali450-vro", "tech.clock_mhz": clock_mhz, **config}
    entry = {"label": "mali450-vro", "values": {key: {"value": value, "source": ""} for key, value in values.items()}}
    run = {"technique": "baseline", "memory": "paper", "config": entry, "frames": list(frames)}
    return {
        "schema": 2, "trace": {"name": "a.gltrace", "sha256": "", "width": 40, "height": 25}, "runs": [run],
        "partial": False,
    }  # fmt: skip
