"""A GL session on the tracker: ``gl.glBindBuffer(...)`` executes a call and returns its result."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest

from traceformat.calls import Call
from traceformat.gles import enums
from traceformat.gles.backend import Backend
from traceformat.gles.tracker import Tracker


class RecordingBackend(Backend):
    """Remembers what it was asked to do."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, tuple[Any, ...]]] = []

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name.startswith("_") or name in ("seen", "names", "last") or not callable(value):
            return value

        def remembered(*args: Any) -> Any:
            self.seen.append((name, args[1:]))
            return value(*args)

        return remembered

    def names(self) -> list[str]:
        return [name for name, _ in self.seen]

    def last(self, name: str) -> tuple[Any, ...]:
        return next(args for seen, args in reversed(self.seen) if seen == name)


class Session:
    """Calls on a tracker, by attribute."""

    def __init__(self, backend: Backend, api: int = 0, version: tuple[int, int] = (3, 0), **options: Any) -> None:
        self.tracker = Tracker(backend, **options)
        self.backend: Any = backend
        self.number = 0
        self.thread = 1
        self.traceContext(1, api, *version, 1 if api else 0, 8, 8, 8, 8, 24, 8, 0, 0)
        self.traceDrawable(1, 64, 48, 0)
        self.traceMakeCurrent(1, 1, 1)

    def call(self, name: str, *args: Any, outputs: dict[str, Any] | None = None, result: Any = None) -> Any:
        self.number += 1
        call = Call(self.number, name, self.thread, 1, 0, args, outputs or {}, result)
        return self.tracker.execute(call)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not name.startswith(("gl", "trace")):
            raise AttributeError(name)
        return lambda *args: self.call(name, *args)

    @property
    def outputs(self) -> dict[str, bytes]:
        return self.tracker.outputs

    @property
    def context(self) -> Any:
        return self.tracker.current[self.thread]

    def error(self) -> int:
        code: int = self.glGetError()
        return code

    def gen(self, name: str, count: int = 1) -> int:
        """First of ``count`` generated names."""
        self.call(name, count, None)
        (data,) = self.outputs.values()
        first: int = struct.unpack(f"<{count}I", data)[0]
        return first

    def ints(self, pname: int) -> tuple[int, ...]:
        self.glGetIntegerv(pname, None)
        data = self.outputs["data"]
        return struct.unpack(f"<{len(data) // 4}i", data)

    def get(self, pname: int) -> int:
        return self.ints(pname)[0]

    def texture(self, target: int = enums.GL_TEXTURE_2D) -> int:
        name = self.gen("glGenTextures")
        self.glBindTexture(target, name)
        return name

    def complete_framebuffer(self, internal: int = enums.GL_RGBA8, size: tuple[int, int] = (8, 8)) -> int:
        """Bind a framebuffer with one colour renderbuffer."""
        renderbuffer = self.gen("glGenRenderbuffers")
        self.glBindRenderbuffer(enums.GL_RENDERBUFFER, renderbuffer)
        self.glRenderbufferStorage(enums.GL_RENDERBUFFER, internal, *size)
        framebuffer = self.gen("glGenFramebuffers")
        self.glBindFramebuffer(enums.GL_FRAMEBUFFER, framebuffer)
        self.glFramebufferRenderbuffer(
            enums.GL_FRAMEBUFFER, enums.GL_COLOR_ATTACHMENT0, enums.GL_RENDERBUFFER, renderbuffer
        )
        return framebuffer


@pytest.fixture
def session() -> Callable[..., Session]:
    def make(**options: Any) -> Session:
        return Session(RecordingBackend(), **options)

    return make


@pytest.fixture
def es(session: Callable[..., Session]) -> Session:
    return session()


@pytest.fixture
def desktop(session: Callable[..., Session]) -> Session:
    return session(api=1, version=(3, 3))
