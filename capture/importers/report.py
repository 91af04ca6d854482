"""What an import did, and what of the source could not be represented."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["ImportReport"]


@dataclass(slots=True)
class ImportReport:
    """Counts of an import.

    Attributes
    ----------
    version : of the source's format
    properties : of its header
    calls_read : calls in the source
    calls_written : calls in the trace
    frames : swaps
    folded : calls that say nothing a replay needs (eglGetProcAddress, configuration queries ...), by name
    lost : what cannot be represented, by reason
    not_portable : calls that no GLES has (fixed function ...), by name; they are in the trace as made
    damage : why the source was not read to its end; it is imported up to there
    """

    version: int = 0
    properties: dict[str, str] = field(default_factory=dict)
    calls_read: int = 0
    calls_written: int = 0
    frames: int = 0
    folded: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    not_portable: Counter[str] = field(default_factory=Counter)
    damage: str = ""

    def warnings(self) -> list[str]:
        """One line for each kind of what could not be represented, the most frequent first."""
        lines = [f"{reason} ({count} times)" for reason, count in self.lost.most_common()]
        lines += [
            f"{name} is not portable to OpenGL ES ({count} calls)" for name, count in self.not_portable.most_common()
        ]
        return lines
