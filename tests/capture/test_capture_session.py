"""The program runs as it would without us; statuses, isolation, ends of all kinds, determinism."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from capture.sink import TraceFile
from traceformat.gltrace.reader import open_trace

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"

#: Something that draws, in as few lines as possible.
DRAW = """
import ctypes
egl, gles = ctypes.CDLL("libEGL.so.1"), ctypes.CDLL("libGLESv2.so.2")
pointer = ctypes.c_void_p
def ints(*values):
    return (ctypes.c_int * len(values))(*values)
for name in ("eglGetPlatformDisplay", "eglCreateContext", "eglCreatePbufferSurface", "eglGetProcAddress"):
    getattr(egl, name).restype = pointer
egl.eglGetPlatformDisplay.argtypes = [ctypes.c_uint, pointer, pointer]
egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
display = pointer(egl.eglGetPlatformDisplay(0x31DD, None, None))
egl.eglInitialize(display, None, None)
config, count = pointer(), ctypes.c_int()
egl.eglChooseConfig(display, ints(0x3040, 4, 0x3033, 1, 0x3038), ctypes.byref(config), 1, ctypes.byref(count))
egl.eglBindAPI(0x30A0)
context = pointer(egl.eglCreateContext(display, config, None, ints(0x3098, 2, 0x3038)))
surface = pointer(egl.eglCreatePbufferSurface(display, config, ints(0x3057, 8, 0x3056, 8, 0x3038)))
egl.eglMakeCurrent(display, surface, surface, context)
def frame():
    gles.glClear(0x4000)
    egl.eglSwapBuffers(display, surface)
