"""Draws a twin: shares draws and triangles out among the groups of its scene, makes programs, shapes and pictures, and
draws frames in the order in which the twin submits.

A setting such as 1.3 textures is a mean over things: they take the neighbouring whole numbers in turn.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from samples import app
from samples.gles import GL, Program
from samples.maths import Matrix, look_at, orthographic, perspective
from samples.twins.pictures import CLEAR, mean_colour, upload
from samples.twins.recipe import Recipe, Variant
from samples.twins.scenes import SCENES
from samples.twins.shaders import ATTRIBUTES, MAX_JOINTS, MAX_LIGHTS, Shading, fragment_source, vertex_source
from samples.twins.shapes import Shape
from samples.twins.world import Group, Layer, Moment, Scene, chance

__all__ = ["Twin"]

#: Steps of the sequences by which things take neighbouring whole numbers: fractions far from any ratio, one a setting.
_STRIDES: Final = {
    "vertex_instructions": 0.6180339887, "varyings": 0.7548776662, "alu": 0.5698402910, "textures": 0.8191725134,
    "trilinear": 0.6710436067, "mipmapped": 0.5497004779,
}  # fmt: skip
_STRIDE: Final = 36


class _GpuShape:
    """A shape in buffer objects."""

    def __init__(self, shape: Shape) -> None:
        self.count = len(shape.indices)
        self.triangles = self.count // 3
        rows = np.zeros(len(shape.vertices), np.dtype([("point", np.float32, 8), ("colour", np.uint8, 4)]))
        rows["point"], rows["colour"] = shape.vertices, shape.colours
        self._is_skinned = shape.joints is not None
        names = [int(name) for name in GL.glGenBuffers(3)]
        self._vertices, self._indices, self._joints = names
        contents = (
            [(self._vertices, rows), (self._joints, shape.joints)] if self._is_skinned else [(self._vertices, rows)]
        )
        for name, data in contents:
            GL.glBindBuffer(GL.GL_ARRAY_BUFFER, name)
            GL.glBufferData(GL.GL_ARRAY_BUFFER, data.nbytes, data.tobytes(), GL.GL_STATIC_DRAW)
        GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self._indices)
        GL.glBufferData(GL.GL_ELEMENT_ARRAY_BUFFER, shape.indices.nbytes, shape.indices, GL.GL_STATIC_DRAW)

    def bind(self) -> None:
        """Make its buffers the source of the next draws."""
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._vertices)
        GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self._indices)
        for location, size, offset in ((0, 3, 0), (1, 3, 12), (2, 2, 24)):
            GL.glVertexAttribPointer(location, size, GL.GL_FLOAT, False, _STRIDE, ctypes.c_void_p(offset))
        GL.glVertexAttribPointer(3, 4, GL.GL_UNSIGNED_BYTE, True, _STRIDE, ctypes.c_void_p(32))
        if self._is_skinned:
            GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._joints)
            GL.glVertexAttribPointer(4, 3, GL.GL_FLOAT, False, 12, ctypes.c_void_p(0))

    def draw(self) -> None:
        """Draw all triangles."""
        GL.glDrawElements(GL.GL_TRIANGLES, self.count, GL.GL_UNSIGNED_SHORT, ctypes.c_void_p(0))


@dataclass(frozen=True, slots=True)
class _Thing:
    """What does not change of a thing."""

    shape: _GpuShape
    program: Program
    images: tuple[int, ...]
    tint: tuple[float, ...]


@dataclass(slots=True)
class _Placed:
    """A group with its things.

    Parameters
    ----------
    first : number of its first thing
    """

    group: Group
    first: int
    things: list[_Thing]


def _shared_out(total: int, weights: Sequence[float]) -> list[int]:
    """Whole numbers that add up to a total, by weight; the largest remainders round up."""
    whole = sum(weights) or 1.0
    exact = [total * weight / whole for weight in weights]
    out = [math.floor(value) for value in exact]
    for place in sorted(range(len(exact)), key=lambda k: (out[k] - exact[k], k))[: total - sum(out)]:
        out[place] += 1
    return out


def _numbers(groups: Sequence[Group], draws: int) -> list[int]:
    """Things of each group."""
    left = draws - sum(group.number for group in groups)
    shared = _shared_out(max(left, 0), [group.share if not group.number else 0.0 for group in groups])
    return [group.number or number for group, number in zip(groups, shared, strict=True)]


class Twin:
    """A twin, ready to draw frames.

    Parameters
    ----------
    recipe, variant : what it is
    """

    def __init__(self, recipe: Recipe, variant: Variant) -> None:
        self._recipe, self._variant = recipe, variant
        # Texels a metre do not depend on the size of the pictures that a variant drew.
        self._tiling = recipe.tiling * 256 / variant.open.texture_size
        self._scene: Scene = SCENES[recipe.scene](recipe.look)
        self._groups = app.DebugGroups()
        self._programs: dict[Shading, Program] = {}
        self._images: dict[tuple[str, int, str], int] = {}
        self._placed = self._place()
        total = sum(len(one.things) for one in self._placed)
        self._chance = chance(total, 7)
        GL.glEnable(GL.GL_CULL_FACE)
        GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 1)
        for location in range(4):
            GL.glEnableVertexAttribArray(location)

    def _place(self) -> list[_Placed]:
        scene, settings = self._scene, self._variant.settings
        numbers = _numbers(scene.groups, settings.draws)
        fixed = sum(group.triangles * number for group, number in zip(scene.groups, numbers, strict=True))
        weight = sum(
            group.detail * number for group, number in zip(scene.groups, numbers, strict=True) if not group.triangles
        )
        each = max(settings.triangles - fixed, 0) / max(weight, 1e-9)
        out, first = [], 0
        for group, number in zip(scene.groups, numbers, strict=True):
            budget = group.triangles or each * group.detail
            shapes = [_GpuShape(group.shape(budget, kind)) for kind in range(min(group.kinds, number))]
            things = [self._thing(group, k, first + k, shapes) for k in range(number)]
            out.append(_Placed(group, first, things))
            first += number
        return out

    def _whole(self, setting: str, value: float, thing: int) -> int:
        """The whole number that a thing takes of a mean."""
        return math.floor(value + (thing + 1) * _STRIDES[setting] % 1)

    def _thing(self, group: Group, place: int, number: int, shapes: Sequence[_GpuShape]) -> _Thing:
        settings, opened = self._variant.settings, self._variant.open
        textures = min(self._whole("textures", settings.textures * group.textures, number), 3)
        varyings = min(self._whole("varyings", settings.varyings * group.varyings, number), 6)
        if group.image in CLEAR:
            textures = max(textures, 1)
        elif group.is_painted and varyings < 2:
            textures, varyings = 0, 1
        shading = Shading(
            self._whole("vertex_instructions", settings.vertex_instructions * group.vertex, number),
            varyings,
            self._whole("alu", settings.alu * group.alu, number),
            textures,
            group.pose is not None,
            group.is_cut_out,
        )
        if shading not in self._programs:
            self._programs[shading] = self._program(shading)
        filtered = "plain"
        if self._whole("trilinear", settings.trilinear, number):
            filtered = "trilinear"
        elif self._whole("mipmapped", opened.mipmapped, number):
            filtered = "mipmapped"
        names = (group.image, "grain", "grain")[:textures]
        images = tuple(
            self._image(name, (place if unit == 0 else 0) % opened.pictures, filtered)
            for unit, name in enumerate(names)
        )
        tint = group.tints[place % len(group.tints)]
        if not textures and not group.is_painted:
            # Without its picture a thing has the picture's colour.
            tint = tuple(a * b for a, b in zip(tint, mean_colour(group.image), strict=True))
        return _Thing(shapes[place % len(shapes)], self._programs[shading], images, tint)

    def _image(self, name: str, seed: int, filtered: str) -> int:
        key = name, seed, filtered
        if key not in self._images:
            opened = self._variant.open
            self._images[key] = upload(name, opened.texture_size, seed, opened.texture_format, filtered)
        return self._images[key]

    def _program(self, shading: Shading) -> Program:
        program = Program(vertex_source(shading), fragment_source(shading), ATTRIBUTES)
        program.use()
        for unit, name in enumerate(("image", "detail", "gloss")):
            if program[name] >= 0:
                GL.glUniform1i(program[name], unit)
        scene = self._scene
        lamps = np.zeros((2 * MAX_LIGHTS, 4), np.float32)
        lamps[::2, :3] = 0.02 + 0.03 * chance(3 * MAX_LIGHTS, 3).reshape(-1, 3)
        lamps[::2, 3] = 1.0
        towards = chance(3 * MAX_LIGHTS, 5).reshape(-1, 3) - (0.5, 0.1, 0.5)
        lamps[1::2, :3] = towards / np.linalg.norm(towards, axis=1, keepdims=True)
        for name, value in (
            ("air", (*scene.air, scene.haze)), ("sun", (*scene.sun, 0.45)), ("curve", (0.02, 0.03, 0.02, 0.62)),
        ):  # fmt: skip
            if program[name] >= 0:
                GL.glUniform4f(program[name], *value)
        if program["lamps"] >= 0:
            GL.glUniform4fv(program["lamps"], len(lamps), lamps)
        return program

    def draw(self, frame: int, width: int, height: int) -> None:
        """Draw a frame into the current framebuffer."""
        recipe, settings, opened = self._recipe, self._variant.settings, self._variant.open
        at = Moment(frame, frame * opened.speed, settings.scale, opened.moving, opened.spread, width / height)
        eye, target = self._scene.camera(at)
        eye, target = (tuple(float(value) for value in np.asarray(one)) for one in (eye, target))
        view = perspective(self._scene.field_of_view, at.aspect, 0.2, self._scene.far) @ look_at(eye, target)
        GL.glViewport(0, 0, width, height)
        GL.glClearColor(*self._scene.air, 1)
        GL.glDepthMask(True)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        frames = [_Frame(one, at, view, eye) for one in self._placed]
        solid = [one for one in frames if one.group.layer is Layer.SOLID]
        sky = [one for one in frames if one.group.layer is Layer.SKY]
        self._state(depth=recipe.depth, blend=False)
        if recipe.sky == "first":
            self._in_turn(sky)
        self._sorted(solid)
        if recipe.sky == "last":
            self._in_turn(sky)
        self._state(depth=recipe.depth, blend=True)
        GL.glDepthMask(False)
        self._in_turn([one for one in frames if one.group.layer is Layer.BLENDED])
        self._state(depth=False, blend=True)
        self._in_turn([one for one in frames if one.group.layer is Layer.SCREEN])

    def _state(self, *, depth: bool, blend: bool) -> None:
        for flag, is_on in ((GL.GL_DEPTH_TEST, depth), (GL.GL_BLEND, blend), (GL.GL_CULL_FACE, not blend)):
            (GL.glEnable if is_on else GL.glDisable)(flag)
        GL.glDepthFunc(GL.GL_LEQUAL)
        GL.glBlendFunc(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA)

    def _in_turn(self, frames: Sequence[_Frame]) -> None:
        for one in frames:
            for thing in range(len(one.placed.things)):
                self._submit(one, thing)

    def _sorted(self, frames: Sequence[_Frame]) -> None:
        """Draw solid things: by distance, in the scene's own order, or between the two."""
        if not self._recipe.depth:
            self._in_turn(frames)
            return
        owner = np.concatenate([np.full(len(one.placed.things), k) for k, one in enumerate(frames)])
        thing = np.concatenate([np.arange(len(one.placed.things)) for one in frames])
        distance = np.concatenate([one.distance for one in frames])
        rank = np.empty(len(distance))
        rank[np.argsort(distance, kind="stable")] = np.linspace(0, 1, len(distance))
        own = self._chance[: len(distance)]
        if self._recipe.order == "material":
            own = (_scattered(len(frames))[owner] + 0.5 * rank) / 1.5
        disorder = self._variant.settings.disorder
        key = (
            (1 - disorder) * rank + disorder * own
            if disorder <= 1
            else (2 - disorder) * own + (disorder - 1) * (1 - rank)
        )
        for place in np.argsort(key, kind="stable"):
            self._submit(frames[owner[place]], int(thing[place]))

    def _submit(self, frame: _Frame, number: int) -> None:
        thing = frame.placed.things[number]
        with self._label(frame, number):
            program = thing.program
            program.use()
            program.matrix("camera", frame.cameras[number])
            if program["turn"] >= 0:
                GL.glUniform3fv(program["turn"], 3, frame.turns[number])
            if program["tint"] >= 0:
                GL.glUniform4f(program["tint"], *thing.tint)
            if program["drift"] >= 0:
                GL.glUniform3f(program["drift"], *frame.drift, 1.0 if frame.group.image in CLEAR else self._tiling)
            thing.shape.bind()
            if frame.bones is not None:
                GL.glEnableVertexAttribArray(4)
                GL.glUniform4fv(program["bones"], frame.bones.shape[1], frame.bones[number])
            for unit, image in enumerate(thing.images):
                GL.glActiveTexture(GL.GL_TEXTURE0 + unit)
                GL.glBindTexture(GL.GL_TEXTURE_2D, image)
            thing.shape.draw()
            if frame.bones is not None:
                GL.glDisableVertexAttribArray(4)

    def _label(self, frame: _Frame, number: int) -> AbstractContextManager[Any]:
        several = len(frame.placed.things) > 1
        return self._groups(f"{frame.group.label} {number}" if several else frame.group.label)


