"""The checker: declarations, statements, and the rules that hold over a whole shader.

It annotates the syntax tree and gives a :class:`CheckedShader`, all that linking and lowering need.
"""

from __future__ import annotations

from replay.glsl import syntax as ast
from replay.glsl.builtins import builtin_functions
from replay.glsl.declarations import CheckedShader
from replay.glsl.expression_base import contains, is_opaque
from replay.glsl.interface_rules import InterfaceRules
from replay.glsl.memory_rules import MEMORY_WORDS
from replay.glsl.preprocessor import Preprocessor
from replay.glsl.symbols import Function, Symbol
from replay.glsl.types import (
    COUNTER,
    FLOAT,
    INT,
    VOID,
    ArrayType,
    ImageType,
    OpaqueType,
    Type,
    array_of,
)

__all__ = ["Checker"]


class Checker(InterfaceRules):
    """Checks one shader.

    Parameters
    ----------
    declarations : of the parser
    preprocessor : for version, extensions and messages
    stage : "vertex", "tess_control", "tess_evaluation", "geometry", "fragment" or "compute"
    """

    def __init__(self, declarations: list[object], preprocessor: Preprocessor, stage: str) -> None:
        super().__init__(preprocessor, stage)
        self._declarations = declarations
        self.shader.invariant_all = preprocessor.invariant_all
        # On the desktop precisions have no meaning.
        self.shader.is_short = preprocessor.is_short and self.version.es
        if preprocessor.invariant_all and stage == "fragment" and self.version.number >= 130:
            self.report(preprocessor.invariant_all_at, "the pragma 'invariant(all)' cannot stand in a fragment shader")
        self._functions: list[Function] = []
        #: Precision of the result of the function being declared.
        self._return_precision = ""
        self._written_colors: dict[str, int] = {}
        if stage == "compute" and not self.version.has("compute"):
            self.report(0, f"there are no compute shaders in {self.version.name}")

    # Driver --------------------------------------------------------------------------------------------------------
    def run(self) -> CheckedShader:
        """Check everything; problems go to the preprocessor's diagnostics."""
        for declaration in self._declarations:
            self._guard(self._global, declaration)
        self._finish()
        return self.shader

    def _global(self, node: object) -> None:
        self.check_declaration(node)

    def check_declaration(self, node: object) -> None:
        """Check any declaration."""
        if isinstance(node, ast.Declaration):
            self.check_variables(node)
        elif isinstance(node, ast.FunctionDefinition):
            self._function(node)
        elif isinstance(node, ast.PrecisionDeclaration):
            self._precision_statement(node)
        elif isinstance(node, ast.QualifierDeclaration):
            self._qualifier_statement(node)
        elif isinstance(node, ast.BlockDeclaration):
            self._block(node)

    def _finish(self) -> None:
        for symbol, highest in self.highest_index.items():
            if isinstance(symbol.type, ArrayType) and not symbol.type.length:
                symbol.type = array_of(symbol.type.element, highest + 1)
        for symbol in self.shader.symbols:
            if isinstance(symbol.type, ArrayType) and not symbol.type.length:
                symbol.type = array_of(symbol.type.element, 1)
        used = [symbol for symbol in self._builtins.values() if isinstance(symbol, Symbol) and symbol.used]
        self.shader.symbols[:0] = used
        self._check_recursion()
        if len({name for name in self._written_colors if name in ("gl_FragColor", "gl_FragData")}) == 2:
            pos = max(self._written_colors.values())
            self.report(pos, "gl_FragColor and gl_FragData cannot both be written")
        user_outputs = [symbol for symbol in self.shader.symbols if symbol.storage == "out" and not symbol.builtin]
        if self.stage == "compute" and not self.shader.local_size:
            self.report(0, "a compute shader needs layout(local_size_x = ...) in;")
        if self.stage == "geometry":
            self.finish_geometry()
        if self.stage == "tess_control":
            self.finish_control()
        if self.stage == "fragment" and user_outputs and self._written_colors:
            self.report(
                max(self._written_colors.values()), "built-in and user-defined colour outputs cannot both be written"
            )

    def note_write(self, symbol: Symbol, pos: int) -> None:
        """Remember writes of the built-in colours."""
        if symbol.builtin and symbol.name in ("gl_FragColor", "gl_FragData"):
            self._written_colors[symbol.name] = pos

    def note_global_call(self, function: Function, pos: int) -> None:
        """A function may be called outside of functions on desktop only; nothing forbids it there."""

    def _check_recursion(self) -> None:
        state: dict[Function, int] = {}
        for function in self._functions:
            if state.get(function, 0) == 0 and _comes_back(function, state):
                self.report(function.pos, f"'{function.name}' calls itself, directly or through others")
                return

    # Precision -----------------------------------------------------------------------------------------------------
    def _precision_statement(self, node: ast.PrecisionDeclaration) -> None:
        found = self.resolve_type_name(node.spec)
        if node.spec.dims or not (found in (FLOAT, INT) or isinstance(found, OpaqueType)):
            self.fail(node.spec.pos, f"there is no default precision of {found}")
        if found is COUNTER and node.precision != "highp" and self.version.es:
            self.fail(node.spec.pos, "counters are highp")
        self._precision[-1][found.name] = node.precision

    # Qualifiers ----------------------------------------------------------------------------------------------------
    def _qualifier_statement(self, node: ast.QualifierDeclaration) -> None:
        qualifiers = node.qualifiers
        words = [word for word, _ in qualifiers.words]
        if not node.names:
            self._layout_default(node)
            return
        if words == ["precise"]:
            self._precise_names(node)
            return
        if words != ["invariant"]:
            if set(words) <= {"lowp", "mediump", "highp"} or "const" in words:
                self.fail(node.pos, "a type is missing")
            self.fail(node.pos, "only 'invariant' can be given to a name declared before")
        if not self._at_global_scope:
            self.fail(node.pos, "'invariant' stands at global scope only")
        for name, pos in node.names:
            symbol = self.scopes.find(name)
            if not isinstance(symbol, Symbol):
                self.fail(pos, f"'{name}' is not declared")
            if symbol.used and symbol.written + symbol.read > 0:
                self.fail(pos, f"'{name}' is used before it is made invariant")
            self._check_invariant(symbol, pos)
            symbol.invariant = True

    def _precise_names(self, node: ast.QualifierDeclaration) -> None:
        """``precise a, b;``: every expression is precise here, since nothing is contracted or reordered."""
        for name, pos in node.names:
            symbol = self.scopes.find(name)
            if not isinstance(symbol, Symbol):
                self.fail(pos, f"'{name}' is not declared")
            if symbol.used and symbol.written + symbol.read > 0:
                self.fail(pos, f"'{name}' is used before it is made precise")

    def _layout_default(self, node: ast.QualifierDeclaration) -> None:
        """``layout(std140) uniform;`` and the like."""
        qualifiers = node.qualifiers
        storage = self._check_qualifiers(qualifiers)
        if not qualifiers.layout or storage not in ("uniform", "in", "out", "buffer"):
            self.fail(node.pos, "a declaration is missing")
        if not self._at_global_scope:
            self.fail(node.pos, "layout defaults stand at global scope only")
        if storage == "in" and self.stage == "compute":
            self.work_group_layout(node)
            return
        if storage in ("in", "out") and self.stage == "geometry":
            self.geometry_layout(node, storage)
            return
        if storage == "out" and self.stage == "tess_control":
            self.control_layout(node)
            return
        if storage == "in" and self.stage == "tess_evaluation":
            self.evaluation_layout(node)
            return
        if storage == "in" and self.stage == "fragment" and self.version.has("images"):
            self.fragment_layout(node)
            return
        if storage == "out" and self.stage == "fragment":
            self.blend_layout(node)
            return
        for name, value, pos in qualifiers.layout:
            if storage == "buffer" and value is None and name in ("std140", "std430", "shared", "packed"):
                self._storage_layout = name
            elif storage == "buffer" and value is None and name in ("row_major", "column_major"):
                self._storage_row_major = name == "row_major"
            elif storage == "uniform" and value is None and name in ("std140", "shared", "packed"):
                self._block_layout = name
            elif storage == "uniform" and value is None and name in ("row_major", "column_major"):
                self._block_row_major = name == "row_major"
            else:
                self.fail(pos, f"layout '{name}' has no meaning here")

    # Variables -----------------------------------------------------------------------------------------------------
    def check_variables(self, node: ast.Declaration) -> None:
        """Check a declaration of variables, or of a type alone."""
        qualifiers = node.qualifiers
        storage = self._check_qualifiers(qualifiers)
        if storage == "const" and qualifiers.has("in"):
            self.fail(qualifiers.pos, "'const' and 'in' exclude each other but in parameters")
        base = self.resolve_type_name(node.spec)
        if not node.declarators:
            self._lone_type(node, base, storage)
            return
        if base is VOID:
            self.fail(node.spec.pos, "a variable cannot be void")
        at_global = self._at_global_scope
        if not at_global and storage not in ("", "const"):
            self.fail(qualifiers.pos, f"'{storage}' variables stand at global scope only")
        for declarator in node.declarators:
            self._variable(declarator, base, node, storage, at_global)

    def _lone_type(self, node: ast.Declaration, base: Type, storage: str) -> None:
        qualifiers = node.qualifiers
        if node.spec.dims:
            self._sized(base, node.spec.dims, node.spec.pos, unsized_ok=self.version.has("unsized_arrays"))
        if node.spec.struct is not None:
            if qualifiers.precision:
                self.fail(qualifiers.pos, f"{base} has no precision")
            if qualifiers.layout:
                self.fail(qualifiers.pos, "layout has no meaning here")
            if storage and storage not in ("const", "uniform", "in", "out"):
                self.fail(qualifiers.pos, f"'{storage}' has no meaning here")
            return
        if base is COUNTER and storage == "uniform" and qualifiers.layout:
            self.counter_default(qualifiers)
            return
        if qualifiers.layout or qualifiers.has("invariant") or storage == "inout":
            self.fail(node.pos, "a name is missing")
        self.report(node.pos, "declaration without a name", "warning")

    def _variable(
        self, declarator: ast.Declarator, base: Type, node: ast.Declaration, storage: str, at_global: bool
    ) -> None:
        qualifiers, pos, name = node.qualifiers, declarator.pos, declarator.name
        dims = [*declarator.dims, *node.spec.dims]
        init = declarator.init
        is_per_vertex = self.is_per_vertex(storage, is_patch=qualifiers.has("patch"))
        unsized_ok = init is not None or is_per_vertex or self.version.has("unsized_arrays")
        found = self._sized(base, dims, pos, unsized_ok=unsized_ok)
        if at_global and self._redeclares(declarator, found, qualifiers, storage):
            return
        self._check_name(name, pos)
        symbol = Symbol(name, found, "local", pos)
        symbol.is_global = at_global
        symbol.precision = self._precision_of(found, qualifiers, pos)
        if at_global:
            symbol.storage = self.storage_class(storage, qualifiers)
            self.check_interface(symbol, storage, qualifiers, pos)
        elif storage == "const":
            symbol.storage = "const"
        symbol.writable = symbol.storage in ("local", "out", "shared")
        if not at_global:
            self._check_local(symbol, qualifiers, pos)
        if contains(found, is_opaque) and symbol.storage != "uniform":
            self.fail(pos, "samplers, images and counters must be uniforms or parameters of functions")
        if init is not None:
            self._initialiser(declarator, symbol, at_global)
        elif symbol.storage == "const":
            self.fail(pos, f"the constant '{name}' needs a value")
        self._add(symbol)
        declarator.symbol = symbol
        if at_global:
            self.shader.symbols.append(symbol)

    def _check_local(self, symbol: Symbol, qualifiers: ast.Qualifiers, pos: int) -> None:
        for word, word_pos in qualifiers.words:
            if word not in ("const", "lowp", "mediump", "highp", "precise"):
                self.fail(word_pos, f"'{word}' has no meaning for a local variable")

    def _initialiser(self, declarator: ast.Declarator, symbol: Symbol, at_global: bool) -> None:
        init = declarator.init
        assert init is not None
        given = self.value(init)
        wanted = symbol.type
        if symbol.storage in ("in", "out", "shared") or (
            symbol.storage == "uniform" and not self.version.has("uniform_initializers")
        ):
            self.fail(init.pos, f"'{symbol.name}' cannot have an initialiser")
        if isinstance(given, ArrayType) and not given.length:
            self.fail(init.pos, "an array without size is no value")
        if isinstance(wanted, ArrayType):
            if not self.version.has("array_initializers"):
                self.fail(init.pos, f"arrays have no initialisers in {self.version.name}")
            if not wanted.length and isinstance(given, ArrayType) and given.element is wanted.element:
                wanted = symbol.type = given
        if not self.converts(given, wanted):
            self.fail(init.pos, f"'{symbol.name}' is {wanted}, not {given}")
        if contains(given, lambda one: isinstance(one, ArrayType)) and not self.version.has("array_initializers"):
            self.fail(init.pos, f"structures with arrays have no initialisers in {self.version.name}")
        declarator.init = init = self.convert(init, wanted)
        symbol.init = init
        must_be_constant = symbol.storage in ("const", "uniform") or (at_global and self.version.es)
        if symbol.storage == "const" and not (at_global or init.constant) and self.version.has("const_at_run_time"):
            symbol.storage = "local"  # which nobody may write to
            return
        if must_be_constant and not init.constant:
            self.fail(init.pos, f"the initialiser of '{symbol.name}' must be a constant expression")

    def _redeclares(self, declarator: ast.Declarator, found: Type, qualifiers: ast.Qualifiers, storage: str) -> bool:
        """Handle redeclarations that are allowed: sizing an array, built-in variables on desktop."""
        name, pos = declarator.name, declarator.pos
        known = self.scopes.find(name)
        if not isinstance(known, Symbol) or self.version.es:
            return False
        if known.builtin:
            if name == "gl_FragCoord" and storage == "in" and found is known.type and self.version.number >= 150:
                self._redeclared_position(known, qualifiers, pos)
                return True
            if name == "gl_FragDepth" and storage == "out" and found is known.type and self.version.has("images"):
                self._redeclared_depth(qualifiers)
                return True
            if not isinstance(known.type, ArrayType) or storage != known.storage:
                return False
        elif self.scopes.here(name) is not known:
            return False
        if not isinstance(known.type, ArrayType) or not isinstance(found, ArrayType):
            return False
        if known.type.length or known.type.element is not found.element:
            return False
        if found.length and self.highest_index.get(known, -1) >= found.length:
            self.fail(pos, f"'{name}' was used beyond this size already")
        if found.length:
            known.type = found
            self.highest_index.pop(known, None)
        return True

    def _redeclared_depth(self, qualifiers: ast.Qualifiers) -> None:
        """``layout(depth_less) out float gl_FragDepth``: a promise that changes no picture (GLSL 4.20 §4.4.2.2)."""
        for word, value, pos in qualifiers.layout:
            if word not in ("depth_any", "depth_greater", "depth_less", "depth_unchanged") or value is not None:
                self.fail(pos, f"layout '{word}' has no meaning here")

    def _redeclared_position(self, symbol: Symbol, qualifiers: ast.Qualifiers, pos: int) -> None:
        """``in vec4 gl_FragCoord``, which may say where its origin lies (GLSL 1.50 §4.3.8.1)."""
        for word, value, word_pos in qualifiers.layout:
            if word not in ("origin_upper_left", "pixel_center_integer") or value is not None:
                self.fail(word_pos, f"layout '{word}' has no meaning here")
        words = frozenset(word for word, _, _ in qualifiers.layout)
        if symbol.used and words != self.shader.position_layout:
            self.fail(pos, f"'{symbol.name}' is used before it is redeclared")
        self.shader.position_layout = words

    # Functions -----------------------------------------------------------------------------------------------------
    def _function(self, node: ast.FunctionDefinition) -> None:
        name, pos = node.name, node.pos
        if not self._at_global_scope and (self.version.es or self.version.number >= 120):
            self.fail(pos, "a function cannot be declared inside a function")
        self._check_name(name, pos)
        for word, word_pos in node.qualifiers.words:
            if word not in ("lowp", "mediump", "highp"):
                self.fail(word_pos, f"a function cannot be '{word}'")
        self._check_qualifiers(node.qualifiers)
        returns = self._return_type(node)
        parameters = [self._parameter(parameter) for parameter in node.parameters]
        function = self._register(node, name, parameters, returns)
        if node.body is None:
            return
        if function.defined:
            self.fail(pos, f"'{function.signature()}' is defined already")
        function.defined = True
        function.parameters = parameters
        function.body = node.body
        function.pos = pos
        self._functions.append(function)
        self.shader.functions.append(function)
        if name == "main":
            self.shader.main = function
        self._returns = 0
        self._function_body(node.body, function)
        if returns is not VOID and not self._returns:
            self.report(pos, f"'{function.signature()}' never returns a value")

    def _return_type(self, node: ast.FunctionDefinition) -> Type:
        spec = node.spec
        if spec.struct is not None:
            self.fail(spec.pos, "a structure cannot be defined in the type of a function")
        base = self.resolve_type_name(spec)
        returns = self._sized(base, spec.dims, spec.pos, unsized_ok=False) if spec.dims else base
        if contains(returns, lambda one: isinstance(one, ArrayType)) and not self.version.has("array_return"):
            self.fail(spec.pos, f"functions cannot return arrays in {self.version.name}")
        if contains(returns, is_opaque):
            self.fail(spec.pos, "functions cannot return samplers, images or counters")
        if returns is not VOID:
            self._return_precision = self._precision_of(returns, node.qualifiers, spec.pos)
        elif node.qualifiers.precision:
            self.fail(node.qualifiers.pos, "void has no precision")
        return returns

    def _parameter(self, node: ast.Parameter) -> Symbol:
        words = [word for word, _ in node.qualifiers.words]
        for word, pos in node.qualifiers.words:
            if word not in ("const", "in", "out", "inout", "lowp", "mediump", "highp", "precise", *MEMORY_WORDS):
                self.fail(pos, f"a parameter cannot be '{word}'")
        self._check_qualifiers(node.qualifiers)
        base = self.resolve_type_name(node.spec)
        found = self._sized(base, [*node.dims, *node.spec.dims], node.pos, unsized_ok=False)
        if base is VOID:
            self.fail(node.spec.pos, "a parameter cannot be void")
        symbol = Symbol(node.name, found, "param", node.pos)
        symbol.direction = next((word for word in words if word in ("out", "inout")), "in")
        symbol.access = frozenset(words) & MEMORY_WORDS
        if symbol.access and not isinstance(found, ImageType):
            self.fail(node.pos, "memory qualifiers of a parameter are for images only")
        if self.version.es and isinstance(found, ImageType) and not symbol.access & {"readonly", "writeonly"}:
            self.fail(node.pos, "an image as a parameter, which has no format, must be readonly or writeonly")
        if "const" in words:
            if symbol.direction != "in":
                self.fail(node.qualifiers.pos, f"'const' and '{symbol.direction}' exclude each other")
            symbol.writable = False
        if contains(found, is_opaque):
            symbol.writable = False
            if symbol.direction != "in":
                self.fail(node.pos, f"a sampler cannot be '{symbol.direction}'")
        symbol.precision = self._precision_of(found, node.qualifiers, node.pos)
        if node.name:
            self._check_name(node.name, node.pos)
        return symbol

    def _register(self, node: ast.FunctionDefinition, name: str, parameters: list[Symbol], returns: Type) -> Function:
        """Find the function among its overloads, or add it."""
        pos = node.pos
        types = [parameter.type for parameter in parameters]
        if name == "main" and (parameters or returns is not VOID):
            self.fail(pos, "main must be 'void main()'")
        known = self.scopes.here(name)
        if known is not None and not isinstance(known, list):
            self.fail(pos, f"'{name}' is declared already, and not as a function")
        if self.version.es:
            builtins = builtin_functions(name, self.version, self.stage, self.enabled)
            if builtins and self.version.number >= 300:
                self.fail(pos, f"'{name}' is a built-in function; it can be neither redefined nor overloaded")
            if any(list(builtin.parameters) == types for builtin in builtins):
                self.fail(pos, f"'{name}' is a built-in function and cannot be redefined")
        overloads: list[Function] = known if known is not None else []
        for function in overloads:
            if [parameter.type for parameter in function.parameters] == types:
                if function.returns is not returns:
                    self.fail(pos, f"'{function.signature()}' is declared already, with another result")
                if self.version.es and returns is not VOID and function.precision != self._return_precision:
                    self.fail(
                        pos, f"'{function.signature()}' is declared already, with another precision of its result"
                    )
                for mine, theirs in zip(parameters, function.parameters, strict=True):
                    if mine.direction != theirs.direction or mine.writable != theirs.writable:
                        self.fail(mine.pos, f"parameter '{mine.name}' had other qualifiers when '{name}' was declared")
                    if self.version.es and mine.precision != theirs.precision:
                        self.report(mine.pos, f"parameter '{mine.name}' had another precision before", "warning")
                if node.body is None and not function.defined and self.version.legacy:
                    self.fail(pos, f"'{function.signature()}' is declared already")
                return function
        function = Function(name, parameters, returns, pos)
        function.precision = self._return_precision
        if known is None:
            self.scopes.add(name, overloads)
        overloads.append(function)
        return function

    def _function_body(self, body: ast.Block, function: Function) -> None:
        depth = len(self.scopes.stack)
        self.scopes.push()
        self._precision.append({})
        self.function = function
        try:
            for parameter in function.parameters:
                if parameter.name:
                    if self.scopes.here(parameter.name) is not None:
                        self.fail(parameter.pos, f"two parameters are called '{parameter.name}'")
                    self.scopes.add(parameter.name, parameter)
            if self.version.legacy:
                # ESSL 1.00 §4.2.2: the body is a scope of its own, inside the one of the parameters.
                self.scopes.push()
            for statement in body.statements:
                self._guard(self._statement, statement)
        finally:
            self.function = None
            del self.scopes.stack[depth:]
            self._precision.pop()


def _comes_back(function: Function, state: dict[Function, int], depth: int = 0) -> bool:
    """Whether calls lead back to a function on the way: 1 in ``state``; 2 is one that is done."""
    state[function] = 1
    for callee in function.calls:
        known = state.get(callee, 0)
        if known == 1 or depth > 500 or (known == 0 and _comes_back(callee, state, depth + 1)):
            return True
    state[function] = 2
    return False
