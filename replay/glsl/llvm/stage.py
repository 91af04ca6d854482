"""A compiled stage, and the arguments of a call of it."""

from __future__ import annotations

import ctypes
import hashlib
import itertools
from collections.abc import Hashable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.glsl.execution import DEFAULT_LOOP_BUDGET, LoopBudgetError, budget_hint
from replay.glsl.ir import StageIR
from replay.glsl.llvm.abi import ARGUMENTS, STATUS_LOOP_BUDGET
from replay.glsl.llvm.cache import ObjectCache
from replay.glsl.llvm.fingerprint import stage_fingerprint
from replay.glsl.llvm.machine import LoadedCode, compile_object, host_description, load_object
from replay.glsl.llvm.options import StageOptions
from replay.glsl.llvm.stage_layout import StageLayout
from replay.glsl.texturing import TextureEmitter
from traceformat.kernels import source_hash

__all__ = ["LlvmStage", "StageArguments", "StageFacts", "StageOptions"]

_FIELD_NUMBERS: Final = {name: number for number, name in enumerate(ARGUMENTS.names or ())}
_STRIDES: Final = {"inputs": "input_stride", "outputs": "output_stride", "planes": "plane_stride"}
_library_numbers = itertools.count()


class StageArguments:
    """The argument record of one thread's calls; keeps what it points to alive.

    Arrays stay owned by the caller, who may change their content between calls. See
    :data:`replay.glsl.llvm.abi.ARGUMENTS` for what each field means.
    """

    def __init__(self) -> None:
        self._record = np.zeros(len(_FIELD_NUMBERS), np.uint64)
        self._owners: dict[str, Any] = {}
        self.address = self._record.__array_interface__["data"][0]
        self.set(loop_budget=DEFAULT_LOOP_BUDGET)

    def bind(self, **arrays: NDArray[Any]) -> None:
        """Point fields to arrays.

        Rows of a two-dimensional array may be apart (a slice of a larger one); the elements of a row may not.
        ``inputs``, ``outputs`` and ``planes`` set their strides too.
        """
        for name, array in arrays.items():
            if array.size and array.strides[-1] != array.itemsize:
                raise ValueError(f"{name}: elements of a row must lie one behind the other")
            self._record[_FIELD_NUMBERS[name]] = array.__array_interface__["data"][0]
            self._owners[name] = array
            if name in _STRIDES:
                self._record[_FIELD_NUMBERS[_STRIDES[name]]] = array.strides[0]

    def bind_areas(self, areas: Sequence[NDArray[Any]]) -> None:
        """Point to the words of each constant area (StageIR.areas), in order."""
        self._pointers("areas", areas)

    def bind_descriptors(self, descriptors: Sequence[NDArray[Any]]) -> None:
        """Point to the texture descriptor of each sampler slot, in order."""
        self._pointers("descriptors", descriptors)

    def bind_memories(self, memories: Sequence[NDArray[Any]]) -> None:
        """Point to the words of each memory (StageIR.memories), in order."""
        sizes = np.array([memory.size for memory in memories], np.int64)
        self.bind(memory_words=sizes)
        # Lanes out of bounds load the first word and forget it.
        self._pointers("memories", [memory if memory.size else np.zeros(1, np.int32) for memory in memories])

    def _pointers(self, name: str, arrays: Sequence[NDArray[Any]]) -> None:
        table = np.array([array.__array_interface__["data"][0] for array in arrays] or [0], np.uint64)
        self.bind(**{name: table})
        self._owners[f"{name} content"] = list(arrays)

    def provide_scratch(self, num_bytes: int) -> None:
        """Make sure that ``scratch`` points to so many bytes, 64-byte aligned."""
        if self._owners.get("scratch", np.empty(0)).size < num_bytes:
            scratch = np.empty(num_bytes + 64, np.uint8)
            self.bind(scratch=scratch[-scratch.__array_interface__["data"][0] % 64 :])

    def set(self, **numbers: int) -> None:
        """Set fields that are numbers."""
        for name, number in numbers.items():
            self._record[_FIELD_NUMBERS[name]] = number

    @property
    def record(self) -> NDArray[np.uint64]:
        """The fields in the order of ARGUMENTS."""
        return self._record

    def get(self, name: str) -> int:
        """Value of a field, e.g. ``status`` after a call."""
        return int(self._record[_FIELD_NUMBERS[name]])


