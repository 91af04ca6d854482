"""Recursive-descent parser with precedence climbing for expressions.

A name is a type or a variable depending on scope, so the parser keeps the scopes of type names. After a syntax error
it goes on behind the statement or declaration at fault.
"""

from __future__ import annotations

from typing import Final

from replay.glsl import syntax as ast
from replay.glsl.diagnostics import GlslError
from replay.glsl.preprocessor import Preprocessor
from replay.glsl.tokens import END, FLOAT_LITERAL, IDENTIFIER, INT_LITERAL, Token
from replay.glsl.types import BOOL, FLOAT, INT, UINT
from replay.glsl.versions import EXTENSION_KEYWORDS, EXTENSION_TYPES

__all__ = ["Parser"]

#: Limits on untrusted sources: nesting of statements and parentheses, operators in one chain.
MAX_NESTING: Final = 120
MAX_CHAIN: Final = 800

_BINARY: Final = {
    "||": 1, "^^": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, ">": 8, "<=": 8, ">=": 8,
    "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
}  # fmt: skip
_ASSIGNMENTS: Final = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="})
_BIT_OPERATORS: Final = frozenset({"|", "^", "&", "<<", ">>", "%", "~", "%=", "<<=", ">>=", "&=", "^=", "|="})
_QUALIFIERS: Final = frozenset(
    [
        "const",
        "attribute",
        "varying",
        "uniform",
        "in",
        "out",
        "inout",
        "centroid",
        "sample",
        "patch",
        "flat",
        "smooth",
        "noperspective",
        "invariant",
        "precise",
        "buffer",
        "shared",
        "coherent",
        "volatile",
        "restrict",
        "readonly",
        "writeonly",
    ]
)
_PRECISIONS: Final = frozenset({"lowp", "mediump", "highp"})


