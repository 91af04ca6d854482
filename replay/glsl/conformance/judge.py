"""Runs one case and its negative control."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.glsl.compiler import CompileOptions, Program, Shader, compile_shader, link_program
from replay.glsl.conformance.pipeline import Executor, draw_rectangle
from replay.glsl.types import Base
from replay.glsl.versions import EXTENSIONS
from traceformat.errors import ToolError

__all__ = ["Verdict", "judge"]

Array = NDArray[Any]
Case = Mapping[str, Any]

#: Half of the fragments of a batch may lie in one triangle only; a few quads a pass are enough where nothing depends
#: on position.
SMALL_TARGET: Final = (4, 4)
FULL: Final = (-1.0, -1.0, 2.0, 2.0)
COLOR_TOLERANCE: Final = 3.0 / 256.0
_SKIP_FLAGS: Final = frozenset({"exactly_one_draw_buffer", "only_glsl_es_100_support"})


@dataclass(slots=True)
class Verdict:
    """Result of a case: "pass", "fail", "crash" or "skip"; ``control`` is "failed" (as it must), "passed" or ""
    (none).
    """

    result: str
    control: str = ""
    reason: str = ""


def _options(case: Case) -> CompileOptions:
    return CompileOptions(es=case.get("es_version") is not None)


def _compile(case: Case, vertex: str | None = None, fragment: str | None = None) -> list[Shader]:
    options = _options(case)
    sources = (("vertex", vertex or case.get("vertex_source")), ("fragment", fragment or case.get("fragment_source")))
    return [compile_shader([source], stage, options) for stage, source in sources if source is not None]


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:200]


def _log(shaders: Sequence[Shader]) -> str:
    return _first_line(next((shader.log for shader in shaders if not shader.ok), ""))


def judge(case: Case, executor: Executor) -> Verdict:
    """Run a case; a bug of the compiler gives "crash", never an exception."""
    try:
        missing = _missing(case)
        if missing:
            return Verdict("skip", reason=missing)
        return _judge(case, executor)
    except ToolError as error:
        return Verdict("fail", reason=str(error))
    except Exception as error:  # a crash is a result here
        return Verdict("crash", reason=f"{type(error).__name__}: {error}"[:200])


def _missing(case: Case) -> str:
    """What a case requires and we do not have, "" if nothing.

    A requirement is a record with a "flag" or an "extension" (one name, or several of which one is enough), or just
    the name of a flag or an extension. Limits are those of the specification, which every case keeps.
    """
    column = 0 if case.get("es_version") is not None else 1
    for requirement in case.get("requires") or ():
        if isinstance(requirement, str):
            requirement = {"extension" if requirement.startswith("GL_") else "flag": requirement}
        flag, wanted = requirement.get("flag"), requirement.get("extension")
        if flag in _SKIP_FLAGS:
            return str(flag)
        names = [wanted] if isinstance(wanted, str) else wanted or ()
        number = int(str(case["glsl_version"]).split()[0])
        if names and not any(number in EXTENSIONS.get(name, ((), ()))[column] for name in names):
            return " or ".join(names)
    return ""


def _judge(case: Case, executor: Executor) -> Verdict:
    expect = case["expect"]
    shaders = _compile(case)
    compiled = all(shader.ok for shader in shaders)
    if expect == "compile_fail":
        return Verdict("fail", reason="compiled") if compiled else Verdict("pass")
    if case["kind"].startswith("compile_"):
        return _judge_compile_only(case, shaders, compiled)
    if not compiled:
        if expect == "compile_or_link_fail":
            return Verdict("pass")
        return Verdict("fail", reason=_log(shaders))
    program = link_program(shaders)
    if expect in ("link_fail", "compile_or_link_fail"):
        return Verdict("fail", reason="linked") if program.ok else Verdict("pass")
    if not program.ok:
        return Verdict("fail", reason=_first_line(program.log))
    if expect == "build_successful":
        return _control_build(case)
    if case.get("steps"):
        return _judge_steps(case, program, executor)
    return _judge_passes(case, program, executor)


def _with_undeclared(source: str) -> str:
    # Two line breaks: a backslash at the end of the source takes one away.
    return source + "\n\nvoid negative_control_function() { negative_control_undeclared; }\n"


def _judge_compile_only(case: Case, shaders: Sequence[Shader], compiled: bool) -> Verdict:
    if not compiled:
        return Verdict("fail", reason=_log(shaders))
    return _control_build(case)


def _control_build(case: Case) -> Verdict:
    """A copy with an undeclared identifier must be rejected."""
    changed = {
        stage: _with_undeclared(case[f"{stage}_source"])
        for stage in ("vertex", "fragment")
        if case.get(f"{stage}_source")
    }
    control = _compile(case, changed.get("vertex"), changed.get("fragment"))
    if any(shader.ok for shader in control):
        return Verdict("fail", "passed", "accepts an undeclared identifier")
    return Verdict("pass", "failed")


# Drawn cases
# -----------------------------------------------------------------------------------------------------------
def _as_array(values: Sequence[Sequence[Any]]) -> Array:
    return np.array(
        [[float(value) if not isinstance(value, str) else _number(value) for value in row] for row in values],
        np.float64,
    )


def _number(text: str) -> float:
    return float(text.replace("Infinity", "inf").replace("NaN", "nan"))


def _held(values: Sequence[Any]) -> list[Any]:
    """Fill values that are None (keep the previous one)."""
    out: list[Any] = []
    for value in values:
        out.append(out[-1] if value is None and out else value if value is not None else [0.0])
    return out


def perturbed(values: Array, type_name: str) -> Array:
    """Wrong reference values: x + 1 + 0.5 |x| for floats, x + 1 for integers, !x for booleans."""
    if type_name.startswith(("bool", "bvec")):
        return np.where(values != 0, 0.0, 1.0)
    if type_name.startswith(("int", "ivec", "uint", "uvec")):
        return values + 1
    return values + 1 + 0.5 * np.abs(values)


def _judge_passes(case: Case, program: Program, executor: Executor) -> Verdict:
    passes = case["passes"]
    attributes = {entry["attribute"]: _as_array(entry["values"]) for entry in case["inputs"]}
    uniforms = {entry["name"]: _as_array(_held(entry["values"])) for entry in case["uniforms"]}
    references = {entry["ref_uniform"]: (_as_array(entry["values"]), entry["type"]) for entry in case["outputs"]}
    if not references:
        # piglit names its reference "expected".
        types = {entry["name"]: entry["type"] for entry in case["uniforms"]}
        references = {name: (uniforms[name], types[name]) for name in uniforms if name == "expected"}
    right = {**uniforms, **{name: values for name, (values, _) in references.items()}}
    wanted = np.array(case["expected_color"], np.float64)
    good, reason = _matches(program, executor, right, attributes, passes, wanted)
    if not good.all():
        return Verdict("fail", reason=f"pass {int(np.argmin(good))}: {reason}")
    if references:
        wrong = {**right, **{name: perturbed(values, kind) for name, (values, kind) in references.items()}}
        control, _ = _matches(program, executor, wrong, attributes, passes, wanted)
    else:
        control = np.zeros(passes, np.bool_)
        is_black = (wanted[:, :3] == 0).all(axis=1)
        for color, chosen in ((_BLACK, ~is_black), (_WHITE, is_black)):
            if chosen.any():
                forced = _forced_program(case, program, color)
                if forced is None:
                    return Verdict("fail", "passed", "the control does not build")
                control |= _matches(forced, executor, right, attributes, passes, wanted)[0] & chosen
    if control.any():
        return Verdict("fail", "passed", f"pass {int(np.argmax(control))} also passes with wrong references")
    return Verdict("pass", "failed")


def _matches(
    program: Program,
    executor: Executor,
    uniforms: Mapping[str, Array],
    attributes: Mapping[str, Array],
    passes: int,
    wanted: Array,
) -> tuple[Array, str]:
    """Which passes have the wanted colour everywhere."""
    colors, written = draw_rectangle(program, executor, FULL, SMALL_TARGET, uniforms, attributes, passes)
    shown = np.clip(np.nan_to_num(colors[..., : wanted.shape[1]]), 0.0, 1.0)
    near = (np.abs(shown - wanted[:, None, None, :]) <= COLOR_TOLERANCE).all(axis=-1) & written
    good: Array = near.all(axis=(1, 2))
    worst = shown[int(np.argmin(good))][0, 0]
    return good, f"colour {np.round(worst, 3).tolist()}"


_MAIN: Final = re.compile(r"\bmain\b")


#: Components of the colours; black is no control for what expects black.
_BLACK: Final = "0, 0, 0, 1"
_WHITE: Final = "1, 1, 1, 1"
_VECTORS: Final = {Base.FLOAT: "vec4", Base.INT: "ivec4", Base.UINT: "uvec4", Base.BOOL: "bvec4"}


def _forced_program(case: Case, program: Program, color: str) -> Program | None:
    """The same program with a colour forced onto its outputs at the end of main, whatever their names and types."""
    assert program.fragment is not None
    lines = []
    for output in program.fragment.outputs:
        if output.builtin == "gl_FragDepth":
            continue
        name = output.builtin or output.name
        own = output.variable.type
        value = f"{_VECTORS[own.base]}({color})"
        value = value if own.rows == 4 else f"{own.name}({value})" if own.rows > 1 else f"{value}.x"
        count = max(output.variable.length, 1)
        names = [name] if not output.variable.length else [f"{name}[{k}]" for k in range(count)]
        lines += [f"    {each} = {value};" for each in names]
    if not lines:
        lines = [f"    {case['frag_color']} = vec4({color});"]
    source = _MAIN.sub("main_under_test", case["fragment_source"])
    forced = "\n".join([source, "void main()", "{", "    main_under_test();", *lines, "}", ""])
    shaders = _compile(case, fragment=forced)
    if not all(shader.ok for shader in shaders):
        return None
    built = link_program(shaders)
    return built if built.ok else None


# Step lists
# ------------------------------------------------------------------------------------------------------------
class _Target:
    """The framebuffer of a step list."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.width, self.height = size
        self.color = np.zeros((self.height, self.width, 4))
        self.clear_color = np.zeros(4)


