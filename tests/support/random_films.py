"""Random short films in which anything that a picture depends on may change, for one frame only or from then on."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from films import kept, squares
from gl_recorder import Recorder

import replay
from gpumodel.columns import VERIFIED_COLUMNS
from gpumodel.runs import Run
from gpumodel.techniques.registry import technique_columns
from traceformat.calls import Call, Offset
from traceformat.gles import enums as gl
from traceformat.gles.blend_codes import EQUATIONS
from traceformat.gputrace.frametrace import ColumnSet, FrameTrace

__all__ = ["RandomFilm", "false_positives", "random_film"]

WIDTH, HEIGHT = 48, 32
FRAMES = 8
_HEAD = "#version 300 es\nprecision highp float;\n"
_VERTEX = f"""{_HEAD}in vec4 p; in vec4 c; out vec4 v; uniform vec2 shift;
void main() {{ v = c; gl_PointSize = 9.0; gl_Position = p + vec4(shift, 0.0, 0.0); }}"""
_INPUTS = f"{_HEAD}in vec4 v; out vec4 o; uniform vec4 tint; uniform sampler2D t; uniform U {{ vec4 light[2]; }};\n"
#: What fragments are made of; every name is in each, so that none is optimised away.
_BODIES = {
    "texture": "o = v * tint * texture(t, v.xy * 2.3) * light[1];",
    "light": "o = mix(light[0], light[1], v.x) * tint + 0.1 * texture(t, v.yx);",
    "level": "o = textureLod(t, v.xy, 1.0 + tint.x) * light[0] + 0.1 * v * light[1];",
    "place": "o = vec4(fract(gl_FragCoord.xy / 13.0), tint.z, 1.0) * light[0] + 0.3 * texture(t, v.xy) * light[1];",
    "holes": "if (fract(v.x * 7.0) < 0.3) discard; o = tint * light[1] * texture(t, v.xy) + 0.1 * light[0];",
    "depth": "o = tint * v + 0.1 * light[0] * texture(t, v.xy); gl_FragDepth = gl_FragCoord.z * light[1].x;",
}  # fmt: skip
_FUNCTIONS = (gl.GL_LESS, gl.GL_LEQUAL, gl.GL_GREATER, gl.GL_GEQUAL, gl.GL_ALWAYS, gl.GL_EQUAL, gl.GL_NOTEQUAL)
_FACTORS = (
    gl.GL_ZERO, gl.GL_ONE, gl.GL_SRC_COLOR, gl.GL_ONE_MINUS_SRC_ALPHA, gl.GL_SRC_ALPHA, gl.GL_DST_COLOR,
    gl.GL_ONE_MINUS_DST_ALPHA, gl.GL_CONSTANT_COLOR,
)  # fmt: skip
_EQUATIONS = tuple(EQUATIONS)
_OPERATIONS = (gl.GL_KEEP, gl.GL_ZERO, gl.GL_REPLACE, gl.GL_INCR, gl.GL_DECR, gl.GL_INVERT, gl.GL_INCR_WRAP)
_ALL = gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT
_SCREEN, _TARGET = 0, 3
#: Texture that is rendered into, by the framebuffer _TARGET.
_RENDERED = 3

#: Changes something; gives what takes it back.
Change = Callable[["RandomFilm"], Callable[[], None] | None]
_CHANGES: list[Change] = []


def _change(function: Change) -> Change:
    _CHANGES.append(function)
    return function


class RandomFilm(Recorder):
    """A program with squares, shaders, textures, a uniform block and a texture to draw into.

    Parameters
    ----------
    seed : decides everything
    """

    def __init__(self, seed: int) -> None:
        super().__init__(size=(WIDTH, HEIGHT))
        self.rng = np.random.default_rng(seed)
        self.programs = {name: self._program(body) for name, body in _BODIES.items()}
        self.size = WIDTH, HEIGHT
        #: Textures whose storage is immutable.
        self.stored: set[int] = set()
        self.generated("glGenSamplers", "samplers", 1)
        for parameter in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            self("glSamplerParameteri", 1, parameter, gl.GL_NEAREST)
        for name in (1, 2, _RENDERED):
            self.define_texture(name)
        self.vertices(squares())
        self.block = self.floats(8)
        self("glBindBuffer", gl.GL_UNIFORM_BUFFER, 5)
        self("glBufferData", gl.GL_UNIFORM_BUFFER, 32, self.block.tobytes(), gl.GL_DYNAMIC_DRAW)
        self("glBindBufferBase", gl.GL_UNIFORM_BUFFER, 0, 5)
        self("glBindFramebuffer", gl.GL_FRAMEBUFFER, _TARGET)
        self("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, _RENDERED, 0)
        self("glBindFramebuffer", gl.GL_FRAMEBUFFER, _SCREEN)
        #: Program, texture, first vertex, mode of each draw.
        self.draws: list[tuple[str, int, int, int]] = []
        for _ in range(int(self.rng.integers(1, 5))):
            self.draws.append(self.random_draw())
        self.clears = _ALL
        #: Further things that a frame does: into the texture, or between two draws.
        self.off_screen = False
        self.between: list[tuple[Any, ...]] = []
        if self.rng.random() < 0.5:
            self("glEnable", gl.GL_DEPTH_TEST)

    # ------------------------------------------------------------------ what it is made of
    def _program(self, body: str) -> int:
        number = self.program(_VERTEX, f"{_INPUTS}void main() {{ {body} }}")
        index = self("glGetUniformBlockIndex", number, "U")
        self("glUniformBlockBinding", number, index, 0)
        self("glUniform4f", self("glGetUniformLocation", number, "tint"), 0.9, 0.8, 0.7, 1.0)
        return number

    def generated(self, function: str, parameter: str, name: int) -> None:
        """Make an object name that must be generated."""
        call = Call(len(self.calls), function, 1, 1, 0, (1, None), {parameter: struct.pack("<I", name)})
        self.tracker.execute(call)
        assert self.tracker.failure is None
        self.calls.append(call)

    def floats(self, count: int) -> np.ndarray:
        return self.rng.uniform(0.1, 1.0, count).astype(np.float32)

    def pick(self, values: Sequence[Any]) -> Any:
        return values[int(self.rng.integers(len(values)))]

    def texels(self, size: int) -> bytes:
        return self.rng.integers(0, 256, 4 * size * size).astype(np.uint8).tobytes()

    def random_draw(self) -> tuple[str, int, int, int]:
        mode = self.pick((gl.GL_TRIANGLES, gl.GL_TRIANGLES, gl.GL_TRIANGLES, gl.GL_POINTS, gl.GL_LINE_STRIP))
        return self.pick(list(_BODIES)), int(self.rng.integers(1, 4)), 6 * int(self.rng.integers(4)), mode

    def define_texture(self, name: int) -> None:
        """Give a texture new contents and a whole chain of levels."""
        if name in self.stored:
            self("glDeleteTextures", 1, struct.pack("<I", name))
            self.stored.discard(name)
        self("glBindTexture", gl.GL_TEXTURE_2D, name)
        for level in range(4):
            size = 8 >> level
            self(
                "glTexImage2D", gl.GL_TEXTURE_2D, level, gl.GL_RGBA, size, size, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE,
                self.texels(size),
            )  # fmt: skip
        self("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST_MIPMAP_NEAREST)

    def undo(self, *call: Any) -> Callable[[], None]:
        def back() -> None:
            self(*call)

        return back

    # ------------------------------------------------------------------ what it does
    def submit(self, draw: tuple[str, int, int, int]) -> None:
        """Draw one of the squares."""
        program, texture, first, mode = draw
        self("glUseProgram", self.programs[program])
        self("glBindTexture", gl.GL_TEXTURE_2D, texture)
        self("glDrawArrays", mode, first, 6)

    def frame(self) -> None:
        """Draw a frame as things are."""
        if self.off_screen:
            self("glBindFramebuffer", gl.GL_FRAMEBUFFER, _TARGET)
            self("glViewport", 0, 0, 8, 8)
            self("glClear", gl.GL_COLOR_BUFFER_BIT)
            self.submit(("light", 1, 6 * int(self.rng.integers(4)), gl.GL_TRIANGLES))
            self("glBindFramebuffer", gl.GL_FRAMEBUFFER, _SCREEN)
            self("glViewport", 0, 0, *self.size)
        if self.clears:
            self("glClear", self.clears)
        for number, draw in enumerate(self.draws):
            if number == 1:
                for call in self.between:
                    self(*call)
            self.submit(draw)

    def record(self, path: Path, frames: int = FRAMES) -> Path:
        """Write the film: in some frames something changes, which half of the time lasts for a frame."""
        back: list[Callable[[], None]] = []
        for number in range(frames):
            for take_back in reversed(back):
                take_back()
            back = []
            # The first frames are still, so that there is something to skip.
            if number >= 3 and self.rng.random() < 0.6:
                for _ in range(int(self.rng.integers(1, 3))):
                    take_back = self.pick(_CHANGES)(self)
                    if take_back is not None and self.rng.random() < 0.5:
                        back.append(take_back)
            self.frame()
            self.swap()
        return self.write(path)


# ------------------------------------------------------------------ constants and vertices
@_change
def _tint(film: RandomFilm) -> Callable[[], None]:
    program = film.programs[film.pick(film.draws)[0]]
    film("glUseProgram", program)
    place = film("glGetUniformLocation", program, "tint")
    film("glUniform4f", place, *film.floats(4).tolist())

    def back() -> None:
        film("glUseProgram", program)
        film("glUniform4f", place, 0.9, 0.8, 0.7, 1.0)

    return back


@_change
def _shift(film: RandomFilm) -> Callable[[], None]:
    program = film.programs[film.pick(film.draws)[0]]
    film("glUseProgram", program)
    place = film("glGetUniformLocation", program, "shift")
    film("glUniform2f", place, *(film.floats(2) - 0.5).tolist())

    def back() -> None:
        film("glUseProgram", program)
        film("glUniform2f", place, 0.0, 0.0)

    return back


@_change
def _block(film: RandomFilm) -> Callable[[], None]:
    """A value of the uniform block."""
    at = int(film.rng.integers(8))
    film("glBindBuffer", gl.GL_UNIFORM_BUFFER, 5)
    film("glBufferSubData", gl.GL_UNIFORM_BUFFER, 4 * at, 4, film.floats(1).tobytes())
    return film.undo("glBufferSubData", gl.GL_UNIFORM_BUFFER, 4 * at, 4, film.block[at : at + 1].tobytes())


@_change
def _other_block(film: RandomFilm) -> Callable[[], None]:
    """Another buffer behind the block."""
    film("glBindBuffer", gl.GL_UNIFORM_BUFFER, 6)
    film("glBufferData", gl.GL_UNIFORM_BUFFER, 32, film.floats(8).tobytes(), gl.GL_DYNAMIC_DRAW)
    film("glBindBufferBase", gl.GL_UNIFORM_BUFFER, 0, 6)
    return film.undo("glBindBufferBase", gl.GL_UNIFORM_BUFFER, 0, 5)


@_change
def _vertex(film: RandomFilm) -> Callable[[], None]:
    """A position or colour."""
    at, data = int(film.rng.integers(24 * 8)), squares().reshape(-1)
    film("glBufferSubData", gl.GL_ARRAY_BUFFER, 4 * at, 4, (film.floats(1) - 0.4).tobytes())
    return film.undo("glBufferSubData", gl.GL_ARRAY_BUFFER, 4 * at, 4, data[at : at + 1].tobytes())


@_change
def _constant_attribute(film: RandomFilm) -> Callable[[], None]:
    film("glDisableVertexAttribArray", 1)
    film("glVertexAttrib4f", 1, *film.floats(4).tolist())
    return film.undo("glEnableVertexAttribArray", 1)


@_change
def _other_buffer(film: RandomFilm) -> Callable[[], None]:
    """The same squares with other colours, from a buffer of their own."""
    data = squares()
    data[:, 4:] = data[::-1, 4:]
    film.vertices(data, 9)

    def back() -> None:
        film("glBindBuffer", gl.GL_ARRAY_BUFFER, 1)
        for location in (0, 1):
            film("glVertexAttribPointer", location, 4, gl.GL_FLOAT, 0, 32, Offset(16 * location))

    return back


# ------------------------------------------------------------------ textures, samplers, shaders
@_change
def _whole_texture(film: RandomFilm) -> None:
    film.define_texture(int(film.rng.integers(1, 4)))


@_change
def _part_of_a_texture(film: RandomFilm) -> None:
    film("glBindTexture", gl.GL_TEXTURE_2D, int(film.rng.integers(1, 4)))
    level = int(film.rng.integers(3))
    at = int(film.rng.integers(8 >> level)), int(film.rng.integers(8 >> level))
    film("glTexSubImage2D", gl.GL_TEXTURE_2D, level, *at, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, film.texels(1))


@_change
def _generated_levels(film: RandomFilm) -> None:
    film("glBindTexture", gl.GL_TEXTURE_2D, int(film.rng.integers(1, 4)))
    film("glGenerateMipmap", gl.GL_TEXTURE_2D)


@_change
def _recreated_texture(film: RandomFilm) -> None:
    """The same name for another texture."""
    name = int(film.rng.integers(1, 3))
    film("glDeleteTextures", 1, struct.pack("<I", name))
    film.define_texture(name)


@_change
def _copied_texture(film: RandomFilm) -> None:
    """Texels from the screen as it was."""
    film("glBindTexture", gl.GL_TEXTURE_2D, int(film.rng.integers(1, 4)))
    film("glCopyTexSubImage2D", gl.GL_TEXTURE_2D, int(film.rng.integers(2)), 0, 0, 5, 7, 4, 4)


@_change
def _blitted_texture(film: RandomFilm) -> None:
    film("glBindFramebuffer", gl.GL_DRAW_FRAMEBUFFER, _TARGET)
    film("glBlitFramebuffer", 3, 3, 11, 9, 0, 0, 8, 8, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
    film("glBindFramebuffer", gl.GL_FRAMEBUFFER, _SCREEN)


@_change
def _blitted_screen(film: RandomFilm) -> Callable[[], None]:
    """The texture onto the screen, between two draws or in place of them."""
    film.between = [
        ("glBindFramebuffer", gl.GL_READ_FRAMEBUFFER, _TARGET),
        ("glBlitFramebuffer", 0, 0, 8, 8, 3, 3, 30, 20, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST),
        ("glBindFramebuffer", gl.GL_READ_FRAMEBUFFER, _SCREEN),
    ]

    def back() -> None:
        film.between = []

    return back


@_change
def _stored_texture(film: RandomFilm) -> None:
    """The same name for a texture that is only cleared."""
    name = int(film.rng.integers(1, 3))
    film("glDeleteTextures", 1, struct.pack("<I", name))
    film("glBindTexture", gl.GL_TEXTURE_2D, name)
    film("glTexStorage2D", gl.GL_TEXTURE_2D, 4, gl.GL_RGBA8, 8, 8)
    film.stored.add(name)
    film("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
    film("glBindFramebuffer", gl.GL_FRAMEBUFFER, 4)
    film("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, name, 0)
    film("glClearBufferfv", gl.GL_COLOR, 0, film.floats(4).tobytes())
    film("glBindFramebuffer", gl.GL_FRAMEBUFFER, _SCREEN)


@_change
def _invalidated(film: RandomFilm) -> None:
    """What has been shown is thrown away, depth too."""
    for attachment in (gl.GL_COLOR, gl.GL_DEPTH):
        film("glInvalidateFramebuffer", gl.GL_FRAMEBUFFER, 1, struct.pack("<I", attachment))


@_change
def _cleared_texture(film: RandomFilm) -> None:
    """Nothing but a clear of the texture's framebuffer."""
    film("glBindFramebuffer", gl.GL_FRAMEBUFFER, _TARGET)
    film("glClear", gl.GL_COLOR_BUFFER_BIT)
    film("glBindFramebuffer", gl.GL_FRAMEBUFFER, _SCREEN)