frame()
"""


def test_arguments_path_and_main(capture, tmp_path):
    (tmp_path / "helper.py").write_text("VALUE = 'mine'")
    done = capture(
        DRAW
        + "import sys, os, helper, __main__\n"
        + "folder = os.path.dirname(os.path.abspath(__file__))\n"
        + "print(sys.argv[1:], os.path.basename(sys.argv[0]), sys.path[0] == folder)\n"
        + "print(__name__, helper.VALUE, __main__.frame is frame, __spec__, os.getcwd())\n",
        "--level",
        "3",
        "-o",
        "x",
    )
    assert done.status == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == "['--level', '3', '-o', 'x'] script.py True"
    assert second == f"__main__ mine True None {tmp_path}"


def test_own_modules_win(capture, tmp_path):
    for name in ("capture", "replay", "traceformat", "gpumodel"):
        (tmp_path / f"{name}.py").write_text(f"WHO = 'own {name}'")
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "__init__.py").write_text("WHO = 'own samples'")
    (tmp_path / "samples" / "part.py").write_text("WHO = 'own part'")
    # A third-party module that the capture itself has imported.
    (tmp_path / "click.py").write_text("WHO = 'own click'")
    done = capture(
        "import capture, replay, traceformat, gpumodel, samples.part, click\n"
        + DRAW
        + "print(*(m.WHO for m in (capture, replay, traceformat, gpumodel, samples, samples.part, click)), sep=', ')\n"
    )
    assert done.status == 0, done.stderr
    names = ("capture", "replay", "traceformat", "gpumodel", "samples", "part", "click")
    assert done.stdout.strip() == ", ".join(f"own {name}" for name in names)
    assert done.names().count("glClear") == 1


def test_our_modules_are_hidden_where_the_program_has_none(capture):
    done = capture(
        DRAW
        + "import sys\n"
        + "print([name for name in sys.modules if name.split('.')[0] in ('capture', 'traceformat', 'samples')])\n"
    )
    assert done.stdout.strip() == "[]"


#: As PyQt ends a program where a method of its own raises SystemExit: the interpreter ends below everything.
BY_THE_INTERPRETER = "import ctypes; ctypes.pythonapi.Py_Exit(6)"


@pytest.mark.parametrize(
    ("ending", "status"), [("sys.exit(7)", 7), ("sys.exit()", 0), ("os._exit(5)", 5), (BY_THE_INTERPRETER, 6)]
)
def test_exit_status_is_passed_through(capture, ending, status):
    done = capture(DRAW + f"import sys, os\n{ending}\n")
    assert done.status == status
    assert done.num_frames() == 1
    if status:
        assert "status" in done.stderr or ending in ("os._exit(5)", BY_THE_INTERPRETER)


def test_text_of_an_exit(capture):
    done = capture(DRAW + "import sys\nsys.exit('no such level')\n")
    assert done.status == 1
    assert "no such level" in done.stderr


def test_exception_leaves_a_whole_trace(capture):
    done = capture(DRAW + "frame()\nraise KeyError('broken')\n")
    assert done.status == 1
    assert "KeyError: 'broken'" in done.stderr
    traceback = done.stderr[done.stderr.index("Traceback") :]
    assert "capture" not in traceback.split("KeyError")[0].replace("gpucapture", "")
    assert done.num_frames() == 2


def test_syntax_error_is_the_programs(capture):
    done = capture("x = (\n")
    assert done.status == 1
    assert "SyntaxError" in done.stderr
    assert "session.py" not in done.stderr


def test_nothing_drawn(capture):
    done = capture("import math\nprint(math.pi)\n")
    assert done.status == 1
    assert "drew nothing" in done.stderr


@pytest.mark.parametrize("driver", ["null", pytest.param("system", marks=pytest.mark.gl)])
def test_unsupported_entry_point(capture, driver):
    done = capture(DRAW + "gles.glDebugMessageControlAMD if 0 else None\n" + UNSUPPORTED, driver=driver)
    assert done.status == 1
    assert "glBegin" in done.stderr
    assert "not support" in done.stderr


UNSUPPORTED = """
begin = ctypes.CFUNCTYPE(None, ctypes.c_uint)(egl.eglGetProcAddress(b"glBegin"))
begin(4)
"""


def test_threads_and_exit_functions_are_recorded(capture):
    done = capture(
        DRAW
        + "import atexit, threading, time\n"
        + "egl.eglMakeCurrent(display, None, None, None)\n"
        + "def later():\n"
        + "    time.sleep(0.2)\n"
        + "    egl.eglMakeCurrent(display, surface, surface, context)\n"
        + "    frame()\n"
        + "threading.Thread(target=later).start()\n"
        + "atexit.register(lambda: gles.glClear(0x4000))\n"
    )
    assert done.status == 0, done.stderr
    assert done.names().count("glClear") == 3


def test_source_lines(capture):
    done = capture(DRAW + "frame()\n", options=["--source"])
    line = DRAW.splitlines().index("    gles.glClear(0x4000)") + 1
    assert {tuple(call.source) for call in done.calls() if call.name == "glClear"} == {("script.py", line)}


def test_frame_range_ends_the_program(capture):
    done = capture(DRAW + "while True:\n    frame()\n", options=["--frames", "0-4"])
    assert done.status == 0, done.stderr
    assert done.num_frames() == 5


def test_fork_writes_a_file_of_its_own(capture, tmp_path):
    done = capture(
        DRAW
        + "import os\n"
        + "child = os.fork()\n"
        + "if child == 0:\n"
        + "    frame(); frame()\n"
        + "    os._exit(0)\n"
        + "os.waitpid(child, 0)\n"
        + "frame()\n"
    )
    assert done.status == 0, done.stderr
    assert done.num_frames() == 2
    (other,) = [path for path in tmp_path.glob("out.*.gltrace")]
    from traceformat.gltrace.reader import open_trace

    with open_trace(other) as reader:
        assert not reader.damage
        assert len(reader.frames) == 2
        assert next(iter(reader)).name == "traceContext"


def test_a_started_child_writes_a_file_of_its_own(capture, tmp_path):
    (tmp_path / "child.py").write_text(
        "import sys, moderngl\n"
        "context = moderngl.create_standalone_context()\n"
        "context.simple_framebuffer((4, 4)).clear()\n"
        "context.finish()\n"
        "print('child', sys.argv[1:], sys.path[0] == sys.argv[1])\n"
        "sys.exit(5)\n"
    )
    (tmp_path / "silent.py").write_text("print('no GL')\n")
    result = capture(
        "import subprocess, sys, moderngl\n"
        "context = moderngl.create_standalone_context()\n"
        "context.simple_framebuffer((4, 4)).clear()\n"
        "here = __file__.rpartition('/')[0]\n"
        "done = subprocess.run([sys.executable, here + '/child.py', here], capture_output=True, text=True)\n"
        "print(done.returncode, done.stdout.strip())\n"
        "print(subprocess.check_output([sys.executable, here + '/silent.py'], text=True).strip())\n"
        "print(subprocess.check_output(['echo', 'other'], text=True).strip())\n"
    )
    assert result.status == 0, result.stderr
    assert result.stdout.splitlines() == [f"5 child ['{tmp_path}'] True", "no GL", "other"]
    (trace,) = tmp_path.glob("out.*.gltrace")
    from traceformat.gltrace.reader import open_trace

    with open_trace(trace) as reader:
        assert not reader.damage
        assert [call.name for call in reader][-1] == "glFinish"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_leave_a_whole_trace(tmp_path, number):
    script = tmp_path / "script.py"
    script.write_text(DRAW + "print('ready', flush=True)\nwhile True:\n    frame()\n")
    process = subprocess.Popen(
        [sys.executable, "-c", "from capture.cli import main; main()", "run", "--driver", "null", "-o", "out.gltrace",
         str(script)],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(number)
    try:
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == (130 if number == signal.SIGINT else -signal.SIGTERM), errors
    assert ("KeyboardInterrupt" in errors) == (number == signal.SIGINT)
    from traceformat.gltrace.reader import open_trace

    with open_trace(tmp_path / "out.gltrace") as reader:
        assert not reader.damage
        assert len(reader.frames) > 3
    assert not list(tmp_path.glob(".out*"))


def test_same_bytes_in_any_process_folder_and_hash_seed(capture, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    first = capture("moderngl_standalone", environment={"PYTHONHASHSEED": "1"}, name="a.gltrace")
    second = capture(
        "moderngl_standalone", environment={"PYTHONHASHSEED": "2"}, name="b.gltrace", folder=tmp_path / "elsewhere"
    )
    assert (first.status, second.status) == (0, 0)
    assert first.trace.read_bytes() == second.trace.read_bytes()


@pytest.mark.gl
def test_same_bytes_under_the_systems_gl(capture):
    one, two = (
        capture("gles2_glfw", driver="system", environment={"PYTHONHASHSEED": seed}, name=f"{seed}.gltrace")
        for seed in "12"
    )
    assert one.trace.read_bytes() == two.trace.read_bytes()


@pytest.mark.parametrize("driver", ["null", pytest.param("system", marks=pytest.mark.gl)])
@pytest.mark.parametrize(("every", "pause"), [(50, 600.0), (3000, 0.02)])
def test_a_killed_program_loses_no_more_than_the_last_moment(tmp_path, driver, every, pause):
    """In the midst of a chunk and of what machine code has recorded; the first program has been asleep for a while."""
    progress, trace = tmp_path / "progress", tmp_path / "out.gltrace"
    process = subprocess.Popen(
        [sys.executable, "-c", "from capture.cli import main; main()", "run", "--driver", driver, "-o", str(trace),
         str(PROGRAMS / "until_killed.py"), str(progress), str(every), str(pause)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "EGL_PLATFORM": "surfaceless"},
    )  # fmt: skip

    def made() -> int:
        return progress.stat().st_size // 8 if progress.exists() else 0

    deadline = time.monotonic() + 60
    while made() < (every if pause > 1 else 7 * every) and time.monotonic() < deadline:
        time.sleep(0.01)
    if pause > 1:
        time.sleep(1)
    sure = made()
    time.sleep(1)
    process.kill()
    process.wait()
    assert sure >= 50
    assert not trace.exists()
    (part,) = tmp_path.glob(".out.gltrace.*.part")
    with open_trace(part) as reader:
        cleared = [call.name for call in reader].count("glClear")
    # The last one may have been made and not counted.
    assert made() + 1 >= cleared >= sure, f"{made()} were made, {sure} a second before"
    assert cleared == made() or pause < 1


def test_who_is_writing_saves_when_it_is_time(tmp_path, monkeypatch):
    """Nobody else gets the interpreter: each call is saved with the next that is late enough."""
    now = [0.0]
    monkeypatch.setattr("traceformat.gltrace.writer.monotonic", lambda: now[0])
    trace = TraceFile(tmp_path / "out.gltrace", {})
    trace.flush()
    (part,) = tmp_path.glob(".out.gltrace.*.part")
    saved = []
    with trace.lock:
        for number, now[0] in enumerate((0.001, 0.004, 0.006, 0.007, 0.010, 0.012, 0.020)):
            trace.write("glDepthFunc", (number,), None, None, 1, 1)
            with open_trace(part) as reader:
                saved.append(len(list(reader)))
    assert saved == [0, 0, 3, 3, 3, 6, 7]
    trace.close()
    with open_trace(trace.path) as reader:
        assert [call.args[0] for call in reader] == list(range(7))
