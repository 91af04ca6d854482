"""What ``--help`` says of techniques without importing them is what there is."""

from __future__ import annotations

from gpumodel.technique_names import technique_names
from gpumodel.techniques import known_techniques


def test_names_are_those_that_register():
    assert technique_names() == sorted(known_techniques())
