"""The techniques that exist, by id, and the combination that a ``-t`` names."""

from __future__ import annotations

import sys
import traceback
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import isabstract
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpumodel.config.section import TechniqueConfig
from gpumodel.technique_names import OWN_TECHNIQUES, PLUGIN_GROUP
from gpumodel.techniques.mistakes import check_plugs
from gpumodel.techniques.plugs import ASKED_AGAIN, HOOKS, Hook, Plugs
from gpumodel.units.counters import Counter, counter_fields
from traceformat.errors import ConfigError, MissingEnvironmentError, ToolWarning, UsageError

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.energy import Structure
    from gpumodel.machine import Machine
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = [
    "BASELINE",
    "Technique",
    "combine",
    "config_of",
    "known_techniques",
    "parse_techniques",
    "plugin_at_fault",
    "plugins",
    "register",
    "technique_columns",
]

#: The machine without any technique.
BASELINE: Final = "baseline"
_SLOTS: Final = ("tile_order", "primitive_order", "quad_map", "in_parallel")
_SEVERAL: Final = (
    "tile_render", "tile_flush", "units", "caches", "before_frame", "before_pass", "before_raster", "observers",
)  # fmt: skip

T = TypeVar("T", bound="type[Technique]")


class Technique(ABC):
    """A technique: its parameters, its plugs, its hardware, its counters.

    Attributes
    ----------
    id : what ``-t`` calls it
    source : paper and section
    Config : its parameters, a section of the configuration; ``Config.of(config)`` has their values
    draws : keep drawings of each frame
    counters : the counters that it adds, by name, see :func:`gpumodel.units.counters.named`
    record : (1,) structured array with a field for each counter; what is compiled keeps its state there too
    columns : columns of the frames that it reads beyond those of the model
    implies : techniques that it contains
    excludes : why it cannot be combined with any other technique; empty: it can
    cuts : leaves entries out of tile lists before a pass, so that it comes before those that look at them
    takes : what of the machine it takes for itself that is no slot, hook or place, such as spare bits of an entry
    looks_ahead : relies on the order of tiles that is known before a pass runs, which hook ``tile_pick`` gives up
    """

    id: ClassVar[str]
    source: ClassVar[str]
    Config: ClassVar[type[TechniqueConfig] | None] = None
    draws = False
    counters: ClassVar[Mapping[str, Counter]] = {}
    columns: ClassVar[tuple[str, ...]] = ()
    implies: ClassVar[tuple[str, ...]] = ()
    excludes: ClassVar[str] = ""
    cuts: ClassVar[bool] = False
    takes: ClassVar[tuple[str, ...]] = ()
    looks_ahead: ClassVar[bool] = False
    record: NDArray[Any]

    def __init__(self) -> None:
        self.record = np.zeros(1, counter_fields(self.counters))

    def configure(self, config: GpuConfig) -> GpuConfig:
        """Configuration of the machine with the technique, where it changes counts or sizes of the baseline's units."""
        return config

    def history(self, config: GpuConfig) -> int:
        """Frames before one that its figures depend on; the baseline's are those of its caches."""
        return 1

    def needed_frames(self, config: GpuConfig, asked: range) -> range:
        """Frames to model so that those asked for are as in a run of all frames; may begin below 0."""
        return range(asked.start - self.history(config), asked.stop)

    def hash_bits(self, config: GpuConfig) -> int:
        """Low bits of a fragment's ``quads.identity`` by which alone its table tells fragments apart, 0 = it compares
        whole inputs; verification proves by them that a wrong colour is a collision.
        """
        return 0

    @abstractmethod
    def plugs(self, config: GpuConfig) -> Plugs:
        """Fill slots, gates and observers for one run; state that lasts over frames lives in what they close over."""

    @abstractmethod
    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """List its structures with energy per access, leakage and area."""

    def prepare(self, trace: FrameTrace) -> FrameTrace:
        """Pass as it is submitted with the technique, where the application's part of it changes the draws."""
        return trace

    def attach(self, machine: Machine) -> None:  # noqa: B027
        """Get to know the machine once it is made: numbers of units and caches, its record for counters."""

    def drawings(self, frame: int) -> Mapping[str, str]:
        """What it has drawn of a frame, by file name; a run that wants drawings has set ``draws``."""
        return {}

    def read_counters(self) -> Mapping[str, float]:
        """Values of its counters since the run began."""
        if not self.counters:
            # One without counters need not have made a record.
            return {}
        row = self.record[0]
        return {name: row[counter.field].sum().item() for name, counter in self.counters.items()}

    def read_frame_counters(self, frame_index: int) -> Mapping[str, float]:
        """Of frames that are rendered in parallel, the counters of one of those in flight; together they are all."""
        return self.read_counters() if frame_index == 0 else {}


_REGISTERED: dict[str, type[Technique]] = {}


