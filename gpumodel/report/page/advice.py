"""What to try: the changes that findings call for, which ``gpureplay whatif`` runs through the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from gpumodel.whatif.kinds import KINDS, Change, change_of

if TYPE_CHECKING:
    from gpumodel.attribution.table import Attribution
    from gpumodel.whatif.outcome import Answers

__all__ = ["advice_document", "changes_to_try"]

#: Changes that are tried.
_TRIED: Final = 8
#: A change in words.
_TITLES: Final[Mapping[str, str]] = {
    "hollow": "{} shades for nothing",
    "without": "Without {}",
    "order": "Opaque draws from front to back",
    "opaque": "{} without blending",
    "no-discard": "{} without discard",
    "mipmaps": "Mipmaps for {}",
    "compress": "{} compressed as ETC2",
    "clear-not-load": "Clear {} in place of loading it",
    "invalidate-depth": "Depth of {} is not stored",
}


def changes_to_try(found: Sequence[Mapping[str, Any]], rows: Attribution, *, is_stored: bool) -> list[Change]:
    """The changes of findings that have something to change in a frame, each once.

    Parameters
    ----------
    found : of :func:`.findings.findings`
    rows : the frame
    is_stored : there is a GPU trace alone, which cannot be rewritten
    """
    names = rows.names
    known = {*names.object, *names.framebuffer, "all"}
    known |= {_short(name) for own in names.textures for name in own} | {f"program {code}" for code in names.program}
    out: dict[tuple[str, ...], Change] = {}
    for each in found:
        words = tuple(each["change"])
        if words and words[1] in known and not (is_stored and KINDS[words[0]].function is None):
            out.setdefault(words, change_of(*words))
    return list(out.values())[:_TRIED]


def _short(texture: str) -> str:
    """A texture without its size and format."""
    return " ".join(texture.split(" ")[:2])


def advice_document(found: Answers, frame: int) -> dict[str, Any]:
    """Answers as a page shows them: those that had something to change, what saves most first."""
    document = found.document()
    answers = [
        {**each, "title": _TITLES[each["change"]["kind"]].format(each["change"]["target"])}
        for each in document["answers"]
        if each["changed_frames"]
    ]
    return {**document, "answers": answers, "frame": frame}
