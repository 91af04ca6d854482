"""glGetString and glGetStringi."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_value
from traceformat.gles.state import Changes, Context

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker


def version_string(context: Context) -> str:
    """GL_VERSION: ``OpenGL ES 3.0 ...`` or ``3.3 ...``."""
    config = context.config
    number = f"{config.major}.{config.minor}"
    profile = {1: " (Core Profile)", 2: " (Compatibility Profile)"}.get(config.profile, "")
    return (
        f"OpenGL ES {number} {context.limits.renderer}"
        if config.is_gles
        else f"{number}{profile} {context.limits.renderer}"
    )


def shading_language_version(context: Context) -> str:
    """GL_SHADING_LANGUAGE_VERSION."""
    config = context.config
    if config.is_gles:
        return "OpenGL ES GLSL ES 1.00" if config.major < 3 else f"OpenGL ES GLSL ES {config.major}.{config.minor}0"
    if config.version >= 33:
        return f"{config.major}.{config.minor}0"
    return {20: "1.10", 21: "1.20", 30: "1.30", 31: "1.40", 32: "1.50"}.get(config.version, "1.20")


@handles("glGetString", touches=Changes.NOTHING)
def get_string(tracker: Tracker, context: Context, name: int) -> str:
    if name == gl.GL_VENDOR:
        return context.limits.vendor
    if name == gl.GL_RENDERER:
        return context.limits.renderer
    if name == gl.GL_VERSION:
        return version_string(context)
    if name == gl.GL_SHADING_LANGUAGE_VERSION:
        return shading_language_version(context)
    if name == gl.GL_EXTENSIONS and (context.is_gles or context.config.profile != 1):
        return " ".join(context.extensions)
    raise invalid_enum(f"name {name:#x}")


@handles("glGetStringi", touches=Changes.NOTHING)
def get_string_indexed(tracker: Tracker, context: Context, name: int, index: int) -> str:
    if name == gl.GL_SHADING_LANGUAGE_VERSION and not context.is_gles and index == 0:
        return shading_language_version(context)
    if name != gl.GL_EXTENSIONS:
        raise invalid_enum(f"name {name:#x}")
    if not 0 <= index < len(context.extensions):
        raise invalid_value(f"extension {index}")
    return context.extensions[index]
