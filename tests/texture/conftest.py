"""Fixtures of the texture tests: textures made as the engine makes them, and texture instructions run alone."""

from __future__ import annotations

import ctypes
import itertools
from contextlib import nullcontext

import numpy as np
import pytest
from texture_records import TextureRecording

from replay.glsl.llvm.access import LookupAccess
from replay.glsl.llvm.machine import compile_object, load_object
from replay.glsl.llvm.record import GeneralRecorder
from replay.glsl.llvm.vectors import LANES, FloatVec, IntVec, LlvmOps
from replay.glsl.llvm.writer import FunctionWriter, ModuleWriter
from replay.glsl.texturing import MAX_TAPS, Dimension, LookupKind, ResultKind, TextureOperands
from replay.texture.binding import Rules, bind
from replay.texture.emit import SamplerEmitter
from replay.texture.reference import SamplerReference
from replay.texture.storage import TextureMemory
from traceformat.gles import enums as gl
from traceformat.gles.backend import Pixels
from traceformat.gles.objects import Image, Sampling, Texture

_serial = itertools.count(1)


class Workbench:
    """Makes textures and runs single texture instructions on either executor."""

    def __init__(self):
        self.memory = TextureMemory()
        self._compiled = {}

    def texture(self, target, internal, width, height, depth=1, *, pixels=None, format=0, type=0, levels=None):
        """Texture with content in level 0 (all faces or layers) and generated (or a number of empty) levels."""
        number = next(_serial)
        texture = Texture(number, number, target)
        faces = 6 if target == gl.GL_TEXTURE_CUBE_MAP else 1
        data = None if pixels is None else memoryview(pixels)
        step = 0 if data is None else len(data) // faces
        for face in range(faces):
            image = texture.images[face, 0] = Image(width, height, depth, internal)
            part = None if data is None else Pixels(format, type, data[face * step : (face + 1) * step])
            self.memory.define_image(texture, face, 0, image, part)
        if levels != 1:
            largest = max(width, height, depth if target == gl.GL_TEXTURE_3D else 1)
            for level in range(1, levels or largest.bit_length()):
                for face in range(faces):
                    size = (max(width >> level, 1), max(height >> level, 1))
                    layers = max(depth >> level, 1) if target == gl.GL_TEXTURE_3D else depth
                    image = texture.images[face, level] = Image(*size, layers, internal)
                    self.memory.define_image(texture, face, level, image, None)
            if levels is None:
                self.memory.generate_mipmap(texture)
        return texture

    def bind(self, texture, rules=None, **sampling):
        """Binding with sampler state given by field name."""
        state = Sampling()
        for name, value in sampling.items():
            setattr(state, name, value)
        return bind(self.memory, texture, state, rules or Rules())

    def numpy(self, binding, lookup, coords, **more):
        """(NumpyLookup) on the NumPy executor, recording."""
        mask = np.ones(len(coords[0]), bool)
        operands = TextureOperands(tuple(coords), mask, mask, **more)
        return SamplerReference([binding]).lookup(lookup, operands, record=True, identity=True)

    def llvm(self, binding, lookup, coords, *, record=True, repeat=1, **more):
        """(rgba list, what each quad touched) on the LLVM executor."""
        run = self._compile(binding.key, lookup, len(coords), tuple(sorted(more)), record)
        asked = len(coords[0])
        # Whole groups: the last lanes once more.
        rest = -asked % LANES
        arrays = [np.pad(array, (0, rest), "edge") for array in self._flatten(coords, more)]
        count = asked + rest
        rows = np.concatenate([array.view(np.int32) for array in arrays])
        out = np.zeros((4, count), np.int32)
        recording = TextureRecording(count // 4, 1024 + count * MAX_TAPS if record else 1)
        for _ in range(repeat):
            recording.memory.begin(count // 4)
            record_at, groups = recording.memory.row.address, count // LANES
            run(binding.pointer, rows.ctypes.data, out.ctypes.data, record_at, groups, count * 4)
        out = out[:, :asked]
        rgba = out if lookup.result is not ResultKind.FLOAT or lookup.kind is LookupKind.SIZE else out.view(np.float32)
        return list(rgba), recording.quads()[: asked // 4] if record else None

    @staticmethod
    def _flatten(coords, more):
        arrays = list(coords)
        for name in sorted(more):
            value = more[name]
            arrays += list(value) if isinstance(value, tuple) else [value]
        return arrays

    def _compile(self, key, lookup, num_coords, names, record):
        identity = (key, lookup, num_coords, names, record)
        if identity in self._compiled:
            return self._compiled[identity][0]
        module, function = ModuleWriter(), FunctionWriter()
        ops = LlvmOps(module, function)
        row = itertools.count()
        integers = lookup.kind in (LookupKind.FETCH, LookupKind.SIZE)

        with ops.repeat("%groups") as group:
            start = function.assign(f"zext i32 {group} to i64")
            start = function.assign(f"mul i64 {start}, {4 * LANES}")

            def load(kind):
                skip = function.assign(f"mul i64 %stride, {next(row)}")
                place = function.assign(f"add i64 {skip}, {start}")
                return (ops.load_fvec if kind is FloatVec else ops.load_ivec)("%in", place)

            kind = IntVec if integers else FloatVec
            coords = tuple(load(kind) for _ in range(num_coords))
            more = {}
            for name in names:
                if name in ("ddx", "ddy"):
                    more[name] = tuple(load(FloatVec) for _ in range(num_coords))
                else:
                    more[name] = load(kind)
            everything = ops.mask_const(True)
            operands = TextureOperands(coords, everything, everything, **more)
            recorder = GeneralRecorder(ops, "%record") if record else None
            with recorder.group(function.assign(f"zext i32 {group} to i64"), everything) if record else nullcontext():
                access = LookupAccess(ops, recorder, None, lookup.instruction, everything)
                result = SamplerEmitter().emit(ops, lookup, key, "%descriptor", operands, access)
                for channel, value in enumerate(result):
                    skip = function.assign(f"mul i64 %stride, {channel}")
                    ops.store(value, "%out", function.assign(f"add i64 {skip}, {start}"))
        parameters = "ptr %descriptor, ptr %in, ptr %out, ptr %record, i32 %groups, i64 %stride"
        module.define("@run", f"define void @run({parameters}) nounwind {{\n{function.body()}\nret void\n}}")
        text = module.text()
        loaded = load_object(compile_object(text), "run", f"texture_test_{next(_serial)}")
        p, q, i = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
        call = ctypes.CFUNCTYPE(None, p, p, p, p, i, q)(loaded.address)
        self._compiled[identity] = (call, loaded, text)
        return call


@pytest.fixture
def workbench():
    """A fresh workbench."""
    return Workbench()


@pytest.fixture
def dimension_of():
    """Sampler dimension of a texture target."""
    return {
        gl.GL_TEXTURE_2D: Dimension.D2,
        gl.GL_TEXTURE_2D_ARRAY: Dimension.D2,
        gl.GL_TEXTURE_3D: Dimension.D3,
        gl.GL_TEXTURE_CUBE_MAP: Dimension.CUBE,
    }
