"""Lowering of ``interpolateAtCentroid``, ``interpolateAtSample`` and ``interpolateAtOffset`` (GLSL ES 3.20 §8.13.2).

The stage gets the coefficients of the interpolant's plane equation as inputs of their own and evaluates it itself.
"""

from __future__ import annotations

from replay.glsl.builder import Builder
from replay.glsl.ir import InputSlot, Instr, Interpolation
from replay.glsl.lowering.storage import InputLeaf, Lowered, Ref
from replay.glsl.sample_pattern import SAMPLES, sample_offset
from replay.glsl.types import INT, Base, NumericType, vector

__all__ = ["Interpolants"]

_ONE, _TWO, _THREE = (vector(Base.FLOAT, width) for width in (1, 2, 3))


class Interpolants:
    """The interpolants of a stage.

    Parameters
    ----------
    build : of the stage
    inputs : of the stage; what is needed is appended
    """

    def __init__(self, build: Builder, inputs: list[InputSlot]) -> None:
        self._build = build
        self._inputs = inputs
        self._coefficients: dict[int, list[InputLeaf]] = {}
        self._builtins: dict[str, InputLeaf] = {}

    def value(self, function: str, found: Ref, args: list[Instr]) -> Lowered:
        """The interpolant somewhere else in its pixel."""
        build = self._build
        leaf = found.store
        assert isinstance(leaf, InputLeaf)
        interpolation = self._inputs[leaf.slot].interpolation
        if interpolation is Interpolation.FLAT:
            return found.load(build)
        moved = build.op("fadd", self._builtin("gl_PlaneOffset", _TWO), self._offset(function, args))
        dx, dy = (build.swizzle(moved, (k,)) for k in range(2))
        coefficients = [
            Ref(part, found.type, found.static, found.dynamic, found.components, found.component).load(build)
            for part in self._coefficients_of(leaf)
        ]
        value = self._plane([part for part in coefficients if isinstance(part, Instr)], dx, dy)
        if interpolation is Interpolation.NOPERSPECTIVE:
            return value
        over_w = self._builtin("gl_PlaneOverW", _THREE)
        w = build.op("frcp", self._plane([build.swizzle(over_w, (k,)) for k in range(3)], dx, dy))
        return build.op("fmul", value, w)

    def _plane(self, coefficients: list[Instr], dx: Instr, dy: Instr) -> Instr:
        build = self._build
        a, b, c = coefficients
        return build.op("fadd", build.op("fmul", c, dy), build.op("fadd", build.op("fmul", b, dx), a))

    def _offset(self, function: str, args: list[Instr]) -> Instr:
        """Distance from the pixel's centre."""
        build = self._build
        if function == "interpolateAtOffset":
            return args[0]
        if function == "interpolateAtCentroid":
            return self._builtin("gl_CentroidOffset", _TWO)
        several = build.op("ine", self._builtin("gl_NumSamples", INT), build.int_constant(1))
        down = build.op("ine", self._builtin("gl_RowsFromTop", INT), build.int_constant(0))
        found = build.float_constant(0.0, 2)
        for sample in range(SAMPLES):
            up, turned = (build.constant(_TWO, sample_offset(sample, from_top=from_top)) for from_top in (False, True))
            is_it = build.op("band", several, build.op("ieq", args[0], build.int_constant(sample)))
            found = build.select(is_it, build.select(down, turned, up), found)
        return found

    def _coefficients_of(self, leaf: InputLeaf) -> list[InputLeaf]:
        known = self._coefficients.get(leaf.slot)
        if known is None:
            slot = self._inputs[leaf.slot]
            known = self._coefficients[leaf.slot] = []
            for k in range(3):
                known.append(InputLeaf(len(self._inputs), leaf.type, leaf.count))
                self._inputs.append(
                    InputSlot(slot.name, "", slot.type, -1, 0, slot.count, slot.interpolation, coefficient=k)
                )
        return known

    def _builtin(self, name: str, type: NumericType) -> Instr:
        leaf = self._builtins.get(name)
        if leaf is None:
            leaf = self._builtins[name] = InputLeaf(len(self._inputs), type, 1)
            self._inputs.append(InputSlot(name, name, type, -1))
        return leaf.load(self._build, type, 0, None)
