"""EGL and GLX as apitrace records them: contexts, drawables, and the sizes that no call states.

A native window's size is nowhere in EGL or GLX. What tells it, in this order: eglQuerySurface; the glViewport that
apitrace itself adds when a context first becomes current; the largest viewport that the program draws to the window
with. The version of a context is what the driver answered (a program that asks for ES 2.0 may get 3.2 and use it), to
glGetString or to glGetIntegerv.
All of this is said later in the stream than it is needed, so :class:`Survey` goes through the file once before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from capture.importers.apitrace.arguments import number
from capture.importers.apitrace.stream import ApiCall, ApiValue
from capture.importers.windows import (
    DEFAULT_BITS,
    SWAP,
    ContextFacts,
    Current,
    TraceCommand,
    Windows,
    attributes_of,
)
from traceformat.gles import egl_enums as egl
from traceformat.gles import enums as gl

__all__ = ["Survey", "WindowSystem"]

_VERSION_PARTS: Final = (gl.GL_MAJOR_VERSION, gl.GL_MINOR_VERSION)
#: What a driver gives who asks for no version, or for the compatibility profile, and never asks what it got.
_NEWEST_DESKTOP: Final = (4, 5)
_GLX_MAJOR: Final = 0x2091
_GLX_MINOR: Final = 0x2092
_GLX_WIDTH: Final = 0x8041
_GLX_HEIGHT: Final = 0x8040
_SIZES: Final = (
    egl.RED_SIZE,
    egl.GREEN_SIZE,
    egl.BLUE_SIZE,
    egl.ALPHA_SIZE,
    egl.DEPTH_SIZE,
    egl.STENCIL_SIZE,
    egl.SAMPLES,
)
_BITS: Final = {size: place for place, size in enumerate(_SIZES)}

CREATE_CONTEXT: Final = ("eglCreateContext", "glXCreateContext", "glXCreateNewContext", "glXCreateContextAttribsARB")
MAKE_CURRENT: Final = ("eglMakeCurrent", "glXMakeCurrent", "glXMakeContextCurrent")
PBUFFER: Final = ("eglCreatePbufferSurface", "glXCreatePbuffer")


def _attributes(value: ApiValue) -> dict[int, int]:
    return attributes_of([number(item) for item in value] if isinstance(value, list) else [])


def made_current(call: ApiCall) -> tuple[int, int, int]:
    """Context, draw and read drawable handles of a make-current call."""
    if call.name == "eglMakeCurrent":
        draw, read, context = (number(call.inputs.get(key)) for key in (1, 2, 3))
        return context, draw, read
    if call.name == "glXMakeContextCurrent":
        draw, read, context = (number(call.inputs.get(key)) for key in (1, 2, 3))
        return context, draw, read
    drawable, context = number(call.inputs.get(1)), number(call.inputs.get(2))
    return context, drawable, drawable


@dataclass(slots=True)
class Survey:
    """What the first pass over a stream learns.

    Attributes
    ----------
    versions : version that the driver answered, by context handle and its creation's call number
    sizes : by drawable handle: (call number from which on it holds, width, height), in order
    bits : of a config handle
    unknown : calls that no table has, by name
    """

    versions: dict[int, tuple[int, int]] = field(default_factory=dict)
    sizes: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    bits: dict[int, dict[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, calls: Iterable[ApiCall]) -> Survey:
        """Go through all calls."""
        survey = cls()
        current: dict[int, Current] = {}
        framebuffers: dict[int, int] = {}
        answers: dict[int, dict[int, int]] = {}
        fresh: set[int] = set()
        for call in calls:
            name = call.name
            here = current.setdefault(call.thread, Current())
            if name in MAKE_CURRENT:
                here.context, here.draw, here.read = made_current(call)
                if here.draw and here.draw not in survey.sizes:
                    fresh.add(here.draw)
            elif name == "glBindFramebuffer" or name == "glBindFramebufferOES":
                if number(call.inputs.get(0)) != gl.GL_READ_FRAMEBUFFER:
                    framebuffers[here.context] = number(call.inputs.get(1))
            elif name == "glViewport":
                survey._viewport(call, here, framebuffers, fresh)
            elif name == "glGetString" and number(call.inputs.get(0)) == gl.GL_VERSION:
                found = re.search(r"(\d+)\.(\d+)", str(call.result))
                if found and here.context:
                    survey.versions.setdefault(here.context, (int(found[1]), int(found[2])))
            elif name == "glGetIntegerv" and number(call.inputs.get(0)) in _VERSION_PARTS:
                parts = answers.setdefault(here.context, {})
                value = call.outputs.get(1, call.inputs.get(1))  # of files that were trimmed
                if isinstance(value, list) and value:
                    parts[number(call.inputs.get(0))] = number(value[0])
                if here.context and len(parts) == 2:
                    survey.versions.setdefault(here.context, (parts[gl.GL_MAJOR_VERSION], parts[gl.GL_MINOR_VERSION]))
            elif name == "eglGetConfigAttrib":
                survey._config_attribute(call)
            elif name == "eglChooseConfig":
                survey._chosen(call)
            elif name == "eglQuerySurface":
                survey._queried(call)
            elif name == "eglDestroySurface" and number(call.inputs.get(1)) in survey.sizes:
                # The next surface may get the same address.
                survey.sizes[number(call.inputs.get(1))].append((call.number, 0, 0))
        return survey

    def _viewport(self, call: ApiCall, here: Current, framebuffers: Mapping[int, int], fresh: set[int]) -> None:
        if not here.draw or framebuffers.get(here.context):
            return
        x, y, width, height = (number(call.inputs.get(key)) for key in range(4))
        known = self.sizes.get(here.draw)
        if here.draw in fresh and call.is_fake:
            fresh.discard(here.draw)
            if width > 0 and height > 0:
                self.sizes[here.draw] = [(0, width, height)]
        elif known is None or 0 in known[-1][1:]:
            if width > 0 and height > 0:
                since = 0 if known is None else known[-1][0]
                self.sizes.setdefault(here.draw, []).append((since, x + width, y + height))
        elif x + width > known[-1][1] or y + height > known[-1][2]:
            # Larger than the window: it was resized. (A smaller one may be a part of the window.)
            known.append((call.number, max(x + width, known[-1][1]), max(y + height, known[-1][2])))

    def _config_attribute(self, call: ApiCall) -> None:
        value = call.outputs.get(3)
        if isinstance(value, list) and value:
            self.bits.setdefault(number(call.inputs.get(1)), {})[number(call.inputs.get(2))] = number(value[0])

    def _chosen(self, call: ApiCall) -> None:
        configs = call.outputs.get(2)
        if isinstance(configs, list):
            wanted = {
                key: value for key, value in _attributes(call.inputs.get(1)).items() if key in _BITS and value >= 0
            }
            for config in configs:
                # The first choice is the smallest that is enough; more exact answers come from eglGetConfigAttrib.
                self.bits.setdefault(number(config), {}).update(
                    {key: value for key, value in wanted.items() if key not in self.bits.get(number(config), {})}
                )

    def _queried(self, call: ApiCall) -> None:
        surface, attribute = number(call.inputs.get(1)), number(call.inputs.get(2))
        value = call.outputs.get(3)
        if attribute not in (egl.WIDTH, egl.HEIGHT) or not isinstance(value, list) or not value:
            return
        known = self.sizes.setdefault(surface, [(0, 0, 0)])
        _, width, height = known[-1]
        size = (number(value[0]), height) if attribute == egl.WIDTH else (width, number(value[0]))
        if size != (width, height):
            if not (width and height):
                known[-1] = (known[-1][0], *size)
            else:
                known.append((call.number, *size))

    def config_bits(self, config: int) -> tuple[int, ...]:
        """Red, green, blue, alpha, depth, stencil bits and samples of a config."""
        known = self.bits.get(config, {})
        bits = list(DEFAULT_BITS)
        for attribute, place in _BITS.items():
            if attribute in known:
                bits[place] = known[attribute]
        return tuple(bits)

    def context(self, call: ApiCall, api: int) -> ContextFacts:
        """Facts of the context that a call created."""
        result = number(call.result)
        is_gl = call.name.startswith("glX") or api == egl.OPENGL_API
        if call.name == "eglCreateContext":
            config, share, wanted = number(call.inputs.get(1)), number(call.inputs.get(2)), call.inputs.get(3)
            names = (egl.CONTEXT_MAJOR_VERSION, egl.CONTEXT_MINOR_VERSION, egl.CONTEXT_OPENGL_PROFILE_MASK)
        elif call.name == "glXCreateContextAttribsARB":
            config, share, wanted = 0, number(call.inputs.get(2)), call.inputs.get(4)
            names = (_GLX_MAJOR, _GLX_MINOR, gl.GL_CONTEXT_PROFILE_MASK)
        else:
            share_index = 3 if call.name == "glXCreateNewContext" else 2
            config, share, wanted = 0, number(call.inputs.get(share_index)), None
            names = (_GLX_MAJOR, _GLX_MINOR, gl.GL_CONTEXT_PROFILE_MASK)
        attributes = _attributes(wanted)
        major, minor = attributes.get(names[0], 1), attributes.get(names[1], 0)
        # Who asks for no version, or one before 3.2, gets the compatibility profile, whatever version that has.
        profile = (2 if attributes.get(names[2], 0) & 2 or (major, minor) < (3, 2) else 1) if is_gl else 0
        answered = self.versions.get(result, _NEWEST_DESKTOP if profile == 2 else None)
        if answered is not None and answered >= (major, minor):
            major, minor = answered
        return ContextFacts(int(is_gl), major, minor, profile, self.config_bits(config), share)


class WindowSystem:
    """What the window-system calls of a stream do.

    Parameters
    ----------
    survey : of the same stream
    """

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._windows = Windows(self._size)
        self._apis: dict[int, int] = {}
        self._call_number = 0

    def thread(self, call: ApiCall) -> int:
        """Number of a call's thread."""
        return self._windows.thread(call.thread)

    def context(self, call: ApiCall) -> int:
        """Number of the context that is current in a call's thread, 0 = none."""
        return self._windows.context(call.thread)

    def execute(self, call: ApiCall) -> list[TraceCommand]:
        """Trace commands that stand for a window-system call; none for one without effect."""
        windows, name, result = self._windows, call.name, number(call.result)
        self._call_number = call.number
        if name == "eglBindAPI":
            self._apis[call.thread] = number(call.inputs.get(0))
        elif name in CREATE_CONTEXT and result:
            return windows.create_context(
                result, self._survey.context(call, self._apis.get(call.thread, egl.OPENGL_ES_API))
            )
        elif name in ("eglDestroyContext", "glXDestroyContext"):
            return windows.destroy_context(number(call.inputs.get(1)))
        elif name in PBUFFER and result:
            attributes = _attributes(call.inputs.get(2))
            names = (egl.WIDTH, egl.HEIGHT) if name.startswith("egl") else (_GLX_WIDTH, _GLX_HEIGHT)
            return windows.create_pbuffer(result, *(attributes.get(each, 0) for each in names))
        elif name == "eglDestroySurface":
            windows.destroy_surface(number(call.inputs.get(1)))
        elif name in MAKE_CURRENT and call.result is not False and call.result != 0:
            return windows.make_current(call.thread, *made_current(call))
        elif name == "eglReleaseThread":
            return windows.make_current(call.thread, 0, 0, 0)
        elif name in SWAP:
            return windows.swap(number(call.inputs.get(1)), name)
        return []

    def resizes(self, call: ApiCall) -> list[TraceCommand]:
        """Trace command for a window whose size changes with this call."""
        draw = self._windows.current(call.thread).draw
        self._call_number = call.number
        return self._windows.resize(draw, self._size(draw)) if draw else []

    def _size(self, drawable: int) -> tuple[int, int]:
        width = height = 0
        for since, across, down in self._survey.sizes.get(drawable, ()):
            if since <= self._call_number:
                width, height = across, down
        return width, height
