"""What the moderngl samples share: textures, and meshes bound to a program."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from samples.maths import Matrix
from samples.meshes import Mesh

__all__ = ["mesh_array", "set_matrix", "texture"]


def texture(context: moderngl.Context, image: NDArray[np.uint8]) -> moderngl.Texture:
    """Upload an RGBA image with mipmaps."""
    height, width = image.shape[:2]
    out = context.texture((width, height), 4, np.ascontiguousarray(image).tobytes())
    out.build_mipmaps()
    out.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
    return out


def mesh_array(context: moderngl.Context, program: moderngl.Program, mesh: Mesh) -> moderngl.VertexArray:
    """Vertex array of a mesh for a program with any of the attributes position, normal and uv."""
    layout, names = [], []
    for name, size in (("position", 3), ("normal", 3), ("uv", 2)):
        present = name in program
        layout.append(f"{size}f" if present else f"{size * 4}x")
        names += [name] if present else []
    return context.vertex_array(
        program,
        [(context.buffer(mesh.vertices.tobytes()), " ".join(layout), *names)],
        index_buffer=context.buffer(mesh.indices.tobytes()),
        index_element_size=2,
    )


def set_matrix(program: Any, name: str, value: Matrix) -> None:
    """Set a 4x4 uniform matrix."""
    program[name].write(np.ascontiguousarray(value.T).tobytes())
