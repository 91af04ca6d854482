"""Runs that arrange passes alike share them: the same results as alone, with less work, and nothing held for long."""

from __future__ import annotations

from typing import Any, cast

import pytest
from test_model_oracle import random_scene

from gpumodel import Run, load_config, run_all
from gpumodel import shared_passes as module
from gpumodel.config.schema import GpuConfig
from gpumodel.quad_maps import quad_map
from gpumodel.streams import _ARRANGED_BY, PassTables
from traceformat.gputrace.frametrace import FrameTrace

MACHINES = (
    ("mali450-vro", "memory.mode=paper"), ("mali450-re", "memory.mode=dram"), ("tbr-fhd", "memory.mode=paper"),
    ("mali450-vro", "caches.texture.size_bytes=16384"), ("mali450-vro", "tile.order=snake"),
)  # fmt: skip


def frames() -> list[FrameTrace]:
    return [random_scene(seed).trace() for seed in (3, 4, 5)]


def machines() -> list[Run]:
    return [
        Run(load_config(preset, (setting, "screen.scale_to_trace=true")), keep_passes=False)
        for preset, setting in MACHINES
    ]


@pytest.fixture
def arranged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Passes that were arranged, one behind the other."""
    found: list[int] = []
    arrange = PassTables.arrange

    def noted(self: PassTables, index: int, *part: Any) -> Any:
        found.append(index)
        return arrange(self, index, *part)

    monkeypatch.setattr(PassTables, "arrange", noted)
    return found


def results(runs: list[Run]) -> list[Any]:
    return [one.result.as_json()["frames"] for one in runs]


def test_runs_side_by_side_equal_each_alone(arranged: list[int]) -> None:
    alone = machines()
    for one in alone:
        list(run_all(frames(), [one]))
    of_all = len(arranged)
    arranged.clear()
    together = machines()
    list(run_all(frames(), together))
    assert results(together) == results(alone)
    # Three arrange alike: another memory, other rates, another cache.
    assert len(arranged) == of_all * (len(MACHINES) - 2) // len(MACHINES)
    order = together[0].machine.order
    assert order is together[1].machine.order
    assert isinstance(order, module.SharedPasses)
    assert (order._frame, order._passes, order._arranged) == (None, (), {})


def test_what_does_not_fit_is_arranged_by_each(arranged: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    alone = machines()
    for one in alone:
        list(run_all(frames(), [one]))
    of_all = len(arranged)
    arranged.clear()
    monkeypatch.setattr(module, "_WAITING_SHARE", 1 << 62)
    together = machines()
    list(run_all(frames(), together))
    assert results(together) == results(alone)
    assert len(arranged) == of_all


def test_what_arranging_reads_decides_what_is_shared() -> None:
    read: set[str] = set()

    class Noted:
        def __getattr__(self, name: str) -> Any:
            read.add(name)
            return getattr(load_config("mali450-vro"), name)

    config = cast(GpuConfig, Noted())
    for trace in frames():
        tables = PassTables(trace, config, quad_map(config))
        for index in range(trace["passes"].num_rows):
            tables.arrange(index)
    assert read == {*_ARRANGED_BY, "caches"}


def test_techniques_arrange_for_themselves() -> None:
    config = load_config("mali450-vro", ("screen.scale_to_trace=true",))
    runs = [Run(config, ids) for ids in ([], ["vro"])]
    module.share_passes(runs)
    assert not any(isinstance(one.machine.order, module.SharedPasses) for one in runs)
