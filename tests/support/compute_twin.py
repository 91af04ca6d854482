"""Compute shaders in the tests: compiled, linked, and run by both executors over buffers by binding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from replay.glsl import CompileOptions, Program, compile_shader, link_program
from replay.glsl.compute import dispatch_llvm, dispatch_numpy
from replay.glsl.conformance.pipeline import fill_constants
from replay.glsl.ir import StageIR
from replay.glsl.llvm.stage import LlvmStage
from replay.glsl.memory import ImageWord, MemoryKind
from replay.glsl.numpy_executor import NumpyStage
from replay.glsl.verifier import verify

HEAD = "#version 320 es\nprecision highp float;\nprecision highp int;\n"


def build(source: str, es: bool = True) -> Program:
    """Compile and link; the assertion shows the log."""
    shader = compile_shader(source, "compute", CompileOptions(es=es, max_version=320 if es else 460))
    assert shader.ok, shader.log
    program = link_program([shader])
    assert program.ok, program.log
    assert program.compute is not None
    verify(program.compute.body, program.compute.variables)
    return program


class Images:
    """Images of a program in the tests, by unit: (height, width, words) or (depth, height, width, words) int32."""

    def __init__(self, images: dict[int, np.ndarray]) -> None:
        self.images = images

    def descriptor(self, unit: int) -> dict[ImageWord, int]:
        image = self.images[unit]
        depth, height, width, words = image.shape if image.ndim == 4 else (1, *image.shape)
        return {
            ImageWord.WIDTH: width, ImageWord.HEIGHT: height, ImageWord.DEPTH: depth, ImageWord.OFFSET: 0,
            ImageWord.TEXEL: words, ImageWord.ROW: width * words, ImageWord.SLICE: width * height * words,
        }  # fmt: skip


def _memory(program: Program, slot: Any, buffers: dict[int, np.ndarray], images: dict[int, np.ndarray]) -> np.ndarray:
    reflection = program.reflection
    if slot.kind is MemoryKind.STORAGE:
        return buffers[reflection.storage_blocks[slot.block].binding]
    if slot.kind is MemoryKind.COUNTERS:
        return buffers[reflection.counter_buffers[slot.block].binding]
    if slot.kind is MemoryKind.IMAGE:
        return images[int(reflection.uniforms[slot.block].initial[slot.element])].reshape(-1)
    return np.zeros(0, np.int32)


def _areas(
    program: Program,
    ir: StageIR,
    uniforms: dict[str, Sequence[float]],
    images: Images,
    buffers: dict[int, np.ndarray],
) -> list[np.ndarray]:
    values = {name: np.array([row], np.float64) for name, row in uniforms.items()}
    areas = [area[:, 0].copy() for area in fill_constants(program, ir, values, 1)]
    for words, area in zip(areas, ir.areas, strict=True):
        if area.block >= 0:
            held = buffers[program.reflection.blocks[area.block].binding][: words.size]
            words[: held.size] = held
    for slot in ir.memories:
        if slot.kind is MemoryKind.IMAGE and slot.descriptor >= 0:
            unit = int(program.reflection.uniforms[slot.block].initial[slot.element])
            for word, value in images.descriptor(unit).items():
                areas[0][slot.descriptor + word] = value
    return areas


def run(
    program: Program,
    groups: tuple[int, int, int],
    buffers: dict[int, np.ndarray],
    uniforms: dict[str, Sequence[float]] | None = None,
    images: dict[int, np.ndarray] | None = None,
    touched: dict[str, np.ndarray] | None = None,
) -> tuple[dict[int, np.ndarray], dict[int, np.ndarray]]:
    """Dispatch with both executors, which must agree in every bit; gives buffers and images behind it.

    ``touched`` takes the marks of lines that were read and written, by the name of the memory.
    """
    ir = program.compute
    assert ir is not None
    results = []
    for executor in ("numpy", "llvm"):
        held = {key: value.view(np.int32).copy() for key, value in buffers.items()}
        shown = {key: value.view(np.int32).copy() for key, value in (images or {}).items()}
        memories: list[np.ndarray] = []
        for slot in ir.memories:
            if slot.kind is MemoryKind.TOUCHED:
                memories.append(np.zeros(2 * -(-memories[slot.block].size // 16), np.int32))
            else:
                memories.append(_memory(program, slot, held, shown))
        areas = _areas(program, ir, uniforms or {}, Images(shown), held)
        if executor == "numpy":
            dispatch_numpy(NumpyStage(ir), groups, areas, memories)
        else:
            dispatch_llvm(ir, LlvmStage(ir), groups, areas, memories)
        marks = zip(ir.memories, memories, strict=True)
        found = {ir.memories[slot.block].name: lines for slot, lines in marks if slot.kind is MemoryKind.TOUCHED}
        results.append((held, shown, found))
    for first, second in zip(*results, strict=True):
        for key, value in first.items():
            np.testing.assert_array_equal(value, second[key])
    if touched is not None:
        touched.update(results[0][2])
    return results[0][:2]
