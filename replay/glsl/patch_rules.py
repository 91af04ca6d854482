"""Rules for tessellation shaders: what patches are made of, who may write it, layouts, where invocations wait.

GLSL ES 3.20 §4.3.6, §4.3.7, §4.4.1.1, §4.4.2.1, §7.1.2, §7.1.3, §8.15; GLSL 4.00 §4.3.4, §4.3.6, §4.3.8, §7.1, §8.14.
"""

from __future__ import annotations

from typing import Final

from replay.glsl import syntax as ast
from replay.glsl.geometry_rules import GeometryRules
from replay.glsl.ir import MAX_PATCH_VERTICES
from replay.glsl.preprocessor import Preprocessor
from replay.glsl.symbols import BlockInfo, Symbol
from replay.glsl.types import ArrayType, array_of
from replay.glsl.versions import brings

__all__ = ["TESSELLATION_STAGES", "PatchRules", "is_per_vertex"]

TESSELLATION_STAGES: Final = ("tess_control", "tess_evaluation")
_PRIMITIVES: Final = ("triangles", "quads", "isolines")
_SPACINGS: Final = ("equal_spacing", "fractional_even_spacing", "fractional_odd_spacing")
#: What a stage has of each vertex of a primitive or patch.
_PER_VERTEX: Final = {
    ("in", "geometry"), ("in", "tess_control"), ("out", "tess_control"), ("in", "tess_evaluation"),
}  # fmt: skip
_PATCH: Final = {"tess_control": "out", "tess_evaluation": "in"}


def is_per_vertex(storage: str, stage: str, *, is_patch: bool) -> bool:
    """Whether variables of a storage class are arrays with an element a vertex."""
    return not is_patch and (storage, stage) in _PER_VERTEX


