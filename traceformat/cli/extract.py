"""``gputrace extract``."""

from __future__ import annotations

import json
from collections.abc import Iterator
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
_STAGES = {gl.GL_VERTEX_SHADER: "vert", gl.GL_FRAGMENT_SHADER: "frag"}
_KINDS = ("textures", "shaders", "buffers", "meshes", "thumbnails")


@click.command(
    cls=Command,
    epilog=examples("gputrace extract app.gltrace -o parts", "gputrace extract app.gltrace -o parts --only meshes"),
)
@click.argument("trace", type=InputFile())
@click.option("-o", "--output", type=OutputFolder(), required=True, metavar="DIR", help="Folder to write into.")
@click.option("--call", type=click.IntRange(0), help="As it is behind this call; default: the end of the last frame.")
@click.option("--frame", type=click.IntRange(0), help="As it is at the end of this frame; meshes and thumbnail of it.")
@click.option("--only", multiple=True, type=click.Choice(_KINDS), help="These only; can be given several times.")
@click.option("--mesh-format", type=click.Choice(["gltf", "obj"]), default="gltf", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="List the files as JSON.")
def extract(
    trace: str, output: str, call: int | None, frame: int | None, only: tuple[str, ...], mesh_format: str, as_json: bool
) -> None:
    """Write what a trace holds as files: textures (PNG), shaders, buffers, meshes behind the vertex stage, thumbnails.

    Textures, shaders and buffers are those that exist at the moment asked for; meshes are the draws of its frame, with
    normalised device coordinates as positions. Depth textures are grey, floats are clamped to 0 ... 1.
    """
    from traceformat.errors import UsageError
    from traceformat.gltrace.reader import open_trace

    if call is not None and frame is not None:
        raise UsageError("give either --call or --frame")
    kinds = only or _KINDS
    with open_trace(trace) as reader:
        refuse_damage(trace, reader.damage)
        number, last = _moment(reader, call, frame)
        folder = make_folder(output)
        with reading("replaying", reader):
            files = list(_extract(reader, folder, number, last, kinds, mesh_format, every_frame=frame is None))
    if as_json:
        click.echo(json.dumps({"trace": trace, "frame": number, "call": last, "files": files}, indent=2))
    else:
        for entry in files:
            rest = ", ".join(f"{key} {value}" for key, value in entry.items() if key not in ("file", "kind"))
            click.echo(f"{folder / entry['file']}  {rest}")


def _moment(reader: TraceReader, call: int | None, frame: int | None) -> tuple[int, int]:
    """Frame and last call that are meant."""
    from traceformat.errors import UsageError

    if not reader.num_calls:
        raise UsageError("the trace has no calls")
    if frame is not None and frame >= len(reader.frames):
        raise UsageError(f"the trace has {len(reader.frames)} frames; there is no frame {frame}")
    if call is not None:
        if call >= reader.num_calls:
            raise UsageError(f"the trace has {reader.num_calls} calls; there is no call {call}")
        return min(reader.frame_of(call), len(reader.frames) - 1), call
    number = frame if frame is not None else len(reader.frames) - 1
    return number, reader.frames[number].end_call - 1


def _extract(
    reader: TraceReader,
    folder: Path,
    number: int,
    last: int,
    kinds: tuple[str, ...],
    mesh_format: str,
    *,
    every_frame: bool,
) -> Iterator[dict[str, Any]]:
    from replay.extraction import play_to

    if set(kinds) - {"thumbnails"}:
        meshes: list[dict[str, Any]] = []

        def keep(mesh: Mesh) -> None:
            meshes.append(_write_mesh(folder, mesh, mesh_format))

        first = reader.frames[number].first_call
        wanted = keep if "meshes" in kinds else None
        with play_to(reader, last, wanted, first) as moment:
            if "textures" in kinds:
                yield from _textures(moment, folder)
            if "shaders" in kinds:
                yield from _shaders(moment, folder)
            if "buffers" in kinds:
                yield from _buffers(moment, folder)
        yield from meshes
    if "thumbnails" in kinds:
        yield from _thumbnails(reader, folder, (0, number) if every_frame else (number, number))


def _textures(moment: Moment, folder: Path) -> Iterator[dict[str, Any]]:
    from gpumodel.report.png import png
    from traceformat.gles.enum_names import enum_name

    for picture in moment.textures():
        name = f"texture_{picture.texture}"
        name += f"_face{picture.face}" if picture.face else ""
        name += f"_layer{picture.layer}" if picture.layer else ""
        name += f"_level{picture.level}.png"
        write_output(folder / name, png(picture.pixels[::-1]))
        height, width = picture.pixels.shape[:2]
        format = enum_name(picture.format) or f"{picture.format:#x}"
        yield {
            "kind": "texture",
            "file": name,
            "texture": picture.texture,
            "size": f"{width}x{height}",
            "format": format,
        }


def _shaders(moment: Moment, folder: Path) -> Iterator[dict[str, Any]]:
    from traceformat.gles.objects import ProgramObject, Shader

    if moment.context is None:
        return
    objects = sorted(moment.context.group.programs.objects.items())
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
    for number, program in programs_of:
        inputs = program.executable.inputs if program.executable is not None else None
        for kind, source in inputs.shaders if inputs is not None else ():
            same = [s.serial for s in shaders.values() if (s.type, s.compiled_source) == (kind, source)]
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


def _buffers(moment: Moment, folder: Path) -> Iterator[dict[str, Any]]:

    if moment.context is None:
        return
    for number, buffer in sorted(moment.context.group.buffers.objects.items()):
        if buffer is not None and buffer.store:
            name = f"buffer_{number}.bin"
            write_output(folder / name, bytes(buffer.store))
            yield {"kind": "buffer", "file": name, "buffer": number, "bytes": len(buffer.store)}


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
