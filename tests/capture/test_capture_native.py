"""Calls of native code: found wherever the linker binds them, under both drivers; everything is set back at the end."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from ctypes.util import find_library
from pathlib import Path

import pytest
from apitrace_tools import display, missing
from native_objects import CHECK_MAPS, FLAGS, build, build_wrapper

from capture.native.elf import is_supported_machine
from capture.native.jumps import jump_code

pytestmark = pytest.mark.skipif(not is_supported_machine(), reason="the linker of this system is not understood")

DRIVERS = ["null", pytest.param("system", marks=pytest.mark.gl)]


@pytest.fixture(scope="module", params=["lazy", "no_plt"])
def library(request, tmp_path_factory):
    return build(tmp_path_factory.mktemp("native"), FLAGS[request.param])


@pytest.mark.parametrize("driver", DRIVERS)
def test_native_code_is_recorded_by_whatever_way_it_finds_gl(capture, library, driver):
    turns = ["0", "1", "2", "3:1", "thread", "0:1", "pthread", "1:3"]
    done = capture("native_library", str(library), *turns, driver=driver, prelude=CHECK_MAPS)
    assert done.status == 0, done.stderr
    assert done.stdout.splitlines() == [
        "0 51",
        "1 102",
        "2 153",
        "3:1 204",
        "0:1 51",
        "1:3 102",
        "hooked 0 0",
        "CHANGED []",
    ]
    names = done.names()
    assert {call.thread for call in done.calls()} == {1, 2, 3}
    assert [names.count(name) for name in ("glClear", "glClearColor", "glReadPixels", "traceSwap")] == [11, 11, 6, 11]
    assert done.num_frames() == 11


OPENER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
static void *open_one(void *name) { return dlopen(name, RTLD_LAZY); }
int open_in_thread(const char *name)
{
    pthread_t thread;
    void *found;
    pthread_create(&thread, 0, open_one, (void *)name);
    pthread_join(thread, &found);
    return found != 0;
}
"""


@pytest.mark.parametrize("driver", DRIVERS)
def test_who_waits_with_the_interpreter_for_a_thread_that_opens_libraries(capture, driver, tmp_path):
    """As players of sound do while they begin: what is loaded already is opened without Python."""
    (tmp_path / "opener.c").write_text(OPENER)
    command = ["cc", "-shared", "-fPIC", "opener.c", "-o", "opener.so", "-lpthread", "-ldl"]
    if shutil.which("cc") is None or subprocess.run(command, cwd=tmp_path, check=False).returncode:
        pytest.skip("there is no C compiler")
    done = capture("joins_who_opens", str(tmp_path / "opener.so"), driver=driver)
    assert done.status == 0, done.stderr
    assert done.stdout.splitlines() == ["1 1 1"] * 3
    assert done.names().count("glClear") == 3


@pytest.mark.gl
def test_both_drivers_record_the_same_of_native_code(capture, library):
    null, system = (
        capture("native_library", str(library), "0", "1", "thread", "2", driver=driver, name=f"{driver}.gltrace")
        for driver in ("null", "system")
    )
    assert null.canonical() == system.canonical()


@pytest.mark.gl
def test_functions_of_glu_are_not_taken_for_entry_points_of_the_driver(capture):
    """Mesa's look-up gives an address for any name that begins with gl."""
    if find_library("GLU") is None:
        pytest.skip("no GLU library")
    done = capture("helper_library", driver="system")
    assert done.stdout.splitlines() == ["0", "(0.5, 0.5, 0.5)", "b'no error'"], done.stderr
    assert done.status == 0


@pytest.mark.parametrize(("driver", "found"), [("null", 0), pytest.param("system", 1, marks=pytest.mark.gl)])
def test_what_libraries_call_behind_the_end_gets_no_other_driver(capture, library, driver, found):
    environment = {"SAY_DISPLAY_AT_END": "1"}
    done = capture("native_library", str(library), "0", driver=driver, environment=environment)
    assert done.stdout.splitlines() == ["0 51", "hooked 0 0", f"END {found} 1"], done.stderr


@pytest.mark.parametrize("driver", DRIVERS)
def test_windows_of_x11(capture, driver):
    if problem := missing("Xvfb"):
        pytest.skip(problem)
    with display(94) as environment:
        done = capture("x11_window", driver=driver, environment={"DISPLAY": environment["DISPLAY"], "EGL_PLATFORM": ""})
    read = ["[255, 0, 255]"] * 2 + ["1 1", "True 1"] + ["[0, 0, 255]"] * 2
    assert done.stdout.splitlines() == ["True 1", *read], done.stderr
    assert (done.status, done.num_frames()) == (0, 4)
    sizes = [call.args[1:3] for call in done.calls() if call.name in ("traceDrawable", "traceResize")]
    assert sizes == [(64, 48), (80, 48), (80, 48), (64, 48), (80, 48)]


