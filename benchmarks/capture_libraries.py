"""Runs a small program of each library that draws, bare and captured, and says in a table what came of it.

    python benchmarks/capture_libraries.py FOLDER [--only TEXT] [--json FILE]

Each library is installed into a virtual environment of its own below ``FOLDER``, which is kept for the next time.
Its program (``tests/capture/libraries``, ``tests/capture/programs``) runs

* bare, under Xvfb
* system: under ``gpucapture run --driver system``, under Xvfb; what windows show is read before each swap
* null: under ``--driver null`` without a display; where that fails, with one (``null X11``)

and the traces of both are replayed, each frame against what the window showed. A way passes where the program ends and
prints as it does bare (most print pixels that they read back), where both drivers see the same number of frames, and
where no frame has more than 0.5 % of its pixels off by more than 2/255.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from capture_examples import ROOT, capture, compare, message, run, x_server

from traceformat.gltrace.reader import open_trace

SECONDS: Final = 120.0
#: Windows without a display are as large as the screen.
QT_SIZE: Final = {"QT_QPA_EGLFS_WIDTH": "160", "QT_QPA_EGLFS_HEIGHT": "120"}
#: Debian's packages for Python, for libraries that have no wheel.
SYSTEM_PACKAGES: Final = Path("/usr/lib/python3/dist-packages")


@dataclass(frozen=True)
class Library:
    """A library, and a program that uses it.

    Parameters
    ----------
    packages : what ``pip`` installs, what the table names first; none for those of the system
    program : below ``tests/capture``
    module : of the system, where there are no packages
    """

    packages: tuple[str, ...]
    program: str
    module: str = ""


LIBRARIES: Final = {
    "kivy": Library(("kivy",), "programs/native_kivy.py"),
    "panda3d": Library(("panda3d",), "programs/native_panda3d.py"),
    "ursina": Library(("ursina",), "libraries/ursina_boxes.py"),
    "raylib": Library(("raylib",), "libraries/raylib_shapes.py"),
    "arcade": Library(("arcade",), "libraries/arcade_sprites.py"),
    "pyglet": Library(("pyglet",), "libraries/pyglet_shapes.py"),
    "pygame-ce": Library(("pygame-ce",), "libraries/pygame_renderer.py"),
    "pysdl2": Library(("pysdl2", "pysdl2-dll"), "libraries/pysdl2_context.py"),
    "pyside6-quick": Library(("PySide6-Essentials",), "libraries/pyside_quick.py"),
    "pyside6-widget": Library(("PySide6-Essentials",), "libraries/pyside_widget.py"),
    "pyqt6": Library(("PyQt6",), "libraries/pyqt_window.py"),
    "pyqtgraph": Library(("pyqtgraph", "PyQt6", "PyOpenGL"), "libraries/pyqtgraph_surface.py"),
    "gtk4": Library((), "libraries/gtk_area.py", "gi"),
    "wxpython": Library((), "libraries/wx_canvas.py", "wx"),
    "vtk": Library(("vtk",), "libraries/vtk_cone.py"),
    "pyvista": Library(("pyvista",), "libraries/pyvista_mesh.py"),
    "open3d": Library(("open3d",), "libraries/open3d_mesh.py"),
    "dearpygui": Library(("dearpygui",), "libraries/dearpygui_window.py"),
    "imgui-bundle": Library(("imgui-bundle",), "libraries/imgui_bundle_window.py"),
    "skia-python": Library(("skia-python", "glfw"), "libraries/skia_surface.py"),
    "manim": Library(("manim",), "libraries/manim_scene.py"),
    "pyrender": Library(("pyrender",), "libraries/pyrender_scene.py"),
    "zengl": Library(("zengl",), "libraries/zengl_triangle.py"),
    "vispy": Library(("vispy",), "libraries/vispy_scene.py"),
    "glumpy": Library(("glumpy",), "libraries/glumpy_quad.py"),
    "moderngl": Library(("moderngl",), "libraries/moderngl_headless.py"),
    "moderngl-window": Library(("moderngl-window",), "libraries/moderngl_window_cube.py"),
    "glfw": Library(("glfw", "PyOpenGL"), "libraries/glfw_pyopengl.py"),
    "pyxel": Library(("pyxel",), "libraries/pyxel_game.py"),
    "dearcygui": Library(("dearcygui",), "libraries/dearcygui_window.py"),
    "polyscope": Library(("polyscope",), "libraries/polyscope_mesh.py"),
    "pyimgui": Library(("imgui", "glfw", "PyOpenGL"), "libraries/imgui_window.py"),
    "slimgui": Library(("slimgui", "glfw", "PyOpenGL"), "libraries/slimgui_window.py"),
    "tcod": Library(("tcod",), "libraries/tcod_console.py"),
    "wgpu": Library(("wgpu",), "libraries/wgpu_triangle.py"),
    "pyopengltk": Library(("pyopengltk",), "libraries/tk_gl.py"),
    "kivymd": Library(("kivymd",), "libraries/kivymd_button.py"),
    "simple-3dviz": Library(("simple-3dviz",), "libraries/simple_3dviz_scene.py"),
    "mujoco": Library(("mujoco",), "libraries/mujoco_scene.py"),
}


def install(library: Library, folder: Path) -> tuple[str, str]:
    """Make the environment; gives its interpreter and what was installed, or why it was not."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
        own = [sysconfig.get_path("purelib"), str(ROOT)] + ([] if library.packages else [str(SYSTEM_PACKAGES)])
        (packages / "zz_gpucapture.pth").write_text("\n".join(own) + "\n")
        if library.packages:
            pip = [str(python), "-m", "pip", "install", "-q", *library.packages]
            done = subprocess.run(pip, capture_output=True, text=True, check=False)
            if done.returncode:
                shutil.rmtree(folder)
                return "", (done.stderr.strip().splitlines() or ["?"])[-1]
    if library.packages:
        code = f"from importlib.metadata import version; print(version({library.packages[0]!r}))"
    else:
        code = f"import {library.module} as module; print(module.__version__)"
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    return (str(python), done.stdout.strip()) if done.returncode == 0 else ("", message(done.stderr))


