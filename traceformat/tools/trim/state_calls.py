"""Calls that set one piece of a context's state: which piece, by the arguments that choose it.

An entry is the name of an entry point and the places of the arguments that tell pieces apart: glEnable sets one piece
for each capability, glViewport the same piece each time. Faces of the stencil are spelled out in :func:`pieces`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from traceformat.calls import Call
from traceformat.gles import enums as gl

__all__ = ["SETTERS", "chosen_by", "pieces"]

_PLAIN: Final = """
    glBlendColor glColorMask glDepthFunc glDepthMask glClearColor glClearStencil glCullFace glFrontFace glViewport
    glScissor glLineWidth glPolygonOffset glSampleCoverage glPointSize glLogicOp glPrimitiveRestartIndex
    glProvokingVertex glClipControl glMinSampleShading glPrimitiveBoundingBox glActiveTexture
"""
#: Two spellings of one piece of state.
_SAME: Final = {
    "glClearDepth": "glClearDepthf",
    "glDepthRange": "glDepthRangef",
    "glBlendFunc": "glBlendFuncSeparate",
    "glBlendFunci": "glBlendFuncSeparatei",
    "glBlendEquation": "glBlendEquationSeparate",
    "glBlendEquationi": "glBlendEquationSeparatei",
    "glDisable": "glEnable",
    "glDisablei": "glEnablei",
    "glPixelStoref": "glPixelStorei",
    "glPointParameterf": "glPointParameteri",
}
#: Arguments that choose the piece.
_CHOSEN: Final[dict[str, tuple[int, ...]]] = {
    **{name: () for name in _PLAIN.split()},
    "glClearDepthf": (),
    "glDepthRangef": (),
    "glBlendFuncSeparate": (),
    "glBlendFuncSeparatei": (0,),
    "glBlendEquationSeparate": (),
    "glBlendEquationSeparatei": (0,),
    "glColorMaski": (0,),
    "glEnable": (0,),
    "glEnablei": (0, 1),
    "glPixelStorei": (0,),
    "glPointParameteri": (0,),
    "glHint": (0,),
    "glPolygonMode": (0,),
    "glClampColor": (0,),
    "glSampleMaski": (0,),
    "glPatchParameteri": (0,),
    "glPatchParameterfv": (0,),
}
#: Setters of all draw buffers, and the setter of a single one whose pieces they overwrite.
_OF_ALL: Final = {
    "glBlendFuncSeparate": "glBlendFuncSeparatei",
    "glBlendEquationSeparate": "glBlendEquationSeparatei",
    "glColorMask": "glColorMaski",
    "glEnable": "glEnablei",
}
_STENCIL: Final = ("glStencilFunc", "glStencilOp", "glStencilMask")
_DRAW_BUFFERS: Final = 8
SETTERS: Final = frozenset(
    {*_CHOSEN, *_SAME, *_STENCIL, *(f"{name}Separate" for name in _STENCIL)},
)


def chosen_by(name: str) -> tuple[int, ...]:
    """Places of the arguments that decide which pieces of state a setter sets.

    Parameters
    ----------
    name : core name of the entry point, one of SETTERS
    """
    base = name.removesuffix("Separate")
    if base in _STENCIL:
        return (0,) if name != base else ()
    return _CHOSEN[_SAME.get(name, name)]


def pieces(name: str, call: Call) -> list[tuple[Hashable, ...]]:
    """Pieces of state that a call sets.

    Parameters
    ----------
    name : core name of the entry point, one of SETTERS
    call : as read
    """
    base = name.removesuffix("Separate")
    if base in _STENCIL:
        face = call.args[0] if name != base else gl.GL_FRONT_AND_BACK
        faces = (gl.GL_FRONT, gl.GL_BACK) if face == gl.GL_FRONT_AND_BACK else (face,)
        return [(base, each) for each in faces]
    same = _SAME.get(name, name)
    chosen = tuple(call.args[place] for place in _CHOSEN[same])
    found: list[tuple[Hashable, ...]] = [(same, *chosen)]
    if same in _OF_ALL:
        single = _OF_ALL[same]
        if same != "glEnable":
            found += [(single, index) for index in range(_DRAW_BUFFERS)]
        elif chosen[0] == gl.GL_BLEND:
            found += [(single, chosen[0], index) for index in range(_DRAW_BUFFERS)]
    return found
