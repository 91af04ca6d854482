"""The state of GL contexts: what OpenGL ES 3.0 §6.2 lists, plus the desktop state that Python programs touch.

A :class:`Context` holds state and object bindings; a :class:`ShareGroup` the objects that contexts share (buffers,
textures, samplers,
renderbuffers, shaders, programs, syncs; containers - vertex arrays, framebuffers, queries, transform feedbacks -
belong to one context).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from traceformat.gles import enums as gl
from traceformat.gles.limits import Limits, shown_extensions
from traceformat.gles.objects import (
    MAX_COLOR_ATTACHMENTS,
    Buffer,
    BufferRange,
    Combination,
    Drawable,
    Executable,
    Framebuffer,
    Image,
    ImageUnit,
    Pipeline,
    ProgramObject,
    Query,
    Renderbuffer,
    Sampler,
    Shader,
    Sync,
    Texture,
    TransformFeedback,
    VertexArray,
    VertexAttrib,
)

__all__ = [
    "BlendState",
    "Changes",
    "Context",
    "ContextConfig",
    "DebugGroup",
    "GenericAttrib",
    "Namespace",
    "PixelStore",
    "ShareGroup",
    "StencilFace",
    "TextureUnit",
]

T = TypeVar("T")

#: Texture targets that every unit has a binding (and a default texture) for.
TEXTURE_TARGETS = (
    gl.GL_TEXTURE_2D,
    gl.GL_TEXTURE_CUBE_MAP,
    gl.GL_TEXTURE_3D,
    gl.GL_TEXTURE_2D_ARRAY,
    gl.GL_TEXTURE_1D,
    gl.GL_TEXTURE_1D_ARRAY,
    gl.GL_TEXTURE_RECTANGLE,
    gl.GL_TEXTURE_2D_MULTISAMPLE,
    gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY,
    gl.GL_TEXTURE_CUBE_MAP_ARRAY,
    gl.GL_TEXTURE_BUFFER,
    gl.GL_TEXTURE_EXTERNAL_OES,
)


class Namespace(Generic[T]):
    """Names of one kind of object: free, reserved by glGen* (value None), or in use."""

    __slots__ = ("_lowest", "_serial", "objects")

    def __init__(self) -> None:
        self.objects: dict[int, T | None] = {}
        self._lowest = 1
        self._serial = 0

    def serial(self) -> int:
        """Return the next serial number."""
        self._serial += 1
        return self._serial

    def generate(self, count: int) -> list[int]:
        """Reserve the ``count`` lowest free names."""
        names: list[int] = []
        name = self._lowest
        while len(names) < count:
            if name not in self.objects:
                names.append(name)
                self.objects[name] = None
            name += 1
        self._lowest = name
        return names

    def get(self, name: int) -> T | None:
        """Return the object of that name, None where there is none (yet)."""
        return self.objects.get(name)

    def remove(self, name: int) -> T | None:
        """Free a name and return what it stood for."""
        if name in self.objects and name < self._lowest:
            self._lowest = name
        return self.objects.pop(name, None)


@dataclass(slots=True, eq=False)
class ContextConfig:
    """How a context was made: traceContext's arguments."""

    api: int = 0
    major: int = 3
    minor: int = 0
    profile: int = 0
    red_bits: int = 8
    green_bits: int = 8
    blue_bits: int = 8
    alpha_bits: int = 8
    depth_bits: int = 24
    stencil_bits: int = 8
    samples: int = 0

    @property
    def is_gles(self) -> bool:
        """True for OpenGL ES, False for desktop GL."""
        return self.api == 0

    @property
    def version(self) -> int:
        """Version times ten, e.g. 30."""
        return self.major * 10 + self.minor


@dataclass(slots=True, eq=False)
class BlendState:
    """Blending of one draw buffer (without its enable, see ``Context.blend_enabled``)."""

    equation_rgb: int = gl.GL_FUNC_ADD
    equation_alpha: int = gl.GL_FUNC_ADD
    src_rgb: int = gl.GL_ONE
    dst_rgb: int = gl.GL_ZERO
    src_alpha: int = gl.GL_ONE
    dst_alpha: int = gl.GL_ZERO