#: Machine code that was used last, by folder and key, the latest last: linking takes milliseconds, and traces are
#: replayed again.
_loaded: dict[tuple[Path | None, str], LoadedCode] = {}
_MAX_LOADED: Final = 256


def _keep(place: tuple[Path | None, str], code: LoadedCode) -> None:
    _loaded[place] = code
    while len(_loaded) > _MAX_LOADED:
        # Another thread may have been faster.
        _loaded.pop(next(iter(_loaded)), None)


class StageFacts:
    """What follows from a stage alone, for who compiles several variants of it.

    Parameters
    ----------
    fingerprint : of the stage, where it is known

    Attributes
    ----------
    layout : where inputs and outputs lie
    """

    def __init__(self, stage: StageIR, fingerprint: str = "") -> None:
        self._stage = stage
        self._fingerprint = fingerprint
        self.layout = StageLayout(stage)

    @cached_property
    def fingerprint(self) -> str:
        """See :func:`~replay.glsl.llvm.fingerprint.stage_fingerprint`."""
        return self._fingerprint or stage_fingerprint(self._stage)


class LlvmStage:
    """A stage as machine code for the host.

    Parameters
    ----------
    stage : linked stage
    keys : static key of each sampler slot of the program (``repr`` must tell different keys apart)
    options : variant
    emitter : the engine's texture code generator; needed if the stage has texture instructions
    cache_folder : where machine code is kept between runs; None compiles anew
    facts : of the stage, if they are known

    Attributes
    ----------
    layout : where inputs and outputs lie in the caller's arrays
    address : of the machine code, a function of the argument record's address
    """

    def __init__(
        self,
        stage: StageIR,
        keys: Sequence[Hashable] = (),
        options: StageOptions | None = None,
        emitter: TextureEmitter | None = None,
        cache_folder: Path | None = None,
        facts: StageFacts | None = None,
    ) -> None:
        options = options or StageOptions()
        facts = facts or StageFacts(stage)
        self.layout = facts.layout
        self.options = options
        used_keys = {texture.lookup.slot: keys[texture.lookup.slot] for texture in stage.textures}
        version = emitter.version if emitter is not None and stage.textures else ""
        parts = [
            facts.fingerprint,
            repr(sorted(used_keys.items(), key=lambda item: item[0])),
            repr(options),
            version,
        ]
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        symbol = f"stage_{key[:16]}"
        place = cache_folder, key
        loaded = _loaded.pop(place, None)
        if loaded is None:
            cache = None
            code = None
            if cache_folder is not None:
                cache = ObjectCache(cache_folder, f"{source_hash('replay.glsl')} {host_description()}")
                code = cache.read(key)
            if code is None:
                from replay.glsl.llvm.codegen import generate

                code = compile_object(generate(stage, keys, emitter, options, symbol))
                if cache is not None:
                    cache.write(key, code)
            loaded = load_object(code, symbol, f"{symbol}_{next(_library_numbers)}")
        self._code = loaded
        if cache_folder is not None:
            _keep(place, loaded)
        self.address = self._code.address
        self._function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.address)

    def run(self, arguments: StageArguments, num_groups: int) -> None:
        """Run the stage over the first ``num_groups`` groups of lanes of the bound arrays.

        Releases the GIL. A thread needs arguments of its own.

        Raises
        ------
        LoopBudgetError
            if a group does not leave its loops in time; outputs are then incomplete
        """
        if self.layout.scratch_bytes:
            arguments.provide_scratch(self.layout.scratch_bytes)
        arguments.set(num_groups=num_groups, status=0)
        self._function(arguments.address)
        if arguments.get("status") == STATUS_LOOP_BUDGET:
            budget = arguments.get("loop_budget")
            raise LoopBudgetError(f"a shader runs more than {budget} loop iterations", hint=budget_hint())
