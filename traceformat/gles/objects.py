"""GL objects as the tracker keeps them: everything that a program can say about them, none of their pixels.

Pixels live with the backend, in the ``backing`` slot of an :class:`Image`, :class:`Shader`, executable or query;
the tracker never looks into it, and an object that nobody refers to any more takes its backing with it.
Buffers are the exception: their bytes are here, because everybody needs them.

``serial`` numbers objects of one kind in order of creation and is never reused, unlike GL names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from traceformat.gles import enums as gl
from traceformat.gles.reflection import ActiveUniform, Reflection

__all__ = [
    "Attachment",
    "Buffer",
    "BufferRange",
    "ClientArray",
    "Drawable",
    "Executable",
    "Framebuffer",
    "Image",
    "LinkInputs",
    "Mapping",
    "ProgramObject",
    "Query",
    "Renderbuffer",
    "Sampler",
    "Sampling",
    "Shader",
    "Sync",
    "Texture",
    "TransformFeedback",
    "UniformSlot",
    "VertexArray",
    "VertexAttrib",
    "VertexBinding",
]

MAX_COLOR_ATTACHMENTS = 8


@dataclass(slots=True, eq=False)
class Mapping:
    """A mapped range of a buffer."""

    offset: int
    length: int
    access: int


@dataclass(slots=True, eq=False)
class Buffer:
    """A buffer object.

    ``store`` is replaced (never resized) by glBufferData, so views of an old store stay valid; ``version`` counts
    changes of content. Whoever writes into it (a backend: transform feedback) does so through :meth:`change`.
    """

    name: int
    serial: int
    store: bytearray = field(default_factory=bytearray)
    #: How often ``store`` was replaced.
    definitions: int = 0
    #: Called before ``store`` is written to, once: a backend that has yet to read it sets this.
    before_write: Callable[[], None] | None = None
    usage: int = gl.GL_STATIC_DRAW
    storage_flags: int = 0
    immutable: bool = False
    mapping: Mapping | None = None
    version: int = 0
    created: bool = False
    deleted: bool = False
    label: str = ""

    def change(self) -> bytearray:
        """Give ``store`` to write into it; its content counts as changed."""
        if self.before_write is not None:
            read, self.before_write = self.before_write, None
            read()
        self.version += 1
        return self.store


@dataclass(slots=True, eq=False)
class BufferRange:
    """One indexed binding point; ``size`` 0 means the whole buffer from ``offset``."""

    buffer: Buffer | None = None
    offset: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class ImageUnit:
    """What glBindImageTexture bound to an image unit."""

    texture: Texture | None = None
    level: int = 0
    layered: bool = False
    layer: int = 0
    access: int = gl.GL_READ_ONLY
    format: int = gl.GL_R32UI


@dataclass(slots=True, eq=False)
class ClientArray:
    """Content of a client-side vertex array: ``data`` begins at vertex ``first``."""

    first: int
    data: bytes


@dataclass(slots=True, eq=False)
class VertexAttrib:
    """One attribute of a vertex array object.

    ``stride`` is as given (0 = tightly packed; :meth:`effective_stride` in bytes otherwise); ``buffer`` None means a
    client-side array, whose content is ``client``.
    """

    enabled: bool = False
    size: int = 4
    type: int = gl.GL_FLOAT
    normalized: bool = False
    integer: bool = False
    stride: int = 0
    offset: int = 0
    divisor: int = 0
    buffer: Buffer | None = None
    client: ClientArray | None = None
    element_bytes: int = 16
    #: Binding point and offset within its elements, where a program uses those of ES 3.1.
    binding: int = 0
    relative_offset: int = 0
    #: A binding point of stride 0: all vertices read the same element.
    is_constant: bool = False

    @property
    def effective_stride(self) -> int:
        """Bytes between consecutive elements."""
        return 0 if self.is_constant else self.stride or self.element_bytes


@dataclass(slots=True, eq=False)
class VertexBinding:
    """A vertex buffer binding point of ES 3.1."""

    buffer: Buffer | None = None
    offset: int = 0
    stride: int = 16
    divisor: int = 0


@dataclass(slots=True, eq=False)
class VertexArray:
    """A vertex array object; name 0 is the context's default one."""

    name: int
    serial: int
    attribs: list[VertexAttrib]
    element_buffer: Buffer | None = None
    #: Empty until the program uses binding points; what they say is in ``attribs`` at any time.
    bindings: list[VertexBinding] = field(default_factory=list)
    created: bool = False
    deleted: bool = False
    label: str = ""
    #: Attributes that are enabled; None where that is to be looked up.
    known_enabled: tuple[int, ...] | None = None

    @property
    def enabled(self) -> tuple[int, ...]:
        """Attributes that are enabled, in their order."""
        found = self.known_enabled
        if found is None:
            found = tuple([number for number, attrib in enumerate(self.attribs) if attrib.enabled])
            self.known_enabled = found
        return found


