"""Locations, offsets and slots, once it is known what the optimised stages really read and write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from replay.glsl.builtins import MAX_DRAW_BUFFERS, MAX_SHARED_BYTES, MAX_STORAGE_BLOCKS, MAX_VERTEX_ATTRIBS
from replay.glsl.ir import Instr, SamplerSlot, UniformArea
from replay.glsl.layout import layout_fields, layout_of
from replay.glsl.lowering.stage import DESCRIPTOR, FRAMEBUFFER_HEIGHT, LoweredStage
from replay.glsl.memory import IMAGE_WORDS, MemoryKind, MemorySlot
from replay.glsl.reflection import (
    ActiveAttribute,
    ActiveUniform,
    CounterBuffer,
    FragmentOutput,
    Reflection,
    StorageBlock,
    StorageVariable,
    UniformBlock,
)
from replay.glsl.symbols import BlockInfo, Symbol
from replay.glsl.types import COUNTER, ArrayType, ImageType, NumericType, OpaqueType, SamplerType, StructType, Type

#: GLES 3.1 asks for 1,024.
MAX_UNIFORM_LOCATIONS: Final = 4096
#: Colours of index 1, the second source of blending.
MAX_DUAL_SOURCE_DRAW_BUFFERS: Final = 1

__all__ = [
    "assign_attributes",
    "assign_blocks",
    "assign_fragment_outputs",
    "assign_memories",
    "assign_samplers",
    "assign_uniforms",
    "prune_inputs",
    "prune_memories",
]

Report = Callable[[str], None]
#: (name, type of an element, elements, is an array, path of the leaf, element of the leaf where it begins)
Entry = tuple[str, NumericType | OpaqueType, int, bool, str, int]


def entries(type: Type, name: str, path: str, index: int = 0) -> Iterator[Entry]:
    """Active-variable entries of a variable, as reflection reports them."""
    if isinstance(type, ArrayType):
        length, element = max(type.length, 1), type.element
        if isinstance(element, (NumericType, OpaqueType)):
            yield f"{name}[0]", element, length, True, path, index * length
            return
        for k in range(length):
            yield from entries(element, f"{name}[{k}]", path, index * length + k)
    elif isinstance(type, StructType):
        for member in type.fields:
            yield from entries(member.type, f"{name}.{member.name}", f"{path}.{member.name}", index)
    elif isinstance(type, (NumericType, OpaqueType)):
        yield name, type, 1, False, path, index


def _reads(stage: LoweredStage, op: str) -> list[Instr]:
    return [instr for instr in stage.body.instructions() if instr.op == op]


# Uniforms
# --------------------------------------------------------------------------------------------------------------
def _pack_constants(stage: LoweredStage) -> dict[str, tuple[int, set[int]]]:
    """Close the gaps of unused uniforms in area 0; gives (word, used elements) of each leaf left, by path."""
    reads = [instr for instr in _reads(stage, "uniform") if instr.attr.area == 0]
    owner = {leaf.offset + 4 * k: leaf for leaf in stage.uniforms for k in range(leaf.count)}
    used: dict[str, set[int]] = {}
    for instr in reads:
        ref = instr.attr
        leaf = owner[ref.offset // 4 * 4]
        elements = used.setdefault(leaf.name, set())
        if instr.args:
            elements.update(range(leaf.count))
        else:
            elements.add((ref.offset - leaf.offset) // 4)
    at = 0
    moves: dict[int, int] = {}
    out: dict[str, tuple[int, set[int]]] = {}
    for leaf in stage.uniforms:
        if leaf.name in used:
            moves[leaf.offset] = at - leaf.offset
            out[leaf.name] = (at, used[leaf.name])
            at += 4 * leaf.count
    shifts = {id(instr.attr): moves[owner[instr.attr.offset // 4 * 4].offset] for instr in reads}
    done: set[int] = set()
    for instr in reads:
        if id(instr.attr) not in done:
            done.add(id(instr.attr))
            instr.attr.offset += shifts[id(instr.attr)]
    stage.areas[0].words = at
    return out


def assign_uniforms(
    stages: Sequence[LoweredStage],
    samplers: Sequence[SamplerSlot],
    first_sampler: int,
    reflection: Reflection,
    report: Report,
) -> None:
    """List active uniforms of the default block, give locations, pack constant areas, number the uniforms of sampler
    slots from ``first_sampler`` on.
    """
    first = len(reflection.uniforms)
    for stage in stages:
        stage.constants = _pack_constants(stage)
    constants = {stage.shader.stage: stage.constants for stage in stages}
    slots = [slot for stage in stages for slot in stage.memories]
    images = {_image_name(slot) for slot in slots if slot.kind is MemoryKind.IMAGE}
    counters = {slot.name for slot in slots if slot.kind is MemoryKind.COUNTERS}
    if "fragment" in constants:
        reflection.framebuffer_height, _ = constants["fragment"].get(FRAMEBUFFER_HEIGHT, (-1, set()))
    own = enumerate(samplers[first_sampler:], first_sampler)
    first_slot = {slot.name.removesuffix("[0]"): row for row, slot in own if slot.element == 0}
    seen: set[str] = set()
    for stage in stages:
        for symbol in stage.shader.symbols:
            if symbol.storage != "uniform" or symbol.name in seen or not symbol.used:
                continue
            seen.add(symbol.name)
            _agree_on_layout(symbol, stages, report)
            if _list_memory_uniform(symbol, images, counters, reflection):
                continue
            _list_uniform(symbol, constants, first_slot, samplers, reflection)
    _give_locations(reflection.uniforms[first:], report)
    ends = [uniform.location + uniform.size for uniform in reflection.uniforms]
    reflection.num_uniform_locations = max(ends, default=0)


def _list_memory_uniform(symbol: Symbol, images: set[str], counters: set[str], reflection: Reflection) -> bool:
    """List an image or an atomic counter; gives whether the symbol is one."""
    place = 0
    for name, kind, size, is_array, _, _ in entries(symbol.type, symbol.name, symbol.name):
        if isinstance(kind, ImageType):
            if name.removesuffix("[0]") in images:
                uniform = ActiveUniform(name, kind, size, is_array, precision=symbol.precision)
                uniform.initial = tuple(max(symbol.binding, 0) + place + k for k in range(size))
                uniform.location = symbol.location + place if symbol.location >= 0 else -1
                reflection.uniforms.append(uniform)
        elif kind is COUNTER:
            if str(symbol.binding) in counters:
                offset = symbol.offset + 4 * place
                uniform = ActiveUniform(name, kind, size, is_array, offset=offset, array_stride=4 * is_array)
                reflection.uniforms.append(uniform)
                _count_in_buffer(uniform, symbol.binding, reflection)
        else:
            return False
        place += size
    return True


def _count_in_buffer(uniform: ActiveUniform, binding: int, reflection: Reflection) -> None:
    buffers = reflection.counter_buffers
    row = next((k for k, buffer in enumerate(buffers) if buffer.binding == binding), len(buffers))
    if row == len(buffers):
        buffers.append(CounterBuffer(binding, 0, ""))
    buffers[row].size = max(buffers[row].size, uniform.offset + 4 * uniform.size)
    uniform.counter_buffer = row


def _agree_on_layout(symbol: Symbol, stages: Sequence[LoweredStage], report: Report) -> None:
    """Take over a location or binding that only the other stage's declaration has."""
    same = [
        one for stage in stages for one in stage.shader.symbols if one.name == symbol.name and one.storage == "uniform"
    ]
    for what in ("location", "binding"):
        given = {getattr(one, what) for one in same} - {-1}
        if len(given) > 1:
            report(f"uniform '{symbol.name}' has a different {what} in the two shaders")
        setattr(symbol, what, max(given, default=-1))


