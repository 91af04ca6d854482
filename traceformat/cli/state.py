"""``gputrace state``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples, refuse_damage
from traceformat.cli.paths import InputFile
from traceformat.cli.terminal import reading

if TYPE_CHECKING:
    from replay.extraction import Mesh, Moment
    from traceformat.calls import Call
    from traceformat.gltrace.reader import TraceReader

__all__ = ["state"]


@click.command(
    cls=Command,
    epilog=examples(
        "gputrace state app.gltrace --frame 0 --draw 3",
        "gputrace state app.gltrace --call 140 --rows 20",
        "gputrace state app.gltrace --call 140 --json",
    ),
)
@click.argument("trace", type=InputFile())
@click.option("--call", type=click.IntRange(0), metavar="N", help="The call, as gputrace dump numbers them.")
@click.option("--frame", type=click.IntRange(0), metavar="F", help="The frame of --draw.")
@click.option("--draw", type=click.IntRange(0), metavar="N", help="The draw call of --frame, from 0 on.")
@click.option("--rows", type=click.IntRange(0), default=8, show_default=True, help="Vertices that are shown.")
@click.option("--json", "as_json", is_flag=True, help="Everything as one JSON object.")
def state(trace: str, call: int | None, frame: int | None, draw: int | None, rows: int, as_json: bool) -> None:
    """Show what a draw works with: pipeline, framebuffer, program, uniforms by name, textures, buffers, vertices.

    Of a call that draws nothing it is what a draw behind it would find. gputrace extract --bound writes the textures,
    buffers and shaders as files.
    """
    from traceformat.cli.moments import check_call, nth_draw
    from traceformat.errors import UsageError
    from traceformat.gltrace.reader import open_trace

    if (call is None) == (draw is None) or (frame is None) != (draw is None):
        raise UsageError("give either --call N, or --frame F and --draw N")
    with open_trace(trace) as reader:
        refuse_damage(trace, reader.damage)
        if draw is not None and frame is not None:
            call = nth_draw(reader, frame, draw)
        assert call is not None
        check_call(reader, call)
        with reading("replaying", reader):
            document = _document(reader, call, rows)
    if as_json:
        click.echo(json.dumps(document, indent=2))
    else:
        click.echo("\n".join(_text(document)))


def _document(reader: TraceReader, number: int, rows: int) -> dict[str, Any]:
    from replay.extraction import play_to
    from traceformat.cli.moments import draw_number
    from traceformat.gles.roles import is_draw
    from traceformat.tools.bound import bound_state
    from traceformat.tools.dump import call_to_dict, format_call

    (call,) = reader.calls(start=number, stop=number + 1)
    frame = reader.frame_of(number)
    meshes: list[Mesh] = []
    with play_to(reader, number, meshes.append, number) as moment:
        found: dict[str, Any] = {
            "call": call_to_dict(call, frame),
            "text": format_call(call),
            "frame": frame,
            "draw": draw_number(reader, number) if is_draw(call.name) else None,
        }
        if moment.context is not None:
            found |= bound_state(moment.context)
            found["vertices"] = [_vertices(moment, mesh, call, rows) for mesh in meshes]
    return found


def _vertices(moment: Moment, mesh: Mesh, call: Call, rows: int) -> dict[str, Any]:
    from traceformat.gles.entry_points import COMMANDS
    from traceformat.tools.bound import name_of

    names = [param.name.lower() for param in COMMANDS[call.name].params]
    given = dict(zip(names, call.args, strict=False)).get("baseinstance", 0)
    base_instance = given if isinstance(given, int) else 0
    return {
        "shaded": len(mesh.clip),
        "primitives": len(mesh.indices),
        "kind": mesh.kind.name.lower(),
        "vertex": mesh.vertices[:rows].tolist(),
        "instance": mesh.instances[:rows].tolist(),
        "inputs": [
            {
                "name": one.name,
                "type": name_of(one.type),
                "location": one.location,
                "values": one.values.reshape(len(one.values), -1).tolist(),
            }
            for one in moment.vertex_inputs(mesh, rows, base_instance)
        ],
        "outputs": [
            {"name": name, "values": values[:rows].tolist()}
            for name, values in (("gl_Position", mesh.clip), *mesh.varyings.items())
        ],
    }


def _text(document: dict[str, Any]) -> Iterator[str]:
    where = f"frame {document['frame']}" + (f", draw {document['draw']}" if document["draw"] is not None else "")
    groups = document.get("groups")
    yield f"{where}{': ' + _plain('/'.join(groups)) if groups else ''}"
    yield document["text"]
    for section in ("pipeline", "framebuffer", "program", "vertex_array"):
        if document.get(section):
            yield from ("", section.replace("_", " "))
            yield from _fields(document[section])
    if document.get("uniforms"):
        yield from ("", "uniforms")
        yield from _uniforms(document["uniforms"])
    for block in document.get("blocks", ()):
        yield ""
        yield f"uniform block {_plain(block['name'])}: binding {block['binding']}, buffer {block['buffer']}, " + (
            f"offset {block['offset']}, " + (f"{block['size']} bytes" if block["size"] else "to its end")
        )
        yield from _uniforms(block["uniforms"])
    for texture in document.get("textures", ()):
        yield from ("", f"texture of {_plain(texture['uniform'])}")
        yield from _fields({key: value for key, value in texture.items() if key != "uniform"})
    for vertices in document.get("vertices", ()):
        yield ""
        yield f"vertices: {vertices['shaded']:,} shaded, {vertices['primitives']:,} {vertices['kind']} primitives"
        yield from _rows(vertices)


def _fields(values: dict[str, Any], indent: str = "  ") -> Iterator[str]:
    for key, value in values.items():
        label = f"{indent}{key.replace('_', ' '):<{20 - len(indent)}}"
        if isinstance(value, dict):
            yield label.rstrip()
            yield from _fields(value, indent + "  ")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield label.rstrip()
            for entry in value:
                yield f"{indent}  {', '.join(f'{name} {_spelled(one)}' for name, one in entry.items())}"
        else:
            yield f"{label} {_spelled(value)}"


def _uniforms(uniforms: Sequence[dict[str, Any]]) -> Iterator[str]:
    width = max((len(one["name"]) for one in uniforms), default=0)
    for one in uniforms:
        kind = one["type"].removeprefix("GL_").lower()
        yield f"  {_plain(one['name']):<{width}}  {kind:<12} {_spelled(one['value'])}"


def _rows(vertices: dict[str, Any]) -> Iterator[str]:
    columns = [(name, [str(number) for number in vertices[name]]) for name in ("vertex", "instance")]
    columns += [
        (_plain(one["name"]), [_spelled(row) for row in one["values"]])
        for one in (*vertices["inputs"], *vertices["outputs"])
    ]
    widths = [max(map(len, (heading, *cells))) for heading, cells in columns]
    headings = [heading for heading, _ in columns]
    for cells in (headings, *zip(*(cells for _, cells in columns), strict=True)):
        yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def _spelled(value: Any) -> str:
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_spelled(one)}" for key, one in value.items())
    if isinstance(value, list):
        inner = ", ".join(map(_spelled, value))
        return f"({inner})" if all(isinstance(one, (int, float)) for one in value) else inner
    return _plain(str(value))


def _plain(text: str) -> str:
    """What a program says must not steer the terminal."""
    return text if text.isprintable() else repr(text)
