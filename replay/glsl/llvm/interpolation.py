"""Interpolation of varyings from plane equations, inside the compiled stage, and its NumPy twin.

Each primitive has a row of 32-bit words: :data:`~replay.glsl.llvm.abi.PLANE_HEADER_WORDS` of header, then three
coefficients (a, b, c) for each component of the stage's inputs. At the fragment with pixel coordinates
(x, y) and the primitive's origin (x0, y0)::

    dx = float(x - x0), dy = float(y - y0)
    plane(a, b, c) = fused(c, dy, fused(b, dx, a))      each product and sum rounded once to binary32, as in llvmpipe
    w = 1 / plane(1/w)
    smooth        = plane(a, b, c) * w                  coefficients are those of value / w
    noperspective = plane(a, b, c)
    flat          = a                                   the bits of the value
    gl_FragCoord  = (float(x) + 0.5, float(y) + 0.5, plane(depth), plane(1/w))

The half pixel between a pixel's corner and its centre belongs into the coefficients ``a``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replay.glsl.ir import InputSlot, Interpolation
from replay.glsl.llvm.stage_layout import plane_words
from replay.glsl.vectorops import Vec, VectorOps

__all__ = ["interpolate", "plane_value"]


def plane_value(ops: VectorOps, a: Vec, b: Vec, c: Vec, dx: Vec, dy: Vec) -> Vec:
    """``c * dy + (b * dx + a)``, each product and sum rounded once."""
    return ops.ffused(c, dy, ops.ffused(b, dx, a))


def interpolate(
    ops: VectorOps,
    inputs: Sequence[InputSlot],
    planes: NDArray[Any],
    quad_primitive: NDArray[np.uint32],
    quad_x: NDArray[np.uint16],
    quad_y: NDArray[np.uint16],
) -> list[NDArray[Any]]:
    """Values of all inputs at every fragment: what the compiled stage computes, with NumPy.

    Parameters
    ----------
    ops : NumpyOps
    inputs : of the stage
    planes : (primitives, words) float32 rows as described in the module
    quad_primitive, quad_x, quad_y : (quads,) row of planes, x / 2, y / 2

    Returns
    -------
    (rows of the slot, 4 * quads) float32 or int32 for each input, elements one after the other
    """
    rows = planes[quad_primitive].repeat(4, axis=0)
    integers = rows.view(np.int32)
    lane = np.tile(np.arange(4, dtype=np.int32), len(quad_x))
    x = (quad_x.astype(np.int32) * 2).repeat(4) + (lane & 1)
    y = (quad_y.astype(np.int32) * 2).repeat(4) + (lane >> 1)
    dx, dy = ops.itof(x - integers[:, 0]), ops.itof(y - integers[:, 1])

    def plane(word: int) -> Any:
        return plane_value(ops, rows[:, word], rows[:, word + 1], rows[:, word + 2], dx, dy)

    over_w = plane(4)
    w = ops.fdiv(ops.fconst(1.0), over_w)
    half = ops.fconst(0.5)
    words, _ = plane_words(inputs)
    values: list[NDArray[Any]] = []
    for slot, first in zip(inputs, words, strict=True):
        if slot.builtin == "gl_FragCoord":
            values.append(np.stack([ops.fadd(ops.itof(x), half), ops.fadd(ops.itof(y), half), plane(7), over_w]))
        elif slot.builtin == "gl_FrontFacing":
            values.append(integers[:, 2][None])
        elif slot.builtin == "gl_PrimitiveID":
            values.append(integers[:, 3][None])
        else:
            components = []
            for component in range(slot.count * slot.type.width):
                word = first + 3 * component
                if slot.interpolation is Interpolation.FLAT:
                    components.append(integers[:, word] if slot.type.base else rows[:, word])
                elif slot.interpolation is Interpolation.SMOOTH:
                    components.append(ops.fmul(plane(word), w))
                else:
                    components.append(plane(word))
            values.append(np.stack(components))
    return values
