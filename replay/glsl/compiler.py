"""The compiler's two entry points: compile a shader, link shaders to a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from replay.glsl.diagnostics import Diagnostic
from replay.glsl.reflection import Reflection

if TYPE_CHECKING:
    from replay.glsl.ir import SamplerSlot, StageIR

__all__ = ["CompileOptions", "Diagnostic", "Program", "Shader", "compile_shader", "link_program"]


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """What the context that compiles provides.

    Parameters
    ----------
    es : the context is GLES; a desktop context also takes ``#version 100``/``300 es`` (ARB_ES3_compatibility)
    max_version : highest desktop or ES version accepted, e.g. 300 or 330
    extensions : GLSL extensions that ``#extension`` may enable; None: all that the compiler implements
    """

    es: bool = True
    max_version: int = 330
    extensions: frozenset[str] | None = None


@dataclass(slots=True)
class Shader:
    """A compiled shader, or the reasons why there is none (``ok`` False, ``log``)."""

    stage: str
    ok: bool
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def log(self) -> str:
        """Messages as glGetShaderInfoLog gives them, "" if there are none."""
        return "\n".join(str(message) for message in self.diagnostics)


@dataclass(slots=True)
class Program:
    """A linked program, or the reasons why there is none.

    ``samplers`` is shared by both stages. ``vertex`` and ``fragment`` are None unless ``ok`` (a program without
    fragment shader links on desktop versions only).
    """

    ok: bool
    diagnostics: list[Diagnostic] = field(default_factory=list)
    reflection: Reflection = field(default_factory=Reflection)
    vertex: StageIR | None = None
    fragment: StageIR | None = None
    samplers: list[SamplerSlot] = field(default_factory=list)

    @property
    def log(self) -> str:
        """Messages as glGetProgramInfoLog gives them."""
        return "\n".join(str(message) for message in self.diagnostics)


def compile_shader(sources: Sequence[str] | str, stage: str, options: CompileOptions | None = None) -> Shader:
    """Compile one shader.

    Parameters
    ----------
    sources : strings as given to glShaderSource; the string number of a message is the index
    stage : "vertex" or "fragment"
    options : of the context, default a GLES context

    Returns
    -------
    Shader ; never raises for bad source
    """
    raise NotImplementedError


def link_program(
    shaders: Sequence[Shader],
    *,
    attribute_bindings: Mapping[str, int] | None = None,
    frag_data_bindings: Mapping[str, int | tuple[int, int]] | None = None,
    transform_feedback: Sequence[str] = (),
    transform_feedback_separate: bool = False,
) -> Program:
    """Link compiled shaders.

    Parameters
    ----------
    shaders : at most one a stage
    attribute_bindings : glBindAttribLocation, name to location
    frag_data_bindings : glBindFragDataLocation(Indexed), name to colour number or (colour number, index)
    transform_feedback : glTransformFeedbackVaryings
    transform_feedback_separate : GL_SEPARATE_ATTRIBS

    Returns
    -------
    Program ; never raises for shaders that do not fit
    """
    raise NotImplementedError