def _judge_steps(case: Case, program: Program, executor: Executor) -> Verdict:
    problem = _run_steps(case, program, executor)
    if problem:
        return Verdict("fail", reason=problem)
    if not any("probe" in step["op"] for step in case["steps"]):
        # Nothing is read back: only that the shaders build can be controlled.
        return _control_build(case)
    for color in (_BLACK, _WHITE):
        forced = _forced_program(case, program, color)
        if forced is None:
            return Verdict("fail", "passed", "the control does not build")
        if _run_steps(case, forced, executor):
            return Verdict("pass", "failed")
    return Verdict("fail", "passed", "a constant colour passes too")


def _run_steps(case: Case, program: Program, executor: Executor) -> str:
    """Run a step list; gives what is wrong, "" if nothing is."""
    width, height = case["framebuffer"]
    target = _Target((width, height))
    uniforms: dict[str, Array] = {}
    tolerance = np.full(4, COLOR_TOLERANCE)
    for step in case["steps"]:
        op = step["op"]
        if op == "uniform":
            uniforms[step["name"]] = _as_array([step["value"]])
        elif op == "clear_color":
            target.clear_color = np.array(step["value"], np.float64)
        elif op == "clear":
            target.color[:] = np.clip(target.clear_color, 0, 1)
        elif op in ("draw_rect", "draw_rect_px"):
            x, y, across, down = step["rect"]
            if op == "draw_rect_px":
                x, y, across, down = x / width * 2 - 1, y / height * 2 - 1, across / width * 2, down / height * 2
            colors, written = draw_rectangle(program, executor, (x, y, across, down), (width, height), uniforms, {}, 1)
            # RGBA8: what a probe reads has been rounded to a byte.
            stored = np.rint(np.clip(np.nan_to_num(colors[0]), 0, 1) * 255) / 255
            target.color[written[0]] = stored[written[0]]
        elif op == "tolerance":
            tolerance = np.array(step["value"], np.float64)
        else:
            problem = _probe(step, target, tolerance)
            if problem:
                return problem
    return ""


def _probe(step: Case, target: _Target, tolerance: Array) -> str:
    op, wanted = step["op"], np.array(step["value"], np.float64)
    if op == "probe_all":
        found = target.color
    elif op == "probe_rect":
        x, y, width, height = (int(one) for one in step["rect"])
        found = target.color[y : y + height, x : x + width]
    else:
        x, y = step["xy"]
        if op == "relative_probe":
            x, y = x * target.width, y * target.height
        column, row = min(int(x), target.width - 1), min(int(y), target.height - 1)
        found = target.color[row : row + 1, column : column + 1]
    n = len(wanted)
    wrong = np.abs(found[..., :n] - np.clip(wanted, 0, 1)) > tolerance[:n]
    if wrong.any():
        at = np.argwhere(wrong)[0]
        return f"{op}: {np.round(found[at[0], at[1], :n], 3).tolist()} instead of {wanted.tolist()}"
    return ""
