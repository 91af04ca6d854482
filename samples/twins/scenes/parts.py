"""Building blocks that scenes share: sky, ground along a way, things beside it, figures, particles, what lies on the
screen. Each gives a group; a scene says where it is and how much of the draws it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.twins import shapes
from samples.twins.shapes import JOINTS, Shape
from samples.twins.world import Group, Layer, Moment, chance, models, turned, wrapped

__all__ = [
    "PAINTS",
    "Way",
    "ahead",
    "backdrop",
    "blend_figure_poses",
    "crowd",
    "dome",
    "floor",
    "gait",
    "puffs",
    "screen",
    "seated",
    "together",
    "winding",
]

Floats = NDArray[Any]
#: Colours that people and cars wear.
PAINTS = ((0.9, 0.25, 0.2), (0.2, 0.5, 0.9), (0.95, 0.8, 0.25), (0.3, 0.75, 0.4), (0.8, 0.4, 0.8), (0.95, 0.95, 0.95))
#: Metres that pieces of ground rise from their middle to their far end.
_RISE = 0.01
_SKINS = ((0.95, 0.78, 0.64), (0.62, 0.44, 0.32), (0.85, 0.66, 0.5))


def dome(image: str = "clouds", tint: tuple[float, float, float] = (1, 1, 1), **options: Any) -> Group:
    """A sky all around; it goes with the camera."""

    def place(count: int, at: Moment) -> Floats:
        return models(np.zeros((count, 3)), 350.0, turned(np.full(count, at.frame * 0.0004)))

    def shape(triangles: float, kind: int) -> Shape:
        return shapes.moved(shapes.ball(triangles), size=(-1, 1, 1), repeat=2.0)

    given: dict[str, Any] = {"number": 1, "detail": 0.5, "layer": Layer.SKY, "tints": ((*tint, 1.0),)} | options
    return Group("sky", image, place, shape, **given)


def backdrop(image: str, repeat: float = 1.0, **options: Any) -> Group:
    """A picture that fills the screen behind everything, in upright strips, each a draw."""

    def place(count: int, at: Moment) -> Floats:
        middle = ((np.arange(count) + 0.5) / count * 2 - 1) * at.aspect
        return models(np.stack([middle, 0 * middle, 0 * middle], axis=1), np.array([[at.aspect / count, 1, 1]] * count))

    given: dict[str, Any] = {"number": 1, "triangles": 2, "layer": Layer.SCREEN} | options
    return Group("background", image, place, lambda triangles, kind: shapes.plate(triangles, repeat), **given)


def floor(label: str, image: str, half_width: float, low: float, repeat: float, **options: Any) -> Group:
    """Flat ground around the middle of the scene in strips side by side, each a draw."""

    def place(count: int, at: Moment) -> Floats:
        middle = ((np.arange(count) + 0.5) / count * 2 - 1) * half_width
        spot = np.stack([middle, 0 * middle + low, 0 * middle], axis=1)
        return models(spot, np.array([[half_width / count, 1, half_width]] * count))

    return Group(label, image, place, lambda triangles, kind: shapes.sheet(triangles, None, repeat), **options)


def together(one: Callable[[float, int], Shape], number: int, wide: float, deep: float) -> Callable[..., Shape]:
    """Several of a kind in one draw: side by side, each a little behind the one before it or in front of it; ``wide``
    and ``deep``: how far they stand from the middle.
    """

    def shape(triangles: float, kind: int) -> Shape:
        side = np.linspace(-wide, wide, number)
        return shapes.joined(
            [
                shapes.moved(
                    one(triangles / number, number * kind + k),
                    (side[k], 0, deep * (-1) ** k),
                    np.full(3, 0.8 + 0.4 * ((kind + k) * 0.618 % 1)),
                )
                for k in range(number)
            ]
        )

    return shape


def seated(triangles: float, kind: int) -> Shape:
    """A stand of people: heads and shoulders, five in a row, the rows behind higher; looks along z."""
    people = max(round(triangles / 90), 3)
    number = np.arange(people)
    spot = np.stack([number % 5 - 2.0, 0.5 * (number // 5), -0.7 * (number // 5)], axis=1)
    each = triangles / people
    out = []
    for k in range(people):
        shirt = 0.6 * np.array(PAINTS[(k * 5 + kind) % 6])
        shoulders = shapes.moved(shapes.ball(0.6 * each), spot[k] + (0, 0.5, 0), (0.36, 0.42, 0.25))
        head = shapes.moved(shapes.ball(0.4 * each), spot[k] + (0, 1.08, 0), (0.17, 0.2, 0.17))
        out += [shapes.tinted(shoulders, *shirt), shapes.tinted(head, 0.85, 0.65, 0.5)]
    return shapes.joined(out)


def ahead(count: int, at: Moment, seed: int, length: float, speed: float) -> Floats:
    """Distances before the camera of things that it passes, from a little behind it on; evenly spread with chance."""
    even = (np.arange(count) + 0.8 * chance(count, seed)) / max(count, 1) * length
    return wrapped(even - at.way * speed, -6.0, length)


@dataclass(frozen=True)
class Way:
    """A way that the camera goes.

    Parameters
    ----------
    bend : how far it lies to the right of the camera, for distances before it
    length : that is seen, metres
    speed : metres a frame
    """

    bend: Callable[[Floats, Moment], Floats]
    length: float
    speed: float

    def lane(
        self,
        label: str,
        image: str,
        *,
        half_width: float,
        height: Callable[[Floats, Floats], Any] | None = None,
        low: float = 0.0,
        repeat: float = 4.0,
        **options: Any,
    ) -> Group:
        """Ground in pieces along it, each a draw."""

        def place(count: int, at: Moment) -> Floats:
            # One piece more than the length takes: the last one is left behind while the next ones cover all of it.
            # A single one goes back by half of itself.
            piece, step = (self.length / (count - 1),) * 2 if count > 1 else (2 * self.length, self.length)
            distance = wrapped(np.arange(count) * step - at.way * self.speed, -step, count * step)
            middle = distance + piece / 2
            out = models(
                np.stack([self.bend(middle, at), np.full(count, low, np.float32), -middle], axis=1),
                np.tile(np.array([[half_width, 1.0, piece / 2 * 1.02]], np.float32), (count, 1)),
            )
            # The piece leans with the way: x follows from z.
            out[:, 0, 2] = -(self.bend(distance + piece, at) - self.bend(distance, at)) / 2
            # It rises a little: the next one begins below its end, so that what is seen does not hang on rounding.
            out[:, 1, 2] = -_RISE
            return out

        return Group(label, image, place, lambda triangles, kind: shapes.sheet(triangles, height, repeat), **options)

    def beside(
        self,
        label: str,
        image: str,
        shape: Callable[[float, int], Shape],
        *,
        off: tuple[float, float],
        size: float = 1.0,
        half: float = 0.5,
        seed: int = 1,
        turn: bool = True,
        **options: Any,
    ) -> Group:
        """Things on both sides; ``off``: metres off its middle, from the first on over the second; ``half`` their
        width, of things of size 1.
        """

        def place(count: int, at: Moment) -> Floats:
            distance = ahead(count, at, seed, self.length, self.speed)
            side = np.where(np.arange(count) % 2, 1, -1)
            sizes = size * at.sizes(count, seed + 2)
            # What is larger stands farther off, so that nothing stands on the way.
            away = off[0] + off[1] * chance(count, seed + 1) + half * np.maximum(sizes - size, 0)
            x = self.bend(distance, at) + side * away
            facing = chance(count, seed + 3) * 6.28 if turn else np.where(side > 0, -np.pi / 2, np.pi / 2)
            sway = 0.04 * np.sin(at.phases(count, 90.0))
            return models(np.stack([x, np.full(count, 0.0), -distance], axis=1), sizes, turned(facing + sway))

        return Group(label, image, place, shape, **options)


def winding(reach: float, metres: float, speed: float) -> Callable[[Floats, Moment], Floats]:
    """The bend of a way that winds: so far to both sides, a turn in so many metres times 2 pi."""

    def bend(distance: Floats, at: Moment) -> Floats:
        here = at.way * speed
        return np.asarray(reach * (np.sin((distance + here) / metres) - np.sin(here / metres)), np.float32)

    return bend


def gait(phase: Floats, reach: float = 0.7, lift: float = 0.9) -> Floats:
    """(N, J) angles about x of a figure's joints for phases of a step."""
    out = np.zeros((len(phase), len(JOINTS)), np.float32)
    names = list(JOINTS)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        swing = np.sin(phase) * sign
        out[:, names.index(f"upper leg {side}")] = reach * swing
        out[:, names.index(f"lower leg {side}")] = lift * np.maximum(np.cos(phase) * sign, 0) * reach
        out[:, names.index(f"upper arm {side}")] = -0.8 * reach * swing
        out[:, names.index(f"lower arm {side}")] = -0.5 * reach * (1 + 0.5 * swing)
    return out


