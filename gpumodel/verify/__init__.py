"""Verification: recomposes the pixels of a run from the log of what its units did, and compares them with the replay's.

Nothing here reads the model's depth or stencil buffers or its plans: a colour counts where the log proves its source,
and only what Blending retired and what tiles flushed reaches a frame buffer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.lazy import lazy_names

if TYPE_CHECKING:
    from gpumodel.verify.recompose import Recomposer
    from gpumodel.verify.result import Mismatch, Verification

__all__ = ["Mismatch", "Recomposer", "Verification"]

# The kernels cost a second.
__getattr__, __dir__ = lazy_names(__name__, {"Recomposer": "recompose", "Mismatch": "result", "Verification": "result"})
