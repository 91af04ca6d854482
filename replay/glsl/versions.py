"""The language versions: what each has, which words it keeps to itself, which extensions it knows.

One table for ESSL 1.00 and 3.00 and desktop GLSL 1.10 to 3.30. ESSL 3.10 and 3.20 and desktop GLSL 4.00 to 4.60 are
known because programs name the newest version of their context: they are 3.00 and 3.30 with layout qualifiers; what
else they have is not declared, or reserved, and so refused by name. Features are asked by name
(``version.has("switch")``), so that no other module compares version numbers.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from replay.glsl.types import IMAGE_TYPES, NUMERIC_TYPES, OPAQUE_TYPES, SAMPLER_TYPES

__all__ = [
    "EXTENSIONS",
    "EXTENSION_KEYWORDS",
    "EXTENSION_TYPES",
    "KNOWN_VERSIONS",
    "Version",
    "brings",
    "language_version",
]

#: Version numbers by profile: ES or desktop.
KNOWN_VERSIONS: Final = {
    True: (100, 300, 310, 320),
    False: (110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460),
}

#: Feature: (first ES version, first desktop version); 0 = in none of them.
_FEATURES: Final[dict[str, tuple[int, int]]] = {
    "atomic_counters": (310, 420),
    "array_objects": (300, 120),  # array constructors, assignment, length()
    "array_comparison": (300, 120),
    "array_initializers": (300, 120),
    "array_return": (300, 120),
    "arrays_of_arrays": (310, 430),
    "binding": (310, 420),  # layout(binding) of samplers and uniform blocks
    "bit_operations": (300, 130),
    "block_offsets": (0, 440),  # layout(offset), layout(align) of members of blocks
    "blend_support": (320, 0),  # layout(blend_support_multiply) out and kin
    "blocks": (300, 140),
    "centroid": (300, 120),
    "const_at_run_time": (0, 420),  # constants of functions need no constant value
    "const_builtins": (100, 120),  # built-in functions in constant expressions
    "derivatives": (300, 110),
    "compute": (310, 430),
    "dynamic_output_index": (0, 110),
    "float_suffix": (300, 120),
    "fma": (320, 400),
    "frag_depth": (300, 110),
    "frag_layout": (300, 330),
    "free_order": (310, 420),  # qualifiers in any order
    "gl_fragcolor": (0, 110),  # ESSL 1.00 is asked for by "legacy"
    "image_atomics": (320, 420),
    "gather": (310, 400),
    "geometry": (320, 150),  # geometry shaders
    "geometry_invocations": (320, 400),
    "geometry_points": (0, 150),  # gl_PointSize of geometry shaders
    "gather_offsets": (320, 400),
    "images": (310, 420),
    "implicit_conversions": (0, 120),
    "implicit_to_uint": (0, 400),
    "implicit_uint": (0, 130),
    "in_out": (300, 130),
    "integers": (300, 130),  # uint, integer varyings and attributes
    "interface_blocks": (320, 150),
    "interpolation": (300, 130),
    "interface_locations": (320, 440),  # of blocks of inputs and outputs
    "invariant": (100, 120),
    "layout": (300, 140),
    "layout_expressions": (0, 440),  # layout(location = CONSTANT)
    "location": (300, 330),
    # ESSL 1.00 keeps it for the future, but drivers take it, and programs use it.
    "matrix_from_matrix": (100, 120),
    "nonsquare": (300, 120),
    "precision": (100, 130),
    "precision_default": (100, 0),  # fragment floats need a precision
    "repeated_layout": (0, 420),  # the last one counts
    "sampler_indexing": (320, 400),  # arrays of samplers and uniform blocks by what is no constant
    "sample_interpolation": (320, 400),  # sample, interpolateAtCentroid() and kin
    "sample_variables": (320, 400),  # gl_SampleID and kin
    "samplers_3d": (300, 110),
    "scalar_from_any": (100, 110),
    "smooth_integers": (320, 130),  # outputs of integers need not be flat
    "storage_blocks": (310, 430),
    "struct_io": (300, 150),
    "storage_block_indexing": (0, 400),  # arrays of storage blocks by what is no constant
    "switch": (300, 130),
    "tessellation": (320, 400),
    "tessellation_points": (0, 400),  # gl_PointSize of tessellation shaders
    "texture_overloads": (300, 130),  # texture() and kin
    "uniform_initializers": (0, 120),
    "uniform_location": (310, 430),
    "unsized_arrays": (0, 110),
    "varying_location": (310, 410),
    "vertex_id": (300, 130),
}

_COMMON_RESERVED: Final = (
    "asm class union enum typedef template this goto inline noinline volatile public static extern external interface "
    "long short double half fixed unsigned input output hvec2 hvec3 hvec4 dvec2 dvec3 dvec4 fvec2 fvec3 fvec4 "
    "sampler3DRect sizeof cast namespace using packed dmat2 dmat3 dmat4"
)
_DOUBLE_MATRICES: Final = "dmat2x2 dmat2x3 dmat2x4 dmat3x2 dmat3x3 dmat3x4 dmat4x2 dmat4x3 dmat4x4"
_IMAGES: Final = " ".join(
    f"{prefix}image{kind}"
    for prefix in ("", "i", "u")
    for kind in ("1D", "2D", "3D", "Cube", "1DArray", "2DArray", "Buffer")
)
#: Reserved on desktop. The text of ESSL 3.00 lists them, too, but no compiler keeps them there.
_SHADOW_IMAGES: Final = "image1DShadow image2DShadow image1DArrayShadow image2DArrayShadow"
_CUBE_ARRAYS: Final = tuple(name for name in OPAQUE_TYPES if "CubeArray" in name)
_MEMORY_WORDS: Final = "coherent volatile restrict readonly writeonly atomic_uint"
_SAMPLERS_NOT_IN_ES3: Final = " ".join(
    name for name in SAMPLER_TYPES if "1D" in name or "Rect" in name or "Buffer" in name or "MS" in name
)

_BASE_KEYWORDS: Final = (
    "const uniform break continue do for while if else in out inout float int void bool true false discard return "
    "struct "
    "vec2 vec3 vec4 ivec2 ivec3 ivec4 bvec2 bvec3 bvec4 mat2 mat3 mat4"
)
_MODERN_TYPES: Final = "uint uvec2 uvec3 uvec4"
_NONSQUARE: Final = "mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4"


def _keywords(es: bool, number: int) -> tuple[frozenset[str], frozenset[str]]:
    """Give the keywords and the reserved words of a version."""
    words = set(_BASE_KEYWORDS.split())
    reserved = set(_COMMON_RESERVED.split())
    if es and number == 100:
        words.update(
            ["attribute", "varying", "precision", "lowp", "mediump", "highp", "invariant", "sampler2D", "samplerCube"]
        )
        reserved.update(
            [
                "packed",
                "switch",
                "default",
                "flat",
                "superp",
                "sampler1D",
                "sampler3D",
                "sampler1DShadow",
                "sampler2DShadow",
            ]
        )
        reserved.update(["sampler2DRect", "sampler2DRectShadow"])
    elif es:
        words.update(
            [
                "precision",
                "lowp",
                "mediump",
                "highp",
                "invariant",
                "layout",
                "centroid",
                "flat",
                "smooth",
                "switch",
                "case",
                "default",
            ]
        )
        words.update(_MODERN_TYPES.split(), _NONSQUARE.split())
        words.update(name for name in SAMPLER_TYPES if name not in (*_SAMPLERS_NOT_IN_ES3.split(), *_CUBE_ARRAYS))
        if number >= 310:
            words.update(["sampler2DMS", "isampler2DMS", "usampler2DMS", *_MEMORY_WORDS.split(), "buffer", "shared"])
            words.update(name for name in IMAGE_TYPES if name.partition("mage")[2] in ("2D", "3D", "Cube", "2DArray"))
            reserved.update(["precise"], _CUBE_ARRAYS)
        if number >= 320:
            words.update(["patch", "precise", "sample"], _CUBE_ARRAYS)
            words.update(name for name in SAMPLER_TYPES if "Buffer" in name or "MSArray" in name)
            words.update(name for name in IMAGE_TYPES if "Buffer" in name)
        words.discard("samplerExternalOES")
        reserved.update(
            [
                "attribute",
                "varying",
                "coherent",
                "restrict",
                "readonly",
                "writeonly",
                "resource",
                "atomic_uint",
                "noperspective",
            ]
        )
        reserved.update(["patch", "sample", "subroutine", "common", "partition", "active", "superp", "filter"])
        reserved.update(_IMAGES.split(), _SAMPLERS_NOT_IN_ES3.split(), _DOUBLE_MATRICES.split())
        reserved -= words
    else:
        words.update(
            [
                "attribute",
                "varying",
                "sampler1D",
                "sampler2D",
                "sampler3D",
                "samplerCube",
                "sampler1DShadow",
                "sampler2DShadow",
            ]
        )
        if number < 140:
            reserved.update(["packed", "sampler2DRect", "sampler2DRectShadow"])
        if number < 130:
            reserved.update(["switch", "default"])
        if number == 120:
            reserved.update(["lowp", "mediump", "highp", "precision"])
        if number >= 120:
            words.update(["centroid", "invariant"], _NONSQUARE.split())
        if number >= 130:
            words.update(
                [
                    "flat",
                    "smooth",
                    "noperspective",
                    "switch",
                    "case",
                    "default",
                    "precision",
                    "lowp",
                    "mediump",
                    "highp",
                ]
            )
            words.update(_MODERN_TYPES.split())
            words.update(
                name
                for name in SAMPLER_TYPES
                if not any(part in name for part in ("Rect", "Buffer", "MS", "OES", "CubeArray"))
            )
            reserved.update(["common", "partition", "active", "filter", "superp"])
            reserved.update(_IMAGES.split(), _SHADOW_IMAGES.split())
            reserved.update(_DOUBLE_MATRICES.split())
        if number >= 140:
            words.update(["layout", "sampler2DRect", "sampler2DRectShadow", "isampler2DRect", "usampler2DRect"])
            words.update(["samplerBuffer", "isamplerBuffer", "usamplerBuffer"])
        if number >= 150:
            words.update(name for name in SAMPLER_TYPES if "MS" in name)
        if number >= 400:
            words.update(["patch", "precise", "sample"])
            words.update(name for name in _CUBE_ARRAYS if name in SAMPLER_TYPES)
            reserved.update(["subroutine"], _CUBE_ARRAYS)
        if number >= 420:
            words.update(_MEMORY_WORDS.split(), IMAGE_TYPES)
        if number >= 430:
            words.update(["buffer", "shared"])
        reserved -= words
    return frozenset(words), frozenset(reserved - words)


class Version:
    """One language version; get it from :func:`language_version`."""

    __slots__ = ("_features", "es", "keywords", "name", "number", "reserved", "types")

    def __init__(self, es: bool, number: int) -> None:
        self.es = es
        self.number = number
        self.name = f"GLSL {'ES ' if es else ''}{number // 100}.{number % 100:02d}"
        self.keywords, self.reserved = _keywords(es, number)
        self.types = {
            name: kind for name, kind in (*NUMERIC_TYPES.items(), *OPAQUE_TYPES.items()) if name in self.keywords
        }
        column = 0 if es else 1
        self._features = frozenset(
            name for name, first in _FEATURES.items() if first[column] and number >= first[column]
        )

    def has(self, feature: str) -> bool:
        """Tell whether the version has a feature of the table; KeyError for a name that is not in it."""
        if feature in self._features:
            return True
        if feature not in _FEATURES:
            raise KeyError(feature)
        return False

    @property
    def legacy(self) -> bool:
        """Tell whether it is ESSL 1.00, with its restrictions."""
        return self.es and self.number == 100


@cache
def language_version(es: bool, number: int) -> Version:
    """Give the version object."""
    return Version(es, number)


#: Extension: (ES versions, desktop versions) that may enable it; its macro is defined there.
EXTENSIONS: Final[dict[str, tuple[tuple[int, ...], tuple[int, ...]]]] = {
    "GL_OES_standard_derivatives": ((100,), ()),
    "GL_EXT_shader_texture_lod": ((100,), ()),
    "GL_EXT_frag_depth": ((100,), ()),
    "GL_EXT_draw_buffers": ((100,), ()),
    "GL_OES_texture_3D": ((100,), ()),
    "GL_EXT_shadow_samplers": ((100,), ()),
    "GL_OES_EGL_image_external": ((100,), ()),
    "GL_OES_EGL_image_external_essl3": ((300, 310, 320), ()),
    "GL_NV_shader_noperspective_interpolation": ((300, 310, 320), ()),
    "GL_OES_shader_image_atomic": ((310, 320), ()),
    "GL_OES_gpu_shader5": ((310, 320), ()),
    "GL_EXT_gpu_shader5": ((310, 320), ()),
    "GL_OES_shader_io_blocks": ((310, 320), ()),
    "GL_EXT_shader_io_blocks": ((310, 320), ()),
    "GL_OES_geometry_shader": ((310, 320), ()),
    "GL_EXT_geometry_shader": ((310, 320), ()),
    "GL_OES_geometry_point_size": ((310, 320), ()),
    "GL_EXT_geometry_point_size": ((310, 320), ()),
    "GL_OES_tessellation_shader": ((310, 320), ()),
    "GL_EXT_tessellation_shader": ((310, 320), ()),
    "GL_OES_tessellation_point_size": ((310, 320), ()),
    "GL_EXT_tessellation_point_size": ((310, 320), ()),
    "GL_ARB_tessellation_shader": ((), (150, 330)),
    "GL_OES_texture_buffer": ((310, 320), ()),
    "GL_EXT_texture_buffer": ((310, 320), ()),
    "GL_OES_texture_storage_multisample_2d_array": ((310, 320), ()),
    "GL_OES_texture_cube_map_array": ((310, 320), ()),
    "GL_EXT_texture_cube_map_array": ((310, 320), ()),
    "GL_KHR_blend_equation_advanced": (
        KNOWN_VERSIONS[True],
        (130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460),
    ),
    "GL_OES_sample_variables": ((300, 310, 320), ()),
    "GL_OES_shader_multisample_interpolation": ((300, 310, 320), ()),
    "GL_ARB_sample_shading": ((), (130, 140, 150, 330)),
    "GL_ARB_texture_gather": ((), (130, 140, 150, 330)),
    "GL_ARB_texture_rectangle": ((), (110, 120, 130, 140, 150, 330)),
    "GL_ARB_draw_buffers": ((), (110, 120, 130, 140, 150, 330)),
    "GL_ARB_shader_texture_lod": ((), (110, 120, 130, 140, 150, 330)),
    "GL_ARB_explicit_attrib_location": ((), (110, 120, 130, 140, 150, 330)),
    "GL_ARB_uniform_buffer_object": ((), (110, 120, 130, 140, 150, 330)),
    "GL_ARB_draw_instanced": ((), (110, 120, 130, 140, 150, 330)),
    "GL_ARB_shader_bit_encoding": ((), (130, 140, 150, 330)),
    "GL_ARB_shading_language_packing": ((), (130, 140, 150, 330)),
    "GL_EXT_texture_array": ((), (110, 120, 130, 140, 150, 330)),
    "GL_ARB_texture_multisample": ((), (130, 140)),
    "GL_ARB_texture_cube_map_array": ((), (130, 140, 150, 330)),
}

_BUFFERS: Final = tuple(name for name in OPAQUE_TYPES if "Buffer" in name)
_MULTISAMPLE: Final = tuple(name for name in SAMPLER_TYPES if "MS" in name)
#: Types that an extension adds, and words that it makes keywords.
EXTENSION_TYPES: Final[dict[str, tuple[str, ...]]] = {
    "GL_OES_EGL_image_external": ("samplerExternalOES",),
    "GL_OES_EGL_image_external_essl3": ("samplerExternalOES",),
    "GL_OES_texture_3D": ("sampler3D",),
    "GL_EXT_shadow_samplers": ("sampler2DShadow",),
    "GL_ARB_texture_rectangle": ("sampler2DRect", "sampler2DRectShadow"),
    "GL_EXT_texture_array": ("sampler1DArray", "sampler2DArray", "sampler1DArrayShadow", "sampler2DArrayShadow"),
    "GL_ARB_texture_multisample": _MULTISAMPLE,
    "GL_OES_texture_storage_multisample_2d_array": _MULTISAMPLE,
    "GL_OES_texture_cube_map_array": _CUBE_ARRAYS,
    "GL_EXT_texture_cube_map_array": _CUBE_ARRAYS,
    "GL_ARB_texture_cube_map_array": tuple(name for name in _CUBE_ARRAYS if name in SAMPLER_TYPES),
    "GL_OES_texture_buffer": _BUFFERS,
    "GL_EXT_texture_buffer": _BUFFERS,
}
EXTENSION_KEYWORDS: Final[dict[str, tuple[str, ...]]] = {
    "GL_KHR_blend_equation_advanced": ("layout",),
    "GL_NV_shader_noperspective_interpolation": ("noperspective",),
    "GL_OES_gpu_shader5": ("precise",),
    "GL_EXT_gpu_shader5": ("precise",),
    "GL_OES_shader_multisample_interpolation": ("sample",),
    "GL_OES_tessellation_shader": ("patch",),
    "GL_EXT_tessellation_shader": ("patch",),
    "GL_ARB_tessellation_shader": ("patch",),
}
#: Features of later versions that an extension brings.
_EXTENSION_FEATURES: Final[dict[str, tuple[str, ...]]] = {
    "GL_OES_gpu_shader5": ("gather_offsets", "sampler_indexing", "fma"),
    "GL_EXT_gpu_shader5": ("gather_offsets", "sampler_indexing", "fma"),
    "GL_OES_shader_io_blocks": ("interface_blocks", "interface_locations"),
    "GL_OES_geometry_shader": ("geometry", "geometry_invocations", "interface_blocks"),
    "GL_EXT_geometry_shader": ("geometry", "geometry_invocations", "interface_blocks"),
    "GL_OES_geometry_point_size": ("geometry_points",),
    "GL_EXT_geometry_point_size": ("geometry_points",),
    "GL_OES_tessellation_shader": ("tessellation", "interface_blocks"),
    "GL_EXT_tessellation_shader": ("tessellation", "interface_blocks"),
    "GL_ARB_tessellation_shader": ("tessellation", "tessellation_points"),
    "GL_OES_tessellation_point_size": ("tessellation_points",),
    "GL_EXT_tessellation_point_size": ("tessellation_points",),
    "GL_EXT_shader_io_blocks": ("interface_blocks", "interface_locations"),
    "GL_KHR_blend_equation_advanced": ("blend_support",),
    "GL_OES_shader_image_atomic": ("image_atomics",),
    "GL_ARB_texture_gather": ("gather",),
    "GL_OES_sample_variables": ("sample_variables",),
    "GL_OES_shader_multisample_interpolation": ("sample_interpolation",),
    "GL_ARB_sample_shading": ("sample_variables",),
}


def brings(enabled: frozenset[str], feature: str) -> bool:
    """Tell whether one of the enabled extensions brings a feature of a later version."""
    return any(feature in _EXTENSION_FEATURES.get(extension, ()) for extension in enabled)
