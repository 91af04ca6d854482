"""Answers: what frames cost before a change and with it, how sure that is, and what becomes of the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gpumodel.results import FrameResult, dram_bytes, total_of
from gpumodel.whatif.kinds import Change

__all__ = ["Answer", "Answers", "Elsewhere", "Figures", "PictureChange", "sign"]


#: Share of a frame below which a change makes no difference.
_NOTHING: Final = 1e-3


def sign(share: float) -> int:
    """Whether a share of a frame's time is saved (1), lost (-1), or nothing (0)."""
    return 0 if abs(share) < _NOTHING else 1 if share > 0 else -1


@dataclass(frozen=True, slots=True)
class Figures:
    """What some frames cost together: GPU cycles, pJ, bytes of memory traffic."""

    cycles: int
    energy_pj: float
    dram_bytes: int

    @classmethod
    def of(cls, frames: Sequence[FrameResult]) -> Figures:
        """Add frames up."""
        total = total_of(frames)
        return cls(total.cycles, total.energy.total, int(sum(dram_bytes(total.counters).values())))

    def document(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"cycles": self.cycles, "energy_pj": round(self.energy_pj, 3), "dram_bytes": self.dram_bytes}


@dataclass(frozen=True, slots=True)
class PictureChange:
    """What a change does to pixels.

    Parameters
    ----------
    pixels, of : that differ, and that were compared; both 0 where none were
    largest : difference of a channel, 0 to 255; -1 where it is not known
    why : what was compared, or why nothing was
    squared : sum of the squared differences of red, green and blue; -1 where it is not known
    """

    pixels: int = 0
    of: int = 0
    largest: int = -1
    why: str = ""
    squared: int = -1

    @property
    def psnr_db(self) -> float | None:
        """Peak signal to noise of red, green and blue over all that was compared; None where nobody knows or all is
        equal.
        """
        if self.squared <= 0 or self.largest < 0:
            return None
        return 10 * math.log10(255**2 * 3 * self.of / self.squared)

    @property
    def text(self) -> str:
        """In words."""
        if not self.of:
            return self.why
        if not self.pixels:
            return "stays as it is"
        if self.largest < 0 and self.pixels == self.of:
            return "all pixels differ, or the size"
        by = f" by up to {self.largest} of 255" if self.largest > 0 else ""
        noise = f", {self.psnr_db:.1f} dB" if self.psnr_db is not None else ""
        return f"{self.pixels / self.of:.1%} of the pixels differ{by}{noise}"

    def document(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "pixels": self.pixels, "of": self.of, "largest": self.largest if self.largest >= 0 else None,
            "psnr_db": None if self.psnr_db is None else round(self.psnr_db, 3), "text": self.text,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """One frame on another machine, from an empty one: cycles before and with the change."""

    config: str
    memory: str
    before_cycles: int
    after_cycles: int

    @property
    def saved_share(self) -> float:
        """Of the frame's time; negative where the change costs."""
        return 1 - self.after_cycles / max(self.before_cycles, 1)

    def document(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "config": self.config, "memory": self.memory, "before_cycles": self.before_cycles,
            "after_cycles": self.after_cycles, "saves": round(self.saved_share, 6),
        }  # fmt: skip


@dataclass(slots=True)
class Answer:
    """What a change brings.

    Parameters
    ----------
    frames : that it changes something in; 0 = it has found nothing to change
    after : the measured frames with the change
    elsewhere : the first frame that it changes, on the other machines; empty where they were not asked
    """

    change: Change
    before: Figures
    after: Figures
    frames: int
    picture: PictureChange
    elsewhere: list[Elsewhere] = field(default_factory=list)

    @property
    def saved_cycles(self) -> int:
        """GPU cycles of all measured frames together; negative where the change costs."""
        return self.before.cycles - self.after.cycles

    @property
    def saved_share(self) -> float:
        """Of the frames' time."""
        return self.saved_cycles / max(self.before.cycles, 1)

    @property
    def exceptions(self) -> list[Elsewhere]:
        """Machines on which the sign is another one; less than a thousandth of the frame has none."""
        return [one for one in self.elsewhere if sign(one.saved_share) * sign(self.saved_share) < 0]

    @property
    def sign_holds(self) -> bool:
        """Whether no other machine loses where this one saves; True where none was asked."""
        return not self.exceptions

    def document(self) -> dict[str, Any]:
        """Plain values for JSON; figures are sums over the measured frames."""
        return {
            "change": self.change.document(),
            "sure": str(self.change.kind.sure),
            "because": self.change.kind.because,
            "changed_frames": self.frames,
            "before": self.before.document(),
            "after": self.after.document(),
            "saves": {
                "cycles": self.saved_cycles, "share": round(self.saved_share, 6),
                "energy_pj": round(self.before.energy_pj - self.after.energy_pj, 3),
                "dram_bytes": self.before.dram_bytes - self.after.dram_bytes,
            },
            "picture": self.picture.document(),
            "sign_holds": self.sign_holds if self.elsewhere else None,
            "elsewhere": [one.document() for one in self.elsewhere],
        }  # fmt: skip


@dataclass(slots=True)
class Answers:
    """Answers about one trace on one machine.

    Parameters
    ----------
    trace, config, memory : names
    mhz : of the GPU's clock
    num_frames : measured
    partial : the trace is damaged, and this is about the frames before the damage
    """

    trace: str
    config: str
    memory: str
    mhz: float
    num_frames: int
    answers: list[Answer]
    partial: bool = False

    @property
    def sorted(self) -> list[Answer]:
        """What saves most first."""
        return sorted(self.answers, key=lambda answer: -answer.saved_cycles)

    def document(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "trace": self.trace, "config": self.config, "memory": self.memory, "mhz": self.mhz,
            "frames": self.num_frames, "answers": [answer.document() for answer in self.sorted],
        }  # fmt: skip
