"""Built-in functions, variables and constants of every version, as tables.

A line of the function tables is ``RESULT name(PARAMETERS)``. Letters stand for families that vary together in width:
F, I, U, T are float, int, uint, bool with 1 to 4 components; V, J, W, B the same with 2 to 4. ``out`` marks an output
parameter. Nothing is parsed before a shader uses the name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from replay.glsl.ir import MAX_PATCH_VERTICES
from replay.glsl.symbols import Symbol
from replay.glsl.types import (
    NUMERIC_TYPES,
    OPAQUE_TYPES,
    VOID,
    Base,
    Dim,
    Field,
    ImageType,
    SamplerType,
    StructType,
    Type,
    array_of,
    vector,
)
from replay.glsl.versions import EXTENSION_TYPES, Version, brings

__all__ = ["COMPATIBILITY_NAMES", "Signature", "builtin_functions", "builtin_symbols"]


@dataclass(frozen=True, slots=True)
class Signature:
    """One overload of a built-in function; ``outputs`` are the numbers of its output parameters."""

    name: str
    parameters: tuple[Type, ...]
    returns: Type
    outputs: tuple[int, ...] = ()


_FUNCTIONS: Final[tuple[tuple[str, str], ...]] = (
    (
        "all",
        """
F radians(F)  F degrees(F)  F sin(F)  F cos(F)  F tan(F)  F asin(F)  F acos(F)  F atan(F,F)  F atan(F)
F pow(F,F)  F exp(F)  F log(F)  F exp2(F)  F log2(F)  F sqrt(F)  F inversesqrt(F)
F abs(F)  F sign(F)  F floor(F)  F ceil(F)  F fract(F)  F mod(F,F)  V mod(V,float)
F min(F,F)  V min(V,float)  F max(F,F)  V max(V,float)  F clamp(F,F,F)  V clamp(V,float,float)
F mix(F,F,F)  V mix(V,V,float)  F step(F,F)  V step(float,V)  F smoothstep(F,F,F)  V smoothstep(float,float,V)
float length(F)  float distance(F,F)  float dot(F,F)  vec3 cross(vec3,vec3)  F normalize(F)
F faceforward(F,F,F)  F reflect(F,F)  F refract(F,F,float)
mat2 matrixCompMult(mat2,mat2)  mat3 matrixCompMult(mat3,mat3)  mat4 matrixCompMult(mat4,mat4)
B lessThan(V,V)  B lessThan(J,J)  B lessThanEqual(V,V)  B lessThanEqual(J,J)
B greaterThan(V,V)  B greaterThan(J,J)  B greaterThanEqual(V,V)  B greaterThanEqual(J,J)
B equal(V,V)  B equal(J,J)  B equal(B,B)  B notEqual(V,V)  B notEqual(J,J)  B notEqual(B,B)
bool any(B)  bool all(B)  B not(B)
""",
    ),
    (
        "nonsquare",
        """
mat2x3 matrixCompMult(mat2x3,mat2x3)  mat2x4 matrixCompMult(mat2x4,mat2x4)  mat3x2 matrixCompMult(mat3x2,mat3x2)
mat3x4 matrixCompMult(mat3x4,mat3x4)  mat4x2 matrixCompMult(mat4x2,mat4x2)  mat4x3 matrixCompMult(mat4x3,mat4x3)
mat2 outerProduct(vec2,vec2)  mat3 outerProduct(vec3,vec3)  mat4 outerProduct(vec4,vec4)
mat2x3 outerProduct(vec3,vec2)  mat3x2 outerProduct(vec2,vec3)  mat2x4 outerProduct(vec4,vec2)
mat4x2 outerProduct(vec2,vec4)  mat3x4 outerProduct(vec4,vec3)  mat4x3 outerProduct(vec3,vec4)
mat2 transpose(mat2)  mat3 transpose(mat3)  mat4 transpose(mat4)  mat2x3 transpose(mat3x2)  mat3x2 transpose(mat2x3)
mat2x4 transpose(mat4x2)  mat4x2 transpose(mat2x4)  mat3x4 transpose(mat4x3)  mat4x3 transpose(mat3x4)
""",
    ),
    ("determinant", "float determinant(mat2)  float determinant(mat3)  float determinant(mat4)"),
    ("inverse", "mat2 inverse(mat2)  mat3 inverse(mat3)  mat4 inverse(mat4)"),
    (
        "integers",
        """
F sinh(F)  F cosh(F)  F tanh(F)  F asinh(F)  F acosh(F)  F atanh(F)
I abs(I)  I sign(I)  F trunc(F)  F round(F)  F roundEven(F)
I min(I,I)  J min(J,int)  U min(U,U)  W min(W,uint)  I max(I,I)  J max(J,int)  U max(U,U)  W max(W,uint)
I clamp(I,I,I)  J clamp(J,int,int)  U clamp(U,U,U)  W clamp(W,uint,uint)
F mix(F,F,T)  T isnan(F)  T isinf(F)
B lessThan(W,W)  B lessThanEqual(W,W)  B greaterThan(W,W)  B greaterThanEqual(W,W)  B equal(W,W)  B notEqual(W,W)
F modf(F, out F)
""",
    ),
    ("bits", "I floatBitsToInt(F)  U floatBitsToUint(F)  F intBitsToFloat(I)  F uintBitsToFloat(U)"),
    (
        "packing",
        """
