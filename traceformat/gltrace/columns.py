"""Calls of one entry point as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from traceformat.framing.headers import ValueKind
from traceformat.gles.parameters import parameters_of
from traceformat.gltrace.callchunk import CallsChunk
from traceformat.gltrace.records import REFERENCES

__all__ = ["Columns", "columns_of"]


class Columns(NamedTuple):
    """Calls of one entry point.

    Parameters
    ----------
    numbers : (calls,) int64
    values : (calls,) structured; a field for each argument that is stored as a number, named after its parameter,
        and ``result``
    """

    numbers: NDArray[np.int64]
    values: NDArray[Any]


def columns_of(chunks: Iterable[CallsChunk], name: str, start: int, stop: int | None) -> Iterator[Columns]:
    """Columns of the calls of an entry point; see :meth:`~traceformat.gltrace.reader.TraceReader.columns`."""
    names = parameters_of(name).names
    for chunk in chunks:
        for place, shape in enumerate(chunk.shapes):
            if shape.name != name:
                continue
            numbers = chunk.first_call + np.flatnonzero(chunk.order == place)
            inside = (numbers >= start) & (numbers < (numbers[-1] + 1 if stop is None else stop))
            fields = {f"a{i}": names[i] if i < len(names) else f"arg{i}" for i in range(len(shape.arguments))}
            kinds = dict(zip([*fields, *(f"o{i}" for i in range(len(shape.outputs)))], shape.kinds, strict=False))
            kept = [field for field in fields if kinds[field] is not ValueKind.NONE and kinds[field] not in REFERENCES]
            has_result = shape.result is not ValueKind.NONE and shape.result not in REFERENCES
            stored = kept + ["result"] * has_result
            # A table without fields has no rows.
            table = chunk.table(place)[stored][inside] if stored else np.zeros(inside.sum(), np.dtype([]))
            values = table.astype([(fields.get(field, field), table.dtype[field]) for field in table.dtype.names or ()])
            yield Columns(numbers[inside].astype(np.int64), values)
