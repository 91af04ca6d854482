"""A GLSL compiler: ESSL 1.00 and 3.00 and desktop GLSL 1.10 to 3.30, from source to checked, linked, runnable IR.

It stands on its own feet: source text in, a checked :class:`Program` out, and nothing of GL objects in it::

    vertex = compile_shader([text], "vertex")
    fragment = compile_shader([text], "fragment")
    program = link_program([vertex, fragment])
    if not program.ok: print(program.log)

Bad source never raises: ``ok`` is False and ``log`` says why, one ``0:12: error: ...`` a problem.
"""

from __future__ import annotations

from replay.glsl.compiler import CompileOptions, Diagnostic, Program, Shader, compile_shader, link_program
from replay.glsl.reflection import Reflection

__all__ = [
    "CompileOptions",
    "Diagnostic",
    "Program",
    "Reflection",
    "Shader",
    "compile_shader",
    "link_program",
]