@_change
def _off_screen(film: RandomFilm) -> Callable[[], None]:
    film.off_screen = not film.off_screen

    def back() -> None:
        film.off_screen = not film.off_screen

    return back


@_change
def _texture_state(film: RandomFilm) -> Callable[[], None]:
    parameter, value, default = film.pick(
        (
            (gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR_MIPMAP_LINEAR, gl.GL_NEAREST_MIPMAP_NEAREST),
            (gl.GL_TEXTURE_MAG_FILTER, gl.GL_NEAREST, gl.GL_LINEAR),
            (gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_EDGE, gl.GL_REPEAT),
            (gl.GL_TEXTURE_WRAP_T, gl.GL_MIRRORED_REPEAT, gl.GL_REPEAT),
            (gl.GL_TEXTURE_BASE_LEVEL, 1, 0),
            (gl.GL_TEXTURE_MAX_LEVEL, 1, 1000),
            (gl.GL_TEXTURE_SWIZZLE_R, gl.GL_GREEN, gl.GL_RED),
        )
    )
    name = int(film.rng.integers(1, 4))
    film("glBindTexture", gl.GL_TEXTURE_2D, name)
    film("glTexParameteri", gl.GL_TEXTURE_2D, parameter, value)

    def back() -> None:
        film("glBindTexture", gl.GL_TEXTURE_2D, name)
        film("glTexParameteri", gl.GL_TEXTURE_2D, parameter, default)

    return back


