"""Deferred Rendering: Hidden Surface Removal before each tile, in sequence or beside the rendering (VRO §4.2)."""

from __future__ import annotations

from gpumodel.techniques.dr.technique import DeferredRendering, SequentialRendering

__all__ = ["DeferredRendering", "SequentialRendering"]