uint packSnorm2x16(vec2)  vec2 unpackSnorm2x16(uint)  uint packUnorm2x16(vec2)  vec2 unpackUnorm2x16(uint)
uint packHalf2x16(vec2)  vec2 unpackHalf2x16(uint)
""",
    ),
    ("packing4",
        "uint packSnorm4x8(vec4)  vec4 unpackSnorm4x8(uint)  "
        "uint packUnorm4x8(vec4)  vec4 unpackUnorm4x8(uint)"),
    ("fma", "F fma(F,F,F)"),
    ("bitfields",
        "I bitfieldExtract(I,int,int)  U bitfieldExtract(U,int,int)  "
        "I bitfieldInsert(I,I,int,int)  U bitfieldInsert(U,U,int,int)  "
        "I bitfieldReverse(I)  U bitfieldReverse(U)  I bitCount(I)  I bitCount(U)  "
        "I findLSB(I)  I findLSB(U)  I findMSB(I)  I findMSB(U)  F ldexp(F,I)"),
    (
        "carries",
        "U uaddCarry(U,U, out U)  U usubBorrow(U,U, out U)  void umulExtended(U,U, out U, out U)  "
        "void imulExtended(I,I, out I, out I)  F frexp(F, out I)",
    ),
    ("choose_integers", "I mix(I,I,T)  U mix(U,U,T)  T mix(T,T,T)"),
    (
        "atomics",
        "  ".join(
            f"{kind} atomic{name}(out {kind},{kind})"
            for kind in ("uint", "int")
            for name in ("Add", "Min", "Max", "And", "Or", "Xor", "Exchange")
        )
        + "  uint atomicCompSwap(out uint,uint,uint)  int atomicCompSwap(out int,int,int)",
    ),
    (
        "counters",
        "uint atomicCounter(atomic_uint)  uint atomicCounterIncrement(atomic_uint)  "
        "uint atomicCounterDecrement(atomic_uint)",
    ),
    (
        "memory_barriers",
        "void memoryBarrier()  void memoryBarrierAtomicCounter()  void memoryBarrierBuffer()  "
        "void memoryBarrierImage()",
    ),
    ("geometry", "void EmitVertex()  void EndPrimitive()"),
    ("geometry_streams", "void EmitStreamVertex(int)  void EndStreamPrimitive(int)"),
    ("barriers", "void barrier()"),
    ("work_group", "void memoryBarrierShared()  void groupMemoryBarrier()"),
    ("sample_interpolation",
        "F interpolateAtCentroid(F)  F interpolateAtSample(F,int)  F interpolateAtOffset(F,vec2)"),
    ("derivatives", "F dFdx(F)  F dFdy(F)  F fwidth(F)"),
    ("noise", "float noise1(F)  vec2 noise2(F)  vec3 noise3(F)  vec4 noise4(F)"),
    # Texture look-ups of ESSL 1.00 and desktop before 1.30.
    (
        "texture_legacy",
        """
vec4 texture2D(sampler2D,vec2)  vec4 texture2DProj(sampler2D,vec3)  vec4 texture2DProj(sampler2D,vec4)
vec4 textureCube(samplerCube,vec3)
""",
    ),
    (
        "texture_legacy_bias",
        """
vec4 texture2D(sampler2D,vec2,float)  vec4 texture2DProj(sampler2D,vec3,float)  vec4 texture2DProj(sampler2D,vec4,float)
vec4 textureCube(samplerCube,vec3,float)
""",
    ),
    (
        "texture_legacy_lod",
        """
vec4 texture2DLod(sampler2D,vec2,float)  vec4 texture2DProjLod(sampler2D,vec3,float)
vec4 texture2DProjLod(sampler2D,vec4,float)  vec4 textureCubeLod(samplerCube,vec3,float)
""",
    ),
    (
        "texture_lod_ext",
        """
vec4 texture2DLodEXT(sampler2D,vec2,float)  vec4 texture2DProjLodEXT(sampler2D,vec3,float)
vec4 texture2DProjLodEXT(sampler2D,vec4,float)  vec4 textureCubeLodEXT(samplerCube,vec3,float)
vec4 texture2DGradEXT(sampler2D,vec2,vec2,vec2)  vec4 texture2DProjGradEXT(sampler2D,vec3,vec2,vec2)
vec4 texture2DProjGradEXT(sampler2D,vec4,vec2,vec2)  vec4 textureCubeGradEXT(samplerCube,vec3,vec3,vec3)
""",
    ),
    ("texture_3d", "vec4 texture3D(sampler3D,vec3)  vec4 texture3DProj(sampler3D,vec4)"),
    ("texture_3d_bias", "vec4 texture3D(sampler3D,vec3,float)  vec4 texture3DProj(sampler3D,vec4,float)"),
    ("texture_3d_lod", "vec4 texture3DLod(sampler3D,vec3,float)  vec4 texture3DProjLod(sampler3D,vec4,float)"),
    (
        "texture_desktop",
        """
vec4 texture1D(sampler1D,float)  vec4 texture1DProj(sampler1D,vec2)  vec4 texture1DProj(sampler1D,vec4)
vec4 shadow1D(sampler1DShadow,vec3)  vec4 shadow2D(sampler2DShadow,vec3)
vec4 shadow1DProj(sampler1DShadow,vec4)  vec4 shadow2DProj(sampler2DShadow,vec4)
""",
    ),
    (
        "texture_desktop_bias",
        """
vec4 texture1D(sampler1D,float,float)  vec4 texture1DProj(sampler1D,vec2,float)
vec4 texture1DProj(sampler1D,vec4,float)
vec4 shadow1D(sampler1DShadow,vec3,float)  vec4 shadow2D(sampler2DShadow,vec3,float)
vec4 shadow1DProj(sampler1DShadow,vec4,float)  vec4 shadow2DProj(sampler2DShadow,vec4,float)
""",
    ),
    (
        "texture_desktop_lod",
        """
vec4 texture1DLod(sampler1D,float,float)  vec4 texture1DProjLod(sampler1D,vec2,float)
vec4 texture1DProjLod(sampler1D,vec4,float)  vec4 shadow1DLod(sampler1DShadow,vec3,float)
vec4 shadow2DLod(sampler2DShadow,vec3,float)  vec4 shadow1DProjLod(sampler1DShadow,vec4,float)
vec4 shadow2DProjLod(sampler2DShadow,vec4,float)
""",
    ),
    (
        "texture_arb_lod",
        """