@_change
def _level_of_detail(film: RandomFilm) -> Callable[[], None]:
    film("glBindSampler", 0, 1)
    film("glSamplerParameterf", 1, gl.GL_TEXTURE_MIN_LOD, float(film.pick((0.0, 1.0, 2.0))))
    film("glSamplerParameteri", 1, gl.GL_TEXTURE_MIN_FILTER, film.pick((gl.GL_NEAREST, gl.GL_NEAREST_MIPMAP_LINEAR)))
    return film.undo("glBindSampler", 0, 0)


@_change
def _sampler(film: RandomFilm) -> Callable[[], None]:
    film("glBindSampler", 0, 1)
    film("glSamplerParameteri", 1, gl.GL_TEXTURE_WRAP_S, film.pick((gl.GL_CLAMP_TO_EDGE, gl.GL_REPEAT)))
    film("glSamplerParameteri", 1, gl.GL_TEXTURE_MAG_FILTER, film.pick((gl.GL_NEAREST, gl.GL_LINEAR)))
    return film.undo("glBindSampler", 0, 0)


@_change
def _relinked_shader(film: RandomFilm) -> None:
    """The program of a draw with another body."""
    name = film.pick(film.draws)[0]
    film.programs[name] = film._program(film.pick(list(_BODIES.values())))


