"""Ways through which a call is recorded: machine code, Python, and adapters alone. The trace is the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from native_objects import WITHOUT_HOOKS

from capture.native.elf import is_supported_machine
from samples import SAMPLES
from traceformat.calls import Call
from traceformat.gltrace.reader import open_trace
from traceformat.tools.canonical import canonical

pytestmark = pytest.mark.slow

HEAT = "import capture.recorder as r; r.HOT_CALLS = {}"
#: Every fifth sample, and a twin. (All of them, and eight more programs, were held to it once: a minute and a half.)
PICKED = [*list(SAMPLES)[::5], "bbr"]
PROGRAMS = ("buffers", "moderngl_compute", "often", "reads_back", "two_windows")


def recorded(gpucapture, folder: Path, name: str, driver: str, prelude: str) -> list[Call]:
    trace = folder / f"{len(list(folder.iterdir()))}.gltrace"
    arguments = ("sample", name, "--driver", driver, "--frames", "2", "--size", "64x48", "-o", str(trace))
    done = gpucapture(*arguments, prelude=prelude)
    assert done.returncode == 0, done.stderr
    with open_trace(trace) as reader:
        assert len(reader.frames) == 2
        return list(reader)


@pytest.mark.parametrize("name", PICKED)
def test_adapters_alone_record_the_samples(gpucapture, tmp_path, name):
    """On systems whose linker is not understood."""
    without, expected = (recorded(gpucapture, tmp_path, name, "null", before) for before in (WITHOUT_HOOKS, ""))
    assert len(without) > 20
    assert without == expected


@pytest.mark.gl
@pytest.mark.skipif(not is_supported_machine(), reason="no machine code for this machine")
@pytest.mark.parametrize("name", PICKED)
def test_machine_code_records_the_samples_as_python_does(gpucapture, tmp_path, name):
    ours, expected = (recorded(gpucapture, tmp_path, name, "system", HEAT.format(calls)) for calls in (1, 10**9))
    assert list(canonical(ours)) == list(canonical(expected))
    assert ours == expected


@pytest.mark.gl
@pytest.mark.skipif(not is_supported_machine(), reason="no machine code for this machine")
@pytest.mark.parametrize("program", PROGRAMS)
def test_machine_code_records_programs_as_python_does(capture, program):
    ours, expected = (
        capture(program, driver="system", prelude=HEAT.format(calls), name=f"{calls}.gltrace") for calls in (1, 10**9)
    )
    assert (ours.status, ours.stdout) == (expected.status, expected.stdout), ours.stderr
    assert ours.canonical() == expected.canonical()
