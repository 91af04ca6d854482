"""Checks of statements (GLSL ES 3.00 chapter 6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from replay.glsl import syntax as ast
from replay.glsl.diagnostics import GlslError
from replay.glsl.expressions import ExpressionChecker
from replay.glsl.preprocessor import Preprocessor
from replay.glsl.types import BOOL, INT, UINT, VOID, Type

__all__ = ["StatementRules"]


class StatementRules(ExpressionChecker):
    """Part of the checker; see :class:`replay.glsl.checker.Checker`."""

    def __init__(self, preprocessor: Preprocessor, stage: str) -> None:
        super().__init__(preprocessor, stage)
        #: Default precisions, innermost scope last.
        self._precision: list[dict[str, str]] = []
        self._loops = 0
        self._switches = 0
        #: Return statements seen in the function being checked.
        self._returns = 0

    def check_declaration(self, node: object) -> None:
        """Check a declaration inside a function."""
        raise NotImplementedError

    def check_variables(self, node: ast.Declaration) -> None:
        """Check a declaration of variables."""
        raise NotImplementedError

    def _guard(self, check: Callable[[Any], object], node: Any) -> None:
        """Run a check and go on behind the node if it fails."""
        depth = len(self.scopes.stack)
        precisions = len(self._precision)
        loops, switches = self._loops, self._switches
        try:
            check(node)
        except GlslError as error:
            if type(error) is not GlslError:
                raise
            del self.scopes.stack[depth:]
            del self._precision[precisions:]
            self._loops, self._switches = loops, switches

    # Statements ----------------------------------------------------------------------------------------------------
    def _statement(self, node: ast.Statement) -> None:
        self._STATEMENTS[type(node)](self, node)

    def _expression_statement(self, node: ast.ExpressionStatement) -> None:
        if node.expression is not None:
            self.check(node.expression)

    def _declaration_statement(self, node: ast.DeclarationStatement) -> None:
        self.check_declaration(node.declaration)

    def _block_statement(self, node: ast.Block) -> None:
        self.scopes.push()
        self._precision.append({})
        for statement in node.statements:
            self._guard(self._statement, statement)
        self._precision.pop()
        self.scopes.pop()

    def _scoped(self, node: ast.Statement) -> None:
        """A statement that is a scope of its own."""
        self.scopes.push()
        self._precision.append({})
        self._guard(self._statement, node)
        self._precision.pop()
        self.scopes.pop()

    def _condition(self, node: ast.Expr | ast.Declaration, what: str) -> None:
        if isinstance(node, ast.Declaration):
            self.check_variables(node)
            symbol = node.declarators[0].symbol
            if symbol is not None and symbol.type is not BOOL:
                self.fail(node.pos, f"the condition of '{what}' must be a bool, not {symbol.type}")
            return
        found = self.check(node)
        if found is not BOOL:
            self.fail(node.pos, f"the condition of '{what}' must be a bool, not {found}")

    def _if(self, node: ast.IfStatement) -> None:
        self._guard(lambda node: self._condition(node, "if"), node.condition)
        self._scoped(node.then)
        if node.orelse is not None:
            self._scoped(node.orelse)

    def _for(self, node: ast.For) -> None:
        self.scopes.push()
        self._precision.append({})
        if node.init is not None:
            self._guard(self._statement, node.init)
        if node.condition is not None:
            self._guard(lambda node: self._condition(node, "for"), node.condition)
        if node.step is not None:
            self._guard(self.check, node.step)
        self._loop_body(node.body)
        self._precision.pop()
        self.scopes.pop()

    def _loop_body(self, body: ast.Statement) -> None:
        self._loops += 1
        switches, self._switches = self._switches, 0
        # The body shares the scope of the loop's head.
        for statement in body.statements if isinstance(body, ast.Block) else [body]:
            self._guard(self._statement, statement)
        self._switches = switches
        self._loops -= 1

    def _while(self, node: ast.While) -> None:
        self.scopes.push()
        self._precision.append({})
        self._guard(lambda node: self._condition(node, "while"), node.condition)
        self._loop_body(node.body)
        self._precision.pop()
        self.scopes.pop()

    def _do(self, node: ast.DoWhile) -> None:
        self._loops += 1
        switches, self._switches = self._switches, 0
        self._scoped(node.body)
        self._switches = switches
        self._loops -= 1
        self._condition(node.condition, "do")

    def _switch(self, node: ast.Switch) -> None:
        found = self.value(node.selector)
        if found is not INT and found is not UINT:
            self.fail(node.selector.pos, f"switch needs an integer, not {found}")
        statements = node.statements
        if statements and not isinstance(statements[0], ast.Case):
            self.fail(statements[0].pos, "a switch must begin with a label")
        if statements and isinstance(statements[-1], ast.Case):
            self.report(statements[-1].pos, "a statement must follow the last label of a switch")
        self.scopes.push()
        self._precision.append({})
        self._switches += 1
        seen: set[int] = set()
        has_default = False
        for statement in statements:
            if not isinstance(statement, ast.Case):
                self._guard(self._statement, statement)
            elif statement.label is None:
                if has_default:
                    self.report(statement.pos, "second default label")
                has_default = True
            else:
                self._guard(lambda case: self._case(case, found, seen), statement)
        self._switches -= 1
        self._precision.pop()
        self.scopes.pop()

    def _case(self, node: ast.Case, wanted: Type, seen: set[int]) -> None:
        assert node.label is not None
        value = self.constant_integer(node.label, "a label")
        if node.label.type is not wanted:
            self.fail(node.label.pos, f"the label is {node.label.type}, but the switch {wanted}")
        value &= 0xFFFFFFFF
        if value in seen:
            self.fail(node.label.pos, "this label was there already")
        seen.add(value)
        node.value = value

    def _stray_case(self, node: ast.Case) -> None:
        self.fail(node.pos, "a label must stand directly inside a switch")

    def _jump(self, node: ast.JumpStatement) -> None:
        kind = node.kind
        if kind == "break":
            if not self._loops and not self._switches:
                self.fail(node.pos, "'break' outside of a loop or switch")
        elif kind == "continue":
            if not self._loops:
                self.fail(node.pos, "'continue' outside of a loop")
        elif kind == "discard":
            if self.stage != "fragment":
                self.fail(node.pos, "'discard' exists in fragment shaders only")
        else:
            self._return(node)

    def _return(self, node: ast.JumpStatement) -> None:
        function = self.function
        assert function is not None
        self._returns += 1
        if node.value is None:
            if function.returns is not VOID:
                self.fail(node.pos, f"'{function.name}' must return {function.returns}")
            return
        found = self.check(node.value)
        if function.returns is VOID:
            self.fail(node.pos, f"'{function.name}' returns no value")
        # No implicit conversion here before GLSL 4.20.
        if found is not function.returns:
            self.fail(node.value.pos, f"'{function.name}' must return {function.returns}, not {found}")

    _STATEMENTS: Final[dict[type, Callable[[Any, Any], None]]] = {
        ast.ExpressionStatement: _expression_statement,
        ast.DeclarationStatement: _declaration_statement,
        ast.Block: _block_statement,
        ast.IfStatement: _if,
        ast.For: _for,
        ast.While: _while,
        ast.DoWhile: _do,
        ast.Switch: _switch,
        ast.Case: _stray_case,
        ast.JumpStatement: _jump,
    }
