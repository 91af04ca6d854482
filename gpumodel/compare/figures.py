"""The figures of one run, as comparisons and budgets read them: frames, their draws, and what they were made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.compare.pictures import Picture
from traceformat.errors import UsageError

__all__ = ["COSTS", "Draws", "Frame", "Side", "side_of"]

#: Figures that both frames and draws have beside counters: cycles, energy, memory traffic.
COSTS: Final = ("cycles", "energy_pj", "dram_bytes")
#: Columns of attribution that say who a row is.
_NAMES: Final = (
    "pass", "draw", "call", "shared", "object", "rule", "program", "program_id", "mesh", "textures", "framebuffer",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Draws:
    """The draws of a frame, D of them, in order.

    Parameters
    ----------
    name : path of debug groups, or label; "" where the program gave none
    text : what people can tell it by
    program, mesh : fingerprints, the same from frame to frame and build to build
    textures : size and format of what is bound; no names, which drivers choose
    numbers : (D,) float64 by name: COSTS and counters
    """

    name: Sequence[str]
    text: Sequence[str]
    program: Sequence[str]
    mesh: Sequence[str]
    textures: Sequence[str]
    numbers: Mapping[str, NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.name)

    def number(self, name: str) -> NDArray[np.float64]:
        """Column, (D,); 0 where nothing was counted."""
        return self.numbers.get(name, np.zeros(len(self)))


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame.

    Parameters
    ----------
    number : of the frame
    totals : COSTS and counters
    draws : None where the result has no attribution
    shared : cycles by name of what draws share, such as ``load of framebuffer 1``
    picture : None where the result comes without
    """

    number: int
    totals: Mapping[str, float]
    draws: Draws | None = None
    shared: Mapping[str, float] = field(default_factory=dict)
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One run.

    Parameters
    ----------
    label : what to call it
    trace : name, sha256, width, height
    run : technique, configuration and memory, for people
    config : its keys and values
    frames : the measured ones
    partial : the trace is damaged, and frames are missing
    clock_mhz : of the GPU, 0 where that is not known
    calls : of the whole trace, by function; None where the run comes without its trace
    """

    label: str
    trace: Mapping[str, Any]
    run: str
    config: Mapping[str, Any]
    frames: Sequence[Frame]
    partial: bool = False
    clock_mhz: float = 0.0
    calls: Mapping[str, int] | None = None

    @property
    def has_draws(self) -> bool:
        """Whether every frame says what its draws cost."""
        return all(frame.draws is not None for frame in self.frames)

    @property
    def num_pixels(self) -> int:
        """Pixels of the trace's frames, 0 where that is not known."""
        return int(self.trace.get("width", 0)) * int(self.trace.get("height", 0))


def side_of(
    document: Mapping[str, Any],
    run: int = 0,
    *,
    label: str = "",
    pictures: Mapping[int, Picture] | None = None,
    calls: Mapping[str, int] | None = None,
) -> Side:
    """Take a run out of a result.

    Parameters
    ----------
    document : of schema 2, as :func:`gpumodel.resultfile.read_result` gives it
    run : its place
    label : what to call it; the trace's name by default
    pictures : of the frames
    calls : of the trace, by function

    Raises
    ------
    UsageError : the result has other columns than it should
    """
    pictures = pictures or {}
    try:
        one = document["runs"][run]
        values = {key: entry["value"] for key, entry in one["config"]["values"].items()}
        frames = [_frame(each, pictures) for each in one["frames"] if each["role"] == "measured"]
        trace = document["trace"]
        name = f"{one['technique']}, {one['config']['label']}, {one['memory']} memory"
        partial = bool(document.get("partial", False))
        clock_mhz = float(values.get("tech.clock_mhz", 0))
        return Side(label or str(trace["name"]), trace, name, values, frames, partial, clock_mhz, calls)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise UsageError(f"{label or 'the result'}: not a whole result of gpureplay run: {error!r}") from None


def _frame(one: Mapping[str, Any], pictures: Mapping[int, Picture]) -> Frame:
    totals = {"cycles": float(one["cycles"]["total"]), "energy_pj": float(one["energy_pj"]["total"])}
    counters = {name: float(value) for name, value in one["counters"].items()}
    totals["dram_bytes"] = sum(value for name, value in counters.items() if _is_traffic(name))
    attribution = one.get("attribution")
    draws = None if attribution is None else _draws(attribution)
    shared = {} if attribution is None else _shared(attribution)
    return Frame(int(one["frame"]), {**totals, **counters}, draws, shared, pictures.get(int(one["frame"])))


def _cycles(attribution: Mapping[str, Any], rows: slice) -> NDArray[np.float64]:
    """GPU cycles of rows."""
    columns, units = attribution["columns"], max(int(attribution["raster_units"]), 1)
    geometry, raster = (np.array(columns[f"cycles.{name}"][rows], np.float64) if f"cycles.{name}" in columns else 0.0
                        for name in ("geometry", "raster_units"))  # fmt: skip
    return geometry + raster / units + np.zeros(len(columns["draw"][rows]))


def _shared(attribution: Mapping[str, Any]) -> dict[str, float]:
    columns = attribution["columns"]
    count = sum(number >= 0 for number in columns["draw"])
    target = dict(zip(columns["pass"][:count], columns["framebuffer"][:count], strict=True))
    out: dict[str, float] = {}
    kinds, passes = columns["shared"][count:], columns["pass"][count:]
    for kind, index, cycles in zip(kinds, passes, _cycles(attribution, slice(count, None)), strict=True):
        name = f"{kind} of {target[index]}" if index in target else str(kind)
        out[name] = out.get(name, 0.0) + float(cycles)
    return out


def _draws(attribution: Mapping[str, Any]) -> Draws:
    columns = attribution["columns"]
    count = sum(number >= 0 for number in columns["draw"])
    if list(columns["draw"][:count]) != list(range(count)):
        raise ValueError("draws come in no order")
    numbers = {name: np.array(values[:count], np.float64) for name, values in columns.items() if name not in _NAMES}
    if any(len(values) != count for values in numbers.values()):
        raise ValueError("columns of attribution differ in length")
    zero = np.zeros(count)
    numbers["cycles"] = _cycles(attribution, slice(count))
    numbers["energy_pj"] = sum((value for key, value in numbers.items() if key.startswith("energy_pj.")), zero)
    numbers["dram_bytes"] = sum((value for key, value in numbers.items() if _is_traffic(key)), zero)
    rows = range(count)
    is_named = [columns["rule"][k] != "bindings" for k in rows]
    textures = [", ".join(text.split(" ", 2)[2] for text in columns["textures"][k]) for k in rows]
    target = ["" if columns["framebuffer"][k] == "default" else " off screen" for k in rows]
    return Draws(
        name=[str(columns["object"][k]) if is_named[k] else "" for k in rows],
        text=[
            str(columns["object"][k])
            if is_named[k]
            else f"program {columns['program'][k]}, mesh {columns['mesh'][k]}{target[k]}"
            for k in rows
        ],
        program=[str(columns["program"][k]) for k in rows],
        mesh=[str(columns["mesh"][k]) for k in rows],
        textures=textures,
        numbers=numbers,
    )


def _is_traffic(name: str) -> bool:
    return name.startswith(("dram.read_bytes.", "dram.write_bytes."))
