"""The objects of the process as the dynamic linker lists them.

The linker's list is copied by machine code: its lock is held meanwhile, and a thread that waited for the interpreter
then would wait for one that has the interpreter and waits for the lock. What is read of an object later is read while
it is kept loaded. For the same reason nobody who has the interpreter, or a lock of ours, waits for the linker here.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from capture.native.code import load_code
from capture.native.libc import LIBC
from replay.glsl.llvm.machine import LoadedCode

__all__ = ["LoadedObject", "ObjectList", "list_assembly", "list_objects", "object_at", "pinned"]

_LIST_BYTES: Final = 1 << 16
_LAZY_NO_LOAD: Final = 1 | 4
#: Of a ``dl_phdr_info``, and what is written: where the next object goes, where the list ends, loads and unloads until
#: now, whether there was no room; then for each object its base, its dynamic section, a sum over its segments, the
#: length of its name, the name.
_CODE: Final = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define i32 @note_object(ptr %info, i64 %size, ptr %list) {{
  %base = load i64, ptr %info
  %name_at = getelementptr i8, ptr %info, i64 8
  %name = load ptr, ptr %name_at
  %segments_at = getelementptr i8, ptr %info, i64 16
  %segments = load ptr, ptr %segments_at
  %number_at = getelementptr i8, ptr %info, i64 24
  %short = load i16, ptr %number_at
  %number = zext i16 %short to i64
  %loads_at = getelementptr i8, ptr %info, i64 32
  %loads = load <2 x i64>, ptr %loads_at, align 8
  %counts = getelementptr i64, ptr %list, i64 2
  store <2 x i64> %loads, ptr %counts, align 8
  %is_named = icmp ne ptr %name, null
  br i1 %is_named, label %measure, label %place
measure:
  %measured = call i64 inttoptr (i64 {strlen} to ptr)(ptr %name)
  br label %place
place:
  %length = phi i64 [ 0, %0 ], [ %measured, %measure ]
  %next = load i64, ptr %list
  %end_at = getelementptr i64, ptr %list, i64 1
  %end = load i64, ptr %end_at
  %rounded = add i64 %length, 39
  %needed = and i64 %rounded, -8
  %behind = add i64 %next, %needed
  %fits = icmp ule i64 %behind, %end
  %segments_bytes = mul i64 %number, 56
  br i1 %fits, label %sum, label %full
full:
  %full_at = getelementptr i64, ptr %list, i64 4
  store i64 1, ptr %full_at
  ret i32 1
sum:
  %at = phi i64 [ 0, %place ], [ %at_next, %add ]
  %layout = phi i64 [ 0, %place ], [ %layout_next, %add ]
  %is_more = icmp ult i64 %at, %segments_bytes
  br i1 %is_more, label %add, label %find
add:
  %word_at = getelementptr i8, ptr %segments, i64 %at
  %word = load i64, ptr %word_at
  %mixed = xor i64 %layout, %word
  %layout_next = mul i64 %mixed, 1099511628211
  %at_next = add i64 %at, 8
  br label %sum
find:
  %i = phi i64 [ 0, %sum ], [ %following, %check ]
  %is_there = icmp ult i64 %i, %number
  br i1 %is_there, label %check, label %none
check:
  %offset = mul i64 %i, 56
  %segment = getelementptr i8, ptr %segments, i64 %offset
  %kind = load i32, ptr %segment
  %is_dynamic = icmp eq i32 %kind, 2
  %following = add i64 %i, 1
  br i1 %is_dynamic, label %found, label %find
found:
  %address_at = getelementptr i8, ptr %segment, i64 16
  %address = load i64, ptr %address_at
  %dynamic = add i64 %base, %address
  %record = inttoptr i64 %next to ptr
  store i64 %base, ptr %record
  %dynamic_at = getelementptr i64, ptr %record, i64 1
  store i64 %dynamic, ptr %dynamic_at
  %layout_at = getelementptr i64, ptr %record, i64 2
  store i64 %layout, ptr %layout_at
  %length_at = getelementptr i64, ptr %record, i64 3
  store i64 %length, ptr %length_at
  %text = getelementptr i64, ptr %record, i64 4
  call void @llvm.memcpy.p0.p0.i64(ptr %text, ptr %name, i64 %length, i1 false)
  store i64 %behind, ptr %list
  ret i32 0
none:
  ret i32 0
}}
"""


