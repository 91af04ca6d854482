"""Shaders by line of their sources, for the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from gpumodel.report.shader_lines import StageLines
from gpumodel.report.stats.document import printable
from gpumodel.workload import KIND_NAMES

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["SCHEMA", "document", "print_programs", "print_stage"]

#: Version of the JSON layout.
SCHEMA: Final = 1
#: Columns in front of a source.
_WIDTHS: Final = (6, 12, 12, 11, 9, 10, 5)
#: What runs a stage once.
_LANES: Final = {
    "vertex": "vertices",
    "geometry": "primitives",
    "tess_control": "patch vertices",
    "tess_evaluation": "points",
    "fragment": "fragments",
}


def document(stages: Sequence[StageLines]) -> dict[str, Any]:
    """What ``gpureplay shader TRACE --json`` says beside its head."""
    return {"schema": SCHEMA, "stages": [stage.document() for stage in stages]}


def print_programs(console: Console, stages: Sequence[StageLines], *, title: str) -> None:
    """Print a row a stage."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    whole = max(sum(stage.cycles for stage in stages), 1)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("program", "stage"):
        table.add_column(heading)
    for heading in ("shaded", "issued", "share", "path", "registers", "texels", "waits", "lines"):
        table.add_column(heading, justify="right")
    for stage in stages:
        table.add_row(
            str(stage.program), stage.stage, f"{stage.invocations:,}", f"{stage.cycles:,}",
            f"{stage.cycles / whole:.1%}", _path(stage), str(stage.registers or "-"), f"{int(stage.texels.sum()):,}",
            f"{int(stage.stall_cycles.sum()):,}", str(len(stage.static) - 1),
        )  # fmt: skip
    console.print(Text(title), style="bold")
    console.print(table, highlight=False)
    console.print(
        "issued: cycles of issue; path: of the shortest and the longest executed; waits: cycles in which a processor "
        "waits for texels; --program N shows sources"
    )


def print_stage(console: Console, stage: StageLines) -> None:
    """Print the annotated source of a stage."""
    shown, pipes = (
        ", ".join(f"{name} {count:,}" for name, count in zip(KIND_NAMES, values.tolist(), strict=True) if count)
        for values in (stage.executed.sum(axis=0), stage.kind_cycles)
    )
    registers = f"; {stage.registers} registers" if stage.registers else ""
    lanes = _LANES[stage.stage]
    console.print(Text(f"program {stage.program}, {stage.stage} shader"), style="bold")
    console.print(
        f"{stage.invocations:,} {lanes}; issue cycles {stage.cycles:,}, a path {_path(stage)}{registers}\n"
        f"executed: {shown}\nissue cycles: {pipes}",
        highlight=False,
    )
    if stage.stage == "fragment":
        waits = (stage.texture_cycles.sum(), stage.stall_cycles.sum(), stage.texture_misses.sum())
        console.print(
            "texture unit {:,} cycles, waits {:,}, misses {:,}".format(*map(int, waits)) + f"; most: {stage.bound}",
            highlight=False,
        )
    console.print()
    head = zip(_WIDTHS, ("share", "issue cycles", "executed", "texels", "misses", "waits", "code"), strict=True)
    console.print(f"{' '.join(name.rjust(width) for width, name in head)}  line", style="bold")
    rows = [*enumerate(stage.text.splitlines(), 1)]
    if stage.issue_cycles[0] or stage.static[0].any():
        rows.insert(0, (0, "(no line)"))
    for at, text in rows:
        cycles = int(stage.issue_cycles[at])
        cells = (
            f"{cycles / max(stage.cycles, 1):.1%}" if cycles else "",
            *(_number(int(value)) for value in (cycles, stage.executed[at].sum(), stage.texels[at])),
            *(_number(int(value)) for value in (stage.texture_misses[at], stage.stall_cycles[at])),
            _number(int(stage.static[at].sum())),
        )
        front = " ".join(cell.rjust(width) for cell, width in zip(cells, _WIDTHS, strict=True))
        line = Text(f"{front}  {at or '':>4} ", no_wrap=True, overflow="ignore")
        console.print(line.append(printable(text.expandtabs(4)), style="bold" if cycles else "dim"), soft_wrap=True)
    console.print()


def _number(value: int) -> str:
    return f"{value:,}" if value else ""


def _path(stage: StageLines) -> str:
    return str(stage.shortest) if stage.shortest == stage.longest else f"{stage.shortest} to {stage.longest}"
