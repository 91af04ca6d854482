"""The preprocessor: source strings in, tokens of the language out.

Follows GLSL ES 3.00 §3.3-3.4 (and the same sections of the other versions) rather than C: no ``#include``, no
strings, ``#line`` counts in strings, undefined names in ``#if`` are errors in ES, ``__`` and ``GL_`` names are
reserved, ``##`` exists on desktop only.

A token is a tuple ``(kind, text, offset)``; ``offset`` points into the joined source (:class:`Source` finds line,
string and column of it when a message needs them). A token that a macro gave has the offset of the macro's use.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from replay.glsl.condition import ConditionExpression
from replay.glsl.diagnostics import Diagnostics, GlslError
from replay.glsl.tokens import END, IDENTIFIER, INT_LITERAL, PUNCTUATOR, Token
from replay.glsl.versions import EXTENSIONS, KNOWN_VERSIONS, Version, language_version

__all__ = ["Preprocessor", "Source"]

_NEWLINE: Final = 5
_HASH: Final = 6
_OTHER: Final = 7

#: Limits on untrusted sources.
MAX_SOURCE_CHARS: Final = 1 << 20
MAX_TOKENS: Final = 200_000
MAX_CONDITIONAL_DEPTH: Final = 256
MAX_MACRO_DEPTH: Final = 64
#: ``#pragma gpureplay mediump(16)``, see docs/GLSL.md.
_MEDIUMP_PRAGMA: Final = ["gpureplay", "mediump", "(", "16", ")"]

# Groups in the order of the kinds above; blanks and comments have none (lastindex is None).
_TOKEN: Final = re.compile(
    r"([A-Za-z_][A-Za-z0-9_]*)"
    r"|(0[xX][0-9a-fA-F]+[uU]?(?![A-Za-z0-9_.])|[0-9]+[uU]?(?![A-Za-z0-9_.]))"
    r"|((?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fF]?(?![A-Za-z0-9_])|[0-9]+[eE][+-]?[0-9]+[fF]?(?![A-Za-z0-9_]))"
    r"|(<<=|>>=|<<|>>|\+\+|--|<=|>=|==|!=|&&|\|\||\^\^|\+=|-=|\*=|(?!/[*/])/=|%=|&=|\|=|\^=|\#\#"
    r"|(?!/[*/])[-+*/%<>=!&|^~?:;,.(){}\[\]])"
    r"|(\r\n?|\n\r?)"
    r"|(\#)"
    r"|([ \t\v\f]+|//[^\r\n]*|/\*(?:[^*]|\*(?!/))*\*/)"
    r"|([0-9][A-Za-z0-9_.]*|.)",
    re.DOTALL,
)
_BLANK_GROUP: Final = 7
_CONTINUATION: Final = re.compile(r"\\(?:\r\n?|\n\r?)")


class Source:
    """The joined source strings, and where an offset lies in them.

    Parameters
    ----------
    strings : as given to glShaderSource
    """

    def __init__(self, strings: Sequence[str]) -> None:
        joined = "".join(strings)
        #: Offsets (in the spliced text) at which characters were removed, and how many up to there.
        self._splices: list[int] = []
        self._removed: list[int] = []
        self.original = joined
        if "\\" in joined:
            pieces, last, removed, kept = [], 0, 0, 0
            for match in _CONTINUATION.finditer(joined):
                pieces.append(joined[last : match.start()])
                kept += match.start() - last
                removed += match.end() - match.start()
                self._splices.append(kept)
                self._removed.append(removed)
                last = match.end()
            pieces.append(joined[last:])
            joined = "".join(pieces)
        self.text = joined
        self._string_starts = [0]
        for string in strings[:-1]:
            self._string_starts.append(self._string_starts[-1] + len(string))
        self._line_starts = [0] + [match.end() for match in re.finditer(r"\r\n?|\n\r?", self.original)]
        #: #line: physical line from which on, what to add to it, string number.
        self._renumbered: list[tuple[int, int, int]] = []

    @property
    def lines(self) -> list[str]:
        """Physical lines, for messages."""
        return re.split(r"\r\n?|\n\r?", self.original)

    def _physical(self, offset: int) -> tuple[int, int, int]:
        """Give (offset in the original, physical line from 0, column from 0)."""
        if self._splices:
            at = bisect_right(self._splices, offset)
            if at:
                offset += self._removed[at - 1]
        row = bisect_right(self._line_starts, offset) - 1
        return offset, row, offset - self._line_starts[row]

    def place(self, offset: int) -> tuple[int, int, int, int]:
        """Give (string, line, physical row, column) of an offset."""
        original, row, column = self._physical(offset)
        return *self._numbers(original, row), row, column

    def logical_line(self, offset: int) -> tuple[int, int]:
        """Give (string, line) as ``__FILE__`` and ``__LINE__`` count: a continued line is one line."""
        start = max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1
        original, row, _ = self._physical(start if self._splices else offset)
        return self._numbers(original, row)

    def same_line(self, first: int, second: int) -> bool:
        """Tell whether two offsets stand in one physical line."""
        return self._physical(first)[1] == self._physical(second)[1]

    def _numbers(self, original: int, row: int) -> tuple[int, int]:
        string = bisect_right(self._string_starts, original) - 1
        for first, shift, number in reversed(self._renumbered):
            if row >= first:
                return number, row + shift
        first_row = bisect_right(self._line_starts, self._string_starts[string]) - 1
        return string, row - first_row + 1

    def renumber(self, end: int, line: int, string: int | None) -> None:
        """Obey ``#line``: the physical line after the one of ``end`` has number ``line``."""
        current, _, row, _ = self.place(end)
        self._renumbered.append((row + 1, line - row - 1, current if string is None else string))


