"""The description of a study: a TOML file, checked whole before anything runs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from glob import glob, has_magic
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo

from gpumodel.config.change import setting_texts
from gpumodel.config.load import all_preset_names, load_config, load_machine, machine_schema, setting_keys
from gpumodel.config.origin import flatten
from gpumodel.study.selection import FrameChoice
from gpumodel.study.toml_lines import TomlLines
from gpumodel.techniques.registry import parse_techniques
from traceformat.errors import ConfigError, ToolError, UsageError

__all__ = ["Study", "StudyFile", "read_study", "study_from"]

_MAX_BYTES: Final = 1 << 20
_SIZE: Final = re.compile(r"[1-9]\d{0,4}x[1-9]\d{0,4}")
#: Values that a key takes in turn.
_POINTS: Final = 10_000


def _near(name: str, names: Sequence[str]) -> str:
    found = get_close_matches(name, names, 1, 0.5)
    return f"; did you mean {found[0]!r}?" if found else ""


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _folder(info: ValidationInfo) -> Path:
    return Path(info.context["folder"]) if info.context else Path()


def _trace(pattern: str, info: ValidationInfo) -> str:
    path = str(_folder(info) / pattern)
    if not (glob(path, recursive=True) if has_magic(pattern) else Path(path).exists()):
        raise ValueError(f"{pattern!r}: no file has such a name" if has_magic(pattern) else f"no trace {pattern!r}")
    return pattern


def _sample(name: str, info: ValidationInfo) -> str:
    known = list(info.context["samples"]) if info.context else [name]
    if name not in known:
        raise ValueError(f"no sample {name!r}{_near(name, known)}")
    return name


def _size(size: str) -> str:
    if not _SIZE.fullmatch(size):
        raise ValueError(f"{size!r} is no size (such as 1200x768)")
    return size


def _frames(text: str) -> str:
    FrameChoice.parse([text])
    return text


def _preset(name: str, info: ValidationInfo) -> str:
    """The preset, or the path of the file."""
    path = _folder(info) / name
    if name not in all_preset_names() and not path.is_file():
        raise ValueError(f"no preset or file {name!r}{_near(name, all_preset_names())}")
    source = name if name in all_preset_names() else str(path)
    try:
        load_config(source)
    except ToolError as error:
        raise ValueError(str(error)) from None
    return source


def _techniques(text: str) -> str:
    try:
        parse_techniques([text])
    except ToolError as error:
        raise ValueError(str(error)) from None
    return text


class _ValueMistakes(ValueError):
    """Several values of one table that cannot be.

    Parameters
    ----------
    found : key, value and what is wrong, a row each
    """

    def __init__(self, found: Sequence[tuple[str, Any, str]]) -> None:
        super().__init__("; ".join(text for *_, text in found))
        self.found = found


def _values(given: Any) -> dict[str, Any]:
    """Values by dotted key, each of which some machine can have."""
    if not isinstance(given, Mapping):
        raise ValueError("must be a table of values by key")
    found = flatten(given)
    _refuse([(key, value) for key, value in found.items()])
    return found


def _grid(given: Any) -> dict[str, list[Any]]:
    """Values that each key takes in turn."""
    if not isinstance(given, Mapping):
        raise ValueError("must be a table of lists by key")
    found = flatten(given)
    lists = {key: value for key, value in found.items() if isinstance(value, list) and value}
    wrong = [(key, found[key], f"{key}: must be a list of values") for key in found if key not in lists]
    _refuse([(key, value) for key, values in lists.items() for value in values], wrong)
    return lists


def _refuse(pairs: Sequence[tuple[str, Any]], wrong: Sequence[tuple[str, Any, str]] = ()) -> None:
    mistakes = list(wrong)
    known = setting_keys(machine_schema())
    for key, value in pairs:
        if key not in known:
            if not any(key == other for other, *_ in mistakes):
                mistakes.append((key, None, f"{key}: unknown key{_near(key, list(known))}"))
            continue
        try:
            load_machine("mali450-vro", setting_texts({key: value}))
        except ConfigError as error:
            # What does not go together with the values of another GPU is found when the real ones are put together.
            mistakes += [(key, value, problem) for problem in error.problems if problem.startswith(f"{key} = ")]
    if mistakes:
        raise _ValueMistakes(mistakes)


_Texts = BeforeValidator(_listed)


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Sample(_Table):
    """Demo programs to capture.

    Parameters
    ----------
    name : of each
    size : of its picture, ``WxH`` in pixels; each size is a trace
    frames : to capture
    """

    name: Annotated[list[Annotated[str, AfterValidator(_sample)]], _Texts] = Field(min_length=1)
    size: Annotated[list[Annotated[str, AfterValidator(_size)]], _Texts] = Field(["1200x768"], min_length=1)
    frames: int = Field(60, ge=1, le=1_000_000)


class Study(_Table):
    """What is run: every configuration with every combination of techniques on every trace.

    Parameters
    ----------
    version : of the description
    traces : paths, or patterns of paths, from the description's folder
    sample : demo programs that are captured first
    frames : measured ones, see :class:`.selection.FrameChoice`
    warm_up : frames modelled before each range of them; None = what each technique looks back on
    presets : GPUs, presets or files
    techniques : ids, several in one run joined by ``+``; the baseline always runs too
    tables : to write beside those of frames: ``draws``, ``tiles``
    set : values of all GPUs, by key
    settings : variants of each GPU, a table of values by key each
    grid : values that a key takes in turn; all keys with each other, and with the variants
    """

    version: Literal[1] = 1
    traces: Annotated[list[Annotated[str, AfterValidator(_trace)]], _Texts] = Field(default_factory=list)
    sample: list[Sample] = Field(default_factory=list)
    frames: Annotated[list[Annotated[str, AfterValidator(_frames)]], _Texts] = Field(["all"], min_length=1)
    warm_up: int | None = Field(None, ge=0)
    presets: Annotated[list[Annotated[str, AfterValidator(_preset)]], _Texts] = Field(["mali450-vro"], min_length=1)
    techniques: Annotated[list[Annotated[str, AfterValidator(_techniques)]], _Texts] = Field(default_factory=list)
    tables: Annotated[list[Literal["draws", "tiles"]], _Texts] = Field(default_factory=list)
    set: Annotated[dict[str, Any], BeforeValidator(_values)] = Field(default_factory=dict)
    settings: list[Annotated[dict[str, Any], BeforeValidator(_values)]] = Field(default_factory=list)
    grid: Annotated[dict[str, list[Any]], BeforeValidator(_grid)] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A study, and where it was described.

    Parameters
    ----------
    study : the description
    name : of its file, or what stands for one
    folder : that its paths start from
    text : of the file; empty where a program has made the study
    lines : of its values, None without a text
    """

    study: Study
    name: str = "study"
    folder: Path = field(default_factory=Path)
    text: str = ""
    lines: TomlLines | None = None

    def mistake(self, place: Sequence[str | int], text: str, value: object = None) -> str:
        """A mistake with its line."""
        return _mistake(self.name, self.lines, place, text, value)