vec4 texture1DGradARB(sampler1D,float,float,float)  vec4 texture1DProjGradARB(sampler1D,vec2,float,float)
vec4 texture1DProjGradARB(sampler1D,vec4,float,float)  vec4 texture2DGradARB(sampler2D,vec2,vec2,vec2)
vec4 texture2DProjGradARB(sampler2D,vec3,vec2,vec2)  vec4 texture2DProjGradARB(sampler2D,vec4,vec2,vec2)
vec4 texture3DGradARB(sampler3D,vec3,vec3,vec3)  vec4 texture3DProjGradARB(sampler3D,vec4,vec3,vec3)
vec4 textureCubeGradARB(samplerCube,vec3,vec3,vec3)  vec4 shadow1DGradARB(sampler1DShadow,vec3,float,float)
vec4 shadow1DProjGradARB(sampler1DShadow,vec4,float,float)  vec4 shadow2DGradARB(sampler2DShadow,vec3,vec2,vec2)
vec4 shadow2DProjGradARB(sampler2DShadow,vec4,vec2,vec2)
""",
    ),
    (
        "texture_rect",
        """
vec4 texture2DRect(sampler2DRect,vec2)  vec4 texture2DRectProj(sampler2DRect,vec3)
vec4 texture2DRectProj(sampler2DRect,vec4)  vec4 shadow2DRect(sampler2DRectShadow,vec3)
vec4 shadow2DRectProj(sampler2DRectShadow,vec4)
""",
    ),
    (
        "texture_array_ext",
        """
