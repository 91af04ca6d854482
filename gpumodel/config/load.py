"""Reading configurations: presets, files, ``--set``, and every problem at once."""

from __future__ import annotations

import difflib
import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError, create_model

from gpumodel.config.old_keys import leave_out_removed
from gpumodel.config.schema import GpuConfig
from gpumodel.config.section import MachineConfig, TechniqueConfig
from gpumodel.machines import KINDS, TILE_BASED, MachineKind
from traceformat.errors import ConfigError, UsageError
from traceformat.guards import number_of

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

__all__ = [
    "all_preset_names",
    "apply_settings",
    "config_layers",
    "config_sha256",
    "kind_of",
    "load_config",
    "load_machine",
    "machine_schema",
    "preset_names",
    "preset_text",
    "setting_key",
    "setting_keys",
    "setting_values",
]

T = TypeVar("T", bound=BaseModel)
_MAX_FILE_BYTES = 1 << 20
#: How the keys of sizes end.
_BYTES: Final = "_bytes"


class _LoadedConfig(GpuConfig):
    """A configuration with the sections of techniques; its class is made anew in another process."""

    def __reduce__(self) -> tuple[Any, ...]:
        return apply_settings, (self.model_dump(), ())


def machine_schema() -> type[GpuConfig]:
    """Schema of a tile-based GPU with a section for each known technique that has parameters."""
    from gpumodel.techniques.registry import known_techniques

    kinds = {technique.Config for technique in known_techniques().values() if technique.Config is not None}
    return _schema_with(tuple(sorted(kinds, key=lambda kind: kind.section)))


@cache
def _schema_with(kinds: tuple[type[TechniqueConfig], ...]) -> type[GpuConfig]:
    sections: dict[str, Any] = {kind.section: (kind, kind()) for kind in kinds}
    return create_model("GpuConfig", __base__=_LoadedConfig, __doc__=GpuConfig.__doc__, **sections)


def preset_names() -> list[str]:
    """Names of the presets of tile-based GPUs, in alphabetical order."""
    return TILE_BASED.presets()


def all_preset_names() -> list[str]:
    """Names of the presets of all machines (:mod:`gpumodel.machines`), in alphabetical order."""
    return sorted(name for kind in KINDS.values() for name in kind.presets())


def preset_text(name: str) -> str:
    """TOML text of a preset, comments with the sources included; raises ConfigError for an unknown name."""
    for kind in KINDS.values():
        if name in kind.presets():
            return (resources.files(kind.package) / "presets" / f"{name}.toml").read_text(encoding="utf-8")
    raise ConfigError(
        [f"unknown preset {name!r}{_nearest(name, all_preset_names())}"], hint="see gpureplay config list"
    )


def load_config(source: str, settings: Sequence[str] = ()) -> GpuConfig:
    """Read the preset or file of a tile-based GPU, and apply ``--set`` overrides; see :func:`load_machine`."""
    found = load_machine(source, settings)
    if not isinstance(found, GpuConfig):
        raise ConfigError([f"{source}: {kind_of(source).what} has no tiles"], hint="gpureplay run takes it")
    return found


def load_machine(source: str, settings: Sequence[str] = ()) -> MachineConfig:
    """Read a preset or a file of any machine, and apply ``--set`` overrides.

    Parameters
    ----------
    source : name of a preset, or path of a TOML file; a file may name the preset it starts from in its key ``base``
    settings : overrides as ``dotted.key=value``

    Raises
    ------
    ConfigError : every problem found, each with its path, value and the nearest valid name
    UsageError : the file cannot be read
    """
    values = _values(source)
    return _validated(_kind(values).schema(), values, settings, f"configuration {source}; ")


def kind_of(source: str) -> MachineKind:
    """What kind of machine a preset or a file is of; raises as :func:`load_machine`."""
    return _kind(_values(source))


