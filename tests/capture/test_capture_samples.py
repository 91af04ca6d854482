"""Each demo program says the same under the null driver and under the system's GL."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from capture.drivers.base import DriverName
from samples import SAMPLES
from traceformat.gltrace.reader import open_trace
from traceformat.tools.canonical import canonical


@pytest.mark.gl
@pytest.mark.parametrize("name", SAMPLES)
def test_null_and_system_say_the_same(gpucapture, tmp_path, name):
    if "moderngl-window" in SAMPLES[name].api:
        pytest.importorskip("moderngl_window", reason="moderngl-window is not installed")

    def lines(driver: DriverName) -> list[str]:
        trace = tmp_path / f"{driver}.gltrace"
        arguments = ["--driver", driver, "--frames", "2", "--size", "64x48", "-o", str(trace)]
        done = gpucapture("sample", name, *arguments)
        assert done.returncode == 0, done.stderr
        with open_trace(trace) as reader:
            assert len(reader.frames) == 2
            return list(canonical(reader))

    with ThreadPoolExecutor(2) as both:
        null, system = both.map(lines, ("null", "system"))
    assert null == system
    assert sum("Debug" in line for line in null) > 0