def blend_figure_poses(angles: Floats) -> Floats:
    """(N, 3 J, 4) rows of the joints' matrices for angles about x, each joint turning what hangs on it."""
    names = list(JOINTS)
    matrices: list[Floats] = []
    for number, name in enumerate(names):
        pivot = np.array(JOINTS[name][0], np.float32)
        cosine, sine = np.cos(angles[:, number]), np.sin(angles[:, number])
        own = np.zeros((len(angles), 4, 4), np.float32)
        own[:, 0, 0] = own[:, 3, 3] = 1
        own[:, 1, 1] = own[:, 2, 2] = cosine
        own[:, 1, 2], own[:, 2, 1] = -sine, sine
        own[:, :3, 3] = pivot - own[:, :3, :3] @ pivot
        if name.startswith("lower"):
            own = matrices[number - 1] @ own
        elif name in ("chest", "head") or "arm" in name:
            own = matrices[0 if name == "chest" else 1] @ own
        matrices.append(own)
    return np.stack(matrices, axis=1)[:, :, :3, :].reshape(len(angles), -1, 4)


def crowd(
    label: str,
    place: Callable[[int, Moment], Floats],
    angles: Callable[[int, Moment], Floats],
    *,
    image: str = "cloth",
    shirts: Sequence[tuple[float, float, float]] = PAINTS,
    is_robot: bool = False,
    **options: Any,
) -> Group:
    """Figures of people, skinned; ``angles`` (N, J) about x of their joints."""

    def shape(triangles: float, kind: int) -> Shape:
        shirt = shirts[kind % len(shirts)]
        trousers = (0.45 * shirt[2], 0.45 * shirt[1], 0.45 * shirt[0])
        return shapes.figure(triangles, (shirt if is_robot else _SKINS[kind % 3], shirt, trousers), is_robot=is_robot)

    def pose(count: int, at: Moment) -> Floats:
        return blend_figure_poses(angles(count, at))

    return Group(label, image, place, shape, pose=pose, is_painted=True, **options)