def _list_uniform(
    symbol: Symbol,
    constants: Mapping[str, Mapping[str, tuple[int, set[int]]]],
    first_slot: Mapping[str, int],
    samplers: Sequence[SamplerSlot],
    reflection: Reflection,
) -> None:
    initial = _initial_values(symbol)
    consumed = place = 0
    for name, kind, size, is_array, path, index in entries(symbol.type, symbol.name, symbol.name):
        columns = kind.columns if isinstance(kind, NumericType) else 1
        row = len(reflection.uniforms)
        uniform = ActiveUniform(name, kind, size, is_array, precision=symbol.precision)
        active = False
        if isinstance(kind, SamplerType):
            slot = first_slot.get(path)
            if slot is not None:
                active = True
                uniform.sampler = slot + index
                for k in range(size):
                    samplers[slot + index + k].uniform = row
                    samplers[slot + index + k].element = k
                if symbol.binding >= 0:
                    uniform.initial = tuple(symbol.binding + index + k for k in range(size))
        elif isinstance(kind, NumericType):
            for stage, leaves in constants.items():
                at, used = leaves.get(path, (0, set()))
                if used & set(range(index * columns, (index + size) * columns)):
                    active = True
                    setattr(uniform, f"{stage}_offset", at + 4 * columns * index)
            if initial is not None:
                count = kind.width * size
                uniform.initial = initial[consumed : consumed + count]
                consumed += count
        if active:
            reflection.uniforms.append(uniform)
            if symbol.location >= 0:
                uniform.location = symbol.location + place
        place += size


