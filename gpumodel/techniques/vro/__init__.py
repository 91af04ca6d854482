"""Visibility Rendering Order: objects front to back, as the last frame's depth tests found them (VRO §3, §4.3)."""

from __future__ import annotations

from gpumodel.techniques.vro.technique import VisibilityOrder

__all__ = ["VisibilityOrder"]
