"""``gputrace extract``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples, refuse_damage
from traceformat.cli.paths import InputFile, OutputFolder
from traceformat.cli.terminal import reading
from traceformat.gles import enums as gl
from traceformat.output import make_folder, write_output

if TYPE_CHECKING:
    from replay.extraction import Mesh, Moment
    from traceformat.gltrace.reader import TraceReader

__all__ = ["extract"]

#: Widest thumbnail, in pixels.
THUMBNAIL_WIDTH = 160
_STAGES = {
    gl.GL_VERTEX_SHADER: "vert",
    gl.GL_TESS_CONTROL_SHADER: "tesc",
    gl.GL_TESS_EVALUATION_SHADER: "tese",
    gl.GL_GEOMETRY_SHADER: "geom",
    gl.GL_FRAGMENT_SHADER: "frag",
}
_KINDS = ("textures", "shaders", "buffers", "meshes", "thumbnails")


@click.command(
    cls=Command,
    epilog=examples(
        "gputrace extract app.gltrace -o parts",
        "gputrace extract app.gltrace -o parts --only meshes",
        "gputrace extract app.gltrace -o parts --frame 0 --draw 3 --bound --sheets",
    ),
)
@click.argument("trace", type=InputFile())
@click.option("-o", "--output", type=OutputFolder(), required=True, metavar="DIR", help="Folder to write into.")
@click.option("--call", type=click.IntRange(0), help="As it is behind this call; default: the end of the last frame.")
@click.option("--frame", type=click.IntRange(0), help="As it is at the end of this frame; meshes and thumbnail of it.")
@click.option("--draw", type=click.IntRange(0), help="As it is behind this draw call of --frame, from 0 on.")
@click.option("--bound", is_flag=True, help="Only what the draw at --call or --draw reads, and its own mesh.")
@click.option("--sheets", is_flag=True, help="One picture a texture, with its levels, faces and layers side by side.")
@click.option("--only", multiple=True, type=click.Choice(_KINDS), help="These only; can be given several times.")
@click.option("--mesh-format", type=click.Choice(["gltf", "obj"]), default="gltf", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="List the files as JSON.")
def extract(**given: Any) -> None:
    """Write what a trace holds as files: textures (PNG), shaders, buffers, meshes behind the vertex stage, thumbnails.

    Textures, shaders and buffers are those that exist at the moment asked for; meshes are the draws of its frame, with
    normalised device coordinates as positions. Depth textures are grey, floats are clamped to 0 ... 1.
    """
    from traceformat.gltrace.reader import open_trace

    asked = Asked(**given)
    with open_trace(asked.trace) as reader:
        refuse_damage(asked.trace, reader.damage)
        number, last = _moment(reader, asked)
        folder = make_folder(asked.output)
        with reading("replaying", reader):
            files = list(_extract(reader, folder, number, last, asked))
    if asked.as_json:
        click.echo(json.dumps({"trace": asked.trace, "frame": number, "call": last, "files": files}, indent=2))
    else:
        for entry in files:
            rest = ", ".join(f"{key} {value}" for key, value in entry.items() if key not in ("file", "kind"))
            click.echo(f"{folder / entry['file']}  {rest}")


@dataclass(frozen=True, slots=True)
class Asked:
    """The command line, option by option."""

    trace: str
    output: str
    call: int | None
    frame: int | None
    draw: int | None
    bound: bool
    sheets: bool
    only: tuple[str, ...]
    mesh_format: str
    as_json: bool

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is written."""
        return self.only or (tuple(kind for kind in _KINDS if kind != "thumbnails") if self.bound else _KINDS)


def _moment(reader: TraceReader, asked: Asked) -> tuple[int, int]:
    """Frame and last call that are meant."""
    from traceformat.cli.moments import check_call, nth_draw
    from traceformat.errors import UsageError
    from traceformat.frame_numbers import check_frame

    call, frame = asked.call, asked.frame
    if call is not None and frame is not None:
        raise UsageError("give either --call or --frame")
    if asked.draw is not None and frame is None:
        raise UsageError("--draw is a draw of --frame")
    if asked.bound and call is None and asked.draw is None:
        raise UsageError("--bound is what one draw reads", hint="say which: --call N, or --frame F --draw N")
    if not reader.num_calls:
        raise UsageError("the trace has no calls")
    if asked.draw is not None and frame is not None:
        return frame, nth_draw(reader, frame, asked.draw)
    if frame is not None:
        check_frame(frame, len(reader.frames))
    if call is not None:
        check_call(reader, call)
        return min(reader.frame_of(call), len(reader.frames) - 1), call
    number = frame if frame is not None else len(reader.frames) - 1
    return number, reader.frames[number].end_call - 1


def _extract(reader: TraceReader, folder: Path, number: int, last: int, asked: Asked) -> Iterator[dict[str, Any]]:
    from replay.extraction import play_to

    kinds = asked.kinds
    if set(kinds) - {"thumbnails"}:
        meshes: list[dict[str, Any]] = []

        def keep(mesh: Mesh) -> None:
            meshes.append(_write_mesh(folder, mesh, asked.mesh_format))

        first = last if asked.bound else reader.frames[number].first_call
        wanted = keep if "meshes" in kinds else None
        with play_to(reader, last, wanted, first) as moment:
            if "textures" in kinds:
                yield from _textures(moment, folder, asked)
            if "shaders" in kinds:
                yield from _shaders(moment, folder, asked)
            if "buffers" in kinds:
                yield from _buffers(moment, folder, asked)
        yield from meshes
    if "thumbnails" in kinds:
        every_frame = asked.frame is None and not asked.bound
        yield from _thumbnails(reader, folder, (0, number) if every_frame else (number, number))