def _give_locations(uniforms: Sequence[ActiveUniform], report: Report) -> None:
    """Give the uniforms without a location of their own the free ones, in order; built-in ones have none."""
    taken: set[int] = set()
    for uniform in uniforms:
        if uniform.location < 0:
            continue
        own = range(uniform.location, uniform.location + uniform.size)
        if own.stop > MAX_UNIFORM_LOCATIONS:
            report(f"uniform '{uniform.name}' has location {own.stop - 1}; there are {MAX_UNIFORM_LOCATIONS}")
        if not taken.isdisjoint(own):
            report(f"uniform '{uniform.name}' has the location of another one")
        taken.update(own)
    following = 0
    for uniform in uniforms:
        if uniform.location >= 0 or uniform.name.startswith("gl_") or uniform.type is COUNTER:
            continue
        while not taken.isdisjoint(range(following, following + uniform.size)):
            following += 1
        uniform.location = following
        following += uniform.size


def _initial_values(symbol: Symbol) -> tuple[float | int | bool, ...] | None:
    if symbol.init is None:
        return None
    from replay.glsl.lowering.constants import constant_components

    return constant_components(symbol.init)


def assign_samplers(stages: Sequence[LoweredStage], slots: list[SamplerSlot], first: int) -> list[SamplerSlot]:
    """Drop slots that no texture instruction uses (arrays stay whole); numbers the instructions' from ``first`` on."""
    used = {instr.attr.lookup.slot for stage in stages for instr in _reads(stage, "tex")}
    stems = {slots[row].name.partition("[")[0] for row in used}
    kept = [row for row, slot in enumerate(slots) if slot.name.partition("[")[0] in stems]
    new = {row: k for k, row in enumerate(kept, first)}
    for stage in stages:
        for instr in _reads(stage, "tex"):
            instr.attr = instr.attr.numbered(instr.attr.lookup.instruction, new[instr.attr.lookup.slot])
    return [slots[row] for row in kept]


# Memories
# --------------------------------------------------------------------------------------------------------------
def prune_memories(stage: LoweredStage) -> None:
    """Drop memories that no instruction reaches, and say which ones are written."""
    if not stage.memories:
        return
    reaching = [instr for instr in stage.body.instructions() if instr.op in ("mload", "mstore", "atomic", "msize")]
    used = sorted({instr.attr.slot for instr in reaching})
    for instr in reaching:
        if instr.op in ("mstore", "atomic"):
            stage.memories[instr.attr.slot].is_written = True
    new = {slot: k for k, slot in enumerate(used)}
    done: set[int] = set()
    for instr in reaching:
        if id(instr.attr) not in done:
            done.add(id(instr.attr))
            instr.attr.slot = new[instr.attr.slot]
    stage.memories = [stage.memories[slot] for slot in used]


def _image_name(slot: MemorySlot) -> str:
    """Name of the uniform that an image is (an element of)."""
    return slot.name.removesuffix(f"[{slot.element}]")


