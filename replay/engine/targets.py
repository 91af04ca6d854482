"""Render targets: the storage behind the attachments of a framebuffer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.formats import Format, Storage
from replay.texture.filled import Area
from replay.texture.storage import ImageStorage
from traceformat.gles import enums as gl
from traceformat.gles.objects import Attachment, Framebuffer, Image
from traceformat.guards import check_process_memory

__all__ = ["Surface", "TargetCache", "Targets", "resolve_targets"]

_MAX_KNOWN: Final = 64
#: Of targets that have several.
_NUM_SAMPLES: Final = 4


@dataclass(slots=True, eq=False)
class Surface:
    """One attachment, ready to be rendered to.

    Parameters
    ----------
    attachment : where it comes from
    image : its image; the identity of the storage
    format : how texels are kept
    texels : (samples, height, width[, 4]) view of the storage
    stencil : (samples, height, width) uint8 or None
    address : in the modelled memory
    stored : the storage itself
    single : of the texture of one sample a pixel that a pass of several is resolved into
    """

    attachment: Attachment
    image: Image
    format: Format
    texels: NDArray[Any]
    stencil: NDArray[np.uint8] | None
    address: int
    stored: ImageStorage
    single: Surface | None = None
    #: What passes know of what it holds, once they have asked (:class:`~replay.engine.passes.PassRecorder`).
    known: Any = None

    @property
    def samples(self) -> int:
        """Samples a pixel, 1 when not multisampled."""
        return max(self.image.samples, 1)

    @property
    def is_srgb(self) -> bool:
        """Whether writes convert to non-linear values."""
        return self.format.storage is Storage.SRGB8


@dataclass(slots=True, eq=False)
class Targets:
    """What a framebuffer renders to.

    Parameters
    ----------
    framebuffer : the framebuffer
    context : name of the context
    width, height, samples : of the area all attachments share
    colors : surface of each draw buffer, None where nothing is written; equals attachment k for draw buffer k
    depth, stencil : None where there is none
    key : identity: equal keys mean the same storage
    """

    framebuffer: Framebuffer
    context: int
    width: int
    height: int
    samples: int
    colors: list[Surface | None]
    depth: Surface | None
    stencil: Surface | None
    key: tuple[object, ...] = field(default=())
    _surfaces: list[Surface] = field(init=False)
    #: Images that rendering changes, and where they lie.
    _places: list[tuple[Image, ImageStorage]] = field(init=False)
    #: All that fixed-function state depends on but where texels lie: equal ones differ in nothing else.
    kind: tuple[object, ...] = field(init=False)
    #: Layers that all attachments have; 1 where they are no whole levels.
    num_layers: int = field(init=False)
    #: What draws have made of their state for these targets, see :class:`~replay.engine.fixed_state.FixedState`.
    states: dict[tuple[Any, ...], Any] = field(default_factory=dict, init=False)
    #: What rows of ``passes`` have of it, see :class:`~replay.engine.pass_rows.PassRows`; empty until then.
    packed: bytes = field(default=b"", init=False)
    #: Of the layers beside the first, once they were drawn to.
    _layers: dict[int, Targets] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._surfaces = self._find_surfaces()
        own = [*self._surfaces, *(surface.single for surface in self._surfaces if surface.single is not None)]
        self._places = [(surface.image, surface.stored) for surface in own]
        layers = self.framebuffer.defaults.get(gl.GL_FRAMEBUFFER_DEFAULT_LAYERS, 0) or 1
        self.num_layers = min((_num_layers(surface.attachment) for surface in self._surfaces), default=layers)
        planes = [None if surface is None else _plane(surface.format, surface.texels) for surface in self.colors]
        depth, stencil = self.depth, self.stencil
        planes.append(None if depth is None else _plane(depth.format, depth.texels))
        planes.append(None if stencil is None or stencil.stencil is None else _plane(None, stencil.stencil))
        self.kind = (self.width, self.height, self.samples, self.is_from_top, *planes)

    @property
    def is_from_top(self) -> bool:
        """Whether Mesa counts rows from the top, as it does in windows."""
        return self.framebuffer.name == 0

    @property
    def is_current(self) -> bool:
        """Whether images still lie where they did; they move when a texture is bound whose levels were apart."""
        for image, stored in self._places:  # noqa: SIM110 - asked before each draw, and several times as fast as all()
            if image.backing is not stored:
                return False
        return True

    @property
    def is_over(self) -> bool:
        """Whether no draw will find these again: something was deleted, or lies elsewhere now."""
        attachments = [surface.attachment for surface in self._surfaces]
        return (
            self.framebuffer.deleted
            or not self.is_current
            or any([one.texture.deleted for one in attachments if one.texture is not None])
            or any([one.renderbuffer.deleted for one in attachments if one.renderbuffer is not None])
        )

    def layer(self, number: int) -> Targets:
        """Targets of one layer; these are of the first one."""
        if number == 0:
            return self
        found = self._layers.get(number)
        if found is None or not found.is_current:
            found = self._layers[number] = resolve_targets(self.framebuffer, self.context, number)
        return found

    def changes(self, image: Image) -> bool:
        """Whether an image is among those that rendering changes."""
        return any(image is own for own, _ in self._places)

    def touch(self, area: Area, *, with_depth: bool = True) -> None:
        """Something may have been drawn inside an area; ``with_depth``: the depth may be other than before, too."""
        for surface in self._surfaces:
            filled = surface.stored.filled
            if filled is not None and (with_depth or surface is not self.depth):
                filled.touch(area)

    def surfaces(self) -> Sequence[Surface]:
        """All attachments, each once."""
        return self._surfaces

    def _find_surfaces(self) -> list[Surface]:
        found = [surface for surface in self.colors if surface is not None]
        for surface in (self.depth, self.stencil):
            if surface is not None and all(surface.image is not other.image for other in found):
                found.append(surface)
        return found


def _plane(format: Format | None, texels: NDArray[Any]) -> tuple[object, ...]:
    return format, texels.shape, texels.strides


def _num_layers(attachment: Attachment) -> int:
    """Layers of an attachment to which primitives may go."""
    image, texture = attachment.image, attachment.texture
    if not attachment.layered or image is None or texture is None:
        return 1
    return 6 if texture.target == gl.GL_TEXTURE_CUBE_MAP else image.depth


def _layer_of(attachment: Attachment, layer: int) -> Attachment:
    """One layer of an attached level."""
    assert attachment.texture is not None
    if attachment.texture.target == gl.GL_TEXTURE_CUBE_MAP:
        return replace(attachment, face=layer, layered=False)
    return replace(attachment, layer=layer, layered=False)


def _surface(attachment: Attachment | None, layer: int = 0) -> Surface | None:
    """Storage behind an attachment, None where there is none (yet)."""
    if attachment is not None and layer:
        attachment = _layer_of(attachment, layer)
    if attachment is None or attachment.image is None:
        return None
    image = attachment.image
    stored = image.backing
    if not isinstance(stored, ImageStorage):
        return None
    samples = max(image.samples, 1)
    first = attachment.layer * samples
    if first + samples > stored.texels.shape[0]:
        return None
    stencil = None if stored.stencil is None else stored.stencil[first : first + samples]
    address = stored.address + first * stored.layer_bytes
    texels = stored.texels[first : first + samples]
    found = Surface(attachment, image, stored.format, texels, stencil, address, stored)
    if attachment.samples < 2 or samples > 1 or stored.sampled is None:
        return found
    # What is moved is resolved, so that it lies where the texture does.
    own = stored.sampled.backing
    assert isinstance(own, ImageStorage)
    return Surface(attachment, stored.sampled, own.format, own.texels, own.stencil, address, own, found)


def _default_size(framebuffer: Framebuffer) -> tuple[int, int, int]:
    """Width, height and samples without attachments: four samples where several were asked for."""
    given = framebuffer.defaults
    samples = _NUM_SAMPLES if given.get(gl.GL_FRAMEBUFFER_DEFAULT_SAMPLES) else 1
    return given.get(gl.GL_FRAMEBUFFER_DEFAULT_WIDTH, 0), given.get(gl.GL_FRAMEBUFFER_DEFAULT_HEIGHT, 0), samples


def resolve_targets(framebuffer: Framebuffer, context: int, layer: int = 0) -> Targets:
    """Find the storage behind a framebuffer's draw buffers, depth and stencil; ``layer`` of attached levels."""
    colors = [_surface(attachment, layer) for attachment in framebuffer.draw_attachments()]
    while colors and colors[-1] is None:
        colors.pop()
    depth = _surface(framebuffer.depth, layer)
    if depth is not None and depth.format.base == "S":
        depth = None
    stencil = _surface(framebuffer.stencil, layer)
    if stencil is not None and stencil.stencil is None:
        stencil = None
    present = [surface for surface in (*colors, depth, stencil) if surface is not None]
    default_width, default_height, default_samples = _default_size(framebuffer)
    width = min((surface.image.width for surface in present), default=default_width)
    height = min((surface.image.height for surface in present), default=default_height)
    samples = max((surface.samples for surface in present), default=default_samples)
    key = (
        context,
        (width, height, samples),
        framebuffer.name,
        framebuffer.serial,
        *(
            (id(surface.image), surface.attachment.layer) if surface is not None else None
            for surface in (*colors, depth, stencil)
        ),
    )
    return Targets(framebuffer, context, width, height, samples, colors, depth, stencil, key)