# ------------------------------------------------------------------ draws
@_change
def _other_draw(film: RandomFilm) -> Callable[[], None]:
    number, before = int(film.rng.integers(len(film.draws))), list(film.draws)
    film.draws[number] = film.random_draw()

    def back() -> None:
        film.draws = before

    return back


@_change
def _added_draw(film: RandomFilm) -> Callable[[], None]:
    before = list(film.draws)
    film.draws.insert(int(film.rng.integers(len(before) + 1)), film.random_draw())

    def back() -> None:
        film.draws = before

    return back


@_change
def _turned_draws(film: RandomFilm) -> Callable[[], None]:
    film.draws.reverse()

    def back() -> None:
        film.draws.reverse()

    return back


@_change
def _dropped_draw(film: RandomFilm) -> Callable[[], None]:
    before = list(film.draws)
    film.draws = before[1:] or before

    def back() -> None:
        film.draws = before

    return back


# ------------------------------------------------------------------ clears
@_change
def _clears(film: RandomFilm) -> Callable[[], None]:
    """Some buffers are not cleared, or none."""
    film.clears = film.pick((0, gl.GL_COLOR_BUFFER_BIT, gl.GL_DEPTH_BUFFER_BIT, _ALL & ~gl.GL_DEPTH_BUFFER_BIT))

    def back() -> None:
        film.clears = _ALL

    return back


