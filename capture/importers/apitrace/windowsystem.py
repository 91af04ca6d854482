"""EGL and GLX as apitrace records them: contexts, drawables, and the sizes that no call states.

A native window's size is nowhere in EGL or GLX. What tells it, in this order: eglQuerySurface; the glViewport that
apitrace itself adds when a context first becomes current; the largest viewport that the program draws to the window
with. The version of a context is what the driver answered (a program that asks for ES 2.0 may get 3.2 and use it).
All of this is said later in the stream than it is needed, so :class:`Survey` goes through the file once before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from capture.importers.apitrace.arguments import number
from capture.importers.apitrace.stream import ApiCall, ApiValue
from traceformat.gles import enums as gl

__all__ = ["ContextFacts", "Current", "Survey", "WindowSystem", "attributes_of"]

_ES_API: Final = 0x30A0
_GL_API: Final = 0x30A2
_EGL_WIDTH: Final = 0x3057
_EGL_HEIGHT: Final = 0x3056
_EGL_MAJOR: Final = 0x3098
_EGL_MINOR: Final = 0x30FB
_EGL_PROFILE_MASK: Final = 0x30FD
_GLX_MAJOR: Final = 0x2091
_GLX_MINOR: Final = 0x2092
_GLX_PROFILE_MASK: Final = 0x9126
_BITS: Final = {0x3024: 0, 0x3023: 1, 0x3022: 2, 0x3021: 3, 0x3025: 4, 0x3026: 5, 0x3031: 6}
#: Red, green, blue, alpha, depth, stencil, samples where the trace does not say: what Mesa gives first.
_DEFAULT_BITS: Final = (8, 8, 8, 8, 24, 8, 0)

CREATE_CONTEXT: Final = ("eglCreateContext", "glXCreateContext", "glXCreateNewContext", "glXCreateContextAttribsARB")
MAKE_CURRENT: Final = ("eglMakeCurrent", "glXMakeCurrent", "glXMakeContextCurrent")
SWAP: Final = (
    "eglSwapBuffers",
    "eglSwapBuffersWithDamageKHR",
    "eglSwapBuffersWithDamageEXT",
    "eglPostSubBufferNV",
    "glXSwapBuffers",
    "glXCopySubBufferMESA",
)
PBUFFER: Final = ("eglCreatePbufferSurface", "glXCreatePbuffer")


def attributes_of(value: ApiValue) -> dict[int, int]:
    """An attribute list of alternating names and values."""
    flat = [number(item) for item in value] if isinstance(value, list) else []
    return dict(zip(flat[::2], flat[1::2], strict=False))


@dataclass(slots=True)
class Current:
    """What is current in a thread: handles, 0 = none."""

    context: int = 0
    draw: int = 0
    read: int = 0
    api: int = _ES_API


def made_current(call: ApiCall) -> tuple[int, int, int]:
    """Context, draw and read drawable handles of a make-current call."""
    if call.name == "eglMakeCurrent":
        draw, read, context = (number(call.inputs.get(k)) for k in (1, 2, 3))
        return context, draw, read
    if call.name == "glXMakeContextCurrent":
        draw, read, context = (number(call.inputs.get(k)) for k in (1, 2, 3))
        return context, draw, read
    drawable, context = number(call.inputs.get(1)), number(call.inputs.get(2))
    return context, drawable, drawable


@dataclass(slots=True)
class ContextFacts:
    """What is known of a context: API (0 GLES, 1 GL), version, profile, bits, the handle it shares with."""

    api: int
    major: int
    minor: int
    profile: int
    bits: tuple[int, ...]
    share: int


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
        x, y, width, height = (number(call.inputs.get(k)) for k in range(4))
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
            wanted = {k: v for k, v in attributes_of(call.inputs.get(1)).items() if k in _BITS and v >= 0}
            for config in configs:
                # The first choice is the smallest that is enough; more exact answers come from eglGetConfigAttrib.
                self.bits.setdefault(number(config), {}).update(
                    {k: v for k, v in wanted.items() if k not in self.bits.get(number(config), {})}
                )

    def _queried(self, call: ApiCall) -> None:
        surface, attribute = number(call.inputs.get(1)), number(call.inputs.get(2))
        value = call.outputs.get(3)
        if attribute not in (_EGL_WIDTH, _EGL_HEIGHT) or not isinstance(value, list) or not value:
            return
        known = self.sizes.setdefault(surface, [(0, 0, 0)])
        _, width, height = known[-1]
        size = (number(value[0]), height) if attribute == _EGL_WIDTH else (width, number(value[0]))
        if size != (width, height):
            if not (width and height):
                known[-1] = (known[-1][0], *size)
            else:
                known.append((call.number, *size))

    def config_bits(self, config: int) -> tuple[int, ...]:
        """Red, green, blue, alpha, depth, stencil bits and samples of a config."""
        known = self.bits.get(config, {})
        bits = list(_DEFAULT_BITS)
        for attribute, place in _BITS.items():
            if attribute in known:
                bits[place] = known[attribute]
        return tuple(bits)

    def context(self, call: ApiCall, api: int) -> ContextFacts:
        """Facts of the context that a call created."""
        result = number(call.result)
        is_gl = call.name.startswith("glX") or api == _GL_API
        if call.name == "eglCreateContext":
            config, share, wanted = number(call.inputs.get(1)), number(call.inputs.get(2)), call.inputs.get(3)
            names = (_EGL_MAJOR, _EGL_MINOR, _EGL_PROFILE_MASK)
        elif call.name == "glXCreateContextAttribsARB":
            config, share, wanted = 0, number(call.inputs.get(2)), call.inputs.get(4)
            names = (_GLX_MAJOR, _GLX_MINOR, _GLX_PROFILE_MASK)
        else:
            share_index = 3 if call.name == "glXCreateNewContext" else 2
            config, share, wanted = 0, number(call.inputs.get(share_index)), None
            names = (_GLX_MAJOR, _GLX_MINOR, _GLX_PROFILE_MASK)
        attributes = attributes_of(wanted)
        major, minor = attributes.get(names[0], 1), attributes.get(names[1], 0)
        # Who asks for no version, or one before 3.2, gets the compatibility profile, whatever version that has.
        profile = (2 if attributes.get(names[2], 0) & 2 or (major, minor) < (3, 2) else 1) if is_gl else 0
        answered = self.versions.get(result)
        if answered is not None and answered >= (major, minor):
            major, minor = answered
        return ContextFacts(int(is_gl), major, minor, profile, self.config_bits(config), share)


class WindowSystem:
    """Numbers contexts, drawables and threads from 1 in order of appearance, and says what changes with a call.

    Parameters
    ----------
    survey : of the same stream
    """

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._contexts: dict[int, int] = {}
        self._drawables: dict[int, int] = {}
        self._num_drawables = 0
        self._threads: dict[int, int] = {}
        self._current: dict[int, Current] = {}
        self._sizes: dict[int, tuple[int, int]] = {}
        self._num_contexts = 0

    def thread(self, call: ApiCall) -> int:
        """Number of a call's thread."""
        return self._threads.setdefault(call.thread, len(self._threads) + 1)

    def context(self, call: ApiCall) -> int:
        """Number of the context that is current in a call's thread, 0 = none."""
        here = self._current.get(call.thread)
        return self._contexts.get(here.context, 0) if here else 0

    def execute(self, call: ApiCall) -> list[tuple[str, tuple[int | str, ...]]]:
        """Trace commands that stand for a window-system call; none for one without effect."""
        here = self._current.setdefault(call.thread, Current())
        name = call.name
        if name == "eglBindAPI":
            here.api = number(call.inputs.get(0))
        elif name in CREATE_CONTEXT and number(call.result):
            return [self._create(call, here)]
        elif name in ("eglDestroyContext", "glXDestroyContext"):
            handle = self._contexts.pop(number(call.inputs.get(1)), 0)
            return [("traceDestroyContext", (handle,))] if handle else []
        elif name in PBUFFER and number(call.result):
            return [self._pbuffer(call)]
        elif name == "eglDestroySurface":
            self._drawables.pop(number(call.inputs.get(1)), None)
        elif name in MAKE_CURRENT and call.result is not False and call.result != 0:
            return self._make_current(call, here)
        elif name == "eglReleaseThread":
            here.context = here.draw = here.read = 0
            return [("traceMakeCurrent", (0, 0, 0))]
        elif name in SWAP:
            drawable = self._drawables.get(number(call.inputs.get(1)), 0)
            return [("traceSwap", (drawable, name))] if drawable else []
        return []

    def resizes(self, call: ApiCall) -> list[tuple[str, tuple[int, ...]]]:
        """Trace command for a window whose size changes with this call."""
        here = self._current.get(call.thread)
        if here is None or not here.draw or here.draw not in self._drawables:
            return []
        size = self._size_at(here.draw, call.number)
        if size == self._sizes.get(here.draw) or 0 in size:
            return []
        self._sizes[here.draw] = size
        return [("traceResize", (self._drawables[here.draw], *size))]

    def _size_at(self, drawable: int, call_number: int) -> tuple[int, int]:
        width = height = 0
        for since, w, h in self._survey.sizes.get(drawable, ()):
            if since <= call_number:
                width, height = w, h
        return width, height

    def _create(self, call: ApiCall, here: Current) -> tuple[str, tuple[int | str, ...]]:
        facts = self._survey.context(call, here.api)
        self._num_contexts += 1
        self._contexts[number(call.result)] = self._num_contexts
        share = self._contexts.get(facts.share, 0)
        return (
            "traceContext",
            (self._num_contexts, facts.api, facts.major, facts.minor, facts.profile, *facts.bits, share),
        )

    def _pbuffer(self, call: ApiCall) -> tuple[str, tuple[int | str, ...]]:
        attributes = attributes_of(call.inputs.get(2))
        is_egl = call.name.startswith("egl")
        width = attributes.get(_EGL_WIDTH if is_egl else 0x8041, 0)
        height = attributes.get(_EGL_HEIGHT if is_egl else 0x8040, 0)
        return self._drawable(number(call.result), max(width, 1), max(height, 1), 1)

    def _drawable(self, handle: int, width: int, height: int, kind: int) -> tuple[str, tuple[int | str, ...]]:
        self._num_drawables += 1
        self._drawables[handle] = self._num_drawables
        self._sizes[handle] = (width, height)
        return "traceDrawable", (self._drawables[handle], width, height, kind)

    def _make_current(self, call: ApiCall, here: Current) -> list[tuple[str, tuple[int | str, ...]]]:
        here.context, here.draw, here.read = made_current(call)
        out: list[tuple[str, tuple[int | str, ...]]] = []
        if not here.context:
            return [("traceMakeCurrent", (0, 0, 0))]
        for handle in dict.fromkeys((here.draw, here.read)):
            # A surfaceless context gets a drawable of its own that has no size.
            key = handle or -here.context
            if key not in self._drawables:
                width, height = self._size_at(handle, call.number) if handle else (0, 0)
                out.append(self._drawable(key, width, height, 0 if handle else 2))
        draw, read = (self._drawables[handle or -here.context] for handle in (here.draw, here.read))
        out.append(("traceMakeCurrent", (self._contexts.get(here.context, 0), draw, read)))
        return out
