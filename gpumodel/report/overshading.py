"""What the terminal says of techniques against overshading: the quantities of VRO's evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from gpumodel.results import FrameResult, RunResult, dram_bytes, total_of
from gpumodel.techniques.registry import BASELINE
from gpumodel.techniques.vro.config import VroConfig

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig

__all__ = ["graph_buffer_bytes", "order_verdicts", "overshading_rows"]

Row = tuple[str, str, str]
#: VRO §1: an input is unordered where the ideal order saves at least this share of the shaded fragments.
UNORDERED_SHARE: Final = 0.005


def overshading_rows(total: FrameResult, frames: int, config: GpuConfig) -> list[Row]:
    """Rows of a run with ``vro``, ``dr``, ``dr-seq``, ``zprepass`` or ``ideal-order``; none for others.

    Parameters
    ----------
    total : sum of its frames
    frames : how many
    config : the GPU
    """
    c = total.counters
    rows: list[Row] = []
    if "vro.nodes" in c:
        rows += _graph_rows(total, frames, config)
    for technique in ("dr", "dr-seq"):
        if f"{technique}.hsr_tiles" in c:
            rows += _removal_rows(total, frames, technique)
    if "zprepass.draws" in c:
        null = c["zprepass.null_fragments"] / frames
        rows.append(
            ("drawn twice", f"{c['zprepass.draws'] / frames:,.0f} draws", f"{null:,.0f} fragments without colour")
        )
    if "ideal-order.visible" in c:
        kinds = {name: c[f"ideal-order.{name}"] for name in ("visible", "inter_object", "intra_object")}
        every = max(sum(kinds.values()), 1)
        rows.append(
            (
                "hidden by other objects", f"{kinds['inter_object'] / every:.1%}",
                f"{kinds['intra_object'] / every:.1%} by their own, of the fragments of opaque objects",
            )
        )  # fmt: skip
    return rows


def order_verdicts(runs: Sequence[RunResult]) -> list[str]:
    """Say of each configuration with an ``ideal-order`` run whether its input is ordered (VRO §1)."""
    out: list[str] = []
    base: RunResult | None = None
    for run in runs:
        if run.technique == BASELINE:
            base = run
        elif run.technique == "ideal-order" and base is not None:
            before, after = (total_of(one.measured).counters["fragments.shaded"] for one in (base, run))
            saved = 1 - after / before if before else 0.0
            word = "unordered" if saved >= UNORDERED_SHARE else "ordered"
            out.append(
                f"{word}: the ideal order of objects saves {saved:.1%} of the shaded fragments"
                f" ({run.config.name}, {run.memory}; unordered from {UNORDERED_SHARE:.1%} on)"
            )
    return out


def graph_buffer_bytes(nodes: int, children: int) -> int:
    """Size of a Graph Buffer with an entry a node (VRO Fig. 9, 10): valid bit, in-degree, length, children, next entry.

    Numbers of nodes and entries have the bits that ``nodes`` takes, 13 for VRO's 8192.
    """
    bits = (nodes - 1).bit_length()
    return nodes * -(-(1 + bits + children.bit_length() + children * bits + bits) // 8)


def _graph_rows(total: FrameResult, frames: int, config: GpuConfig) -> list[Row]:
    c, vro = total.counters, VroConfig.of(config)
    moved = max(sum(dram_bytes(c).values()), 1)
    percentiles = ", ".join(f"{c[f'vro.list_{name}'] / frames:.0f}" for name in ("p75", "p85", "p95"))
    return [
        (
            "visibility graph", f"{c['vro.nodes'] / frames:,.0f} nodes, {c['vro.edges'] / frames:,.0f} edges",
            f"lists P75, P85, P95: {percentiles}; longest {c['vro.list_max'] / frames:.0f}",
        ),
        (
            "  order", f"{_share(c, 'vro.edges_right', 'vro.edges')} of the edges right",
            f"{_share(c, 'vro.heuristic_picks', 'vro.nodes_sorted')} picks of the heuristic",
        ),
        (
            "  sort", f"{c['vro.sort_cycles'] / frames:,.0f} cycles",
            f"{c['vro.sort_cycles'] / max(total.geometry_cycles, 1):.2%} of geometry;"
            f" {c['vro.sort_wait_cycles'] / frames:,.0f} waited for",
        ),
        (
            "  Graph Cache", f"{1000 * c['vro.inserter_accesses'] / max(c['fragments.rasterized'], 1):.2f} accesses",
            f"of the Edge Inserter a 1,000 fragments, {c['vro.graph_cache.accesses'] / frames:,.0f} a frame with the"
            f" sort's; {c['vro.graph_cache.bytes'] / frames / 1e3:,.1f} kB from and to the L2"
            f" ({c['vro.graph_cache.bytes'] / moved:.4%} of what moves to memory)",
        ),
        (
            "  Graph Buffer", f"{graph_buffer_bytes(vro.graph_entries, vro.children) / 1e6:.2f} MB",
            f"{vro.graph_entries:,} entries of {vro.children} children;"
            f" {c['vro.overflow_entries'] / frames:,.0f} overflow entries taken, {c['vro.edges_dropped'] / frames:,.0f}"
            " edges without one",
        ),
    ]  # fmt: skip


def _removal_rows(total: FrameResult, frames: int, technique: str) -> list[Row]:
    c: Mapping[str, float] = total.counters
    waits = c[f"{technique}.hsr_wait_cycles"]
    given_up = c[f"{technique}.behind_discard"] + c[f"{technique}.behind_state"]
    return [
        (
            "hidden surfaces removed", f"{c[f'{technique}.killed'] / frames:,.0f} fragments",
            f"{c[f'{technique}.hsr_quads'] / frames:,.0f} quads tested before",
        ),
        (
            "  shaded all the same", f"{c[f'{technique}.other'] / frames:,.0f} not covered",
            f"{given_up / frames:,.0f} at pixels given up",
        ),
        (
            "  tiles waited", f"{waits / frames:,.0f} cycles",
            f"{waits / max(total.raster_cycles, 1):.0%} of the raster phase",
        ),
    ]  # fmt: skip


def _share(counters: Mapping[str, float], part: str, whole: str) -> str:
    return f"{counters[part] / counters[whole]:.1%}" if counters[whole] else "-"
