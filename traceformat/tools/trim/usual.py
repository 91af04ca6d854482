"""Calls whose effects repeat: what an effect follows from, where that is a few values.

The commonest calls of a trace set uniforms, bind objects, point at vertex arrays and set state. The same call in the
same context reads and writes the same resources, whatever it writes into them, so its effect is found once and
remembered by what it follows from. The twin is what ``Effects.execute`` does where nothing is remembered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Final

from traceformat.calls import Call, integer
from traceformat.gles import enums as gl
from traceformat.gles.objects import ProgramObject
from traceformat.gles.roles import core_name
from traceformat.gles.state import Context
from traceformat.tools.trim.collector import Key
from traceformat.tools.trim.state_calls import SETTERS, chosen_by

__all__ = ["question_of"]

_Finder = Callable[[Context, Call], Key | None]

_UNIFORM: Final = re.compile(r"gl(?P<names>Program)?Uniform(Matrix)?\d\w*?(?P<is_array>v)?$")
#: By the arguments alone, which name objects or pieces of the context's state.
_BY_ARGUMENTS: Final = frozenset(
    {"glBindVertexArray", "glBindFramebuffer", "glBindRenderbuffer", "glBindSampler", "glUseProgram"}
)
#: By the attribute, of the vertex array that is bound.
_OF_ARRAY: Final = frozenset(
    {
        "glVertexAttribPointer", "glVertexAttribIPointer", "glEnableVertexAttribArray", "glDisableVertexAttribArray",
        "glVertexAttribDivisor", "traceClientArray",
    }
)  # fmt: skip


def question_of(context: Context, call: Call) -> Key | None:
    """Everything that the effect of a call which succeeds follows from; None where that is not known to be little.

    Parameters
    ----------
    context : before the call
    call : as read
    """
    finder = _finder_of(call.name)
    if finder is None:
        return None
    try:
        own = finder(context, call)
        hash(own)
    except (IndexError, TypeError):
        # Arguments that no program can have passed: the tracker says what is wrong with them.
        return None
    return None if own is None else (call.name, call.thread, context.name, *own)


@cache
def _finder_of(name: str) -> _Finder | None:
    core = core_name(name)
    if core in _BY_ARGUMENTS:
        return _arguments
    if core in _OF_ARRAY:
        return _attribute
    if core in SETTERS:
        places = chosen_by(core)
        return lambda _, call: tuple(call.args[place] for place in places)
    uniform = _UNIFORM.match(core)
    if uniform is not None:
        return partial(_uniform, place=1 if uniform["names"] else 0, is_array=uniform["is_array"] is not None)
    return {"glBindBuffer": _bound_buffer, "glBindTexture": _bound_texture}.get(core)


def _arguments(_: Context, call: Call) -> Key:
    return call.args


def _attribute(context: Context, call: Call) -> Key:
    return context.vertex_array.serial, call.args[0]


def _bound_buffer(context: Context, call: Call) -> Key:
    array = context.vertex_array.serial if call.args[0] == gl.GL_ELEMENT_ARRAY_BUFFER else -1
    return *call.args, array


def _bound_texture(context: Context, call: Call) -> Key:
    return *call.args, context.active_unit


def _uniform(context: Context, call: Call, *, place: int, is_array: bool) -> Key | None:
    """Only where it is known whose the location is: what is not known yet may become so.

    Parameters
    ----------
    place : of the location among the arguments; before it stands the program's name, or nothing
    is_array : behind it stands how many elements are set
    """
    args = call.args
    program = context.group.programs.get(integer(args[0])) if place else context.used_program
    if not isinstance(program, ProgramObject) or program.executable is None:
        return None
    known = program.executable.locations.get(integer(args[place]))
    if known is None:
        return None
    slot, first = known
    return args[:place], program.serial, program.link_count, slot.index, first, args[place + 1] if is_array else 1