def examine(library: Library, python: str, display: str, scratch: Path) -> dict[str, Any]:
    """Run a library's program all ways."""
    program = ROOT / "tests" / "capture" / library.program
    bare, printed, errors = run([python, str(program)], scratch, SECONDS, DISPLAY=display)
    result: dict[str, Any] = {"bare": bare}
    if bare != "exit 0":
        return result | {"why": message(errors)}
    pictures = scratch / "pictures"
    pictures.mkdir()
    watching = f"import capture_examples; capture_examples.watch({str(pictures)!r})"
    ways = {"system": (watching, {"DISPLAY": display}), "null": ("", QT_SIZE), "null X11": ("", {"DISPLAY": display})}
    for way, (prelude, environment) in ways.items():
        trace = scratch / f"{way}.gltrace"
        command = capture(prelude, ["--driver", way.split()[0], "-o", str(trace)], program, python)
        status, now, errors = run(command, scratch, SECONDS, **environment)
        found: dict[str, Any] = {"status": status, "printed": now == printed}
        if status != "exit 0" or now != printed:
            found["why"] = message(errors)
            found["output"] = [printed, now, errors]
        if trace.exists():
            with open_trace(trace) as reader:
                found |= {"calls": reader.num_calls, "frames": len(reader.frames)}
            found["replay"], found["share"] = compare(trace, pictures)
        system = result.get("system", found)
        if passes(found) and found.get("frames") != system.get("frames"):
            found |= {"replay": "other frames", "why": f"{system.get('frames')} frames under system"}
        result[way] = found
        if way == "null" and passes(found):
            break
    return result


def passes(found: dict[str, Any]) -> bool:
    """Whether a way of running a program comes to the same as bare."""
    same = found["status"] == "exit 0" and found["printed"]
    return same and found.get("replay") in ("same", "nothing shown")


def describe(found: dict[str, Any] | None) -> str:
    """One cell of the table."""
    if found is None:
        return "-"
    share = f", {100 * found['share']:.2f} % off" if found.get("share", -1) > 0 else ""
    size = f"{found.get('frames', 0)} frames, {found.get('calls', 0)} calls{share}"
    if passes(found):
        return f"same: {size}"
    what = found["status"] if found["printed"] else f"{found['status']}, prints other things"
    return f"{what}: {size}; replay {found.get('replay', '-')}; {found.get('why', '')}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="where the environments are, or come to be")
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    results = {}
    with x_server() as display:
        for name, library in LIBRARIES.items():
            if arguments.only not in name:
                continue
            python, version = install(library, arguments.folder.resolve() / (library.packages or (name,))[0])
            result: dict[str, Any] = {"bare": "not installed", "why": version}
            if python:
                with tempfile.TemporaryDirectory() as scratch:
                    result = {"version": version} | examine(library, python, display, Path(scratch))
            results[name] = result
            ways = [f"{way}: {describe(result[way])}" for way in ("system", "null", "null X11") if way in result]
            print(f"{name} {result.get('version', '')}: bare {result['bare']} {result.get('why', '')}", flush=True)
            print("".join(f"    {way}\n" for way in ways), end="", flush=True)
            if arguments.json is not None:
                arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    same = {way: sum(way in each and passes(each[way]) for each in results.values()) for way in ("system", "null")}
    print(f"{len(results)} libraries: as bare under system {same['system']}, under null {same['null']}")


if __name__ == "__main__":
    main()
