"""The model on real programs: pixels in program order on every preset, and both loops where the presets differ most."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pass_rows import quad_rows
from test_model_oracle import in_program_order

import replay
from gpumodel import REQUIRED_COLUMNS, load_config, preset_names
from gpumodel.machine import Machine

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["city", "shadows"])
def test_written_fragments_of_a_sample(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.gltrace"
    # A process of its own: a capture replaces the process's GL.
    command = [sys.executable, "-c", "from capture.cli import main; main()", "sample", name, "-o", str(path)]
    options = ["--frames", "1", "--size", "128x96", "--driver", "null"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    (trace,) = replay.frames(path, columns=REQUIRED_COLUMNS)
    expected, _ = in_program_order(trace)
    for preset in preset_names():
        frame = Machine(load_config(preset)).run_frame(trace)
        found = np.zeros(trace["quads"].num_rows, np.int64)
        for p in frame.passes:
            n = p.streams.quad_rows[1] - p.streams.quad_rows[0]
            found[quad_rows(trace, p)] = p.streams.written[:n]
        np.testing.assert_array_equal(found, expected)
        if preset == "tbr-fhd":
            every = Machine(load_config(preset), every_cycle=True).run_frame(trace)
            assert (every.counters, every.unit_cycles) == (frame.counters, frame.unit_cycles)
