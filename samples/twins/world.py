"""What a scene of a twin is made of: groups of like things, a camera, and helpers that place many things at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samples.twins.shapes import Shape

__all__ = ["Group", "Layer", "Moment", "Scene", "chance", "models", "turned", "wrapped"]

Floats = NDArray[Any]
Colour = tuple[float, float, float, float]


class Layer(IntEnum):
    """When and how a group is drawn."""

    SKY = 0
    SOLID = 1
    BLENDED = 2
    SCREEN = 3


@dataclass(frozen=True, slots=True)
class Moment:
    """A frame as scenes see it.

    Parameters
    ----------
    frame : number
    way : what the camera has gone, in steps of a frame at the scene's own speed
    scale : size of the things that fill the scene
    moving : share of things that move by themselves
    spread : of sizes, standard deviation over mean
    aspect : width over height
    """

    frame: int
    way: float
    scale: float
    moving: float
    spread: float
    aspect: float

    def sizes(self, count: int, seed: int) -> Floats:
        """Sizes of so many things, (N,): the scale with the spread."""
        return (self.scale * (1 + 1.73 * self.spread * (2 * chance(count, seed) - 1))).astype(np.float32)

    def phases(self, count: int, period: float) -> Floats:
        """Turns in radians of so many things, (N,): those that do not move stand at 0 turns."""
        moves = (np.arange(count) * 0.7548776662) % 1 < self.moving
        return (moves * (self.frame / period + np.arange(count) * 0.377) * 2 * np.pi).astype(np.float32)


@dataclass(frozen=True)
class Group:
    """Things that are drawn alike, one draw each.

    Parameters
    ----------
    label : its debug marker
    image : picture, a name of :mod:`.pictures`
    place : (N, 4, 4) float32 models of all at a moment
    shape : makes one of about so many triangles, with a number of its kind
    number : things; 0 takes a share of the draws that are left
    share : of these
    detail : triangles to those of other groups
    triangles : of a thing, where they are not a share
    kinds : different shapes
    vertex, alu, textures, varyings : instructions, texture look-ups and varyings to those of the settings
    pose : (N, 3 J, 4) float32 rows of the joints of skinned ones
    tints : taken in turn
    drift : texture coordinates move so much a frame
    is_cut_out : the picture has holes
    is_painted : its colours a vertex are what it is known by
    """

    label: str
    image: str
    place: Callable[[int, Moment], Floats]
    shape: Callable[[float, int], Shape]
    number: int = 0
    share: float = 0.0
    detail: float = 1.0
    triangles: int = 0
    layer: Layer = Layer.SOLID
    kinds: int = 3
    vertex: float = 1.0
    alu: float = 1.0
    textures: float = 1.0
    varyings: float = 1.0
    pose: Callable[[int, Moment], Floats] | None = None
    tints: Sequence[Colour] = ((1, 1, 1, 1),)
    drift: tuple[float, float] = (0.0, 0.0)
    is_cut_out: bool = False
    is_painted: bool = False


@dataclass(frozen=True)
class Scene:
    """A scene.

    Parameters
    ----------
    groups : in the order in which they were placed
    camera : eye and target at a moment
    field_of_view : vertical, degrees
    air : colour of what is far
    haze : share of it a metre
    """

    groups: Sequence[Group]
    camera: Callable[[Moment], tuple[ArrayLike, ArrayLike]]
    field_of_view: float = 60.0
    air: tuple[float, float, float] = (0.62, 0.72, 0.82)
    haze: float = 0.006
    far: float = 400.0
    sun: tuple[float, float, float] = field(default=(0.41, 0.77, 0.49))


def chance(count: int, seed: int) -> Floats:
    """So many numbers from 0 to 1, always the same."""
    return np.random.default_rng(seed).random(count).astype(np.float32)


def turned(angle: ArrayLike) -> Floats:
    """(N, 3, 3) turns about y by radians."""
    angles = np.atleast_1d(np.asarray(angle, np.float32))
    out = np.zeros((len(angles), 3, 3), np.float32)
    out[:, 0, 0] = out[:, 2, 2] = np.cos(angles)
    out[:, 0, 2], out[:, 2, 0] = np.sin(angles), -np.sin(angles)
    out[:, 1, 1] = 1
    return out


def models(places: ArrayLike, sizes: ArrayLike = 1.0, turns: Floats | None = None) -> Floats:
    """(N, 4, 4) models of places (N, 3), sizes (N,) or (N, 3), and turns (N, 3, 3)."""
    at = np.atleast_2d(np.asarray(places, np.float32))
    size = np.asarray(sizes, np.float32)
    size = size[:, None] if size.ndim == 1 else size
    out = np.zeros((len(at), 4, 4), np.float32)
    out[:, :3, :3] = np.eye(3, dtype=np.float32) if turns is None else turns
    out[:, :3, :3] *= np.broadcast_to(size, (len(at), 3))[:, None, :]
    out[:, :3, 3] = at
    out[:, 3, 3] = 1
    return out


def wrapped(values: ArrayLike, first: float, length: float) -> Floats:
    """Values brought into a range that begins at ``first``: what leaves it behind comes again in front."""
    return (first + (np.asarray(values, np.float32) - first) % length).astype(np.float32)