class Parser:
    """Parses the tokens of one shader.

    Parameters
    ----------
    tokens : of the preprocessor, the last of kind END
    preprocessor : for the version and to report errors
    """

    def __init__(self, tokens: list[Token], preprocessor: Preprocessor) -> None:
        self.tokens = tokens
        self.at = 0
        self.version = preprocessor.version
        self._report = preprocessor.error
        self._types = set(self.version.types) | {"void", "gl_DepthRangeParameters"}
        enabled = {name for name, behaviour in preprocessor.enabled.items() if behaviour != "disable"}
        for extension in enabled:
            self._types.update(EXTENSION_TYPES.get(extension, ()))
        self._keywords = self.version.keywords.union(*(EXTENSION_KEYWORDS.get(extension, ()) for extension in enabled))
        self._reserved = self.version.reserved - self._keywords - self._types
        self._layout_word = "layout" in self._keywords or bool(
            enabled & {"GL_ARB_explicit_attrib_location", "GL_ARB_uniform_buffer_object"}
        )
        self._bit_operations = self.version.has("bit_operations")
        #: Names of each scope: True for a structure, False for anything else.
        self._scopes: list[dict[str, bool]] = [{}]
        self._nesting = 0

    # Tokens --------------------------------------------------------------------------------------------------------
    def _fail(self, message: str, pos: int | None = None) -> GlslError:
        self._report(self.tokens[self.at][2] if pos is None else pos, message)
        return GlslError(message)

    def _unexpected(self, wanted: str) -> GlslError:
        kind, text, _ = self.tokens[self.at]
        found = "the end" if kind == END else f"'{text}'"
        return self._fail(f"expected {wanted}, found {found}")

    def _expect(self, text: str) -> int:
        token = self.tokens[self.at]
        if token[1] != text or token[0] == END:
            raise self._unexpected(f"'{text}'")
        self.at += 1
        return token[2]

    def _accept(self, text: str) -> bool:
        if self.tokens[self.at][1] == text:
            self.at += 1
            return True
        return False

    def _identifier(self, what: str) -> tuple[str, int]:
        kind, text, pos = self.tokens[self.at]
        if kind != IDENTIFIER:
            raise self._unexpected(what)
        if text in self._keywords or text in self._types:
            raise self._fail(f"'{text}' is a keyword and cannot be a name")
        if text in self._reserved:
            raise self._fail(f"'{text}' is reserved and cannot be a name")
        self.at += 1
        return text, pos

    def _is_type(self, text: str) -> bool:
        if text in self._types or text == "struct":
            return True
        for scope in reversed(self._scopes):
            known = scope.get(text)
            if known is not None:
                return known
        return False

    def _declare(self, name: str, is_type: bool = False) -> None:
        self._scopes[-1][name] = is_type

    def _enter(self) -> None:
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise self._fail(f"nested more than {MAX_NESTING} deep")

    # Translation unit ----------------------------------------------------------------------------------------------
    def parse(self) -> list[object]:
        """Parse all; gives the global declarations that could be read."""
        out: list[object] = []
        if self.tokens[0][0] == END:
            self._report(self.tokens[0][2], "the shader has no declarations")
        while self.tokens[self.at][0] != END:
            start = self.at
            try:
                if self._accept(";"):
                    continue
                out.append(self._global())
            except GlslError as error:
                if type(error) is not GlslError:
                    raise
                self._nesting = 0
                del self._scopes[1:]
                self._skip(start)
        return out

    def _skip(self, start: int) -> None:
        """Go behind the declaration at fault."""
        if self.at == start:
            self.at += 1
        depth = 0
        for token in self.tokens[start : self.at]:
            depth += (token[1] == "{") - (token[1] == "}")
        while self.tokens[self.at][0] != END:
            text = self.tokens[self.at][1]
            self.at += 1
            if text == "{":
                depth += 1
            elif text == "}":
                depth -= 1
                if depth <= 0:
                    self._accept(";")
                    return
            elif text == ";" and depth <= 0:
                return

    def _global(self) -> object:
        if self.tokens[self.at][1] == "precision" and "precision" in self._keywords:
            return self._precision()
        return self._declaration(is_global=True)

    def _precision(self) -> ast.PrecisionDeclaration:
        pos = self.tokens[self.at][2]
        self.at += 1
        precision = self.tokens[self.at][1]
        if precision not in _PRECISIONS:
            raise self._unexpected("lowp, mediump or highp")
        self.at += 1
        spec = self._type_spec()
        self._expect(";")
        return ast.PrecisionDeclaration(pos, precision, spec)

    # Declarations --------------------------------------------------------------------------------------------------
    def _qualifiers(self) -> ast.Qualifiers:
        tokens = self.tokens
        out = ast.Qualifiers(tokens[self.at][2])
        while True:
            _, text, pos = tokens[self.at]
            if text in _QUALIFIERS and text in self._keywords:
                out.words.append((text, pos))
            elif text in _PRECISIONS and text in self._keywords:
                out.words.append((text, pos))
                out.precision = text
            elif text == "layout" and self._layout_word:
                out.words.append((text, pos))
                self.at += 1
                self._layout(out)
                continue
            else:
                return out
            self.at += 1

    def _layout(self, out: ast.Qualifiers) -> None:
        self._expect("(")
        while True:
            kind, name, pos = self.tokens[self.at]
            if kind != IDENTIFIER:
                raise self._unexpected("a layout qualifier")
            self.at += 1
            value = None
            if self._accept("="):
                value = self._ternary()
            # Only ES tells capitals from small letters here.
            out.layout.append((name if self.version.es else name.lower(), value, pos))
            if not self._accept(","):
                break
        self._expect(")")

    def _dims(self) -> list[ast.Expr | None]:
        dims: list[ast.Expr | None] = []
        while self.tokens[self.at][1] == "[":
            self.at += 1
            if self._accept("]"):
                dims.append(None)
            else:
                # The grammar wants a constant-expression there, which no comma ends.
                dims.append(self._ternary())
                self._expect("]")
            if len(dims) > 8:
                raise self._fail("too many array dimensions")
        return dims

    def _type_spec(self) -> ast.TypeSpec:
        kind, text, pos = self.tokens[self.at]
        if text == "struct":
            struct = self._struct()
            return ast.TypeSpec(pos, struct.name, struct, self._dims())
        if kind != IDENTIFIER or not self._is_type(text):
            if text in self._reserved:
                raise self._fail(f"'{text}' is reserved")
            if kind == IDENTIFIER and text not in self._keywords and self.tokens[self.at + 1][0] == IDENTIFIER:
                raise self._fail(f"'{text}' is no type")
            raise self._unexpected("a type")
        self.at += 1
        dims = self._dims() if self.tokens[self.at][1] == "[" else []
        return ast.TypeSpec(pos, text, None, dims)

    def _struct(self) -> ast.StructSpec:
        pos = self.tokens[self.at][2]
        self.at += 1
        name = ""
        if self.tokens[self.at][1] != "{":
            name, pos = self._identifier("a structure name")
        members = self._members()
        if name:
            self._declare(name, True)
        return ast.StructSpec(pos, name, members)

    def _members(self) -> list[ast.Declaration]:
        self._expect("{")
        self._enter()
        members: list[ast.Declaration] = []
        while self.tokens[self.at][1] != "}":
            pos = self.tokens[self.at][2]
            qualifiers = self._qualifiers()
            spec = self._type_spec()
            declarators = []
            while True:
                name, name_pos = self._identifier("a member name")
                declarators.append(ast.Declarator(name_pos, name, self._dims(), None))
                if not self._accept(","):
                    break
            self._expect(";")
            members.append(ast.Declaration(pos, qualifiers, spec, declarators))
        if not members:
            raise self._fail("a structure needs members")
        self._expect("}")
        self._nesting -= 1
        return members

    def _declaration(self, is_global: bool) -> object:
        pos = self.tokens[self.at][2]
        qualifiers = self._qualifiers()
        kind, text, _ = self.tokens[self.at]
        if qualifiers.words and (text == ";" or (kind == IDENTIFIER and not self._is_type(text))):
            following = self.tokens[self.at + 1][1]
            if following == "{" and text not in self._keywords and text not in self._reserved:
                return self._block_declaration(pos, qualifiers)
            if following in (",", ";") or text == ";":
                return self._qualifier_declaration(pos, qualifiers)
        spec = self._type_spec()
        if self._accept(";"):
            return ast.Declaration(pos, qualifiers, spec, [])
        declarators: list[ast.Declarator] = []
        if self.tokens[self.at][1] != ",":
            name, name_pos = self._identifier("a name")
            if self.tokens[self.at][1] == "(":
                return self._function(name_pos, qualifiers, spec, name, is_global)
            declarators.append(self._declarator(name, name_pos))
        while self._accept(","):
            name, name_pos = self._identifier("a name")
            declarators.append(self._declarator(name, name_pos))
        if self.tokens[self.at][1] != ";":
            raise self._unexpected("';'")
        self.at += 1
        return ast.Declaration(pos, qualifiers, spec, declarators)

    def _declarator(self, name: str, pos: int) -> ast.Declarator:
        dims = self._dims() if self.tokens[self.at][1] == "[" else []
        init = None
        if self._accept("="):
            # The name is not yet in scope in its own initialiser.
            init = self._assignment()
        self._declare(name)
        return ast.Declarator(pos, name, dims, init)

    def _qualifier_declaration(self, pos: int, qualifiers: ast.Qualifiers) -> ast.QualifierDeclaration:
        names: list[tuple[str, int]] = []
        if self.tokens[self.at][1] != ";":
            while True:
                names.append(self._identifier("a name"))
                if not self._accept(","):
                    break
        self._expect(";")
        return ast.QualifierDeclaration(pos, qualifiers, names)

    def _block_declaration(self, pos: int, qualifiers: ast.Qualifiers) -> ast.BlockDeclaration:
        name, name_pos = self._identifier("a block name")
        members = self._members()
        instance, instance_pos, dims = "", name_pos, []
        if self.tokens[self.at][1] != ";":
            instance, instance_pos = self._identifier("an instance name or ';'")
            dims = self._dims()
            self._declare(instance)
        else:
            for member in members:
                for declarator in member.declarators:
                    self._declare(declarator.name)
        self._expect(";")
        return ast.BlockDeclaration(name_pos, qualifiers, name, members, instance, instance_pos, dims)

    def _function(
        self, pos: int, qualifiers: ast.Qualifiers, spec: ast.TypeSpec, name: str, is_global: bool
    ) -> ast.FunctionDefinition:
        self._declare(name)
        self._expect("(")
        self._scopes.append({})
        parameters: list[ast.Parameter] = []
        if self.tokens[self.at][1] == "void" and self.tokens[self.at + 1][1] == ")":
            self.at += 1
        elif self.tokens[self.at][1] != ")":
            while True:
                parameters.append(self._parameter())
                if not self._accept(","):
                    break
        self._expect(")")
        body = None
        if self.tokens[self.at][1] == "{":
            if not is_global:
                raise self._fail("a function cannot be defined inside a function")
            body = self._block(new_scope=False)
        else:
            self._expect(";")
        self._scopes.pop()
        return ast.FunctionDefinition(pos, qualifiers, spec, name, parameters, body)

    def _parameter(self) -> ast.Parameter:
        qualifiers = self._qualifiers()
        if self.tokens[self.at][1] == "struct":
            raise self._fail("a structure cannot be defined in a parameter list")
        spec = self._type_spec()
        name, pos = "", spec.pos
        if self.tokens[self.at][0] == IDENTIFIER:
            name, pos = self._identifier("a parameter name")
            self._declare(name)
        return ast.Parameter(pos, qualifiers, spec, name, self._dims())

    # Statements ----------------------------------------------------------------------------------------------------
    def _block(self, new_scope: bool = True) -> ast.Block:
        pos = self._expect("{")
        self._enter()
        if new_scope:
            self._scopes.append({})
        depth = len(self._scopes)
        nesting = self._nesting
        statements: list[ast.Statement] = []
        while self.tokens[self.at][1] != "}":
            if self.tokens[self.at][0] == END:
                raise self._unexpected("'}'")
            start = self.at
            try:
                statements.append(self._statement())
            except GlslError as error:
                if type(error) is not GlslError:
                    raise
                del self._scopes[depth:]
                self._nesting = nesting
                self._skip_statement(start)
        self.at += 1
        if new_scope:
            self._scopes.pop()
        self._nesting -= 1
        return ast.Block(pos, statements)

    def _skip_statement(self, start: int) -> None:
        depth = sum((token[1] == "{") - (token[1] == "}") for token in self.tokens[start : self.at])
        if self.at == start:
            depth += self.tokens[self.at][1] == "{"
            self.at += 1
        while self.tokens[self.at][0] != END:
            text = self.tokens[self.at][1]
            if text == "{":
                depth += 1
            elif text == "}":
                if depth <= 0:
                    return
                depth -= 1
                if depth == 0:
                    self.at += 1
                    return
            elif text == ";" and depth <= 0:
                self.at += 1
                return
            self.at += 1

    def _is_declaration(self) -> bool:
        kind, text, _ = self.tokens[self.at]
        if kind != IDENTIFIER:
            return False
        if text in self._keywords and (text in _QUALIFIERS or text in _PRECISIONS or text == "struct"):
            return True
        if text == "layout" and self._layout_word:
            return True
        if not self._is_type(text):
            # "foo bar": a declaration with an unknown type, for a better message.
            return self.tokens[self.at + 1][0] == IDENTIFIER and text not in self._keywords
        k = self.at + 1
        following = self.tokens[k][1]
        if following == "(":
            return False
        if following == "[":
            depth = 0
            while self.tokens[k][0] != END:
                depth += (self.tokens[k][1] == "[") - (self.tokens[k][1] == "]")
                k += 1
                if depth == 0 and self.tokens[k][1] != "[":
                    break
            return self.tokens[k][1] != "("
        return following != "."

    def _statement(self, scoped: bool = True) -> ast.Statement:
        _, text, pos = self.tokens[self.at]
        if text == "{":
            return self._block(scoped)
        if text == ";":
            self.at += 1
            return ast.ExpressionStatement(pos, None)
        method = self._STATEMENTS.get(text)
        if method is not None and text in self._keywords:
            self._enter()
            statement = method(self, pos)
            self._nesting -= 1
            return statement
        if text == "precision" and "precision" in self._keywords:
            return ast.DeclarationStatement(pos, self._precision())
        if self._is_declaration():
            return ast.DeclarationStatement(pos, self._declaration(is_global=False))
        expression = self._expression()
        self._expect(";")
        return ast.ExpressionStatement(pos, expression)

    def _scoped_statement(self) -> ast.Statement:
        """A statement that is a scope of its own (branch of an if)."""
        self._scopes.append({})
        statement = self._statement()
        self._scopes.pop()
        return statement

    def _if(self, pos: int) -> ast.Statement:
        self.at += 1
        self._expect("(")
        condition = self._expression()
        self._expect(")")
        then = self._scoped_statement()
        orelse = None
        if self.tokens[self.at][1] == "else":
            self.at += 1
            orelse = self._scoped_statement()
        return ast.IfStatement(pos, condition, then, orelse)

    def _loop_condition(self) -> ast.Expr | ast.Declaration:
        if not self._is_declaration():
            return self._expression()
        pos = self.tokens[self.at][2]
        qualifiers = self._qualifiers()
        spec = self._type_spec()
        name, name_pos = self._identifier("a name")
        self._expect("=")
        init = self._assignment()
        self._declare(name)
        return ast.Declaration(pos, qualifiers, spec, [ast.Declarator(name_pos, name, [], init)])

    def _for(self, pos: int) -> ast.Statement:
        self.at += 1
        self._expect("(")
        self._scopes.append({})
        init: ast.Statement | None = None
        init_pos = self.tokens[self.at][2]
        if self._is_declaration():
            init = ast.DeclarationStatement(init_pos, self._declaration(is_global=False))
        elif not self._accept(";"):
            init = ast.ExpressionStatement(init_pos, self._expression())
            self._expect(";")
        condition = None if self.tokens[self.at][1] == ";" else self._loop_condition()
        self._expect(";")
        step = None if self.tokens[self.at][1] == ")" else self._expression()
        self._expect(")")
        body = self._statement(scoped=False)
        self._scopes.pop()
        return ast.For(pos, init, condition, step, body)

    def _while(self, pos: int) -> ast.Statement:
        self.at += 1
        self._expect("(")
        self._scopes.append({})
        condition = self._loop_condition()
        self._expect(")")
        body = self._statement(scoped=False)
        self._scopes.pop()
        return ast.While(pos, condition, body)

    def _do(self, pos: int) -> ast.Statement:
        self.at += 1
        body = self._scoped_statement()
        self._expect("while")
        self._expect("(")
        condition = self._expression()
        self._expect(")")
        self._expect(";")
        return ast.DoWhile(pos, body, condition)

    def _switch(self, pos: int) -> ast.Statement:
        self.at += 1
        self._expect("(")
        selector = self._expression()
        self._expect(")")
        if self.tokens[self.at][1] != "{":
            raise self._unexpected("'{'")
        block = self._block()
        return ast.Switch(pos, selector, block.statements)

    def _case(self, pos: int) -> ast.Statement:
        self.at += 1
        label = self._expression()
        self._expect(":")
        return ast.Case(pos, label)

    def _default(self, pos: int) -> ast.Statement:
        self.at += 1
        self._expect(":")
        return ast.Case(pos, None)

    def _jump(self, pos: int) -> ast.Statement:
        kind = self.tokens[self.at][1]
        self.at += 1
        value = None
        if kind == "return" and self.tokens[self.at][1] != ";":
            value = self._expression()
        self._expect(";")
        return ast.JumpStatement(pos, kind, value)

    _STATEMENTS: Final = {
        "if": _if,
        "for": _for,
        "while": _while,
        "do": _do,
        "switch": _switch,
        "case": _case,
        "default": _default,
        "break": _jump,
        "continue": _jump,
        "return": _jump,
        "discard": _jump,
    }

    # Expressions ---------------------------------------------------------------------------------------------------
    def _expression(self) -> ast.Expr:
        left = self._assignment()
        chain = 0
        while self.tokens[self.at][1] == ",":
            pos = self.tokens[self.at][2]
            self.at += 1
            left = ast.Comma(pos, left, self._assignment())
            chain += 1
            if chain > MAX_CHAIN:
                raise self._fail("expression too long")
        return left

    def _assignment(self) -> ast.Expr:
        left = self._ternary()
        _, text, pos = self.tokens[self.at]
        if text in _ASSIGNMENTS:
            if text in _BIT_OPERATORS and not self._bit_operations:
                raise self._fail(f"operator '{text}' is reserved in {self.version.name}")
            self.at += 1
            self._enter()
            right = self._assignment()
            self._nesting -= 1
            return ast.Assign(pos, text[:-1], left, right)
        return left

    def _ternary(self) -> ast.Expr:
        condition = self._binary(1)
        if self.tokens[self.at][1] != "?":
            return condition
        pos = self.tokens[self.at][2]
        self.at += 1
        self._enter()
        yes = self._expression()
        self._expect(":")
        no = self._assignment()
        self._nesting -= 1
        return ast.Ternary(pos, condition, yes, no)

    def _binary(self, rank: int) -> ast.Expr:
        left = self._unary()
        tokens = self.tokens
        chain = 0
        while True:
            _, text, pos = tokens[self.at]
            level = _BINARY.get(text, 0)
            if level < rank:
                return left
            if text in _BIT_OPERATORS and not self._bit_operations:
                raise self._fail(f"operator '{text}' is reserved in {self.version.name}")
            self.at += 1
            left = ast.Binary(pos, text, left, self._binary(level + 1))
            chain += 1
            if chain > MAX_CHAIN:
                raise self._fail("expression too long")

    def _unary(self) -> ast.Expr:
        _, text, pos = self.tokens[self.at]
        if text in ("-", "+", "!", "~", "++", "--"):
            if text == "~" and not self._bit_operations:
                raise self._fail(f"operator '~' is reserved in {self.version.name}")
            self.at += 1
            self._enter()
            operand = self._unary()
            self._nesting -= 1
            return ast.Unary(pos, text, operand)
        return self._postfix()

    def _postfix(self) -> ast.Expr:
        expr = self._primary()
        tokens = self.tokens
        chain = 0
        while True:
            kind, text, pos = tokens[self.at]
            if text == ".":
                self.at += 1
                kind, name, _ = tokens[self.at]
                if kind != IDENTIFIER:
                    raise self._unexpected("a member name")
                self.at += 1
                if tokens[self.at][1] == "(":
                    self.at += 1
                    expr = ast.Method(pos, expr, name, self._arguments())
                else:
                    expr = ast.Member(pos, expr, name)
            elif text == "[":
                self.at += 1
                self._enter()
                index = self._expression()
                self._nesting -= 1
                self._expect("]")
                expr = ast.Index(pos, expr, index)
            elif text in ("++", "--"):
                self.at += 1
                expr = ast.Postfix(pos, text, expr)
            else:
                return expr
            chain += 1
            if chain > MAX_NESTING:
                raise self._fail("expression too long")

    def _arguments(self) -> list[ast.Expr]:
        if self.tokens[self.at][1] == "void" and self.tokens[self.at + 1][1] == ")":
            self.at += 2
            return []
        args: list[ast.Expr] = []
        if self._accept(")"):
            return args
        self._enter()
        while True:
            args.append(self._assignment())
            if not self._accept(","):
                break
        self._nesting -= 1
        self._expect(")")
        return args

    def _primary(self) -> ast.Expr:
        kind, text, pos = self.tokens[self.at]
        if kind == IDENTIFIER:
            if text in ("true", "false"):
                self.at += 1
                return ast.Literal(pos, BOOL, text == "true")
            if self._is_type(text) and text != "struct":
                self.at += 1
                dims = self._dims() if self.tokens[self.at][1] == "[" else []
                if self.tokens[self.at][1] != "(":
                    raise self._fail(f"'{text}' is a type; expected a constructor", pos)
                self.at += 1
                return ast.Call(pos, text, self._arguments(), ast.TypeSpec(pos, text, None, dims))
            name, _ = self._identifier("an expression")
            if self.tokens[self.at][1] == "(":
                self.at += 1
                return ast.Call(pos, name, self._arguments(), None)
            return ast.Name(pos, name)
        if kind == FLOAT_LITERAL:
            self.at += 1
            return self._float(text, pos)
        if kind == INT_LITERAL:
            self.at += 1
            return self._integer(text, pos)
        if text == "(":
            self.at += 1
            self._enter()
            expr = self._expression()
            self._nesting -= 1
            self._expect(")")
            return expr
        raise self._unexpected("an expression")

    def _float(self, text: str, pos: int) -> ast.Literal:
        if text[-1] in "fF":
            if not self.version.has("float_suffix"):
                # Every driver takes it, and programs rely on that.
                self._report(pos, f"suffix 'f' does not exist in {self.version.name}", "warning")
            text = text[:-1]
        if len(text) > 1024:
            raise self._fail("number too long", pos)
        return ast.Literal(pos, FLOAT, float(text))

    def _integer(self, text: str, pos: int) -> ast.Literal:
        digits, unsigned = text, text[-1] in "uU"
        if unsigned:
            if not self.version.has("integers"):
                raise self._fail(f"suffix 'u' does not exist in {self.version.name}", pos)
            digits = text[:-1]
        if len(digits) > 64:
            raise self._fail(f"'{text[:20]}...' does not fit into 32 bits", pos)
        try:
            if digits[:2] in ("0x", "0X"):
                value = int(digits, 16)
            elif digits[0] == "0" and len(digits) > 1:
                value = int(digits, 8)
            else:
                value = int(digits)
        except ValueError:
            raise self._fail(f"'{text}' is no octal number", pos) from None
        if value > 0xFFFFFFFF:
            if self.version.has("integers"):
                raise self._fail(f"'{text}' does not fit into 32 bits", pos)
            self._report(pos, f"'{text}' does not fit into 32 bits", "warning")
            value &= 0xFFFFFFFF
        if unsigned:
            return ast.Literal(pos, UINT, value)
        return ast.Literal(pos, INT, value - (1 << 32) if value > 0x7FFFFFFF else value)