def register(technique: T) -> T:
    """Class decorator: make a technique known; raises ConfigError for an id or a section that is taken, for parameters
    that are not described, and for methods that it lacks.
    """
    if isabstract(technique):
        missing = ", ".join(sorted(technique.__abstractmethods__))
        raise ConfigError([f"technique {technique.id} has no {missing}"])
    if technique.id in _REGISTERED or technique.id == BASELINE:
        raise ConfigError([f"technique {technique.id} is registered twice"])
    if technique.Config is not None:
        _name_section(technique.id, technique.Config)
    _REGISTERED[technique.id] = technique
    return technique


def _name_section(technique: str, kind: type[TechniqueConfig]) -> None:
    """Give the parameters of a technique their place in the configuration."""
    from gpumodel.config.schema import GpuConfig

    kind.section = kind.section or technique.replace("-", "_")
    others = {one.Config for one in _REGISTERED.values() if one.Config is not None and one.Config is not kind}
    if kind.section in GpuConfig.model_fields or kind.section in {other.section for other in others}:
        raise ConfigError([f"technique {technique}: the section {kind.section} is taken"])
    if kind.incomplete():
        names = ", ".join(kind.incomplete())
        raise ConfigError([f"technique {technique}: without default, description, source or range: {names}"])


def known_techniques() -> dict[str, type[Technique]]:
    """Registered techniques by id, those of installed packages among them."""
    plugins()
    return dict(_REGISTERED)


def about_technique(technique: str) -> str | None:
    """What messages of other machines say of a technique; None for any other word."""
    return f"{technique} is a technique of tile-based GPUs" if technique in known_techniques() else None


@dataclass(frozen=True, slots=True)
class Plugin:
    """A technique that another package brings.

    Parameters
    ----------
    name : of its entry point, and its id
    package : with its version
    module : that it is in
    error : why it cannot be used; empty where it can
    """

    name: str
    package: str
    module: str
    error: str = ""


_PLUGINS: dict[tuple[str, str], Plugin] = {}


def plugins() -> list[Plugin]:
    """Techniques that installed packages bring through the group ``gpureplay.techniques``, loaded."""
    # Ours first: what fails takes with it what it has registered, and might have been the first to import one of them.
    for module in OWN_TECHNIQUES:
        import_module(f"gpumodel.techniques.{module}")
    found = []
    for entry in _entries(tuple(sys.path)):
        key = entry.name, entry.value
        if key not in _PLUGINS:
            _PLUGINS[key] = _load(entry)
        found.append(_PLUGINS[key])
    return found


@cache
def _entries(path: tuple[str, ...]) -> list[EntryPoint]:
    """What packages in these places announce; to look takes some twenty milliseconds."""
    return sorted(entry_points(group=PLUGIN_GROUP), key=lambda entry: (entry.name, entry.value))


def _load(entry: EntryPoint) -> Plugin:
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
    before = dict(_REGISTERED)
    try:
        entry.load()
        if entry.name not in _REGISTERED:
            raise ConfigError([f"it registers no technique {entry.name}"])
    except (Exception, SystemExit) as error:
        # Whatever the code of others raises is theirs; what it has registered before goes with it.
        _REGISTERED.clear()
        _REGISTERED.update(before)
        return Plugin(entry.name, package, entry.module, " ".join(f"{type(error).__name__}: {error}".split()))
    return Plugin(entry.name, package, entry.module)


def plugin_at_fault(error: BaseException) -> Plugin | None:
    """Tell whose code an error comes from: that of a plugin which was loaded, or None.

    An error in what Numba compiles has no frames there; its text has the file.
    """
    if not _PLUGINS:
        return None
    frames = traceback.walk_tb(error.__traceback__)
    modules = [str(frame.f_globals.get("__name__", "")).partition(".")[0] for frame, _ in frames]
    for plugin in _PLUGINS.values():
        root = plugin.module.partition(".")[0]
        file = getattr(sys.modules.get(plugin.module), "__file__", None)
        if root in modules or (file is not None and f'"{file}"' in str(error)):
            return plugin
    return None


