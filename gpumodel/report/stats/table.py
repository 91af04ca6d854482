"""Statistics on the terminal: tables that are too wide for it are shown in two parts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from gpumodel.report.stats.columns import COUNT_INDEX, COUNTS, CULLED_COUNTS, FRAME_COUNTS, RATIOS
from gpumodel.report.stats.document import printable
from gpumodel.report.stats.groups import By, Group, Statistics

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["print_statistics"]

Column = tuple[str, int, str]
#: Heading, width and ratio of each column of the tables by group.
_COLUMNS: Final[Sequence[Column]] = (
    ("draws/\nframe", 6, "draws_per_frame"),
    ("VS ins\n/vert.", 6, "vs_instructions_per_vertex"),
    ("prims/\ndraw", 6, "primitives_per_draw"),
    ("prims/\ntile", 6, "primitives_per_tile"),
    ("frags/\nprim", 6, "fragments_per_primitive"),
    ("attrs/\nprim", 6, "attributes_per_primitive"),
    ("FS ins\n/frag", 6, "fs_instructions_per_fragment"),
    ("ALU/\nTEX", 5, "alu_per_tex_instruction"),
    ("texels\n/frag", 6, "texels_per_fragment"),
    ("over-\ndraw", 5, "overdraw_before_early_z"),
    ("after\nEZ", 5, "overdraw_after_early_z"),
    ("EZ\nkills", 5, "early_z_killed_share"),
    ("tiles/\nprim", 5, "tiles_per_primitive"),
)
#: Of these, those about vertices, primitives and tiles.
_GEOMETRY_COLUMNS: Final = 6
#: What the names of rows should have room for.
_LABEL_COLUMNS: Final = 16
#: Counts that are shown only where they are not 0; those by kind of instruction are in JSON and CSV.
_SELDOM: Final = frozenset(CULLED_COUNTS.values())
_HEADING: Final[Mapping[By, str]] = {
    By.FRAME: "frame",
    By.DRAW: "frame.draw object",
    By.OBJECT: "object",
    By.PROGRAM: "program",
    By.TEXTURE: "texture",
}


def print_statistics(console: Console, statistics: Statistics, *, title: str) -> None:
    """Print the ratios and counts of the whole trace, then a table for each grouping."""
    from rich.text import Text

    console.print(Text(printable(title)), style="bold")
    console.print(_ratio_table(statistics.total), highlight=False)
    console.print(_count_table(statistics.total), highlight=False)
    for by, groups in statistics.groups.items():
        for columns in _parts(console.width):
            console.print(_group_table(by, groups, columns), highlight=False)
            console.print()
    if statistics.groups:
        console.print(
            "attrs count the position; after EZ: overdraw after Early-Z; EZ kills: share of the fragments; a texture's "
            "row is about the draws that bind it; rows of a frame add up to its draws, primitives a tile and overdraw",
            style="dim",
            highlight=False,
        )


def _parts(width: int) -> Sequence[Sequence[Column]]:
    """Columns side by side, or geometry and fragments one below the other."""
    needed = _LABEL_COLUMNS + sum(least + 1 for _, least, _ in _COLUMNS)
    return [_COLUMNS] if width >= needed else [_COLUMNS[:_GEOMETRY_COLUMNS], _COLUMNS[_GEOMETRY_COLUMNS:]]


def _ratio_table(total: Group) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("ratio", no_wrap=True, vertical="bottom")
    for heading in ("of sums", "mean of\nframes", "mean of\ndraws"):
        table.add_column(heading, justify="right", no_wrap=True, vertical="bottom")
    forms = zip(total.ratio_of_sums(), total.mean_over_frames(), total.mean_over_draws(), strict=True)
    section = RATIOS[0].table
    for ratio, values in zip(RATIOS, forms, strict=True):
        if ratio.table != section:
            table.add_section()
            section = ratio.table
        table.add_row(ratio.title, *(_number(value) for value in values))
    return table


def _count_table(total: Group) -> Table:
    """Counts a frame, in two halves side by side."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    frames = max(int(total.counts[COUNT_INDEX["frames"]]), 1)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for _ in range(2):
        table.add_column("count", no_wrap=True)
        table.add_column("a frame", justify="right", no_wrap=True)
    cells = []
    for count, value in zip(COUNTS, total.counts, strict=True):
        if ".executed." not in count.name and count is not FRAME_COUNTS[0] and (value or count.name not in _SELDOM):
            cells.append((count.name, _number(value / frames)))
    half = -(-len(cells) // 2)
    for left, right in zip(cells[:half], [*cells[half:], ("", "")], strict=False):
        table.add_row(*left, *right)
    return table


def _group_table(by: By, groups: Sequence[Group], columns: Sequence[Column]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=f"By {by.value} (ratios of sums)", title_justify="left", box=None, padding=(0, 1, 0, 0))
    least = min(len(_HEADING[by]), _LABEL_COLUMNS)
    table.add_column(_HEADING[by], overflow="ellipsis", no_wrap=True, vertical="bottom", min_width=least)
    for heading, width, _ in columns:
        table.add_column(heading, justify="right", no_wrap=True, min_width=width, vertical="bottom")
    place = {ratio.name: k for k, ratio in enumerate(RATIOS)}
    for group in groups:
        values = group.ratio_of_sums()
        table.add_row(Text(printable(_label(by, group.key))), *(_short(values[place[name]]) for _, _, name in columns))
    return table


def _label(by: By, key: Mapping[str, Any]) -> str:
    if by is By.FRAME:
        return str(key["frame"])
    if by is By.DRAW:
        return f"{key['frame']}.{key['draw']} {key['label']}"
    if by is By.OBJECT:
        return f"{key['object']} {key['label']}"
    if by is By.PROGRAM:
        return f"{key['program']} VS {key['vs_length']} FS {key['fs_length']}"
    return f"{key['texture']} {key['width']}x{key['height']} {key['format']}"


def _number(value: float) -> str:
    """At most nine significant characters where it matters: whole numbers from 1,000."""
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 or float(value).is_integer() else f"{value:,.2f}"


def _short(value: float) -> str:
    """At most five characters."""
    if math.isnan(value):
        return "-"
    if value >= 999_500:
        return f"{value / 1e6:.0f}M" if value >= 99.5e6 else f"{value / 1e6:.1f}M"
    if value >= 9_999.5:
        return f"{value / 1e3:.0f}k"
    return f"{value:.0f}" if value >= 999.5 else f"{value:.1f}" if value >= 99.95 else f"{value:.2f}"
