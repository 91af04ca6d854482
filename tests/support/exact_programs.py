"""Random valid fragment shaders whose values are exact: any two right compilers give the same bits.

Only integers, booleans and floats that are small multiples of 1/4 occur; nothing is read before it is written, no
index leaves its array, no shift its width, and an expression writes a variable only where nothing else in it uses that
variable. What is left is what a compiler can get wrong: scopes, side effects, short circuits, lvalues, copies of
structures and arrays, parameters that are copied back, jumps, divergence.
"""

from __future__ import annotations

from exact_expressions import ExactExpressions

__all__ = ["ExactProgram"]

HEADS = {
    100: "precision highp float; precision highp int;\n",
    300: "#version 300 es\nprecision highp float; precision highp int;\nout vec4 color_;\n",
    330: "#version 330\nout vec4 color_;\n",
}
COMMON = """int h_ = 1; int g_ = 3;
int i_(int k) {
  int x = int(gl_FragCoord.x) + int(gl_FragCoord.y) * 5 + k * 7; x = x * x * 3 + x + k; return x - x / 23 * 23 - 9;
}
void mix_(int x) { h_ = h_ * 31 + x; h_ = h_ - h_ / 65521 * 65521; }
"""


class ExactProgram(ExactExpressions):
    """One program; parameters as of its base."""

    def __init__(self, seed: int, version: int) -> None:
        super().__init__(seed, version)
        self.globals: dict[str, str] = {}
        #: Names of the innermost block.
        self.here: set[str] = set()
        self.in_loop = self.in_switch = False
        #: Result of the function being written, "main" for the main program.
        self.returns = "void"

    # Statements ----------------------------------------------------------------------------------------------------
    def assign_all(self, name: str, type_: str, scope: dict[str, tuple[str, bool]]) -> list[str]:
        """Statements that give every part of a variable a value."""
        if type_.endswith("]") or (self.has_array(type_) and not self.modern):
            if self.modern and self.rng.random() < 0.6:
                return [f"{name} = {self.statement_expression(type_, scope, 2)};"]
            return [line for step, part in self.parts(type_) for line in self.assign_all(name + step, part, scope)]
        return [f"{name} = {self.statement_expression(type_, scope, 2)};"]

    def declare(self, scope: dict[str, tuple[str, bool]]) -> list[str]:
        type_ = self.some_type()
        # Sometimes the name of a variable of an enclosing block.
        shadowed = [n for n in scope if n not in self.here and n[0] == "x"]
        name = self.rng.choice(shadowed) if shadowed and self.rng.random() < 0.3 else self.new("x")
        initialised = self.modern or not self.has_array(type_)
        if initialised and self.rng.random() < 0.8:
            text = self.statement_expression(type_, scope, 3)
            word = "const " if self.rng.random() < 0.1 and text.lstrip("-").replace(".", "").isdigit() else ""
            lines = [f"{word}{self.declared(type_, name)} = {text};"]
            writable = not word
        else:
            outer = {n: v for n, v in scope.items() if n != name}
            lines = [f"{self.declared(type_, name)};", *self.assign_all(name, type_, outer)]
            writable = True
        self.here.add(name)
        scope[name] = (type_, writable)
        if type_ in ("int", "bool", "ivec2") and writable and len(lines) == 1 and self.rng.random() < 0.2:
            second = self.new("x")
            lines[0] = f"{lines[0][:-1]}, {second} = {self.statement_expression(type_, scope, 2)};"
            self.here.add(second)
            scope[second] = (type_, True)
        return lines

    def assignment(self, scope: dict[str, tuple[str, bool]]) -> list[str]:
        for _ in range(4):
            type_ = self.some_type()
            if self.has_array(type_) and not self.modern:
                continue
            self.read, self.written = set(), set()
            target = self.place(type_, scope, write=True)
            if target is None:
                continue
            self.written.clear()  # x = f(x) reads it before it is written; only effects in the value must keep off
            root = target.split(".")[0].split("[")[0]
            self.read.add(root)
            value = self.expression(type_, scope, 3)
            if type_ in ("int", "uint", *(f"{p}vec{n}" for p in "iu" for n in (2, 3, 4))):
                ops = ["=", "=", "+=", "-=", "*="] + ["&=", "|=", "^="] * self.modern
                return [f"{target} {self.rng.choice(ops)} {value};"]
            if type_ in ("float", "vec2", "vec3", "vec4"):
                value = f"mod({value}, 64.0)"
            return [f"{target} = {value};"]
        return []

    def block(self, scope: dict[str, tuple[str, bool]], depth: int, size: int = 4) -> list[str]:
        inner, here = dict(scope), self.here
        self.here = set()
        out: list[str] = []
        for _ in range(self.rng.randint(1, size)):
            out += self.statement(inner, depth)
        self.here = here
        return ["  " + line for line in out]

    def braced(self, scope: dict[str, tuple[str, bool]], depth: int, head: str) -> list[str]:
        return [f"{head}{{", *self.block(scope, depth), "}"]

    def statement(self, scope: dict[str, tuple[str, bool]], depth: int) -> list[str]:
        rng = self.rng
        kind = rng.randrange(16)
        if kind < 4:
            return self.declare(scope)
        if kind < 7:
            return self.assignment(scope)
        if kind == 7:
            return [f"mix_({self.statement_expression('int', scope)});"]
        if kind == 8:
            # Functions without a value write global variables, so they are called on their own and not with these.
            usable = self.calls and self.returns in ("main", "void")
            void = [f for f in self.functions if f[1] == "void"] if usable else []
            self.read, self.written = set(), set()
            local = {n: v for n, v in scope.items() if n not in self.globals}
            calls, self.calls = self.calls, False
            text = [f"{self.call(rng.choice(void), local, 2)};"] if void else []
            self.calls = calls
            return text
        if kind == 9:
            condition = self.statement_expression("bool", scope, 2)
            jumps = ["break;", "continue;"] * self.in_loop + ["break;"] * self.in_switch
            if self.returns == "main":
                jumps += ["return;"] + (["discard;"] if rng.random() < 0.3 else [])
            elif rng.random() < 0.5:
                value = "" if self.returns == "void" else self.pure(self.returns, scope)
                jumps += [f"return {value};"]
            return [f"if ({condition}) {rng.choice(jumps)}"] if jumps else []
        if depth <= 0:
            return []
        if kind < 12:
            out = self.braced(scope, depth - 1, f"if ({self.statement_expression('bool', scope, 2)}) ")
            if rng.random() < 0.5:
                out += self.braced(scope, depth - 1, "else ")
            return out
        if kind < 14:
            return self.loop(scope, depth)
        if kind == 14:
            return self.switch(scope, depth) if self.modern else []
        return self.braced(scope, depth - 1, "")

    def pure(self, type_: str, scope: dict[str, tuple[str, bool]]) -> str:
        effects, self.effects = self.effects, False
        text = self.statement_expression(type_, scope, 2)
        self.effects = effects
        return text

    def loop(self, scope: dict[str, tuple[str, bool]], depth: int) -> list[str]:
        rng, name = self.rng, self.new("i")
        in_loop, in_switch, self.in_loop, self.in_switch = self.in_loop, self.in_switch, True, False
        inner = {**scope, name: ("int", False)}
        limit, kind = rng.randint(1, 5), rng.randrange(4)
        if kind < 2 or not self.modern:
            start = f"{self.statement_expression('int', scope, 2)} & 3" if self.modern and rng.random() < 0.3 else "0"
            condition = f"{name} < {limit}"
            if rng.random() < 0.2:
                condition += f" && {self.statement_expression('bool', scope, 2)}"
            step = rng.choice([f"{name}++", f"++{name}", f"{name} += 2"])
            if rng.random() < 0.2:
                step += f", {self.statement_expression('int', scope, 2)}"
            out = self.braced(inner, depth - 1, f"for (int {name} = {start}; {condition}; {step}) ")
        elif kind == 2:
            condition = self.statement_expression("bool", scope, 1) if rng.random() < 0.5 else "true"
            body = self.block(inner, depth - 1)
            out = ["{", f"int {name} = 0;", f"while ({name}++ < {limit} && {condition}) {{", *body, "}", "}"]
        else:
            body = self.block(inner, depth - 1)
            out = ["{", f"int {name} = 0;", "do {", *body, f"}} while (++{name} < {limit});", "}"]
        self.in_loop, self.in_switch = in_loop, in_switch
        return out

    def switch(self, scope: dict[str, tuple[str, bool]], depth: int) -> list[str]:
        rng = self.rng
        type_ = rng.choice(["int", "uint"])
        suffix = "u" if type_ == "uint" else ""
        out = [f"switch ({self.statement_expression(type_, scope, 2)} & 3{suffix}) {{"]
        in_switch, self.in_switch = self.in_switch, True
        labels = [f"case {k}{suffix}:" for k in range(rng.randint(1, 4))] + ["default:"] * rng.randint(0, 1)
        rng.shuffle(labels)
        for k, label in enumerate(labels):
            out.append(label)
            if k + 1 == len(labels) or rng.random() < 0.8:
                out += self.braced(scope, depth - 1, "")
                out += ["break;"] if rng.random() < 0.6 else []
        self.in_switch = in_switch
        return [*out, "}"]

    # Program -------------------------------------------------------------------------------------------------------
    def function(self) -> list[str]:
        rng, name = self.rng, self.new("f")
        if self.functions and rng.random() < 0.25:
            name = rng.choice(self.functions)[0]  # an overload
        returns = rng.choice(["void", self.some_type(), self.some_type()])
        if self.has_array(returns) and not self.modern:
            returns = "int"
        parameters = [
            (rng.choice(["in", "in", "", "const", "out", "inout"]), self.some_type()) for _ in range(rng.randint(0, 4))
        ]
        parameters = [
            (d, t if self.modern or not self.has_array(t) or d in ("out", "inout") else "ivec3") for d, t in parameters
        ]
        if any(f[0] == name and [t for _, t in f[2]] == [t for _, t in parameters] for f in self.functions):
            name = self.new("f")
        scope: dict[str, tuple[str, bool]] = {"g_": ("int", False)}
        if returns == "void":
            scope.update({n: (t, True) for n, t in self.globals.items()})
        declared, start = [], []
        self.here = set()
        for direction, type_ in parameters:
            parameter = self.new("p")
            declared.append(f"{direction} {self.declared(type_, parameter)}".strip())
            if direction == "out":
                self.effects = self.calls = False
                start += self.assign_all(parameter, type_, scope)
                self.effects = self.calls = True
            scope[parameter] = (type_, direction != "const")
            self.here.add(parameter)
        self.returns = returns
        head = f"{returns} {name}({', '.join(declared)})"
        body = self.block(scope, 2)
        end = [] if returns == "void" else [f"  return {self.pure(returns, scope)};"]
        # Temporaries for arguments that are copied back and that no variable could take.
        out = [f"{head} {{", *self.temporaries(), *("  " + line for line in start), *body, *end, "}"]
        self.functions.append((name, returns, [(d or "in", t) for d, t in parameters]))
        return ([f"{head};"] if rng.random() < 0.3 else []) + out

    def temporaries(self) -> list[str]:
        out = [f"  {self.declared(t, name)};" for name, t in self.extra.items()]
        effects, self.effects, calls, self.calls = self.effects, False, self.calls, False
        for name, t in self.extra.items():
            out += ["  " + line for line in self.assign_all(name, t, {})]
        self.effects, self.calls = effects, calls
        self.extra = {}
        return out

    def hash(self, name: str, type_: str) -> list[str]:
        if self.parts(type_):
            return [line for step, part in self.parts(type_) for line in self.hash(name + step, part)]
        return [f"mix_(int({name}{' * 4.0' if type_ == 'float' else ''}));"]

    def source(self) -> str:
        """Write the program."""
        text = [HEADS[self.version] + COMMON]
        for _ in range(self.rng.randint(0, 3)):
            name = self.new("S")
            members = [(f"m{k}", self.some_type()) for k in range(self.rng.randint(1, 3))]
            self.structs[name] = members
            text.append(f"struct {name} {{ {' '.join(self.declared(t, n) + ';' for n, t in members)} }};")
        self.globals = {self.new("G"): self.some_type() for _ in range(self.rng.randint(0, 3))}
        text += [f"{self.declared(t, n)};" for n, t in self.globals.items()]
        for _ in range(self.rng.randint(0, 4)):
            text += self.function()
        self.returns = "main"
        scope: dict[str, tuple[str, bool]] = {"g_": ("int", True)}
        body: list[str] = []
        for name, type_ in self.globals.items():
            body += self.assign_all(name, type_, scope)
        scope.update({n: (t, True) for n, t in self.globals.items()})
        self.here = set()
        for _ in range(self.rng.randint(3, 9)):
            body += self.statement(scope, 3)
        for name, (type_, _) in scope.items():
            body += self.hash(name, type_)
        color = "color_" if self.modern else "gl_FragColor"
        # The body stands in a function of its own value, so that an early return still gives a colour.
        out = f"{color} = vec4(float(h_), float(g_ - g_ / 4096 * 4096), 0.0, 1.0);"
        lines = ["void body_() {", *self.temporaries(), *("  " + line for line in body), "}"]
        return "\n".join([*text, *lines, f"void main() {{ body_(); {out} }}\n"])
