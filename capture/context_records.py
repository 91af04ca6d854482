"""What is known of a context of the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from capture.shadow import ContextShadow

__all__ = ["API_GL", "API_GLES", "PBUFFER", "SURFACELESS", "WINDOW", "ContextAttributes", "ContextRecord", "Handle"]

API_GLES: Final = 0
API_GL: Final = 1
WINDOW: Final = 0
PBUFFER: Final = 1
SURFACELESS: Final = 2

#: How the window systems name what they handed out: (window system, address or object id).
Handle = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ContextAttributes:
    """What a context is: the arguments of ``traceContext`` between its number and its share group.

    Parameters
    ----------
    api : API_GLES or API_GL
    major, minor : version
    profile : 0 none, 1 core, 2 compatibility
    red, green, blue, alpha, depth, stencil : bits of the default framebuffer
    samples : samples a pixel of the default framebuffer, 0 = not multisampled
    """

    api: int = API_GLES
    major: int = 2
    minor: int = 0
    profile: int = 0
    red: int = 8
    green: int = 8
    blue: int = 8
    alpha: int = 8
    depth: int = 24
    stencil: int = 8
    samples: int = 0

    def arguments(self) -> tuple[int, ...]:
        """The values in the order of ``traceContext``."""
        bits = (self.red, self.green, self.blue, self.alpha, self.depth, self.stencil)
        return (self.api, self.major, self.minor, self.profile, *bits, self.samples)


@dataclass(slots=True, eq=False)
class ContextRecord:
    """One context of the program.

    Parameters
    ----------
    requested : what the program asked for; what the driver made of it, once it was current
    shadow : what is remembered to size client memory
    share : the context that it shares objects with
    number : number in the trace; 0 = has not appeared yet
    """

    requested: ContextAttributes
    shadow: ContextShadow
    share: ContextRecord | None = None
    number: int = 0