@_change
def _cleared_buffer(film: RandomFilm) -> Callable[[], None]:
    film.between = [("glClearBufferfv", gl.GL_COLOR, 0, film.floats(4).tobytes())]

    def back() -> None:
        film.between = []

    return back


@_change
def _clear_between(film: RandomFilm) -> Callable[[], None]:
    film.between = [("glClear", film.pick((gl.GL_COLOR_BUFFER_BIT, gl.GL_DEPTH_BUFFER_BIT, gl.GL_STENCIL_BUFFER_BIT)))]

    def back() -> None:
        film.between = []

    return back


@_change
def _scissored_clear_between(film: RandomFilm) -> Callable[[], None]:
    film.between = [
        ("glEnable", gl.GL_SCISSOR_TEST),
        ("glScissor", int(film.rng.integers(24)), int(film.rng.integers(16)), 17, 9),
        ("glClear", gl.GL_COLOR_BUFFER_BIT),
        ("glDisable", gl.GL_SCISSOR_TEST),
    ]

    def back() -> None:
        film.between = []

    return back


# ------------------------------------------------------------------ fixed-function state, and what takes it back
def _switch(name: int) -> Change:
    def change(film: RandomFilm) -> Callable[[], None]:
        film("glEnable", name)
        return film.undo("glDisable", name)

    return change


