"""What a verification found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["MAX_LOCATED", "Mismatch", "Verification"]

#: Mismatches that are kept with their place; all are counted.
MAX_LOCATED: Final = 64


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A pixel that is not the reference's.

    Parameters
    ----------
    frame, pass_index, attachment : where; the attachment is the draw buffer
    tile : column and row of the tile
    pixel : x and y, origin at the bottom left
    expected, found : bytes of the pixel as they lie in memory
    origin : where the colour comes from, where that is the mistake
    """

    frame: int
    pass_index: int
    attachment: int
    tile: tuple[int, int]
    pixel: tuple[int, int]
    expected: bytes
    found: bytes
    origin: str = ""

    def __str__(self) -> str:
        why = f" ({self.origin})" if self.origin else ""
        return (
            f"frame {self.frame} pass {self.pass_index} colour {self.attachment} tile {self.tile[0]},{self.tile[1]} "
            f"pixel {self.pixel[0]},{self.pixel[1]}: {self.found.hex()} instead of {self.expected.hex()}{why}"
        )


@dataclass(slots=True)
class Verification:
    """A run's verification.

    Parameters
    ----------
    pixels : pixels compared, over passes and attachments
    mismatched_pixels : of those, the ones that differ or have no source
    unsourced_pixels : those whose colour was neither shaded, nor taken from a table, nor kept from what was written
    lost_effects : fragments that write to memory and were not shaded
    moved_effects : fragments that reach memory and were shaded twice, or behind those of a later draw at their place;
        draws and dispatches that write, and were left out, repeated or moved
    collision_pixels : mismatched ones that differ by nothing but proved collisions of the hash by which the technique's
        table tells fragments apart, which the technique accepts
    hash_bits : of that hash, 0 = there is none
    located : the first mismatched ones that are no collision's
    collisions : the first of the others
    """

    pixels: int = 0
    mismatched_pixels: int = 0
    unsourced_pixels: int = 0
    lost_effects: int = 0
    moved_effects: int = 0
    collision_pixels: int = 0
    hash_bits: int = 0
    located: list[Mismatch] = field(default_factory=list)
    collisions: list[Mismatch] = field(default_factory=list)

    @property
    def identical(self) -> bool:
        """Whether every pixel was the reference's, and came from somewhere, and writes to memory were, too."""
        return self.mismatched_pixels == 0 and self.keeps_effects

    @property
    def keeps_effects(self) -> bool:
        """Whether all that writes to memory happened once, in its place."""
        return self.lost_effects == 0 and self.moved_effects == 0

    @property
    def passed(self) -> bool:
        """Whether nothing was found: as ``identical``, but for collisions that the technique accepts."""
        return self.mismatched_pixels == self.collision_pixels and self.keeps_effects

    @property
    def word(self) -> str:
        """The outcome in one word."""
        return "identical" if self.identical else "collisions" if self.passed else "DIFFER"

    def as_json(self) -> dict[str, Any]:
        """Give what the result file has of it."""
        return {
            "identical": self.identical,
            "mismatched_pixels": self.mismatched_pixels,
            "unsourced_pixels": self.unsourced_pixels,
            "lost_effects": self.lost_effects,
            "moved_effects": self.moved_effects,
            "collision_pixels": self.collision_pixels,
            "hash_bits": self.hash_bits,
        }
