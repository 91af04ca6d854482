"""Writing a trace anew: other compression, without sources, every content once."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from traceformat.errors import TraceFormatError
from traceformat.framing.codecs import DEFAULT_LEVEL
from traceformat.gltrace.writer import TraceWriter

if TYPE_CHECKING:
    from traceformat.gltrace.reader import TraceReader

__all__ = ["repack"]


def repack(
    reader: TraceReader,
    output: str | os.PathLike[str],
    *,
    level: int = DEFAULT_LEVEL,
    dedupe: bool = False,
    sources: bool = True,
    recover: bool = False,
) -> int:
    """Write the calls of a trace into a new file.

    Parameters
    ----------
    reader : open trace
    output : file to write
    level : of zstd, 1 to 19; 0 stores
    dedupe : store each content once, however many contents there are; this takes 16 bytes of memory for each
    sources : keep the places in the program
    recover : leave out calls that cannot be copied, because their content is lost or does not fit their entry point

    Returns
    -------
    number of calls that were written

    Raises
    ------
    TraceFormatError : a call that cannot be copied
    UsageError : the output cannot be written
    """
    writer = TraceWriter(output, reader.properties, level, remember_all=dedupe)
    try:
        for call in reader:
            try:
                writer.write_call(call if sources or call.source is None else replace(call, source=None))
            except TraceFormatError:
                if not recover:
                    raise
    except BaseException:
        writer.abort()
        raise
    writer.close()
    return writer.num_calls