@pytest.mark.gl
def test_programs_are_made_from_their_source_again(capture):
    """A driver's own form of a program is of no use to any other."""
    done = capture(
        """
import ctypes, moderngl
from OpenGL import GL
context = moderngl.create_standalone_context(backend="egl")
made = context.program(vertex_shader="#version 330\\nvoid main() { gl_Position = vec4(0.0); }")
size, form, data = ctypes.c_int(), ctypes.c_uint(), ctypes.create_string_buffer(1 << 20)
GL.glGetProgramBinary(made.glo, len(data), size, form, data)
loaded = GL.glCreateProgram()
GL.glProgramBinary(loaded, form.value, data, size.value)
linked = GL.glGetProgramiv(loaded, GL.GL_LINK_STATUS)
print(size.value > 0, GL.glGetIntegerv(GL.GL_NUM_PROGRAM_BINARY_FORMATS), linked)
context.clear()
""",
        driver="system",
        environment={"PYOPENGL_PLATFORM": "egl"},
    )
    assert done.stdout.split() == ["True", "0", "0"], done.stderr
    assert "glProgramBinary" not in done.names()


@pytest.mark.parametrize("driver", DRIVERS)
def test_programs_that_hook_themselves(capture, library, tmp_path, driver):
    """What they put in front of GL is called as it is bare, and what it calls is recorded, once."""
    wrapper = build_wrapper(tmp_path)
    done = capture("native_library", str(library), "0", "hook", "load", "0", "1:1", driver=driver, prelude=CHECK_MAPS)
    assert done.stdout.splitlines() == ["0 51", "hook 1", "0 51", "1:1 102", "hooked 2 0", "CHANGED []"], done.stderr
    assert (done.status, done.num_frames(), done.names().count("glClear")) == (0, 5, 5)
    preloaded = capture("native_library", str(library), "0", driver=driver, environment={"LD_PRELOAD": str(wrapper)})
    assert preloaded.stdout.splitlines() == ["0 51", "hooked 0 4"], preloaded.stderr
    assert (preloaded.status, preloaded.num_frames(), preloaded.names().count("glClear")) == (0, 2, 2)


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_forked_child_records_its_own(capture, library, tmp_path, driver):
    done = capture("native_library", str(library), "fork", "1", "2", driver=driver)
    assert done.stdout.splitlines() == ["1 102", "2 153", "hooked 0 0"], done.stderr
    assert len(list(tmp_path.glob("out.*.gltrace"))) == 1
    assert done.names().count("glClear") == 2


@pytest.mark.parametrize(
    ("driver", "prelude"),
    [
        ("null", "import platform; platform.machine = lambda: 'riscv64'"),
        ("null", "import platform; platform.system = lambda: 'Darwin'"),
        # Where memory may not become executable.
        pytest.param(
            "system", "import capture.native.hooks as h; h.can_make_jumps = lambda: False", marks=pytest.mark.gl
        ),
    ],
)
def test_where_hooks_are_not_there_the_adapters_record_alone(capture, driver, prelude):
    is_seen = "; import capture.session as s; s.atexit.register(lambda: print('seen', s.LinkerHooks.are_available()))"
    with_hooks, without = (
        capture("moderngl_standalone", driver=driver, prelude=before + is_seen, name=f"{len(before)}.gltrace")
        for before in ("pass", prelude)
    )
    assert (with_hooks.status, without.status) == (0, 0), without.stderr
    assert (without.num_frames(), "seen False" in without.stdout) == (3, True)
    assert without.stdout == with_hooks.stdout.replace("seen True", "seen False")
    assert without.canonical() == with_hooks.canonical()


@pytest.mark.parametrize("linked", sorted(FLAGS))
def test_slots_are_found_and_protection_is_given_back(linked, tmp_path):
    library = build(tmp_path, FLAGS[linked])
    code = f"""
import ctypes, sys
from capture.native.elf import imports_of
from capture.native.objects import list_objects
from capture.native.slots import Patches, protections
library = ctypes.CDLL({str(library)!r})
found = [each for each in list_objects().objects if each.name.endswith("libdrawing.so")]
slots = dict(imports_of(found[0], frozenset({{b"gl", b"eg"}})))
assert {{"glClear", "eglSwapBuffers", "glReadPixels"}} <= set(slots.values()), slots
def rights():
    return [(start, bits) for start, end, bits in protections() for slot in slots if start <= slot < end]
before, patches = rights(), Patches()
old = {{slot: ctypes.c_uint64.from_address(slot).value for slot in slots}}
patches.put({{found[0]: dict.fromkeys(slots, 0x1234)}})
assert all(ctypes.c_uint64.from_address(slot).value == 0x1234 for slot in slots)
assert patches.has(found[0]) and rights() == before
patches.undo(found)
assert {{slot: ctypes.c_uint64.from_address(slot).value for slot in slots}} == old and rights() == before
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_object_that_is_loaded_again_is_set_again(capture, library):
    program = f"""
