"""Text of a stage's IR, for people and tests."""

from __future__ import annotations

from replay.glsl.ir import (
    Block,
    ConstantRef,
    If,
    InputRef,
    Instr,
    Loop,
    Region,
    StageIR,
    StoreRef,
    TextureRef,
)

__all__ = ["format_stage"]

_LETTERS = "xyzw"


def _letters(components: tuple[int, ...]) -> str:
    return "".join(_LETTERS[component] for component in components)


def _name(value: Instr) -> str:
    if value.op == "const":
        components = (f"{one:g}" if isinstance(one, float) else str(one) for one in value.attr)
        return f"{value.type}({', '.join(components)})"
    return f"%{value.number}"


def _attribute(ir: StageIR, instr: Instr) -> str:
    attr = instr.attr
    if isinstance(attr, tuple):
        return f".{_letters(attr)}"
    if isinstance(attr, StoreRef):
        return f" {attr.variable}.{_letters(attr.mask)}"
    if isinstance(attr, ConstantRef):
        return f" c{attr.area}[{attr.offset}" + (f" + {attr.stride} * i < {attr.count}" if instr.args else "") + "]"
    if isinstance(attr, InputRef):
        return f" {ir.inputs[attr.slot].name}[{attr.element}]"
    if isinstance(attr, TextureRef):
        return f" #{attr.lookup.instruction} s{attr.lookup.slot} {attr.lookup.kind.value} ({', '.join(attr.roles)})"
    return f" {attr}" if attr is not None else ""


def _format_region(ir: StageIR, region: Region, indent: str, out: list[str]) -> None:
    for node in region.nodes:
        if isinstance(node, Block):
            out.append(f"{indent}block {node.number}:  {len(node.kinds)} instructions")
            for instr in node.instructions:
                if instr.op == "const":
                    continue
                args = ", ".join(_name(arg) for arg in instr.args)
                left = f"%{instr.number} = " if instr.type is not None else ""
                kind = f" : {instr.type}" if instr.type is not None else ""
                out.append(f"{indent}  {left}{instr.op}{_attribute(ir, instr)} {args}".rstrip() + kind)
        elif isinstance(node, If):
            out.append(f"{indent}if {_name(node.condition)} {{")
            _format_region(ir, node.then, indent + "  ", out)
            if node.orelse.nodes:
                out.append(f"{indent}}} else {{")
                _format_region(ir, node.orelse, indent + "  ", out)
            out.append(f"{indent}}}")
        elif isinstance(node, Loop):
            out.append(f"{indent}loop {{")
            _format_region(ir, node.body, indent + "  ", out)
            if node.step.nodes:
                out.append(f"{indent}}} step {{")
                _format_region(ir, node.step, indent + "  ", out)
            out.append(f"{indent}}}")
        else:
            when = "" if node.condition is None else f" if {_name(node.condition)}"
            out.append(f"{indent}{node.kind.name.lower()}{when}")


def format_stage(ir: StageIR) -> str:
    """Listing of a stage."""
    out = [f"{ir.stage} shader"]
    for slot, entry in enumerate(ir.inputs):
        where = entry.builtin or f"location {entry.location}"
        out.append(f"  input {slot}: {entry.type} {entry.name}[{entry.count}] {where}")
    for output in ir.outputs:
        where = output.builtin or f"location {output.location}"
        out.append(f"  output {output.variable}: {output.variable.type} {where}")
    out.extend(f"  area {k}: {area.words} words {area.name}" for k, area in enumerate(ir.areas))
    _format_region(ir, ir.body, "", out)
    return "\n".join(out)
