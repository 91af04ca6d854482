"""``gpureplay doctor``: what this machine has, and what that means for capture, replay and model."""

from __future__ import annotations

import ctypes.util
import importlib.metadata
import importlib.util
import json
import os
import platform
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.terminal import console
from traceformat.errors import MissingEnvironmentError
from traceformat.kernels import cache_root

__all__ = ["doctor"]

_PACKAGES = ("capture", "traceformat", "replay", "gpumodel", "samples")
_REQUIRED = ("numpy", "numba", "llvmlite", "construct", "click", "rich", "pydantic", "Pillow", "zstandard")
_CAPTURED = ("PyOpenGL", "moderngl", "glcontext", "glfw", "moderngl-window", "pyglet", "vispy")
_GL_LIBRARIES = ("EGL", "GLESv2", "GL")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: ``ok``, ``note`` (works without) or ``bad`` (something of ours cannot work)."""

    name: str
    state: str
    found: str
    advice: str = ""


def _packages() -> Check:
    roots = {}
    for name in _PACKAGES:
        spec = importlib.util.find_spec(name)
        places = list(spec.submodule_search_locations or ()) if spec else []
        roots[name] = str(Path(places[0]).parent) if places else "missing"
    if len(set(roots.values())) == 1 and "missing" not in roots.values():
        return Check("packages", "ok", "the five packages belong together")
    odd = ", ".join(f"{name} in {root}" for name, root in roots.items())
    return Check(
        "packages", "bad", odd, "another distribution has packages of our names; use an environment without it"
    )


def _python() -> Check:
    return Check("Python", "ok", platform.python_version())


def _distribution(name: str, *, required: bool) -> Check:
    try:
        return Check(name, "ok", importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        advice = "pip install " + name if required else "programs that use it cannot be captured here"
        return Check(name, "bad" if required else "note", "not installed", advice)


def _gl_library(name: str) -> Check:
    found = ctypes.util.find_library(name)
    if found:
        return Check(f"lib{name}", "ok", found)
    return Check(f"lib{name}", "note", "none", "capture with --driver null, which needs no GL")


def _display() -> Check:
    for variable in ("WAYLAND_DISPLAY", "DISPLAY"):
        if os.environ.get(variable):
            return Check("display", "ok", f"{variable}={os.environ[variable]}")
    return Check("display", "note", "none", "windows are opened off screen")


def _cache() -> Check:
    root = cache_root()
    if Path(tempfile.gettempdir()) in root.parents:
        return Check("cache", "note", str(root), "GPUREPLAY_CACHE names a folder that is kept; compiling starts anew")
    return Check("cache", "ok", str(root))


def _processor() -> Check:
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    best = next((name for name in ("avx512f", "avx2", "sse4.2", "neon") if features.get(name)), "plain")
    return Check("processor", "ok", f"{llvm.get_host_cpu_name()}, {os.cpu_count()} cores, {best}")


def _plugins() -> list[Check]:
    from gpumodel.techniques.registry import plugins

    advice = "its technique is left out; update or uninstall the package"
    return [
        Check(f"technique {plugin.name}", "note", f"{plugin.package}: {plugin.error}", advice)
        if plugin.error
        else Check(f"technique {plugin.name}", "ok", plugin.package)
        for plugin in plugins()
    ]


def checks() -> list[Check]:
    """Look at everything."""
    return [
        _python(),
        _packages(),
        *(_distribution(name, required=True) for name in _REQUIRED),
        _processor(),
        _cache(),
        *(_gl_library(name) for name in _GL_LIBRARIES),
        _display(),
        *(_distribution(name, required=False) for name in _CAPTURED),
        *_plugins(),
    ]


@click.command(cls=Command, epilog=examples("gpureplay doctor"))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(as_json: bool) -> None:
    """Show what this machine has.

    Ends with status 4 if something is missing that the toolchain needs.
    """
    found = checks()
    if as_json:
        click.echo(json.dumps([asdict(check) for check in found], indent=1))
    else:
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for heading in ("", "", "", ""):
            table.add_column(heading, overflow="fold")
        signs = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "bad": "[red]BAD[/]"}
        for check in found:
            table.add_row(signs[check.state], check.name, check.found, check.advice)
        console().print(table)
    bad = [check for check in found if check.state == "bad"]
    if bad:
        raise MissingEnvironmentError(f"{bad[0].name}: {bad[0].found}", hint=bad[0].advice)
