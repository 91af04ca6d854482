"""The records of :mod:`replay.engine.kernels.records` by their addresses, inside kernels."""

from __future__ import annotations

from typing import Any, Final

from replay.engine.kernels import records
from replay.glsl.llvm.abi import ARGUMENTS, TEXTURE_RECORD
from traceformat.native.access import record_accessor
from traceformat.native.records import Record

__all__ = [
    "arguments_at",
    "attribute_at",
    "batch_at",
    "blend_at",
    "constants_at",
    "corner_at",
    "draw_at",
    "fetch_at",
    "front_at",
    "gather_at",
    "interface_at",
    "job_at",
    "listing_at",
    "merge_at",
    "numbered_at",
    "numbering_at",
    "output_at",
    "pixels_at",
    "plan_at",
    "polygon_at",
    "progress_at",
    "result_at",
    "setup_at",
    "stream_at",
    "test_at",
    "texture_record_at",
    "thread_at",
]


def _at(record: Record) -> Any:
    return record_accessor(record.dtype)


arguments_at: Final = record_accessor(ARGUMENTS)
attribute_at: Final = _at(records.ATTRIBUTE)
blend_at: Final = record_accessor(records.BLEND_DTYPE)
batch_at: Final = _at(records.BATCH)
constants_at: Final = _at(records.CONSTANTS)
corner_at: Final = record_accessor(records.CORNER_DTYPE)
draw_at: Final = _at(records.DRAW)
fetch_at: Final = _at(records.FETCH)
front_at: Final = _at(records.FRONT)
gather_at: Final = _at(records.GATHER)
interface_at: Final = _at(records.INTERFACE)
job_at: Final = _at(records.JOB)
listing_at: Final = _at(records.LISTING)
merge_at: Final = _at(records.MERGE)
numbered_at: Final = _at(records.NUMBERED)
numbering_at: Final = _at(records.NUMBERING)
output_at: Final = _at(records.OUTPUT)
pixels_at: Final = _at(records.PIXELS)
plan_at: Final = _at(records.PLAN)
polygon_at: Final = record_accessor(records.POLYGON_DTYPE)
progress_at: Final = _at(records.PROGRESS)
result_at: Final = _at(records.RESULT)
setup_at: Final = record_accessor(records.SETUP_DTYPE)
stream_at: Final = _at(records.STREAM)
test_at: Final = record_accessor(records.TEST_DTYPE)
texture_record_at: Final = _at(TEXTURE_RECORD)
thread_at: Final = _at(records.THREAD)
