"""What the model refuses before it indexes by it."""

from __future__ import annotations

import pytest
from test_model_oracle import random_scene

from gpumodel.intake import check_frame
from traceformat.errors import TraceFormatError
from traceformat.gputrace.frametrace import MODEL_COLUMNS, Table


@pytest.mark.parametrize("name", ["vertices.index", "primitives.vertex", "draws.stencil_func", "instructions.kind"])
def test_a_missing_column_is_named(name: str) -> None:
    trace = random_scene(1).trace()
    check_frame(trace)
    table, _, column = name.partition(".")
    columns = {key: values for key, values in trace[table].items() if key != column}
    assert len(columns) < len(trace[table])
    assert name in MODEL_COLUMNS
    trace.tables[table] = Table(table, columns)
    with pytest.raises(TraceFormatError, match=f"no column {name}"):
        check_frame(trace)
