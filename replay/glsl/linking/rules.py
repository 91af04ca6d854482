"""What must agree between the shaders of a program (GLES 2.0 §2.10, GLES 3.0 §2.12, and the language
specifications).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from replay.glsl.builtins import (
    MAX_FRAGMENT_UNIFORM_VECTORS,
    MAX_TEXTURE_IMAGE_UNITS,
    MAX_UNIFORM_BLOCK_BYTES,
    MAX_UNIFORM_BLOCKS,
    MAX_VARYING_VECTORS,
    MAX_VERTEX_UNIFORM_VECTORS,
)
from replay.glsl.declarations import CheckedShader
from replay.glsl.ir import Interpolation
from replay.glsl.layout import layout_fields
from replay.glsl.symbols import BlockInfo, Function, Symbol
from replay.glsl.types import ArrayType, Field, NumericType, SamplerType, StructType, Type

__all__ = ["check_pair", "check_stage", "same_type", "vectors_of"]

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
        and x.row_major == y.row_major
        and (not with_precision or x.precision == y.precision)
        and same_type(x.type, y.type, with_precision)
        for x, y in zip(a, block, strict=True)
    )


def vectors_of(type: Type) -> int:
    """vec4 slots that a value takes, unpacked."""
    if isinstance(type, ArrayType):
        return max(type.length, 1) * vectors_of(type.element)
    if isinstance(type, StructType):
        return sum(vectors_of(one.type) for one in type.fields)
    return type.columns if isinstance(type, NumericType) else 0


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


def check_pair(vertex: CheckedShader, fragment: CheckedShader, report: Report) -> None:
    """Rules between the two shaders."""
    es = vertex.version.es
    if es != fragment.version.es or (es and vertex.version.number != fragment.version.number):
        report(f"the shaders have different versions: {vertex.version.name} and {fragment.version.name}")
        return
    _check_varyings(vertex, fragment, report)
    _check_uniforms(vertex, fragment, report)
    _check_blocks(vertex, fragment, report)


def _user_symbols(shader: CheckedShader, storage: str) -> dict[str, Symbol]:
    return {symbol.link_name: symbol for symbol in shader.symbols if symbol.storage == storage and not symbol.builtin}


def _check_varyings(vertex: CheckedShader, fragment: CheckedShader, report: Report) -> None:
    outputs = {name: symbol for name, symbol in _user_symbols(vertex, "out").items() if symbol.block is None}
    inputs = {name: symbol for name, symbol in _user_symbols(fragment, "in").items() if symbol.block is None}
    others = {symbol.name: symbol for symbol in vertex.symbols if symbol.storage != "out"}
    version = fragment.version
    for shader, storage in ((vertex, "out"), (fragment, "in")):
        places = [
            symbol.varying_location
            for symbol in shader.symbols
            if symbol.storage == storage and symbol.varying_location >= 0
        ]
        if len(set(places)) < len(places):
            report(f"two varyings of the {shader.stage} shader have the same location")
    for name, wanted in inputs.items():
        given = outputs.get(name)
        if given is None:
            if wanted.used:
                kind = others.get(name)
                why = "" if kind is None else f" ('{name}' is something else there)"
                report(f"input '{name}' of the fragment shader is no output of the vertex shader{why}")
            continue
        if not same_type(given.type, wanted.type):
            report(f"'{name}' is {given.type} in the vertex shader and {wanted.type} in the fragment shader")
            continue
        all_invariant = vertex.invariant_all or fragment.invariant_all
        if (version.legacy or not version.es) and given.invariant != wanted.invariant and not all_invariant:
            report(f"'{name}' is invariant in one shader only")
        if version.has("interpolation"):
            ours, theirs = (one.interpolation or Interpolation.SMOOTH for one in (given, wanted))
            if ours != theirs:
                kinds = ours.name.lower(), theirs.name.lower()
                report(f"'{name}' is {kinds[0]} in the vertex shader and {kinds[1]} in the fragment shader")
    if version.legacy:
        _check_builtin_invariance(vertex, fragment, report)
    _check_interface_blocks(vertex, fragment, report)
    components = sum(_components(symbol.type) for name, symbol in inputs.items() if symbol.used and name in outputs)
    components += sum(
        _components(symbol.type) for symbol in fragment.symbols if symbol.block is not None and symbol.used
    )
    if components > 4 * MAX_VARYING_VECTORS:
        report(f"{components} varying components are used; there are {4 * MAX_VARYING_VECTORS}")


def _check_interface_blocks(vertex: CheckedShader, fragment: CheckedShader, report: Report) -> None:
    """Blocks of outputs and inputs match by the block's name, member by member (GLSL 1.50 §4.3.7)."""
    outputs = {block.name: block for block in vertex.interface_blocks}
    for wanted in fragment.interface_blocks:
        given = outputs.get(wanted.name)
        if given is None:
            if wanted.used:
                report(f"input block '{wanted.name}' of the fragment shader is no output block of the vertex shader")
            continue
        same = given.array == wanted.array and _same_fields(given.fields, wanted.fields, with_precision=False)
        if not same or _qualifiers(given) != _qualifiers(wanted):
            report(f"block '{wanted.name}' is declared differently in the two shaders")