def assign_memories(stages: Sequence[LoweredStage], reflection: Reflection, report: Report) -> None:
    """List storage blocks and their members; connect each stage's memories with what is reflected."""
    users: dict[str, list[str]] = {}
    for stage in stages:
        for slot in stage.memories:
            if slot.kind is MemoryKind.STORAGE:
                users.setdefault(slot.name, []).append(stage.shader.stage)
    rows: dict[str, int] = {}
    seen: dict[str, BlockInfo] = {}
    for stage in stages:
        for block in stage.shader.storage_blocks:
            if block.name not in seen:
                seen[block.name] = block
                _list_storage_block(block, users, rows, reflection)
    first, _, _ = reflection.parts[-1]
    uniforms = enumerate(reflection.uniforms[first:], first)
    images = {uniform.name.removesuffix("[0]"): row for row, uniform in uniforms if uniform.is_image}
    for stage in stages:
        for slot in stage.memories:
            if slot.kind is MemoryKind.STORAGE:
                slot.block = rows[slot.name]
            elif slot.kind is MemoryKind.COUNTERS:
                bindings = [str(buffer.binding) for buffer in reflection.counter_buffers]
                slot.block = bindings.index(slot.name)
                buffer = reflection.counter_buffers[slot.block]
                slot.words = buffer.size // 4
                buffer.stages = " ".join(dict.fromkeys([*buffer.stages.split(), stage.shader.stage]))
            elif slot.kind is MemoryKind.IMAGE:
                stem = _image_name(slot)
                slot.block = images[stem]
                word, _ = stage.constants.get(stem + DESCRIPTOR, (-1, set()))
                slot.descriptor = word + IMAGE_WORDS * slot.element if word >= 0 else -1
            elif slot.kind is MemoryKind.SHARED and 4 * slot.words > MAX_SHARED_BYTES:
                report(f"the shared variables take {4 * slot.words} bytes; there are {MAX_SHARED_BYTES}")
        if sum(slot.kind is MemoryKind.STORAGE for slot in stage.memories) > MAX_STORAGE_BLOCKS:
            report(f"the {stage.shader.stage} shader uses more than {MAX_STORAGE_BLOCKS} storage blocks")


def _list_storage_block(
    block: BlockInfo, users: Mapping[str, list[str]], rows: dict[str, int], reflection: Reflection
) -> None:
    names = [f"{block.name}[{k}]" for k in range(block.array)] if block.array else [block.name]
    if block.layout in ("packed", "shared") and not any(name in users for name in names):
        return
    tight = block.layout != "std140"
    offsets, size = layout_fields(block.fields, tight=tight)
    collected = Reflection()
    variables: list[StorageVariable] = []
    prefix = f"{block.name}." if block.instance else ""
    for member, offset in zip(block.fields, offsets, strict=True):
        outer = member.type
        top_size, top_stride, inner, name = 1, 0, outer, prefix + member.name
        if isinstance(outer, ArrayType) and not isinstance(outer.element, NumericType):
            # Of an array of structures (or arrays) only the first element is listed.
            top_size, top_stride = outer.length, layout_of(outer, member.row_major, tight).array_stride
            inner, name = outer.element, f"{name}[0]"
        collected.uniforms.clear()
        _list_members(collected, inner, name, offset, member.row_major, member.precision, tight)
        for found in collected.uniforms:
            assert isinstance(found.type, NumericType)
            count = 0 if inner is outer and isinstance(outer, ArrayType) and not outer.length else found.size
            variables.append(
                StorageVariable(
                    found.name,
                    found.type,
                    count,
                    found.is_array,
                    found.offset,
                    found.array_stride,
                    found.matrix_stride,
                    found.row_major,
                    len(reflection.storage_blocks),
                    top_size,
                    top_stride,
                )
            )
    first = len(reflection.storage_variables)
    reflection.storage_variables.extend(variables)
    own = tuple(range(first, first + len(variables)))
    for k, name in enumerate(names):
        rows[name] = len(reflection.storage_blocks)
        stages = " ".join(users.get(name, []))
        reflection.storage_blocks.append(StorageBlock(name, size, own, stages, block.binding + k))


# Blocks
# ----------------------------------------------------------------------------------------------------------------
def assign_blocks(stages: Sequence[LoweredStage], reflection: Reflection) -> None:
    """List active blocks and their members, drop areas that no instruction reads."""
    used_by: dict[str, set[str]] = {}
    for stage in stages:
        _prune_areas(stage)
        for area in stage.areas[1:]:
            used_by.setdefault(area.name, set()).add(stage.shader.stage)
    rows: dict[str, int] = {}
    seen: set[str] = set()
    for stage in stages:
        for block in stage.shader.blocks:
            if block.name in seen:
                continue
            seen.add(block.name)
            _list_block(block, used_by, rows, reflection)
    for stage in stages:
        for area in stage.areas[1:]:
            area.block = rows[area.name]


def _prune_areas(stage: LoweredStage) -> None:
    reads = _reads(stage, "uniform")
    used = sorted({instr.attr.area for instr in reads} | {0})
    new = {area: k for k, area in enumerate(used)}
    done: set[int] = set()
    for instr in reads:
        if id(instr.attr) not in done:
            done.add(id(instr.attr))
            instr.attr.area = new[instr.attr.area]
    areas: list[UniformArea] = [stage.areas[area] for area in used]
    stage.areas = areas