def _scattered(count: int) -> NDArray[np.float32]:
    """Places of so many groups in an order that has nothing to do with that of the scene."""
    out = np.empty(count, np.float32)
    out[np.argsort(chance(count, 11), kind="stable")] = np.linspace(0, 1, count)
    return out


class _Frame:
    """A group's things in a frame."""

    def __init__(self, placed: _Placed, at: Moment, view: Matrix, eye: Sequence[float]) -> None:
        group, number = placed.group, len(placed.things)
        self.placed, self.group = placed, group
        if number == 0:
            models = np.zeros((0, 4, 4), np.float32)
        else:
            models = np.asarray(group.place(number, at), np.float32)
        if group.layer is Layer.SCREEN:
            view = orthographic(-at.aspect, at.aspect, -1, 1)
        self.cameras = (view @ models).astype(np.float32)
        lengths = np.maximum(np.linalg.norm(models[:, :3, :3], axis=1, keepdims=True), 1e-9)
        self.turns = np.ascontiguousarray(models[:, :3, :3] / lengths)
        self.distance = np.linalg.norm(models[:, :3, 3] - np.asarray(eye, np.float32), axis=1)
        self.drift = tuple((component * at.frame) % 1.0 for component in group.drift)
        self.bones = None
        if group.pose is not None:
            self.bones = np.ascontiguousarray(group.pose(number, at), np.float32)
            assert self.bones.shape[1] <= 3 * MAX_JOINTS
