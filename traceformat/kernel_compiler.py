"""How Numba compiles our kernels: with the passes that they need, once where it would do things again and again.

A cold start compiles more than a hundred small functions. As Numba comes it types each operator anew wherever it
stands, goes through each function nine times for where its variables live, and optimises each before it links them.
Nothing here changes what a kernel computes; together it halves the time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from numba.core import base, errors, ir, lowering, typed_passes, typeinfer, types, untyped_passes
from numba.core.base import BaseContext
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.cpu import CPUContext
from numba.core.lowering import Lower
from numba.core.registry import CPUDispatcher
from numba.core.runtime.context import NRTContext
from numba.core.types.abstract import _TypeMetaclass
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import Context
from numba.core.typing.npydecl import NumpyRulesArrayOperator

from traceformat.kernel_lowering import counted_from_end, shorten_arrays, shorten_ranges

__all__ = ["LinkedDispatcher", "ShortPipeline", "compiled_whole", "shorten"]


class ShortPipeline(CompilerBase):  # type: ignore[misc]
    """Numba's passes without those for what kernels don't have.

    Closures, ``with`` blocks, functions inlined before they are typed, loops over tuples of many types, expressions of
    whole arrays fused to loops.
    """

    def define_pipelines(self) -> list[Any]:
        """One list of passes."""
        passes = PassManager("kernel")
        for kind in (
            untyped_passes.TranslateByteCode,
            untyped_passes.FixupArgs,
            untyped_passes.IRProcessing,
            untyped_passes.RewriteSemanticConstants,
            untyped_passes.DeadBranchPrune,
            untyped_passes.GenericRewrites,
            untyped_passes.RewriteDynamicRaises,
            untyped_passes.ReconstructSSA,
            untyped_passes.LiteralPropagationSubPipelinePass,
            typed_passes.NopythonTypeInference,
            typed_passes.PreLowerStripPhis,
            typed_passes.IRLegalization,
            typed_passes.NativeLowering,
            typed_passes.NoPythonBackend,
        ):
            passes.add_pass(kind, kind.__name__)
        passes.finalize()
        return [passes]


# ------------------------------------------------------------------ libraries
class _LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A library that is linked into others, which optimise it and make its machine code.

    It holds its own function alone: what that calls is linked once to where both go, not to each on the way.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Have its function ready to be linked."""
        self._finalize_dynamic_globals()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "external":
                function.linkage = "linkonce_odr"
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        return self._final_module


class _WholeLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A library whose functions are called by each other alone, its own excepted.

    What is called from one place alone is then part of its caller, and what is part of all its callers is not kept once
    more: Numba's own libraries leave both for others to link to.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "linkonce_odr":
                function.linkage = "internal"
        # Numba has a pass before, in which references come together that can be left out: kernels count few.
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)


def _all_linked(libraries: Iterable[Any]) -> list[Any]:
    """Libraries, and what those that wait to be linked call in turn.

    Each comes before what it calls: LLVM leaves out what nobody has asked for yet.
    """
    done: dict[Any, None] = {}

    def visit(library: Any) -> None:
        if library not in done:
            library._ensure_finalized()
            if isinstance(library, _LinkedLibrary):
                for called in library._linking_libraries:
                    visit(called)
            done[library] = None

    for library in libraries:
        visit(library)
    return list(reversed(done))


def compiled_whole(wraparound: bool) -> Any:
    """A context in which what is compiled keeps the functions it calls to itself.

    Parameters
    ----------
    wraparound : negative indices count from the end
    """
    from numba.core.registry import cpu_target

    return _compiled_as(cpu_target.target_context.codegen(), _WholeLibrary, wraparound)


@contextmanager
def _compiled_as(codegen: Any, library: type, wraparound: bool) -> Iterator[None]:
    """Let what is compiled go into libraries of a class, and its indices be what they are, or count from the end."""
    with global_compiler_lock:
        before = codegen._library_class
        codegen._library_class = library
        counted_from_end.append(wraparound)
        try:
            yield
        finally:
            counted_from_end.pop()
            codegen._library_class = before


@contextmanager
def _linking(codegen: Any, wraparound: bool) -> Iterator[None]:
    outermost = codegen._library_class is not _LinkedLibrary
    # An environment holds a function's Python objects, which kernels have none of; it is set in machine code.
    codegen.set_env = lambda name, environment: None
    try:
        with _compiled_as(codegen, _LinkedLibrary, wraparound):
            yield
    finally:
        if outermost:
            del codegen.set_env


class LinkedDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A function that is compiled, once and for its signature, when compiled code calls it."""

    wanted: Any
    wraparound: bool

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile it where that was not done yet."""
        if self._can_compile:
            with _linking(self.targetctx.codegen(), self.wraparound):
                self.compile(self.wanted)
            self.disable_compile()
        return super().get_call_template(args, kws)

    def __call__(self, *args: Any, **kws: Any) -> Any:
        """Refuse: it has no machine code of its own."""
        raise TypeError(f"{self.__name__} is called by compiled code alone; its plain twin is .py_func")


def _link_what_waits() -> None:
    """Let every library take in what its linked libraries call: functions of Numba's that others share are such too."""
    finish = CPUCodeLibrary.finalize

    def finalized(self: Any) -> None:
        self._linking_libraries = _all_linked(self._linking_libraries)
        finish(self)

    CPUCodeLibrary.finalize = finalized


# ------------------------------------------------------------------ shortcuts
@cache
def shorten() -> None:
    """Let Numba leave out what it would do again and again, in this process."""
    _remember_record_texts()
    _leave_scalars_to_others()
    _remember_call_types()
    _remember_sizes()
    _remember_parameters()
    _load_registries_once()
    _count_few_references()
    _list_variables_quickly()
    _enter_contexts_quickly()
    _link_what_waits()
    shorten_arrays()
    shorten_ranges()
    _lock_types()


def _lock_types() -> None:
    """Let one thread at a time make a type known to Numba.

    Numba gives each type a number when it first meets it. Two threads that meet a type at once, in the first call
    of a kernel, may give it two, and the kernel then refuses arguments of a type that looks like its own.
    """
    intern, lock = _TypeMetaclass._intern, threading.RLock()  # type: ignore[attr-defined]

    def locked(cls: Any, instance: Any) -> Any:
        with lock:
            return intern(cls, instance)

    _TypeMetaclass._intern = locked  # type: ignore[attr-defined]


def _remember_record_texts() -> None:
    """Let Numba print each record type once.

    It prints the types of a function's arguments in every compiler pass, for its event log; the text of a record of
    records takes milliseconds, a fifth of the time in which the timing model compiles.
    """
    types.Record.__repr__ = cache(types.Record.__repr__)  # type: ignore[method-assign]


def _leave_scalars_to_others() -> None:
    """Let Numba's rules for operators of arrays say at once that they are not for scalars.

    They look for the ufunc that fits, each time an operator is typed, before they find that no operand is an array.
    """
    generic = NumpyRulesArrayOperator.generic

    def typed(self: Any, args: Any, kws: Any) -> Any:
        if not any([isinstance(arg, types.ArrayCompatible) for arg in args]):
            return None
        return generic(self, args, kws)

    NumpyRulesArrayOperator.generic = typed


def _remember_call_types() -> None:
    """Let Numba find the rule for an operator, or a function of its own, once for the same types of arguments.

    It tries all rules that there are for a sum wherever one stands: a fifth of the time in which the engine's kernels
    compile.
    """
    find: Callable[..., Any] = BaseFunction.get_call_type
    #: By a function's identity, which it keeps, since it is held here.
    known: dict[int, tuple[Any, dict[tuple[Any, ...], Any]]] = {}

    def found(self: Any, context: Any, args: tuple[Any, ...], kws: Any) -> Any:
        if kws:
            return find(self, context, args, kws)
        signatures = known.setdefault(id(self), (self, {}))[1]
        signature = signatures.get(args)
        if signature is None:
            signature = signatures[args] = find(self, context, args, kws)
        return signature

    BaseFunction.get_call_type = found  # type: ignore[method-assign]


def _remember_sizes() -> None:
    """Let Numba ask LLVM once for the size of a type: LLVM reads a module for each answer."""
    measure: Callable[[Any, Any], Any] = BaseContext.get_abi_sizeof
    known: dict[tuple[str, str], Any] = {}

    def size(self: Any, kind: Any) -> Any:
        key = str(kind), self.codegen()._data_layout
        if key not in known:
            known[key] = measure(self, kind)
        return known[key]

    BaseContext.get_abi_sizeof = size


def _remember_parameters() -> None:
    """Let Numba ask once whether a function that lowers takes a place in the source."""
    base._has_loc = cache(base._has_loc)


