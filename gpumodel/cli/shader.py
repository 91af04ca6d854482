"""``gpureplay shader``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gpumodel.cli.options import ConfigSource, Setting
from gpumodel.cli.shader_trace import TraceShaders, show_trace_shaders
from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import InputFile
from traceformat.errors import FindingError, UsageError

if TYPE_CHECKING:
    from replay.glsl.compiler import Program
    from replay.glsl.ir import StageIR

__all__ = ["shader"]

_SUFFIXES: Final = {
    ".vert": "vertex",
    ".vs": "vertex",
    ".vsh": "vertex",
    ".tesc": "tess_control",
    ".tese": "tess_evaluation",
    ".geom": "geometry",
    ".gs": "geometry",
    ".gsh": "geometry",
    ".frag": "fragment",
    ".fs": "fragment",
    ".fsh": "fragment",
}
#: Bytes of a file that are read; the compiler has its own, lower limit.
_MAX_BYTES: Final = 16 << 20


_EXAMPLES = examples(
    "gpureplay shader city.gltrace",
    "gpureplay shader city.gltrace --program 1 --frames 0-4",
    "gpureplay shader city.vert city.frag",
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("files", type=InputFile(), nargs=-1, required=True, metavar="TRACE | FILE.vert FILE.frag")
@click.option("--program", type=click.IntRange(0), metavar="N", help="Of a trace: the program whose sources are shown.")
@click.option(
    "-c", "--config", type=ConfigSource(), metavar="PRESET|FILE",
    help="The GPU that a trace runs on.  [default: mali450-vro]",
)  # fmt: skip
@click.option(
    "--set", "settings", multiple=True, type=Setting(), metavar="KEY=VALUE", help="Change a value of the configuration."
)
@click.option("--frames", metavar="A-B", help="Frames of a trace, both included; all by default.")
@click.option("--threads", type=click.IntRange(1, 64), default=1, show_default=True, help="Of the replay.")
@click.option("--gl", "desktop", is_flag=True, help="A desktop context: without #version the language is GLSL 1.10.")
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout in place of the text.")
def shader(files: tuple[str, ...], desktop: bool, as_json: bool, **of_trace: Any) -> int:
    """Of a trace: what was executed of each program, by line of its sources. Of files: what the compiler makes of them.

    Files are compiled and linked: code, static instruction counts and reflection. One file is compiled alone, and all
    its outputs are kept. ALU counts leave moves out. Exit status 1 if a shader does not compile or link.
    """
    if len(files) == 1 and Path(files[0]).suffix.lower() not in _SUFFIXES:
        if desktop:
            raise UsageError("--gl is for files: a trace knows its context")
        config = of_trace.pop("config") or "mali450-vro"
        return show_trace_shaders(TraceShaders(files[0], config=config, as_json=as_json, **of_trace))
    if of_trace["program"] is not None or of_trace["config"] or of_trace["settings"] or of_trace["frames"]:
        raise UsageError("--program, -c, --set and --frames are for a trace")
    return _show_files(files, desktop, as_json)


def _show_files(files: tuple[str, ...], desktop: bool, as_json: bool) -> int:
    """Compile and link files, and show what came out."""
    import json

    from replay.glsl.compiler import CompileOptions, compile_shader, link_program, link_stage
    from replay.glsl.printer import format_stage
    from replay.glsl.program import GRAPHICS_STAGES

    sources = _read(files)
    shaders = []
    for stage, source in sources.items():
        compiled = compile_shader(source, stage, CompileOptions(es=not (desktop or _is_desktop(source))))
        if compiled.log:
            click.echo(compiled.log, err=True)
        shaders.append(compiled)
    bad = [compiled.stage for compiled in shaders if not compiled.ok]
    if bad:
        raise FindingError(f"the {' and the '.join(bad)} shader did not compile")
    program = link_stage(shaders[0]) if len(shaders) == 1 else link_program(shaders)
    if not program.ok:
        click.echo(program.log, err=True)
        raise FindingError("the program did not link")
    stages = [stage for stage in (getattr(program, name) for name in GRAPHICS_STAGES) if stage is not None]
    if as_json:
        counts = {stage_ir.stage: _counts(stage_ir) for stage_ir in stages}
        click.echo(json.dumps({"schema": 1, "counts": counts, "reflection": _reflection(program)}, indent=2))
        return 0
    for stage_ir in stages:
        click.echo(format_stage(stage_ir))
        click.echo(_count_lines(_counts(stage_ir)) + "\n")
    click.echo("reflection")
    for kind, rows in _reflection(program).items():
        for row in rows:
            click.echo(f"  {kind} " + " ".join(f"{key} {value}" for key, value in row.items()))
    return 0


def _read(files: tuple[str, ...]) -> dict[str, str]:
    """Source of each stage; the suffix tells the stage."""
    sources: dict[str, str] = {}
    for name in files:
        stage = _SUFFIXES.get(Path(name).suffix.lower())
        if stage is None:
            raise UsageError(f"{name}: the name tells no stage", hint=f"one of {' '.join(_SUFFIXES)}")
        if stage in sources:
            raise UsageError(f"{name}: a second {stage} shader")
        try:
            with Path(name).open("rb") as file:
                content = file.read(_MAX_BYTES + 1)
        except OSError as error:
            raise UsageError(f"{name}: {error.strerror}") from None
        if len(content) > _MAX_BYTES:
            raise UsageError(f"{name}: more than {_MAX_BYTES >> 20} MiB")
        sources[stage] = content.decode("utf-8", "surrogateescape")
    return dict(sorted(sources.items(), reverse=True))


def _is_desktop(source: str) -> bool:
    """Whether the first #version line names a desktop version."""
    import re

    found = re.search(r"^[ \t]*#[ \t]*version[ \t]+(\d+)(?:[ \t]+(\w+))?", source, re.MULTILINE)
    return found is not None and found[1] != "100" and found[2] != "es"