def _kind(values: Mapping[str, Any]) -> MachineKind:
    name = values.get("machine", TILE_BASED.name)
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        near = _nearest(str(name), list(KINDS))
        raise ConfigError([f"machine = {_show(name)}: no such machine{near}"], hint=f"known: {', '.join(KINDS)}")
    return kind


def _values(source: str) -> dict[str, Any]:
    """Values of a preset or a file, those of its base among them."""
    values: dict[str, Any] = {}
    for _, layer in config_layers(source):
        values = _merge(values, layer)
    return values


def config_layers(source: str) -> list[tuple[str, dict[str, Any]]]:
    """What a configuration consists of, the lowest layer first: the name of each, and its values as they are written.

    Raises
    ------
    ConfigError, UsageError : see :func:`load_machine`
    """
    if not (source.endswith(".toml") or "/" in source or Path(source).is_file()):
        preset = _parse(preset_text(source), source)
        if "base" in preset:
            raise ConfigError([f"preset {source}: base is for files; a preset has every value, each with its source"])
        return [(f"preset {source}", preset)]
    own = _parse(_read(Path(source)), source)
    base = own.pop("base", None)
    layers = [(f"file {source}", own)]
    if base is None:
        return layers
    if not isinstance(base, str):
        raise ConfigError([f"base = {base!r}: must be the name of a preset"])
    return [(f"preset {base}", _parse(preset_text(base), base)), *layers]


def setting_key(setting: str) -> str:
    """Dotted key of ``key=value``."""
    return setting.partition("=")[0].strip()


def setting_keys(schema: type[BaseModel]) -> dict[str, str]:
    """Dotted keys of a schema's values, each with what it is."""
    return {key: field.description or "" for key, field in _fields(schema)}


def apply_settings(values: dict[str, Any], settings: Sequence[str]) -> GpuConfig:
    """Apply ``dotted.key=value`` overrides to a configuration's values and check the result."""
    return _validated(machine_schema(), values, settings)


def _validated(schema: type[T], values: dict[str, Any], settings: Sequence[str], where: str = "") -> T:
    problems: list[str] = []
    for key, value in _settings(settings, problems):
        _assign(values, key, _sized(key, value), problems)
    leave_out_removed(values)
    try:
        config = schema.model_validate(values)
    except ValidationError as error:
        problems += [line for item in error.errors(include_url=False) for line in _describe(item, schema)]
    if problems:
        raise ConfigError(list(dict.fromkeys(problems)), hint=f"{where}see gpureplay config schema")
    return config


def config_sha256(config: BaseModel) -> str:
    """Hash of the resolved configuration: of its canonical JSON, so that comments and order do not matter.

    A technique's parameters count where one is not the default: a package that is installed changes no hash.
    """
    untouched = {name for name, value in config if isinstance(value, TechniqueConfig) and value == type(value)()}
    text = json.dumps(config.model_dump(mode="json", exclude=untouched), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise UsageError(f"{path}: larger than a configuration can be ({_MAX_FILE_BYTES} bytes)")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError([f"{path}: not a text file"]) from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}", hint="see gpureplay config list") from None


def _parse(text: str, source: str) -> dict[str, Any]:
    try:
        return {key: _sized(key, value) for key, value in tomllib.loads(text).items()}
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError([f"{source}: {error}"]) from None


def _sized(key: str, value: Any) -> Any:
    """Value of a key; what is in bytes may be written as 64K, 2M or 1G."""
    if isinstance(value, dict):
        return {name: _sized(name, inner) for name, inner in value.items()}
    if isinstance(value, str) and key.endswith(_BYTES):
        size = number_of(value)
        return value if size is None else size
    return value


def setting_values(settings: Sequence[str]) -> dict[str, Any]:
    """Values by dotted key of ``dotted.key=value``; raises ConfigError where that is not its form."""
    problems: list[str] = []
    found = dict(_settings(settings, problems))
    if problems:
        raise ConfigError(problems)
    return found


def _settings(settings: Sequence[str], problems: list[str]) -> Iterator[tuple[str, Any]]:
    for setting in settings:
        key, separator, text = setting.partition("=")
        if separator and key.strip():
            yield key.strip(), _setting_value(text.strip())
        else:
            problems.append(f"--set {setting}: expected key=value")


