"""The columns of a FrameTrace that the model reads; cheap to import, so that commands can ask before they compile."""

from __future__ import annotations

from typing import Final

from traceformat.gputrace.frametrace import MODEL_COLUMNS, ColumnSet
from traceformat.gputrace.frametrace import VERIFY_COLUMNS as _VERIFY_COLUMNS

__all__ = ["REQUIRED_COLUMNS", "VERIFIED_COLUMNS"]

#: Columns that only frames have which need them.
_OPTIONAL: Final = ("quads.shader_depth", "quads.sample_coverage", "quads.sample_depth", "draws.sample_state")
#: What a run reads.
REQUIRED_COLUMNS: Final = ColumnSet([*MODEL_COLUMNS, *_OPTIONAL])
#: What a verified run reads.
VERIFIED_COLUMNS: Final = ColumnSet([*REQUIRED_COLUMNS, *_VERIFY_COLUMNS])
