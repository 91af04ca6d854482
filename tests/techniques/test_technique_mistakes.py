"""Mistakes of a technique's author are told in a line, with where they are, and never as a bug of ours."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from films import film

from gpumodel.config import load_config
from gpumodel.config.schema import GpuConfig
from gpumodel.energy.bill import Prices, Structure
from gpumodel.runs import Run
from gpumodel.techniques import Hook, Plugs, Technique, registry
from gpumodel.techniques.plugs import PluggedUnit
from gpumodel.techniques.reference import summary_of
from gpumodel.units.counters import Counter, named
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> FrameTrace:
    folder: Path = tmp_path_factory.mktemp("one")
    (frame,) = film(folder / "a.gltrace", [lambda one, number: one.square(1)])
    return frame


def mistaken(trace: FrameTrace, **methods: Any) -> ConfigError:
    """What a run says of a technique with these methods; it has a counter ``mistaken.events``."""

    class Mistaken(Technique):
        id = "mistaken"
        source = "test"
        counters = named("mistaken", Counter("events", "events", "counted"))

        def plugs(self, config: GpuConfig) -> Plugs:
            return Plugs()

        def hardware(self, config: GpuConfig) -> list[Structure]:
            return []

    for name, method in methods.items():
        setattr(Mistaken, name, method)
    registry.register(Mistaken)
    with pytest.raises(ConfigError) as caught:
        Run(load_config("mali450-vro"), ["mistaken"]).add(trace)
    return caught.value


def test_an_author_s_mistakes_are_a_line_each(clean_registry: None, trace: FrameTrace) -> None:
    def plugs(self: Technique, config: GpuConfig) -> Plugs:
        self.record = np.zeros(1, [("other", np.int64)])
        return Plugs(hooks={"bin": Hook(max)}, units=[PluggedUnit("one", Hook(max))])

    assert mistaken(trace, plugs=plugs).problems == (
        "technique mistaken: its record has no field events: counter_fields(COUNTERS)",
        "technique mistaken: the function of its hook bin is no @callback(PLUG_SIGNATURE)",
        "technique mistaken: the function of its unit one is no @callback(PLUG_SIGNATURE)",
    )


def test_a_record_that_nobody_reads_is_refused(clean_registry: None, trace: FrameTrace) -> None:
    class Compiled:
        address = 1

    def plugs(self: Technique, config: GpuConfig) -> Plugs:
        return Plugs(hooks={"bin": Hook(Compiled, np.zeros(1, [("events", np.int64)]))})

    (problem,) = mistaken(trace, plugs=plugs).problems
    assert "hook bin counts into a record that is not self.record" in problem


@pytest.mark.parametrize(
    ("row", "activity", "said"),
    [
        ("logic_registr_32b", "mistaken.events", r"no structure logic_registr_32b .*did you mean logic_register_32b\?"),
        ("logic_register_32b", "mistaken.event", "structure mistaken.register: no counter mistaken.event$"),
    ],
)
def test_a_price_of_nothing_is_refused(
    clean_registry: None, trace: FrameTrace, row: str, activity: str, said: str
) -> None:
    def hardware(self: Technique, config: GpuConfig) -> list[Structure]:
        return [Prices(config).array("mistaken.register", row, 1, 1, {activity: "read"})]

    (problem,) = mistaken(trace, hardware=hardware).problems
    assert re.search(said, problem)


def test_one_that_says_nothing_of_itself_inherits_no_words() -> None:
    class Silent(Technique):
        id = "silent"

    assert summary_of(Silent) == ""
