"""What the draws of a frame are called: objects, programs, textures, framebuffers, meshes.

A name is what the program gave, where it gave one; else a fingerprint of what does not change from frame to frame or
from one recording to the next: code for programs, counts and layout for meshes, shape and format for textures.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from traceformat.gles.enum_names import enum_name
from traceformat.gputrace.frametrace import LINE_BYTES, FrameTrace, ObjectRule

__all__ = ["DrawNames", "draw_names", "texture_names"]

_DIGEST_BYTES = 4


@dataclass(frozen=True, slots=True)
class DrawNames:
    """Who the draws of a frame are; each list has an entry a draw.

    Parameters
    ----------
    object : path of debug groups and labels, or the identity that the replay made of what the draw binds
    rule : where that comes from: ``debug_group``, ``object_label`` or ``bindings``
    program : fingerprint of the code of both stages
    program_id : GL name
    mesh : fingerprint of mode, counts and vertex layout
    textures : each texture that is bound, by GL name, size and format
    framebuffer : ``default`` or ``framebuffer N``
    """

    object: list[str]
    rule: list[str]
    program: list[str]
    program_id: list[int]
    mesh: list[str]
    textures: list[list[str]]
    framebuffer: list[str]


def draw_names(trace: FrameTrace) -> DrawNames:
    """Name the draws of a frame."""
    draws, objects, programs = trace["draws"], trace["objects"], trace["programs"]
    rows = range(draws.num_rows)
    code = [_code(trace, row) for row in range(programs.num_rows)]
    object_of = [int(row) for row in draws["object"]]
    stages = [(int(draws["vertex_program"][k]), int(draws["fragment_program"][k])) for k in rows]
    names = [_texture(trace, row) for row in range(trace["texture_bindings"].num_rows)]
    bound = [(int(draws["texture_first"][k]), int(draws["texture_count"][k])) for k in rows]
    targets = [int(trace["passes"]["framebuffer"][row]) for row in draws["pass"]]
    return DrawNames(
        object=[trace.labels[int(objects["label"][row])] for row in object_of],
        rule=[ObjectRule(int(objects["rule"][row])).name.lower() for row in object_of],
        program=[_digest((code[vertex], code[fragment])) for vertex, fragment in stages],
        program_id=[int(programs["id"][fragment]) for _, fragment in stages],
        mesh=[_mesh(trace, k) for k in rows],
        textures=[list(dict.fromkeys(names[first : first + count])) for first, count in bound],
        framebuffer=[f"framebuffer {target}" if target else "default" for target in targets],
    )


def texture_names(trace: FrameTrace, first_lines: Iterable[int]) -> list[str]:
    """Names of the textures that begin at lines of memory; where several do, of the one that is bound last."""
    lines = (trace["texture_bindings"]["address"].astype("int64") // LINE_BYTES).tolist()
    known = {line: row for row, line in enumerate(lines)}
    return [_texture(trace, known[line]) for line in first_lines]


def _digest(parts: Iterable[object]) -> str:
    return blake2b(repr(tuple(parts)).encode(), digest_size=_DIGEST_BYTES).hexdigest()


def _code(trace: FrameTrace, row: int) -> str:
    """Fingerprint of a stage: the kinds of its instructions, block by block."""
    programs, blocks, kinds = trace["programs"], trace["blocks"], trace["instructions"]["kind"]
    first = int(programs["block_first"][row])
    parts: list[object] = [int(programs["stage"][row])]
    for block in range(first, first + int(programs["block_count"][row])):
        begin = int(blocks["instruction_first"][block])
        parts.append(kinds[begin : begin + int(blocks["instruction_count"][block])].tobytes())
    return _digest(parts)


def _mesh(trace: FrameTrace, draw: int) -> str:
    draws, fetches = trace["draws"], trace["vertex_fetches"]
    names = ("mode", "vertex_count", "primitive_count", "instance_count", "index_bytes", "num_attributes")
    first = int(draws["fetch_first"][draw])
    rows = slice(first, first + int(draws["fetch_count"][draw]))
    layout = [fetches[name][rows].tolist() for name in ("stride", "bytes", "divisor")]
    return _digest([*(int(draws[name][draw]) for name in names), layout])


def _texture(trace: FrameTrace, row: int) -> str:
    bindings = trace["texture_bindings"]
    internal = int(bindings["format"][row])
    name = (enum_name(internal) or hex(internal)).removeprefix("GL_")
    return f"texture {bindings['texture'][row]} {bindings['width'][row]}x{bindings['height'][row]} {name}"