@dataclass(slots=True, eq=False)
class Sampling:
    """Sampler state, of a texture or of a sampler object."""

    min_filter: int = gl.GL_NEAREST_MIPMAP_LINEAR
    mag_filter: int = gl.GL_LINEAR
    wrap_s: int = gl.GL_REPEAT
    wrap_t: int = gl.GL_REPEAT
    wrap_r: int = gl.GL_REPEAT
    min_lod: float = -1000.0
    max_lod: float = 1000.0
    lod_bias: float = 0.0
    compare_mode: int = gl.GL_NONE
    compare_func: int = gl.GL_LEQUAL
    max_anisotropy: float = 1.0
    border_color: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    srgb_decode: int = gl.GL_DECODE_EXT


@dataclass(slots=True, eq=False)
class Sampler:
    """A sampler object; ``version`` counts changes of its state."""

    name: int
    serial: int
    state: Sampling = field(default_factory=Sampling)
    version: int = 0
    deleted: bool = False
    label: str = ""


@dataclass(slots=True, eq=False)
class Image:
    """An array of pixels of one format: a mipmap level (of one cube face), a renderbuffer, a default framebuffer's
    plane.

    ``format`` is the sized internal format (an unsized one is stored as the sized one that it stands for, see
    :mod:`traceformat.gles.formats`); ``requested_format`` is what the program said. ``depth`` counts layers of array
    textures and slices of 3D textures, 1 otherwise. ``backing`` belongs to the backend. ``siblings`` are textures that
    share it as an EGLImage.
    """

    width: int
    height: int
    depth: int
    format: int
    samples: int = 0
    requested_format: int = 0
    backing: Any = None
    siblings: tuple[Texture, ...] = ()


@dataclass(frozen=True, slots=True)
class BufferTexels:
    """Texels of a buffer texture: ``size`` bytes of a buffer from ``offset`` on (0: to its end), of a sized format."""

    buffer: Buffer
    format: int
    offset: int = 0
    size: int = 0

    @property
    def bytes(self) -> memoryview:
        """What of the range lies in the buffer as it is now."""
        store = memoryview(self.buffer.store)
        return store[self.offset : self.offset + self.size if self.size else len(store)]


@dataclass(slots=True, eq=False)
class Texture:
    """A texture object.

    ``images`` maps (face, level) to its image; faces count from GL_TEXTURE_CUBE_MAP_POSITIVE_X, others are face 0.
    ``version`` counts changes of content: the tracker adds for uploads, copies and mipmap generation, a backend for
    what it renders and for what it finds changed in a buffer. ``texels`` is where those of a buffer texture lie, which
    has no images.
    """

    name: int
    serial: int
    target: int = 0
    texels: BufferTexels | None = None
    images: dict[tuple[int, int], Image] = field(default_factory=dict)
    sampling: Sampling = field(default_factory=Sampling)
    base_level: int = 0
    max_level: int = 1000
    swizzle: list[int] = field(default_factory=lambda: [gl.GL_RED, gl.GL_GREEN, gl.GL_BLUE, gl.GL_ALPHA])
    depth_stencil_mode: int = gl.GL_DEPTH_COMPONENT
    immutable_levels: int = 0
    usage: int = gl.GL_NONE
    version: int = 0
    #: Counts changes of parameters and of storage, so that a backend can keep what it derived from them.
    state_version: int = 0
    deleted: bool = False
    label: str = ""
    backing: Any = None


@dataclass(slots=True, eq=False)
class Renderbuffer:
    """A renderbuffer object; ``image`` is None until storage is given."""

    name: int
    serial: int
    image: Image | None = None
    version: int = 0
    created: bool = False
    deleted: bool = False
    label: str = ""


