"""Traces of changed programs: other textures, sizes, shaders. What nothing changes goes through as it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Final

from replay.rewriting.compressing import Compressing
from replay.rewriting.images import Rewriter
from replay.rewriting.mipmapping import Mipmapping
from replay.rewriting.scaling import Scaling
from replay.rewriting.shortening import Shortening
from replay.rewriting.targets import ScalingTarget, is_target
from traceformat.errors import UsageError
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter

__all__ = ["rewrite"]

_REWRITERS: Final[Mapping[str, Callable[[str, str], Rewriter]]] = {
    "mipmaps": lambda target, _: Mipmapping(target),
    "compress": lambda target, _: Compressing(target),
    "precision": lambda target, value: Shortening(target, value),
    "scale": lambda target, value: ScalingTarget(target, value) if is_target(target) else Scaling(target, value),
}


def rewrite(
    path: str | os.PathLike[str], output: str | os.PathLike[str], kind: str, target: str, value: str, frames: int
) -> int:
    """Write the trace of a changed program.

    Parameters
    ----------
    kind : ``mipmaps``, ``compress``, ``precision`` or ``scale``
    target, value : what is changed, and to what
    frames : that are written, from the first; those behind them are left out

    Returns
    -------
    calls that were changed; 0 where all is as it would be

    Raises
    ------
    UsageError : the trace has no such thing, or one that cannot be changed
    """
    rewriter = _REWRITERS[kind](target, value)
    with open_trace(path) as reader:
        kept = reader.frames[: min(frames, len(reader.frames))]
        end = kept[-1].end_call if kept else 0
        if rewriter.surveys:
            for call in reader:
                if call.number >= end:
                    break
                rewriter.survey(call)
        with TraceWriter(output, reader.properties) as writer:
            for call in reader:
                if call.number >= end:
                    break
                for new in rewriter.calls(call):
                    writer.write_call(new)
    if not rewriter.is_there:
        raise UsageError(f"{kind} {target}: {rewriter.nothing}", hint="gpureplay top --by texture names what there is")
    return rewriter.touched