def parse_techniques(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Runs that ``-t`` asks for, the baseline always first, each once.

    Parameters
    ----------
    texts : such as ``vro`` or ``ptr+re``

    Raises
    ------
    UsageError : an id that does not exist, with the known ones; a combination without meaning, with the reason
    MissingEnvironmentError : one that a package brings and that cannot be loaded; others of this kind are warned of
    """
    known = known_techniques()
    broken = {plugin.name: plugin for plugin in plugins() if plugin.error and plugin.name not in known}
    runs: list[tuple[str, ...]] = [()]
    for text in texts:
        ids = tuple(part.strip() for part in text.split("+"))
        for technique in ids:
            if technique in broken:
                one = broken.pop(technique)
                raise MissingEnvironmentError(f"technique {one.name} of {one.package} cannot be loaded: {one.error}")
            if technique not in known and technique != BASELINE:
                names = [BASELINE, *sorted(known)]
                near = get_close_matches(technique, names, 1)
                offer = f", did you mean {near[0]}?" if near else ""
                raise UsageError(f"unknown technique '{technique}'{offer}", hint=f"known: {', '.join(names)}")
        chosen = tuple(dict.fromkeys(technique for technique in ids if technique != BASELINE))
        implied = {name for technique in chosen for name in known[technique].implies}
        chosen = tuple(technique for technique in chosen if technique not in implied)
        refused = _refuse([known[technique] for technique in chosen])
        if refused:
            raise UsageError(refused)
        if chosen not in runs:
            runs.append(chosen)
    for one in broken.values():
        left_out = f"technique {one.name} of {one.package} is left out, it cannot be loaded: {one.error}"
        warnings.warn(left_out, ToolWarning, stacklevel=2)
    return runs


def _refuse(techniques: Sequence[type[Technique] | Technique]) -> str | None:
    """Say why techniques cannot be combined; None when they can."""
    for technique in techniques if len(techniques) > 1 else ():
        if technique.excludes:
            names = "+".join(one.id for one in techniques)
            return f"{names}: {technique.id} goes with no other technique: {technique.excludes}"
    return None


def technique_columns(techniques: Sequence[str]) -> frozenset[str]:
    """Columns of the frames that techniques read beyond those of the model."""
    known = known_techniques()
    return frozenset(column for technique in techniques for column in known[technique].columns)


def config_of(config: GpuConfig, techniques: Sequence[str]) -> GpuConfig:
    """Configuration as a run with these techniques reads it: parameters that are neither theirs nor of what they are
    derived from have their defaults. A technique of another package may read what it likes.
    """
    known = known_techniques()
    classes = {one for name in techniques for one in known[name].__mro__ if issubclass(one, Technique)}
    if any(not one.__module__.startswith("gpumodel.") for one in classes):
        return config
    own = {one.Config.section for one in classes if one.Config is not None}
    others = {name: type(one)() for name, one in config if isinstance(one, TechniqueConfig) and name not in own}
    return config.model_copy(update=others)


def combine(techniques: Sequence[Technique], config: GpuConfig) -> Plugs:
    """Plugs of several techniques together: one technique a slot, gates ANDed, shared hooks in a row, all observers.

    Results do not depend on the order of ``techniques``.

    Raises
    ------
    ConfigError : two techniques want the same slot, hook, unit's place or resource, or one goes with no other
    """
    refused = _refuse(techniques)
    if refused:
        raise ConfigError([refused])
    out = Plugs()
    taken: dict[str, str] = {}
    shared: dict[str, list[Hook]] = {}
    for technique in sorted(techniques, key=lambda technique: (not technique.cuts, technique.id)):
        plugs = technique.plugs(config)
        check_plugs(technique.id, technique.counters, getattr(technique, "record", None), plugs)
        for resource in technique.takes:
            if resource in taken:
                raise ConfigError([f"techniques {taken[resource]} and {technique.id} both want {resource}"])
            taken[resource] = technique.id
        for slot in _SLOTS:
            value = getattr(plugs, slot)
            if value is None:
                continue
            if slot in taken:
                raise ConfigError([f"techniques {taken[slot]} and {technique.id} both want the slot {slot}"])
            taken[slot] = technique.id
            setattr(out, slot, value)
        for name, hook in plugs.hooks.items():
            if name not in HOOKS:
                raise ConfigError([f"technique {technique.id}: there is no hook {name}"])
            if name in ASKED_AGAIN:
                shared.setdefault(name, []).append(hook)
                continue
            if f"hook {name}" in taken:
                raise ConfigError([f"techniques {taken[f'hook {name}']} and {technique.id} both want the hook {name}"])
            taken[f"hook {name}"] = technique.id
            out.hooks[name] = hook
        for unit in plugs.units:
            if unit.replaces is None:
                continue
            if f"unit {unit.replaces}" in taken:
                owner = taken[f"unit {unit.replaces}"]
                raise ConfigError([f"techniques {owner} and {technique.id} both replace {unit.replaces}"])
            taken[f"unit {unit.replaces}"] = technique.id
        out.frames = max(out.frames, plugs.frames)
        for several in _SEVERAL:
            getattr(out, several).extend(getattr(plugs, several))
    ahead = [technique.id for technique in techniques if technique.looks_ahead]
    if "tile_pick" in out.hooks and ahead:
        picks = taken["hook tile_pick"]
        raise ConfigError([f"{min(ahead)} relies on the order of tiles, which {picks} makes up as they are rendered"])
    for name, hooks in shared.items():
        if len(hooks) > 1:
            from gpumodel.techniques.chain import chain

            hooks = [chain(name, sorted(hooks, key=lambda hook: hook.rank))]
        out.hooks[name] = hooks[0]
    return out
