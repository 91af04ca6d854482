"""What a technique declares is all there is: parameters in its own folder, counters named once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpumodel.config import load_config
from gpumodel.config.load import config_sha256, machine_schema
from gpumodel.config.schema import GpuConfig
from gpumodel.config.section import TechniqueConfig, parameter
from gpumodel.runs import Run
from gpumodel.techniques import Plugs, Technique, known_techniques, registry
from gpumodel.techniques.matrix import matrix_page, why_refused
from gpumodel.techniques.reference import reference_page
from gpumodel.techniques.registry import combine
from traceformat.errors import ConfigError

ROOT = Path(__file__).parents[2]
OWN = sorted(known_techniques())


def make(name: str, config: Any) -> type[Technique]:
    class Made(Technique):
        id = name
        source = "test"
        Config = config

        def plugs(self, config: Any) -> Plugs:
            return Plugs()

        def hardware(self, config: Any) -> list[Any]:
            return []

    return Made


def test_the_machine_knows_no_technique() -> None:
    """The central schema, and everything below ``config/``, names none."""
    sections = {known_techniques()[name].Config.section for name in OWN if known_techniques()[name].Config}
    own = "afbc double dr dtexl_like evr_like fpk frag_prepass libra_like list_prefetch lrz memo omega_like pfr ptr"
    assert sections == {*own.split(), "ptr_shared", "re", "tcor_like", "te", "vro"}
    assert not sections & set(GpuConfig.model_fields)
    assert sections <= set(machine_schema().model_fields)
    for path in (ROOT / "gpumodel" / "config").glob("*.py"):
        assert "gpumodel.techniques." not in path.read_text().replace("gpumodel.techniques.registry", "")


@pytest.mark.parametrize("name", OWN)
def test_each_counter_is_a_field_and_in_the_results(name: str) -> None:
    one = Run(load_config("mali450-vro"), [name])
    (technique,) = one._techniques
    assert set(technique.read_counters()) <= set(technique.counters)
    fields = technique.record.dtype.names or ()
    assert {counter.field for counter in technique.counters.values()} <= set(fields)
    assert all(full.endswith(f".{counter.field}") for full, counter in technique.counters.items())


@pytest.mark.parametrize("name", OWN)
def test_what_has_not_run_has_counted_nothing(name: str) -> None:
    """One that is only asked, for its hardware or the frames that it needs, has a field for each counter, too."""
    technique = known_techniques()[name]()
    fields = {counter.field for counter in technique.counters.values()}
    assert fields <= set(technique.record.dtype.names or ())
    assert not any(technique.record[field].any() for field in fields)


def test_the_reference_is_what_is_declared() -> None:
    page = (ROOT / "docs" / "technique_reference.md").read_text(encoding="utf-8")
    assert page == reference_page({name: known_techniques()[name] for name in OWN}), (
        "gpureplay techniques --markdown > docs/technique_reference.md"
    )


def test_the_matrix_is_what_the_rules_say() -> None:
    page = (ROOT / "docs" / "technique_matrix.md").read_text(encoding="utf-8")
    assert page == matrix_page(OWN, "mali450-vro"), "gpureplay techniques --matrix > docs/technique_matrix.md"
    assert why_refused("lrz", "te", "mali450-vro") == why_refused("fpk", "vro", "mali450-vro") == ""
    assert why_refused("memo", "pfr", "mali450-vro") == "memo contains pfr"
    assert "both want the spare bits" in why_refused("tcor-like", "vro", "mali450-vro")


def test_what_is_taken_is_one_technique_s() -> None:
    first, second = (make(name, None)() for name in ("first", "second"))
    combine([first, second], load_config("mali450-vro"))
    type(first).takes = type(second).takes = ("the last bit",)
    with pytest.raises(ConfigError, match="techniques first and second both want the last bit"):
        combine([first, second], load_config("mali450-vro"))


def test_a_package_that_is_installed_changes_no_hash(clean_registry: None) -> None:
    class MyConfig(TechniqueConfig):
        size: int = parameter(4, ge=1, le=9, source="test", description="entries")

    before = config_sha256(load_config("mali450-vro"))
    registry.register(make("mine", MyConfig))
    config = load_config("mali450-vro")
    assert MyConfig.of(config).size == 4
    assert config_sha256(config) == before
    changed = load_config("mali450-vro", ["mine.size=5"])
    assert MyConfig.of(changed).size == 5
    assert config_sha256(changed) != before
    with pytest.raises(ConfigError, match=r"mine.sise = 5: unknown key \(did you mean mine.size\?\)"):
        load_config("mali450-vro", ["mine.sise=5"])
    with pytest.raises(ConfigError, match=r"mine\.size = 10"):
        load_config("mali450-vro", ["mine.size=10"])


def test_a_configuration_from_before_the_technique_has_its_defaults(clean_registry: None) -> None:
    class LateConfig(TechniqueConfig):
        size: int = parameter(4, ge=1, le=9, source="test", description="entries")

    config = load_config("mali450-vro")
    registry.register(make("late", LateConfig))
    assert LateConfig.of(config).size == 4


def test_a_configuration_goes_to_another_process() -> None:
    import pickle

    config = load_config("mali450-re", ["re.ot_queue=7"])
    again = pickle.loads(pickle.dumps(config))
    assert again == config
    assert config_sha256(again) == config_sha256(config)


def test_parameters_that_say_nothing_are_refused(clean_registry: None) -> None:
    class Bare(TechniqueConfig):
        size: int = 4

    class Endless(TechniqueConfig):
        size: int = parameter(4, source="test", description="entries")

    class Nameless(TechniqueConfig):
        size: int = parameter(4, ge=1, source="", description="entries")

    for kind in (Bare, Endless, Nameless):
        with pytest.raises(ConfigError, match="without default, description, source or range: size"):
            registry.register(make(kind.__name__.lower(), kind))


def test_a_section_has_one_owner(clean_registry: None) -> None:
    class Tile(TechniqueConfig):
        size: int = parameter(4, ge=1, source="test", description="entries")

    class Vro(TechniqueConfig):
        section = "vro"
        size: int = parameter(4, ge=1, source="test", description="entries")

    with pytest.raises(ConfigError, match="the section tile is taken"):
        registry.register(make("tile", Tile))
    with pytest.raises(ConfigError, match="the section vro is taken"):
        registry.register(make("other", Vro))
    assert np.all([name in known_techniques() for name in OWN])
