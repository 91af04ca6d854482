"""LLVM modules and functions as text: what :mod:`replay.glsl.llvm.vectors` writes into."""

from __future__ import annotations

import struct

__all__ = ["FunctionWriter", "ModuleWriter", "float_literal", "int_literal"]


def float_literal(value: float) -> str:
    """LLVM's hexadecimal spelling of the binary32 value nearest to ``value``."""
    try:
        single = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        single = float("inf") if value > 0 else float("-inf")
    return f"0x{struct.unpack('<Q', struct.pack('<d', single))[0]:016X}"


def int_literal(value: int) -> str:
    """LLVM's spelling of the low 32 bits of ``value``, as a signed number."""
    low = value & 0xFFFFFFFF
    return str(low - (1 << 32) if low >> 31 else low)


class ModuleWriter:
    """An LLVM module as text: declarations, internal functions, constants."""

    def __init__(self) -> None:
        self._declarations: dict[str, None] = {}
        self._definitions: dict[str, str] = {}

    def declare(self, declaration: str) -> None:
        """Add a ``declare ...`` line once."""
        self._declarations.setdefault(declaration)

    def has(self, name: str) -> bool:
        """Whether a function or global of this name is defined."""
        return name in self._definitions

    def define(self, name: str, text: str) -> None:
        """Add a function or global under its name."""
        self._definitions[name] = text

    def text(self) -> str:
        """The whole module."""
        return "\n".join([*self._declarations, *self._definitions.values(), "!0 = !{}", ""])


class FunctionWriter:
    """Lines of one function: allocations first, then basic blocks in order."""

    def __init__(self) -> None:
        self._allocations: list[str] = []
        self._lines: list[str] = []
        self._names = 0
        self._label = "entry"
        self._block_start = 0

    @property
    def block_length(self) -> int:
        """Lines in the block being written."""
        return len(self._lines) - self._block_start

    @property
    def label(self) -> str:
        """Label of the block being written (the incoming block of phis)."""
        return self._label

    def new_label(self, hint: str) -> str:
        """New label for a basic block that is started later."""
        self._names += 1
        return f"{hint}.{self._names}"

    def line(self, text: str) -> None:
        """Append one instruction without result."""
        self._lines.append(text)

    def assign(self, text: str) -> str:
        """Append one instruction and give the name of its result."""
        self._names += 1
        name = f"%t{self._names}"
        self._lines.append(f"{name} = {text}")
        return name

    def allocate(self, type_: str, count: int = 1, align: int = 64) -> str:
        """Stack storage for ``count`` values, reserved once per call of the function."""
        self._names += 1
        name = f"%a{self._names}"
        size = type_ if count == 1 else f"[{count} x {type_}]"
        self._allocations.append(f"{name} = alloca {size}, align {align}")
        return name

    def promise(self) -> str:
        """Name of an i64 that may be used at once, before :meth:`keep` says what it is."""
        self._names += 1
        return f"%later{self._names}"

    def keep(self, name: str, value: int) -> None:
        """Say what a promised number is."""
        self._allocations.append(f"{name} = add i64 0, {value}")

    def start(self, label: str) -> None:
        """Begin the basic block ``label``; the block before must have ended with a branch."""
        self._lines.append(f"{label}:")
        self._label = label
        self._block_start = len(self._lines)

    def jump(self, label: str) -> None:
        """End the block."""
        self._lines.append(f"br label %{label}")

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        """End the block on an i1."""
        self._lines.append(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def body(self) -> str:
        """Everything between the braces."""
        return "\n".join(["entry:", *self._allocations, *self._lines])