def _list_block(
    block: BlockInfo, used_by: Mapping[str, set[str]], rows: dict[str, int], reflection: Reflection
) -> None:
    names = [f"{block.name}[{k}]" for k in range(block.array)] if block.array else [block.name]
    # Packed blocks that nobody reads are not active; shared and std140 blocks always are.
    if block.layout == "packed" and not any(name in used_by for name in names):
        return
    tight = block.layout != "std140"
    offsets, size = layout_fields(block.fields, tight=tight)
    first = len(reflection.uniforms)
    prefix = f"{block.name}." if block.instance else ""
    for member, offset in zip(block.fields, offsets, strict=True):
        name = prefix + member.name
        _list_members(reflection, member.type, name, offset, member.row_major, member.precision, tight)
    members = tuple(range(first, len(reflection.uniforms)))
    for k, name in enumerate(names):
        rows[name] = len(reflection.blocks)
        users = used_by.get(name, set())
        whole = (size + 15) // 16 * 16
        reflection.blocks.append(
            UniformBlock(
                name,
                whole,
                members,
                "vertex" in users,
                "fragment" in users,
                block.binding + k,
                "compute" in users,
                "geometry" in users,
                "tess_control" in users,
                "tess_evaluation" in users,
            )
        )
    for row in members:
        reflection.uniforms[row].block = rows[names[0]]


def _list_members(
    reflection: Reflection, type: Type, name: str, offset: int, row_major: bool, precision: str, tight: bool
) -> None:
    if isinstance(type, StructType):
        offsets, _ = layout_fields(type.fields, row_major, tight)
        for member, at in zip(type.fields, offsets, strict=True):
            own = row_major or member.row_major
            inner = f"{name}.{member.name}"
            _list_members(reflection, member.type, inner, offset + at, own, member.precision, tight)
        return
    layout = layout_of(type, row_major, tight)
    kind, size, is_array = type, 1, False
    if isinstance(type, ArrayType):
        if not isinstance(type.element, NumericType):
            for k in range(max(type.length, 1)):
                at = offset + k * layout.array_stride
                _list_members(reflection, type.element, f"{name}[{k}]", at, row_major, precision, tight)
            return
        kind, size, is_array, name = type.element, max(type.length, 1), True, f"{name}[0]"
    assert isinstance(kind, NumericType)
    reflection.uniforms.append(
        ActiveUniform(
            name,
            kind,
            size,
            is_array,
            offset=offset,
            array_stride=layout.array_stride,
            matrix_stride=layout.matrix_stride,
            row_major=row_major and kind.is_matrix,
            precision=precision,
        )
    )


# Inputs and outputs
# ----------------------------------------------------------------------------------------------------
def prune_inputs(stage: LoweredStage) -> None:
    """Drop inputs that no instruction reads."""
    reads = _reads(stage, "input")
    used = sorted({instr.attr.slot for instr in reads})
    new = {slot: k for k, slot in enumerate(used)}
    done: set[int] = set()
    for instr in reads:
        if id(instr.attr) not in done:
            done.add(id(instr.attr))
            instr.attr.slot = new[instr.attr.slot]
    stage.inputs = [stage.inputs[slot] for slot in used]


def assign_attributes(stage: LoweredStage, bindings: Mapping[str, int], reflection: Reflection, report: Report) -> None:
    """Give vertex inputs their locations: those of the source, of glBindAttribLocation, then the first that are
    free.
    """
    symbols = {one.name: one for one in stage.shader.symbols if one.storage == "in"}
    taken: dict[int, str] = {}
    waiting = []
    legacy = stage.shader.version.legacy or not stage.shader.version.es
    if stage.shader.version.es:
        _check_unused_attributes(stage, symbols, report)
    for entry in stage.inputs:
        if entry.builtin:
            reflection.attributes.append(ActiveAttribute(entry.name, entry.type, 1, -1))
            continue
        symbol = symbols[entry.name]
        location = symbol.location if symbol.location >= 0 else bindings.get(entry.name, -1)
        if location < 0:
            waiting.append(entry)
            continue
        if location + entry.count > MAX_VERTEX_ATTRIBS:
            report(f"attribute '{entry.name}' at location {location} goes beyond the {MAX_VERTEX_ATTRIBS} locations")
            continue
        entry.location = location
        for k in range(location, location + entry.count):
            if k in taken and not legacy:
                report(f"attributes '{taken[k]}' and '{entry.name}' are both at location {k}")
            taken[k] = entry.name
    for entry in sorted(waiting, key=lambda one: -one.count):
        for location in range(MAX_VERTEX_ATTRIBS - entry.count + 1):
            if not any(k in taken for k in range(location, location + entry.count)):
                entry.location = location
                taken.update(dict.fromkeys(range(location, location + entry.count), entry.name))
                break
        else:
            report(f"there is no room for attribute '{entry.name}'; there are {MAX_VERTEX_ATTRIBS} locations")
    for entry in stage.inputs:
        if not entry.builtin:
            declared = symbols[entry.name].type
            size = declared.length if isinstance(declared, ArrayType) else 1
            element = declared.element if isinstance(declared, ArrayType) else declared
            assert isinstance(element, NumericType)
            reflection.attributes.append(ActiveAttribute(entry.name, element, size, entry.location))


