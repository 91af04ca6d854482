"""What each family of benchmarks draws: one function a family, which prepares and gives the function that draws once.

Work is fixed by the parameters: sizes are multiples of a quad, geometry stays inside the target, nothing is read from a
clock.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from .stage import Stage, Unsupported, fragment_text, quads, vertex_text

__all__ = ["FAMILIES", "Draw"]

Draw = Callable[[], None]
FAMILIES: Final[dict[str, Callable[..., Draw]]] = {}
_SIDE: Final = 256
_FULL: Final = (-1.0, -1.0, 1.0, 1.0)


def _family(function: Callable[..., Draw]) -> Callable[..., Draw]:
    FAMILIES[function.__name__] = function
    return function


def _cleared_and_drawn(stage: Stage, count: int, *, has_depth: bool = False) -> Draw:
    """Draw so many vertices of the mesh into a cleared target."""

    def draw() -> None:
        stage.clear(has_depth=has_depth)
        stage.draw(count)

    return draw


def _layers(count: int) -> Any:
    """Whole targets behind each other, the nearest first."""
    return quads([(*_FULL, -0.9 + 1.8 * k / max(count - 1, 1)) for k in range(count)])


@_family
def fill(stage: Stage, layers: int, blend: str = "none", pixels: str = "RGBA8") -> Draw:
    """Whole targets over each other, blended or not."""
    gl = stage.gl
    stage.target(_SIDE, _SIDE, pixels)
    stage.program(vertex_text(), fragment_text(""))
    count = stage.mesh(_layers(layers))
    if blend != "none":
        gl.glEnable(gl.GL_BLEND)
        source, destination = (
            (gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA) if blend == "alpha" else (gl.GL_ONE, gl.GL_ONE)
        )
        gl.glBlendFunc(source, destination)

    return _cleared_and_drawn(stage, count)


_OPERATIONS: Final = {
    "mad": "    c = c * factor + factor.yzwx;\n",
    "sin": "    c = sin(c);\n",
    "sqrt": "    c = inversesqrt(abs(c) + factor);\n",
}


@_family
def alu(stage: Stage, operation: str, count: int) -> Draw:
    """Two layers whose fragments compute."""
    stage.target(_SIDE, _SIDE)
    stage.program(vertex_text(), fragment_text(_OPERATIONS[operation] * count))
    vertices = stage.mesh(_layers(2))

    return _cleared_and_drawn(stage, vertices)


@_family
def texture(
    stage: Stage, filtered: str = "nearest", lookups: int = 1, texels: str = "RGBA8", side: int = 256,
    stride: float = 1, target: int = _SIDE,
) -> Draw:  # fmt: skip
    """One layer whose fragments look textures up, ``stride`` texels apart."""
    gl = stage.gl
    stage.target(target, target)
    scale = stride * target / side
    reads = "".join(
        f"    c += texture(image, v0.xy * {scale:.6f} + vec2({0.25 / side * k:.8f}, {0.5 / side * k:.8f}));\n"
        for k in range(lookups)
    )
    program = stage.program(vertex_text(), fragment_text(reads, declared="uniform sampler2D image;\n"))
    gl.glActiveTexture(gl.GL_TEXTURE0)
    stage.texture(side, texels, filtered)
    gl.glUniform1i(gl.glGetUniformLocation(program, "image"), 0)
    count = stage.mesh(_layers(1))

    return _cleared_and_drawn(stage, count)


@_family
def varying(stage: Stage, count: int) -> Draw:
    """Four layers whose fragments need a component of each of so many varyings, and hardly compute."""
    stage.target(_SIDE, _SIDE)
    rows = [", ".join(f"v{min(k, count - 1)}.x" for k in range(first, first + 4)) for first in range(0, count, 4)]
    body = f"    c = {' + '.join(f'vec4({row})' for row in rows)};\n"
    stage.program(vertex_text(varyings=count), fragment_text(body, varyings=count))
    vertices = stage.mesh(_layers(4))

    return _cleared_and_drawn(stage, vertices)


@_family
def vertex(stage: Stage, attributes: int = 1, work: int = 0, is_indexed: bool = False) -> Draw:
    """Triangles that face away: vertices are shaded, nothing is rasterized."""
    gl = stage.gl
    stage.target(_SIDE, _SIDE)
    stage.program(vertex_text(attributes, work=work), fragment_text(""))
    side = 33
    steps = np.linspace(-0.9, 0.9, side, dtype=np.float32)
    points = np.zeros((side * side, attributes, 4), np.float32)
    points[:, 0, 0], points[:, 0, 1] = np.tile(steps, side), np.repeat(steps, side)
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    indices = (corner[:, None] + np.array([0, side, 1, 1, side, side + 1])).ravel().astype(np.uint16)
    count = stage.mesh(points, indices) if is_indexed else stage.mesh(np.ascontiguousarray(points[indices]))
    gl.glEnable(gl.GL_CULL_FACE)

    def draw() -> None:
        stage.clear()
        if is_indexed:
            gl.glDrawElements(gl.GL_TRIANGLES, count, gl.GL_UNSIGNED_SHORT, None)
        else:
            stage.draw(count)

    return draw


@_family
def binning(stage: Stage, side: int, count: int, height: int = 0) -> Draw:
    """So many boxes of two triangles, of so many pixels each way, at random places."""
    stage.target(_SIDE, _SIDE)
    stage.program(vertex_text(), fragment_text(""))
    random = np.random.default_rng(11)
    size = np.array([side, height or side])
    corners = random.integers(0, _SIDE - size + 1, (count, 2)) & ~1
    low = 2.0 * corners / _SIDE - 1
    high = 2.0 * (corners + size) / _SIDE - 1
    vertices = stage.mesh(quads(np.concatenate([low, high, np.zeros((count, 1))], 1)))

    return _cleared_and_drawn(stage, vertices)


@_family
def clip(stage: Stage, share: float, count: int = 2048) -> Draw:
    """Triangles of which a share lies about the sides of the view volume, half of them facing away, culled."""
    gl = stage.gl
    stage.target(_SIDE, _SIDE)
    stage.program(vertex_text(), fragment_text(""))
    numbers = np.random.default_rng(7)
    middle = numbers.uniform(-0.8, 0.8, (count, 1, 3))
    outwards = numbers.integers(0, 3, count)
    far = np.arange(count) < share * count
    middle[far, 0, outwards[far]] = np.sign(middle[far, 0, outwards[far]]) * numbers.uniform(0.9, 1.2, far.sum())
    corners = middle + numbers.uniform(-0.15, 0.15, (count, 3, 3))
    whole = np.concatenate([corners, np.ones((count, 3, 1))], 2)
    vertices = stage.mesh(np.ascontiguousarray(whole.reshape(-1, 1, 4), np.float32))
    gl.glEnable(gl.GL_CULL_FACE)

    return _cleared_and_drawn(stage, vertices)


@_family
def depth(stage: Stage, order: str, layers: int = 8) -> Draw:
    """Layers with depth test, in an order of submission."""
    gl = stage.gl
    stage.target(_SIDE, _SIDE, has_depth=True)
    stage.program(vertex_text(), fragment_text(_OPERATIONS["mad"] * 4))
    planes = _layers(layers).reshape(layers, 6, 1, 4)
    in_front = np.arange(layers)
    turn = {"front": in_front, "back": in_front[::-1], "random": np.random.default_rng(5).permutation(layers)}[order]
    count = stage.mesh(np.ascontiguousarray(planes[turn].reshape(-1, 1, 4)))
    gl.glEnable(gl.GL_DEPTH_TEST)

    return _cleared_and_drawn(stage, count, has_depth=True)


@_family
def discard(stage: Stage, share: float) -> Draw:
    """Layers with depth test that discard a share of every 32 columns."""
    gl = stage.gl
    stage.target(_SIDE, _SIDE, has_depth=True)
    body = f"    if (fract(gl_FragCoord.x / 32.0) < {share}) discard;\n" if share else ""
    stage.program(vertex_text(), fragment_text(body))
    count = stage.mesh(np.ascontiguousarray(_layers(4)[::-1]))
    gl.glEnable(gl.GL_DEPTH_TEST)

    return _cleared_and_drawn(stage, count, has_depth=True)


@_family
def load(stage: Stage, begin: str) -> Draw:
    """A small square in a target that is cleared, loaded or invalidated before."""
    gl = stage.gl
    stage.target(2 * _SIDE, 2 * _SIDE, has_depth=True)
    stage.program(vertex_text(), fragment_text(""))
    count = stage.mesh(quads([(-0.5, -0.5, 0.5, 0.5, 0.0)]))
    attachments = (gl.GL_COLOR_ATTACHMENT0, gl.GL_DEPTH_ATTACHMENT)
    stage.clear(has_depth=True)

    def draw() -> None:
        if begin == "clear":
            stage.clear(has_depth=True)
        elif begin == "invalidate":
            gl.glInvalidateFramebuffer(gl.GL_FRAMEBUFFER, 2, np.array(attachments, np.uint32))
        stage.draw(count)

    return draw


@_family
def switch(stage: Stage, switches: int) -> Draw:
    """Two targets in turn, a square in each."""
    gl = stage.gl
    targets = [stage.target(_SIDE, _SIDE)[0] for _ in range(2)]
    stage.program(vertex_text(), fragment_text(""))
    count = stage.mesh(quads([(-0.5, -0.5, 0.5, 0.5, 0.0)]))

    def draw() -> None:
        for number in range(switches):
            gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, targets[number % 2])
            stage.draw(count)

    return draw


@_family
def chain(stage: Stage, links: int) -> Draw:
    """Targets that each read the one before."""
    gl = stage.gl
    targets = [stage.target(_SIDE, _SIDE) for _ in range(links)]
    program = stage.program(
        vertex_text(), fragment_text("    c += texture(image, v0.xy);\n", declared="uniform sampler2D image;\n")
    )
    gl.glActiveTexture(gl.GL_TEXTURE0)
    gl.glUniform1i(gl.glGetUniformLocation(program, "image"), 0)
    count = stage.mesh(_layers(1))
    seed = stage.texture(64)

    def draw() -> None:
        before = seed
        for framebuffer, image in targets:
            gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, framebuffer)
            gl.glBindTexture(gl.GL_TEXTURE_2D, before)
            stage.clear()
            stage.draw(count)
            before = image

    return draw


@_family
def draws(stage: Stage, count: int) -> Draw:
    """So many draws of a quad of 8 x 8 pixels, each with a uniform of its own."""
    gl = stage.gl
    stage.target(_SIDE, _SIDE)
    stage.program(vertex_text(), fragment_text("    c *= factor;\n"))
    places = [(k % 16, k // 16 % 16) for k in range(count)]
    boxes = [(x / 8 - 1, y / 8 - 1, x / 8 - 0.9375, y / 8 - 0.9375, 0.0) for x, y in places]
    stage.mesh(quads(boxes))

    def draw() -> None:
        stage.clear()
        for number in range(count):
            gl.glUniform4f(stage.factor, number / count, 0.5, 0.25, 1.0)
            stage.draw(6, 6 * number)

    return draw


@_family
def resolution(stage: Stage, side: int) -> Draw:
    """Four layers over a target of a side; time has steps where another row of tiles begins."""
    stage.target(side, side)
    stage.program(vertex_text(), fragment_text(""))
    count = stage.mesh(_layers(4))

    return _cleared_and_drawn(stage, count)


@_family
def twin(stage: Stage, alias: str, variant: str = "a", frame: int = 0) -> Draw:
    """A frame of a twin at its game's size; the twins stand beside the kit, or are not measured."""
    package = (__package__ or "").rpartition(".")[0]
    if not package or not (Path(__file__).parents[1] / "twins").is_dir():
        raise Unsupported("the programs of samples/twins are not beside the kit")
    try:
        engine, recipes = (importlib.import_module(f"{package}.twins.{name}") for name in ("engine", "recipe"))
    except ImportError as error:
        raise Unsupported(f"the twins need {error.name}") from None
    recipe = recipes.read_recipe(alias)
    stage.target(recipe.width, recipe.height, has_depth=True)
    try:
        with _versioned(engine):
            drawn = engine.Twin(recipe, recipe.variants[variant])
    except SystemExit as end:
        raise Unsupported(f"the twin says: {end}") from None

    def draw() -> None:
        drawn.draw(frame, recipe.width, recipe.height)

    return draw


@contextmanager
def _versioned(engine: Any) -> Iterator[None]:
    """Let a twin's shaders name their version: desktop OpenGL takes those without for its own language."""
    before = {name: getattr(engine, name) for name in ("vertex_source", "fragment_source")}
    try:
        for name, source in before.items():
            setattr(engine, name, lambda shading, source=source: f"#version 100\n{source(shading)}")
        yield
    finally:
        for name, source in before.items():
            setattr(engine, name, source)