def _qualifiers(block: BlockInfo) -> list[Interpolation]:
    return [interpolation or Interpolation.SMOOTH for interpolation, _ in block.members.values()]


def _check_builtin_invariance(vertex: CheckedShader, fragment: CheckedShader, report: Report) -> None:
    """What the rasterizer derives of an output is as invariant as that (GLSL ES 1.00 §4.6.4)."""
    invariant = {symbol.name for symbol in (*vertex.symbols, *fragment.symbols) if symbol.builtin and symbol.invariant}
    for source, derived in (("gl_Position", "gl_FragCoord"), ("gl_PointSize", "gl_PointCoord")):
        if derived in invariant and source not in invariant and not vertex.invariant_all:
            report(f"'{derived}' is invariant, but '{source}' is not")


def _components(type: Type) -> int:
    if isinstance(type, ArrayType):
        return max(type.length, 1) * _components(type.element)
    if isinstance(type, StructType):
        return sum(_components(one.type) for one in type.fields)
    return type.width if isinstance(type, NumericType) else 0


def _check_uniforms(vertex: CheckedShader, fragment: CheckedShader, report: Report) -> None:
    mine = _user_symbols(vertex, "uniform")
    theirs = _user_symbols(fragment, "uniform")
    es = vertex.version.es
    modern = vertex.version.number >= 300
    for name, a in mine.items():
        block = theirs.get(name)
        if block is None:
            continue
        if not same_type(a.type, block.type):
            report(f"uniform '{name}' is {a.type} in the vertex shader and {block.type} in the fragment shader")
        elif es and (modern or (a.used and block.used)) and not _same_precision(a, block):
            report(f"uniform '{name}' has different precisions in the two shaders")
        if a.init is not None and block.init is not None:
            from replay.glsl.lowering.constants import constant_components

            if constant_components(a.init) != constant_components(block.init):
                report(f"uniform '{name}' has different initialisers in the two shaders")
    for shader, other in ((vertex, theirs), (fragment, mine)):
        for symbol in shader.block_symbols:
            if symbol.member and symbol.name in other:
                report(f"'{symbol.name}' is a member of a block in one shader and a uniform in the other")


def _same_precision(a: Symbol, block: Symbol) -> bool:
    return a.precision == block.precision and same_type(a.type, block.type, with_precision=True)


def _check_blocks(vertex: CheckedShader, fragment: CheckedShader, report: Report) -> None:
    mine = {block.name: block for block in vertex.blocks}
    for block in fragment.blocks:
        other = mine.get(block.name)
        if other is not None and not _same_block(other, block):
            report(f"uniform block '{block.name}' is declared differently in the two shaders")
    by_member: dict[str, str] = {
        symbol.name: symbol.block.name for symbol in vertex.block_symbols if symbol.member and symbol.block is not None
    }
    for symbol in fragment.block_symbols:
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
