"""Meshes as glTF 2.0 (one file, buffers inside) and as Wavefront OBJ."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gles import enums as gl

__all__ = ["gltf", "obj"]

_TYPES: Final = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}
#: glTF modes of points, lines and triangles, by vertices of a primitive.
_MODES: Final = {1: gl.GL_POINTS, 2: gl.GL_LINES, 3: gl.GL_TRIANGLES}


def gltf(
    name: str,
    positions: NDArray[np.float32],
    indices: NDArray[np.uint32],
    attributes: Mapping[str, NDArray[np.float32]],
) -> str:
    """Write a mesh as glTF 2.0.

    Parameters
    ----------
    name : of the mesh
    positions : (N, 3)
    indices : (P, 1, 2 or 3) rows of the positions
    attributes : other values of each vertex, (N, 1 to 4); they become application attributes such as ``_V_NORMAL``
    """
    data = bytearray()
    views: list[dict[str, Any]] = []
    accessors: list[dict[str, Any]] = []

    def add(values: NDArray[Any], component: int, kind: str, target: int, **extra: object) -> int:
        content = np.ascontiguousarray(values).tobytes()
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(content), "target": target})
        data.extend(content)
        data.extend(b"\0" * (-len(data) % 4))
        count = values.size if kind == "SCALAR" else len(values)
        view = len(views) - 1
        accessors.append({"bufferView": view, "componentType": component, "count": count, "type": kind, **extra})
        return len(accessors) - 1

    positions = np.asarray(positions, "<f4")
    low, high = (positions.min(axis=0), positions.max(axis=0)) if len(positions) else (np.zeros(3), np.zeros(3))
    bounds = {"min": [float(one) for one in low], "max": [float(one) for one in high]}
    entry: dict[str, int] = {"POSITION": add(positions, gl.GL_FLOAT, "VEC3", gl.GL_ARRAY_BUFFER, **bounds)}
    for key, values in attributes.items():
        finite = np.nan_to_num(np.asarray(values, "<f4"))
        label = "_" + re.sub(r"\W", "_", key).upper()
        entry[label] = add(finite, gl.GL_FLOAT, _TYPES[finite.shape[1]], gl.GL_ARRAY_BUFFER)
    rows = add(np.asarray(indices, "<u4").reshape(-1), gl.GL_UNSIGNED_INT, "SCALAR", gl.GL_ELEMENT_ARRAY_BUFFER)
    primitive = {"attributes": entry, "indices": rows, "mode": _MODES[indices.shape[1]]}
    uri = "data:application/octet-stream;base64," + base64.b64encode(bytes(data)).decode()
    document = {
        "asset": {"version": "2.0", "generator": "gputrace"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": name}],
        "meshes": [{"name": name, "primitives": [primitive]}],
        "buffers": [{"byteLength": len(data), "uri": uri}],
        "bufferViews": views,
        "accessors": accessors,
    }
    return json.dumps(document)


def obj(name: str, positions: NDArray[np.float32], indices: NDArray[np.uint32]) -> str:
    """Write a mesh as Wavefront OBJ: positions and faces (or lines, or points); see :func:`gltf`."""
    letter = {1: "p", 2: "l", 3: "f"}[indices.shape[1]]
    lines = [f"o {name}"]
    lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in positions.tolist()]
    lines += [letter + "".join(f" {row + 1}" for row in face) for face in indices.tolist()]
    return "\n".join(lines) + "\n"