def _textures(moment: Moment, folder: Path, asked: Asked) -> Iterator[dict[str, Any]]:
    from gpumodel.report.png import png
    from replay.texture_sheet import texture_sheet
    from traceformat.gles.enum_names import enum_name
    from traceformat.tools.bound import bound_textures

    only = None
    if asked.bound and moment.context is not None:
        only = {one.texture.serial for one in bound_textures(moment.context) if one.texture is not None}
    for serial, pictures in groupby(moment.textures(only), lambda picture: picture.texture):
        if asked.sheets:
            images = list(pictures)
            name = f"texture_{serial}.png"
            write_output(folder / name, png(texture_sheet(images)))
            yield {"kind": "texture", "file": name, "texture": serial, "images": len(images)}
            continue
        for picture in pictures:
            name = f"texture_{picture.texture}"
            name += f"_face{picture.face}" if picture.face else ""
            name += f"_layer{picture.layer}" if picture.layer else ""
            name += f"_level{picture.level}.png"
            write_output(folder / name, png(picture.pixels[::-1]))
            height, width = picture.pixels.shape[:2]
            yield {
                "kind": "texture",
                "file": name,
                "texture": picture.texture,
                "size": f"{width}x{height}",
                "format": enum_name(picture.format) or f"{picture.format:#x}",
            }


def _shaders(moment: Moment, folder: Path, asked: Asked) -> Iterator[dict[str, Any]]:
    from traceformat.gles.objects import ProgramObject, Shader

    if moment.context is None:
        return
    objects = sorted(moment.context.group.programs.objects.items())
    if asked.bound:
        program = moment.context.program
        objects = [] if program is None else [(program.name, program)]
    shaders: dict[int, Shader] = {}
    users: dict[int, list[int]] = {}
    for number, thing in objects:
        if isinstance(thing, Shader):
            shaders[thing.serial] = thing
        elif isinstance(thing, ProgramObject):
            # A shader that is marked as deleted lives on in its programs.
            for shader in thing.shaders:
                shaders[shader.serial] = shader
                users.setdefault(shader.serial, []).append(number)
    # A program may have let go of its shaders once it was linked: what it was linked from tells.
    programs_of = [(number, thing) for number, thing in objects if isinstance(thing, ProgramObject)]
    for number, one in programs_of:
        inputs = one.executable.inputs if one.executable is not None else None
        for kind, source in inputs.shaders if inputs is not None else ():
            same = [
                shader.serial for shader in shaders.values() if (shader.type, shader.compiled_source) == (kind, source)
            ]
            attached = [serial for serial in same if number in users.get(serial, [])]
            if same and not attached:
                users.setdefault(same[0], []).append(number)
            elif not same:
                name = f"program_{number}.{_STAGES.get(kind, 'glsl')}"
                write_output(folder / name, "".join(source).encode("utf-8", "surrogateescape"))
                yield {"kind": "shader", "file": name, "programs": str(number), "compiled": True}
    for serial, shader in sorted(shaders.items()):
        name = f"shader_{shader.name}_{serial}.{_STAGES.get(shader.type, 'glsl')}"
        write_output(folder / name, "".join(shader.source).encode("utf-8", "surrogateescape"))
        programs = ", ".join(map(str, users.get(serial, []))) or "none"
        yield {"kind": "shader", "file": name, "programs": programs, "compiled": shader.compiled}


def _buffers(moment: Moment, folder: Path, asked: Asked) -> Iterator[dict[str, Any]]:
    from traceformat.tools.bound import bound_buffers

    context = moment.context
    if context is None:
        return
    everything = (buffer for _, buffer in sorted(context.group.buffers.objects.items()))
    for buffer in bound_buffers(context) if asked.bound else everything:
        if buffer is not None and buffer.store:
            name = f"buffer_{buffer.name}.bin"
            write_output(folder / name, bytes(buffer.store))
            yield {"kind": "buffer", "file": name, "buffer": buffer.name, "bytes": len(buffer.store)}


def _write_mesh(folder: Path, mesh: Mesh, mesh_format: str) -> dict[str, Any]:
    from traceformat.tools.meshfiles import gltf, obj

    title = f"call_{mesh.call}"
    name = f"mesh_{title}.{mesh_format}"
    if mesh_format == "obj":
        text = obj(title, mesh.positions, mesh.indices)
    else:
        text = gltf(title, mesh.positions, mesh.indices, {"clip": mesh.clip, **mesh.varyings})
    write_output(folder / name, text)
    return {
        "kind": "mesh",
        "file": name,
        "call": mesh.call,
        "vertices": len(mesh.clip),
        "primitives": len(mesh.indices),
        "varyings": ", ".join(mesh.varyings) or "none",
    }


def _thumbnails(reader: TraceReader, folder: Path, frames: tuple[int, int]) -> Iterator[dict[str, Any]]:
    from numpy import asarray
    from PIL import Image

    from gpumodel.report.png import png
    from replay.player import pictures

    for number, picture in pictures(reader, frames=frames):
        height, width = picture.shape[:2]
        image = Image.fromarray(picture[::-1, :, :3])
        if width > THUMBNAIL_WIDTH:
            image = image.resize((THUMBNAIL_WIDTH, max(1, height * THUMBNAIL_WIDTH // width)))
        name = f"thumbnail_{number:04d}.png"
        write_output(folder / name, png(asarray(image)))
        yield {"kind": "thumbnail", "file": name, "frame": number, "size": f"{image.width}x{image.height}"}