def _provide_samples(attachment: Attachment, define: Callable[[Image], None]) -> None:
    """Make the image of several samples that an attachment asks for."""
    image = attachment.image
    stored = image.backing if image is not None else None
    if image is not None and image.samples < 2 and isinstance(stored, ImageStorage) and stored.sampled is None:
        # The tracker counts the texture alone.
        check_process_memory(_NUM_SAMPLES * stored.texels.nbytes)
        stored.sampled = Image(image.width, image.height, 1, image.format, _NUM_SAMPLES, image.format)
        define(stored.sampled)


class TargetCache:
    """Targets of framebuffers, used again as long as nothing about them has changed.

    Parameters
    ----------
    define : gives storage to an image
    """

    def __init__(self, define: Callable[[Image], None]) -> None:
        self._define = define
        #: By what is attached: a program may attach one texture after the other to a framebuffer.
        self._known: dict[tuple[object, ...], Targets] = {}

    def resolve(self, framebuffer: Framebuffer, context: int) -> Targets:
        """As :func:`resolve_targets`."""
        parts: list[object] = [context, framebuffer, *framebuffer.defaults.items()]
        for attachment in (*framebuffer.draw_attachments(), framebuffer.depth, framebuffer.stencil):
            if attachment is None:
                parts.append(None)
                continue
            if attachment.samples > 1:
                _provide_samples(attachment, self._define)
            image = attachment.image
            backing = image.backing if image is not None else None
            # The objects themselves are compared, and kept: equal addresses of dead ones mean nothing.
            parts.append((*attachment.place, attachment.layered, attachment.samples, image, backing))
        key = tuple(parts)
        found = self._known.get(key)
        if found is None:
            # What deleted framebuffers and textures held is not to stay in memory.
            self._known = {parts: targets for parts, targets in self._known.items() if not targets.is_over}
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            found = self._known[key] = resolve_targets(framebuffer, context)
        return found
