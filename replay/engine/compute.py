"""Dispatches of compute shaders in a context, run by the project's executors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from replay.engine.reach import Reach
from replay.engine.stages import bind_stage, loop_budget
from replay.glsl.compute import dispatch_llvm, dispatch_numpy
from replay.glsl.llvm.abi import LANES
from replay.glsl.llvm.options import StageOptions
from replay.glsl.numpy_executor import NumpyStage
from replay.texture.reference import SamplerReference
from traceformat.gles.objects import Image
from traceformat.gles.state import Context

if TYPE_CHECKING:
    from replay.engine.constants import StageConstants
    from replay.engine.programs import LinkedProgram
    from replay.engine.stages import BoundTextures

__all__ = ["dispatch"]

Groups = tuple[int, int, int]


def dispatch(
    context: Context,
    linked: LinkedProgram,
    groups: Groups,
    bound: BoundTextures,
    constants: StageConstants,
    *,
    is_reference: bool,
    changes: Callable[[Image], None],
) -> Reach:
    """Run a compute stage with what is bound.

    Parameters
    ----------
    linked : the program in use; it has a compute stage
    groups : work groups along x, y, z
    bound, constants : its textures and uniforms
    is_reference : run it in NumPy
    changes : told each image that will be written, before

    Returns
    -------
    what it reached: the images that were written, and how much memory
    """
    ir = linked.program.compute
    program = context.program
    assert ir is not None
    assert program is not None
    assert program.executable is not None
    reach = Reach(context, linked, program.executable)
    memories = reach.memories(ir, constants)
    areas: list[NDArray[Any]] = [area.view(np.int32) for area in constants.areas]
    written = reach.written
    for image in written:
        for one in image.images:
            changes(one)
    budget = loop_budget(-(-groups[0] * groups[1] * groups[2] * ir.local_size[0] // LANES))
    if is_reference:
        stage = NumpyStage(ir, SamplerReference(bound.bindings))
        dispatch_numpy(stage, groups, areas, memories, budget)
    else:
        code = bind_stage(linked, "compute", StageOptions(), bound)
        descriptors = [binding.descriptor for binding in bound.bindings]
        dispatch_llvm(ir, code.stage, groups, areas, memories, descriptors, budget)
    reach.close()
    for image in written:
        image.store()
    return reach
