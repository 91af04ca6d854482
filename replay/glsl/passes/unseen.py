"""What is left of a stage when nobody looks at its outputs: its path, and the addresses of its texture accesses."""

from __future__ import annotations

from dataclasses import replace

from replay.glsl.ir import SIDE_EFFECTS, Block, If, Instr, Jump, Loop, Node, Region, TextureRef, Variable
from replay.glsl.types import BOOL

__all__ = ["without_outputs"]


def without_outputs(body: Region) -> Region:
    """Copy of a stage's program that computes conditions and operands of texture instructions only.

    Blocks keep their numbers and kinds, and control flow and texture instructions stay as they are, so that paths and
    recorded accesses do not change. Texture instructions whose result is no longer used say so
    (:attr:`~replay.glsl.texturing.Lookup.needs_result`). Outputs are undefined.
    """
    return _copied(body, _needed(body))


def _needed(body: Region) -> set[Instr]:
    """Instructions on which the path or the operands of a texture instruction depend."""
    stores: dict[Variable, list[Instr]] = {}
    waiting: list[Instr] = []
    for instr in body.instructions():
        if instr.op == "store":
            stores.setdefault(instr.attr.variable, []).append(instr)
        elif instr.op == "tex":
            waiting.extend(instr.args)
        elif instr.op in SIDE_EFFECTS:
            waiting.append(instr)
    deciding = [node.condition for node in body.walk() if isinstance(node, If | Jump)]
    waiting.extend(condition for condition in deciding if condition is not None)
    needed: set[Instr] = set()
    while waiting:
        instr = waiting.pop()
        if instr in needed:
            continue
        needed.add(instr)
        waiting.extend(instr.args)
        if instr.op == "load":
            waiting.extend(stores.pop(instr.attr, ()))
    return needed


def _copied(region: Region, needed: set[Instr]) -> Region:
    copy = Region()
    copy.nodes = [_copied_node(node, needed) for node in region.nodes]
    return copy


def _copied_node(node: Node, needed: set[Instr]) -> Node:
    if isinstance(node, Block):
        return _copied_block(node, needed)
    if isinstance(node, If):
        return If(node.condition, _copied(node.then, needed), _copied(node.orelse, needed))
    if isinstance(node, Loop):
        return Loop(_copied(node.body, needed), _copied(node.step, needed))
    return node


def _copied_block(block: Block, needed: set[Instr]) -> Block:
    copy = Block()
    copy.number, copy.kinds = block.number, block.kinds
    for instr in block.instructions:
        if instr in needed:
            copy.instructions.append(instr)
        elif instr.op == "tex":
            reference: TextureRef = instr.attr
            blind = TextureRef(replace(reference.lookup, needs_result=False), reference.roles)
            copy.instructions.append(Instr("tex", instr.type, instr.args, blind))
    if block.instructions and not copy.instructions:
        # Branches around empty blocks are no decisions: a block that was not empty must not become so.
        copy.instructions.append(Instr("const", BOOL, (), (False,)))
    return copy
