"""``datetime.datetime`` and ``datetime.date`` whose now is a fixed clock's."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable
from typing import Any

from capture.repeatable.callers import is_the_programs

__all__ = ["fixed_dates"]


def _kind(real: type) -> type:
    """Metaclass: what the real class has made is an instance, too."""

    class Kind(type):
        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, real) if cls.__base__ is real else super().__instancecheck__(instance)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, real) if cls.__base__ is real else super().__subclasscheck__(subclass)

    return Kind


def fixed_dates(wall: Callable[[], int]) -> dict[str, type]:
    """Classes in place of those of ``datetime``, by name.

    Parameters
    ----------
    wall : nanoseconds since 1970, UTC
    """
    real_datetime, real_date = datetime.datetime, datetime.date
    utc = datetime.UTC

    def at(cls: Any, tz: datetime.tzinfo | None) -> Any:
        seconds, rest = divmod(wall(), 1_000_000_000)
        return cls.fromtimestamp(seconds, tz).replace(microsecond=rest // 1000)

    def now(cls: Any, tz: datetime.tzinfo | None = None) -> Any:
        return at(cls, tz) if is_the_programs(sys._getframe(1)) else real_datetime.now(tz)

    def utcnow(cls: Any) -> Any:
        found = at(cls, utc) if is_the_programs(sys._getframe(1)) else real_datetime.now(utc)
        return found.replace(tzinfo=None)

    def this_moment(cls: Any) -> Any:
        return at(cls, None) if is_the_programs(sys._getframe(1)) else real_datetime.now()

    def today(cls: Any) -> Any:
        is_fixed = is_the_programs(sys._getframe(1))
        return cls.fromtimestamp(wall() // 1_000_000_000) if is_fixed else real_date.today()

    # The names of the real ones: they are pickled by them.
    names = {"__module__": "datetime", "__doc__": real_datetime.__doc__}
    return {
        "datetime": _kind(real_datetime)(
            "datetime",
            (real_datetime,),
            {**names, "now": classmethod(now), "utcnow": classmethod(utcnow), "today": classmethod(this_moment)},
        ),
        "date": _kind(real_date)("date", (real_date,), {**names, "today": classmethod(today)}),
    }
