"""One hook for several techniques: each is asked until it has decided."""

from gpumodel.techniques.chain.kernels import chain

__all__ = ["chain"]
