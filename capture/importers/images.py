"""EGLImages: the one object of EGL whose calls are kept, since they share textures between contexts."""

from __future__ import annotations

from typing import Final

from capture.importers.report import ImportReport
from traceformat.calls import Value
from traceformat.gles import egl_enums as egl

__all__ = ["IMAGES", "is_of_gl", "with_source"]

#: EGL calls that are kept as made.
IMAGES: Final = ("eglCreateImage", "eglCreateImageKHR", "eglDestroyImage", "eglDestroyImageKHR")


def is_of_gl(target: int) -> bool:
    """Whether an EGLImage made with a target is a GL object."""
    return egl.GL_TEXTURE_2D <= target <= egl.GL_RENDERBUFFER


def with_source(args: tuple[Value, ...], target: int, source: int, report: ImportReport) -> tuple[Value, ...]:
    """Arguments of eglCreateImage: the source is the name of a GL object, or something outside of GL."""
    if is_of_gl(target):
        return (*args[:3], source, args[4])
    report.lost["content of an EGLImage from outside GL"] += 1
    return args
