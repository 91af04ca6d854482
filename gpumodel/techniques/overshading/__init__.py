"""The study of overshading: a machine without Early-Z, and one with the perfect order of objects (VRO Fig. 2)."""

from __future__ import annotations

from gpumodel.techniques.overshading.ideal import IdealOrder
from gpumodel.techniques.overshading.late import NoEarlyZ

__all__ = ["IdealOrder", "NoEarlyZ"]
