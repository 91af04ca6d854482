"""Follows the calls of a trace as far as it takes to know which texture and framebuffer they are about."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from numpy.typing import NDArray

from replay.formats import client
from traceformat.calls import Call, CallFlags, Offset
from traceformat.errors import UsageError
from traceformat.gles import enums as gl
from traceformat.gles.pixel_transfer import layout_of, tightly
from traceformat.gles.roles import core_name
from traceformat.gles.state import PixelStore

__all__ = ["Bindings", "Rewriter", "TextureRewriter", "halved", "made"]

_UNPACK: Final = {
    gl.GL_UNPACK_ALIGNMENT: "alignment",
    gl.GL_UNPACK_ROW_LENGTH: "row_length",
    gl.GL_UNPACK_SKIP_ROWS: "skip_rows",
    gl.GL_UNPACK_SKIP_PIXELS: "skip_pixels",
}


def made(like: Call, name: str, *args: Any) -> Call:
    """A call that the program has not made, beside one that it has."""
    return Call(like.number, name, like.thread, like.context, like.flags | CallFlags.SYNTHETIC, args)


@dataclass(slots=True)
class Bindings:
    """State of a context that says what calls about textures mean."""

    unit: int = gl.GL_TEXTURE0
    textures: dict[tuple[int, int], int] = field(default_factory=dict)
    unpack: PixelStore = field(default_factory=PixelStore)
    unpack_buffer: int = 0
    draw_framebuffer: int = 0
    read_framebuffer: int = 0


class Rewriter(ABC):
    """Gives the calls of the changed program for each call of the trace.

    Attributes
    ----------
    touched : calls that were changed
    is_there : the trace has what is to be changed
    surveys : the whole trace is to be shown to :meth:`survey` first
    nothing : what it means that it is not
    """

    surveys = False
    nothing = "the trace has no such texture"

    def __init__(self) -> None:
        self.touched = 0
        self.is_there = False
        self._contexts: dict[int, Bindings] = {}

    def survey(self, call: Call) -> None:
        """Look at a call before any is changed."""
        self._follow(call)

    @abstractmethod
    def calls(self, call: Call) -> Iterator[Call]:
        """Give the calls in the place of one."""

    def _follow(self, call: Call) -> Bindings:
        """Take part in what a call binds."""
        state = self._contexts.setdefault(call.context, Bindings())
        args: Any = call.args
        match core_name(call.name):
            case "glActiveTexture":
                state.unit = args[0]
            case "glBindTexture":
                state.textures[state.unit, args[0]] = args[1]
            case "glBindFramebuffer":
                if args[0] != gl.GL_READ_FRAMEBUFFER:
                    state.draw_framebuffer = args[1]
                if args[0] != gl.GL_DRAW_FRAMEBUFFER:
                    state.read_framebuffer = args[1]
            case "glBindBuffer" if args[0] == gl.GL_PIXEL_UNPACK_BUFFER:
                state.unpack_buffer = args[1]
            case "glPixelStorei" if args[0] in _UNPACK:
                setattr(state.unpack, _UNPACK[args[0]], args[1])
        return state

    def _other(self, call: Call, **arguments: Any) -> Call:
        """The call with other arguments."""
        values = {**call.arguments(), **arguments}
        return replace(call, args=tuple(values.values()))


class TextureRewriter(Rewriter):
    """Changes the calls about one texture.

    Parameters
    ----------
    target : the texture, as ``gpureplay top`` names it, or its GL name

    Raises
    ------
    UsageError : no name of a texture
    """

    def __init__(self, target: str) -> None:
        super().__init__()
        match = re.fullmatch(r"(?:texture )?(\d+)(?: .*)?", target)
        if match is None:
            raise UsageError(
                f"'{target}' is no texture", hint="such as 'texture 2', as gpureplay top --by texture says"
            )
        self._name = int(match[1])

    def calls(self, call: Call) -> Iterator[Call]:
        """Give the calls in the place of one."""
        state = self._follow(call)
        if self._is_meant(call, state):
            self.is_there = True
            change = self._changes().get(core_name(call.name))
            if change is not None:
                yield from change(call, state)
                return
        yield call

    @abstractmethod
    def _changes(self) -> Mapping[str, Callable[[Call, Bindings], Iterator[Call]]]:
        """What gives the calls in the place of one about the texture, by core name of the entry point."""

    def _is_meant(self, call: Call, state: Bindings) -> bool:
        """Whether the call is about the texture; those of two dimensions are known alone."""
        return (
            bool(call.args)
            and call.args[0] == gl.GL_TEXTURE_2D
            and core_name(call.name) != "glBindTexture"
            and state.textures.get((state.unit, gl.GL_TEXTURE_2D)) == self._name
        )

    def _refused(self, why: str) -> UsageError:
        return UsageError(f"texture {self._name} {why}")

    def _texels(self, call: Call, state: Bindings, extent: tuple[int, int], pair: tuple[int, int], data: Any) -> Any:
        """Uploaded texels as RGBA.

        Parameters
        ----------
        extent : width and height
        pair : client format and type

        Returns
        -------
        (height, width, 4) float64, or None where nothing is uploaded
        """
        width, height = extent
        if data is None:
            return None
        if isinstance(data, Offset) or state.unpack_buffer:
            raise self._refused("comes from a pixel buffer, which cannot be changed")
        layout = layout_of(state.unpack, *pair, width, height, 1, volume=False)
        try:
            pixels = client.decode(tightly(memoryview(data), layout, height, 1), *pair)
        except (ValueError, KeyError):
            raise self._refused(f"is uploaded as type {pair[1]:#x}, which cannot be changed") from None
        return pixels.reshape(height, width, 4)

    def _with_tight_rows(self, call: Call, state: Bindings, new: Call) -> Iterator[Call]:
        """A call whose pixels lie row by row without gaps."""
        before = state.unpack
        for parameter, name in _UNPACK.items():
            tight = 1 if name == "alignment" else 0
            if getattr(before, name) != tight:
                yield made(call, "glPixelStorei", parameter, tight)
        yield new
        for parameter, name in _UNPACK.items():
            if getattr(before, name) != (1 if name == "alignment" else 0):
                yield made(call, "glPixelStorei", parameter, getattr(before, name))
        self.touched += 1


def halved(texels: NDArray[Any], times: int) -> NDArray[Any]:
    """Mean of 2x2 texels, some times; the last row or column of an odd size is left out.

    Parameters
    ----------
    texels : (height, width, 4)
    """
    for _ in range(times):
        height, width = texels.shape[:2]
        down, across = max(height // 2, 1), max(width // 2, 1)
        rows = texels[: 2 * down].reshape(down, -1, *texels.shape[1:]).mean(axis=1)
        texels = rows[:, : 2 * across].reshape(down, across, -1, 4).mean(axis=2)
    return texels
