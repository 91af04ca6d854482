"""What must agree between the shaders of a program (GLES 2.0 §2.10, GLES 3.0 §2.12, and the language
specifications).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from replay.glsl.builtins import (
    MAX_FRAGMENT_UNIFORM_VECTORS,
    MAX_GEOMETRY_OUTPUT_COMPONENTS,
    MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS,
    MAX_TEXTURE_IMAGE_UNITS,
    MAX_UNIFORM_BLOCK_BYTES,
    MAX_UNIFORM_BLOCKS,
    MAX_VARYING_VECTORS,
    MAX_VERTEX_UNIFORM_VECTORS,
)
from replay.glsl.declarations import CheckedShader
from replay.glsl.ir import Interpolation
from replay.glsl.layout import layout_fields
from replay.glsl.patch_rules import is_per_vertex
from replay.glsl.symbols import BlockInfo, Function, Symbol
from replay.glsl.types import ArrayType, Field, NumericType, SamplerType, StructType, Type, vectors_of

__all__ = ["check_pair", "check_stage", "check_uniforms", "same_type"]

Report = Callable[[str], None]


def same_type(a: Type, block: Type, with_precision: bool = False) -> bool:
    """Compare types of two shaders: structures by name and members, since each shader has objects of its own."""
    if a is block:
        return True
    if isinstance(a, ArrayType) and isinstance(block, ArrayType):
        return a.length == block.length and same_type(a.element, block.element, with_precision)
    if isinstance(a, StructType) and isinstance(block, StructType):
        return a.name == block.name and _same_fields(a.fields, block.fields, with_precision)
    return False


def _same_fields(a: Sequence[Field], block: Sequence[Field], with_precision: bool) -> bool:
    return len(a) == len(block) and all(
        x.name == y.name
        and (x.row_major, x.offset, x.align) == (y.row_major, y.offset, y.align)
        and (not with_precision or x.precision == y.precision)
        and same_type(x.type, y.type, with_precision)
        for x, y in zip(a, block, strict=True)
    )


def _samplers_of(type: Type) -> int:
    if isinstance(type, ArrayType):
        return max(type.length, 1) * _samplers_of(type.element)
    if isinstance(type, StructType):
        return sum(_samplers_of(one.type) for one in type.fields)
    return int(isinstance(type, SamplerType))


def check_stage(shader: CheckedShader, report: Report) -> None:
    """Rules for one shader alone that hold at link time."""
    if shader.main is None:
        report(f"the {shader.stage} shader has no main function")
    defined = {function for function in shader.functions if function.defined}
    reached: list[Function] = [shader.main] if shader.main is not None else []
    seen = set(reached)
    while reached:
        for callee in reached.pop().calls:
            if callee not in seen:
                seen.add(callee)
                reached.append(callee)
                if callee not in defined:
                    report(f"function '{callee.signature()}' is called, but nowhere defined")
    if shader.stage == "geometry":
        _check_emitted(shader, report)
    if shader.stage == "tess_control" and not shader.tessellation.vertices_out:
        report("a tessellation control shader needs layout(vertices = ...) out;")
    if shader.stage == "tess_evaluation" and not shader.tessellation.primitive:
        report("a tessellation evaluation shader needs layout(...) in; with its primitive")
    limit = MAX_VERTEX_UNIFORM_VECTORS if shader.stage == "vertex" else MAX_FRAGMENT_UNIFORM_VECTORS
    uniforms = [symbol for symbol in shader.symbols if symbol.storage == "uniform" and symbol.used]
    vectors = sum(vectors_of(symbol.type) for symbol in uniforms)
    if vectors > limit:
        report(f"the {shader.stage} shader has {vectors} uniform vectors; there are {limit}")
    samplers = sum(_samplers_of(symbol.type) for symbol in uniforms)
    if samplers > MAX_TEXTURE_IMAGE_UNITS:
        report(f"the {shader.stage} shader has {samplers} samplers; there are {MAX_TEXTURE_IMAGE_UNITS} units")
    blocks = [block for block in shader.blocks if block.used]
    if sum(max(block.array, 1) for block in blocks) > MAX_UNIFORM_BLOCKS:
        report(f"the {shader.stage} shader has more than {MAX_UNIFORM_BLOCKS} uniform blocks")
    for block in shader.blocks:
        _, size = layout_fields(block.fields, tight=block.layout != "std140")
        if size > MAX_UNIFORM_BLOCK_BYTES:
            report(f"uniform block '{block.name}' has {size} bytes; at most {MAX_UNIFORM_BLOCK_BYTES} are possible")


def _check_emitted(shader: CheckedShader, report: Report) -> None:
    """What an invocation may emit in all (GLES 3.2 §11.3.4.6)."""
    outputs = [symbol for symbol in shader.symbols if symbol.storage == "out" and symbol.used]
    components = sum(_components(symbol.type) for symbol in outputs)
    total = components * shader.geometry.max_vertices
    if components > MAX_GEOMETRY_OUTPUT_COMPONENTS or total > MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS:
        report(
            f"the geometry shader emits {components} components a vertex, {total} in all; there are "
            f"{MAX_GEOMETRY_OUTPUT_COMPONENTS} and {MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS}"
        )


def check_pair(front: CheckedShader, back: CheckedShader, report: Report, *, are_apart: bool = False) -> None:
    """Rules between the two shaders, which are ``are_apart`` in two programs of a pipeline."""
    es = front.version.es
    if are_apart:
        if es:  # what does not match is undefined in desktop GL
            _check_varyings(front, back, report)
        return
    if es != back.version.es or (es and front.version.number != back.version.number):
        report(f"the shaders have different versions: {front.version.name} and {back.version.name}")
        return
    _check_varyings(front, back, report)
    check_uniforms(front, back, report)


def check_uniforms(front: CheckedShader, back: CheckedShader, report: Report) -> None:
    """Uniforms and blocks of uniforms of two shaders."""
    _check_uniforms(front, back, report)
    _check_blocks(front, back, report)


def _user_symbols(shader: CheckedShader, storage: str) -> dict[str, Symbol]:
    return {symbol.link_name: symbol for symbol in shader.symbols if symbol.storage == storage and not symbol.builtin}


def _check_varyings(front: CheckedShader, back: CheckedShader, report: Report) -> None:
    before, behind = front.stage, back.stage
    outputs = {name: symbol for name, symbol in _user_symbols(front, "out").items() if symbol.block is None}
    inputs = {name: symbol for name, symbol in _user_symbols(back, "in").items() if symbol.block is None}
    others = {symbol.name: symbol for symbol in front.symbols if symbol.storage != "out"}
    version = back.version
    for shader, storage in ((front, "out"), (back, "in")):
        places = _places(shader, storage)
        if len(set(places)) < len(places):
            report(f"two varyings of the {shader.stage} shader have the same location")
    for name, wanted in inputs.items():
        given = outputs.get(name)
        if given is None:
            if wanted.used:
                kind = others.get(name)
                why = "" if kind is None else f" ('{name}' is something else there)"
                report(f"input '{name}' of the {behind} shader is no output of the {before} shader{why}")
            continue
        if given.patch != wanted.patch:
            report(f"'{name}' is of a whole patch in the {(before if given.patch else behind)} shader only")
            continue
        if not same_type(_of_vertex(given, front), _of_vertex(wanted, back)):
            report(f"'{name}' is {given.type} in the {before} shader and {wanted.type} in the {behind} shader")
            continue
        all_invariant = front.invariant_all or back.invariant_all
        if (version.legacy or not version.es) and given.invariant != wanted.invariant and not all_invariant:
            report(f"'{name}' is invariant in one shader only")
        if version.has("interpolation") and behind == "fragment":
            ours, theirs = (one.interpolation or Interpolation.SMOOTH for one in (given, wanted))
            if ours != theirs:
                kinds = ours.name.lower(), theirs.name.lower()
                report(f"'{name}' is {kinds[0]} in the {before} shader and {kinds[1]} in the {behind} shader")
    if version.legacy:
        _check_builtin_invariance(front, back, report)
    _check_interface_blocks(front, back, report)
    used = [symbol for name, symbol in inputs.items() if symbol.used and name in outputs]
    components = sum(_components(_of_vertex(symbol, back)) for symbol in used)
    components += sum(
        _components(_of_vertex(symbol, back))
        for symbol in back.symbols
        if symbol.block is not None and symbol.used and symbol.storage == "in"
    )
    if components > 4 * MAX_VARYING_VECTORS:
        report(f"{components} varying components are used; there are {4 * MAX_VARYING_VECTORS}")


def _places(shader: CheckedShader, storage: str) -> list[int]:
    """Locations of inputs or outputs; of members of blocks all that they take."""
    symbols = [symbol for symbol in shader.symbols if symbol.storage == storage]
    places = [symbol.varying_location for symbol in symbols if symbol.varying_location >= 0]
    for block in shader.interface_blocks:
        if block.storage == storage:
            for member in block.fields:
                first = block.locations.get(member.name)
                places += [] if first is None else range(first, first + vectors_of(member.type))
    return places


def _of_vertex(symbol: Symbol, shader: CheckedShader) -> Type:
    """Type of an input or output, of one vertex where a shader has it of all vertices of a primitive or patch."""
    if is_per_vertex(symbol.storage, shader.stage, is_patch=symbol.patch) and isinstance(symbol.type, ArrayType):
        return symbol.type.element
    return symbol.type


def _check_interface_blocks(front: CheckedShader, back: CheckedShader, report: Report) -> None:
    """Blocks of outputs and inputs match by the block's name, member by member (GLSL 1.50 §4.3.7)."""
    outputs = {block.name: block for block in front.interface_blocks if block.storage == "out"}
    for wanted in [block for block in back.interface_blocks if block.storage == "in"]:
        given = outputs.get(wanted.name)
        if given is None:
            if wanted.used:
                stages = f"{back.stage} shader is no output block of the {front.stage} shader"
                report(f"input block '{wanted.name}' of the {stages}")
            continue
        arrays = [
            0 if is_per_vertex(block.storage, shader.stage, is_patch=block.patch) else block.array
            for block, shader in ((given, front), (wanted, back))
        ]
        same = arrays[0] == arrays[1] and given.patch == wanted.patch
        same = same and _same_fields(given.fields, wanted.fields, with_precision=False)
        same = same and given.locations == wanted.locations
        if not same or (back.stage == "fragment" and _qualifiers(given) != _qualifiers(wanted)):
            report(f"block '{wanted.name}' is declared differently in the two shaders")