def _setting_value(text: str) -> Any:
    """Value of a TOML literal; anything else is a string."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def _merge(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(below)
    for key, value in above.items():
        if isinstance(value, Mapping) and isinstance(out.get(key), dict):
            out[key] = _merge(out[key], value)
        else:
            out[key] = value
    return out


def _assign(values: dict[str, Any], key: str, value: Any, problems: list[str]) -> None:
    parts = key.split(".")
    place = values
    for depth, part in enumerate(parts[:-1]):
        following = place.get(part)
        if following is None:
            following = place[part] = {}
        if not isinstance(following, dict):
            problems.append(f"--set {key}: {'.'.join(parts[: depth + 1])} is a value, not a section")
            return
        place = following
    place[parts[-1]] = value


def _describe(item: Any, schema: type[BaseModel]) -> list[str]:
    """One problem of pydantic's list as lines of ours; an unknown section is a line for each of its keys."""
    path = ".".join(str(part) for part in item["loc"])
    kind = item["type"]
    if kind == "extra_forbidden":
        return [
            f"{key} = {_show(value)}: unknown key{_nearest_key(key, schema)}"
            for key, value in _leaves(path, item["input"])
        ]
    if kind == "missing":
        return [f"{path}: missing"]
    message = item["msg"].removeprefix("Value error, ")
    message = message[0].lower() + message[1:]
    hint = ""
    if kind == "int_type" and path.endswith(_BYTES):
        hint = " (such as 65536, 64K or 1M)"
    if kind == "literal_error" and isinstance(item["input"], str):
        hint = _nearest(item["input"], [str(value) for value in _choices_at(item["loc"], schema)])
    if isinstance(item["input"], dict):
        # Values that do not go together: the message names them.
        return [f"{path}: {message}" if path else message]
    return [f"{path} = {_show(item['input'])}: {message}{hint}"]


def _leaves(path: str, value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, dict) or not value:
        return [(path, value)]
    return [leaf for key, inner in value.items() for leaf in _leaves(f"{path}.{key}", inner)]


def _nearest_key(path: str, schema: type[BaseModel]) -> str:
    """Offer for an unknown dotted key: the same words in another section, else the nearest name anywhere."""
    keys = [key for key, _ in _fields(schema)]
    last = path.rpartition(".")[2]
    for words in (path, last):
        same = [key for key in keys if key == words or key.endswith(f".{words}")]
        if same:
            return _offer(same)
    return _nearest(path, keys)


def _offer(names: Sequence[str]) -> str:
    """The names as a question, in the order that they have; more than four would not help."""
    return f" (did you mean {' or '.join(names)}?)" if len(names) <= 4 else ""


def _fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Dotted names of all values below a section; those of an optional section, too."""
    for name, field in model.model_fields.items():
        kinds = [kind for kind in (field.annotation, *get_args(field.annotation)) if isinstance(kind, type)]
        section = next((kind for kind in kinds if issubclass(kind, BaseModel)), None)
        if section is not None:
            yield from _fields(section, f"{prefix}{name}.")
        else:
            yield prefix + name, field


def _show(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _nearest(name: str, names: Sequence[str]) -> str:
    found = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f" (did you mean {found[0]}?)" if found else ""


def _model_at(location: Sequence[Any], schema: type[BaseModel]) -> type[BaseModel] | None:
    model: Any = schema
    for part in location:
        field = model.model_fields.get(part) if isinstance(model, type) and issubclass(model, BaseModel) else None
        if field is None:
            return None
        model = field.annotation
    return model if isinstance(model, type) and issubclass(model, BaseModel) else None


def _choices_at(location: Sequence[Any], schema: type[BaseModel]) -> Sequence[Any]:
    model = _model_at(location[:-1], schema)
    field = model.model_fields.get(str(location[-1])) if model else None
    return get_args(field.annotation) if field else ()
