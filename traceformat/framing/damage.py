"""What a trace has lost, named exactly."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Damage", "spell_range"]


def spell_range(noun: str, first: int, end: int) -> str:
    """Spell ``calls 4-9`` for first=4, end=10, and ``call 4`` for a single one."""
    return f"{noun} {first}" if end - first == 1 else f"{noun}s {first}-{end - 1}"


@dataclass(frozen=True, slots=True)
class Damage:
    """One loss.

    Parameters
    ----------
    kind : ``calls`` (missing), ``content`` (calls are there, content behind a pointer is not), ``tail`` (end unknown),
        ``start`` (properties), ``index`` (rebuilt; nothing else is lost), ``state`` (the index of state),
        ``bytes`` (bytes that are no chunk)
    message : one line
    first_call, end_call : calls affected; end_call is None where the end is unknown; both None when none is
    first_frame : first frame affected; None when none is
    """

    kind: str
    message: str
    first_call: int | None = None
    end_call: int | None = None
    first_frame: int | None = None

    def __str__(self) -> str:
        return self.message