def _state(function: str, values: Callable[[RandomFilm], tuple[Any, ...]], default: tuple[Any, ...]) -> Change:
    def change(film: RandomFilm) -> Callable[[], None]:
        film(function, *values(film))
        return film.undo(function, *default)

    return change


_CHANGES += [
    *(
        _switch(name)
        for name in (
            gl.GL_BLEND, gl.GL_BLEND, gl.GL_DEPTH_TEST, gl.GL_STENCIL_TEST, gl.GL_STENCIL_TEST, gl.GL_SCISSOR_TEST,
            gl.GL_CULL_FACE, gl.GL_POLYGON_OFFSET_FILL, gl.GL_SAMPLE_ALPHA_TO_COVERAGE, gl.GL_RASTERIZER_DISCARD,
        )
    ),
    _state("glBlendFunc", lambda f: (f.pick(_FACTORS), f.pick(_FACTORS)), (gl.GL_ONE, gl.GL_ZERO)),
    _state("glBlendEquation", lambda f: (f.pick(_EQUATIONS),), (gl.GL_FUNC_ADD,)),
    _state("glBlendColor", lambda f: tuple(f.floats(4).tolist()), (0.0, 0.0, 0.0, 0.0)),
    _state("glDepthFunc", lambda f: (f.pick(_FUNCTIONS),), (gl.GL_LESS,)),
    _state("glDepthMask", lambda f: (0,), (1,)),
    _state("glDepthRangef", lambda f: (float(f.floats(1)[0]), 1.0), (0.0, 1.0)),
    _state("glStencilFunc", lambda f: (f.pick(_FUNCTIONS), 1, f.pick((1, 255))), (gl.GL_ALWAYS, 0, 255)),
    _state("glStencilOp", lambda f: tuple(f.pick(_OPERATIONS) for _ in range(3)), (gl.GL_KEEP,) * 3),
    _state("glStencilMask", lambda f: (f.pick((0, 1, 3)),), (255,)),
    _state("glScissor", lambda f: (int(f.rng.integers(30)), 3, 20, 15), (0, 0, WIDTH, HEIGHT)),
    _state("glClearColor", lambda f: tuple(f.floats(4).tolist()), (0.0, 0.0, 0.0, 0.0)),
    _state("glClearDepthf", lambda f: (float(f.floats(1)[0]),), (1.0,)),
    _state("glClearStencil", lambda f: (f.pick((1, 2)),), (0,)),
    _state("glColorMask", lambda f: tuple(int(f.rng.integers(2)) for _ in range(4)), (1, 1, 1, 1)),
    _state("glPolygonOffset", lambda f: (float(f.floats(1)[0]), 3000.0), (0.0, 0.0)),
    _state("glViewport", lambda f: (int(f.rng.integers(20)), 2, 30, 25), (0, 0, WIDTH, HEIGHT)),
    _state("glCullFace", lambda f: (gl.GL_FRONT,), (gl.GL_BACK,)),
    _state("glFrontFace", lambda f: (gl.GL_CW,), (gl.GL_CCW,)),
    _state("glLineWidth", lambda f: (float(f.pick((1.0, 4.0))),), (1.0,)),
]  # fmt: skip


@_change
def _resized(film: RandomFilm) -> Callable[[], None]:
    def resize(*size: int) -> None:
        film.size = size  # type: ignore[assignment]
        film("traceResize", 1, *size)
        film("glViewport", 0, 0, *size)

    resize(*film.pick(((32, 32), (48, 48), (50, 30))))
    return lambda: resize(WIDTH, HEIGHT)


@_change
def _finished(film: RandomFilm) -> None:
    film("glFinish")


@_change
def _shown_twice(film: RandomFilm) -> None:
    """A swap with nothing drawn: the next frame finds another buffer."""
    film.swap()


def random_film(path: Path, seed: int, frames: int = FRAMES) -> list[FrameTrace]:
    """Record and replay a film; the frames are copies that stay valid."""
    RandomFilm(seed).record(path, frames)
    with replay.frames(path, columns=ColumnSet([*VERIFIED_COLUMNS, *technique_columns(["memo"])])) as played:
        return [kept(frame) for frame in played]


def false_positives(run: Run) -> int:
    """Collisions that a run has counted."""
    return int(
        sum(
            value
            for frame in run.result.frames
            for name, value in frame.counters.items()
            if name.endswith(".false_positives")
        )
    )
