"""Rules for geometry shaders: what they take and give, inputs of all vertices of a primitive, emitting.

GLSL ES 3.20 §4.4.1.2, §4.4.2.2, §7.1.4, §8.16; GLSL 1.50 §4.3.8, §7.1. Streams other than 0 are refused.
"""

from __future__ import annotations

from typing import Final

from replay.glsl import syntax as ast
from replay.glsl.ir import GEOMETRY_INPUTS
from replay.glsl.memory_rules import MemoryRules
from replay.glsl.preprocessor import Preprocessor
from replay.glsl.symbols import BlockInfo, Symbol
from replay.glsl.types import ArrayType, StructType, Type, array_of
from replay.glsl.versions import brings

__all__ = ["MAX_GEOMETRY_INVOCATIONS", "MAX_GEOMETRY_OUTPUT_VERTICES", "GeometryRules"]

MAX_GEOMETRY_OUTPUT_VERTICES: Final = 256
MAX_GEOMETRY_INVOCATIONS: Final = 32
_OUTPUTS: Final = ("points", "line_strip", "triangle_strip")


class GeometryRules(MemoryRules):
    """Part of the checker; see :class:`replay.glsl.checker.Checker`."""

    def __init__(self, preprocessor: Preprocessor, stage: str) -> None:
        super().__init__(preprocessor, stage)
        #: Inputs, arrays of a vertex an element, and blocks of them.
        self._per_vertex_inputs: list[Symbol] = []
        self._given_numbers: set[str] = set()
        if stage == "geometry":
            self._per_vertex_inputs.append(self._builtins["gl_in"])
            if not self.version.has("geometry") and not brings(self.enabled, "geometry"):
                self.report(0, f"there are no geometry shaders in {self.version.name}")

    # Layouts -------------------------------------------------------------------------------------------------------
    def geometry_layout(self, node: ast.QualifierDeclaration, storage: str) -> None:
        """``layout(points) in;`` and ``layout(triangle_strip, max_vertices = n) out;``."""
        for name, value, pos in node.qualifiers.layout:
            if storage == "in" and name in GEOMETRY_INPUTS and value is None:
                self._input_primitive(name, pos)
            elif storage == "in" and name == "invocations" and self._has_invocations():
                self._number("invocations", self._layout_value(name, value, pos), MAX_GEOMETRY_INVOCATIONS, pos)
            elif storage == "out" and name in _OUTPUTS and value is None:
                self._output_primitive(name, pos)
            elif storage == "out" and name == "max_vertices":
                self._number("max_vertices", self._layout_value(name, value, pos), MAX_GEOMETRY_OUTPUT_VERTICES, pos)
            elif storage == "out" and name == "stream" and self._layout_value(name, value, pos) == 0:
                continue
            else:
                self.fail(pos, f"layout '{name}' has no meaning here, or is not implemented")

    def _has_invocations(self) -> bool:
        return self.version.has("geometry_invocations") or brings(self.enabled, "geometry_invocations")

    def _input_primitive(self, name: str, pos: int) -> None:
        layout = self.shader.geometry
        if layout.input not in ("", name):
            self.fail(pos, f"the input primitive is '{layout.input}' already")
        layout.input = name
        for symbol in self._per_vertex_inputs:
            self._give_size(symbol, pos)

    def _output_primitive(self, name: str, pos: int) -> None:
        layout = self.shader.geometry
        if layout.output not in ("", name):
            self.fail(pos, f"the output primitive is '{layout.output}' already")
        layout.output = name

    def _number(self, what: str, number: int, most: int, pos: int) -> None:
        layout = self.shader.geometry
        least = 1 if what == "invocations" else 0
        if not least <= number <= most:
            self.fail(pos, f"'{what}' must lie between {least} and {most}")
        known = getattr(layout, what)
        if what in self._given_numbers and known != number:
            self.fail(pos, f"'{what}' is {known} already")
        self._given_numbers.add(what)
        setattr(layout, what, number)

    def finish_geometry(self) -> None:
        """Check that everything is said that has to be."""
        layout = self.shader.geometry
        if not layout.input:
            self.report(0, "a geometry shader needs layout(...) in; with its input primitive")
        if not layout.output:
            self.report(0, "a geometry shader needs layout(...) out; with its output primitive")
        if layout.max_vertices < 0:
            self.report(0, "a geometry shader needs layout(max_vertices = ...) out;")

    # Inputs --------------------------------------------------------------------------------------------------------
    def per_vertex_input(self, symbol: Symbol, pos: int) -> None:
        """An input of a geometry shader: an array with an element for each vertex of the primitive."""
        if not isinstance(symbol.type, ArrayType):
            self.fail(pos, f"'{symbol.name}' is an input of a geometry shader and must be an array")
        self._per_vertex_inputs.append(symbol)
        if self.shader.geometry.input:
            self._give_size(symbol, pos)

    def _give_size(self, symbol: Symbol, pos: int) -> None:
        """Size an input by the primitive, or check the size that it has."""
        vertices = self.shader.geometry.vertices_in
        assert isinstance(symbol.type, ArrayType)
        if symbol.type.length and symbol.type.length != vertices:
            self.fail(
                pos, f"'{symbol.name}' has {symbol.type.length} elements; '{self.shader.geometry.input}' has {vertices}"
            )
        if self.highest_index.pop(symbol, -1) >= vertices:
            self.fail(pos, f"'{symbol.name}' was used beyond {vertices} elements already")
        symbol.type = array_of(symbol.type.element, vertices)
        if symbol.block is not None:
            symbol.block.array = vertices

    def redeclare_per_vertex(self, node: ast.BlockDeclaration, name: str) -> None:
        """``in gl_PerVertex { ... } gl_in[];`` names the built-in inputs (or outputs) that the shader wants."""
        known = self._builtins[name].type
        assert isinstance(known, ArrayType)
        assert isinstance(known.element, StructType)
        if node.instance != name or len(node.dims) != 1:
            self.fail(node.instance_pos, f"gl_PerVertex is declared as {name}[]")
        for member in node.members:
            base = self.resolve_type_name(member.spec)
            for declarator in member.declarators:
                own = known.element.by_name.get(declarator.name)
                found = self._sized(base, [*declarator.dims, *member.spec.dims], declarator.pos, unsized_ok=True)
                is_array = own is not None and isinstance(own.type, ArrayType) and isinstance(found, ArrayType)
                if own is None or (own.type is not found and not is_array):
                    self.fail(declarator.pos, f"'{declarator.name}' is no member of gl_PerVertex of this type")

    def check_geometry_block(self, node: ast.BlockDeclaration, block: BlockInfo) -> None:
        """A block of inputs has an instance name with one dimension."""
        if block.storage == "in" and (not node.instance or len(node.dims) != 1):
            self.fail(node.pos, f"input block '{block.name}' of a geometry shader must be an array")

    # Emitting ------------------------------------------------------------------------------------------------------
    def check_stream(self, expr: ast.Call) -> None:
        """``EmitStreamVertex`` and ``EndStreamPrimitive`` take stream 0."""
        stream = self.constant_integer(expr.args[0], "a stream")
        if stream != 0:
            self.fail(expr.args[0].pos, "streams other than 0 are not supported")


def element_of(type: Type) -> Type:
    """What an array of inputs has of a vertex."""
    return type.element if isinstance(type, ArrayType) else type
