"""Object names: reserved by glGen*, taken from the trace where it says which, given up by glDelete*."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from traceformat.gles.dispatch import OverGuard, invalid_operation, invalid_value
from traceformat.gles.state import Context, Namespace
from traceformat.gles.values import ints_out

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

__all__ = ["check_bindable", "generate", "is_generated", "requires_generated_names"]


def requires_generated_names(context: Context) -> bool:
    """Desktop core contexts know generated names only; ES and compatibility contexts take any."""
    return not context.is_gles and context.config.profile == 1


def generate(tracker: Tracker, limit: int, names: Namespace[Any], count: int, parameter: str) -> bytes:
    """Reserve names, as recorded or the lowest free ones, and encode them for output.

    Parameters
    ----------
    limit : most names that may exist (``Limits.max_names``)
    parameter : output parameter of the entry point
    """
    if count < 0:
        raise invalid_value(f"count {count}")
    if len(names.objects) + count > limit:
        raise OverGuard(f"{len(names.objects) + count} names of one kind", "names", limit)
    recorded = tracker.recorded_names(parameter, count)
    if recorded is None:
        return ints_out(names.generate(count))
    for name in recorded:
        if name:
            # What had this name before was gone under the recorded driver.
            names.objects[name] = None
    return ints_out(recorded)


def is_generated(tracker: Tracker, names: Namespace[Any], name: int) -> bool:
    """Whether a name was generated.

    In a replay any name was: where the trace lacks the glGen* (or its outputs), what worked there works here.
    """
    return name != 0 and (name in names.objects or tracker.remap)


def check_bindable(
    tracker: Tracker, context: Context, names: Namespace[Any], name: int, what: str, *, generated_only: bool
) -> None:
    """Check that a name without object may become one: GL_INVALID_OPERATION or GL_OUT_OF_MEMORY if not."""
    if generated_only and not is_generated(tracker, names, name):
        raise invalid_operation(f"{what} {name} was not generated")
    if len(names.objects) > context.limits.max_names:
        raise OverGuard(f"{len(names.objects)} {what}s", "names", context.limits.max_names)