import _ctypes, ctypes
for turn in range(3):
    library = ctypes.CDLL({str(library)!r})
    library.draw.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_float)
    print(library.draw(0, 1, 0.2))
    _ctypes.dlclose(library._handle)
"""
    done = capture(program)
    assert done.stdout.split() == ["51"] * 3, done.stderr
    assert done.names().count("glClear") == 3


def test_an_object_that_another_file_has_replaced_is_read_anew(capture, tmp_path):
    """As programs do that are built again while they run."""
    first, second = (build(tmp_path, FLAGS[linked], linked) for linked in ("lazy", "no_plt"))
    program = f"""
import _ctypes, ctypes, os, shutil
for turn, path in enumerate(({str(first)!r}, {str(second)!r}, {str(first)!r})):
    shutil.copy(path, "new.so")
    os.replace("new.so", "plugin.so")
    library = ctypes.CDLL(os.path.abspath("plugin.so"))
    library.draw.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_float)
    print(library.draw(0, 1, 0.2), library.draw(3, 1, 0.4))
    _ctypes.dlclose(library._handle)
"""
    done = capture(program)
    assert done.stdout.splitlines() == ["51 102"] * 3, done.stderr
    assert done.names().count("glClear") == 6


@pytest.mark.parametrize("driver", DRIVERS)
def test_libraries_come_and_draw_and_go_in_threads_at_once(capture, tmp_path, driver):
    """While one thread has the linker's lock, others have the interpreter, and machine code is made in all of them."""
    paths = [str(build(tmp_path, flags, name)) for name, flags in FLAGS.items()]
    turns = ["0@1:1", "2@3:3", "3@2:2", "1@0:3", "0@3:2"]
    heat = "import capture.recorder as r; r.HOT_CALLS = 2"
    arguments = [os.pathsep.join(paths), *(["together:5", *turns] * 4)]
    done = capture("native_library", *arguments, driver=driver, prelude=f"{CHECK_MAPS}\n{heat}")
    said = f"{' '.join(turns)} [102, 204, 153, 51, 204]"
    assert done.stdout.splitlines() == [*[said] * 4, "hooked 0 0", "CHANGED []"], done.stderr
    assert (done.status, done.num_frames(), done.names().count("glClear")) == (0, 44, 44), done.stderr


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_jumps_are_what_an_assembler_makes_of_them(machine):
    assert len(jump_code(machine, 16384)) == 8
    # jmp *0x3ffa(%rip) and two int3; ldr x16, #16384 and br x16.
    expected = {"x86_64": "ff25fa3f0000cccc", "aarch64": "1000025800021fd6"}
    assert jump_code(machine, 16384).hex() == expected[machine]


# -- libraries that draw in native code --------------------------------------------------------------------------------


def needs(module: str):
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


LIBRARIES = [
    pytest.param("native_kivy", 3, id="kivy", marks=needs("kivy")),
    pytest.param("native_panda3d", 1, id="panda3d", marks=needs("panda3d")),
    pytest.param("native_sdl", 3, id="pygame-renderer", marks=needs("pygame")),
]


#: What the programs print when they run bare on Mesa.
PICTURES = {
    "native_kivy": ["[[255, 0, 0], [0, 255, 0], [0, 0, 0]]"] * 3,
    "native_panda3d": ["[(1.0, 0.0, 0.0), (0.412, 0.412, 0.412)]"],
    "native_sdl": ["[(0, 255, 0, 255), (255, 0, 0, 255)]"] * 3,
}


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(("program", "frames"), LIBRARIES)
def test_libraries_that_draw_natively(captured, program, frames, driver):
    """They print what they read back: the same bare and under both drivers."""
    done = captured(program, driver=driver)
    assert done.status == 0, done.stderr
    assert done.num_frames() == frames
    assert [line for line in done.stdout.splitlines() if line.startswith("[")] == PICTURES[program]
    if driver == "null" and program == "native_sdl":
        # Kivy and Panda3D are linked with libraries of GL: they are loaded, but not called.
        assert "MAPPED []" in done.stdout