@dataclass(slots=True, eq=False)
class StencilFace:
    """Stencil state of front or back faces. ``ref`` is as given; comparison clamps it to the buffer's bits."""

    func: int = gl.GL_ALWAYS
    ref: int = 0
    value_mask: int = 0xFFFFFFFF
    write_mask: int = 0xFFFFFFFF
    fail: int = gl.GL_KEEP
    depth_fail: int = gl.GL_KEEP
    depth_pass: int = gl.GL_KEEP


@dataclass(slots=True, eq=False)
class PixelStore:
    """Pixel pack or unpack parameters."""

    alignment: int = 4
    row_length: int = 0
    image_height: int = 0
    skip_rows: int = 0
    skip_pixels: int = 0
    skip_images: int = 0


@dataclass(slots=True, eq=False)
class GenericAttrib:
    """Current value of a generic attribute; ``type`` is GL_FLOAT, GL_INT or GL_UNSIGNED_INT."""

    values: tuple[float, float, float, float] | tuple[int, int, int, int] = (0.0, 0.0, 0.0, 1.0)
    type: int = gl.GL_FLOAT


@dataclass(slots=True, eq=False)
class TextureUnit:
    """Bindings of one texture unit; a target that has none is bound to the context's default texture."""

    textures: dict[int, Texture]
    sampler: Sampler | None = None


@dataclass(slots=True, eq=False)
class DebugGroup:
    """An open debug group: of KHR_debug (``marker`` False) or EXT_debug_marker."""

    source: int
    id: int
    label: str
    marker: bool = False


@dataclass(slots=True, eq=False)
class ShareGroup:
    """Objects that several contexts share. Shaders and programs share one namespace."""

    serial: int
    buffers: Namespace[Buffer] = field(default_factory=Namespace)
    textures: Namespace[Texture] = field(default_factory=Namespace)
    samplers: Namespace[Sampler] = field(default_factory=Namespace)
    renderbuffers: Namespace[Renderbuffer] = field(default_factory=Namespace)
    programs: Namespace[Shader | ProgramObject] = field(default_factory=Namespace)
    syncs: Namespace[Sync] = field(default_factory=Namespace)


class Changes:
    """What calls may have changed since a backend last cleared ``bits``: so that it need not look at all state anew.

    One of all contexts of a tracker, because objects are shared. A set bit says that something *may* have changed.
    """

    __slots__ = ("bits",)

    #: Rasterization, tests, blending; vertex arrays and buffers; textures and samplers; framebuffers and the rest.
    FIXED: Final = 1
    VERTEX: Final = 2
    TEXTURES: Final = 4
    TARGETS: Final = 8
    #: Which vertex array is bound, and where the memory of buffers lies, but nothing else of either.
    ARRAY: Final = 16
    ALL: Final = 31
    #: Of calls that change all but vertex arrays and buffers.
    BUT_VERTEX: Final = FIXED | TEXTURES | TARGETS
    #: Of calls that change none of these; of calls that change images, which may be rendered to.
    NOTHING: Final = 0
    IMAGES: Final = TEXTURES | TARGETS

    def __init__(self) -> None:
        self.bits = Changes.ALL


