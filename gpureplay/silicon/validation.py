"""Results of a device next to the model: counters with a common meaning, and times apart from them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from gpureplay.silicon.mapping import Common, VendorMapping
from gpureplay.silicon.modelled import Modelled
from gpureplay.silicon.statistics import rank_correlation, relative_error, slope, spread
from samples.silicon.results import suspicions

__all__ = ["Compared", "CounterRow", "TimeRow", "Validation", "clock_of", "csv_text", "nanoseconds", "validate"]


@dataclass(frozen=True, slots=True)
class Compared:
    """A counter of a benchmark: the device's and ours."""

    benchmark: str
    theirs: float
    ours: float

    @property
    def error(self) -> float:
        """Deviation of ours."""
        return relative_error(self.ours, self.theirs)


@dataclass(frozen=True, slots=True)
class CounterRow:
    """A counter over all benchmarks that have it."""

    common: Common
    values: tuple[Compared, ...]

    @property
    def num_equal(self) -> int:
        """Benchmarks in which both agree."""
        return sum(one.error == 0 for one in self.values)

    @property
    def median_error(self) -> float:
        """Median of the deviations, without their signs."""
        return median(abs(one.error) for one in self.values)

    @property
    def correlation(self) -> float | None:
        """Rank correlation."""
        return rank_correlation([one.ours for one in self.values], [one.theirs for one in self.values])

    @property
    def findings(self) -> list[Compared]:
        """Benchmarks in which a functional count differs by more than it may."""
        if self.common.relation != "exact":
            return []
        return [one for one in self.values if abs(one.error) > self.common.limit]


@dataclass(frozen=True, slots=True)
class TimeRow:
    """Time of a benchmark: the device's median and half its middle range, and ours, nanoseconds."""

    benchmark: str
    theirs_ns: float
    spread_ns: float
    ours_ns: float

    @property
    def ratio(self) -> float:
        """Ours over theirs."""
        return self.ours_ns / self.theirs_ns


@dataclass(slots=True)
class Validation:
    """What came out.

    Parameters
    ----------
    document : the results
    preset : name of the configuration
    vendor : whose counters were understood, empty for none
    clock_scale : factor that brings the model's clock to the device's, 1 where the device's is not known
    """

    document: Mapping[str, Any]
    preset: str
    vendor: str
    clock_scale: float
    counters: list[CounterRow] = field(default_factory=list)
    times: list[TimeRow] = field(default_factory=list)
    not_captured: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    @property
    def findings(self) -> list[str]:
        """Functional counts that differ, a line each."""
        return [
            f"{row.common.label}: {one.benchmark} has {one.theirs:,.0f}, ours {one.ours:,.0f} ({one.error:+.2%})"
            for row in self.counters
            for one in row.findings
        ]

    @property
    def time_correlation(self) -> float | None:
        """Rank correlation of the times."""
        return rank_correlation([one.ours_ns for one in self.times], [one.theirs_ns for one in self.times])

    @property
    def time_slope(self) -> float | None:
        """How ours grows with theirs, of logarithms."""
        return slope([one.ours_ns for one in self.times], [one.theirs_ns for one in self.times])

    @property
    def time_error(self) -> float | None:
        """Median deviation of the times, without its sign."""
        return median(abs(one.ratio - 1) for one in self.times) if self.times else None


def nanoseconds(sample: Mapping[str, Any]) -> tuple[float, float] | None:
    """A benchmark's time and its spread, of one drawing; the host's where the device has no timer; None for none."""
    values = [one for one in (sample["times_ns"] or sample["host_ns"]) if one > 0]
    if not values:
        return None
    middle, width = spread(values)
    return middle / sample["loops"], width / sample["loops"]


def validate(
    document: Mapping[str, Any],
    ours: Mapping[str, Modelled],
    preset: str,
    clock_mhz: float,
    mapping: VendorMapping | None,
) -> Validation:
    """Hold results against the model.

    Parameters
    ----------
    document : as the kit wrote it
    ours : its benchmarks on the configuration
    preset, clock_mhz : of the configuration
    mapping : of the device's counters; None for a device that is not known
    """
    samples = document["benchmarks"]
    scale = 1.0
    if (clock := clock_of(document, mapping)) is not None:
        scale = clock_mhz / clock[0]
    out = Validation(document, preset, mapping.vendor if mapping else "", scale, doubts=suspicions(document))
    out.not_captured = sorted(set(samples) - set(ours))
    for common in mapping.common if mapping else ():
        values = []
        for name, one in ours.items():
            means = {key: median(of) for key, of in samples[name]["counters"].items() if of}
            theirs = common.of_device(means)
            if theirs is not None:
                values.append(Compared(name, theirs, float(sum(one.counters[key] for key in common.ours))))
        if values:
            out.counters.append(CounterRow(common, tuple(values)))
    for name, one in ours.items():
        if (time := nanoseconds(samples[name])) is not None:
            out.times.append(TimeRow(name, *time, 1e3 * one.cycles / clock_mhz * scale))
    return out


def clock_of(document: Mapping[str, Any], mapping: VendorMapping | None) -> tuple[float, float] | None:
    """The device's clock in MHz by its counter of cycles, and its scatter as a share; None without one."""
    found = []
    for sample in document["benchmarks"].values():
        cycles = mapping.cycles({key: median(of) for key, of in sample["counters"].items() if of}) if mapping else None
        time = nanoseconds(sample)
        if cycles and time:
            found.append(1e3 * cycles / time[0])
    if not found:
        return None
    middle, width = spread(found)
    return middle, width / middle


def csv_text(validation: Validation) -> str:
    """A line a counter and benchmark, and one a time."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["benchmark", "theirs", "ours", "relation", "value of theirs", "value of ours"])
    for row in validation.counters:
        names = [row.common.label, " + ".join(row.common.ours), row.common.relation]
        writer.writerows([one.benchmark, *names, f"{one.theirs:.10g}", f"{one.ours:.10g}"] for one in row.values)
    for one in validation.times:
        writer.writerow([one.benchmark, "time, ns", "time, ns", "time", f"{one.theirs_ns:.6g}", f"{one.ours_ns:.6g}"])
    return out.getvalue()
