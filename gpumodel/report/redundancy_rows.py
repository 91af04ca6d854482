"""What the terminal says of techniques against redundancy between frames: the quantities of RE's evaluation."""

from __future__ import annotations

from gpumodel.energy import area_mm2
from gpumodel.results import FrameResult, RunResult, total_of

__all__ = ["picture_pixels", "redundancy_rows"]

Row = tuple[str, str, str]
_COLOR_BYTES = 4


def picture_pixels(total: FrameResult) -> float:
    """Pixels of all pictures, those included that a technique has left as they were; at least 1."""
    c = total.counters
    written = (c["dram.write_bytes.color"] + c.get("te.saved_bytes", 0)) / _COLOR_BYTES
    return max(written + c.get("re.pixels_skipped", 0), 1)


def redundancy_rows(run: RunResult) -> list[Row]:
    """Rows of a run with ``re``, ``te``, ``pfr`` or ``memo``; none for others."""
    total, frames = total_of(run.measured), max(len(run.measured), 1)
    c = total.counters
    rows: list[Row] = []
    if "re.tiles_skipped" in c:
        rows += _elimination_rows(run, total, frames)
    if "te.flushes_skipped" in c:
        rows.append(
            (
                "tiles not written",
                f"{c['te.flushes_skipped'] / frames:,.0f} of {c['te.tiles_hashed'] / frames:,.0f} hashed",
                f"{c['te.saved_bytes'] / frames / 1e6:.2f} MB; {_collisions(c['te.false_positives'])}",
            )
        )
    if "memo.hits" in c:
        live = max(c["fragments.shaded"] + c["memo.hits"], 1)
        rows.append(
            (
                "colours from the table",
                f"{c['memo.hits'] / frames:,.0f} fragments",
                f"{c['memo.hits'] / live:.1%}, an unlimited table {c['memo.unlimited_hits'] / live:.1%};"
                f" {_collisions(c['memo.false_positives'])}",
            )
        )
    if "pfr.side_by_side" in c:
        lag_ms = c["pfr.lag_cycles"] / frames / run.config.tech.clock_mhz / 1e3
        rows.append(
            (
                "rendered in parallel",
                f"{c['pfr.side_by_side']:,.0f} of {frames} frames",
                f"a picture is {lag_ms:.2f} ms later behind its input",
            )
        )
    if rows:
        rows.append(_hardware_row(run, total))
    return rows


def _elimination_rows(run: RunResult, total: FrameResult, frames: int) -> list[Row]:
    c = total.counters
    back = "one" if run.config.screen.frame_buffers == 1 else "two"
    kinds = [c[f"re.{back}_back.{kind}"] for kind in ("equal_inputs", "equal_colors", "different")]
    shares = " / ".join(f"{value / max(sum(kinds), 1):.0%}" for value in kinds)
    return [
        (
            "tiles not rendered",
            f"{c['re.tiles_skipped'] / frames:,.0f} of {c['tiles.total'] / frames:,.0f}",
            f"{c['re.tiles_skipped'] / max(c['tiles.total'], 1):.0%}; {_collisions(c['re.false_positives'])}",
        ),
        ("  same inputs / colours / changed", shares, f"against {back} frame{'s' if back == 'two' else ''} back"),
        (
            "  waits for signatures",
            f"{c['re.stall_cycles'] / frames:,.0f} cycles",
            f"{c['re.stall_cycles'] / max(total.geometry_cycles, 1):.1%} of geometry",
        ),
    ]


def _hardware_row(run: RunResult, total: FrameResult) -> Row:
    """Area over the baseline's, and what the added structures take of the energy."""
    base = area_mm2(run.config)
    added = area_mm2(run.configured) + sum(structure.area_mm2 for structure in run.hardware) - base
    own = [total.energy.structures.get(structure.name, (0.0, 0.0)) for structure in run.hardware]
    energy = sum(dynamic + static for dynamic, static in own)
    return (
        "added hardware",
        f"{added:.3f} mm2, {added / base:+.1%}",
        f"{energy / total.energy.total:.1%} of the energy" if total.energy.total else "",
    )


def _collisions(count: float) -> str:
    return f"{count:,.0f} collision{'' if count == 1 else 's'}"
