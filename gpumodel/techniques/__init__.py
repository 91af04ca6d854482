"""Techniques: what can be switched on beside the baseline, and how they plug in.

A technique is one module or package that derives from :class:`Technique` and registers itself; packages outside this
project register through the entry-point group ``gpureplay.techniques``.
"""

from __future__ import annotations

from gpumodel.techniques.plugs import HOOKS, Hook, PluggedCache, PluggedUnit, Plugs
from gpumodel.techniques.registry import Technique, known_techniques, parse_techniques, register

__all__ = [
    "HOOKS",
    "Hook",
    "PluggedCache",
    "PluggedUnit",
    "Plugs",
    "Technique",
    "known_techniques",
    "parse_techniques",
    "register",
]
