"""Machine code that records calls, between a trampoline, a driver and a trace that remember what they got."""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path
from typing import Any

import numpy as np

from capture.interrupts import Faults, Interrupts
from capture.marshal import HandleTable, Marshaller
from capture.native.commands import native_command
from capture.native.jumps import Jumps
from capture.native.ring import Ring
from capture.native.trampolines import NativeTrampolines
from capture.threads import ThreadState
from capture.trampoline import prototype
from traceformat.gles.entry_points import COMMANDS
from traceformat.gltrace.writer import TraceWriter

ARRAY, UNIFORM, QUERY, NO_TARGET = 0x8892, 0x8A11, 0x9192, 0x1234
NAMES = ("glUniform4f", "glUniform2fv", "glUniformMatrix4fv", "glBindBuffer", "glBindBufferBase", "glBindVertexArray",
         "glBufferSubData", "glDrawArrays", "glPopDebugGroup")  # fmt: skip
SIZES = {1: 64, 2: 4096, 3: 7}


def random_calls(seed: int, count: int) -> list[tuple[Any, ...]]:
    """Calls with contents that are alike, or differ in a byte, of all sizes; writes out of bounds."""
    dice = np.random.default_rng(seed)
    pool = [dice.bytes(int(size)) for size in dice.choice([1, 3, 4, 7, 8, 12, 63, 64, 65, 255, 256, 257, 2000], 12)]
    calls = []
    for _ in range(count):
        name = str(dice.choice(NAMES))
        target, buffer = int(dice.choice([ARRAY, UNIFORM, QUERY, NO_TARGET])), int(dice.integers(0, 4))
        content = bytearray(pool[dice.integers(0, len(pool))])
        content[dice.integers(0, len(content))] ^= int(dice.integers(0, 2))
        place, items = ARRAY if target == NO_TARGET else target, int(dice.integers(1, 40))
        calls.append(
            {
                "glUniform4f": (name, int(dice.integers(-1, 9)), *dice.standard_normal(4).tolist()),
                "glUniform2fv": (name, 3, items, bytes([buffer]) * (8 * items)),
                "glUniformMatrix4fv": (name, 2, 1, 0, dice.bytes(64) if buffer else bytes(64)),
                "glBindBuffer": (name, target, buffer),
                "glBindBufferBase": (name, target, 1, buffer),
                "glBindVertexArray": (name, buffer),
                "glBufferSubData": (
                    name,
                    place,
                    int(dice.integers(-4, 60)),
                    len(content),
                    bytes(content),
                ),
                "glDrawArrays": (name, 4, 0, 3),
                "glPopDebugGroup": (name,),
            }[name]
        )
    return calls


class Trace:
    """Where a ring writes."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.is_open = True
        self.calls: list[tuple[Any, ...]] = []
        self.num_packed = self.num_calls = 0
        self.ring_path: Path | None = None
        self.save_now = int

    def write(self, name, args, outputs, result, thread, context) -> None:
        self.calls.append((name, args, thread, context))

    def use(self, writer: TraceWriter) -> None:
        """Write into a file."""
        self.write, self.make_room, self.flush = writer.append, writer.make_room, writer.flush
        self.write_packed = lambda calls: (
            setattr(self, "num_packed", self.num_packed + 1),
            writer.append_packed(calls),
        )


class Made:
    """Machine code for one entry point, recording into a trace of the test's or into a file."""

    def __init__(self, name: str, trace: Any = None) -> None:
        self.trace, self.python, self.real, self.drawn = trace or Trace(), [], [], []
        self.callbacks = []
        self.ring = Ring(self.trace, lambda: self.drawn.append(1))
        self.jumps, self.faults = Jumps(), Faults(Interrupts())
        self.natives = NativeTrampolines(self.ring, self.jumps, self.faults)
        self.function = self.also(name)
        self.state = ThreadState(7)
        self.state.context_number = 3

    def also(self, name: str) -> Any:
        """Give another entry point."""
        command = COMMANDS[name]
        found = native_command(command, Marshaller(command, HandleTable()))
        assert found is not None
        kind = prototype(command)
        ours = [kind(lambda *raw: self.python.append(raw)), kind(lambda *raw: self.real.append(raw))]
        self.callbacks += ours
        python, real = (ctypes.cast(each, ctypes.c_void_p).value or 0 for each in ours)
        jump = self.jumps.make(python, real)
        self.natives.place(name, jump, python, real)
        self.natives.promote(found)
        assert self.faults.first is None
        return kind(jump)
