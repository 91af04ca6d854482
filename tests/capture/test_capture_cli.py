"""gpucapture itself: bad input, the list of samples, help."""

from __future__ import annotations

import json
import os

import pytest

NO_GL = """
import _ctypes
def _refuse(name, *mode, _open=_ctypes.dlopen):
    if name and ("EGL" in str(name) or "GL" in str(name)):
        raise OSError("hidden")
    return _open(name, *mode)
_ctypes.dlopen = _refuse
"""


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("run", "nowhere.py"), 2, "nowhere.py: no such script"),
        (("run", "--driver", "nul", "x.py"), 2, "nul"),
        (("run", "--frames", "9-5", "empty.py"), 2, "empty"),
        (("run", "--frames", "a-b", "empty.py"), 2, "not a range"),
        (("run", "-o", "no/such/folder/out.gltrace", "empty.py"), 2, "cannot write"),
        (("run", "-o", "empty.py", "empty.py"), 2, "over the input empty.py"),
        (("run", "-o", ".", "empty.py"), 2, "it is a folder"),
        (("sample", "cubes"), 2, "did you mean 'cube'"),
        (("smaple", "cube"), 2, "did you mean 'sample'"),
        (("import", "nowhere.trace"), 2, "nowhere.trace"),
    ],
)
def test_bad_input_is_one_line(gpucapture, tmp_path, arguments, status, words):
    (tmp_path / "empty.py").write_text("raise SystemExit('must not run')")
    done = gpucapture(*arguments)
    assert done.returncode == status, done.stderr
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["empty.py"]


def test_no_gl_with_the_system_driver(gpucapture, tmp_path):
    (tmp_path / "empty.py").write_text("raise SystemExit('must not run')")
    done = gpucapture("run", "--driver", "system", "empty.py", prelude=NO_GL)
    assert done.returncode == 4
    assert len(done.stderr.splitlines()) == 1
    assert "libEGL" in done.stderr


def test_auto_says_that_it_takes_null(gpucapture, tmp_path):
    (tmp_path / "quiet.py").write_text("pass")
    done = gpucapture("run", "quiet.py", prelude=NO_GL)
    assert done.returncode == 1
    assert "null driver" in done.stderr.splitlines()[0]


def test_samples_are_listed(gpucapture, tmp_path):
    from samples import PROGRAMS

    text = gpucapture("samples").stdout
    listed = json.loads(gpucapture("samples", "--json").stdout)
    assert [each["name"] for each in listed] == list(PROGRAMS)
    assert all(name in text for name in PROGRAMS)


def test_sample_is_captured_beside_a_folder_of_the_same_name(gpucapture, tmp_path):
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "__init__.py").write_text("raise SystemExit('wrong samples')")
    done = gpucapture("sample", "cube", "--driver", "null", "--frames", "2", "--size", "64x48", "-o", "out.gltrace")
    assert done.returncode == 0, done.stderr
    from traceformat.gltrace.reader import open_trace

    with open_trace(tmp_path / "out.gltrace") as reader:
        assert len(reader.frames) == 2
        assert any(call.name == "traceDrawable" and call.args[1:3] == (64, 48) for call in reader)


def test_help_is_quick_and_imports_nothing_heavy(gpucapture, tmp_path):
    heavy = "[name for name in ('numpy', 'numba', 'OpenGL') if name in sys.modules]"
    check = f"import atexit, sys\natexit.register(lambda: print('HEAVY', {heavy}))"
    best = 9.0
    for _ in range(3):
        before = os.times()
        done = gpucapture("run", "--help", prelude=check)
        after = os.times()
        best = min(best, after.children_user + after.children_system - before.children_user - before.children_system)
    assert "HEAVY []" in done.stdout
    assert "Example" in done.stdout
    # Processor time: the suite runs with others beside it.
    assert best < 0.4
