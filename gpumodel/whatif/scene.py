"""Which draws and passes of a frame a change is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.names import DrawNames, draw_names
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["Scene"]

_NUMBERED: Final = re.compile(r"(draw|pass|program|texture) (\S+)(?: .*)?")


class Scene:
    """A frame whose draws and passes can be asked for by name.

    Parameters
    ----------
    trace : frame, head and passes
    """

    def __init__(self, trace: FrameTrace) -> None:
        self.trace = trace

    @cached_property
    def names(self) -> DrawNames:
        """Names of the draws."""
        return draw_names(self.trace)

    def draws(self, target: str) -> NDArray[np.int64]:
        """Draws that a target names, in order.

        Parameters
        ----------
        target : an object as ``gpureplay top`` shows it, a group that holds it, a pattern with ``*``; or ``draw N``,
            ``pass N``, ``program CODE``, ``texture N``; ``all`` is every draw
        """
        chosen = [k for k in range(len(self.names.object)) if target == "all" or self._is_meant(k, target)]
        return np.array(chosen, np.int64)

    def passes(self, target: str) -> list[int]:
        """Render passes that a target names: a number, ``default``, ``framebuffer N``, ``all``."""
        number = target.removeprefix("pass ").split(" ")[0]
        framebuffers = self.trace["passes"]["framebuffer"].tolist()
        return [
            k for k, framebuffer in enumerate(framebuffers)
            if target in ("all", f"framebuffer {framebuffer}" if framebuffer else "default") or number == str(k)
        ]  # fmt: skip

    def has(self, what: str, target: str) -> bool:
        """Whether a target names anything; ``what`` is ``DRAWS``, ``PASS`` or ``PROGRAM``."""
        if what == "PASS":
            return bool(self.passes(target))
        return len(self.draws(target if what == "DRAWS" else f"program {target.removeprefix('program ')}")) > 0

    def known(self) -> Iterator[str]:
        """Names that a target can be."""
        yield from dict.fromkeys(self.names.object)
        yield from dict.fromkeys(f"program {code}" for code in self.names.program)
        yield from dict.fromkeys(name for own in self.names.textures for name in own)

    def _is_meant(self, draw: int, target: str) -> bool:
        names = self.names
        path = names.object[draw]
        if path == target or path.startswith(f"{target}/") or fnmatchcase(path, target):
            return True
        match = _NUMBERED.fullmatch(target)
        if match is None:
            return False
        what, value = match[1], match[2]
        own: dict[str, Any] = {
            "draw": [str(draw)],
            "pass": [str(self.trace["draws"]["pass"][draw])],
            "program": [names.program[draw], str(names.program_id[draw])],
            "texture": [name.split(" ")[1] for name in names.textures[draw]],
        }
        return value in own[what]
