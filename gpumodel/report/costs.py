"""What costs most: rows for the terminal and for JSON, and the sentence that names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from gpumodel.attribution.rollup import By, Group, metric, roll_up, shared_costs
from gpumodel.attribution.table import Attribution

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["cost_document", "dearest", "print_costs", "sorted_groups"]

#: Heading, metric, divisor and digits of the columns beside time and energy.
_COLUMNS: Final = (
    ("DRAM KB", "dram", 1024, 1), ("shaded", "fragments", 1, 0), ("issued", "instructions", 1, 0),
)  # fmt: skip
#: Characters that a name has before a column goes, those around it, and columns that stay.
_NAME_WIDTH: Final = 26
_EDGES: Final = 4
#: Characters between two columns.
_GAP: Final = 3
_LEAST_COLUMNS: Final = 4
#: What has a smaller share than this, of time or of traffic, is not named.
_NAMED: Final = 0.02


def sorted_groups(groups: Sequence[Group], metric: str) -> list[Group]:
    """Groups, the dearest first; equal ones in the order in which they first occur."""
    return sorted(groups, key=lambda group: -_value(group, metric))


def _value(group: Group, metric: str) -> float:
    """Metric that groups are sorted by: time and energy with their share of what is shared."""
    return {"time": group.time, "energy": group.energy}.get(metric, group.own.get(metric, 0.0))


def print_costs(
    console: Console, frames: Sequence[Attribution], groups: Sequence[Group], *, title: str, metric: str, mhz: float,
    judged: Mapping[str, Mapping[str, float]],
) -> None:  # fmt: skip
    """Print the dearest groups, a row each.

    Parameters
    ----------
    groups : those to show, the dearest first
    metric : that they are sorted by
    mhz : of the GPU's clock
    judged : by judge, what the frames cost less (cycles) without the group's work, by group
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    number = max(len(frames), 1)
    total = {"time": sum(rows.cycles.sum() for rows in frames), "energy": sum(r.total_energy_pj.sum() for r in frames)}
    columns = [column for column in _COLUMNS if column[1] != metric]
    console.print(Text(title), style="bold")
    headings = ["draws", "ms", "shared\nms", "time", "mJ", *(column[0].replace(" ", "\n") for column in columns)]
    if metric not in ("time", "energy"):
        headings.insert(1, metric)
    headings += judged
    rows: list[list[str]] = []
    milliseconds = 1e3 / (mhz * 1e6) / number
    for group in groups:
        cells = [
            f"{group.draws / number:,.1f}".removesuffix(".0"), f"{group.own['time'] * milliseconds:.3f}",
            f"{group.shared_time * milliseconds:.3f}", f"{group.time / max(total['time'], 1):.1%}",
            f"{group.energy / number / 1e9:.4f}",
        ]  # fmt: skip
        if metric not in ("time", "energy"):
            cells.insert(1, f"{_value(group, metric) / number:,.0f}")
        cells += [f"{group.own[name] / number / divisor:,.{digits}f}" for _, name, divisor, digits in columns]
        cells += [f"{values[group.name] * milliseconds:.3f}" for values in judged.values()]
        rows.append(cells)
    longest = max((len(group.name) for group in groups), default=0)
    widths = _widths(headings, rows)
    shown = _fitting(widths, len(judged), console.width - min(longest, _NAME_WIDTH) - _EDGES)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("what", overflow="fold", vertical="bottom")
    for k in shown:
        table.add_column(headings[k], justify="right", no_wrap=True, min_width=widths[k], vertical="bottom")
    for group, cells in zip(groups, rows, strict=True):
        table.add_row(Text(group.name), *(cells[k] for k in shown))
    console.print(table, highlight=False)
    shared = shared_costs(frames, "time")
    parts = [f"{kind} {cycles * milliseconds:.3f} ms" for kind, cycles in shared.items() if cycles]
    console.print(
        f"{total['time'] * milliseconds:.3f} ms and {total['energy'] / number / 1e9:.3f} mJ a frame"
        + (f"; shared: {', '.join(parts)}" if parts else ""),
        highlight=False,
    )


def _widths(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Characters of each column."""
    columns = zip(headings, *rows, strict=True)
    return [max(map(len, [*heading.split("\n"), *cells])) for heading, *cells in columns]


def _fitting(widths: Sequence[int], judged: int, room: int) -> list[int]:
    """Columns that a line has room for beside names: where it is narrow a name breaks, never a figure, and before that
    the last columns go that no judge has; ``--json`` has all.

    Parameters
    ----------
    judged : judges' columns, behind the others
    room : characters
    """
    shown = list(range(len(widths)))
    while sum(widths[k] + _GAP for k in shown) > room and len(shown) > judged + _LEAST_COLUMNS:
        shown.pop(-1 - judged)
    return shown


def cost_document(
    frames: Sequence[Attribution], groups: Sequence[Group], *, by: By, metric: str, judged: Mapping[str, Any]
) -> dict[str, Any]:
    """What ``gpureplay top --json`` says: sums over the frames, cycles and pJ."""
    return {
        "by": str(by),
        "metric": metric,
        "frames": len(frames),
        "total": {
            "time": float(sum(rows.cycles.sum() for rows in frames)),
            "energy": float(sum(rows.total_energy_pj.sum() for rows in frames)),
        },
        "shared": {name: shared_costs(frames, name) for name in ("time", "energy")},
        "groups": [
            {
                "name": group.name, "frames": group.frames, "draws": group.draws, "own": group.own,
                "shared": {"time": group.shared_time, "energy": group.shared_energy},
                **{judge: values[group.name] for judge, values in judged.items()},
            }
            for group in groups
        ],
    }  # fmt: skip


def dearest(frames: Sequence[Attribution], where: str = "") -> str:
    """Sentence about the object that takes most of the time, and the texture that most is read of; empty where nothing
    stands out.

    Parameters
    ----------
    where : which frames these are, where others are beside them
    """
    total = sum(rows.cycles.sum() for rows in frames)
    groups = sorted_groups(roll_up(frames, By.OBJECT), "time")
    if not groups or total == 0 or groups[0].time < _NAMED * total:
        return ""
    first = groups[0]
    text = f"Dearest{where} is {first.name} with {first.time / total:.0%} of the time"
    textures: dict[str, int] = {}
    for rows in frames:
        for name, size in zip(rows.textures, rows.texture_counts["dram.read_bytes.texture"].tolist(), strict=True):
            textures[name] = textures.get(name, 0) + size
    texture = max(textures, key=lambda name: textures[name], default="")
    share = textures.get(texture, 0) / max(sum(metric(rows, "dram").sum() for rows in frames), 1)
    if share >= _NAMED:
        text += f"; {share:.0%} of the memory traffic reads {texture}"
    return f"{text}."
