"""Hooks that several techniques share: one after the other, as gates in a row.

A technique that wants to be asked again is asked again; one that has agreed is not, so that it counts and writes once.
What one refuses, those behind it never see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from gpumodel.techniques.plugs import ASKED_AGAIN, Hook
from gpumodel.units.capacity import MAX_RASTER_UNITS
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE, call_plug
from gpumodel.units.state import PLUG
from gpumodel.units.views import state_accessor
from traceformat.errors import ConfigError
from traceformat.kernels import callback

__all__ = ["MAX_MEMBERS", "chain"]

#: Techniques at one hook.
MAX_MEMBERS: Final = 4
_I: Final = np.int64

#: ``again`` is the answer that asks for another call; by asking unit or frame: what it asks about, and who is next.
_CHAIN: Final = np.dtype(
    [
        ("count", _I), ("again", _I), ("member", PLUG, (MAX_MEMBERS,)),
        ("next", _I, (MAX_RASTER_UNITS,)), ("question", _I, (3 * MAX_RASTER_UNITS,)),
    ],
    align=True,
)  # fmt: skip

_own: Final = state_accessor(_CHAIN)


@callback(PLUG_SIGNATURE)
def _ask(s: Record, address: Int, asker: Int, b: Int, c: Int, d: Int) -> Int:
    """Ask those who have not agreed yet."""
    own = _own(address)
    known = own.question[3 * asker] == b and own.question[3 * asker + 1] == c and own.question[3 * asker + 2] == d
    if not known:
        own.question[3 * asker] = b
        own.question[3 * asker + 1] = c
        own.question[3 * asker + 2] = d
        own.next[asker] = 0
    answer = 1
    while own.next[asker] < own.count:
        answer = call_plug(s, own.member[own.next[asker]], asker, b, c, d)
        if answer == own.again:
            return answer
        if answer == 0:
            break
        own.next[asker] += 1
    own.next[asker] = 0
    return answer


def chain(name: str, hooks: Sequence[Hook]) -> Hook:
    """Make one hook of several.

    Parameters
    ----------
    name : one of :data:`~gpumodel.techniques.plugs.ASKED_AGAIN`
    hooks : in the order in which they are asked

    Raises
    ------
    ConfigError : more techniques than fit
    """
    if len(hooks) > MAX_MEMBERS:
        raise ConfigError([f"{len(hooks)} techniques want the hook {name}, {MAX_MEMBERS} fit"])
    own = np.zeros(1, _CHAIN)
    own["count"], own["again"] = len(hooks), ASKED_AGAIN[name]
    own["question"] = -1
    for member, hook in zip(own[0]["member"], hooks, strict=False):
        member["function"] = hook.function.address
        member["own"] = 0 if hook.own is None else hook.own.ctypes.data
    return Hook(_ask, own, kept=tuple(hooks))
