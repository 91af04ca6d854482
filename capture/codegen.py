"""Writes the body of a trampoline that forwards to a real driver: just the steps that its entry point needs.

A program makes up to a million calls a second, so no step is looked for at run time that can be known when the
trampoline is made. The body of ``glUniformMatrix4fv`` comes out as ::

    if not trace.is_recording:
        return real(a0, a1, a2, a3)
    if not state.context_number:
        recorder.adopt_context()
    values = (a0, a1, a2, (string_at(a3, 64 * a1) if a3 and a1 > 0 else read3((a0, a1, a2, a3, ), state.shadow)),)
    result = real(a0, a1, a2, a3)
    outputs, recorded = None, None
    with trace.lock:
        trace.write(name, values, outputs, recorded, state.number, state.context_number)
    return None
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from traceformat.gles.entry_points import Command, ParamKind

if TYPE_CHECKING:
    from capture.marshal import Marshaller
    from capture.rule_types import After, Before

__all__ = ["Steps", "forwarding_body"]


@dataclass(frozen=True, slots=True)
class Steps:
    """What happens around a call, apart from reading its arguments.

    Parameters
    ----------
    before, after : the entry point's rules
    relabel : replaces recorded arguments
    correct : changes the driver's answer in the program's memory, given all C values
    finish : called last, e.g. to count draws or to end a frame
    note : writes the call with its source line, in place of the quick way
    """

    before: Before | None = None
    after: After | None = None
    relabel: Callable[[Any], Any] | None = None
    correct: Callable[..., None] | None = None
    finish: tuple[Callable[[], None], ...] = ()
    note: Callable[..., None] | None = None

    @property
    def is_plain(self) -> bool:
        """Nothing replaces or corrects what the program said, and no source line is wanted."""
        return self.relabel is None and self.correct is None and self.note is None


def forwarding_body(
    command: Command, marshaller: Marshaller, steps: Steps, scope: Mapping[str, Any]
) -> tuple[list[str], dict[str, Any]]:
    """Write the lines of a trampoline's body.

    Parameters
    ----------
    command : entry point; its parameters are ``a0``, ``a1`` ...
    marshaller : reads its arguments and outputs
    steps : what else is to be done
    scope : has ``trace`` (a Gate), ``real``, ``recorder`` and ``fresh`` (numbers a new handle)

    Returns
    -------
    lines without indentation, and the names that they use
    """
    names = [f"a{i}" for i in range(len(command.params))]
    listed = ", ".join(names)
    as_tuple = "(" + "".join(name + ", " for name in names) + ")"
    used = dict(scope)
    values = list(names)
    needs_raw = steps.before is not None or steps.after is not None or marshaller.has_outputs
    for index, read in marshaller.readers:
        used[f"read{index}"] = read
        size = marshaller.linear.get(index)
        if size is None:
            values[index] = f"read{index}(raw, shadow)"
            needs_raw = True
        else:
            # What most calls with content are: no rule has to be asked.
            item_bytes, count = size
            plain = f"string_at(a{index}, {item_bytes} * a{count}) if a{index} and a{count} > 0"
            values[index] = f"({plain} else read{index}({as_tuple}, state.shadow))"
    lines = [
        "if not trace.is_recording:",
        f"    return real({listed})",
        "if not state.context_number:",
        "    recorder.adopt_context()",
    ]
    if needs_raw:
        lines += ["shadow = state.shadow", f"raw = {as_tuple}"]
    lines.append("values = (" + "".join(value + ", " for value in values) + ")")
    if steps.relabel is not None:
        lines.append("values = relabel(values)")
    if steps.before is not None:
        lines.append("before(recorder, shadow, raw)")
    lines.append(f"result = real({listed})")
    if steps.correct is not None:
        lines.append(f"correct({listed})")
    if steps.after is not None:
        lines.append("after(shadow, raw, values, result)")
    outputs = "read_outputs(raw, shadow)" if marshaller.has_outputs else "None"
    kind = command.result.kind
    recorded = "result"
    if kind in (ParamKind.VOID, ParamKind.DATA):
        recorded = "None"
    elif kind is ParamKind.HANDLE:
        recorded = "fresh(result)"
    what = f"name, values, {outputs}, {recorded}"
    if steps.note is not None:
        lines.append(f"note({what})")
    else:
        lines += [
            f"outputs, recorded = {outputs}, {recorded}",
            "with trace.lock:",
            "    trace.write(name, values, outputs, recorded, state.number, state.context_number)",
        ]
    lines += [f"finish{i}()" for i in range(len(steps.finish))]
    lines.append("return None" if kind is ParamKind.VOID else "return result")
    used |= {f"finish{i}": function for i, function in enumerate(steps.finish)}
    used |= {
        "string_at": ctypes.string_at,
        "read_outputs": marshaller.outputs,
        "before": steps.before,
        "after": steps.after,
        "relabel": steps.relabel,
        "correct": steps.correct,
        "note": steps.note,
    }
    return lines, used
