"""The changes that can be asked for, each declared once: command line, Python, help and documentation follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from traceformat.errors import UsageError

if TYPE_CHECKING:
    from gpumodel.whatif.scene import Scene
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["KINDS", "Change", "Kind", "Pixels", "Sure", "change_of"]


class Sure(StrEnum):
    """What an answer is worth."""

    EXACT = "exact"
    BOUND = "upper bound"
    ESTIMATE = "estimate"


class Pixels(StrEnum):
    """How the change of the picture is found."""

    #: The model's own pixels are compared with those of the trace.
    COMPOSED = "composed"
    #: The changed trace is replayed, its pictures are compared with the trace's.
    REPLAYED = "replayed"
    #: Nobody knows what would be drawn.
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of change.

    Parameters
    ----------
    name : of the option, without dashes
    takes : what it is asked with: a target, and a value behind a ``=``
    help : what it does
    sure, because : how sure the answer is, and why
    pixels : how the picture's change is found
    function : of :mod:`.changes`; None where the trace is rewritten and replayed
    """

    name: str
    takes: str
    help: str
    sure: Sure
    because: str
    pixels: Pixels
    function: str | None = None

    @property
    def has_value(self) -> bool:
        """Whether a value stands behind the target."""
        return "=" in self.takes or " " in self.takes

    @property
    def what(self) -> str:
        """What its targets are: ``DRAWS``, ``PASS``, ``PROGRAM``, ``TEXTURE`` or ``PRECISION``."""
        return self.takes.split("=")[0].split(" ")[0]

    def frame_change(self) -> Callable[[Scene, str, str], FrameTrace | None]:
        """Load the function that changes a frame."""
        from gpumodel.whatif import changes

        found: Callable[[Scene, str, str], FrameTrace | None] = getattr(changes, str(self.function))
        return found


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a program.

    Parameters
    ----------
    target : what is changed: draws, passes, a program or a texture, as ``gpureplay top`` names them
    value : empty where the kind takes none
    """

    kind: Kind
    target: str
    value: str = ""

    @property
    def title(self) -> str:
        """As the command line has it, without the dashes."""
        return f"{self.kind.name} {self.target}" + (f"={self.value}" if self.value else "")

    def document(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"kind": self.kind.name, "target": self.target, "value": self.value or None, "title": self.title}


_DRAWS: Final = "DRAWS"
_RUN: Final = "the changed frame runs through the model"
_REPLAYED: Final = "the changed trace is replayed and runs through the model"

#: Every kind by name.
KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("without", _DRAWS, "Leave draws out.", Sure.EXACT, _RUN, Pixels.COMPOSED, "without"),
        Kind(
            "hollow", _DRAWS, "Let draws shade and sample for nothing; coverage and depth stay.",
            Sure.BOUND, "a cheaper shader or texture still costs something", Pixels.UNKNOWN, "hollowed",
        ),
        Kind(
            "order", "PASS=front-to-back", "Sort the opaque draws of a pass by their mean depth, the nearest first.",
            Sure.EXACT, _RUN, Pixels.COMPOSED, "front_to_back",
        ),
        Kind(
            "opaque", _DRAWS, "Draw blended draws without blending, with depth written where it is tested.",
            Sure.EXACT, _RUN, Pixels.COMPOSED, "opaque",
        ),
        Kind(
            "no-discard", _DRAWS, "Let shaders discard nothing, so that Early-Z works.",
            Sure.ESTIMATE, "fragments that were discarded cost no more than up to there", Pixels.COMPOSED, "no_discard",
        ),
        Kind(
            "mipmaps", "TEXTURE", "Give a texture all levels, and a filter that uses them.",
            Sure.EXACT, _REPLAYED, Pixels.REPLAYED,
        ),
        Kind(
            "compress", "TEXTURE", "Store a texture as ETC2, half a byte a texel without alpha, one with.",
            Sure.EXACT, _REPLAYED, Pixels.REPLAYED,
        ),
        Kind(
            "scale", "TEXTURE FACTOR", "Store a texture smaller, with a factor of 0.5, 0.25 ...",
            Sure.EXACT, _REPLAYED, Pixels.REPLAYED,
        ),
        Kind(
            "clear-not-load", "PASS", "Begin a pass with a clear of what it loads.",
            Sure.EXACT, _RUN, Pixels.COMPOSED, "clear_not_load",
        ),
        Kind(
            "invalidate-depth", "PASS", "Do not store depth and stencil at the end of a pass where nobody reads them.",
            Sure.EXACT, _RUN, Pixels.COMPOSED, "invalidate_depth",
        ),
        Kind(
            "join-passes", "PASS",
            "Draw a pass in one go with the earlier one that it goes on with, where nobody needs that before.",
            Sure.EXACT, _RUN, Pixels.COMPOSED, "joined",
        ),
        Kind(
            "reindex", _DRAWS, "Draw indexed triangles in an order in which neighbours follow each other.",
            Sure.EXACT, _RUN, Pixels.COMPOSED, "reindexed",
        ),
        Kind(
            "merge-draws", _DRAWS, "Draw neighbours in one call that differ in their vertices alone.",
            Sure.ESTIMATE, "what the vertex shader's uniforms say comes with the vertices, at no price",
            Pixels.COMPOSED, "merged",
        ),
        Kind(
            "strip-varyings", _DRAWS,
            "Make uniforms of varyings that are the same at every vertex of a draw; drop those that no colour needs.",
            Sure.ESTIMATE, "vertex shaders keep their instructions", Pixels.COMPOSED, "stripped",
        ),
        Kind(
            "precision", "PRECISION=BITS", "Compute in 16 bits what shaders declare as mediump or lowp: mediump=16.",
            Sure.ESTIMATE, "pictures are exact; the modelled processors issue 16 bits no faster and no cheaper than 32",
            Pixels.REPLAYED,
        ),
        Kind(
            "instructions", "PROGRAM=N", "Let a fragment shader issue N instructions; texture look-ups in proportion.",
            Sure.ESTIMATE, "the mix of instructions stays, the first look-ups stay", Pixels.UNKNOWN, "shader_length",
        ),
    )
}  # fmt: skip


def change_of(name: str, target: str, value: str = "") -> Change:
    """Make a change.

    Raises
    ------
    UsageError : no such kind, or a value that is missing or one too many
    """
    if name not in KINDS:
        raise UsageError(f"no change is called '{name}'", hint=f"known: {', '.join(KINDS)}")
    kind = KINDS[name]
    if kind.has_value and not value:
        raise UsageError(f"{name} takes {kind.takes}, not '{target}'")
    if value and not kind.has_value:
        raise UsageError(f"{name} takes no value")
    return Change(kind, target, value)