def _check_unused_attributes(stage: LoweredStage, symbols: Mapping[str, Symbol], report: Report) -> None:
    """Locations that the source gives count whether the input is used or not (used ones: see the caller)."""
    used = {entry.name for entry in stage.inputs}
    owner: dict[int, str] = {}
    for symbol in symbols.values():
        if symbol.location < 0 or symbol.builtin:
            continue
        element = symbol.type.element if isinstance(symbol.type, ArrayType) else symbol.type
        length = symbol.type.length if isinstance(symbol.type, ArrayType) else 1
        end = symbol.location + length * (element.columns if isinstance(element, NumericType) else 1)
        if symbol.name not in used and end > MAX_VERTEX_ATTRIBS:
            report(f"attribute '{symbol.name}' goes beyond the {MAX_VERTEX_ATTRIBS} locations")
            continue
        for k in range(symbol.location, min(end, MAX_VERTEX_ATTRIBS)):
            other = owner.setdefault(k, symbol.name)
            if other != symbol.name and not {other, symbol.name} <= used:
                report(f"attributes '{other}' and '{symbol.name}' are both at location {k}")


def assign_fragment_outputs(
    stage: LoweredStage,
    bindings: Mapping[str, int | tuple[int, int]],
    reflection: Reflection,
    report: Report,
) -> None:
    """Give user-defined colours their numbers."""
    declared = [one for one in stage.shader.symbols if one.storage == "out" and not one.builtin]
    version = stage.shader.version
    if version.es and len(declared) > 1 and any(one.location < 0 for one in declared):
        report("with more than one fragment output, each needs a location")
        return
    taken: dict[tuple[int, int], str] = {}
    waiting: list[Symbol] = []
    places: dict[str, tuple[int, int]] = {}

    def take(symbol: Symbol, location: int, index: int) -> None:
        count = max(symbol.type.length, 1) if isinstance(symbol.type, ArrayType) else 1
        limit = MAX_DUAL_SOURCE_DRAW_BUFFERS if index else MAX_DRAW_BUFFERS
        if location + count > limit:
            report(f"fragment output '{symbol.name}' goes beyond the {limit} draw buffers of index {index}")
            return
        for k in range(location, location + count):
            if (k, index) in taken:
                report(f"fragment outputs '{taken[k, index]}' and '{symbol.name}' are both at location {k}")
            taken[k, index] = symbol.name
        places[symbol.name] = (location, index)

    for symbol in declared:
        bound = bindings.get(symbol.name)
        if symbol.location >= 0:
            take(symbol, symbol.location, symbol.index)
        elif bound is not None:
            take(symbol, *(bound if isinstance(bound, tuple) else (bound, 0)))
        else:
            waiting.append(symbol)
    for symbol in waiting:
        count = max(symbol.type.length, 1) if isinstance(symbol.type, ArrayType) else 1
        location = 0
        while any((k, 0) in taken for k in range(location, location + count)):
            location += 1
        take(symbol, location, 0)
    for symbol in declared:
        if symbol.name not in places:
            continue
        location, index = places[symbol.name]
        assert isinstance(symbol.type, (NumericType, ArrayType))
        reflection.fragment_outputs.append(FragmentOutput(symbol.name, symbol.type, location, index))
        for row in stage.outputs_of.get(symbol.name, ()):
            stage.outputs[row].location, stage.outputs[row].index = location, index