@dataclass(slots=True, eq=False)
class Attachment:
    """What is attached to one point of a framebuffer: a texture's image, a renderbuffer, or a drawable's plane."""

    texture: Texture | None = None
    face: int = 0
    level: int = 0
    layer: int = 0
    layered: bool = False
    renderbuffer: Renderbuffer | None = None
    plane: Image | None = None
    #: Samples asked for by EXT_multisampled_render_to_texture, 0 otherwise.
    samples: int = 0

    @property
    def place(self) -> tuple[Texture | None, int, int, int, Renderbuffer | None, Image | None]:
        """What tells two attachments apart."""
        return self.texture, self.face, self.level, self.layer, self.renderbuffer, self.plane

    @property
    def image(self) -> Image | None:
        """The image, or None where the texture has no such level or the renderbuffer no storage."""
        if self.texture is not None:
            return self.texture.images.get((self.face, self.level))
        if self.renderbuffer is not None:
            return self.renderbuffer.image
        return self.plane


@dataclass(slots=True, eq=False)
class Framebuffer:
    """A framebuffer object, or a context's default framebuffer (name 0), whose attachments are planes of its
    drawable.

    ``draw_buffers`` has one entry a fragment output: GL_NONE, GL_BACK or GL_COLOR_ATTACHMENTi. In the default
    framebuffer colour
    attachment 0 is the back buffer.
    """

    name: int
    serial: int
    color: list[Attachment | None] = field(default_factory=lambda: [None] * MAX_COLOR_ATTACHMENTS)
    depth: Attachment | None = None
    stencil: Attachment | None = None
    draw_buffers: list[int] = field(default_factory=lambda: [gl.GL_COLOR_ATTACHMENT0])
    read_buffer: int = gl.GL_COLOR_ATTACHMENT0
    #: What stands for the size, layers and samples of attachments where there are none; 0 where it was not set.
    defaults: dict[int, int] = field(default_factory=dict)
    #: Completeness as of ``checked_epoch`` of the tracker, see :mod:`traceformat.gles.completeness`.
    status: int = 0
    checked_epoch: int = -1
    created: bool = False
    deleted: bool = False
    label: str = ""
    backing: Any = None

    def draw_attachments(self) -> list[Attachment | None]:
        """Colour attachment of each fragment output, None where nothing is written."""
        found: list[Attachment | None] = []
        for buffer in self.draw_buffers:
            if buffer == gl.GL_NONE:
                found.append(None)
            elif gl.GL_COLOR_ATTACHMENT0 <= buffer < gl.GL_COLOR_ATTACHMENT0 + MAX_COLOR_ATTACHMENTS:
                found.append(self.color[buffer - gl.GL_COLOR_ATTACHMENT0])
            else:
                found.append(self.color[0])
        return found

    def read_attachment(self) -> Attachment | None:
        """Colour attachment that glReadPixels and blits read."""
        if self.read_buffer == gl.GL_NONE:
            return None
        if gl.GL_COLOR_ATTACHMENT0 <= self.read_buffer < gl.GL_COLOR_ATTACHMENT0 + MAX_COLOR_ATTACHMENTS:
            return self.color[self.read_buffer - gl.GL_COLOR_ATTACHMENT0]
        return self.color[0]


@dataclass(slots=True, eq=False)
class Drawable:
    """A window or off-screen surface; planes exist once a context was made current on it.

    ``kind``: 0 window, 1 pbuffer, 2 surfaceless (no default framebuffer). ``frame`` counts swaps.
    """

    name: int
    width: int
    height: int
    kind: int = 0
    color: Image | None = None
    depth: Image | None = None
    stencil: Image | None = None
    frame: int = 0


@dataclass(slots=True, eq=False)
class Shader:
    """A shader object."""

    name: int
    serial: int
    type: int
    source: tuple[str, ...] = ()
    #: The source as it was when the shader was compiled; None before that.
    compiled_source: tuple[str, ...] | None = None
    compiled: bool = False
    log: str = ""
    deleted: bool = False
    attached: int = 0
    label: str = ""
    backing: Any = None


@dataclass(slots=True, eq=False)
class UniformSlot:
    """Where a default-block uniform lives in ``Executable.constants``.

    Elements follow each other without padding: a matrix is stored column by column, booleans are 32-bit 0 or 1,
    samplers are the number of
    their texture unit. ``index`` is its place in ``Reflection.uniforms``.
    """

    index: int
    uniform: ActiveUniform
    location: int
    offset: int
    element_bytes: int


@dataclass(slots=True, frozen=True)
class LinkInputs:
    """What a program was linked from, which its shaders and bindings need not be any more.

    Parameters
    ----------
    shaders : (type, source) of each, in the order of attachment
    attributes, fragments : locations that were asked for
    varyings, feedback_mode : of transform feedback
    """

    shaders: tuple[tuple[int, tuple[str, ...]], ...]
    attributes: dict[str, int]
    fragments: dict[str, tuple[int, int]]
    varyings: tuple[str, ...]
    feedback_mode: int
    separable: bool = False
    #: Compiled shaders, of a separable program: pipelines link them with others.
    compiled: tuple[Any, ...] = field(default=(), compare=False)


