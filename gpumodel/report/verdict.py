"""What bounds a frame, said in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.results import FrameResult, dram_bytes

__all__ = ["Utilization", "utilization", "verdict"]

Utilization = dict[str, float]

_LABELS: Final = {
    "dram": "memory bandwidth",
    "l2": "the L2 cache",
    "flush": "the tile flush",
    "blend": "blending",
    "fragment_processor": "the fragment processors",
    "early_z": "Early-Z",
    "rasterizer": "the rasterizer",
    "tile_fetcher": "the tile fetcher",
    "polygon_list_builder": "the polygon list builder",
    "primitive_assembly": "primitive assembly",
    "vertex_processor": "the vertex processor",
    "vertex_fetcher": "the vertex fetcher",
    "command_processor": "the command processor",
}
_TRAFFIC: Final = {
    "vertex": "vertices",
    "texture": "textures",
    "parameter": "the Parameter Buffer",
    "color": "colours",
    "other": "commands, depth and copies",
    "graph": "the Visibility Graph",
}
#: What a wait of a unit means, by unit and state.
_WAITS: Final = {
    ("tile_fetcher", "data"): "the tile fetcher waits for the Parameter Buffer",
    ("tile_fetcher", "dependency"): "the next tile waits for the one in work",
    ("vertex_fetcher", "data"): "the vertex fetcher waits for vertices",
    ("vertex_processor", "data"): "the vertex processor waits for vertices",
    ("fragment_processor", "data"): "the fragment processors wait for textures",
}
#: A unit busy for less than this share does not bound the frame by itself.
_BOUND: Final = 0.6


def utilization(result: FrameResult) -> Utilization:
    """Share of the frame's cycles in which each kind of unit is busy (the mean of several of a kind)."""
    shares: dict[str, list[float]] = {}
    for unit, states in result.stalls.items():
        total = sum(states.values())
        shares.setdefault(unit.partition(".")[0], []).append(states["busy"] / total if total else 0.0)
    return {unit: sum(values) / len(values) for unit, values in shares.items()}


def _label(unit: str) -> str:
    """Name of a kind of unit in a sentence; a technique's own unit is called what it is called."""
    return _LABELS.get(unit) or f"the {unit.replace('_', ' ')}"


def _dominant(values: Mapping[str, float]) -> str:
    return max(values, key=lambda name: values[name])


def verdict(result: FrameResult) -> str:
    """One sentence: which unit bounds the frames, how busy it is, and what it is busy with."""
    if result.cycles == 0:
        return "Nothing was rendered."
    shares = utilization(result)
    first = _dominant(shares)
    rest = {unit: share for unit, share in shares.items() if unit != first}
    second = _dominant(rest)
    subject = _label(first)
    subject = subject[0].upper() + subject[1:]
    behind = f"next is {_label(second)} with {shares[second]:.0%}"
    if shares[first] >= _BOUND:
        about = ""
        if first == "dram":
            traffic = dram_bytes(result.counters)
            total = sum(traffic.values())
            client = _dominant(traffic)
            about = f", {traffic[client] / total:.0%} of it for {_TRAFFIC[client]}" if total else ""
        bounds = "bounds" if first != "fragment_processor" else "bound"
        return f"{subject} {bounds} the frame: busy in {shares[first]:.0%} of the cycles{about}; {behind}."
    waiting = _waits(result)
    return (
        f"Latency bounds the frame: no unit is busy all the time ({_label(first)} {shares[first]:.0%}, "
        f"{_label(second)} {shares[second]:.0%}){waiting}."
    )


def _waits(result: FrameResult) -> str:
    """The longest wait of a unit that feeds others."""
    longest, where = 0.0, ""
    for (unit, reason), text in _WAITS.items():
        units = [states for name, states in result.stalls.items() if name.partition(".")[0] == unit]
        share = sum(states[reason] for states in units) / (len(units) * result.cycles)
        if share > longest:
            longest, where = share, f"; {text} in {share:.0%}"
    return where
