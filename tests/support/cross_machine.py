"""Machine code of the recorder in a small program in C, for this machine or for one that qemu plays.

The code is made as in a session, but for addresses: what it works on lies at :data:`MEMORY`, and what it calls at the
places of :data:`FUNCTIONS`, which the program's linker keeps.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

__all__ = ["FUNCTIONS", "MEMORY", "run"]

#: Beyond where the heap can be: the kernel begins it up to 1 GiB behind the program.
MEMORY = 0x70000000
#: Functions of the program, each in a section of its own, and near enough to be called directly.
FUNCTIONS = {"python": 0x2000000, "real": 0x2100000, "callback": 0x2200000, "next": 0x2300000, "other": 0x2400000,
             "known": 0x2500000, "close": 0x2600000}  # fmt: skip
_COMPILERS = {"x86_64": ("gcc", "cc"), "aarch64": ("aarch64-linux-gnu-gcc",)}
_HEAD = f"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#define MEMORY ((char *){MEMORY:#x}ul)
#define WORD(place) (*(uint64_t *)(MEMORY + (place)))
#define AT(name) __attribute__((section("." #name ".place"), noinline, used))
static int map(uint64_t size)
{{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    return mmap(MEMORY, size, PROT_READ | PROT_WRITE, flags, -1, 0) == MEMORY;
}}
"""


def _compile(machine: str, assembly: str, symbol: str, name: str) -> bytes:
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(assembly.replace(f"@{symbol}(", f"@{name}("))
    module.verify()
    target = llvm.Target.from_triple(f"{machine}-unknown-linux-gnu")
    code: bytes = target.create_target_machine(opt=2, reloc="static", codemodel="small").emit_object(module)
    return code


def run(folder: Path, machine: str, modules: Mapping[str, tuple[str, str]], program: str) -> list[str]:
    """Link modules with a program, run it, and give the lines that it prints.

    Parameters
    ----------
    folder : to work in
    machine : x86_64 or aarch64
    modules : by the name that the program calls: assembly, and the symbol that it defines
    program : text in C, with a ``main``
    """
    compiler = next(filter(None, map(shutil.which, _COMPILERS[machine])), None)
    if compiler is None:
        pytest.skip(f"no C compiler for {machine}: install {_COMPILERS[machine][0]} to run this test")
    start: Sequence[str] = ()
    if platform.machine() != machine:
        player = shutil.which(f"qemu-{machine}") or shutil.which(f"qemu-{machine}-static")
        if player is None:
            pytest.skip(f"nothing plays {machine}: install qemu-user to run this test")
        start = (player,)
    objects = []
    for name, (assembly, symbol) in modules.items():
        objects.append(folder / f"{name}.o")
        objects[-1].write_bytes(_compile(machine, assembly, symbol, name))
    source, binary = folder / "main.c", folder / "main"
    source.write_text(_HEAD + program)
    places = [f"-Wl,--section-start=.{name}.place={address:#x}" for name, address in FUNCTIONS.items()]
    command = [compiler, "-O1", "-static", "-no-pie", *places, str(source), *map(str, objects), "-o", str(binary)]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run([*start, str(binary)], capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