@dataclass(slots=True, eq=False)
class Executable:
    """What a successful link made; a program in use keeps its old one when a later link fails.

    ``locations`` maps a uniform location (of the driver that recorded the trace, where that is known) to (slot,
    array element), or to
    None for a uniform that was active there and is not here. ``changed`` collects the indices of uniforms
    written since a consumer last
    cleared it; ``version`` counts writes. ``places`` has where entry points write, by location and entry point, as
    first byte, end and index of the uniform; whoever changes ``locations`` empties it.
    """

    reflection: Reflection
    backing: Any
    slots: list[UniformSlot]
    locations: dict[int, tuple[UniformSlot, int] | None]
    constants: bytearray
    block_bindings: list[int]
    storage_bindings: list[int]
    samplers: list[UniformSlot]
    places: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    changed: set[int] = field(default_factory=set)
    version: int = 0
    feedback_mode: int = gl.GL_INTERLEAVED_ATTRIBS
    #: Recorded locations that the program asked for by name.
    queried: set[int] = field(default_factory=set)
    #: Block indices that a recorded driver used, to ours.
    recorded_blocks: dict[int, int] = field(default_factory=dict)
    inputs: LinkInputs | None = None
    #: Whether two samplers of different type share a unit: None until asked for, again after a sampler changed.
    sampler_conflict: bool | None = None


@dataclass(slots=True, eq=False)
class ProgramObject:
    """A program object; ``link_count`` tells a backend when what it derived is stale."""

    name: int
    serial: int
    shaders: list[Shader] = field(default_factory=list)
    attribute_bindings: dict[str, int] = field(default_factory=dict)
    fragment_bindings: dict[str, tuple[int, int]] = field(default_factory=dict)
    feedback_varyings: tuple[str, ...] = ()
    feedback_mode: int = gl.GL_INTERLEAVED_ATTRIBS
    executable: Executable | None = None
    linked: bool = False
    #: Why it could not be linked: the message of a shader, else of the program.
    failure: str = ""
    validated: bool = False
    log: str = ""
    link_count: int = 0
    use_count: int = 0
    binary_retrievable: bool = False
    separable: bool = False
    #: Number of the program that each shader comes from, of what a pipeline makes of several.
    owners: tuple[int, ...] = ()
    deleted: bool = False
    label: str = ""


@dataclass(slots=True, eq=False)
class Combination:
    """What the stages of a program pipeline make together, and how it follows its programs.

    Parameters
    ----------
    program : that draws execute: one of the pipeline's, or one linked from the stages of several; None draws nothing
    members : executables whose stages it has, in the order of ``Reflection.parts``
    problem : why nothing can be drawn, "" otherwise
    slots : of each member: (its slot, the program's) of each uniform that both have
    blocks, storage : of each member: (its block, the program's)
    seen : version of each member's uniforms that the program has
    """

    program: ProgramObject | None
    members: tuple[Executable, ...] = ()
    problem: str = ""
    slots: list[list[tuple[UniformSlot, UniformSlot]]] = field(default_factory=list)
    blocks: list[list[tuple[int, int]]] = field(default_factory=list)
    storage: list[list[tuple[int, int]]] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Pipeline:
    """A program pipeline object; ``stages`` has the program of each stage (GL_VERTEX_SHADER ...) that has one."""

    name: int
    serial: int
    stages: dict[int, ProgramObject] = field(default_factory=dict)
    active: ProgramObject | None = None
    validated: bool = False
    log: str = ""
    created: bool = False
    label: str = ""


@dataclass(slots=True, eq=False)
class Query:
    """A query object; ``target`` is 0 until it was begun."""

    name: int
    serial: int
    target: int = 0
    active: bool = False
    deleted: bool = False
    result: int = 0
    label: str = ""
    backing: Any = None


@dataclass(slots=True, eq=False)
class Sync:
    """A fence; signalled as soon as it is asked for, since everything before it has been executed by then."""

    name: int
    serial: int
    deleted: bool = False
    label: str = ""


@dataclass(slots=True, eq=False)
class TransformFeedback:
    """A transform feedback object; name 0 is the context's default one."""

    name: int
    serial: int
    bindings: list[BufferRange]
    active: bool = False
    paused: bool = False
    primitive_mode: int = gl.GL_NONE
    program: ProgramObject | None = None
    created: bool = False
    deleted: bool = False
    label: str = ""
    backing: Any = None
