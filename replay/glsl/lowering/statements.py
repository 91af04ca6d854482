"""Lowering of statements and functions: structured control flow, inlining, unrolling of constant loops.

A function that returns from inside a branch or loop has no counterpart in the IR. Where a branch always returns, what
follows it goes to the other branch; where it may return, a flag guards what follows. ``switch`` becomes a chain of
branches, or, where a group falls through, a loop that runs once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from replay.glsl import syntax as ast
from replay.glsl.builder import Builder, ProgramTooLargeError
from replay.glsl.expression_base import contains, is_opaque
from replay.glsl.ir import If, Instr, JumpKind, Loop
from replay.glsl.lowering.expressions import ExpressionLowerer, has_side_effects
from replay.glsl.lowering.storage import BlockRef, Lowered, Ref
from replay.glsl.precision import is_below_highp
from replay.glsl.symbols import Function, Symbol
from replay.glsl.types import BOOL, VOID, ArrayType, Base, NumericType

__all__ = ["StatementLowerer"]

#: Loops are unrolled up to this many rounds, and this many syntax nodes in all.
MAX_UNROLL_ROUNDS: Final = 64
MAX_UNROLL_NODES: Final = 4000
MAX_CALL_DEPTH: Final = 64
#: Groups of a switch up to which it becomes a chain of branches, each inside the one before.
MAX_SWITCH_CHAIN: Final = 32


class _Frame:
    """One inlined call."""

    __slots__ = ("result", "returned")

    def __init__(self, result: Ref | None, returned: Ref) -> None:
        self.result = result
        #: Flag that a return sets.
        self.returned = returned


class _LoopContext:
    """What ``break`` and ``continue`` mean: of a loop, or of the loop that a switch became."""

    __slots__ = ("continued", "is_switch")

    def __init__(self, is_switch: bool) -> None:
        self.is_switch = is_switch
        #: Flag for a ``continue`` inside a switch that became a loop.
        self.continued: Ref | None = None


def _returns(node: ast.Statement | None) -> bool:
    """Tell whether a return stands anywhere inside."""
    return _any_jump(node, "return")


def _any_jump(node: ast.Statement | None, kind: str) -> bool:
    if isinstance(node, ast.JumpStatement):
        return node.kind == kind
    if isinstance(node, ast.Block):
        return any(_any_jump(one, kind) for one in node.statements)
    if isinstance(node, ast.IfStatement):
        return _any_jump(node.then, kind) or _any_jump(node.orelse, kind)
    if isinstance(node, (ast.For, ast.While, ast.DoWhile)):
        return kind == "return" and _any_jump(node.body, kind)
    if isinstance(node, ast.Switch):
        return kind != "break" and any(_any_jump(one, kind) for one in node.statements)
    return False


def _always_returns(node: ast.Statement | None) -> bool:
    """Tell whether control never leaves the statement but by a return."""
    if isinstance(node, ast.JumpStatement):
        return node.kind == "return"
    if isinstance(node, ast.Block):
        return any(_always_returns(one) for one in node.statements)
    if isinstance(node, ast.IfStatement):
        return _always_returns(node.then) and _always_returns(node.orelse)
    return False


class StatementLowerer(ExpressionLowerer):
    """Lowers function bodies."""

    def __init__(self, builder: Builder, is_fragment: bool, unrolls: bool = True) -> None:
        super().__init__(builder, is_fragment)
        self._unrolls = unrolls
        self.unrolled = False
        self._frames: list[_Frame | None] = []
        self._loops: list[_LoopContext] = []
        #: Copies of the current statement that unrolling of the loops around it makes.
        self._copies = 1
        self._function_sizes: dict[Function, int] = {}

    # Functions -----------------------------------------------------------------------------------------------------
    def main(self, function: Function) -> None:
        """Lower the entry point."""
        assert function.body is not None
        self._frames.append(None)
        self._sequence(function.body.statements)
        self._frames.pop()

    def inline(self, function: Function, expr: ast.Call) -> Lowered | None:
        """Lower a call."""
        build = self.build
        assert function.body is not None
        if len(self._frames) > MAX_CALL_DEPTH:
            raise ProgramTooLargeError
        copies: list[tuple[ast.Expr, Ref, Ref]] = []
        bound: list[tuple[Symbol, Lowered | Ref | BlockRef]] = []
        for parameter, arg in zip(function.parameters, expr.args, strict=True):
            bound.append((parameter, self._argument(parameter, arg, copies)))
        for parameter, meaning in bound:
            self.bindings[parameter] = meaning
        result = None if function.returns is VOID else self.new_storage(function.returns, function.name)
        frame = _Frame(result, self.new_storage(BOOL, "returned"))
        loops, self._loops = self._loops, []
        self._frames.append(frame)
        statements = function.body.statements
        value: Lowered | None = None
        last = statements[-1] if statements else None
        simple = isinstance(last, ast.JumpStatement) and last.kind == "return" and last.value is not None
        if simple and not any(_returns(one) for one in statements[:-1]):
            # The common shape, straight to one return: its value needs no storage.
            for statement in statements[:-1]:
                self._statement(statement)
            assert isinstance(last, ast.JumpStatement)
            assert last.value is not None
            value = self.value(last.value)
        else:
            frame.returned.store_value(build, build.bool_constant(False))
            self._sequence(statements)
            if result is not None:
                value = result.load(build)
        self._frames.pop()
        self._loops = loops
        for arg, target, source in copies:
            target.store_value(build, self.kept(source.load(build), arg))
        return value

    def _argument(
        self, parameter: Symbol, arg: ast.Expr, copies: list[tuple[ast.Expr, Ref, Ref]]
    ) -> Lowered | Ref | BlockRef:
        build = self.build
        if parameter.direction == "in":
            if contains(parameter.type, is_opaque):
                found = self.path(arg)
                assert isinstance(found, Ref)
                return found
            value = self.value(arg)
            if parameter.written == 0 and not isinstance(parameter.type, ArrayType):
                return value
            storage = self.new_storage(parameter.type, parameter.name or "argument")
            storage.store_value(build, value)
            return storage
        target = self.reference(arg)
        storage = self.new_storage(parameter.type, parameter.name or "argument")
        if parameter.direction == "inout":
            storage.store_value(build, target.load(build))
        copies.append((arg, target, storage))
        return storage

    # Sequences -----------------------------------------------------------------------------------------------------
    def _sequence(self, statements: Sequence[ast.Statement]) -> None:
        """Lower statements, minding returns in the middle (of inlined functions)."""
        frame = self._frames[-1]
        for k, statement in enumerate(statements):
            if isinstance(statement, ast.JumpStatement) and statement.kind != "discard":
                self._statement(statement)
                return
            if frame is None or not _returns(statement):
                self._statement(statement)
                continue
            rest = statements[k + 1 :]
            if isinstance(statement, ast.Block):
                # A nested block's names are resolved already, so its statements can join this list.
                self._sequence([*statement.statements, *rest])
                return
            if isinstance(statement, ast.IfStatement) and rest:
                if _always_returns(statement.then):
                    self._if(statement, rest_in_else=rest)
                    return
                if _always_returns(statement.orelse):
                    self._if(statement, rest_in_then=rest)
                    return
            self._statement(statement)
            if rest:
                self._guarded(frame, rest)
            return

    def _guarded(self, frame: _Frame, rest: Sequence[ast.Statement]) -> None:
        """Lower what runs only where the function has not returned."""
        build = self.build
        flag = frame.returned.load(build)
        assert isinstance(flag, Instr)
        node = If(build.op("bnot", flag))
        build.push(node.then)
        self._sequence(rest)
        build.pop()
        build.node(node)

    def _statement(self, node: ast.Statement) -> None:
        before = self.build.line
        self.build.line = self.line_of(node.pos)
        self._STATEMENTS[type(node)](self, node)
        self.build.line = before

    def _block(self, node: ast.Block) -> None:
        self._sequence(node.statements)

    def _expression(self, node: ast.ExpressionStatement) -> None:
        if node.expression is not None:
            self.effect(node.expression)

    def _declaration(self, node: ast.DeclarationStatement) -> None:
        if isinstance(node.declaration, ast.Declaration):
            self.declare(node.declaration)

    def declare(self, node: ast.Declaration) -> None:
        """Lower a declaration of variables of a function."""
        for declarator in node.declarators:
            symbol = declarator.symbol
            if symbol is None or symbol.storage == "const":
                if symbol is not None and declarator.init is not None:
                    self.bindings[symbol] = self.value(declarator.init)
                continue
            value = self.value(declarator.init) if declarator.init is not None else None
            value = None if value is None else self.narrowed(value, symbol.precision)
            if value is not None and symbol.written == 0 and not isinstance(symbol.type, ArrayType):
                self.bindings[symbol] = value
                continue
            storage = self.new_storage(symbol.type, symbol.name)
            self.bindings[symbol] = storage
            if value is not None:
                storage.store_value(self.build, value)

    # Branches ------------------------------------------------------------------------------------------------------
    def _if(
        self,
        node: ast.IfStatement,
        rest_in_then: Sequence[ast.Statement] = (),
        rest_in_else: Sequence[ast.Statement] = (),
    ) -> None:
        build = self.build
        condition = self.scalar(node.condition)
        then: list[ast.Statement] = [node.then, *rest_in_then]
        orelse: list[ast.Statement] = [*([node.orelse] if node.orelse is not None else []), *rest_in_else]
        if condition.op == "const":
            self._sequence(then if condition.attr[0] else orelse)
            return
        branch = If(condition)
        build.push(branch.then)
        self._sequence(then)
        build.pop()
        build.push(branch.orelse)
        self._sequence(orelse)
        build.pop()
        build.node(branch)

    def _if_statement(self, node: ast.IfStatement) -> None:
        self._if(node)

    # Loops ---------------------------------------------------------------------------------------------------------
    def _for(self, node: ast.For) -> None:
        if node.init is not None:
            rounds = self._constant_rounds(node)
            if rounds is not None:
                self.unrolled = True
                symbol, values = rounds
                copies = self._copies
                self._copies *= max(len(values), 1)
                for value in values:
                    self.bindings[symbol] = value
                    self._statement(node.body)
                self._copies = copies
                return
            self._statement(node.init)
        self._loop(node.condition, node.body, node.step)

    def _while(self, node: ast.While) -> None:
        self._loop(node.condition, node.body, None)

    def _loop(self, condition: ast.Expr | ast.Declaration | None, body: ast.Statement, step: ast.Expr | None) -> None:
        build = self.build
        loop = Loop()
        context = _LoopContext(is_switch=False)
        self._loops.append(context)
        build.push(loop.body)
        if condition is not None:
            found = self._loop_condition(condition)
            if not (found.op == "const" and found.attr[0]):
                build.jump(JumpKind.BREAK, build.op("bnot", found))
        self._sequence([body])
        build.pop()
        build.push(loop.step)
        if step is not None:
            self.effect(step)
        build.pop()
        self._loops.pop()
        build.node(loop)
        self._leave_outer_loops(body)

    def _loop_condition(self, condition: ast.Expr | ast.Declaration) -> Instr:
        if isinstance(condition, ast.Declaration):
            self.declare(condition)
            symbol = condition.declarators[0].symbol
            assert symbol is not None
            found = self.binding(symbol)
            value = found.load(self.build) if isinstance(found, (Ref, BlockRef)) else found
            assert isinstance(value, Instr)
            return value
        return self.scalar(condition)

    def _do(self, node: ast.DoWhile) -> None:
        build = self.build
        loop = Loop()
        self._loops.append(_LoopContext(is_switch=False))
        build.push(loop.body)
        self._sequence([node.body])
        build.pop()
        build.push(loop.step)
        found = self.scalar(node.condition)
        build.jump(JumpKind.BREAK, build.op("bnot", found))
        build.pop()
        self._loops.pop()
        build.node(loop)
        self._leave_outer_loops(node.body)

    def _leave_outer_loops(self, body: ast.Statement) -> None:
        """After a loop inside a loop: go on outwards where the function has returned."""
        frame = self._frames[-1]
        if frame is None or not self._loops or not _returns(body):
            return
        flag = frame.returned.load(self.build)
        assert isinstance(flag, Instr)
        self.build.jump(JumpKind.BREAK, flag)

    def _constant_rounds(self, node: ast.For) -> tuple[Symbol, list[Instr]] | None:
        """Values of the counter of a loop that can be unrolled; None if it cannot."""
        init = node.init
        if not self._unrolls:
            return None
        if not isinstance(init, ast.DeclarationStatement) or not isinstance(init.declaration, ast.Declaration):
            return None
        declarators = init.declaration.declarators
        if len(declarators) != 1 or declarators[0].init is None or declarators[0].symbol is None:
            return None
        symbol = declarators[0].symbol
        if has_side_effects(declarators[0].init):
            return None
        if symbol.written != 1 or not isinstance(symbol.type, NumericType) or symbol.type.width != 1:
            return None
        step = self._step_operands(node.step, symbol)
        if step is None or not isinstance(node.condition, ast.Expr) or not _reads_only(node.condition, symbol):
            return None
        body = node.body
        if any(_any_jump(body, kind) for kind in ("break", "continue")):
            return None
        if self._frames[-1] is not None and _returns(body):
            return None
        build = self.build
        value = self.value(declarators[0].init)
        if not isinstance(value, Instr) or value.op != "const":
            return None
        amount: Instr = build.constant(symbol.type, (1,))
        if step[1] is not None:
            found = self.value(step[1])
            if not isinstance(found, Instr) or found.op != "const":
                return None
            amount = found
        held = self.narrowed([value, amount], symbol.precision)
        assert isinstance(held, list)
        value, amount = held
        limit = min(MAX_UNROLL_ROUNDS, MAX_UNROLL_NODES // (self._size(body) * self._copies))
        operation = (
            ("fadd" if step[0] == "+" else "fsub")
            if symbol.type.base == Base.FLOAT
            else ("iadd" if step[0] == "+" else "isub")
        )
        values: list[Instr] = []
        while len(values) <= limit:
            self.bindings[symbol] = value
            test = self.value(node.condition)
            if not isinstance(test, Instr) or test.op != "const":
                return None
            if not test.attr[0]:
                return symbol, values
            values.append(value)
            with build.shortened(self.is_short and is_below_highp(symbol.precision)):
                value = build.op(operation, value, amount)
        return None

    def _size(self, node: Any) -> int:
        """Number of syntax nodes, functions called included, up to MAX_UNROLL_NODES."""
        total = 1
        for name in getattr(type(node), "__slots__", ()):
            if name in ("function", "symbol", "type", "spec"):
                continue
            part = getattr(node, name, None)
            for item in part if isinstance(part, list) else (part,):
                if isinstance(item, (ast.Expr, ast.Statement, ast.Declaration, ast.Declarator)):
                    total += self._size(item)
        if isinstance(node, ast.Call) and node.function is not None and node.function.body is not None:
            known = self._function_sizes.get(node.function)
            if known is None:
                known = self._function_sizes[node.function] = self._size(node.function.body)
            total += known
        return min(total, MAX_UNROLL_NODES)

    @staticmethod
    def _step_operands(step: ast.Expr | None, symbol: Symbol) -> tuple[str, ast.Expr | None] | None:
        """(sign, amount or None for 1) of ``i++``, ``--i``, ``i += c`` and their like."""
        if isinstance(step, (ast.Unary, ast.Postfix)) and step.op in ("++", "--"):
            target, sign, amount = step.operand, step.op[0], None
        elif isinstance(step, ast.Assign) and step.op in ("+", "-") and step.value.constant:
            target, sign, amount = step.target, step.op, step.value
        else:
            return None
        if isinstance(target, ast.Name) and target.symbol is symbol:
            return sign, amount
        return None

    # Switch --------------------------------------------------------------------------------------------------------
    def _switch(self, node: ast.Switch) -> None:
        groups = self._groups(node)
        selector = self.scalar(node.selector)
        frame = self._frames[-1]
        plain = len(groups) <= MAX_SWITCH_CHAIN and all(
            (_ends_group(body) or k == len(groups) - 1)
            and not any(_any_jump(one, "break") for one in _without_last_break(body))
            and not (frame is not None and any(_returns(one) for one in body))
            for k, (_, body) in enumerate(groups)
        )
        if plain:
            self._switch_chain(selector, groups)
        else:
            self._switch_loop(selector, groups, node)

    def _groups(self, node: ast.Switch) -> list[tuple[list[int | None], list[ast.Statement]]]:
        """Labels (None: default) with the statements behind them."""
        groups: list[tuple[list[int | None], list[ast.Statement]]] = []
        for statement in node.statements:
            if isinstance(statement, ast.Case):
                if not groups or groups[-1][1]:
                    groups.append(([], []))
                groups[-1][0].append(None if statement.label is None else statement.value)
            else:
                groups[-1][1].append(statement)
        return groups

    def _matches(self, selector: Instr, labels: Sequence[int | None]) -> Instr | None:
        build = self.build
        result: Instr | None = None
        for label in labels:
            if label is None:
                continue
            value = label - (1 << 32) if selector.type.base == Base.INT and label > 0x7FFFFFFF else label
            test = build.op("ieq", selector, build.constant(selector.type, (value,)))
            result = test if result is None else build.op("bor", result, test)
        return result

    def _switch_chain(self, selector: Instr, groups: list[tuple[list[int | None], list[ast.Statement]]]) -> None:
        build = self.build
        default: list[ast.Statement] = []
        opened: list[If] = []
        for labels, body in groups:
            if None in labels:
                default = _without_last_break(body)
                continue
            test = self._matches(selector, labels)
            assert test is not None
            node = If(test)
            build.push(node.then)
            self._sequence(_without_last_break(body))
            build.pop()
            opened.append(node)
            build.push(node.orelse)
        self._sequence(default)
        for node in reversed(opened):
            build.pop()
            build.node(node)

    def _switch_loop(
        self, selector: Instr, groups: list[tuple[list[int | None], list[ast.Statement]]], node: ast.Switch
    ) -> None:
        build = self.build
        context = _LoopContext(is_switch=True)
        continues = bool(self._loops) and any(_any_jump(one, "continue") for one in node.statements)
        if continues:
            context.continued = self.new_storage(BOOL, "continued")
            context.continued.store_value(build, build.bool_constant(False))
        everything = self._matches(selector, [label for labels, _ in groups for label in labels])
        inside = self.new_storage(BOOL, "inside")
        inside.store_value(build, build.bool_constant(False))
        loop = Loop()
        self._loops.append(context)
        build.push(loop.body)
        for labels, body in groups:
            test = self._matches(selector, labels)
            if None in labels:
                other = build.bool_constant(True) if everything is None else build.op("bnot", everything)
                test = other if test is None else build.op("bor", test, other)
            assert test is not None
            before = inside.load(build)
            assert isinstance(before, Instr)
            entered = build.op("bor", before, test)
            inside.store_value(build, entered)
            branch = If(entered)
            build.push(branch.then)
            self._sequence(body)
            build.pop()
            build.node(branch)
        build.jump(JumpKind.BREAK)
        build.pop()
        self._loops.pop()
        build.node(loop)
        if continues and context.continued is not None:
            flag = context.continued.load(build)
            assert isinstance(flag, Instr)
            self._continue(flag)
        self._leave_outer_loops(ast.Block(node.pos, node.statements))

    # Jumps ---------------------------------------------------------------------------------------------------------
    def _continue(self, condition: Instr | None) -> None:
        """Continue the innermost real loop."""
        build = self.build
        context = self._loops[-1]
        if not context.is_switch:
            build.jump(JumpKind.CONTINUE, condition)
            return
        assert context.continued is not None
        if condition is None:
            context.continued.store_value(build, build.bool_constant(True))
        else:
            old = context.continued.load(build)
            assert isinstance(old, Instr)
            context.continued.store_value(build, build.op("bor", old, condition))
        build.jump(JumpKind.BREAK, condition)

    def _jump(self, node: ast.JumpStatement) -> None:
        build = self.build
        if node.kind == "break":
            build.jump(JumpKind.BREAK)
        elif node.kind == "continue":
            self._continue(None)
        elif node.kind == "discard":
            build.jump(JumpKind.DISCARD)
        else:
            self._return(node)

    def _return(self, node: ast.JumpStatement) -> None:
        build = self.build
        frame = self._frames[-1]
        if frame is None:
            if node.value is not None:
                self.effect(node.value)
            build.jump(JumpKind.RETURN)
            return
        if node.value is not None:
            if frame.result is None:
                self.effect(node.value)
            else:
                frame.result.store_value(build, self.value(node.value))
        frame.returned.store_value(build, build.bool_constant(True))
        if self._loops:
            build.jump(JumpKind.BREAK)

    _STATEMENTS: Final[dict[type, Callable[[Any, Any], None]]] = {
        ast.Block: _block,
        ast.ExpressionStatement: _expression,
        ast.DeclarationStatement: _declaration,
        ast.IfStatement: _if_statement,
        ast.For: _for,
        ast.While: _while,
        ast.DoWhile: _do,
        ast.Switch: _switch,
        ast.JumpStatement: _jump,
    }


def _ends_group(body: list[ast.Statement]) -> bool:
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Block):
        return _ends_group(last.statements)
    return isinstance(last, ast.JumpStatement) and last.kind in ("break", "return", "continue")


def _without_last_break(body: list[ast.Statement]) -> list[ast.Statement]:
    if not body:
        return body
    last = body[-1]
    if isinstance(last, ast.Block):
        return [*body[:-1], ast.Block(last.pos, _without_last_break(last.statements))]
    if isinstance(last, ast.JumpStatement) and last.kind == "break":
        return body[:-1]
    return body


def _reads_only(expr: ast.Expr, symbol: Symbol) -> bool:
    """Tell whether an expression names nothing but the symbol and constants."""
    if isinstance(expr, ast.Name):
        return (
            expr.symbol is symbol
            or expr.constant
            or (expr.symbol.storage == "local" and expr.symbol.written == 0)
            or (expr.symbol.storage == "param" and expr.symbol.written == 0)
        )
    if isinstance(expr, ast.Literal):
        return True
    if isinstance(expr, ast.Binary):
        return _reads_only(expr.left, symbol) and _reads_only(expr.right, symbol)
    if isinstance(expr, ast.Unary):
        return expr.op not in ("++", "--") and _reads_only(expr.operand, symbol)
    if isinstance(expr, ast.Convert):
        return _reads_only(expr.operand, symbol)
    if isinstance(expr, ast.Call):
        return expr.function is None and all(_reads_only(arg, symbol) for arg in expr.args)
    return isinstance(expr, ast.Method)
