"""``gpureplay run --frames representative``: a film from some of its frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from traceformat.errors import UsageError

if TYPE_CHECKING:
    from gpumodel.cli.run_options import RunOptions

__all__ = ["asks_for_representatives", "run_representative"]

#: Options that show frames, or need all of them.
_OF_FRAMES: Final = {
    "json_path": "--json", "csv_path": "--csv", "images": "--images", "graphs": "--graphs", "verify": "--verify",
    "timeline_path": "--timeline", "save_gputrace": "--save-gputrace",
    "trace_store": "--trace-store", "host_json": "--host-json",
    "attribution": "--attribution", "memories": "--memory",
}  # fmt: skip
_FIGURES: Final = (("cycles", 1e-6, "Mcycles"), ("energy_pj", 1e-9, "mJ"), ("dram_bytes", 1e-6, "DRAM MB"))
_RATIOS: Final = (("cycles_ratio", "cycles ratio"), ("energy_pj_ratio", "energy ratio"))


def asks_for_representatives(frames: str | None) -> bool:
    """Whether ``--frames`` names no range but frames that stand for all."""
    return frames is not None and frames.strip().startswith("representative")


def run_representative(options: RunOptions) -> int:
    """Estimate a film's totals and show them; gives the exit status."""
    for name, option in _OF_FRAMES.items():
        if getattr(options, name):
            raise UsageError(f"{option} goes with no representative frames", hint="gpureplay sweep keeps their figures")
    from gpumodel.config.load import setting_values
    from gpumodel.study.selection import FrameChoice

    try:
        count = FrameChoice.parse([options.frames or ""]).representatives
    except ValueError as error:
        raise UsageError(str(error)) from None
    assert count is not None
    from gpureplay.estimating import estimate
    from gpureplay.sweeping import ShownSweep
    from traceformat.cli.terminal import listing

    with ShownSweep() as shown:
        found = estimate(
            options.trace, options.configs, techniques=options.techniques, frames=count, warm_up=options.warm_up,
            set=setting_values(options.settings), observer=shown,
        )  # fmt: skip
    rows = []
    for row in found.table:
        figures = [_text(row[name] * scale, row[f"{name}_bound"] * scale) for name, scale, _ in _FIGURES]
        ratios = [_text(row[name], row[f"{name}_bound"]) for name, _ in _RATIOS]
        rows.append(
            [row["config"], row["technique"], f"{row['frames_modelled']} of {row['frames']}", *figures, *ratios]
        )
    headings = ["config", "technique", "frames", *(name for *_, name in _FIGURES), *(name for _, name in _RATIOS)]
    listing(rows, headings)
    return 0


def _text(value: float, bound: float) -> str:
    return f"{value:,.4g} ±{100 * bound / abs(value) if value else 0:.1f}%"