def read_study(path: str, samples: Sequence[str]) -> StudyFile:
    """Read a study.

    Parameters
    ----------
    samples : demo programs that there are

    Raises
    ------
    UsageError : it cannot be read
    ConfigError : every mistake in it, with its line
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}") from None
    if len(content) > _MAX_BYTES:
        raise UsageError(f"{path}: {len(content):,} bytes are too many for a study")
    try:
        text = content.decode()
        given = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError([f"{path}: no TOML: {error}"]) from None
    folder = Path(path).parent
    lines = TomlLines(text)
    return StudyFile(_checked(given, path, folder, samples, lines), path, folder, text, lines)


def study_from(given: Mapping[str, Any], folder: Path, samples: Sequence[str]) -> StudyFile:
    """Make a study of values as a file has them.

    Raises
    ------
    ConfigError : every mistake in it
    """
    return StudyFile(_checked(given, "study", folder, samples, None), folder=folder)


def _checked(
    given: Mapping[str, Any], name: str, folder: Path, samples: Sequence[str], lines: TomlLines | None
) -> Study:
    mistakes: list[tuple[Sequence[str | int], str, Any]] = []
    study = None
    try:
        study = Study.model_validate(dict(given), context={"folder": folder, "samples": samples})
    except ValidationError as error:
        for item in error.errors(include_url=False):
            mistakes += _of(item)
    if not given.get("traces") and not given.get("sample"):
        mistakes.append(((), "no traces: give traces = [...] or [[sample]]", None))
    if study is not None and _num_points(study) > _POINTS:
        mistakes.append((("grid",), f"{_num_points(study):,} configurations are more than {_POINTS:,}", None))
    if mistakes or study is None:
        told = sorted({_mistake(name, lines, *one): _line(lines, one[0], one[2]) for one in mistakes}.items(),
                      key=lambda pair: pair[1])  # fmt: skip
        raise ConfigError([text for text, _ in told])
    return study


def _num_points(study: Study) -> int:
    count = max(len(study.settings), 1) * len(study.presets)
    for values in study.grid.values():
        count *= len(values)
    return count


def _of(item: Any) -> list[tuple[Sequence[str | int], str, Any]]:
    """Places, texts and values of one of pydantic's mistakes."""
    place = list(item["loc"])
    inner = item.get("ctx", {}).get("error")
    if isinstance(inner, _ValueMistakes):
        return [((*place, key), text, value) for key, value, text in inner.found]
    if item["type"] == "extra_forbidden":
        known = Sample.model_fields if place[:1] == ["sample"] else Study.model_fields
        return [(place, f"unknown key {place[-1]!r}{_near(str(place[-1]), list(known))}", None)]
    if item["type"] == "value_error":
        return [(place, str(inner), item["input"] if isinstance(item["input"], str) else None)]
    names = ".".join(str(part) for part in place if not isinstance(part, int))
    if item["type"] == "missing":
        return [(place, f"{names} is missing", None)]
    return [(place, f"{names} = {item['input']!r}: {item['msg'][0].lower()}{item['msg'][1:]}", None)]


def _line(lines: TomlLines | None, place: Sequence[str | int], value: object) -> int:
    return lines.line(place, value) if lines is not None and place else 0


def _mistake(name: str, lines: TomlLines | None, place: Sequence[str | int], text: str, value: object = None) -> str:
    number = _line(lines, place, value)
    return f"{name}:{number}: {text}" if number else f"{name}: {text}"
