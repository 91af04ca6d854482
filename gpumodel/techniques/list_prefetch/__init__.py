"""List prefetch: the baseline with what VRO and Deferred Rendering do besides, reading the next tile's list early."""

from __future__ import annotations

from gpumodel.techniques.list_prefetch.technique import ListPrefetch

__all__ = ["ListPrefetch"]
