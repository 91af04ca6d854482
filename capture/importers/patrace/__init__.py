"""Reads ARM PATrace's ``.pat`` files (header versions 3 to 6) and writes ``.gltrace``.

``container`` reads headers and chunks, ``signatures`` says how records are laid out, ``walking`` finds where they
begin, ``decoding`` reads one, ``convert`` turns it into calls of ours (``windowsystem`` for EGL, ``clientbuffers`` for
what lay in the program's memory), and ``columns`` does that for many at once. ``source`` brings them together.
"""

from __future__ import annotations

from capture.importers.patrace.container import is_pat
from capture.importers.patrace.source import PatSource

__all__ = ["PatSource", "is_pat"]
