"""Experiments of the papers as files: what one runs, how it is read, and what the paper prints of it.

A file in ``experiments/`` is an experiment. Only what a paper prints as a number stands there, with the sentence or
table that prints it; bars whose values are not printed have none.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gpumodel.papers.intervals import Mean
from traceformat.errors import ConfigError, UsageError

__all__ = [
    "MEAN",
    "PAPERS",
    "Closed",
    "Experiment",
    "Handheld",
    "Printed",
    "Series",
    "Study",
    "experiment",
    "experiments",
    "in_parts",
    "runnable",
    "wanted_experiments",
]

#: Papers by what their experiments' ids begin with.
PAPERS: Final = {
    "thesis": "Parallel Tile Rendering (thesis)",
    "vro": "Visibility Rendering Order",
    "re": "Rendering Elimination",
    "masses": "Graphics for the Masses",
    "beyond": "questions of our own",
}
#: Parts of a run of everything, by what ids begin with: each shares its traces, and those with headlines come first.
_PARTS: Final = ("vro:", "re:", "thesis:5", "thesis:6", "thesis:", "masses:", "beyond:")
#: Tables of a description by the state that has them.
_TABLES: Final = ("study", "handheld", "closed")
#: Stands for the mean over workloads among printed values.
MEAN: Final = "mean"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Printed(_Table):
    """A number that the paper prints.

    Parameters
    ----------
    of : the workload, or ``mean``
    value : as it is read by the series
    sentence : of the paper, word for word, or the row of its table
    """

    of: str
    value: float
    sentence: str = Field(min_length=8)


class Series(_Table):
    """Bars of one colour.

    Parameters
    ----------
    name : in the legend
    figure : column of the frames' table of a study, or of ``gpureplay stats``; or the sum of some with a plus between
        them, where a star stands for any characters
    technique : whose runs; with ``+`` as in ``-t``
    setting : which of the study's variants of settings, counted from 0
    against : technique of what it is held against; empty = nothing
    reading : ``speed-up`` is other over own, ``ratio`` own over other, ``change`` that less one, ``difference`` own
        less other; ``value`` the figure
    per : a figure that divides each
    mean : over workloads, as the paper takes it
    printed : what the paper prints
    """

    name: str
    figure: str
    technique: str = "baseline"
    setting: int = Field(0, ge=0)
    against: str = ""
    reading: Literal["value", "ratio", "speed-up", "change", "difference"] = "value"
    per: str = ""
    mean: Mean = "arithmetic"
    printed: tuple[Printed, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _as_tuples(cls, given: Any) -> Any:
        return {**given, "printed": tuple(given.get("printed", ()))} if isinstance(given, dict) else given

    @model_validator(mode="after")
    def _is_held_against_something(self) -> Series:
        if (self.reading == "value") != (not self.against):
            raise ValueError("what is held against another needs 'against', a value has none")
        return self


class Study(_Table):
    """What is run for it, as in the file of a study.

    Parameters
    ----------
    size : of the pictures, ``WxH``
    frames : measured ones of each workload
    length : frames of each workload
    preset : GPU
    techniques : beside the baseline
    settings : variants of the GPU, each a table of values by key
    """

    size: Annotated[str, Field(pattern=r"^\d+x\d+$")]
    frames: list[str]
    length: int = Field(ge=1)
    preset: str
    techniques: list[str] = Field(default_factory=list)
    settings: list[dict[str, Any]] = Field(default_factory=list)


class Handheld(_Table):
    """What is played on the handheld rasterizer.

    Parameters
    ----------
    size : of the screen, ``WxH``
    scenes : samples by name; empty = the workloads' twins
    first, count : frames of a scene; of a twin, so many that are spread over it
    techniques : beside the baseline
    """

    size: Annotated[str, Field(pattern=r"^\d+x\d+$")]
    scenes: list[str] = Field(default_factory=list)
    first: int = Field(0, ge=0)
    count: int = Field(ge=1)
    techniques: list[str]


class Closed(_Table):
    """What follows from parameters alone.

    Parameters
    ----------
    preset : GPU whose parameters are read by their keys
    points : of the axis of a figure that has a closed form
    """

    preset: str
    points: list[int] = Field(default_factory=list)


class Experiment(_Table):
    """A figure or table of a paper.

    Parameters
    ----------
    id : ``PAPER:NUMBER``
    title : what it shows
    source : where it stands
    state : ``study`` runs configurations, ``workload`` counts what frames consist of, ``handheld`` plays scenes on the
        machine of 2003, ``closed`` follows from parameters, ``pictures`` only shows something, ``impossible`` cannot
        be run here
    reason : why it is impossible
    workloads : aliases; empty = all of the paper that have a twin
    variants : of each twin, which are run unless somebody asks for others: ``all`` where a mean is read that the paper
        prints, so that it has their spread, or where that costs no run of its own; else the ``first``
    unit : of the bars
    size : of the pictures that are counted, ``WxH``; empty = the games' own
    study, handheld, closed : what is run
    pictures : file of ``gpureplay handheld-figures`` that shows it
    series : how it is read
    """

    id: str
    title: str
    source: str
    state: Literal["study", "workload", "handheld", "closed", "pictures", "impossible"]
    reason: str = ""
    workloads: list[str] = Field(default_factory=list)
    variants: Literal["all", "first"] = "first"
    unit: str = ""
    size: Annotated[str, Field(pattern=r"^(\d+x\d+)?$")] = ""
    study: Study | None = None
    handheld: Handheld | None = None
    closed: Closed | None = None
    pictures: str = ""
    series: tuple[Series, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _as_tuples(cls, given: Any) -> Any:
        return {**given, "series": tuple(given.get("series", ()))} if isinstance(given, dict) else given

    @model_validator(mode="after")
    def _has_what_its_state_needs(self) -> Experiment:
        if self.can_run == bool(self.reason):
            raise ValueError("'reason' belongs to what is impossible, and to nothing else")
        for table in _TABLES:
            if (getattr(self, table) is not None) != (self.state == table):
                raise ValueError(f"{table!r} belongs to an experiment whose state is {table}, and to no other")
        if bool(self.series) != (self.can_run and self.state != "pictures"):
            raise ValueError("'series' belong to what can be run and has figures")
        if self.size and self.state != "workload":
            raise ValueError("'size' is of what is counted; a study and the handheld machine have their own")
        if self.pictures and self.state not in ("handheld", "pictures"):
            raise ValueError("'pictures' are of the handheld machine")
        prints_mean = any(printed.of == MEAN for one in self.series for printed in one.printed)
        if self.has_twins and self.variants == "first" and prints_mean:
            raise ValueError('a mean that the paper prints is read of all variants: variants = "all"')
        if self.id.partition(":")[0] not in PAPERS:
            raise ValueError(f"the id has to begin with one of {', '.join(PAPERS)}")
        return self

    @property
    def can_run(self) -> bool:
        """Whether it is not impossible."""
        return self.state != "impossible"

    @property
    def has_twins(self) -> bool:
        """Whether it runs on twins."""
        on_twins = self.handheld is not None and not self.handheld.scenes
        return self.state in ("study", "workload") or on_twins

    @property
    def is_plotted(self) -> bool:
        """Whether its bars have an axis in common: parameters of a preset have none."""
        return bool(self.series) and (self.closed is None or bool(self.closed.points))

    @property
    def machine(self) -> str:
        """What it runs on, and at which size."""
        if self.study is not None:
            return f"{self.study.preset}, {self.study.size}"
        if self.handheld is not None:
            return f"handheld-2003, {self.handheld.size}"
        if self.closed is not None:
            return f"parameters of {self.closed.preset}"
        return self.size or ("each twin at its game's resolution" if self.has_twins else "handheld-2003")


@cache
def experiments() -> Sequence[Experiment]:
    """All experiments, by paper and number.

    Raises
    ------
    ConfigError : a file of ours is wrong
    """
    out: list[Experiment] = []
    for file in sorted((files("gpumodel.papers") / "experiments").iterdir(), key=lambda path: path.name):
        for given in tomllib.loads(file.read_text(encoding="utf-8"))["experiment"]:
            try:
                out.append(Experiment.model_validate(given))
            except ValidationError as error:
                raise ConfigError(
                    [
                        f"{file.name}: {given.get('id', '?')}: {'.'.join(map(str, one['loc']))}: {one['msg']}"
                        for one in error.errors(include_url=False)
                    ]
                ) from None
    return out


def runnable(workloads: Sequence[str] = ()) -> list[Experiment]:
    """Experiments that can be run; where some workloads are wanted, those that have all of them."""
    can = [one for one in experiments() if one.can_run and (one.has_twins or not workloads)]
    return [one for one in can if not one.workloads or set(workloads) <= set(one.workloads)]


def wanted_experiments(identities: Sequence[str], workloads: Sequence[str] = ()) -> list[Experiment]:
    """Experiments by their ids, their paper or ``all`` of the papers, each once; the latter two only those that can be
    run. Questions of our own, about as much work as the papers, are asked for by their name.

    Raises
    ------
    UsageError : there is none of an id
    """
    can = runnable(workloads)
    found: list[Experiment] = []
    for identity in identities:
        of = {identity} if identity != "all" else set(PAPERS) - {"beyond"}
        many = [one for one in can if one.id.partition(":")[0] in of]
        found += many if identity in ("all", *PAPERS) else [experiment(identity)]
    return list({one.id: one for one in found}.values())


def in_parts(wanted: Sequence[Experiment]) -> list[list[Experiment]]:
    """Experiments that share traces together, in the order in which they are run."""
    by_part: dict[str, list[Experiment]] = {}
    for one in wanted:
        by_part.setdefault(next(part for part in _PARTS if one.id.startswith(part)), []).append(one)
    return [by_part[part] for part in _PARTS if part in by_part]


def experiment(identity: str) -> Experiment:
    """One by its id.

    Raises
    ------
    UsageError : there is none
    """
    by_id = {one.id: one for one in experiments()}
    if identity not in by_id:
        near = get_close_matches(identity, by_id, 1, 0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"no experiment {identity!r}{hint}", hint="gpureplay paper list")
    return by_id[identity]
