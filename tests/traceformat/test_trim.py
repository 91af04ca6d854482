"""Trimmed traces: what is kept draws the same pixels, whatever came before it; nothing is written where that fails."""

from __future__ import annotations

import contextlib
import random
import re
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fuzz_scenes import SCENES, Step
from trim_programs import random_frames, uploads, write

from traceformat.calls import Call, Value
from traceformat.cli.playing import drawn_pixels, reflecting_backend
from traceformat.errors import FindingError, ToolError, TraceFormatError, UsageError
from traceformat.gles import enums as gl
from traceformat.gles import tracker as gl_tracker
from traceformat.gles.direct_state import DIRECT
from traceformat.gles.dispatch import _HANDLERS
from traceformat.gles.roles import core_name, is_draw, is_drawing
from traceformat.gles.state import Context
from traceformat.gles.tracker import Tracker
from traceformat.gltrace.reader import open_trace
from traceformat.tools.callset import parse_call_set
from traceformat.tools.trim import effects
from traceformat.tools.trim.collector import Key
from traceformat.tools.trim.effects import Effects
from traceformat.tools.trim.keys import Effect, Keys
from traceformat.tools.trim.state_calls import SETTERS
from traceformat.tools.trim.usual import question_of
from traceformat.tools.trim.writing import trim


def names_of(path: Path) -> list[str]:
    with open_trace(path) as trace:
        return [call.name for call in trace]


@pytest.mark.parametrize("scene", SCENES)
def test_pixels_of_random_programs_stay(scene: str, tmp_path: Path) -> None:
    rng = random.Random(f"trim {scene}")
    dropped = 0
    for case in range(8):
        path = write(tmp_path / f"{case}.gltrace", random_frames(scene, rng))
        output = tmp_path / f"{case}.trim.gltrace"
        with open_trace(path) as reader:
            first = rng.randrange(1, len(reader.frames))
            if case % 2:
                done = trim(reader, output, frames=range(first, first + 1), backend=reflecting_backend())
            else:
                low = rng.randrange(reader.num_calls)
                wanted = parse_call_set(f"{low}-{low + 40}/draw, {low + 60}-{low + 70}")
                try:
                    done = trim(reader, output, calls=wanted, backend=reflecting_backend())
                except FindingError:
                    continue
            kept = sorted({*done.plan.needed, *done.plan.wanted})
            dropped += kept[-1] + 1 - len(kept)
            calls = {call.number: call.name for call in reader}
            drawing = [number for number in done.plan.wanted if is_drawing(calls[number])]
            with open_trace(output) as trimmed:
                assert [call.name for call in trimmed] == [calls[number] for number in kept]
                for number in drawing[-1:] + drawing[: len(drawing) // 2][-1:]:
                    old, new = drawn_pixels(reader, number), drawn_pixels(trimmed, kept.index(number))
                    assert len(old) == len(new)
                    for a, b in zip(old, new, strict=True):
                        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), (case, number)
    assert dropped > 200


