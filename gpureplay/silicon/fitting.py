"""Parameters of a configuration from microbenchmarks, one after the other, each with its interval.

The misfit of a value is the largest deviation of the model's observations from the device's, as logarithms. The
interval holds all values whose misfit is not worse than the best one's by more than what the samples scatter, or
:data:`TOLERANCE`. A parameter is identified where its interval is narrow; else the answer is the interval alone, and
the configuration keeps its value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final, Protocol

from gpumodel.config.change import changed
from gpumodel.config.schema import GpuConfig
from gpureplay.silicon.mapping import VendorMapping
from gpureplay.silicon.modelled import Modelled, capture_programs, model_programs, our_benchmarks
from gpureplay.silicon.parameters import NOT_IDENTIFIABLE, PARAMETERS, TIME, Observation, Parameter
from gpureplay.silicon.validation import clock_of, nanoseconds
from traceformat.errors import ConfigError

__all__ = ["Bench", "Fit", "Fitted", "Observed", "fit", "fit_document", "held_out_errors", "observed_of"]

#: Misfits that differ by less are the same.
TOLERANCE: Final = 0.01
#: An identified parameter's interval reaches this far at most, as a share of the value.
NARROW: Final = 0.05
#: A best value that misses the observations by more does not describe the device.
POOR: Final = 0.05
_ROUNDS: Final = 2


class Bench(Protocol):
    """Runs benchmarks on configurations."""

    def run(self, names: Sequence[str], gpus: Sequence[GpuConfig]) -> Mapping[str, Sequence[Modelled]]:
        """Give each benchmark's outcome on each configuration."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A device's observation: its value and how far its samples scatter, as a share."""

    value: float
    scatter: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is known of a parameter.

    Parameters
    ----------
    value : the best one; None where nothing was observed
    low, high : the interval
    is_identified : the interval is narrow and the fit is good
    misfit : of the best value, as a logarithm
    benchmarks : that were observed
    remark : why it is not identified, and what would be needed
    """

    key: str
    before: float
    value: float | None
    low: float
    high: float
    is_identified: bool
    misfit: float
    benchmarks: tuple[str, ...]
    remark: str


@dataclass(frozen=True, slots=True)
class Fit:
    """A configuration with what was identified, and all that was tried."""

    config: GpuConfig
    parameters: tuple[Fitted, ...]
    benchmarks: frozenset[str]


def observed_of(document: Mapping[str, Any], one: Observation, mapping: VendorMapping | None) -> Observed | None:
    """An observation in results; None where they do not have it."""
    names = [name for name in (one.benchmark, one.less) if name]
    found = [_quantity(document["benchmarks"].get(name), one.quantity, mapping) for name in names]
    if any(each is None for each in found):
        return None
    values = [each for each in found if each is not None]
    value = values[0][0] - (values[1][0] if len(values) > 1 else 0.0)
    return Observed(value, sum(width for _, width in values) / abs(value)) if value else None


def _quantity(
    sample: Mapping[str, Any] | None, quantity: str, mapping: VendorMapping | None
) -> tuple[float, float] | None:
    if sample is None:
        return None
    if quantity == TIME:
        return nanoseconds(sample)
    for common in mapping.common if mapping else ():
        if common.ours == (quantity,):
            value = common.of_device({key: median(of) for key, of in sample["counters"].items() if of})
            if value is not None:
                return value, 0.0
    return None


def _of_model(outcomes: Mapping[str, Sequence[Modelled]], one: Observation, place: int, clock_mhz: float) -> float:
    def quantity(name: str) -> float:
        done = outcomes[name][place]
        return 1e3 * done.cycles / clock_mhz if one.quantity == TIME else float(done.counters[one.quantity])

    return quantity(one.benchmark) - (quantity(one.less) if one.less else 0.0)


def fit(
    document: Mapping[str, Any],
    mapping: VendorMapping | None,
    base: GpuConfig,
    bench: Bench,
    parameters: Iterable[Parameter] = PARAMETERS,
) -> Fit:
    """Fit a configuration to results.

    Parameters
    ----------
    document : of the kit
    mapping : of the device's counters
    base : what is not identified stays as it is here
    bench : runs benchmarks through the model
    """
    config, done = base, []
    clock = clock_of(document, mapping)
    if clock is not None:
        config = changed(config, {"tech.clock_mhz": round(clock[0], 3)})
    done.append(_clock_fitted(base, clock))
    todo = list(parameters)
    found: dict[str, Fitted] = {}
    for _ in range(_ROUNDS):
        for one in todo:
            fitted = _fit_one(document, mapping, base, config, one, bench)
            found[one.key] = fitted
            if fitted.is_identified and fitted.value is not None:
                config = changed(config, {one.key: int(fitted.value)})
        # What another parameter hid may be seen now.
        todo = [one for one in todo if not found[one.key].is_identified]
    used = {name for one in found.values() if one.is_identified for name in one.benchmarks}
    values = _flat(base)
    together = [
        Fitted(key, float(values[key]), None, float(values[key]), float(values[key]), False, math.nan, (), why)
        for key, why in NOT_IDENTIFIABLE.items()
    ]
    return Fit(config, (*done, *found.values(), *together), frozenset(used))


