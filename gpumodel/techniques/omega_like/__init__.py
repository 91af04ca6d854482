"""Last frame's depth in Early-Z: what lies behind it is not shaded, and comes again where that was wrong;
reconstructed.
"""

from gpumodel.techniques.omega_like.technique import OmegaTest

__all__ = ["OmegaTest"]
