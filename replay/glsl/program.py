"""What linking gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from replay.glsl.diagnostics import Diagnostic
from replay.glsl.reflection import Reflection

if TYPE_CHECKING:
    from replay.glsl.ir import SamplerSlot, StageIR

__all__ = ["GRAPHICS_STAGES", "Program"]

#: Stages of draws, in the order in which they run.
GRAPHICS_STAGES: Final = ("vertex", "tess_control", "tess_evaluation", "geometry", "fragment")


@dataclass(slots=True)
class Program:
    """A linked program, or the reasons why there is none.

    ``samplers`` is shared by all stages. ``vertex`` and ``fragment`` are None unless ``ok`` (a program without
    fragment shader links on desktop versions only), ``geometry`` and the tessellation stages are None in most. A
    compute program has ``compute`` alone. ``sources`` are the joined strings of each stage, whose lines instructions
    refer to. ``fingerprints`` are those of the stages (:mod:`replay.glsl.llvm.fingerprint`) where they are known: in
    programs that the cache keeps, which nobody changes; those have a ``key``, too: all that they follow from.
    """

    ok: bool
    diagnostics: list[Diagnostic] = field(default_factory=list)
    reflection: Reflection = field(default_factory=Reflection)
    vertex: StageIR | None = None
    fragment: StageIR | None = None
    samplers: list[SamplerSlot] = field(default_factory=list)
    compute: StageIR | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    geometry: StageIR | None = None
    tess_control: StageIR | None = None
    tess_evaluation: StageIR | None = None
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    key: str = ""

    @property
    def last_vertex_stage(self) -> StageIR | None:
        """The stage whose outputs are vertices of what is drawn."""
        return self.geometry or self.tess_evaluation or self.vertex

    @property
    def log(self) -> str:
        """Messages as glGetProgramInfoLog gives them."""
        return "\n".join(str(message) for message in self.diagnostics)
