"""From LLVM assembly to callable machine code: verification, optimisation, code generation, loading.

The target is the host's processor with all its features; results do not depend on them (no fast-math, no
contraction). llvmlite is imported on first use.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

__all__ = ["LoadedCode", "compile_object", "has_features", "host_description", "load_object"]

_lock = threading.Lock()
_LARGE_PROGRAM_LINES: Final = 12_000
#: Beyond this, variables stay in memory: lifting them into registers takes time quadratic in their number.
_HUGE_PROGRAM_LINES: Final = 60_000
#: Newest LLVM that is known to have the scheduler below.
_NEWEST_TRIED: Final = 22


@cache
def _binding() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if llvm.llvm_version_info[0] <= _NEWEST_TRIED:
        # Shaders are long chains of arithmetic: scheduling for parallelism gains up to 7 %. An option of the whole
        # process, which changes no result; LLVM ends the process at an option that it does not know.
        llvm.set_option("shaders", "-pre-RA-sched=list-ilp")
    return llvm


@cache
def host_description() -> str:
    """LLVM version, processor and features: what machine code depends on besides its assembly."""
    llvm = _binding()
    version = ".".join(map(str, llvm.llvm_version_info))
    return f"{version} {llvm.get_process_triple()} {llvm.get_host_cpu_name()} {_features()}"


@cache
def _features() -> str:
    return str(_binding().get_host_cpu_features().flatten())


def has_features(*names: str) -> bool:
    """Whether the host's processor has all these features, by LLVM's names."""
    return set(names) <= {name[1:] for name in _features().split(",") if name.startswith("+")}


def _target_machine(level: int = 2) -> Any:
    llvm = _binding()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=_features(), opt=level, reloc="pic", codemodel="small"
    )


def compile_object(assembly: str) -> bytes:
    """Compile a module's assembly to a relocatable object file.

    Raises
    ------
    RuntimeError
        if LLVM rejects the assembly (a bug of the code generator)
    """
    llvm = _binding()
    with _lock:
        module = llvm.parse_assembly(assembly)
        module.verify()
        # Combining, value numbering and register allocation of very long programs would take minutes.
        lines = assembly.count("\n")
        machine = _target_machine(0 if lines > _LARGE_PROGRAM_LINES else 2)
        _optimise(llvm, module, machine, lines)
        code: bytes = machine.emit_object(module)
    return code


def _optimise(llvm: Any, module: Any, machine: Any, lines: int) -> None:
    # The code is vectorised and inlined as far as it should be. LLVM's whole O2 pipeline takes five times as long
    # as these passes, doubles the code by inlining the math library, and gains at most a tenth in speed.
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    passes = llvm.create_new_function_pass_manager()
    if lines <= _HUGE_PROGRAM_LINES:
        passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    if lines <= _LARGE_PROGRAM_LINES:
        passes.add_instruction_combine_pass()
        passes.add_new_gvn_pass()
        passes.add_simplify_cfg_pass()
    passes.add_aggressive_dce_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


class LoadedCode:
    """Machine code in memory, kept as long as this object lives.

    Attributes
    ----------
    address : of the function
    """

    def __init__(self, address: int, owner: Any) -> None:
        self.address = address
        self._owner = owner


@cache
def _jit() -> Any:
    llvm = _binding()
    # Its memory holds code and constants of an object together: the other linker's may be out of each other's reach.
    return llvm.create_lljit_compiler(_target_machine(), use_jit_link=True)


def load_object(code: bytes, symbol: str, library: str, helpers: Mapping[str, int] | None = None) -> LoadedCode:
    """Link an object file into the process and find a function in it.

    Parameters
    ----------
    code : relocatable object file
    symbol : name of the function
    library : name of the library that is made for it, unique in the process
    helpers : addresses of functions that it calls beside those of the process

    Raises
    ------
    RuntimeError
        if the object is damaged or needs symbols that do not exist
    """
    llvm = _binding()
    with _lock:
        linked = llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(symbol)
        for name, address in (helpers or {}).items():
            linked.import_symbol(name, address)
        tracker = linked.link(_jit(), library)
        return LoadedCode(int(tracker[symbol]), tracker)