def _clock_fitted(base: GpuConfig, clock: tuple[float, float] | None) -> Fitted:
    before = base.tech.clock_mhz
    if clock is None:
        why = "no counter of cycles: only times in cycles of the configuration's clock can be compared"
        return Fitted("tech.clock_mhz", before, None, before, before, False, math.nan, (), why)
    value, scatter = clock
    is_sure = scatter <= NARROW
    return Fitted(
        "tech.clock_mhz", before, value, value * (1 - scatter), value * (1 + scatter), is_sure, 0.0, (),
        "" if is_sure else "the clock changed during the run: fix the governor",
    )  # fmt: skip


def _flat(config: GpuConfig) -> Mapping[str, Any]:
    from gpumodel.config.origin import flatten

    return flatten(config.model_dump(mode="json"))


def _fit_one(
    document: Mapping[str, Any], mapping: VendorMapping | None, base: GpuConfig, config: GpuConfig, one: Parameter,
    bench: Bench,
) -> Fitted:  # fmt: skip
    """Fit one parameter with the others as they are."""
    before = float(_flat(base)[one.key])
    wanted = [(each, seen) for each in one.observations if (seen := observed_of(document, each, mapping)) is not None]
    if not wanted:
        why = f"not observed; needed: {one.needed}"
        return Fitted(one.key, before, None, one.values[0], one.values[-1], False, math.nan, (), why)
    names = tuple(dict.fromkeys(name for each, _ in wanted for name in (each.benchmark, each.less) if name))
    misfits: dict[int, float] = {}

    def look(values: Iterable[int]) -> None:
        fresh = [value for value in values if value not in misfits]
        fitting = {value: gpu for value in fresh if (gpu := _with(config, one.key, value)) is not None}
        outcomes = bench.run(names, list(fitting.values())) if fitting else {}
        for place, (value, gpu) in enumerate(fitting.items()):
            misfits[value] = max(
                _misfit(_of_model(outcomes, each, place, gpu.tech.clock_mhz), seen.value) for each, seen in wanted
            )

    look(one.values)
    for _ in range(3 if one.is_fine else 0):
        look(_between(sorted(misfits), min(misfits, key=lambda value: misfits[value])))
    best = min(misfits, key=lambda value: (misfits[value], value))
    limit = misfits[best] + max(TOLERANCE, max(seen.scatter for _, seen in wanted))
    near = [value for value, misfit in misfits.items() if misfit <= limit]
    low, high = min(near), max(near)
    is_narrow = high - best <= NARROW * best and best - low <= NARROW * best
    remark = ""
    if misfits[best] > POOR:
        remark = f"no value describes what was observed; needed: {one.needed}"
    elif not is_narrow:
        remark = f"not identifiable, {low} to {high} observe alike; needed: {one.needed}"
    return Fitted(one.key, before, best, low, high, not remark, misfits[best], names, remark)


def _with(config: GpuConfig, key: str, value: int) -> GpuConfig | None:
    """The configuration with a value, None where the rest of it does not allow that."""
    try:
        return changed(config, {key: value})
    except ConfigError:
        return None


def _misfit(ours: float, theirs: float) -> float:
    return abs(math.log(ours / theirs)) if ours > 0 and theirs > 0 else math.inf


def _between(values: Sequence[int], best: int) -> list[int]:
    """Whole numbers around the best one, up to its neighbours, in equal ratios."""
    place = values.index(best)
    low, high = values[max(place - 1, 0)], values[min(place + 1, len(values) - 1)]
    ratio = (high / low) ** (1 / 8)
    return sorted({round(low * ratio**k) for k in range(9)})


def fit_document(found: Fit, held_out: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """What a fit found, as JSON: parameters with intervals, settings of those identified, error on what was held out.

    Parameters
    ----------
    held_out : benchmark: deviation of its time before and after the fit
    """

    def number(value: float | None) -> float | None:
        return None if value is None or not math.isfinite(value) else value

    return {
        "parameters": [
            {
                "key": one.key, "before": one.before, "value": number(one.value), "low": number(one.low),
                "high": number(one.high), "identified": one.is_identified, "misfit": number(one.misfit),
                "benchmarks": list(one.benchmarks), "remark": one.remark,
            }
            for one in found.parameters
        ],
        "settings": {one.key: one.value for one in found.parameters if one.is_identified},
        "held_out": {name: {"before": before, "after": after} for name, (before, after) in held_out.items()},
    }  # fmt: skip


def held_out_errors(
    document: Mapping[str, Any], base: GpuConfig, found: Fit, threads: int = 1
) -> dict[str, tuple[float, float]]:
    """Deviations of times, without signs, before and after a fit, of benchmarks that nothing was fitted to."""
    names = [name for name in our_benchmarks(document) if name not in found.benchmarks]
    times = {name: time[0] for name in names if (time := nanoseconds(document["benchmarks"][name])) is not None}
    if not times:
        return {}
    with TemporaryDirectory() as folder:
        trace = Path(folder) / "kit.gltrace"
        capture_programs(list(times), trace)
        gpus = (base, found.config)
        return {
            name: (errors[0], errors[1])
            for name, outcomes in model_programs(list(times), trace, gpus, threads)
            for errors in [
                [
                    abs(1e3 * one.cycles / gpu.tech.clock_mhz / times[name] - 1)
                    for one, gpu in zip(outcomes, gpus, strict=True)
                ]
            ]
        }
