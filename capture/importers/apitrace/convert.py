"""Calls of an apitrace stream as calls of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from capture.importers.apitrace.arguments import number, to_output, to_value
from capture.importers.apitrace.stream import ApiCall, Opaque
from capture.importers.apitrace.windowsystem import Survey, WindowSystem
from capture.importers.buffers import WHOLE, ContextBuffers, Mapping, Mappings
from capture.importers.handles import Handles
from capture.importers.images import IMAGES, is_of_gl, with_source
from capture.importers.report import ImportReport
from capture.importers.windows import TraceCommand
from traceformat.calls import Call, CallFlags, Offset, Value
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS, Command, Direction
from traceformat.gles.roles import core_name, is_draw

__all__ = ["Converter"]

_ALLOCATION: Final = ("malloc", "free", "realloc", "calloc")
_POINTER: Final = re.compile(r"glVertexAttribI?Pointer|glDraw(Range)?Elements|glMultiDrawElements|glDraw\w*Indirect")
_UNPACK: Final = re.compile(r"gl(Compressed)?Tex(Sub)?Image[123]D")
_PACK: Final = ("glReadPixels", "glGetTexImage", "glReadnPixels")
_MAPS: Final = ("glMapBuffer", "glMapBufferRange")


@dataclass(slots=True)
class _Bindings(ContextBuffers):
    """What decides the meaning of a null pointer, for one context."""

    #: The last call gave a texture the storage of another GL object.
    shares_image: bool = False


class Converter:
    """Turns calls into records.

    Parameters
    ----------
    survey : of the same stream
    report : takes the counts
    """

    def __init__(self, survey: Survey, report: ImportReport) -> None:
        self._windows = WindowSystem(survey)
        self._report = report
        self._handles = Handles()
        self._bindings: dict[int, _Bindings] = {}
        self._mappings = Mappings()
        #: EGLImages of GL objects.
        self._gl_images: set[int] = set()

    def convert(self, call: ApiCall) -> Iterator[Call]:
        """Give the records of one call, in order."""
        thread = self._windows.thread(call)
        if call.name.startswith(("egl", "glX")) and call.name not in IMAGES:
            yield from self._window_system(call, thread)
            return
        context = self._windows.context(call)
        if call.name == "memcpy":
            yield from self._mapped_write(call, thread, context)
            return
        if call.name in _ALLOCATION:
            self._report.folded[call.name] += 1
            return
        command = COMMANDS.get(call.name)
        if command is None:
            self._report.lost[f"unknown entry point {call.name}"] += 1
            return
        if not context and call.name not in IMAGES:
            self._report.lost[f"{call.name} without a current context"] += 1
            return
        for name, args in self._windows.resizes(call):
            yield Call(0, name, thread, context, 0, args)
        if (
            call.is_fake
            and call.name == "glTexImage2D"
            and self._bindings.setdefault(context, _Bindings()).shares_image
        ):
            # apitrace states what an EGLImage held; where it is a texture's, the trace has that already.
            self._report.folded[call.name] += 1
            return
        if command.compatibility_only:
            self._report.not_portable[call.name] += 1
        yield from self._gl(call, command, thread, context)

    def _window_system(self, call: ApiCall, thread: int) -> Iterator[Call]:
        commands = self._windows.execute(call)
        if not commands:
            self._report.folded[call.name] += 1
        for name, args in commands:
            if name == "traceSwap":
                self._report.frames += 1
            yield Call(0, name, thread, self._windows.context(call), 0, args)

    # -- GL

    def _gl(self, call: ApiCall, command: Command, thread: int, context: int) -> Iterator[Call]:
        here = self._bindings.setdefault(context, _Bindings())
        args, outputs = self._arguments(call, command, here)
        result = to_value(command.result, call.result, self._handles)
        if isinstance(result, (bytes, Offset)):
            result = None  # a mapping: its address means nothing
        names = call.inputs.get(1)
        numbers = [number(call.inputs.get(k)) for k in range(len(command.params))]
        here.bound.note(call.name, numbers, [number(each) for each in names] if isinstance(names, list) else ())
        if core_name(call.name) in _MAPS:
            target, offset, num_bytes = (number(call.inputs.get(k)) for k in range(3))
            if not call.name.startswith("glMapBufferRange"):
                offset, num_bytes = 0, WHOLE
            address = number(call.result)
            if address:
                self._mappings.map(Mapping(context, target, here.bound[target], offset, num_bytes, address))
        elif call.name.startswith("glUnmapBuffer"):
            self._mappings.unmap(context, here.bound[number(call.inputs.get(0))])
        elif call.name.startswith("glVertexAttribPointer") and isinstance(args[-1], bytes):
            # Client memory: apitrace states it with the draw, we before the draw.
            here.arrays[int(str(args[0]))] = args[-1]
            args = (*args[:-1], None)
        elif call.name.startswith("glVertexAttrib") and call.name.endswith("Pointer"):
            here.arrays.pop(number(call.inputs.get(0)), None)
        elif is_draw(call.name):
            for name, array in here.client_arrays():
                yield Call(0, name, thread, context, CallFlags.SYNTHETIC, array)
        here.shares_image = call.name.startswith("glEGLImageTarget") and number(call.inputs.get(1)) in self._gl_images
        if call.name.startswith("eglCreateImage"):
            target, source = number(call.inputs.get(2)), number(call.inputs.get(3))
            if is_of_gl(target):
                self._gl_images.add(number(call.result))
            args = with_source(args, target, source, self._report)
        flags = CallFlags.SYNTHETIC if call.is_fake else 0
        yield Call(0, call.name, thread, context, flags, args, outputs, result)

    def _arguments(
        self, call: ApiCall, command: Command, here: _Bindings
    ) -> tuple[tuple[Value, ...], dict[str, Value]]:
        args: list[Value] = []
        outputs: dict[str, Value] = {}
        for index, param in enumerate(command.params):
            given = call.inputs.get(index)
            if param.direction is Direction.OUT:
                packed = call.name in _PACK and here.bound[gl.GL_PIXEL_PACK_BUFFER]
                args.append(Offset(number(given)) if packed else None)
                found = call.outputs.get(index)
                if found is None and isinstance(given, (list, bytes, str)):
                    found = given  # written with the arguments, as the names that glGen* gives are
                written = to_output(param, found, self._handles)
                if written is not None and not packed:
                    outputs[param.name] = written
                continue
            value = to_value(param, given, self._handles)
            if param.is_pointer and (value is None or isinstance(value, Offset)):
                value = self._pointer(call, value, here)
            args.append(value)
        if call.name == "glShaderSource" and len(args) == 4 and isinstance(args[2], tuple):
            # The strings are cut to their lengths already.
            args[1], args[3] = len(args[2]), None
        return tuple(args), outputs

    def _pointer(self, call: ApiCall, value: Offset | None, here: _Bindings) -> Value:
        """What a pointer without content means: an offset where a buffer is bound, else nothing."""
        unpacks = _UNPACK.match(call.name) and here.bound[gl.GL_PIXEL_UNPACK_BUFFER]
        if _POINTER.match(call.name) or unpacks:
            return value if value is not None else Offset(0)
        if value is not None and value:
            self._report.lost[f"content behind a pointer of {call.name}"] += 1
        return None

    def _mapped_write(self, call: ApiCall, thread: int, context: int) -> Iterator[Call]:
        address, data = call.inputs.get(0), call.inputs.get(1)
        here = self._bindings.get(context)
        calls: list[TraceCommand] = []
        if here is not None and isinstance(address, Opaque) and isinstance(data, bytes):
            calls = list(self._mappings.writes(context, here.bound, number(address), data))
        if not calls:
            self._report.lost["memcpy that belongs to no mapped buffer"] += 1
        for name, args in calls:
            yield Call(0, name, thread, context, CallFlags.SYNTHETIC, args)
