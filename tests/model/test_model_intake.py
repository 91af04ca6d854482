"""What the model refuses before it indexes by it."""

from __future__ import annotations

import numpy as np
import pytest
from test_model_oracle import random_scene

from traceformat.errors import TraceFormatError
from traceformat.gputrace.check import check_frame
from traceformat.gputrace.frametrace import MODEL_COLUMNS, SCHEMA, Table


@pytest.mark.parametrize("name", ["vertices.index", "primitives.vertex", "draws.stencil_func", "instructions.kind"])
def test_a_missing_column_is_named(name: str) -> None:
    trace = random_scene(1).trace()
    check_frame(trace, MODEL_COLUMNS)
    table, _, column = name.partition(".")
    columns = {key: values for key, values in trace[table].items() if key != column}
    assert len(columns) < len(trace[table])
    assert name in MODEL_COLUMNS
    trace.tables[table] = Table(table, columns)
    with pytest.raises(TraceFormatError, match=f"no column {name}"):
        check_frame(trace, MODEL_COLUMNS)


BOUNDED = [(t, c, spec.within) for t, columns in SCHEMA.items() for c, spec in columns.items() if spec.within]


@pytest.mark.parametrize(("table", "column", "within"), BOUNDED, ids=str)
def test_what_the_model_has_no_room_for_is_refused(table: str, column: str, within: tuple[int, int]) -> None:
    trace = random_scene(1).trace()
    values = trace[table][column]
    highest = min(within[1] + 1, np.iinfo(values.dtype).max)
    assert highest > within[1]
    values[:1] = highest
    with pytest.raises(TraceFormatError, match=f"{table}.{column} row 0: out of range|beyond vertex_fetches"):
        check_frame(trace, MODEL_COLUMNS)
