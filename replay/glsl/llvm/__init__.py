"""The SPMD executor: shaders compiled by LLVM to machine code over vectors of 16 lanes (four quads).

Models nothing; computes what :mod:`replay.glsl` programs mean, bit by bit as the NumPy executor does.
llvmlite is imported when the first stage is compiled, not with this package.
"""
