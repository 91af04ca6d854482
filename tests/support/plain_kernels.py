"""Kernels as the plain Python that they were compiled of, on records made by hand: streams are lists of rows."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any, Final

import pytest

__all__ = ["Row", "Stream", "Told", "run_plainly"]


class Row(SimpleNamespace):
    """A record of fields; names in brackets work, too."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)


class Stream(list[Any]):
    """Rows of a stream that is there."""

    count: Any = 1  # type: ignore[assignment]


class Told:
    """What units have told the main loop: units that were notified or woken, and when; states."""

    def __init__(self) -> None:
        self.woken: list[tuple[int, int]] = []
        self.states: list[tuple[int, ...]] = []

    def notify(self, s: Any, me: int, unit: int) -> None:
        self.woken.append((int(unit), -1))

    def wake_at(self, s: Any, unit: int, time: int) -> None:
        self.woken.append((int(unit), int(time)))

    def account(self, s: Any, unit: int, *states: int) -> None:
        self.states.append((int(unit), *map(int, states)))

    def take(self) -> tuple[list[tuple[int, int]], list[tuple[int, ...]]]:
        """Give what was told, the woken in order, and begin anew."""
        told = sorted(self.woken), self.states
        self.woken, self.states = [], []
        return told


def _store(rows: Any, at: int, value: Any) -> None:
    rows[at] = value


_INTRINSICS: Final = {
    "count_ones": lambda value: int(value).bit_count(),
    "count_trailing_zeros": lambda value: (int(value) & -int(value)).bit_length() - 1,
    "call_plug": lambda s, plug, *given: plug.function(s, plug.own, *given),
    "_own": lambda record: record, "vro": lambda record: record,
}  # fmt: skip


def run_plainly(patch: pytest.MonkeyPatch, *modules: ModuleType) -> Told:
    """Let the functions of modules be plain, and call plain ones.

    Wake-ups and states come to what is given, addresses of records are the records.
    """
    told = Told()
    for module in modules:
        for name, value in list(vars(module).items()):
            plain = getattr(value, "py_func", None) or getattr(value, "_pyfunc", None)
            if name in ("notify", "wake_at", "account"):
                plain = getattr(told, name)
            elif name == "account_once":
                plain = told.account
            elif name in _INTRINSICS:
                plain = _INTRINSICS[name]
            elif name.endswith("_at") and type(value).__name__ == "_Intrinsic":
                plain = lambda rows, at: rows[at]  # noqa: E731
            elif name.startswith("set_") and type(value).__name__ == "_Intrinsic":
                plain = _store
            if plain is not None:
                patch.setattr(module, name, plain)
    return told
