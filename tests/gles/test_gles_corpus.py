"""Real applications' traces: the tracker answers as the driver did that recorded them, and raises no error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from capture.importers import import_trace
from replay.reflect import ReflectingBackend
from traceformat.calls import Call
from traceformat.gles.backend import DrawCall
from traceformat.gles.state import Context
from traceformat.gles.tracker import Tracker
from traceformat.gltrace.reader import open_trace

SHARED = Path(os.environ.get("GPUREPLAY_SHARED") or Path(__file__).resolve().parents[3] / "shared")
#: What depends on the implementation, not on the program.
_LIMITS = ("glGetIntegerv", "glGetFloatv", "glGetBooleanv", "glGetString", "glGetInternalformativ", "glGetError")


class CountingBackend(ReflectingBackend):
    """Counts draws."""

    draws = 0

    def draw(self, context: Context, call: DrawCall) -> None:
        self.draws += 1


def _differences(tracker: Tracker, call: Call) -> list[str]:
    """Execute a call and compare its answer with the recorded one."""
    result = tracker.execute(call)
    found = []
    if tracker.failure is not None:
        found.append(f"{call.number} {call.name}{call.args[:4]}: {tracker.failure.message}")
    if not call.name.startswith(("glGet", "glIs", "glCheck")) or call.name in _LIMITS:
        return found
    for parameter, data in call.outputs.items():
        answer = tracker.outputs.get(parameter, b"")
        if isinstance(data, bytes) and (not answer or answer != data[: len(answer)]):
            found.append(f"{call.number} {call.name}{call.args[:4]} {parameter}: {answer!r}, recorded {data!r}")
    if isinstance(call.result, int) and not call.outputs and result != call.result:
        found.append(f"{call.number} {call.name}{call.args[:4]}: {result}, recorded {call.result}")
    return found


@pytest.mark.parametrize(
    "name", ["es2gears", "glm_shadow", "glm_terrain", "glm_desktop_blur", "rl_blend_modes", "sdl_testgles2"]
)
def test_answers_are_those_of_the_recorded_driver(name: str, tmp_path: Path) -> None:
    source = SHARED / "corpus" / f"{name}.trace"
    if not source.exists():
        pytest.skip(f"no corpus at {SHARED}")
    import_trace(source, tmp_path / "imported.gltrace")
    backend = CountingBackend()
    tracker = Tracker(backend, remap=True)
    with open_trace(tmp_path / "imported.gltrace") as reader:
        differences = [line for call in reader for line in _differences(tracker, call)]
    assert differences == []
    assert backend.draws > 0