@pytest.mark.parametrize("scene", SCENES)
def test_effects_that_are_remembered_are_those_that_would_be_found(
    scene: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(f"remembered {scene}")
    asked = []

    def ask(context: Context, call: Call) -> Key | None:
        asked.append(question_of(context, call))
        return asked[-1]

    for case in range(3):
        with open_trace(write(tmp_path / f"{case}.gltrace", random_frames(scene, rng))) as reader:
            calls = list(reader.calls())
        effects_of_calls: list[list[Effect]] = []
        for question in (ask, lambda _context, _call: None):
            monkeypatch.setattr(effects, "question_of", question)
            found = Effects(Tracker(reflecting_backend(), remap=True), Keys())
            effects_of_calls.append([])
            with contextlib.suppress(ToolError):
                for call in calls:
                    effects_of_calls[-1].append(found.execute(call))
        assert effects_of_calls[0] == effects_of_calls[1]
    questions = [question for question in asked if question is not None]
    assert len(set(questions)) < len(questions)


@pytest.mark.parametrize("args", [(), (None,), ("x",), (bytearray(4), 3, 4, 5), ([1], [2], [3]), (1 << 70, 1.5, 3)])
@pytest.mark.parametrize(
    "name",
    [
        "glUniform4fv", "glProgramUniform1f", "glEnable", "glStencilFuncSeparate", "glBindBuffer", "glBindTexture",
        "glBindSampler", "glUseProgram", "glVertexAttribPointer", "traceClientArray",
    ],
)  # fmt: skip
def test_arguments_that_no_program_can_have_passed_are_told(name: str, args: tuple[Value, ...], tmp_path: Path) -> None:
    with open_trace(write(tmp_path / "start.gltrace", uploads(0))) as reader:
        calls = list(reader.calls())
    found = Effects(Tracker(reflecting_backend(), remap=True), Keys())
    for call in calls:
        found.execute(call)
    with pytest.raises(ToolError, match=name):
        found.execute(replace(calls[-1], number=len(calls), name=name, args=args, outputs={}, result=None))


def test_content_that_is_replaced_goes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gltrace", uploads(5))
    with open_trace(path) as reader:
        done = trim(reader, tmp_path / "b.gltrace", frames=range(4, 5), backend=reflecting_backend())
    assert names_of(tmp_path / "b.gltrace").count("glTexImage2D") == 1
    assert done.frames == ((4, 1),)


ONE, FOUR = struct.pack("<I", 1), struct.pack("<I", 4)
BEGIN: list[Step] = [
    ("traceContext", (1, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0), None, None),
    ("traceDrawable", (1, 8, 8, 0), None, None),
    ("traceMakeCurrent", (1, 1, 1), None, None),
]
SWAP: Step = ("traceSwap", (1, "swap"), None, None)


def test_a_query_that_begins_needs_the_end_of_the_one_before(tmp_path: Path) -> None:
    draw: Step = ("glDrawArrays", (gl.GL_TRIANGLES, 0, 3), None, None)
    begin: Step = ("glBeginQuery", (gl.GL_ANY_SAMPLES_PASSED, 1), None, None)
    end: Step = ("glEndQuery", (gl.GL_ANY_SAMPLES_PASSED,), None, None)
    program: list[Step] = [
        ("glCreateProgram", (), None, 1),
        ("glLinkProgram", (1,), None, None),
        ("glUseProgram", (1,), None, None),
        ("glGenQueries", (1, None), {"ids": ONE}, None),
    ]
    path = write(tmp_path / "a.gltrace", [*BEGIN, *program, begin, draw, end, begin, SWAP, draw, end, SWAP])
    with open_trace(path) as reader:
        trim(reader, tmp_path / "b.gltrace", frames=range(1, 2))
    queries = [name for name in names_of(tmp_path / "b.gltrace") if "nQuery" in name or "dQuery" in name]
    assert queries == ["glBeginQuery", "glEndQuery", "glBeginQuery", "glEndQuery"]


def test_a_deletion_needs_what_was_bound(tmp_path: Path) -> None:
    """A texture that is deleted while its framebuffer is bound is detached from it, and else it is not."""
    made: Step = ("glGenTextures", (1, None), {"textures": FOUR}, None)
    image = (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 4, 4, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    attach = (gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 4, 0)
    steps: list[Step] = [
        *BEGIN,
        made,
        ("glBindTexture", (gl.GL_TEXTURE_2D, 4), None, None),
        ("glTexImage2D", image, None, None),
        ("glGenFramebuffers", (1, None), {"framebuffers": ONE}, None),
        ("glBindFramebuffer", (gl.GL_FRAMEBUFFER, 1), None, None),
        ("glFramebufferTexture2D", attach, None, None),
        ("glBindFramebuffer", (gl.GL_FRAMEBUFFER, 0), None, None),
        ("glDeleteTextures", (1, FOUR), None, None),
        made,
        SWAP,
        ("glBindTexture", (gl.GL_TEXTURE_2D, 4), None, None),
        ("glBindFramebuffer", (gl.GL_FRAMEBUFFER, 1), None, None),
        ("glClear", (gl.GL_COLOR_BUFFER_BIT,), None, None),
        SWAP,
    ]
    path = write(tmp_path / "a.gltrace", steps)
    with open_trace(path) as reader:
        trim(reader, tmp_path / "b.gltrace", frames=range(1, 2))
    tracker = Tracker(reflecting_backend(), remap=True)
    with open_trace(tmp_path / "b.gltrace") as trimmed:
        for call in trimmed:
            tracker.execute(call)
    color = tracker.contexts[1].draw_framebuffer.color[0]
    assert color is not None
    assert color.texture is not None


def test_ranges_of_buffers_are_told_apart(tmp_path: Path) -> None:
    """Of writes to a ring buffer those stay whose bytes were not overwritten."""
    one = struct.pack("<I", 1)
    array = gl.GL_ARRAY_BUFFER
    steps: list[Step] = [
        ("traceContext", (1, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0), None, None),
        ("traceDrawable", (1, 8, 8, 0), None, None),
        ("traceMakeCurrent", (1, 1, 1), None, None),
        ("glGenBuffers", (1, None), {"buffers": one}, None),
        ("glBindBuffer", (array, 1), None, None),
        ("glBufferData", (array, 32, None, gl.GL_STREAM_DRAW), None, None),
    ]
    for frame in range(9):
        steps.append(("glBufferSubData", (array, 8 * (frame % 4), 8, bytes([frame]) * 8), None, None))
        steps.append(("traceSwap", (1, "swap"), None, None))
    steps += [
        ("glVertexAttribPointer", (0, 2, gl.GL_BYTE, 0, 0, None), None, None),
        ("glEnableVertexAttribArray", (0,), None, None),
        ("glDrawArrays", (gl.GL_TRIANGLES, 0, 3), None, None),
        ("traceSwap", (1, "swap"), None, None),
    ]
    path = write(tmp_path / "a.gltrace", steps)
    with open_trace(path) as reader:
        trim(reader, tmp_path / "b.gltrace", frames=range(9, 10), backend=reflecting_backend())
    with open_trace(tmp_path / "b.gltrace") as trimmed:
        kept = [call.args[3][0] for call in trimmed if call.name == "glBufferSubData"]
        assert kept == [5, 6, 7, 8]
        assert sum(call.name == "traceSwap" for call in trimmed) == 2


def test_clears_of_buffers_write_their_range(tmp_path: Path) -> None:
    one = struct.pack("<I", 1)
    array, red = gl.GL_ARRAY_BUFFER, (gl.GL_RED, gl.GL_FLOAT)
    cleared: tuple[object, ...] = ("glClearBufferSubData", array, gl.GL_R32F)
    called: list[tuple[object, ...]] = [
        ("traceContext", 1, 1, 4, 3, 0, 8, 8, 8, 8, 24, 8, 0, 0),
        ("traceDrawable", 1, 8, 8, 0),
        ("traceMakeCurrent", 1, 1, 1),
        ("glGenBuffers", 1, None),
        ("glBindBuffer", array, 1),
        ("glBufferData", array, 32, bytes(32), gl.GL_STREAM_DRAW),
        ("glBufferSubData", array, 0, 32, b"g" * 32),
        ("glClearBufferData", array, gl.GL_R32F, *red, b"stay"),
        (*cleared, 8, 8, *red, b"gone"),
        (*cleared, 16, 8, *red, b"kept"),
        ("glBufferSubData", array, 8, 8, b"k" * 8),
        ("traceSwap", 1, "swap"),
        ("glVertexAttribPointer", 0, 2, gl.GL_BYTE, 0, 0, None),
        ("glEnableVertexAttribArray", 0),
        ("glDrawArrays", gl.GL_TRIANGLES, 0, 16),
        ("traceSwap", 1, "swap"),
    ]
    steps: list[Step] = [
        (str(name), args, {"buffers": one} if name == "glGenBuffers" else None, None) for name, *args in called
    ]
    path = write(tmp_path / "a.gltrace", steps)
    with open_trace(path) as reader:
        trim(reader, tmp_path / "b.gltrace", frames=range(1, 2), backend=reflecting_backend())
    with open_trace(tmp_path / "b.gltrace") as trimmed:
        kept = [bytes(call.args[-1])[:4] for call in trimmed if "SubData" in call.name or "ClearBuffer" in call.name]
    assert kept == [b"stay", b"kept", b"kkkk"]


def test_rendering_on_a_condition_keeps_what_the_query_counted(tmp_path: Path) -> None:
    """Whether a draw happens depends on draws before it, on other targets and in other frames."""
    count = gl.GL_SAMPLES_PASSED
    for hidden in (False, True):
        steps = [step for step in SCENES["gl33"]() if step[0] != "traceSwap"]
        drawn = next(place for place, step in enumerate(steps) if step[0].startswith("glDraw"))
        draw, rest = steps[drawn], steps[:drawn]
        cull: Step = ("glCullFace", (gl.GL_FRONT_AND_BACK,), None, None)
        steps = [
            *rest,
            ("glGenQueries", (1, None), {"ids": struct.pack("<I", 9)}, None),
            *([("glEnable", (gl.GL_CULL_FACE,), None, None), cull] if hidden else []),
            ("glBeginQuery", (count, 9), None, None),
            draw,
            ("glEndQuery", (count,), None, None),
            ("glDisable", (gl.GL_CULL_FACE,), None, None),
            ("traceSwap", (1, "swap"), None, None),
            ("glClearColor", (0.0, 0.5, 0.0, 1.0), None, None),
            ("glClear", (gl.GL_COLOR_BUFFER_BIT,), None, None),
            ("glBeginConditionalRender", (9, gl.GL_QUERY_WAIT), None, None),
            draw,
            ("glEndConditionalRender", (), None, None),
            ("traceSwap", (1, "swap"), None, None),
        ]
        path = write(tmp_path / f"{hidden}.gltrace", steps)
        output = tmp_path / f"{hidden}.trim.gltrace"
        with open_trace(path) as reader:
            done = trim(reader, output, frames=range(1, 2), backend=reflecting_backend())
            assert names_of(output).count(draw[0]) == 2
            with open_trace(output) as trimmed:
                old = drawn_pixels(reader, reader.num_calls - 2)
                new = drawn_pixels(trimmed, trimmed.num_calls - 2)
        assert all(np.array_equal(a, b) for a, b in zip(old, new, strict=True))
        assert done.frames == ((1, 1),)


def test_debug_groups_that_are_open_stay(tmp_path: Path) -> None:
    steps = uploads(1)
    steps += [
        ("glPushDebugGroup", (gl.GL_DEBUG_SOURCE_APPLICATION, 0, 5, "outer"), None, None),
        ("glPushDebugGroup", (gl.GL_DEBUG_SOURCE_APPLICATION, 0, 5, "inner"), None, None),
        ("glPopDebugGroup", (), None, None),
        ("traceSwap", (1, "swap"), None, None),
        ("glPopDebugGroup", (), None, None),
        ("glClear", (gl.GL_COLOR_BUFFER_BIT,), None, None),
        ("traceSwap", (1, "swap"), None, None),
    ]
    path = write(tmp_path / "a.gltrace", steps)
    with open_trace(path) as reader:
        trim(reader, tmp_path / "b.gltrace", frames=range(2, 3), backend=reflecting_backend())
    with open_trace(tmp_path / "b.gltrace") as trimmed:
        assert [call.args[3] for call in trimmed if call.name == "glPushDebugGroup"] == ["outer"]


def test_what_cannot_be_trimmed_says_why_and_writes_nothing(tmp_path: Path) -> None:
    steps = uploads(2)
    unknown = write(tmp_path / "unknown.gltrace", [*steps[:6], ("glNoSuchCall", (1,), None, None), *steps[6:]])
    output = tmp_path / "out.gltrace"
    with open_trace(unknown) as reader:
        with pytest.raises(FindingError, match="cannot trim: call 6: glNoSuchCall is not supported"):
            trim(reader, output, frames=range(1, 2))
        with pytest.raises(UsageError, match="2 frames; there is no frame 9"):
            trim(reader, output, frames=range(9, 10))
    whole = write(tmp_path / "whole.gltrace", steps).read_bytes()
    (tmp_path / "cut.gltrace").write_bytes(whole[:-200])
    with open_trace(tmp_path / "cut.gltrace") as reader, pytest.raises(TraceFormatError, match="cannot trim a damaged"):
        trim(reader, output, frames=range(1))
    assert not list(tmp_path.glob("*out.gltrace*"))


def test_every_entry_point_is_known() -> None:
    """A new handler of the tracker must be classified: by default all draws depend on it, which keeps every call."""
    assert gl_tracker.Tracker
    described = Effects(Tracker(reflecting_backend(), remap=True), Keys())
    kept_always = {
        "glBufferStorage", "glShaderBinary", "glBindImageTexture", "glShaderStorageBlockBinding",
    }  # fmt: skip
    unknown = []
    patterns = (
        effects._NOT_FOLLOWED,
        effects._WRITES_ANYTHING,
        re.compile("eglDestroyImage"),
        effects._SILENT,
        effects._UNIFORM,
        effects._INTROSPECTION,
        effects._IMAGE,
    )
    patterns += (effects._STORAGE, effects._ATTRIBUTE)
    prefixes = ("glTexParameter", "glSamplerParameter", "glFramebuffer", "glGen", "glCreate", "glDelete", "trace")
    for name in sorted(_HANDLERS):
        core = core_name(name)
        known = (
            is_draw(core)
            or core in described._handlers
            or core in SETTERS
            or core.startswith(prefixes)
            or core in kept_always
            or core in DIRECT
        )
        if not known and not any(pattern.match(core) for pattern in patterns):
            unknown.append(core)
    assert unknown == [], (
        "say what these set and read, by these names, in traceformat/tools/trim: plain state in state_calls.py, what "
        "changes no picture in _SILENT of effects.py, all else in a method _do_NAME"
    )