class PatchRules(GeometryRules):
    """Part of the checker; see :class:`replay.glsl.checker.Checker`."""

    def __init__(self, preprocessor: Preprocessor, stage: str) -> None:
        super().__init__(preprocessor, stage)
        #: Outputs of the control stage, arrays of a vertex an element, and blocks of them.
        self._per_vertex_outputs: list[Symbol] = []
        self._barriers: list[int] = []
        self._returns_of_main: list[int] = []
        if stage not in TESSELLATION_STAGES:
            return
        if not self.version.has("tessellation") and not brings(self.enabled, "tessellation"):
            self.report(0, f"there are no tessellation shaders in {self.version.name}")
        if stage == "tess_control":
            self._per_vertex_outputs.append(self._builtins["gl_out"])

    def is_per_vertex(self, storage: str, *, is_patch: bool) -> bool:
        """Whether variables of a storage class are arrays with an element a vertex."""
        return is_per_vertex(storage, self.stage, is_patch=is_patch)

    # Layouts -------------------------------------------------------------------------------------------------------
    def control_layout(self, node: ast.QualifierDeclaration) -> None:
        """``layout(vertices = n) out;``."""
        layout = self.shader.tessellation
        for name, value, pos in node.qualifiers.layout:
            if name != "vertices":
                self.fail(pos, f"layout '{name}' has no meaning here")
            number = self._layout_value(name, value, pos)
            if not 1 <= number <= MAX_PATCH_VERTICES:
                self.fail(pos, f"a patch has 1 to {MAX_PATCH_VERTICES} vertices")
            if layout.vertices_out not in (0, number):
                self.fail(pos, f"the patch has {layout.vertices_out} vertices already")
            layout.vertices_out = number
            for symbol in self._per_vertex_outputs:
                self._give_length(symbol, number, pos)

    def evaluation_layout(self, node: ast.QualifierDeclaration) -> None:
        """``layout(triangles, equal_spacing, ccw, point_mode) in;``."""
        layout = self.shader.tessellation
        for name, value, pos in node.qualifiers.layout:
            if value is not None:
                self.fail(pos, f"layout '{name}' has no value")
            if name in _PRIMITIVES:
                layout.primitive = self._once("primitive", layout.primitive, name, pos)
            elif name in _SPACINGS:
                layout.spacing = self._once("spacing", layout.spacing, name, pos)
            elif name in ("cw", "ccw"):
                layout.order = self._once("order of vertices", layout.order, name, pos)
            elif name == "point_mode":
                layout.point_mode = True
            else:
                self.fail(pos, f"layout '{name}' has no meaning here")

    def _once(self, what: str, known: str, name: str, pos: int) -> str:
        if known not in ("", name):
            self.fail(pos, f"the {what} is '{known}' already")
        return name

    # Variables -----------------------------------------------------------------------------------------------------
    def check_patch(self, storage: str, pos: int) -> None:
        """``patch`` stands with outputs of the control and inputs of the evaluation stage."""
        if _PATCH.get(self.stage) != storage:
            self.fail(pos, "'patch' is for outputs of tessellation control and inputs of tessellation evaluation only")

    def per_vertex(self, symbol: Symbol, pos: int) -> None:
        """A variable that is an array with an element for each vertex of the primitive or patch."""
        if self.stage == "geometry":
            self.per_vertex_input(symbol, pos)
            return
        kind = "an input" if symbol.storage == "in" else "an output"
        if not isinstance(symbol.type, ArrayType):
            stage = self.stage.replace("tess_", "tessellation ")
            self.fail(pos, f"'{symbol.name}' is {kind} of a {stage} shader and must be an array")
        if symbol.storage == "in":
            self._give_length(symbol, MAX_PATCH_VERTICES, pos)
            return
        self._per_vertex_outputs.append(symbol)
        if self.shader.tessellation.vertices_out:
            self._give_length(symbol, self.shader.tessellation.vertices_out, pos)

    def _give_length(self, symbol: Symbol, length: int, pos: int) -> None:
        assert isinstance(symbol.type, ArrayType)
        if symbol.type.length not in (0, length):
            self.fail(pos, f"'{symbol.name}' has {symbol.type.length} elements; the patch has {length} vertices")
        if self.highest_index.pop(symbol, -1) >= length:
            self.fail(pos, f"'{symbol.name}' was used beyond {length} elements already")
        symbol.type = array_of(symbol.type.element, length)
        if symbol.block is not None:
            symbol.block.array = length

    def check_per_vertex_block(self, node: ast.BlockDeclaration, block: BlockInfo) -> None:
        """A block with an element a vertex has an instance name with one dimension."""
        if self.stage == "geometry":
            self.check_geometry_block(node, block)
        elif self.is_per_vertex(block.storage, is_patch=block.patch) and (not node.instance or len(node.dims) != 1):
            self.fail(node.pos, f"block '{block.name}' has an element a vertex and must be an array")

    # Use -----------------------------------------------------------------------------------------------------------
    def check_written_place(self, expr: ast.Expr) -> None:
        """An invocation of the control stage writes its own vertex: ``name[gl_InvocationID]``."""
        if self.stage != "tess_control":
            return
        index: ast.Expr | None = None
        while isinstance(expr, (ast.Index, ast.Member)):
            index = expr.index if isinstance(expr, ast.Index) else None
            expr = expr.base
        symbol = expr.symbol if isinstance(expr, ast.Name) else None
        is_own = isinstance(index, ast.Name) and index.name == "gl_InvocationID"
        if symbol in self._per_vertex_outputs and not is_own:
            self.fail(expr.pos, f"'{symbol.name}' is written with the index gl_InvocationID only")

    def note_barrier(self, pos: int) -> None:
        """Remember a place where invocations wait."""
        self._barriers.append(pos)

    def _return(self, node: ast.JumpStatement) -> None:
        super()._return(node)
        if self.function is not None and self.function.name == "main":
            self._returns_of_main.append(node.pos)

    def finish_control(self) -> None:
        """``barrier()`` stands in main, outside of control flow, before any return."""
        statements = list(self.shader.main.body.statements) if self.shader.main and self.shader.main.body else []
        allowed: set[int] = set()
        while statements:
            node = statements.pop()
            if isinstance(node, ast.Block):
                statements += node.statements
            elif isinstance(node, ast.ExpressionStatement) and isinstance(node.expression, ast.Call):
                allowed.add(node.expression.pos)
        first_return = min(self._returns_of_main, default=-1)
        for pos in self._barriers:
            if pos not in allowed:
                self.report(pos, "barrier() stands in main only, outside of control flow")
            elif 0 <= first_return < pos:
                self.report(pos, "barrier() cannot stand behind a return")
