"""Ids of the techniques, for those who must not import them: ``--help`` has to be quick."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Final

__all__ = ["OWN_TECHNIQUES", "PLUGIN_GROUP", "technique_names"]

#: Entry-point group of techniques in other packages; an entry's name is the technique's id.
PLUGIN_GROUP: Final = "gpureplay.techniques"
#: Module in ``gpumodel/techniques`` -> the techniques that it registers.
OWN_TECHNIQUES: Final = {
    "afbc": ("afbc",),
    "dr": ("dr", "dr-seq"),
    "dtexl_like": ("dtexl-like",),
    "evr_like": ("evr-like",),
    "fpk": ("fpk",),
    "frag_prepass": ("frag-prepass",),
    "frame_reverse": ("frame-reverse",),
    "libra_like": ("libra-like",),
    "list_prefetch": ("list-prefetch",),
    "lrz": ("lrz",),
    "memo": ("memo",),
    "omega_like": ("omega-like",),
    "overshading": ("ideal-order", "no-early-z"),
    "pfr": ("pfr",),
    "ptr": ("double", "ptr"),
    "ptr_shared": ("ptr-shared",),
    "re": ("re",),
    "tcor_like": ("tcor-like",),
    "te": ("te",),
    "triangle_dropping_like": ("triangle-dropping-like",),
    "vro": ("vro",),
    "zprepass": ("zprepass",),
}


def technique_names() -> list[str]:
    """Ids of all techniques, those that installed packages announce among them, in alphabetical order."""
    own = {name for names in OWN_TECHNIQUES.values() for name in names}
    return sorted(own | {entry.name for entry in entry_points(group=PLUGIN_GROUP)})
