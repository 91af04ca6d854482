"""The compiler's two entry points: compile a shader, link shaders to a program."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from replay.glsl.diagnostics import Diagnostic, Diagnostics, GlslError
from replay.glsl.program import GRAPHICS_STAGES, Program
from replay.glsl.program_cache import Verdict

if TYPE_CHECKING:
    from replay.glsl.declarations import CheckedShader
    from replay.glsl.linking.linker import Linked
    from replay.glsl.program_cache import ProgramCache

__all__ = ["CompileOptions", "Diagnostic", "Program", "Shader", "compile_shader", "link_program", "link_stage"]


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """What the context that compiles provides.

    Parameters
    ----------
    es : the context is GLES; a desktop context also takes ``#version 100``/``300 es`` (ARB_ES3_compatibility)
    max_version : highest version of the context's own profile, e.g. 310; None: 300 or 330
    extensions : GLSL extensions that ``#extension`` may enable; None: all that the compiler implements
    """

    es: bool = True
    max_version: int | None = None
    extensions: frozenset[str] | None = None


@dataclass(slots=True)
class Shader:
    """A compiled shader, or the reasons why there is none (``ok`` False, ``log``)."""

    stage: str
    ok: bool
    diagnostics: list[Diagnostic] = field(default_factory=list)
    #: Hash over sources, stage and options.
    key: str = ""
    #: The joined strings.
    text: str = field(default="", repr=False)
    #: Its language is that of GLES.
    es: bool = False
    #: Gives the checked tree.
    check: Callable[[], CheckedShader | None] = field(default=lambda: None, repr=False)

    @property
    def checked(self) -> CheckedShader | None:
        """The checked tree, for the linker; made now where the compiler was not asked because it had been before."""
        return self.check()

    @property
    def log(self) -> str:
        """Messages as glGetShaderInfoLog gives them, "" if there are none."""
        return "\n".join(str(message) for message in self.diagnostics)


def compile_shader(
    sources: Sequence[str] | str,
    stage: str,
    options: CompileOptions | None = None,
    *,
    cache: ProgramCache | None = None,
) -> Shader:
    """Compile one shader.

    Parameters
    ----------
    sources : strings as given to glShaderSource; the string number of a message is the index
    stage : "vertex", "tess_control", "tess_evaluation", "geometry", "fragment" or "compute"
    options : of the context, default a GLES context
    cache : where it is kept which shaders are right; those are compiled only if they have to be linked anew

    Returns
    -------
    Shader ; never raises for bad source
    """
    options = options or CompileOptions()
    strings = [sources] if isinstance(sources, str) else list(sources)
    key = _shader_key(sources, stage, options)
    verdict = cache.read_verdict(key) if cache is not None else None
    if verdict is not None:
        later = lru_cache(1)(lambda: _compile(strings, stage, options)[0])
        return Shader(stage, True, verdict.messages, key, "".join(strings), verdict.es, later)
    checked, diagnostics = _compile(strings, stage, options)
    ok = diagnostics.num_errors == 0
    es = checked is not None and checked.version.es
    if ok and cache is not None:
        cache.write_verdict(key, Verdict(es, diagnostics.messages))
    kept = checked if ok else None
    return Shader(stage, ok, diagnostics.messages, key, "".join(strings), es, lambda: kept)


def _compile(strings: list[str], stage: str, options: CompileOptions) -> tuple[CheckedShader | None, Diagnostics]:
    """The checked tree, and what there is to say."""
    from replay.glsl.checker import Checker
    from replay.glsl.parser import Parser
    from replay.glsl.preprocessor import Preprocessor, Source

    source = Source(strings)
    diagnostics = Diagnostics(source)
    checked = None
    with _deep_recursion():
        try:
            newest = options.max_version or (300 if options.es else 330)
            preprocessor = Preprocessor(source, diagnostics, options.es, newest, options.extensions)
            tokens = preprocessor.run()
            declarations = Parser(tokens, preprocessor).parse()
            if not diagnostics.num_errors or declarations:
                checked = Checker(declarations, preprocessor, stage).run()
        except GlslError:
            pass
    return checked, diagnostics


def _shader_key(sources: Sequence[str] | str, stage: str, options: CompileOptions) -> str:
    extensions = None if options.extensions is None else sorted(options.extensions)
    parts = [sources if isinstance(sources, str) else list(sources), stage, options.es, options.max_version, extensions]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def link_program(
    shaders: Sequence[Shader],
    *,
    attribute_bindings: Mapping[str, int] | None = None,
    frag_data_bindings: Mapping[str, int | tuple[int, int]] | None = None,
    transform_feedback: Sequence[str] = (),
    separable: bool = False,
    owners: Mapping[str, int] | None = None,
    cache: ProgramCache | None = None,
) -> Program:
    """Link compiled shaders.

    Parameters
    ----------
    shaders : at most one a stage
    attribute_bindings : glBindAttribLocation, name to location
    frag_data_bindings : glBindFragDataLocation(Indexed), name to colour number or (colour number, index)
    transform_feedback : glTransformFeedbackVaryings
    separable : the program may have any stages, and keeps what others could read
    owners : by stage the number of the program that it comes from, where a pipeline has several; their uniforms are
        apart, and ``reflection.parts`` tells them
    cache : where linked programs are kept between runs; None links anew

    Returns
    -------
    Program ; never raises for shaders that do not fit
    """
    messages: list[Diagnostic] = []

    def report(message: str) -> None:
        messages.append(Diagnostic("error", 0, 0, message))

    by_stage = {shader.stage: shader for shader in shaders}
    if len(by_stage) < len(shaders):
        report("two shaders of one stage cannot be linked together")
    for shader in shaders:
        if not shader.ok:
            report(f"the {shader.stage} shader did not compile")
    if not messages:
        _check_stages(by_stage, report, separable=separable)
    if messages:
        return Program(False, messages)
    key, texts = "", {shader.stage: shader.text for shader in shaders}
    if cache is not None:
        inputs: list[object] = [
            *(dict(attribute_bindings or {}), dict(frag_data_bindings or {}), list(transform_feedback)),
            *(separable, owners),
        ]
        key = cache.key([shader.key for shader in shaders], inputs)
        known = cache.read(key)
        if known is not None:
            known.sources, known.key = texts, key
            return known
    from replay.glsl.linking.linker import LinkRequest, link, link_compute

    checked = {stage: shader.checked for stage, shader in by_stage.items()}
    compute = checked.get("compute")
    ordered = [one for one in map(checked.get, GRAPHICS_STAGES) if one is not None]
    with _deep_recursion():
        if compute is not None:
            linked = link_compute(compute, report)
        else:
            bindings = attribute_bindings or {}, frag_data_bindings or {}
            request = LinkRequest(*bindings, transform_feedback, separable, owners or {})
            linked = link(ordered, request, report)
    if messages:
        return Program(False, messages)
    program = _program(linked, texts)
    if cache is not None:
        cache.write(key, program)
        program.key = key
    return program


def link_stage(shader: Shader) -> Program:
    """Link one compiled shader without its partner, to look at its code and counts: as a separable program.

    Returns
    -------
    Program ; of the other stage there is None
    """
    return link_program([shader], separable=True)


def _program(linked: Linked, sources: Mapping[str, str]) -> Program:
    """A program out of what was linked without a message."""
    return Program(
        True, reflection=linked.reflection, vertex=linked.vertex, fragment=linked.fragment, samplers=linked.samplers,
        compute=linked.compute, sources=sources, geometry=linked.geometry, tess_control=linked.tess_control,
        tess_evaluation=linked.tess_evaluation,
    )  # fmt: skip


def _check_stages(by_stage: Mapping[str, Shader], report: Callable[[str], None], *, separable: bool) -> None:
    """A program of GLES has both stages, one of desktop GL at least the vertex stage, a separable one any."""
    es = any(shader.es for shader in by_stage.values())
    if "compute" in by_stage:
        if len(by_stage) > 1:
            report("a compute shader is linked alone")
        return
    if separable and by_stage:
        return
    if "vertex" not in by_stage:
        report("there is no vertex shader")
    has_control, has_evaluation = "tess_control" in by_stage, "tess_evaluation" in by_stage
    if has_control and not has_evaluation:
        report("there is no tessellation evaluation shader")
    if es and has_evaluation and not has_control:
        report("there is no tessellation control shader")
    if es and "fragment" not in by_stage:
        report("there is no fragment shader")


#: Deep enough for what the parser's own limits let through.
_RECURSION_LIMIT: Final = 20_000


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
