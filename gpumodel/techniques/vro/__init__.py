"""Visibility Rendering Order: objects front to back, by what the depth test found in the frame before (VRO §3, §4.3)."""

from __future__ import annotations

from gpumodel.techniques.vro.technique import VisibilityOrder

__all__ = ["VisibilityOrder"]
