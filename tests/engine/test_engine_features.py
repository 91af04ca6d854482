"""Features of GLES and desktop GL, one scene each: what Mesa answered, committed, and Mesa itself.

``python tests/engine/test_engine_features.py`` records the committed traces anew (needs Mesa).
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from feature_scenes import SCENES
from feature_textures import SCENES as TEXTURE_SCENES
from gl_twin import NoDriver, compare

from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter

FOLDER = Path(__file__).resolve().parents[1] / "data" / "features"
ALL = SCENES | TEXTURE_SCENES
#: Steps of 1/255; sRGB and half floats are rounded differently by one.
TOLERANCE = 2.0
#: Pixels that may differ where edges meet pixel centres exactly, or texels' borders meet samples.
TIES = 4
MANY_TIES = {"blits": 16}


def check(calls, ties=TIES):
    wrong = [f"call {d.call} {d.name}: {d.text}" for d in compare(calls, TOLERANCE) if d.pixels > ties]
    assert not wrong, "\n".join(wrong[:5])


@pytest.mark.parametrize("name", sorted(ALL))
def test_replay_gives_what_mesa_gave(name):
    with open_trace(FOLDER / f"{name}.gltrace") as trace:
        check(list(trace.calls()), MANY_TIES.get(name, TIES))


def test_a_wrong_picture_is_noticed():
    with open_trace(FOLDER / "blending.gltrace") as trace:
        calls = [call for call in trace.calls() if call.name != "glBlendEquationSeparate"]
    with pytest.raises(AssertionError, match="glReadPixels"):
        check(calls)


@pytest.mark.gl
@pytest.mark.parametrize("name", ["color_formats", "primitives", "sampling"])
def test_this_machines_mesa(name):
    """The committed traces are still what Mesa gives: the renderer is the same, or near to it."""
    try:
        recording = ALL[name]()
    except NoDriver as error:
        pytest.skip(str(error))
    recording.close()
    check(recording.calls, ties=16)


def record():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, scene in ALL.items():
        recording = scene()
        recording.close()
        with TraceWriter(FOLDER / f"{name}.gltrace") as writer:
            for call in recording.calls:
                writer.write_call(call)
        differences = [d for d in compare(recording.calls, TOLERANCE) if d.pixels]
        print(name, len(recording.calls), "calls", [(d.call, d.text) for d in differences][:3])


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    record()
