"""What glGetActiveAttrib, glGetActiveUniform and their kin report of a linked program.

Names, sizes and order follow what GLES 3.0 §2.12 asks for: an array of basic type is one entry, named ``name[0]``;
members of structures are entries of their own (``light.color``, ``lights[1].color``); every element of a sampler or
uniform array has its own location, consecutive from the entry's.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from replay.glsl.types import ArrayType, ImageType, NumericType, OpaqueType, SamplerType

__all__ = [
    "ActiveAttribute",
    "ActiveUniform",
    "CounterBuffer",
    "FragmentOutput",
    "Reflection",
    "StorageBlock",
    "StorageVariable",
    "TransformFeedbackVarying",
    "UniformBlock",
]


@dataclass(slots=True)
class ActiveAttribute:
    """A vertex attribute; ``location`` is -1 for a built-in. A matrix takes one location a column."""

    name: str
    type: NumericType
    size: int
    location: int

    @property
    def gl_type(self) -> int:
        """GL enumerant of the type."""
        return self.type.gl_type


@dataclass(slots=True)
class ActiveUniform:
    """A uniform of the default block or a member of a uniform block.

    Parameters
    ----------
    name : as glGetActiveUniform reports it: arrays end in ``[0]``
    type : of an element
    size : elements, 1 if it is no array
    is_array : tells an array of one element from no array
    location : of element 0 in the default block, -1 for members of a block
    block : row of ``Reflection.blocks``, -1 for the default block
    offset, array_stride, matrix_stride : bytes, for members of a block (0 where it does not apply), else -1
    row_major : layout of a matrix in the buffer
    vertex_offset ... tess_evaluation_offset : word of element 0 in the stage's constant area 0;
        -1 if the stage does not read it. Every element begins at a multiple of four words there, and a matrix takes
        four words a column: component r of column c of element k is word ``offset + 4 * (columns * k + c) + r``.
        Integers and booleans (0 or 1) lie there as 32-bit words.
    sampler : row of ``Program.samplers`` of element 0, -1 if it is no sampler
    """

    name: str
    type: NumericType | OpaqueType
    size: int = 1
    is_array: bool = False
    location: int = -1
    block: int = -1
    offset: int = -1
    array_stride: int = -1
    matrix_stride: int = -1
    row_major: bool = False
    precision: str = ""
    vertex_offset: int = -1
    fragment_offset: int = -1
    sampler: int = -1
    #: Constant initialiser of a desktop uniform: components in column order, all elements; None = zeros.
    initial: tuple[float | int | bool, ...] | None = None
    compute_offset: int = -1
    geometry_offset: int = -1
    tess_control_offset: int = -1
    tess_evaluation_offset: int = -1
    #: Row of ``Reflection.counter_buffers`` for an atomic counter, which has an ``offset`` and no location.
    counter_buffer: int = -1

    @property
    def gl_type(self) -> int:
        """GL enumerant of the type."""
        return self.type.gl_type

    @property
    def is_sampler(self) -> bool:
        """Tell whether it holds a texture unit."""
        return isinstance(self.type, SamplerType)

    @property
    def is_image(self) -> bool:
        """Tell whether it holds an image unit."""
        return isinstance(self.type, ImageType)


@dataclass(slots=True)
class UniformBlock:
    """An active uniform block; ``size`` in bytes. Elements of a block array are blocks of their own, ``name[i]``.

    ``binding`` is where its buffer is looked for until the program says otherwise.
    """

    name: str
    size: int
    uniforms: tuple[int, ...]
    vertex: bool
    fragment: bool
    binding: int = 0
    compute: bool = False
    geometry: bool = False
    tess_control: bool = False
    tess_evaluation: bool = False


@dataclass(slots=True)
class StorageBlock:
    """An active shader storage block; elements of a block array are blocks of their own, ``name[i]``.

    Parameters
    ----------
    size : bytes, an array without size counted as one element
    variables : rows of ``Reflection.storage_variables``
    stages : names of the stages that use it
    binding : where its buffer is looked for until the program says otherwise
    """

    name: str
    size: int
    variables: tuple[int, ...]
    stages: str
    binding: int = 0


@dataclass(slots=True)
class StorageVariable:
    """A member of a storage block (a buffer variable), named as GL_BUFFER_VARIABLE names it.

    Parameters
    ----------
    size : elements; 0 for an array without size, 1 if it is no array
    top_size, top_stride : elements (0: without size) of the outermost array of structures around it, and bytes between
        them; 1 and 0 where there is none
    """

    name: str
    type: NumericType
    size: int
    is_array: bool
    offset: int
    array_stride: int
    matrix_stride: int
    row_major: bool
    block: int
    top_size: int = 1
    top_stride: int = 0


@dataclass(slots=True)
class CounterBuffer:
    """A buffer of atomic counters: its binding, the bytes it needs, the stages that use it."""

    binding: int
    size: int
    stages: str


@dataclass(slots=True)
class FragmentOutput:
    """A user-defined colour output."""

    name: str
    type: NumericType | ArrayType
    location: int
    index: int = 0


@dataclass(slots=True)
class TransformFeedbackVarying:
    """A captured output: ``output`` is the row of the vertex stage's ``outputs`` and ``element`` its first element.

    An element of ``type`` takes ``type.columns`` consecutive elements of the output.
    """

    name: str
    type: NumericType
    size: int
    output: int
    element: int


@dataclass(slots=True)
class Reflection:
    """Everything a linked program tells; see the module."""

    attributes: list[ActiveAttribute] = field(default_factory=list)
    uniforms: list[ActiveUniform] = field(default_factory=list)
    blocks: list[UniformBlock] = field(default_factory=list)
    fragment_outputs: list[FragmentOutput] = field(default_factory=list)
    feedback: list[TransformFeedbackVarying] = field(default_factory=list)
    #: Locations given out: 0 <= location < num_uniform_locations.
    num_uniform_locations: int = 0
    #: Word of the fragment stage's constant area 0 that has to hold the framebuffer's height as a float, because
    #: gl_FragCoord counts from its upper edge; -1: none.
    framebuffer_height: int = -1
    storage_blocks: list[StorageBlock] = field(default_factory=list)
    storage_variables: list[StorageVariable] = field(default_factory=list)
    counter_buffers: list[CounterBuffer] = field(default_factory=list)
    #: First uniform, block and storage block of each program whose stages these are, one but for pipelines of several.
    parts: list[tuple[int, int, int]] = field(default_factory=list)

    def uniform_location(self, name: str) -> tuple[int, int]:
        """Find (row of uniforms, element) by a name as glGetUniformLocation takes it; (-1, 0) if there is none.

        ``name``, ``name[0]`` and ``name[k]`` are accepted for arrays. Members of blocks have no location.
        """
        for row, uniform in enumerate(self.uniforms):
            if uniform.block >= 0:
                continue
            if uniform.name == name and not name.startswith("gl_"):
                return row, 0
            if uniform.is_array:
                stem = uniform.name[:-3]
                if name == stem:
                    return row, 0
                if name.startswith(stem + "[") and name.endswith("]"):
                    digits = name[len(stem) + 1 : -1]
                    if digits.isascii() and digits.isdigit() and len(digits) < 10 and str(int(digits)) == digits:
                        element = int(digits)
                        if element < uniform.size:
                            return row, element
        return -1, 0

    def attribute_location(self, name: str) -> int:
        """Location of an active attribute, -1 if there is none."""
        for attribute in self.attributes:
            if attribute.name == name and attribute.location >= 0:
                return attribute.location
        return -1
