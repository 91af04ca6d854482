"""Random expressions of exact programs: types, places that can be read or written, side effects."""

from __future__ import annotations

import random
from collections.abc import Callable

__all__ = ["ExactExpressions"]


class ExactExpressions:
    """Expressions of one program.

    Parameters
    ----------
    seed : of everything random
    version : 100, 300 (ES) or 330
    """

    def __init__(self, seed: int, version: int) -> None:
        self.rng = random.Random(seed)
        self.version = version
        self.modern = version >= 300
        self.count = 0
        self.structs: dict[str, list[tuple[str, str]]] = {}
        self.functions: list[tuple[str, str, list[tuple[str, str]]]] = []
        #: Variables of the expression being written: those it read, and those it wrote.
        self.read: set[str] = set()
        self.written: set[str] = set()
        self.effects = True
        self.calls = True
        #: Types of the temporaries for arguments that are copied back and that no variable could take.
        self.extra: dict[str, str] = {}
        #: Variables that may be read where an index is being written.
        self.readable: dict[str, tuple[str, bool]] = {}

    # Types ---------------------------------------------------------------------------------------------------------
    def scalars(self) -> list[str]:
        return ["int", "int", "bool", "float"] + ["uint"] * self.modern

    def vectors(self) -> list[str]:
        return [f"{p}vec{n}" for p in (["i", "b", ""] + ["u"] * self.modern) for n in (2, 3, 4)]

    def some_type(self) -> str:
        kind = self.rng.randrange(10)
        if kind < 5:
            return self.rng.choice(self.scalars())
        if kind < 8 or not self.structs:
            return self.rng.choice(self.vectors())
        base = self.rng.choice([*self.structs, "int", "ivec2", "bool"])
        return base if base in self.structs and self.rng.random() < 0.6 else f"{base}[{self.rng.randint(1, 4)}]"

    def has_array(self, type_: str) -> bool:
        return type_.endswith("]") or any(self.has_array(t) for _, t in self.structs.get(type_, ()))

    def parts(self, type_: str) -> list[tuple[str, str]]:
        """What a value of a type consists of: how to reach it, and its type."""
        if type_.endswith("]"):
            element, _, length = type_[:-1].partition("[")
            return [(f"[{k}]", element) for k in range(int(length))]
        if type_ in self.structs:
            return [(f".{name}", member) for name, member in self.structs[type_]]
        if "vec" in type_:
            scalar = {"i": "int", "b": "bool", "u": "uint", "v": "float"}[type_[0]]
            return [(f".{'xyzw'[k]}", scalar) for k in range(int(type_[-1]))]
        return []

    def declared(self, type_: str, name: str) -> str:
        base, bracket, rest = type_.partition("[")
        if bracket and self.modern and self.rng.random() < 0.3:
            return f"{type_} {name}"
        return f"{base} {name}{bracket}{rest}"

    # Places --------------------------------------------------------------------------------------------------------
    def new(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def paths(self, name: str, type_: str, wanted: str, depth: int = 0) -> list[str]:
        """Every way from a variable to a value of a type."""
        out = [name] if type_ == wanted else []
        if type_ == wanted or depth > 3:
            return out
        children = self.parts(type_)
        if "vec" in type_ and "vec" in wanted and type_[0] == wanted[0] and "]" not in type_ + wanted:
            letters = self.rng.sample("xyzw"[: len(children)], len(children))[: int(wanted[-1])]
            return [f"{name}.{''.join(letters)}"] if len(letters) == int(wanted[-1]) else []
        if ("]" in type_ or "vec" in type_) and len(children) > 1 and self.rng.random() < 0.5:
            children = [(f"[@{len(children)}]", children[0][1])]
        for step, child in children:
            out += self.paths(name + step, child, wanted, depth + 1)
        return out

    def index(self, length: int) -> str:
        """An index below a length, constant or not, without side effects."""
        if self.rng.random() < 0.4:
            return str(self.rng.randrange(length))
        effects, self.effects = self.effects, False
        if self.modern and length in (2, 4):
            out = f"{self.expression('int', self.readable, 1)} & {length - 1}"
        else:
            first, second = self.rng.randrange(length), self.rng.randrange(length)
            out = f"{self.expression('bool', self.readable, 1)} ? {first} : {second}"
        self.effects = effects
        return out

    def place(self, type_: str, scope: dict[str, tuple[str, bool]], write: bool) -> str | None:
        """A path to a value of a type that may be read, or written, in this expression."""
        self.readable = {n: v for n, v in scope.items() if n not in self.written}
        names = list(self.readable)
        self.rng.shuffle(names)
        for name in names:
            variable, writable = scope[name]
            if write and (not writable or name in self.read):
                continue
            if write:
                self.written.add(name)
                self.readable.pop(name, None)
            found = self.paths(name, variable, type_)
            if found:
                if not write:
                    self.read.add(name)
                chosen, where = self.rng.choice(found), "@"
                while where in chosen:
                    before, _, after = chosen.partition(where)
                    length, _, rest = after.partition("]")
                    chosen = f"{before}{self.index(int(length))}]{rest}"
                return chosen
            if write:
                self.written.discard(name)
                self.readable[name] = scope[name]
        return None

    # Expressions ---------------------------------------------------------------------------------------------------
    def literal(self, type_: str) -> str:
        if type_ == "int":
            return str(self.rng.randint(-9, 40)) if self.rng.random() < 0.9 else "0x1F"
        if type_ == "uint":
            return f"{self.rng.randint(0, 99)}u"
        if type_ == "bool":
            return self.rng.choice(["true", "false"])
        if type_ == "float":
            return str(self.rng.randint(-8, 30) * 0.25)
        return ""

    def leaf(self, type_: str) -> str:
        parts = self.parts(type_)
        if parts:
            return f"{type_}({', '.join(self.leaf(part) for _, part in parts)})"
        if self.rng.random() < 0.7:
            return self.literal(type_)
        call = f"i_({self.rng.randrange(9)})"
        return {"int": call, "uint": f"uint({call})", "bool": f"({call} > 0)", "float": f"float({call})"}[type_]

    def statement_expression(self, type_: str, scope: dict[str, tuple[str, bool]], depth: int = 3) -> str:
        """A whole expression."""
        self.read, self.written = set(), set()
        return self.expression(type_, scope, depth)

    def expression(self, type_: str, scope: dict[str, tuple[str, bool]], depth: int) -> str:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.25:
            found = self.place(type_, scope, write=False) if rng.random() < 0.8 else None
            if found is not None:
                return found
            if depth <= 0 or not self.parts(type_):
                return self.leaf(type_)

        def sub(kind: str) -> str:
            return self.expression(kind, scope, depth - 1)

        calls = [f for f in self.functions if f[1] == type_] if self.calls and depth > 1 else []
        if calls and rng.random() < 0.35:
            return self.call(rng.choice(calls), scope, depth - 1)
        if self.effects and rng.random() < 0.12 and not (self.has_array(type_) and not self.modern):
            target = self.place(type_, scope, write=True)
            if target is not None:
                return self.effect(type_, target, sub)
        if rng.random() < 0.1 and not (self.has_array(type_) and not self.modern) and self.version != 330:
            return f"({sub('bool')} ? {sub(type_)} : {sub(type_)})"
        if rng.random() < 0.04 and not self.has_array(type_):
            return f"({sub('int')}, {sub(type_)})"
        return self.made(type_, sub, scope)

    def effect(self, type_: str, target: str, sub: Callable[[str], str]) -> str:
        if type_ in ("int", "uint", "ivec2", "ivec3", "uvec2") and self.rng.random() < 0.6:
            return self.rng.choice([f"{target}++", f"++{target}", f"{target}--", f"--{target}"])
        if type_ == "float":
            return f"({target} = mod({sub('float')}, 64.0))"
        if type_ in ("vec2", "vec3", "vec4"):
            return f"({target} = mod({sub(type_)}, 64.0))"
        if type_ in ("int", "uint", "ivec2", "ivec4", "uvec3"):
            return f"({target} {self.rng.choice(['+=', '-=', '*='])} {sub(type_)})"
        return f"({target} = {sub(type_)})"

    def call(self, function: tuple[str, str, list[tuple[str, str]]], scope: dict, depth: int) -> str:
        name, _, parameters = function
        out = []
        for direction, type_ in parameters:
            if direction in ("out", "inout"):
                target = self.place(type_, scope, write=True) if self.effects else None
                if target is None:
                    # A variable of its own for what is copied back: one more for each such use.
                    target = f"t_{len(self.extra)}"
                    self.extra[target] = type_
                out.append(target)
            else:
                out.append(self.expression(type_, scope, depth))
        return f"{name}({', '.join(out)})"

    def made(self, type_: str, sub: Callable[[str], str], scope: dict[str, tuple[str, bool]]) -> str:
        """An operator, constructor or built-in function that gives the type."""
        rng = self.rng
        if type_.endswith("]"):
            element = type_.partition("[")[0]
            if self.modern:
                length = type_.partition("[")[2] if rng.random() < 0.5 else "]"
                return f"{element}[{length}({', '.join(sub(t) for _, t in self.parts(type_))})"
            raise AssertionError(type_)
        if type_ in self.structs:
            return f"{type_}({', '.join(sub(t) for _, t in self.parts(type_))})"
        if type_ == "bool":
            return self.boolean(sub)
        if type_ in ("int", "uint"):
            return self.integer(type_, sub)
        if type_ == "float":
            half = rng.choice(["0.5", "2.0", "-1.0"])
            options = [f"({sub('float')} + {sub('float')})", f"({sub('float')} - {sub('float')})"]
            options += (
                [f"float({sub('int')} - {sub('int')} / 64 * 64)"] if not self.modern else [f"float({sub('int')} & 63)"]
            )
            options += [
                f"floor({sub('float')}) * {half}",
                f"float({sub('bool')})",
                f"abs({sub('float')})",
                f"-({sub('float')})",
            ]
            options += [
                f"max({sub('float')}, {sub('float')})",
                f"clamp({sub('float')}, -3.0, 8.0)",
                f"step({sub('float')}, 1.0)",
            ]
            options += [f"dot({sub('vec2')} - {sub('vec2')}, vec2(1.0, 2.0))"]
            if self.version == 330:
                options += [f"({sub('float')} + {rng.randint(1, 9)})", f"max({sub('float')}, 2)"]
            return (
                f"mod({rng.choice(options)}, 64.0)" if "float(" not in options[0] or rng.random() < 0.9 else options[0]
            )
        return self.vector(type_, sub)

    def boolean(self, sub: Callable[[str], str]) -> str:
        rng = self.rng
        kind = rng.choice([*self.scalars(), *self.vectors()])
        structs = [s for s in self.structs if self.modern or not self.has_array(s)]
        if structs and rng.random() < 0.2:
            kind = rng.choice(structs)
        options = [
            lambda: f"({sub('bool')} {rng.choice(['&&', '||', '^^', '==', '!='])} {sub('bool')})",
            lambda: f"!{sub('bool')}",
            lambda: f"({sub('int')} {rng.choice(['<', '>', '<=', '>=', '==', '!='])} {sub('int')})",
            lambda: f"({sub('float')} {rng.choice(['<', '>', '<=', '>='])} {sub('float')})",
            lambda: f"({sub(kind)} {rng.choice(['==', '!='])} {sub(kind)})",
            lambda: f"{rng.choice(['any', 'all'])}({sub(rng.choice(['bvec2', 'bvec3', 'bvec4']))})",
            lambda: f"bool({sub('int')})",
        ]
        return rng.choice(options)()

    def integer(self, type_: str, sub: Callable[[str], str]) -> str:
        rng, suffix = self.rng, "u" if type_ == "uint" else ""
        options = [
            lambda: f"({sub(type_)} {rng.choice('+-*')} {sub(type_)})",
            lambda: f"({sub(type_)} / {rng.randint(1, 9)}{suffix})",
            lambda: f"{type_}({sub('bool')})",
            lambda: f"{type_}(abs({sub('float')}))",
            lambda: f"-({sub(type_)})",
        ]
        if self.modern:
            other = "uint" if rng.random() < 0.3 else "int"
            options += [
                lambda: f"({sub(type_)} {rng.choice('&|^')} {sub(type_)})",
                lambda: (
                    f"({sub(type_)} {rng.choice(['<<', '>>'])} ({sub(other)} & {'31u' if other == 'uint' else '31'}))"
                ),
                lambda: f"~{sub(type_)}",
                lambda: f"{rng.choice(['min', 'max'])}({sub(type_)}, {sub(type_)})",
                lambda: f"{type_}({sub('uint' if type_ == 'int' else 'int')})",
                lambda: f"(({sub(type_)} & 255{suffix}) % {rng.randint(1, 9)}{suffix})",
                lambda: f"({sub('uvec4' if suffix else 'ivec4')})[{sub('int')} & 3]",
            ]
        return rng.choice(options)()

    def vector(self, type_: str, sub: Callable[[str], str]) -> str:
        rng, n = self.rng, int(type_[-1])
        scalar = self.parts(type_)[0][1]
        prefix = type_[:-1]
        options = [
            lambda: f"{type_}({', '.join(sub(scalar) for _ in range(n))})",
            lambda: f"{type_}({sub(scalar)})",
            lambda: f"({sub(prefix + str(rng.randint(2, 4)))}).{''.join(rng.choice('xy') for _ in range(n))}",
            lambda: f"{type_}({sub(rng.choice(['bool', 'int']))})" if scalar != "float" else f"{type_}({sub('bool')})",
        ]
        if n > 2:
            options.append(lambda: f"{type_}({sub(prefix + '2')}, {', '.join(sub(scalar) for _ in range(n - 2))})")
        if n < 4:
            options.append(lambda: f"{type_}({sub(prefix + '4')})")
        if scalar == "bool":
            compare = rng.choice(["lessThan", "greaterThanEqual", "equal", "notEqual", "greaterThan", "lessThanEqual"])
            options += [lambda: f"{compare}({sub(f'ivec{n}')}, {sub(f'ivec{n}')})", lambda: f"not({sub(type_)})"]
            options += [lambda: f"bvec{n}({sub(f'ivec{n}')})"]
        elif scalar == "float":
            options += [
                lambda: f"mod({sub(type_)} {rng.choice('+-')} {sub(type_)}, 64.0)",
                lambda: f"mod({sub(type_)} {rng.choice('+-')} {sub('float')}, vec{n}(32.0))",
                lambda: f"{rng.choice(['min', 'max'])}({sub(type_)}, {sub('float')})",
                lambda: f"vec{n}({sub(f'bvec{n}')})",
            ]
        else:
            options += [
                lambda: f"({sub(type_)} {rng.choice('+-*')} {sub(type_)})",
                lambda: f"({sub(scalar)} {rng.choice('+-*')} {sub(type_)})",
                lambda: f"({sub(type_)} {rng.choice('+-*')} {sub(scalar)})",
                lambda: f"{type_}({sub(f'bvec{n}')})",
                lambda: f"-({sub(type_)})",
            ]
            if self.modern:
                options += [lambda: f"({sub(type_)} {rng.choice('&|^')} {sub(rng.choice([type_, scalar]))})"]
                options += [lambda: f"{rng.choice(['min', 'max'])}({sub(type_)}, {sub(type_)})"]
        return rng.choice(options)()