vec4 texture1DArray(sampler1DArray,vec2)  vec4 texture2DArray(sampler2DArray,vec3)
vec4 shadow1DArray(sampler1DArrayShadow,vec3)  vec4 shadow2DArray(sampler2DArrayShadow,vec4)
vec4 texture1DArrayLod(sampler1DArray,vec2,float)  vec4 texture2DArrayLod(sampler2DArray,vec3,float)
""",
    ),
    ("shadow_ext", "float shadow2DEXT(sampler2DShadow,vec3)  float shadow2DProjEXT(sampler2DShadow,vec4)"),
    (
        "external",
        "vec4 texture2D(samplerExternalOES,vec2)  vec4 texture2DProj(samplerExternalOES,vec3)  "
        "vec4 texture2DProj(samplerExternalOES,vec4)",
    ),
    (
        "external_essl3",
        "vec4 texture(samplerExternalOES,vec2)  vec4 textureProj(samplerExternalOES,vec3)  "
        "vec4 textureProj(samplerExternalOES,vec4)  "
        "ivec2 textureSize(samplerExternalOES,int)  vec4 texelFetch(samplerExternalOES,ivec2,int)",
    ),
)  # fmt: skip

_LINE: Final = re.compile(r"(\w+) (\w+)\(([^)]*)\)")
#: Section: {function name: [(result, parameters as text)]}.
_SECTIONS: Final[dict[str, dict[str, list[tuple[str, str]]]]] = {}
for _section, _text in _FUNCTIONS:
    _names: dict[str, list[tuple[str, str]]] = {}
    for _match in _LINE.finditer(_text):
        _names.setdefault(_match.group(2), []).append((_match.group(1), _match.group(3)))
    _SECTIONS[_section] = _names

_ANY_WIDTH: Final = {"F": Base.FLOAT, "I": Base.INT, "U": Base.UINT, "T": Base.BOOL}
_VECTORS_ONLY: Final = {"V": Base.FLOAT, "J": Base.INT, "W": Base.UINT, "B": Base.BOOL}


def _concrete(text: str, width: int) -> Type:
    if text in _ANY_WIDTH:
        return vector(_ANY_WIDTH[text], width)
    if text in _VECTORS_ONLY:
        return vector(_VECTORS_ONLY[text], width)
    if text == "void":
        return VOID
    return OPAQUE_TYPES[text] if text in OPAQUE_TYPES else NUMERIC_TYPES[text]


def _expand(name: str, returns: str, parameters: str) -> list[Signature]:
    words = [word.strip() for word in parameters.split(",")] if parameters else []
    outputs = tuple(k for k, word in enumerate(words) if word.startswith("out "))
    words = [word.removeprefix("out ") for word in words]
    letters = {returns, *words}
    if letters & _ANY_WIDTH.keys():
        widths: tuple[int, ...] = (1, 2, 3, 4)
    elif letters & _VECTORS_ONLY.keys():
        widths = (2, 3, 4)
    else:
        widths = (1,)
    return [
        Signature(name, tuple(_concrete(word, width) for word in words), _concrete(returns, width), outputs)
        for width in widths
    ]


def _sections(version: Version, stage: str, enabled: frozenset[str]) -> list[str]:
    """Names of the sections that a shader sees."""
    fragment = stage == "fragment"
    es, number = version.es, version.number
    old = version.legacy or not es
    newer = number >= (310 if es else 400)
    lod_anywhere = "GL_ARB_shader_texture_lod" in enabled or (not es and number >= 130)
    conditions = {
        "all": True,
        "nonsquare": version.has("nonsquare"),
        "determinant": (es and number >= 300) or number >= 120,
        "inverse": (es and number >= 300) or number >= 140,
        "integers": version.has("integers"),
        "bits": (es and number >= 300) or number >= 330 or "GL_ARB_shader_bit_encoding" in enabled,
        "packing": (es and number >= 300) or number >= 420 or "GL_ARB_shading_language_packing" in enabled,
        "packing4": newer or "GL_ARB_shading_language_packing" in enabled,
        "fma": version.has("fma") or brings(enabled, "fma"),
        "bitfields": newer,
        "carries": newer,
        "choose_integers": number >= (310 if es else 450),
        "atomics": version.has("storage_blocks"),
        "counters": version.has("atomic_counters"),
        "memory_barriers": version.has("images"),
        "geometry": stage == "geometry",
        "geometry_streams": stage == "geometry" and not es and number >= 400,
        "barriers": stage in ("compute", "tess_control"),
        "work_group": stage == "compute",
        "derivatives": fragment and (version.has("derivatives") or "GL_OES_standard_derivatives" in enabled),
        "sample_interpolation": fragment
        and (version.has("sample_interpolation") or brings(enabled, "sample_interpolation")),
        "noise": not es,
        "texture_legacy": old,
        "texture_legacy_bias": old and fragment,
        "texture_legacy_lod": old and (not fragment or lod_anywhere),
        "texture_lod_ext": fragment and "GL_EXT_shader_texture_lod" in enabled,
        "texture_3d": not es or "GL_OES_texture_3D" in enabled,
        "texture_3d_bias": fragment and (not es or "GL_OES_texture_3D" in enabled),
        "texture_3d_lod": (not es and (not fragment or lod_anywhere))
        or (not fragment and "GL_OES_texture_3D" in enabled),
        "texture_desktop": not es,
        "texture_desktop_bias": not es and fragment,
        "texture_desktop_lod": not es and (not fragment or lod_anywhere),
        "texture_arb_lod": "GL_ARB_shader_texture_lod" in enabled,
        "texture_rect": "GL_ARB_texture_rectangle" in enabled or (not es and number >= 140),
        "texture_array_ext": "GL_EXT_texture_array" in enabled,
        "shadow_ext": "GL_EXT_shadow_samplers" in enabled,
        "external": "GL_OES_EGL_image_external" in enabled,
        "external_essl3": "GL_OES_EGL_image_external_essl3" in enabled,
    }
    return [name for name, wanted in conditions.items() if wanted]


@cache
def builtin_functions(name: str, version: Version, stage: str, enabled: frozenset[str]) -> tuple[Signature, ...]:
    """Give all overloads of a built-in function; () if there is no such function."""
    out: list[Signature] = []
    for section in _sections(version, stage, enabled):
        for returns, parameters in _SECTIONS[section].get(name, ()):
            out.extend(_expand(name, returns, parameters))
    if name.startswith("tex") and (version.has("texture_overloads") or "GL_ARB_texture_multisample" in enabled):
        out.extend(_modern_textures(name, version, stage, enabled))
    if name.startswith("image") and version.has("images"):
        out.extend(_image_functions(name, version, enabled))
    return tuple(out)


_MODERN: Final = re.compile(r"texture(Proj)?(Lod|Grad)?(Offset)?")
_OFFSET_WIDTH: Final = {Dim.D1: 1, Dim.D2: 2, Dim.D3: 3, Dim.RECT: 2, Dim.D1_ARRAY: 1, Dim.D2_ARRAY: 2}
_SIZE_WIDTH: Final = {
    Dim.D1: 1, Dim.D2: 2, Dim.D3: 3, Dim.CUBE: 2, Dim.RECT: 2, Dim.D1_ARRAY: 2, Dim.D2_ARRAY: 3, Dim.BUFFER: 1,
    Dim.D2_MS: 2, Dim.D2_MS_ARRAY: 3, Dim.CUBE_ARRAY: 3,
}  # fmt: skip
#: Coordinates with the array layer.
_COORDINATES: Final = {
    Dim.D1: 1, Dim.D2: 2, Dim.D3: 3, Dim.CUBE: 3, Dim.RECT: 2, Dim.D1_ARRAY: 2, Dim.D2_ARRAY: 3, Dim.BUFFER: 1,
    Dim.D2_MS: 2, Dim.D2_MS_ARRAY: 3, Dim.CUBE_ARRAY: 4,
}  # fmt: skip
#: Where a shadow sampler's reference is an argument of its own: the coordinates take all of a vec4.
_WITH_REFERENCE: Final = (Dim.CUBE_ARRAY,)
_CUBES: Final = (Dim.CUBE, Dim.CUBE_ARRAY)
_MULTISAMPLE: Final = (Dim.D2_MS, Dim.D2_MS_ARRAY)


#: Extensions whose types the functions of later versions take.
_TYPE_EXTENSIONS: Final = (
    "GL_ARB_texture_multisample",
    "GL_OES_texture_storage_multisample_2d_array",
    "GL_OES_texture_cube_map_array",
    "GL_EXT_texture_cube_map_array",
    "GL_ARB_texture_cube_map_array",
    "GL_OES_texture_buffer",
    "GL_EXT_texture_buffer",
)


def _sampler_types(version: Version, enabled: frozenset[str]) -> list[SamplerType]:
    return [one for one in _types(version, enabled) if isinstance(one, SamplerType)]


def _types(version: Version, enabled: frozenset[str]) -> list[Type]:
    """Types of the version, and the multisample, buffer and cube array types of extensions."""
    types: list[Type] = list(version.types.values())
    for extension in _TYPE_EXTENSIONS:
        if extension in enabled:
            types.extend(OPAQUE_TYPES[one] for one in EXTENSION_TYPES[extension] if OPAQUE_TYPES[one] not in types)
    return types


def _modern_textures(name: str, version: Version, stage: str, enabled: frozenset[str]) -> list[Signature]:
    """Overloads of texture*, texelFetch* and textureSize (GLSL ES 3.00 §8.8, GLSL 3.30 §8.7)."""
    samplers = _sampler_types(version, enabled)
    if name == "textureSize":
        return [
            Signature(
                name,
                (sampler,) if sampler.dim in (Dim.RECT, Dim.BUFFER, *_MULTISAMPLE) else (sampler, vector(Base.INT, 1)),
                vector(Base.INT, _SIZE_WIDTH[sampler.dim]),
            )
            for sampler in samplers
        ]
    if name in ("texelFetch", "texelFetchOffset"):
        return _fetches(name, samplers)
    if name.startswith("textureGather"):
        feature = "gather_offsets" if name == "textureGatherOffsets" else "gather"
        return _gathers(name, samplers) if version.has(feature) or brings(enabled, feature) else []
    match = _MODERN.fullmatch(name)
    if match is None or not version.has("texture_overloads"):
        return []
    proj, how, with_offset = match.groups()
    out: list[Signature] = []
    scalar = vector(Base.FLOAT, 1)
    for sampler in samplers:
        if sampler.dim in (Dim.BUFFER, *_MULTISAMPLE) or (with_offset and sampler.dim not in _OFFSET_WIDTH):
            continue
        if proj and sampler.dim not in (Dim.D1, Dim.D2, Dim.D3, Dim.RECT):
            continue
        if how == "Lod" and (sampler.dim == Dim.RECT or (sampler.shadow and sampler.dim in (*_CUBES, Dim.D2_ARRAY))):
            continue
        if how == "Grad" and sampler.shadow and sampler.dim in _WITH_REFERENCE:
            continue
        if sampler.shadow and with_offset and sampler.dim == Dim.D2_ARRAY and how != "Grad":
            continue
        num_coords = _COORDINATES[sampler.dim]
        returns = scalar if sampler.shadow else vector(sampler.base, 4)
        if proj:
            widths = [4] if sampler.shadow or sampler.dim == Dim.D3 else sorted({num_coords + 1, 4})
        elif sampler.shadow:
            widths = [num_coords if sampler.dim in _WITH_REFERENCE else max(num_coords + 1, 3)]
        else:
            widths = [num_coords]
        gradient = vector(Base.FLOAT, 3 if sampler.dim in _CUBES else _OFFSET_WIDTH[sampler.dim])
        for width in widths:
            parameters: list[Type] = [sampler, vector(Base.FLOAT, width)]
            if sampler.shadow and sampler.dim in _WITH_REFERENCE:
                parameters.append(scalar)
            if how == "Lod":
                parameters.append(scalar)
            elif how == "Grad":
                parameters.extend((gradient, gradient))
            if with_offset:
                parameters.append(vector(Base.INT, _OFFSET_WIDTH[sampler.dim]))
            out.append(Signature(name, tuple(parameters), returns))
            no_bias = sampler.dim == Dim.RECT or (sampler.shadow and sampler.dim in (Dim.D2_ARRAY, *_WITH_REFERENCE))
            if not how and stage == "fragment" and not no_bias:
                out.append(Signature(name, (*parameters, scalar), returns))
    return out


def _gathers(name: str, samplers: list[SamplerType]) -> list[Signature]:
    """Overloads of textureGather, textureGatherOffset and textureGatherOffsets (GLSL ES 3.20 §8.9.4)."""
    out: list[Signature] = []
    integer, two = vector(Base.INT, 1), vector(Base.INT, 2)
    offset: dict[str, Type | None] = {
        "textureGather": None,
        "textureGatherOffset": two,
        "textureGatherOffsets": array_of(two, 4),
    }
    if name not in offset:
        return []
    moved = offset[name]
    for sampler in samplers:
        if sampler.dim not in (Dim.D2, Dim.D2_ARRAY, Dim.RECT, *_CUBES) or (
            moved is not None and sampler.dim in _CUBES
        ):
            continue
        parameters: list[Type] = [sampler, vector(Base.FLOAT, _COORDINATES[sampler.dim])]
        if sampler.shadow:
            parameters.append(vector(Base.FLOAT, 1))
        if moved is not None:
            parameters.append(moved)
        returns = vector(sampler.base, 4)
        out.append(Signature(name, tuple(parameters), returns))
        if not sampler.shadow:
            out.append(Signature(name, (*parameters, integer), returns))
    return out


def _fetches(name: str, samplers: list[SamplerType]) -> list[Signature]:
    out: list[Signature] = []
    integer = vector(Base.INT, 1)
    for sampler in samplers:
        if sampler.shadow or sampler.dim in _CUBES:
            continue
        parameters: list[Type] = [sampler, vector(Base.INT, _COORDINATES[sampler.dim])]
        if sampler.dim not in (Dim.RECT, Dim.BUFFER):
            parameters.append(integer)
        if name == "texelFetchOffset":
            if sampler.dim not in _OFFSET_WIDTH:
                continue
            parameters.append(vector(Base.INT, _OFFSET_WIDTH[sampler.dim]))
        out.append(Signature(name, tuple(parameters), vector(sampler.base, 4)))
    return out


_IMAGE_ATOMIC: Final = re.compile(r"imageAtomic(Add|Min|Max|And|Or|Xor|Exchange|CompSwap)")


def _image_functions(name: str, version: Version, enabled: frozenset[str]) -> list[Signature]:
    """Overloads of imageLoad and its kin (GLSL ES 3.10 §8.14)."""
    images = [one for one in _types(version, enabled) if isinstance(one, ImageType)]
    atomic = _IMAGE_ATOMIC.fullmatch(name)
    if atomic is not None and not (version.has("image_atomics") or brings(enabled, "image_atomics")):
        return []
    out: list[Signature] = []
    for image in images:
        # A cube's face is a layer, also where there are several cubes.
        at = vector(Base.INT, min(_COORDINATES[image.dim], 3))
        texel, single = vector(image.base, 4), vector(image.base, 1)
        if name == "imageSize":
            out.append(Signature(name, (image,), vector(Base.INT, _SIZE_WIDTH[image.dim])))
        elif name == "imageLoad":
            out.append(Signature(name, (image, at), texel))
        elif name == "imageStore":
            out.append(Signature(name, (image, at, texel), VOID))
        elif atomic is not None and (image.base != Base.FLOAT or name == "imageAtomicExchange"):
            values = (single,) * (2 if name == "imageAtomicCompSwap" else 1)
            out.append(Signature(name, (image, at, *values), single))
    return out


#: Names of the fixed-function pipeline, known so that the message can say what is wrong.
COMPATIBILITY_NAMES: Final = frozenset(
    [
        "gl_Vertex",
        "gl_Normal",
        "gl_Color",
        "gl_SecondaryColor",
        "gl_FogCoord",
        "gl_FrontColor",
        "gl_BackColor",
        "gl_FrontSecondaryColor",
        "gl_BackSecondaryColor",
        "gl_TexCoord",
        "gl_FogFragCoord",
        "gl_ModelViewMatrix",
        "gl_ProjectionMatrix",
        "gl_ModelViewProjectionMatrix",
        "gl_NormalMatrix",
        "gl_TextureMatrix",
        "gl_NormalScale",
        "gl_ModelViewMatrixInverse",
        "gl_ProjectionMatrixInverse",
        "gl_ClipVertex",
        "gl_ModelViewProjectionMatrixInverse",
        "gl_ModelViewMatrixTranspose",
        "gl_ProjectionMatrixTranspose",
        "gl_LightSource",
        "gl_LightModel",
        "gl_FrontMaterial",
        "gl_BackMaterial",
        "gl_FrontLightModelProduct",
        "gl_FrontLightProduct",
        "gl_Fog",
        "gl_Point",
        "gl_ClipPlane",
        "ftransform",
        "gl_TextureEnvColor",
        "gl_ObjectPlaneS",
        "gl_ObjectPlaneT",
        "gl_EyePlaneS",
        "gl_EyePlaneT",
    ]
    + [f"gl_MultiTexCoord{k}" for k in range(8)]
)

#: Limits of the implementation, by constant: (name, value, in ES 1.00, in ES 3.00, first desktop version or 0). They
#: are as wide as those of the driver that traces are recorded on (Mesa's, 22.3): what it linked is not refused.
MAX_VERTEX_ATTRIBS: Final = 16
MAX_VARYING_VECTORS: Final = 32
MAX_VERTEX_UNIFORM_VECTORS: Final = 4096
MAX_FRAGMENT_UNIFORM_VECTORS: Final = 4096
MAX_TEXTURE_IMAGE_UNITS: Final = 32
MAX_COMBINED_TEXTURE_IMAGE_UNITS: Final = 192
MAX_DRAW_BUFFERS: Final = 8
MAX_UNIFORM_BLOCKS: Final = 15
MAX_UNIFORM_BLOCK_BYTES: Final = 65536
MAX_CLIP_DISTANCES: Final = 8
MAX_GEOMETRY_OUTPUT_COMPONENTS: Final = 128
MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS: Final = 1024
MAX_TESS_GEN_LEVEL: Final = 64
MAX_TESS_COMPONENTS: Final = 128
MAX_TESS_PATCH_COMPONENTS: Final = 120
MAX_TESS_CONTROL_TOTAL_COMPONENTS: Final = 4096
TEXEL_OFFSETS: Final = range(-32, 32)
MAX_IMAGE_UNITS: Final = 64
MAX_STORAGE_BLOCKS: Final = 16
WORK_GROUP_SIZE: Final = (1024, 1024, 1024)
WORK_GROUP_INVOCATIONS: Final = 1024
WORK_GROUP_COUNT: Final = (65535, 65535, 65535)
MAX_SHARED_BYTES: Final = 32768
MAX_SAMPLES: Final = 4

_CONSTANTS: Final[tuple[tuple[str, int, bool, bool, int], ...]] = (
    ("gl_MaxVertexAttribs", MAX_VERTEX_ATTRIBS, True, True, 110),
    ("gl_MaxVertexUniformVectors", MAX_VERTEX_UNIFORM_VECTORS, True, True, 0),
    ("gl_MaxVaryingVectors", MAX_VARYING_VECTORS, True, False, 0),
    ("gl_MaxVertexOutputVectors", MAX_VARYING_VECTORS, False, True, 0),
    ("gl_MaxFragmentInputVectors", MAX_VARYING_VECTORS, False, True, 0),
    ("gl_MaxVertexTextureImageUnits", MAX_TEXTURE_IMAGE_UNITS, True, True, 110),
    ("gl_MaxCombinedTextureImageUnits", MAX_COMBINED_TEXTURE_IMAGE_UNITS, True, True, 110),
    ("gl_MaxTextureImageUnits", MAX_TEXTURE_IMAGE_UNITS, True, True, 110),
    ("gl_MaxFragmentUniformVectors", MAX_FRAGMENT_UNIFORM_VECTORS, True, True, 0),
    ("gl_MaxDrawBuffers", MAX_DRAW_BUFFERS, True, True, 110),
    ("gl_MinProgramTexelOffset", TEXEL_OFFSETS.start, False, True, 0),
    ("gl_MaxProgramTexelOffset", TEXEL_OFFSETS.stop - 1, False, True, 0),
    ("gl_MaxVertexUniformComponents", 4 * MAX_VERTEX_UNIFORM_VECTORS, False, False, 110),
    ("gl_MaxFragmentUniformComponents", 4 * MAX_FRAGMENT_UNIFORM_VECTORS, False, False, 110),
    ("gl_MaxVaryingFloats", 4 * MAX_VARYING_VECTORS, False, False, 110),
    ("gl_MaxVaryingComponents", 4 * MAX_VARYING_VECTORS, False, False, 130),
    ("gl_MaxVertexOutputComponents", 4 * MAX_VARYING_VECTORS, False, False, 150),
    ("gl_MaxFragmentInputComponents", 4 * MAX_VARYING_VECTORS, False, False, 150),
    ("gl_MaxClipDistances", MAX_CLIP_DISTANCES, False, False, 130),
    ("gl_MaxTextureUnits", MAX_TEXTURE_IMAGE_UNITS, False, False, 110),
    ("gl_MaxTextureCoords", 8, False, False, 110),
    ("gl_MaxClipPlanes", MAX_CLIP_DISTANCES, False, False, 110),
    ("gl_MaxLights", 8, False, False, 110),
    # There are no geometry shaders, but the language has their constants: the least values that it allows.
    ("gl_MaxGeometryInputComponents", 64, False, False, 150),
    ("gl_MaxGeometryOutputComponents", MAX_GEOMETRY_OUTPUT_COMPONENTS, False, False, 150),
    ("gl_MaxGeometryTextureImageUnits", 16, False, False, 150),
    ("gl_MaxGeometryOutputVertices", 256, False, False, 150),
    ("gl_MaxGeometryTotalOutputComponents", MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS, False, False, 150),
    ("gl_MaxGeometryUniformComponents", 1024, False, False, 150),
    ("gl_MaxGeometryVaryingComponents", 64, False, False, 150),
)

#: Constants of versions with compute shaders, images and counters.
_COMPUTE_CONSTANTS: Final = (
    ("gl_MaxComputeUniformComponents", 4 * MAX_FRAGMENT_UNIFORM_VECTORS),
    ("gl_MaxComputeTextureImageUnits", MAX_TEXTURE_IMAGE_UNITS),
    ("gl_MaxComputeImageUniforms", 16),
    ("gl_MaxComputeAtomicCounters", 4096),
    ("gl_MaxComputeAtomicCounterBuffers", 8),
    ("gl_MaxImageUnits", MAX_IMAGE_UNITS),
    ("gl_MaxVertexImageUniforms", 16),
    ("gl_MaxFragmentImageUniforms", 16),
    ("gl_MaxCombinedImageUniforms", 64),
    ("gl_MaxCombinedShaderOutputResources", 64),
    ("gl_MaxVertexAtomicCounters", 4096),
    ("gl_MaxFragmentAtomicCounters", 4096),
    ("gl_MaxCombinedAtomicCounters", 16384),
    ("gl_MaxAtomicCounterBindings", 8),
    ("gl_MaxVertexAtomicCounterBuffers", 8),
    ("gl_MaxFragmentAtomicCounterBuffers", 8),
    ("gl_MaxCombinedAtomicCounterBuffers", 32),
    ("gl_MaxAtomicCounterBufferSize", 65536),
)

#: Constants of GLES contexts with geometry shaders.
_ES_GEOMETRY_CONSTANTS: Final = (
    ("gl_MaxGeometryInputComponents", 64),
    ("gl_MaxGeometryOutputComponents", MAX_GEOMETRY_OUTPUT_COMPONENTS),
    ("gl_MaxGeometryImageUniforms", 16),
    ("gl_MaxGeometryTextureImageUnits", MAX_TEXTURE_IMAGE_UNITS),
    ("gl_MaxGeometryOutputVertices", 256),
    ("gl_MaxGeometryTotalOutputComponents", MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS),
    ("gl_MaxGeometryUniformComponents", 1024),
    ("gl_MaxGeometryAtomicCounters", 4096),
    ("gl_MaxGeometryAtomicCounterBuffers", 8),
)

#: Constants of versions with tessellation shaders.
_TESSELLATION_CONSTANTS: Final = (
    ("gl_MaxPatchVertices", MAX_PATCH_VERTICES),
    ("gl_MaxTessGenLevel", MAX_TESS_GEN_LEVEL),
    ("gl_MaxTessPatchComponents", MAX_TESS_PATCH_COMPONENTS),
    ("gl_MaxTessControlTotalOutputComponents", MAX_TESS_CONTROL_TOTAL_COMPONENTS),
    *((f"gl_MaxTess{stage}InputComponents", MAX_TESS_COMPONENTS) for stage in ("Control", "Evaluation")),
    *((f"gl_MaxTess{stage}OutputComponents", MAX_TESS_COMPONENTS) for stage in ("Control", "Evaluation")),
    *((f"gl_MaxTess{stage}TextureImageUnits", MAX_TEXTURE_IMAGE_UNITS) for stage in ("Control", "Evaluation")),
    *((f"gl_MaxTess{stage}UniformComponents", 4 * MAX_VERTEX_UNIFORM_VECTORS) for stage in ("Control", "Evaluation")),
)

#: Members of gl_DepthRange, which is a uniform like any other: its members are active uniforms ``gl_DepthRange.near``
#: ...
DEPTH_RANGE_FIELDS: Final = ("near", "far", "diff")
_FLOAT: Final = vector(Base.FLOAT, 1)
_INT: Final = vector(Base.INT, 1)


def _geometry_symbols(add: Callable[..., None], version: Version, enabled: frozenset[str]) -> None:
    """Built-in variables of geometry shaders."""
    vec4 = vector(Base.FLOAT, 4)
    fields = [Field("gl_Position", vec4, "highp")]
    add("gl_Position", vec4, "out")
    if version.has("geometry_points") or brings(enabled, "geometry_points"):
        fields.append(Field("gl_PointSize", _FLOAT, "highp"))
        add("gl_PointSize", _FLOAT, "out")
    if not version.es:
        fields.append(Field("gl_ClipDistance", array_of(_FLOAT, MAX_CLIP_DISTANCES), "highp"))
        add("gl_ClipDistance", array_of(_FLOAT, 0), "out")
    add("gl_in", array_of(StructType("gl_PerVertex", tuple(fields)), 0), "in")
    add("gl_PrimitiveIDIn", _INT, "in")
    if version.has("geometry_invocations") or brings(enabled, "geometry_invocations"):
        add("gl_InvocationID", _INT, "in")
    add("gl_PrimitiveID", _INT, "out")
    add("gl_Layer", _INT, "out")


def _patch_symbols(add: Callable[..., None], version: Version, enabled: frozenset[str], stage: str) -> None:
    """Built-in variables of tessellation shaders."""
    is_control = stage == "tess_control"
    vec4, distances = vector(Base.FLOAT, 4), array_of(_FLOAT, MAX_CLIP_DISTANCES)
    fields = [Field("gl_Position", vec4, "highp")]
    if version.has("tessellation_points") or brings(enabled, "tessellation_points"):
        fields.append(Field("gl_PointSize", _FLOAT, "highp"))
    if not version.es:
        fields.append(Field("gl_ClipDistance", distances, "highp"))
    vertex = StructType("gl_PerVertex", tuple(fields))
    add("gl_in", array_of(vertex, MAX_PATCH_VERTICES), "in")
    add("gl_PatchVerticesIn", _INT, "in")
    add("gl_PrimitiveID", _INT, "in")
    add("gl_TessLevelOuter", array_of(_FLOAT, 4), "out" if is_control else "in")
    add("gl_TessLevelInner", array_of(_FLOAT, 2), "out" if is_control else "in")
    if is_control:
        add("gl_InvocationID", _INT, "in")
        add("gl_out", array_of(vertex, 0), "out")
        return
    add("gl_TessCoord", vector(Base.FLOAT, 3), "in")
    for field in fields:
        add(field.name, array_of(_FLOAT, 0) if field.name == "gl_ClipDistance" else field.type, "out")


def _sample_symbols(add: Callable[..., None], version: Version) -> None:
    """Built-in variables of fragments that are shaded for each sample."""
    # One word has all samples there are.
    mask = array_of(_INT, 1)
    add("gl_SampleID", _INT, "in", "lowp")
    add("gl_SamplePosition", vector(Base.FLOAT, 2), "in", "mediump")
    add("gl_NumSamples", _INT, "in", "lowp")
    add("gl_SampleMask", mask, "out")
    if version.es or version.number >= 400:
        add("gl_SampleMaskIn", mask, "in")


def builtin_symbols(version: Version, stage: str, enabled: frozenset[str]) -> dict[str, Any]:
    """Give new symbols of all built-in variables and constants of a shader."""
    out: dict[str, Any] = {}

    def add(name: str, type: Type, storage: str, precision: str = "highp") -> None:
        symbol = Symbol(name, type, storage)
        symbol.precision = precision
        symbol.builtin = True
        symbol.is_global = True
        out[name] = symbol

    es, number = version.es, version.number
    vec4 = vector(Base.FLOAT, 4)
    if stage == "vertex":
        add("gl_Position", vec4, "out")
        add("gl_PointSize", _FLOAT, "out", "mediump" if version.legacy else "highp")
        if version.has("vertex_id"):
            add("gl_VertexID", _INT, "in")
        if (es and number >= 300) or number >= 140:
            add("gl_InstanceID", _INT, "in")
        if "GL_ARB_draw_instanced" in enabled:
            add("gl_InstanceIDARB", _INT, "in")
        if not es and number >= 130:
            add("gl_ClipDistance", array_of(_FLOAT, 0), "out")
    elif stage == "geometry":
        _geometry_symbols(add, version, enabled)
    elif stage in ("tess_control", "tess_evaluation"):
        _patch_symbols(add, version, enabled, stage)
    elif stage == "compute":
        uvec3 = vector(Base.UINT, 3)
        for name in ("gl_NumWorkGroups", "gl_WorkGroupID", "gl_LocalInvocationID", "gl_GlobalInvocationID"):
            add(name, uvec3, "in")
        add("gl_LocalInvocationIndex", vector(Base.UINT, 1), "in")
        add("gl_WorkGroupSize", uvec3, "const")
    else:
        add("gl_FragCoord", vec4, "in", "mediump" if version.legacy else "highp")
        add("gl_FrontFacing", vector(Base.BOOL, 1), "in", "")
        if es or number >= 120:
            add("gl_PointCoord", vector(Base.FLOAT, 2), "in", "mediump")
        if version.has("geometry") or brings(enabled, "geometry"):
            add("gl_PrimitiveID", _INT, "in")
            if es or number >= 430:
                add("gl_Layer", _INT, "in")
        if not es and number >= 130:
            add("gl_ClipDistance", array_of(_FLOAT, 0), "in")
        if version.legacy or not es:
            add("gl_FragColor", vec4, "out", "mediump")
            add("gl_FragData", array_of(vec4, MAX_DRAW_BUFFERS), "out", "mediump")
        if version.has("sample_variables") or brings(enabled, "sample_variables"):
            _sample_symbols(add, version)
        if version.has("frag_depth"):
            add("gl_FragDepth", _FLOAT, "out")
        if "GL_EXT_frag_depth" in enabled:
            add("gl_FragDepthEXT", _FLOAT, "out")
    depth_range = StructType(
        "gl_DepthRangeParameters", tuple(Field(name, _FLOAT, "highp") for name in DEPTH_RANGE_FIELDS)
    )
    out["gl_DepthRangeParameters"] = depth_range
    add("gl_DepthRange", depth_range, "uniform", "")
    for name, value, es100, es300, desktop in _CONSTANTS:
        if (es100 if version.legacy else es300) if es else (desktop and number >= desktop):
            add(name, _INT, "const", "mediump")
            out[name].value = (value,)
    has_geometry = es and (version.has("geometry") or brings(enabled, "geometry"))
    has_patches = version.has("tessellation") or brings(enabled, "tessellation")
    of_stages = (*(_ES_GEOMETRY_CONSTANTS * has_geometry), *(_TESSELLATION_CONSTANTS * has_patches))
    for name, value in of_stages:
        add(name, _INT, "const")
        out[name].value = (value,)
    if (es and number >= 320) or (not es and number >= 450) or "GL_OES_sample_variables" in enabled:
        add("gl_MaxSamples", _INT, "const", "mediump")
        out["gl_MaxSamples"].value = (MAX_SAMPLES,)
    _add_compute_constants(out, add, version)
    return out


def _add_compute_constants(out: dict[str, Any], add: Callable[..., None], version: Version) -> None:
    """Constants of versions with compute shaders."""
    if version.has("compute"):
        for name, values in (
            ("gl_MaxComputeWorkGroupCount", WORK_GROUP_COUNT),
            ("gl_MaxComputeWorkGroupSize", WORK_GROUP_SIZE),
        ):
            add(name, vector(Base.INT, 3), "const")
            out[name].value = values
        for name, value in _COMPUTE_CONSTANTS:
            add(name, _INT, "const")
            out[name].value = (value,)