class _DlInfo(ctypes.Structure):
    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


# These let the interpreter go.
_address: Final = ctypes.c_void_p
_iterate: Final = ctypes.CFUNCTYPE(ctypes.c_int, _address, _address)(("dl_iterate_phdr", LIBC))
_find_object: Final = ctypes.CFUNCTYPE(ctypes.c_int, _address, _address)(("dladdr", LIBC))
_open: Final = ctypes.CFUNCTYPE(_address, ctypes.c_char_p, ctypes.c_int)(("dlopen", LIBC))
_close: Final = ctypes.CFUNCTYPE(ctypes.c_int, _address)(("dlclose", LIBC))
_error: Final = ctypes.CFUNCTYPE(_address)(("dlerror", LIBC))


@dataclass(frozen=True, slots=True)
class LoadedObject:
    """An object of the process.

    Parameters
    ----------
    base : what its own addresses count from
    name : path as the linker knows it; empty for the main program
    dynamic : address of its dynamic section
    layout : a sum over its segments: another file in the same place has another
    """

    base: int
    name: str
    dynamic: int
    layout: int


class ObjectList(NamedTuple):
    """What was loaded at one moment.

    Parameters
    ----------
    objects : those that have a dynamic section, in the linker's order
    loads : how many objects this process has loaded since it began
    """

    objects: list[LoadedObject]
    loads: int


def list_assembly(strlen: int) -> str:
    """LLVM assembly of ``note_object``, a callback of ``dl_iterate_phdr``; ``strlen`` is the address of C's."""
    return _CODE.format(strlen=strlen)


@cache
def _code() -> LoadedCode:
    return load_code(list_assembly(ctypes.cast(LIBC.strlen, _address).value or 0), "note_object")


def list_objects() -> ObjectList:
    """Give what is loaded now; any of it may be gone in the next moment, see :func:`pinned`."""
    code, size = _code().address, _LIST_BYTES
    while True:
        memory = ctypes.create_string_buffer(size)
        start = ctypes.addressof(memory)
        struct.pack_into("2Q", memory, 0, start + 40, start + size)
        _iterate(code, start)
        behind, _, loads, _, is_full = struct.unpack_from("5Q", memory)
        if not is_full:
            break
        size *= 2
    objects, at, text = [], 40, memory.raw
    while at < behind - start:
        base, dynamic, layout, length = struct.unpack_from("4Q", text, at)
        name = text[at + 32 : at + 32 + length].decode("utf-8", "surrogateescape")
        objects.append(LoadedObject(base, name, dynamic, layout))
        at += (length + 39) & -8
    return ObjectList(objects, loads)


@contextmanager
def pinned(objects: Sequence[LoadedObject]) -> Iterator[list[LoadedObject]]:
    """Give those of them that are still loaded, all bound and protected; none is unloaded before the end.

    Not to be entered with a lock that a thread may wait for while it loads a library.
    """
    handles, kept = [], []
    try:
        for each in objects:
            # The program itself and the kernel's page have no file, and stay.
            handle = _open(os.fsencode(each.name), _LAZY_NO_LOAD) if "/" in each.name else None
            handles += [handle] if handle else []
            kept += [each] if handle or "/" not in each.name else []
        yield kept
    finally:
        for handle in handles:
            _close(handle)
        # What the program is told of its own calls is not about ours.
        _error()


def object_at(address: int) -> str | None:
    """File of the object that an address lies in; None for generated code."""
    info = _DlInfo()
    if not _find_object(address, ctypes.addressof(info)) or info.file is None:
        return None
    return os.fsdecode(info.file)