def _qualifiers(block: BlockInfo) -> list[Interpolation]:
    return [interpolation or Interpolation.SMOOTH for interpolation, _ in block.members.values()]


def _check_builtin_invariance(front: CheckedShader, back: CheckedShader, report: Report) -> None:
    """What the rasterizer derives of an output is as invariant as that (GLSL ES 1.00 §4.6.4)."""
    invariant = {symbol.name for symbol in (*front.symbols, *back.symbols) if symbol.builtin and symbol.invariant}
    for source, derived in (("gl_Position", "gl_FragCoord"), ("gl_PointSize", "gl_PointCoord")):
        if derived in invariant and source not in invariant and not front.invariant_all:
            report(f"'{derived}' is invariant, but '{source}' is not")


def _components(type: Type) -> int:
    if isinstance(type, ArrayType):
        return max(type.length, 1) * _components(type.element)
    if isinstance(type, StructType):
        return sum(_components(one.type) for one in type.fields)
    return type.width if isinstance(type, NumericType) else 0


def _check_uniforms(front: CheckedShader, back: CheckedShader, report: Report) -> None:
    mine = _user_symbols(front, "uniform")
    theirs = _user_symbols(back, "uniform")
    es = front.version.es
    modern = front.version.number >= 300
    for name, a in mine.items():
        block = theirs.get(name)
        if block is None:
            continue
        if not same_type(a.type, block.type):
            stages = f"{front.stage} shader and {block.type} in the {back.stage} shader"
            report(f"uniform '{name}' is {a.type} in the {stages}")
        elif es and (modern or (a.used and block.used)) and not _same_precision(a, block):
            report(f"uniform '{name}' has different precisions in the two shaders")
        if a.init is not None and block.init is not None:
            from replay.glsl.lowering.constants import constant_components

            if constant_components(a.init) != constant_components(block.init):
                report(f"uniform '{name}' has different initialisers in the two shaders")
    for shader, other in ((front, theirs), (back, mine)):
        for symbol in shader.block_symbols:
            if symbol.member and symbol.name in other:
                report(f"'{symbol.name}' is a member of a block in one shader and a uniform in the other")


def _same_precision(a: Symbol, block: Symbol) -> bool:
    return a.precision == block.precision and same_type(a.type, block.type, with_precision=True)


def _check_blocks(front: CheckedShader, back: CheckedShader, report: Report) -> None:
    mine = {block.name: block for block in front.blocks}
    for block in back.blocks:
        other = mine.get(block.name)
        if other is not None and not _same_block(other, block):
            report(f"uniform block '{block.name}' is declared differently in the two shaders")
    by_member: dict[str, str] = {
        symbol.name: symbol.block.name for symbol in front.block_symbols if symbol.member and symbol.block is not None
    }
    for symbol in back.block_symbols:
        if symbol.member and symbol.block is not None:
            where = by_member.get(symbol.name)
            if where is not None and where != symbol.block.name:
                report(f"'{symbol.name}' is a member of block '{where}' and of block '{symbol.block.name}'")


def _same_block(a: BlockInfo, block: BlockInfo) -> bool:
    return (
        a.layout == block.layout
        and a.array == block.array
        and bool(a.instance) == bool(block.instance)
        and _same_fields(a.fields, block.fields, with_precision=False)
    )
