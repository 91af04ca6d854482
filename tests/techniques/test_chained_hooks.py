"""A hook that several techniques share: those that have agreed are not asked again, whoever else asks meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit, types

from gpumodel.config import load_config
from gpumodel.machine import Machine
from gpumodel.techniques import registry
from gpumodel.techniques.chain.kernels import MAX_MEMBERS, chain
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.units.plug import PLUG_SIGNATURE, call_plug
from gpumodel.units.types import SYSTEM_T
from gpumodel.units.views import state_accessor
from traceformat.errors import ConfigError, ToolWarning
from traceformat.kernels import callback

_STATE = np.dtype([("calls", np.int64), ("refuses", np.int64), ("answer", np.int64)], align=True)
_own = state_accessor(_STATE)


@callback(PLUG_SIGNATURE)
def answer(s: Any, address: Any, asker: Any, b: Any, c: Any, d: Any) -> Any:
    """Ask for another call so many times, then answer."""
    own = _own(address)
    own.calls += 1
    return -1 if own.calls <= own.refuses else own.answer


@njit(types.int64(SYSTEM_T, *[types.int64] * 4))
def ask(s: Any, asker: Any, b: Any, c: Any, d: Any) -> Any:
    return call_plug(s, s.plugs.tile_flush, asker, b, c, d)


def asked(*members: tuple[int, int]) -> tuple[Machine, list[Any]]:
    states = [np.array([(0, *member)], _STATE) for member in members]
    hook = chain("tile_flush", [Hook(answer, own) for own in states])
    return Machine(load_config("mali450-vro"), Plugs(hooks={"tile_flush": hook})), states


def test_who_has_agreed_is_asked_once_a_question() -> None:
    """Two Raster Units by turns, each with a question of its own; the second member wants four calls more."""
    machine, (first, second) = asked((0, 1), (4, 1))
    questions = [(asker, 10 + asker, 20 + asker, 30 + asker) for asker in (1, 2, 0)]
    answers = [int(ask(machine.system, *question)) for _ in range(3) for question in questions]
    assert answers == [-1, -1, -1, -1, 1, 1, 1, 1, 1]
    # Asked about the same once more, those who were through begin anew.
    assert (first["calls"][0], second["calls"][0]) == (3 + 2, 9)
    for changed in ((0, 11, 20, 30), (0, 11, 21, 30), (0, 11, 21, 31)):
        second["refuses"] = second["calls"] + 1
        before = int(first["calls"][0])
        assert ask(machine.system, *changed) == -1
        assert first["calls"][0] == before + 1


def test_the_first_no_is_the_answer() -> None:
    machine, (first, second, third) = asked((0, 1), (0, 0), (0, 1))
    assert [int(ask(machine.system, 0, 5, 0, 0)) for _ in range(2)] == [0, 0]
    assert [int(one["calls"][0]) for one in (first, second, third)] == [2, 2, 0]


def test_as_many_as_fit() -> None:
    hooks = [Hook(answer, np.zeros(1, _STATE)) for _ in range(MAX_MEMBERS + 1)]
    chain("tile_flush", hooks[:-1])
    with pytest.raises(ConfigError, match=f"{MAX_MEMBERS + 1} techniques want the hook tile_flush, {MAX_MEMBERS} fit"):
        chain("tile_flush", hooks)


def test_whoever_asks_for_techniques_is_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one that cannot be loaded, in their own line."""
    monkeypatch.setattr(registry, "plugins", lambda: [registry.Plugin("far", "far 1.0", "far_away", "no luck")])
    with pytest.warns(
        ToolWarning, match="technique far of far 1.0 is left out, it cannot be loaded: no luck"
    ) as caught:
        assert registry.parse_techniques([]) == [()]
    assert caught[0].filename == __file__
