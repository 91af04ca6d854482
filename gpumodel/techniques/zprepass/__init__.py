"""Z-prepass: the application renders its opaque geometry twice, first for the depths alone (VRO §2)."""

from __future__ import annotations

from gpumodel.techniques.zprepass.technique import DepthPrepass

__all__ = ["DepthPrepass"]
