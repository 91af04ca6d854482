"""What a file of budgets says, and every mistake in it at once."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gpumodel.budgets.metrics import METRICS
from gpumodel.config.load import preset_names
from gpumodel.counters import COUNTERS
from traceformat.errors import ConfigError, UsageError

__all__ = ["Budget", "Budgets", "read_budgets"]

_MAX_BYTES: Final = 1 << 20
_STATISTIC: Final = re.compile(r"each|mean|p(100|[1-9]?\d)$")
_HEADING: Final = re.compile(r"\s*\[\[\s*budget\s*\]\]")


class Budget(BaseModel):
    """A limit.

    Parameters
    ----------
    metric : one of METRICS, or a counter of results
    at_most : the limit
    object : a path of debug groups or a label (all below it belong to it); of the whole frame without
    program : fingerprint of a program
    statistic : ``each`` frame, ``mean`` of frames, or a percentile, ``p95``
    presets : GPUs that it holds for; the file's without
    name : for reports
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    metric: str
    at_most: Annotated[float, Field(ge=0, allow_inf_nan=False, strict=False)]
    object: str | None = None
    program: str | None = None
    statistic: str = "each"
    presets: list[str] | None = None
    name: str = ""

    @model_validator(mode="after")
    def _check(self) -> Budget:
        problems = []
        if self.metric not in METRICS and self.metric not in COUNTERS:
            problems.append(f"metric = {self.metric!r}: no such figure{_nearest(self.metric, [*METRICS, *COUNTERS])}")
        if not _STATISTIC.fullmatch(self.statistic):
            problems.append(f"statistic = {self.statistic!r}: not each, mean, or p0 to p100")
        if self.object is not None and self.program is not None:
            problems.append("object and program: one of them")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def title(self) -> str:
        """What it limits."""
        if self.name:
            return self.name
        what = f"`{self.object}`" if self.object is not None else f"program {self.program}" if self.program else "frame"
        return f"{what} {self.metric}" + ("" if self.statistic == "each" else f" {self.statistic}")


class _File(BaseModel):
    """The file.

    Parameters
    ----------
    schema : of the file, 1
    presets : GPUs, presets or files, for budgets that name none
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    version: Literal[1] = 1
    presets: list[str] = Field(default=["mali450-vro"], min_length=1)
    budget: list[Budget] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Budgets:
    """Limits from a file.

    Parameters
    ----------
    path : of the file
    limits : in its order
    presets : of each limit
    lines : of each limit in the file, from 1; 0 where that is not known
    text : the file
    """

    path: str
    limits: list[Budget]
    presets: list[list[str]]
    lines: list[int]
    text: str

    @property
    def all_presets(self) -> list[str]:
        """Every GPU that a limit holds for."""
        return list(dict.fromkeys(name for names in self.presets for name in names))


def read_budgets(path: str) -> Budgets:
    """Read a file of budgets.

    Raises
    ------
    UsageError : it cannot be read, or is no TOML
    ConfigError : every mistake in it
    """
    try:
        content = Path(path).read_bytes()
        if len(content) > _MAX_BYTES:
            raise UsageError(f"{path}: {len(content):,} bytes are too many for budgets")
        text = content.decode()
        given = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: no TOML: {error}") from None
    try:
        file = _File.model_validate(given)
    except ValidationError as error:
        raise ConfigError([f"{path}: {_problem(item)}" for item in error.errors()]) from None
    presets = [budget.presets or list(file.presets) for budget in file.budget]
    unknown = [name for names in presets for name in names if name not in preset_names() and not Path(name).is_file()]
    if unknown:
        raise ConfigError(
            [
                f"{path}: presets: {name!r} is no preset{_nearest(name, preset_names())}"
                for name in dict.fromkeys(unknown)
            ]
        )
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _HEADING.match(line)]
    lines = lines if len(lines) == len(file.budget) else [0] * len(file.budget)
    return Budgets(path, list(file.budget), presets, lines, text)


def _problem(item: Any) -> str:
    """A mistake as one text: where, what, and the nearest name."""
    place = list(item["loc"])
    where = f"budget {place[1] + 1}" if place[:1] == ["budget"] and len(place) > 1 else ""
    names = [str(part) for part in place if not isinstance(part, int) and part != "budget"]
    what = ".".join(names)
    if item["type"] == "extra_forbidden":
        known = list(Budget.model_fields if where else _File.model_fields)
        text = f"unknown key {what!r}{_nearest(what, known)}"
    elif item["type"] == "missing":
        text = f"{what} is missing" if where else f"no [[{what or 'budget'}]]"
    elif item["type"] == "value_error":
        text = str(item["ctx"]["error"])
    else:
        text = f"{what} = {item['input']!r}: {item['msg']}"
    return f"{where}: {text}" if where else text


def _nearest(name: str, names: list[str]) -> str:
    found = get_close_matches(name, names, 1, 0.5)
    return f"; did you mean {found[0]!r}?" if found else ""