class Macro:
    """A macro; ``parameters`` is None for an object-like one."""

    __slots__ = ("body", "name", "parameters", "predefined")

    def __init__(
        self, name: str, parameters: tuple[str, ...] | None, body: list[Token], predefined: bool = False
    ) -> None:
        self.name = name
        self.parameters = parameters
        self.body = body
        self.predefined = predefined

    def same_as(self, other: Macro) -> bool:
        """Tell whether a second definition is allowed."""
        return (
            self.parameters == other.parameters
            and [token[:2] for token in self.body] == [token[:2] for token in other.body]
            and [self._gap(k) for k in range(1, len(self.body))] == [other._gap(k) for k in range(1, len(other.body))]
        )

    def _gap(self, k: int) -> bool:
        before = self.body[k - 1]
        return self.body[k][2] > before[2] + len(before[1])


class Preprocessor:
    """Runs over one shader.

    Parameters
    ----------
    source : joined strings
    diagnostics : receives messages
    es : the context is GLES
    max_version : highest version of the context's own profile
    extensions : enabled by the context; None = all implemented

    After :meth:`run`, ``version`` is the language version and ``enabled`` maps extensions to their behaviour.
    """

    def __init__(
        self,
        source: Source,
        diagnostics: Diagnostics,
        es: bool,
        max_version: int = 1 << 30,
        extensions: frozenset[str] | None = None,
    ) -> None:
        self.source = source
        self.diagnostics = diagnostics
        self.version: Version = language_version(es, 100 if es else 110)
        self.enabled: dict[str, str] = {}
        #: Our pragma was there: what has a precision below highp is computed in 16 bits.
        self.is_short = False
        #: ``#pragma STDGL invariant(all)`` was there, and where.
        self.invariant_all = False
        self.invariant_all_at = 0
        self._es = es
        self._max_version = max_version
        self._offered = extensions
        self._macros: dict[str, Macro] = {}
        self._version_seen = False
        self._anything_seen = False
        self._code_seen = False
        #: One entry per open #if: [this branch is taken, some branch was taken, #else seen, offset].
        self._conditions: list[list[bool | int]] = []
        self._budget = MAX_TOKENS
        #: Where the directive at hand ends: a comment may carry it over several lines.
        self._directive_end = 0
        #: Expanding the expression of #if: ``defined`` and its operand are answered where they come up.
        self._answers_defined = False

    # Messages ------------------------------------------------------------------------------------------------------
    def error(self, offset: int, message: str, severity: str = "error") -> None:
        """Record a message at an offset."""
        string, line, row, column = self.source.place(offset)
        self.diagnostics.add(severity, string, line, message, row, column)

    def fail(self, offset: int, message: str) -> GlslError:
        """Record an error; gives what to raise."""
        self.error(offset, message)
        return GlslError(message)

    # Driver --------------------------------------------------------------------------------------------------------
    def run(self) -> list[Token]:
        """Preprocess everything; gives the tokens that the parser reads, the last of kind END."""
        text = self.source.text
        if len(text) > MAX_SOURCE_CHARS:
            self.error(0, f"source of {len(text)} characters; at most {MAX_SOURCE_CHARS} are accepted")
            return [(END, "", 0)]
        out: list[Token] = []
        pending: list[Token] = []
        directive: list[Token] | None = None
        line_start = True
        skipping = False
        append = pending.append
        for match in _TOKEN.finditer(text):
            kind = match.lastindex
            if kind == _BLANK_GROUP:
                continue
            if kind == _NEWLINE:
                line_start = True
                if directive is not None:
                    self._directive_end = match.start()
                    skipping = self._directive_line(directive, pending, out)
                    append = pending.append
                    directive = None
                continue
            token = (kind or _OTHER, match.group(), match.start())
            if directive is not None:
                directive.append(token)
                if kind == _OTHER and token[1] == "/":
                    self._bad_token(token)
            elif kind == _HASH and line_start:
                directive = [token]
                line_start = False
            else:
                line_start = False
                if not skipping:
                    append(token)
        if directive is not None:
            self._directive_end = len(text)
            self._directive_line(directive, pending, out)
        self._flush(pending, out)
        if not self._version_seen:
            self._begin_version(self.version)
        for state in self._conditions:
            self.error(int(state[3]), "#if without #endif")
        out.append((END, "", len(text)))
        return out

    def _flush(self, pending: list[Token], out: list[Token]) -> None:
        """Expand the text tokens collected so far."""
        if not pending:
            return
        if not self._version_seen:
            self._begin_version(self.version)
        self._code_seen = True
        macros = self._macros
        if any(token[1] in macros for token in pending):
            pending[:] = self._expand(pending)
        for token in pending:
            if token[0] > PUNCTUATOR or token[1] == "##":
                self._bad_token(token)
        if len(out) + len(pending) > MAX_TOKENS:
            raise self.fail(pending[0][2], f"more than {MAX_TOKENS} tokens")
        out.extend(pending)
        pending.clear()

    def _bad_token(self, token: Token) -> None:
        text = token[1]
        if text.startswith("/*"):
            self.error(token[2], "comment without end")
        elif text[0].isdigit():
            self.error(token[2], f"'{text}' is no number")
        elif text == "/":
            self.error(token[2], "comment without end")
        else:
            self.error(token[2], f"unexpected character '{text}'")

    def _begin_version(self, version: Version) -> None:
        """Fix the version and define its macros."""
        self._version_seen = True
        self.version = version
        values = {"__VERSION__": version.number}
        if version.es:
            values["GL_ES"] = 1
            values["GL_FRAGMENT_PRECISION_HIGH"] = 1
        elif version.number >= 130:
            values["GL_FRAGMENT_PRECISION_HIGH"] = 1
            if version.number >= 150:
                values["GL_core_profile"] = 1
        for name in self.offered_extensions():
            values[name] = 1
        for name, value in values.items():
            self._macros[name] = Macro(name, None, [(INT_LITERAL, str(value), 0)], predefined=True)
        for name in ("__LINE__", "__FILE__"):
            self._macros[name] = Macro(name, None, [], predefined=True)

    def offered_extensions(self) -> list[str]:
        """Extensions that this version can enable in this context."""
        column = 0 if self.version.es else 1
        return [
            name
            for name, versions in EXTENSIONS.items()
            if self.version.number in versions[column] and (self._offered is None or name in self._offered)
        ]

    # Directives ----------------------------------------------------------------------------------------------------
    def _directive_line(self, tokens: list[Token], pending: list[Token], out: list[Token]) -> bool:
        """Run one directive; gives whether text is skipped from here on."""
        skipping = bool(self._conditions) and not self._conditions[-1][0]
        if not skipping:
            self._flush(pending, out)
        try:
            self._directive(tokens)
        except GlslError:
            if self.diagnostics.num_errors >= 20:
                raise
        return bool(self._conditions) and not self._conditions[-1][0]

    def _directive(self, tokens: list[Token]) -> None:
        if len(tokens) == 1:
            self._anything_seen = True
            return
        kind, name, offset = tokens[1]
        rest = tokens[2:]
        skipping = bool(self._conditions) and not self._conditions[-1][0]
        if name == "version" and not skipping:
            self._version_directive(tokens)
            return
        if not self._version_seen:
            self._begin_version(self.version)
        if kind == IDENTIFIER and name in ("if", "ifdef", "ifndef"):
            self._if(name, rest, offset, skipping)
        elif name == "elif":
            self._elif(rest, offset)
        elif name == "else":
            self._else(rest, offset)
        elif name == "endif":
            if not self._conditions:
                raise self.fail(offset, "#endif without #if")
            self._conditions.pop()
            self._no_more(rest, "#endif")
        elif skipping:
            return
        elif name == "define":
            self._define(rest, offset)
        elif name == "undef":
            self._undef(rest, offset)
        elif name == "extension":
            self._extension(rest, offset)
        elif name == "line":
            self._line(rest, offset)
        elif name == "pragma":
            self._pragma(rest, offset)
        elif name == "error":
            text = " ".join(token[1] for token in rest)
            self.error(offset, f"#error {text}".rstrip())
        else:
            raise self.fail(offset, f"unknown directive '#{name}'")

    def _no_more(self, rest: list[Token], what: str) -> None:
        if rest:
            raise self.fail(rest[0][2], f"unexpected '{rest[0][1]}' after {what}")

    def _version_directive(self, tokens: list[Token]) -> None:
        offset = tokens[1][2]
        if self._version_seen or self._anything_seen or self._code_seen:
            raise self.fail(offset, "#version must come before anything else, and only once")
        rest = tokens[2:]
        if not rest or rest[0][0] != INT_LITERAL or not rest[0][1].isdigit():
            self._begin_version(self.version)
            raise self.fail(offset, "#version needs a number")
        number = int(rest[0][1][:9])
        profile = rest[1][1] if len(rest) > 1 else ""
        es = number in KNOWN_VERSIONS[True] if profile in ("", "es") else False
        if number == 100 and profile == "es":
            self._begin_version(self.version)
            raise self.fail(rest[1][2], "#version 100 takes no profile")
        if es and number != 100 and profile != "es":
            self._begin_version(language_version(True, 300))
            raise self.fail(offset, f"#version {number} needs the profile 'es'")
        if profile not in ("", "es", "core", "compatibility") or (
            profile in ("core", "compatibility") and number < 150
        ):
            self._begin_version(self.version)
            raise self.fail(rest[1][2], f"unknown profile '{profile}'")
        known = KNOWN_VERSIONS[es]
        refused = number not in known or (profile == "es" and not es) or (self._es and not es)
        if refused or (es == self._es and number > self._max_version):
            self._begin_version(self.version)
            own = " ".join(str(version) for version in KNOWN_VERSIONS[self._es] if version <= self._max_version)
            raise self.fail(
                offset, f"version {number}{' ' + profile if profile else ''} is not supported; there are {own}"
            )
        self._begin_version(language_version(es, number))
        self._no_more(rest[2:] if profile else rest[1:], "#version")

    def _if(self, name: str, rest: list[Token], offset: int, skipping: bool) -> None:
        if len(self._conditions) >= MAX_CONDITIONAL_DEPTH:
            raise self.fail(offset, f"more than {MAX_CONDITIONAL_DEPTH} nested #if")
        if skipping:
            self._conditions.append([False, True, False, offset])
            return
        state: list[bool | int] = [False, True, False, offset]
        self._conditions.append(state)
        if name == "if":
            taken = self._condition(rest, offset)
        else:
            if not rest or rest[0][0] != IDENTIFIER:
                raise self.fail(offset, f"#{name} needs a name")
            taken = self._is_macro(rest[0]) == (name == "ifdef")
            self._no_more(rest[1:], f"#{name}")
        state[0] = state[1] = taken

    def _elif(self, rest: list[Token], offset: int) -> None:
        if not self._conditions:
            raise self.fail(offset, "#elif without #if")
        state = self._conditions[-1]
        if state[2]:
            raise self.fail(offset, "#elif after #else")
        if state[1]:
            state[0] = False
            return
        state[1] = True
        state[0] = state[1] = self._condition(rest, offset)

    def _else(self, rest: list[Token], offset: int) -> None:
        if not self._conditions:
            raise self.fail(offset, "#else without #if")
        state = self._conditions[-1]
        if state[2]:
            raise self.fail(offset, "second #else")
        state[2] = True
        state[0] = not state[1]
        state[1] = True
        self._no_more(rest, "#else")

    def _macro_name(self, rest: list[Token], offset: int, what: str) -> str:
        if not rest or rest[0][0] != IDENTIFIER:
            raise self.fail(rest[0][2] if rest else offset, f"#{what} needs a name")
        name = rest[0][1]
        known = self._macros.get(name)
        # Desktop says of predefined macros what C++ says: #undef is no error there.
        may_go = what == "undef" and not self.version.es and name.startswith("__")
        fixed = known is not None and known.predefined and not may_go
        if name == "defined" or fixed:
            raise self.fail(rest[0][2], f"'{name}' is predefined and cannot be changed by #{what}")
        if name.startswith("GL_"):
            raise self.fail(rest[0][2], f"macro names that begin with GL_ are reserved: '{name}'")
        if "__" in name and what == "define":
            self.error(rest[0][2], f"macro names with two underscores in a row are reserved: '{name}'", "warning")
        return name

    def _define(self, rest: list[Token], offset: int) -> None:
        name = self._macro_name(rest, offset, "define")
        at = rest[0][2]
        body = rest[1:]
        parameters: tuple[str, ...] | None = None
        if body and body[0][1] == "(" and body[0][2] == at + len(name):
            close = next((k for k, token in enumerate(body) if token[1] == ")"), -1)
            if close < 0:
                raise self.fail(at, f"parameters of macro '{name}' without ')'")
            inside = body[1:close]
            names = [token[1] for token in inside[::2]]
            commas = [token[1] for token in inside[1::2]]
            bad = any(token[0] != IDENTIFIER for token in inside[::2]) or any(comma != "," for comma in commas)
            if bad or (inside and len(inside) % 2 == 0):
                raise self.fail(at, f"bad parameters of macro '{name}'")
            if len(set(names)) != len(names):
                raise self.fail(at, f"macro '{name}' has two parameters of one name")
            parameters = tuple(names)
            body = body[close + 1 :]
        if any(token[0] == _HASH or token[1] == "#" for token in body):
            raise self.fail(at, "'#' has no meaning in a macro")
        pastes = [k for k, token in enumerate(body) if token[1] == "##"]
        if pastes and (self.version.es or pastes[0] == 0 or pastes[-1] == len(body) - 1):
            raise self.fail(body[pastes[0]][2], "'##' cannot stand here")
        macro = Macro(name, parameters, body)
        known = self._macros.get(name)
        if known is not None and not known.same_as(macro):
            raise self.fail(at, f"macro '{name}' is defined already, with another meaning")
        self._macros[name] = macro

    def _undef(self, rest: list[Token], offset: int) -> None:
        name = self._macro_name(rest, offset, "undef")
        self._no_more(rest[1:], "#undef")
        self._macros.pop(name, None)

    def _extension(self, rest: list[Token], offset: int) -> None:
        if len(rest) != 3 or rest[0][0] != IDENTIFIER or rest[1][1] != ":" or rest[2][0] != IDENTIFIER:
            raise self.fail(offset, "#extension needs NAME : BEHAVIOUR")
        name, behaviour = rest[0][1], rest[2][1]
        if behaviour not in ("require", "enable", "warn", "disable"):
            raise self.fail(rest[2][2], f"unknown behaviour '{behaviour}': require, enable, warn or disable")
        if self._code_seen:
            raise self.fail(offset, "#extension must come before the first declaration")
        if name == "all":
            if behaviour in ("require", "enable"):
                raise self.fail(rest[2][2], f"'all' cannot be '{behaviour}'")
            for known in self.offered_extensions():
                self.enabled[known] = behaviour
        elif name in self.offered_extensions():
            self.enabled[name] = behaviour
        elif behaviour == "require":
            raise self.fail(rest[0][2], f"extension '{name}' is not supported")
        else:
            self.error(rest[0][2], f"extension '{name}' is not supported", "warning")

    def _line(self, rest: list[Token], offset: int) -> None:
        expanded = self._expand(list(rest))
        values: list[int] = []
        if len(expanded) in (1, 2) and all(token[0] == INT_LITERAL for token in expanded):
            values = [self.integer(token) for token in expanded]
        else:
            position = 0
            evaluator = ConditionExpression(self, expanded, offset, evaluate_names=False)
            while position < len(expanded) and len(values) < 2:
                values.append(evaluator.unary_run())
                position = evaluator.position
            if not values or position < len(expanded):
                raise self.fail(offset, "#line needs a line and optionally a string number")
        line = values[0] if self.version.es or self.version.number >= 330 else values[0] + 1
        self.source.renumber(self._directive_end, line, values[1] if len(values) > 1 else None)

    def _pragma(self, rest: list[Token], offset: int) -> None:
        words = [token[1] for token in rest]
        if words == ["STDGL", "invariant", "(", "all", ")"]:
            self.invariant_all = True
            self.invariant_all_at = offset
        elif words == _MEDIUMP_PRAGMA:
            self.is_short = True

    # Conditions ----------------------------------------------------------------------------------------------------
    def _condition(self, rest: list[Token], offset: int) -> bool:
        if not rest:
            raise self.fail(offset, "#if needs an expression")
        self._answers_defined = True
        try:
            tokens = self._expand(rest)
        finally:
            self._answers_defined = False
        return ConditionExpression(self, tokens, offset, evaluate_names=True).value() != 0

    def _is_macro(self, token: Token) -> bool:
        if token[1] == "defined":
            raise self.fail(token[2], "'defined' is no macro's name")
        return token[1] in self._macros

    def _answer_defined(self, stack: list[tuple[Token, frozenset[str]]], offset: int) -> Token:
        """Take the operand of ``defined`` off the stack, before macros in it are expanded; gives 1 or 0."""
        items = [stack.pop()[0] for _ in range(min(3, len(stack)))]
        paren = bool(items) and items[0][1] == "("
        num_used = 3 if paren else 1
        if len(items) < num_used or items[paren][0] != IDENTIFIER or (paren and items[2][1] != ")"):
            raise self.fail(offset, "'defined' needs a name")
        stack.extend((item, frozenset[str]()) for item in reversed(items[num_used:]))
        return (INT_LITERAL, str(int(self._is_macro(items[paren]))), offset)

    def integer(self, token: Token) -> int:
        """Value of an integer token of a directive."""
        text = token[1]
        if text[-1] in "uU":
            if self.version.legacy:
                raise self.fail(token[2], f"'{text}' is no integer")
            text = text[:-1]
        try:
            if text[:2] in ("0x", "0X"):
                value = int(text, 16)
            else:
                value = int(text, 8) if text[0] == "0" and len(text) > 1 else int(text[:24])
        except ValueError:
            raise self.fail(token[2], f"'{text}' is no octal number") from None
        return value

    # Expansion -----------------------------------------------------------------------------------------------------
    def _expand(self, tokens: list[Token]) -> list[Token]:
        """Replace macros in a list of tokens."""
        return self._expand_hidden(tokens, frozenset(), 0)

    def _expand_hidden(self, tokens: list[Token], hidden: frozenset[str], depth: int) -> list[Token]:
        if depth > MAX_MACRO_DEPTH:
            raise self.fail(tokens[0][2], "macros nested too deeply")
        macros = self._macros
        out: list[Token] = []
        # Work items still to read, last first; a name painted blue (kind negative) is never expanded again.
        stack: list[tuple[Token, frozenset[str]]] = [(token, hidden) for token in reversed(tokens)]
        while stack:
            token, hide = stack.pop()
            if self._answers_defined and token[1] == "defined":
                out.append(self._answer_defined(stack, token[2]))
                continue
            macro = macros.get(token[1]) if token[0] == IDENTIFIER else None
            if macro is None or macro.name in hide:
                out.append(token)
                continue
            self._budget -= 1 + len(macro.body)
            if self._budget < 0:
                raise self.fail(token[2], "macros expand to too much text")
            offset = token[2]
            if macro.predefined and not macro.body:
                string, line = self.source.logical_line(offset)
                out.append((INT_LITERAL, str(max(line if macro.name == "__LINE__" else string, 0)), offset))
                continue
            if macro.parameters is None:
                body, inner = self._paste(macro.body), hide | {macro.name}
                stack.extend(((kind, text, offset), inner) for kind, text, _ in reversed(body))
                continue
            if not stack or stack[-1][0][1] != "(":
                out.append(token)
                continue
            arguments, (close, close_hide) = self._arguments(stack, macro, offset)
            inner = (hide & close_hide) | {macro.name}
            replacement = self._substitute(macro, arguments, hide, depth)
            # A use that spans lines stands, for __LINE__, where it ends.
            at = offset if self.source.same_line(offset, close[2]) else close[2]
            stack.extend(((kind, text, at), inner | marks) for (kind, text, _), marks in reversed(replacement))
        return out

    def _arguments(
        self, stack: list[tuple[Token, frozenset[str]]], macro: Macro, offset: int
    ) -> tuple[list[list[tuple[Token, frozenset[str]]]], tuple[Token, frozenset[str]]]:
        """Take the arguments of a use off the stack; gives them and the closing parenthesis."""
        stack.pop()
        arguments: list[list[tuple[Token, frozenset[str]]]] = [[]]
        nesting = 0
        while stack:
            item = stack.pop()
            text = item[0][1]
            if text == ")" and nesting == 0:
                break
            if text == "," and nesting == 0:
                arguments.append([])
                continue
            nesting += (text == "(") - (text == ")")
            arguments[-1].append(item)
        else:
            raise self.fail(offset, f"use of macro '{macro.name}' without ')'")
        wanted = len(macro.parameters or ())
        if wanted == 0 and arguments == [[]]:
            arguments = []
        if len(arguments) != wanted:
            raise self.fail(offset, f"macro '{macro.name}' takes {wanted} arguments, not {len(arguments)}")
        return arguments, item

    def _substitute(
        self,
        macro: Macro,
        arguments: list[list[tuple[Token, frozenset[str]]]],
        hide: frozenset[str],
        depth: int,
    ) -> list[tuple[Token, frozenset[str]]]:
        index = {name: k for k, name in enumerate(macro.parameters or ())}
        body = macro.body
        expanded: dict[int, list[tuple[Token, frozenset[str]]]] = {}
        out: list[tuple[Token, frozenset[str]]] = []
        none: frozenset[str] = frozenset()
        k = 0
        while k < len(body):
            token = body[k]
            if token[1] == "##" and out and k + 1 < len(body):
                right = body[k + 1]
                at = index.get(right[1], -1) if right[0] == IDENTIFIER else -1
                right_items = arguments[at] if at >= 0 else [(right, none)]
                if right_items:
                    left = out.pop()
                    out.append((self._glue(left[0], right_items[0][0]), none))
                    out.extend(right_items[1:])
                k += 2
                continue
            at = index.get(token[1], -1) if token[0] == IDENTIFIER else -1
            if at < 0:
                out.append((token, none))
            elif k + 1 < len(body) and body[k + 1][1] == "##":
                out.extend(arguments[at])
            else:
                if at not in expanded:
                    expanded[at] = self._expand_argument(arguments[at], depth)
                self._budget -= len(expanded[at])
                if self._budget < 0:
                    raise self.fail(token[2], "macros expand to too much text")
                out.extend(expanded[at])
            k += 1
        return out

    def _expand_argument(
        self, items: list[tuple[Token, frozenset[str]]], depth: int
    ) -> list[tuple[Token, frozenset[str]]]:
        if not any(token[1] in self._macros or (self._answers_defined and token[1] == "defined") for token, _ in items):
            return items
        common = frozenset.union(*(marks for _, marks in items))
        return [(token, common) for token in self._expand_hidden([token for token, _ in items], common, depth + 1)]

    def _paste(self, body: list[Token]) -> list[Token]:
        if not any(token[1] == "##" for token in body):
            return body
        out: list[Token] = []
        k = 0
        while k < len(body):
            if body[k][1] == "##" and out and k + 1 < len(body):
                out.append(self._glue(out.pop(), body[k + 1]))
                k += 2
            else:
                out.append(body[k])
                k += 1
        return out

    def _glue(self, left: Token, right: Token) -> Token:
        text = left[1] + right[1]
        match = _TOKEN.match(text)
        if match is None or match.end() != len(text) or match.lastindex is None or match.lastindex > PUNCTUATOR:
            raise self.fail(left[2], f"'##' gives '{text}', which is no token")
        return (match.lastindex, text, left[2])
