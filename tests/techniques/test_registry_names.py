"""What ``--help`` says of techniques without importing them is what there is."""

from __future__ import annotations

from pathlib import Path

from gpumodel.technique_names import OWN_TECHNIQUES, technique_names
from gpumodel.techniques import known_techniques, registry


def test_names_are_those_that_register():
    assert technique_names() == sorted(known_techniques())


def test_every_folder_is_listed():
    """A technique that nobody lists is never imported: it would be unknown, and nothing else would say why."""
    folders = {
        path.parent.name for path in Path(registry.__file__).parent.glob("*/*.py") if "@register" in path.read_text()
    }
    assert folders == OWN_TECHNIQUES.keys(), "gpumodel/technique_names.py lists modules and the ids that they register"


def test_a_technique_s_name_is_known_elsewhere():
    assert registry.about_technique("vro") == "vro is a technique of tile-based GPUs"
    assert registry.about_technique("vr") is None