def _counts(stage: StageIR) -> dict[str, Any]:
    """Static counts of a stage and of its blocks."""
    from dataclasses import asdict

    from replay.glsl.counts import InstructionKind, count_instructions
    from replay.glsl.registers import count_registers

    blocks = []
    for block in stage.blocks:
        kinds = [kind for kind, _ in block.kinds]
        row = {kind.name.lower(): kinds.count(int(kind)) for kind in InstructionKind}
        blocks.append({"block": block.number, **row, "alu": row["alu"] + row["transcendental"]})
    return {**asdict(count_instructions(stage)), "registers": count_registers(stage), "blocks": blocks}


def _count_lines(counts: dict[str, Any]) -> str:
    columns = ("alu", "transcendental", "texture", "move", "control", "kill")
    blocks = counts["blocks"]
    whole: dict[str, Any] = {name: sum(block[name] for block in blocks) for name in columns}
    lines = ["instructions" + "".join(f"{name:>16}" for name in columns) + "   (alu includes transcendental)"]
    for name, row in [*((f"  block {block['block']}", block) for block in blocks), ("  whole", whole)]:
        lines.append(f"{name:<12}" + "".join(f"{row[column]:>16}" for column in columns))
    return "\n".join([*lines, f"registers {counts['registers']}"])


def _reflection(program: Program) -> dict[str, list[dict[str, Any]]]:
    """What GL would report, as plain values."""
    known = program.reflection
    uniforms = []
    for uniform in known.uniforms:
        row: dict[str, Any] = {"name": uniform.name, "type": str(uniform.type), "size": uniform.size}
        if uniform.block >= 0:
            row |= {"block": known.blocks[uniform.block].name, "offset": uniform.offset}
            row |= {"array_stride": uniform.array_stride, "matrix_stride": uniform.matrix_stride}
        else:
            row["location"] = uniform.location
        uniforms.append(row)
    return {
        "attribute": [
            {"name": row.name, "type": str(row.type), "size": row.size, "location": row.location}
            for row in known.attributes
        ],
        "uniform": uniforms,
        "block": [{"name": block.name, "bytes": block.size} for block in known.blocks],
        "output": [
            {"name": row.name, "type": str(row.type), "location": row.location} for row in known.fragment_outputs
        ],
    }
