"""Call sets: which calls of a trace are meant.

    set    = item { "," item }
    item   = "*" | range [ "/" step ] | filter | "@" file
    range  = number [ "-" [ number ] ]         4, 10-20 (both ends included), 10- (to the end)
    step   = number | filter                   0-1000/10: every tenth; 0-1000/draw: the draws among them
    filter = "frame" | "draw" | "swap" | "marker" | "fbo" | "clear" | "sync" | "query"

A file holds items separated by commas, blanks or lines; ``#`` begins a comment. The grammar is apitrace's.
``frame`` is the call that ends a frame.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from traceformat.errors import UsageError
from traceformat.gles.roles import is_clear, is_draw

__all__ = ["FILTERS", "CallSet", "parse_call_set"]

_PATTERNS: Final = {
    "swap": r"traceSwap",
    "marker": r"traceFrame|gl(Push|Pop)DebugGroup|gl(Insert|Push|Pop)\w*MarkerEXT|glDebugMessageInsert|glStringMarker",
    "fbo": r"glBindFramebuffer",
    "sync": r"gl(Finish|Flush|FenceSync|ClientWaitSync|WaitSync)",
    "query": r"gl(Get|Is)[A-Z]",
}
FILTERS: Final = ("frame", "draw", "clear", *_PATTERNS)
_MATCHERS: Final = {name: re.compile(pattern) for name, pattern in _PATTERNS.items()}
_ITEM: Final = re.compile(r"(?:(\*)|(\d+)(?:(-)(\d+)?)?)(?:/(\w+))?")
#: Deepest nesting of files that name files.
MAX_DEPTH: Final = 8


class _Item(NamedTuple):
    first: int
    last: int | None
    step: int
    filter: str

    def has(self, number: int, name: str, ends_frame: bool) -> bool:
        if number < self.first or (self.last is not None and number > self.last):
            return False
        if (number - self.first) % self.step:
            return False
        if not self.filter:
            return True
        if self.filter == "frame":
            return ends_frame
        if self.filter == "draw":
            return is_draw(name)
        if self.filter == "clear":
            return is_clear(name)
        return _MATCHERS[self.filter].match(name) is not None


class CallSet:
    """A set of calls; see the module for its grammar.

    Parameters
    ----------
    items : one of them must have a call
    """

    def __init__(self, items: Sequence[_Item]) -> None:
        self._items = tuple(items)

    def has(self, number: int, name: str, ends_frame: bool = False) -> bool:
        """Tell whether a call is in the set.

        Parameters
        ----------
        number, name : of the call
        ends_frame : it is the last call of a frame
        """
        return any(item.has(number, name, ends_frame) for item in self._items)

    @property
    def first(self) -> int:
        """Lowest number that can be in the set."""
        return min(item.first for item in self._items)

    @property
    def last(self) -> int | None:
        """Highest number that can be in the set; None if there is no bound."""
        lasts = [item.last for item in self._items]
        return None if None in lasts else max(last for last in lasts if last is not None)


def parse_call_set(text: str) -> CallSet:
    """Parse a call set.

    Raises
    ------
    UsageError : a word that is no item, a filter that does not exist, or a file that cannot be read
    """
    items = _parse(text, 0)
    if not items:
        raise UsageError("the call set is empty", hint="e.g. 4, 10-20, 0-1000/draw, frame, @file")
    return CallSet(items)


def _parse(text: str, depth: int) -> list[_Item]:
    if depth > MAX_DEPTH:
        raise UsageError(f"call set files name each other more than {MAX_DEPTH} levels deep")
    items: list[_Item] = []
    for word in re.split(r"[,\s]+", text.strip()):
        if word.startswith("@"):
            items += _parse(_read(Path(word[1:])), depth + 1)
        elif word:
            items.append(_parse_item(word))
    return items


def _read(path: Path) -> str:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UsageError(f"{path}: cannot read the call set: {reason}") from None
    return "\n".join(line.partition("#")[0] for line in lines)


def _parse_item(word: str) -> _Item:
    if word in FILTERS:
        return _Item(0, None, 1, word)
    match = _ITEM.fullmatch(word)
    if match is None:
        raise UsageError(f"'{word}' is no call set", hint="e.g. 4, 10-20, 0-1000/draw, frame, @file")
    everything, first, dash, last, step = match.groups()
    low = 0 if everything else int(first)
    high = None if everything or (dash and last is None) else int(last or first)
    if high is not None and high < low:
        raise UsageError(f"'{word}' ends before it begins")
    if step is None:
        return _Item(low, high, 1, "")
    if step.isdecimal():
        if int(step) == 0:
            raise UsageError(f"'{word}' has a step of 0")
        return _Item(low, high, int(step), "")
    if step not in FILTERS:
        raise UsageError(f"'{step}' is no filter of a call set", hint="one of " + ", ".join(FILTERS))
    return _Item(low, high, 1, step)