def _load_registries_once() -> None:
    """Let Numba import what declares functions once; what was declared since is taken as before.

    It goes through the imports of twenty modules wherever a function is not found at once.
    """
    load = CPUContext.load_additional_registries

    def loaded(self: Any) -> None:
        if not self._registries:
            load(self)
        for registry in list(self._registries):
            self.install_registry(registry)

    CPUContext.load_additional_registries = loaded
    _install_news(base.BaseContext, ("functions", "getattrs", "setattrs", "casts", "constants"))
    _install_news(Context, ("functions", "attributes", "globals"))


def _install_news(context: Any, kinds: tuple[str, ...]) -> None:
    """Let a context look at a registry again where something was declared in it since."""
    install = context.install_registry
    #: By identities of what holds a context's registries, and of a registry; both are held so that they keep them.
    seen: dict[tuple[int, int], tuple[Any, Any, int]] = {}

    def installed(self: Any, registry: Any) -> None:
        declared = sum([len(getattr(registry, kind)) for kind in kinds])
        key = id(self._registries), id(registry)
        if key not in seen or seen[key][2] != declared:
            install(self, registry)
            seen[key] = self._registries, registry, declared

    context.install_registry = installed


def _count_few_references() -> None:
    """Let Numba leave what a variable had alone, where that holds no references.

    It makes code that loads it, counts no reference down, and, at its end, writes zero to it; of an array it takes each
    word, to find the one that says whose memory it is. That of an array within a record is nobody's.
    """
    delete, store, down, up = Lower.delvar, Lower.storevar, Lower.decref, Lower.incref
    look = NRTContext.get_meminfos
    known: dict[Any, bool] = {}

    def holds(self: Any, kind: Any) -> bool:
        held = known.get(kind)
        if held is None:
            held = not isinstance(kind, types.NestedArray)
            held = known[kind] = held and self.context.data_model_manager[kind].contains_nrt_meminfo()
        return held

    def found(self: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.Array):
            place = self._context.data_model_manager[kind].get_field_position("meminfo")
            return [(kind, builder.extract_value(value, place))]
        return look(self, builder, kind, value)

    def deleted(self: Any, name: str) -> None:
        kind = self.typeof(name)
        if holds(self, kind):
            delete(self, name)
            return
        if name not in self._blk_local_varmap and not self._disable_sroa_like_opt:
            self._singly_assigned_vars.discard(name)
        self._alloca_var(name, kind)

    def counted_down(self: Any, kind: Any, value: Any) -> None:
        if holds(self, kind):
            down(self, kind, value)

    def counted_up(self: Any, kind: Any, value: Any) -> None:
        if holds(self, kind):
            up(self, kind, value)

    def stored(self: Any, value: Any, name: str, argidx: int | None = None) -> None:
        kind = self.typeof(name)
        if argidx is not None or holds(self, kind):
            store(self, value, name, argidx)
            return
        self._alloca_var(name, kind)
        if name in self._singly_assigned_vars and not self._disable_sroa_like_opt:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    Lower.delvar, Lower.storevar = deleted, stored
    Lower.decref, Lower.incref = counted_down, counted_up
    NRTContext.get_meminfos = found


def _list_variables_quickly() -> None:
    """Let Numba find the variables of a statement without asking each of its attributes for what it may be."""
    variable, instruction = ir.Var, ir.Inst
    #: What statements hold that has no variables.
    without = frozenset({ir.Loc, str, int, bool, type(None)})

    def listed(self: Any, value: Any) -> list[Any]:
        kind = type(value)
        if kind is variable:
            return [value]
        if kind in without:
            return []
        if kind is dict or kind is tuple or kind is list:
            variables: list[Any] = []
            for part in value.values() if kind is dict else value:
                kind = type(part)
                if kind is variable:
                    variables.append(part)
                elif kind not in without:
                    variables += listed(self, part)
            return variables
        return value.list_vars() if isinstance(value, instruction) else []

    ir.Inst._rec_list_vars = listed


class _ErrorContext:
    """Says where an error came about, as Numba's own, which is a generator for each statement, does it."""

    __slots__ = ("_named", "_text", "_values")

    def __init__(self, fmt_: str, *values: Any, **named: Any) -> None:
        self._text, self._values, self._named = fmt_, values, named

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is not None:
            with errors.new_error_context(self._text, *self._values, **self._named):  # type: ignore[attr-defined]
                raise error


def _enter_contexts_quickly() -> None:
    """Let Numba say where it is without a generator for each statement."""
    lowering.new_error_context = _ErrorContext
    typeinfer.new_error_context = _ErrorContext
