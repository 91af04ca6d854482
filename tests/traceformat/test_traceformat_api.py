"""The package's public names, and that importing it costs nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import traceformat


def test_every_public_name_is_there():
    for name in traceformat.__all__:
        assert getattr(traceformat, name) is not None
    assert traceformat.open is traceformat.open_trace
    assert not hasattr(traceformat, "nothing")


@pytest.mark.parametrize(
    "package", ["capture", "gpumodel", "gpumodel.memory.dram", "gpumodel.verify", "replay", "traceformat"]
)
def test_packages_list_the_names_that_they_load_late(package):
    """Listed before anything is loaded, the same at each access, and whatever was imported before."""
    code = (
        f"import {package} as p; import importlib, sys; assert set(p.__all__) <= set(dir(p)), dir(p);"
        "first = {name: getattr(p, name) for name in p.__all__};"
        "[importlib.import_module(one.__module__) for one in first.values() if hasattr(one, '__module__')];"
        "wrong = [name for name in p.__all__ if getattr(p, name) is not first[name]]; sys.exit(str(wrong or ''))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=False)
    assert not done.stderr.strip(), done.stderr


@pytest.mark.parametrize("module", ["traceformat", "traceformat.calls", "traceformat.gles.entry_points"])
def test_light_modules_import_nothing_heavy(module):
    code = (
        f"import sys, {module}; bad = {{'numpy', 'construct', 'numba', 'zstandard', 'click'}} & set(sys.modules);"
        "sys.exit(str(bad) if bad else 0)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=False)
    assert done.returncode == 0, done.stderr


def test_use(tmp_path):
    path = tmp_path / "app.gltrace"
    with traceformat.TraceWriter(path) as out:
        out.write("glClear", (0x4000,), source=("app.py", 3))
    with traceformat.open(path) as trace:
        assert [traceformat.format_call(call) for call in trace] == [
            "0 @1 glClear(mask = GL_COLOR_BUFFER_BIT) // app.py:3"
        ]