def puffs(
    label: str,
    middle: Callable[[int, Moment], Floats],
    *,
    spread: float,
    size: float,
    colour: tuple[float, float, float],
    image: str = "smoke",
    strength: float = 0.5,
    corners: int = 8,
    **options: Any,
) -> Group:
    """Clouds of particles, each cloud a draw: polygons that face the camera, blended."""

    def place(count: int, at: Moment) -> Floats:
        spin = at.phases(count, 50.0)
        out = models(middle(count, at), size * at.sizes(count, 77) / max(at.scale, 1e-6) ** 0.5)
        out[:, 1, 3] += 0.3 * size * np.sin(spin)
        return out

    def shape(triangles: float, kind: int) -> Shape:
        number = max(round(triangles / (corners - 2)), 1)
        random = np.random.default_rng(60 + kind)
        offsets = random.normal(size=(number, 3)).astype(np.float32) * spread
        sizes = np.tile(0.4 + 0.6 * random.random((number, 1)).astype(np.float32), (1, 2))
        colours = np.tile(
            np.array([[*(int(255 * value) for value in colour), int(255 * strength)]], np.uint8), (number, 1)
        )
        return shapes.polygon_board(
            offsets, sizes, np.tile(np.array([[0, 0, 1, 1]], np.float32), (number, 1)), colours, corners
        )

    given: dict[str, Any] = {"layer": Layer.BLENDED, "tints": ((*colour, strength),)} | options
    return Group(label, image, place, shape, **given)


def screen(
    label: str,
    image: str,
    places: Sequence[tuple[float, float]],
    half: tuple[float, float],
    *,
    tint: tuple[float, float, float, float] = (1, 1, 1, 0.9),
    corners: int = 4,
    is_letters: bool = False,
    **options: Any,
) -> Group:
    """Boards on the screen in one draw, at places from -1 to 1 (x times the aspect): buttons, bars, letters."""

    def place(count: int, at: Moment) -> Floats:
        return models(np.zeros((count, 3)), np.tile(np.array([[at.aspect, 1.0, 1.0]]), (count, 1)))

    def shape(triangles: float, kind: int) -> Shape:
        number = len(places)
        several = max(round(triangles / number / 2), 1) if is_letters else 1
        at = np.array(places, np.float32)
        if is_letters:
            # A word at each place, a board a letter.
            step = np.arange(several) * 2 * half[0]
            at = (at[:, None] + np.stack([step, 0 * step], axis=1)).reshape(-1, 2)
        cells = np.arange(len(at)) * 7 % 26 if is_letters else np.zeros(len(at))
        across = 8 / 128 if is_letters else 1.0
        down = 8 / 64 if is_letters else 1.0
        uv = np.stack([cells % 16 * across, cells // 16 * down, 0 * cells + across, 0 * cells + down], axis=1)
        sizes = np.tile(np.array([half], np.float32), (len(at), 1))
        own = corners if is_letters else max(round(triangles / number) + 2, 4)
        points = np.concatenate([at, np.zeros((len(at), 1), np.float32)], axis=1)
        return shapes.polygon_board(points, sizes, uv.astype(np.float32), np.full((len(at), 4), 255, np.uint8), own)

    given: dict[str, Any] = {
        "number": 1,
        "triangles": 2 * len(places),
        "layer": Layer.SCREEN,
        "tints": (tint,),
        "kinds": 1,
    } | options
    return Group(label, image, place, shape, **given)
