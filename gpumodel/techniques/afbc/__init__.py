"""Compression of the Frame Buffer: superblocks of a header and as many bytes as their pixels need.

Source: the container as Mesa and Linux document it; the coder within is a stand-in.
"""

from gpumodel.techniques.afbc.technique import FrameBufferCompression

__all__ = ["FrameBufferCompression"]