class Context:
    """A GL context.

    Parameters
    ----------
    name : number of the context in the trace
    config : API, version and framebuffer bits
    group : share group
    limits : implementation limits
    changes : of the tracker
    """

    __slots__ = (
        "active_unit",
        "blend",
        "blend_color",
        "blend_enabled",
        "buffers",
        "call_number",
        "changes",
        "clear_color",
        "clear_depth",
        "clear_stencil",
        "clip_depth",
        "clip_origin",
        "color_masks",
        "combinations",
        "condition",
        "config",
        "counter_buffers",
        "cull_mode",
        "current_queries",
        "debug_groups",
        "debug_messages",
        "default_framebuffer",
        "default_read_framebuffer",
        "default_textures",
        "depth_func",
        "depth_mask",
        "depth_range",
        "destroyed",
        "draw_drawable",
        "draw_framebuffer",
        "enabled",
        "error",
        "error_message",
        "framebuffers",
        "front_face",
        "generic_attribs",
        "group",
        "has_advanced_equation",
        "hints",
        "image_units",
        "is_gles",
        "limits",
        "line_width",
        "logic_op",
        "min_sample_shading",
        "name",
        "pack",
        "patch_inner_levels",
        "patch_outer_levels",
        "patch_vertices",
        "pipeline",
        "pipelines",
        "point_size",
        "polygon_mode",
        "polygon_offset_factor",
        "polygon_offset_units",
        "primitive_restart_index",
        "program",
        "provoking_vertex",
        "proxies",
        "queries",
        "read_drawable",
        "read_framebuffer",
        "renderbuffer",
        "sample_coverage_invert",
        "sample_coverage_value",
        "sample_mask",
        "scissor",
        "skips_rendering",
        "stencil_back",
        "stencil_front",
        "storage_buffers",
        "transform_feedback",
        "transform_feedbacks",
        "uniform_buffers",
        "units",
        "unpack",
        "used_program",
        "vertex_array",
        "vertex_arrays",
        "viewport",
        "was_current",
    )

    def __init__(
        self, name: int, config: ContextConfig, group: ShareGroup, limits: Limits, changes: Changes | None = None
    ) -> None:
        self.name = name
        self.changes = changes if changes is not None else Changes()
        #: True for OpenGL ES, False for desktop GL.
        self.is_gles = config.is_gles
        self.config = config
        self.group = group
        self.limits = limits
        self.destroyed = False
        self.was_current = False
        #: Pending error (GL_NO_ERROR when none), and why it was raised.
        self.error = gl.GL_NO_ERROR
        self.error_message = ""
        #: Number of the call being executed.
        self.call_number = 0

        # Containers, which are never shared.
        self.vertex_arrays: Namespace[VertexArray] = Namespace()
        self.framebuffers: Namespace[Framebuffer] = Namespace()
        self.queries: Namespace[Query] = Namespace()
        self.transform_feedbacks: Namespace[TransformFeedback] = Namespace()
        self.pipelines: Namespace[Pipeline] = Namespace()

        # Drawables and framebuffers. The default framebuffers show the planes of the current drawables.
        self.draw_drawable: Drawable | None = None
        self.read_drawable: Drawable | None = None
        self.default_framebuffer = Framebuffer(0, 0, draw_buffers=[gl.GL_BACK], read_buffer=gl.GL_BACK, created=True)
        self.default_read_framebuffer = self.default_framebuffer
        self.draw_framebuffer = self.default_framebuffer
        self.read_framebuffer = self.default_framebuffer
        self.renderbuffer: Renderbuffer | None = None

        # Capabilities (GL_BLEND has one a draw buffer, in blend_enabled; GL_BLEND in enabled mirrors buffer 0).
        self.enabled: set[int] = {gl.GL_DITHER, gl.GL_BLEND_ADVANCED_COHERENT_KHR}
        # ES always encodes what it writes to sRGB images, unless EXT_sRGB_write_control switches that off.
        self.enabled.add(gl.GL_FRAMEBUFFER_SRGB if config.is_gles else gl.GL_MULTISAMPLE)

        # Vertex state.
        self.vertex_array = VertexArray(0, 0, [VertexAttrib() for _ in range(limits.max_vertex_attribs)], created=True)
        self.vertex_arrays.objects[0] = self.vertex_array
        self.generic_attribs = [GenericAttrib() for _ in range(limits.max_vertex_attribs)]
        self.primitive_restart_index = 0
        self.patch_vertices = 3
        self.patch_outer_levels: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
        self.patch_inner_levels: tuple[float, ...] = (1.0, 1.0)
        self.clip_origin, self.clip_depth = gl.GL_LOWER_LEFT, gl.GL_NEGATIVE_ONE_TO_ONE
        self.provoking_vertex = gl.GL_LAST_VERTEX_CONVENTION

        # Buffers: generic binding points (the element array is in the vertex array) and indexed ones.
        self.buffers: dict[int, Buffer | None] = {}
        self.uniform_buffers = [BufferRange() for _ in range(limits.max_uniform_buffer_bindings)]
        self.storage_buffers = [BufferRange() for _ in range(limits.max_shader_storage_buffer_bindings)]
        self.counter_buffers = [BufferRange() for _ in range(limits.max_atomic_counter_buffer_bindings)]
        self.image_units = [ImageUnit() for _ in range(limits.max_image_units)]
        self.transform_feedback = TransformFeedback(
            0, 0, [BufferRange() for _ in range(limits.max_transform_feedback_separate_attribs)], created=True
        )
        self.transform_feedbacks.objects[0] = self.transform_feedback

        # Rasterization.
        self.viewport = (0, 0, 0, 0)
        self.depth_range = (0.0, 1.0)
        self.scissor = (0, 0, 0, 0)
        self.cull_mode = gl.GL_BACK
        self.front_face = gl.GL_CCW
        self.line_width = 1.0
        self.point_size = 1.0
        self.polygon_offset_factor = 0.0
        self.polygon_offset_units = 0.0
        self.polygon_mode = gl.GL_FILL
        self.sample_coverage_value = 1.0
        self.sample_coverage_invert = False
        self.sample_mask = 0xFFFFFFFF
        self.min_sample_shading = 0.0

        # Per-fragment operations.
        self.blend = [BlendState() for _ in range(MAX_COLOR_ATTACHMENTS)]
        self.blend_enabled = [False] * MAX_COLOR_ATTACHMENTS
        self.blend_color = (0.0, 0.0, 0.0, 0.0)
        #: Whether a draw buffer has an equation of KHR_blend_equation_advanced.
        self.has_advanced_equation = False
        self.color_masks = [(True, True, True, True)] * MAX_COLOR_ATTACHMENTS
        self.depth_func = gl.GL_LESS
        self.depth_mask = True
        self.stencil_front = StencilFace()
        self.stencil_back = StencilFace()
        self.logic_op = gl.GL_COPY
        self.clear_color = (0.0, 0.0, 0.0, 0.0)
        self.clear_depth = 1.0
        self.clear_stencil = 0

        # Textures.
        self.default_textures = {target: Texture(0, 0, target) for target in TEXTURE_TARGETS}
        self.units = [TextureUnit(dict(self.default_textures)) for _ in range(limits.max_combined_texture_image_units)]
        self.active_unit = 0
        self.unpack = PixelStore()
        self.pack = PixelStore()

        # Programs and queries. ``program`` is what draws execute: the one in use, else what the stages of the pipeline
        # make together (as of the last draw, see :mod:`traceformat.gles.pipelines`).
        self.program: ProgramObject | None = None
        self.used_program: ProgramObject | None = None
        self.pipeline: Pipeline | None = None
        self.combinations: dict[tuple[tuple[int, Executable | None], ...], Combination] = {}
        self.current_queries: dict[int, Query] = {}
        #: Query of glBeginConditionalRender until its end; and whether it had counted nothing.
        self.condition: Query | None = None
        self.skips_rendering = False
        self.hints: dict[int, int] = {}

        # Debug output. Groups exclude the default one (depth 0).
        self.debug_groups: list[DebugGroup] = []
        self.debug_messages: list[tuple[int, int, int, int, str]] = []
        #: Images that were tried, by proxy target and level.
        self.proxies: dict[tuple[int, int], Image] = {}

    @property
    def extensions(self) -> tuple[str, ...]:
        """Extensions that the context shows."""
        return shown_extensions(self.limits, self.config.version, is_gles=self.is_gles)

    def fail(self, error: int, message: str) -> None:
        """Record a GL error unless one is pending (ES 3.0.6 §2.5)."""
        if self.error == gl.GL_NO_ERROR:
            self.error = error
            self.error_message = message
