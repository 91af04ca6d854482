"""Passes over the IR, in the order in which :func:`optimize` runs them.

1. :mod:`split_arrays`: arrays that are indexed by constants only become separate variables.
2. :mod:`forward`: rebuilds the program through the folding builder; loads take the value of the store that reaches
them, small
   branches become selects.
3. :mod:`eliminate`: drops stores that nobody reads and values that nobody uses.
4. :mod:`fuse`: multiply and add become one instruction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from replay.glsl.ir import Region, Variable
from replay.glsl.passes.eliminate import eliminate
from replay.glsl.passes.forward import forward
from replay.glsl.passes.fuse import fuse
from replay.glsl.passes.split_arrays import split_arrays

__all__ = ["fuse", "optimize"]

#: Rounds of forwarding and elimination; what a second one finds is little.
MAX_ROUNDS: Final = 2


def optimize(
    body: Region,
    variables: list[Variable],
    outputs: set[Variable],
    inspect: Callable[[str, Region], None] | None = None,
) -> tuple[Region, list[Variable]]:
    """Run all passes but fusion.

    Parameters
    ----------
    outputs : variables whose content at the end counts
    inspect : called with the name of each pass and its result, for tests
    """

    def done(name: str) -> None:
        if inspect is not None:
            inspect(name, body)

    variables = split_arrays(body, variables, outputs)
    done("split_arrays")
    for _ in range(MAX_ROUNDS):
        body = forward(body)
        done("forward")
        eliminate(body, outputs)
        done("eliminate")
        before = len(variables)
        variables = split_arrays(body, variables, outputs)
        if len(variables) == before and not any(instr.op == "load" for instr in body.instructions()):
            break
    return body, variables
