"""DRAM configurations: geometry, timing, currents and controller of a named LPDDR part.

The keys are the datasheet's symbols, in the sections of DRAMsim3's ini files, so that a file of either shape reads: the
shipped ``configs.toml`` or a JSON object of configurations by name.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from traceformat.errors import ConfigError, UsageError

__all__ = [
    "MAX_BANKS",
    "MAX_CHANNELS",
    "MAX_COMMANDS",
    "MAX_TRANSACTIONS",
    "DramConfig",
    "load_dram_config",
    "load_dram_configs",
]

#: Capacities of the compiled state (:mod:`gpumodel.memory.dram.state`): banks of all ranks of a channel, channels,
#: commands of a bank's queue, entries of each transaction queue.
MAX_BANKS: Final = 32
MAX_CHANNELS: Final = 8
MAX_COMMANDS: Final = 16
MAX_TRANSACTIONS: Final = 64

#: DRAMsim3's refresh interval where an ini has no ``tREFI`` (its LPDDR3 inis spell the key ``REFI``), cycles.
_DEFAULT_TREFI: Final = 7800
#: Every refresh is an event, so a memory that does little else has a bound on its host time, cycles.
_SHORTEST_INTERVAL: Final = 100
_FIELDS: Final = ("ch", "ra", "bg", "ba", "ro", "co")
_MAX_FILE_BYTES: Final = 1 << 20
_LINE_BYTES: Final = 64


def _power_of_two(value: int) -> int:
    if value & (value - 1):
        raise ValueError("must be a power of two")
    return value


PowerOfTwo = Annotated[int, AfterValidator(_power_of_two)]
_Cycles = Annotated[int, Field(ge=0, le=1_000_000)]
_Current = Annotated[float, Field(ge=0, le=10_000)]


class _Section(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class StructureConfig(_Section):
    """Geometry of one device."""

    protocol: Literal["LPDDR3", "LPDDR4"] = Field(description="command protocol")
    bankgroups: PowerOfTwo = Field(ge=1, le=8, description="bank groups")
    banks_per_group: PowerOfTwo = Field(ge=1, le=32, description="banks of a group")
    rows: PowerOfTwo = Field(ge=1, le=1 << 24, description="rows of a bank")
    columns: PowerOfTwo = Field(ge=8, le=1 << 16, description="columns of a row")
    device_width: PowerOfTwo = Field(ge=4, le=64, description="data pins of a device, bits")
    BL: PowerOfTwo = Field(ge=2, le=32, description="burst length, transfers")


class TimingConfig(_Section):
    """Clock period in ns, everything else in DRAM cycles."""

    tCK: float = Field(gt=0.01, le=1000, description="clock period, ns")
    AL: _Cycles = 0
    CL: _Cycles
    CWL: _Cycles
    tRCD: _Cycles
    tRP: _Cycles
    tRAS: _Cycles
    tRFC: _Cycles
    tREFI: int = Field(default=_DEFAULT_TREFI, ge=1, le=100_000_000)
    tRRD_S: _Cycles
    tRRD_L: _Cycles
    tWTR_S: _Cycles
    tWTR_L: _Cycles
    tFAW: _Cycles
    tWR: _Cycles
    tRTP: _Cycles
    tCCD_S: _Cycles
    tCCD_L: _Cycles
    tRTRS: _Cycles
    tPPD: _Cycles = 0
    #: Given by the inis, of no effect in this model (no power-down, self-refresh or per-bank refresh; ``REFI`` is the
    #: inis' misspelt ``tREFI``, which DRAMsim3 ignores too).
    REFI: _Cycles = 0
    tRFCb: _Cycles = 0
    tRFC2: _Cycles = 0
    tRFC4: _Cycles = 0
    tREFIb: _Cycles = 0
    tRPRE: _Cycles = 0
    tWPRE: _Cycles = 0
    tWR2: _Cycles = 0
    tCKE: _Cycles = 0
    tCKESR: _Cycles = 0
    tXS: _Cycles = 0
    tXP: _Cycles = 0


class PowerConfig(_Section):
    """Supply in V, currents of one device in mA."""

    VDD: float = Field(gt=0, le=10, description="V")
    IDD0: _Current
    IDD2N: _Current
    IDD3N: _Current
    IDD4R: _Current
    IDD4W: _Current
    IDD5AB: _Current
    #: Of no effect in this model (no power-down, no self-refresh, one rail).
    IPP0: _Current = 0.0
    IDD2P: _Current = 0.0
    IDD3P: _Current = 0.0
    IDD6x: _Current = 0.0


class SystemConfig(_Section):
    """Channels and the memory controller."""

    channel_size: int = Field(ge=1, le=1 << 20, description="MiB a channel")
    channels: PowerOfTwo = Field(ge=1, le=MAX_CHANNELS, description="channels")
    bus_width: PowerOfTwo = Field(ge=8, le=1024, description="data pins of a channel, bits")
    address_mapping: str = Field(description="two-letter fields, most significant first: ro ch ra ba bg co")
    interleave_bytes: PowerOfTwo | None = Field(
        default=None,
        ge=8,
        le=1 << 20,
        description="channels take turns by so many bytes; the rest is mapped without ch",
    )
    queue_structure: Literal["PER_BANK"]
    refresh_policy: Literal["RANK_LEVEL_STAGGERED"]
    row_buf_policy: Literal["OPEN_PAGE"]
    cmd_queue_size: int = Field(ge=1, le=MAX_COMMANDS, description="commands of a bank's queue")
    trans_queue_size: int = Field(ge=1, le=MAX_TRANSACTIONS, description="entries, reads and writes each")

    @field_validator("address_mapping")
    @classmethod
    def _names_each_field_once(cls, value: str) -> str:
        if sorted(value[k : k + 2] for k in range(0, len(value), 2)) != sorted(_FIELDS):
            raise ValueError(f"must name each of {' '.join(_FIELDS)} once")
        return value


class DramConfig(_Section):
    """A DRAM subsystem: devices, timing, currents, and the controller in front of them."""

    dram_structure: StructureConfig
    timing: TimingConfig
    power: PowerConfig
    system: SystemConfig

    @model_validator(mode="after")
    def _check_sums(self) -> Self:
        structure, timing = self.dram_structure, self.timing
        if self.system.bus_width < structure.device_width:
            raise ValueError("system.bus_width is smaller than dram_structure.device_width")
        if structure.columns < structure.BL:
            raise ValueError("dram_structure.columns is smaller than a burst")
        if self.system.interleave_bytes is not None and self.system.interleave_bytes < self.request_bytes:
            raise ValueError(f"system.interleave_bytes is smaller than a burst ({self.request_bytes} bytes)")
        if self.ranks * self.banks > MAX_BANKS:
            raise ValueError(f"{self.ranks} ranks of {self.banks} banks: a channel has at most {MAX_BANKS} banks")
        if self.ranks & (self.ranks - 1):
            raise ValueError(f"system.channel_size gives {self.ranks} ranks, which is not a power of two")
        if timing.tREFI // self.ranks < _SHORTEST_INTERVAL:
            raise ValueError(f"timing.tREFI is less than {_SHORTEST_INTERVAL} cycles a rank")
        if timing.tREFI // self.ranks <= timing.tRFC + timing.tRAS + timing.tRP:
            raise ValueError("timing.tREFI leaves no time between refreshes: it must exceed tRFC + tRAS + tRP a rank")
        if max(timing.tRRD_S, timing.tRRD_L) > timing.tRAS + timing.tRP:
            raise ValueError("timing.tRRD exceeds tRAS + tRP")
        return self

    @property
    def banks(self) -> int:
        """Banks of a rank."""
        return self.dram_structure.bankgroups * self.dram_structure.banks_per_group

    @property
    def devices_per_rank(self) -> int:
        """Devices side by side on the bus."""
        return self.system.bus_width // self.dram_structure.device_width

    @property
    def ranks(self) -> int:
        """Ranks of a channel, from its size; at least 1."""
        structure = self.dram_structure
        row_bits = structure.columns * structure.device_width
        rank_bytes = row_bits * structure.rows // 8 * self.banks * self.devices_per_rank
        return max((self.system.channel_size << 20) // rank_bytes, 1)

    @property
    def request_bytes(self) -> int:
        """Bytes of one burst, the unit of the address map."""
        return self.system.bus_width // 8 * self.dram_structure.BL

    @property
    def line_bursts(self) -> int:
        """Bursts of a 64-byte line of the machine."""
        return max(_LINE_BYTES // self.request_bytes, 1)

    @property
    def burst_cycles(self) -> int:
        """Cycles that a burst occupies the data bus: two transfers a cycle."""
        return self.dram_structure.BL // 2

    @property
    def address_fields(self) -> dict[str, tuple[int, int]]:
        """Lowest bit and width of each field of a byte address.

        With ``interleave_bytes`` all but ``ch`` are fields of the address within the channel: the bits of ``ch`` are
        taken out, and what lies above them moves down.
        """
        structure, interleave = self.dram_structure, self.system.interleave_bytes
        sizes = {
            "ch": self.system.channels,
            "ra": self.ranks,
            "bg": structure.bankgroups,
            "ba": structure.banks_per_group,
            "ro": structure.rows,
            "co": structure.columns // structure.BL,
        }
        mapping = self.system.address_mapping
        position = self.request_bytes.bit_length() - 1
        fields = {}
        if interleave is not None:
            mapping = mapping.replace("ch", "")
            fields["ch"] = interleave.bit_length() - 1, sizes["ch"].bit_length() - 1
        for k in range(len(mapping) - 2, -1, -2):
            width = sizes[mapping[k : k + 2]].bit_length() - 1
            fields[mapping[k : k + 2]] = position, width
            position += width
        return fields


@cache
def load_dram_configs(path: str | None = None) -> dict[str, DramConfig]:
    """Read configurations by name.

    Parameters
    ----------
    path : a JSON file ``{name: {section: {key: value}}}``, or TOML of the same shape; the shipped ones by default

    Raises
    ------
    ConfigError : every problem found, with its place
    UsageError : the file cannot be read
    """
    if path is None:
        text, source = (resources.files(__package__) / "configs.toml").read_text(encoding="utf-8"), "configs.toml"
    else:
        text, source = _read(Path(path)), path
    try:
        values = json.loads(text) if source.endswith(".json") or text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError([f"{source}: {error}"]) from None
    if not isinstance(values, dict) or not values or not all(isinstance(entry, dict) for entry in values.values()):
        raise ConfigError([f"{source}: expected configurations by name"])
    problems: list[str] = []
    configs = {}
    for name in values:
        entry = _inherit(values, name)
        # What follows from the rest, and what concerns the other tool's output only, is not ours to check.
        sections = {key: value for key, value in entry.items() if key not in ("derived", "other", "thermal")}
        try:
            configs[name] = DramConfig.model_validate(sections)
        except ValidationError as error:
            problems += [_describe(source, name, item) for item in error.errors(include_url=False)]
    if problems:
        raise ConfigError(problems)
    return configs


def _inherit(values: dict[str, dict[str, Any]], name: str) -> dict[str, Any]:
    """An entry with what it leaves out taken from the entry that its ``like`` names, which stands before it."""
    entry = dict(values[name])
    like = entry.pop("like", None)
    earlier = list(values)[: list(values).index(name)]
    if like is None:
        return entry
    if like not in earlier:
        raise ConfigError([f"{name}.like = {like!r}: no configuration before it has that name"])
    base = _inherit(values, like)
    for section, own in entry.items():
        base[section] = {**base.get(section, {}), **own} if isinstance(own, dict) else own
    return base


def load_dram_config(name: str, path: str | None = None) -> DramConfig:
    """Read one configuration; raises ConfigError for a name that the file does not have."""
    configs = load_dram_configs(path)
    if name not in configs:
        near = difflib.get_close_matches(name, configs, 1)
        offer = f"; did you mean {near[0]!r}?" if near else ""
        raise ConfigError([f"no DRAM configuration {name!r}{offer}"], hint=f"there are {', '.join(configs)}")
    return configs[name]


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise UsageError(f"{path}: larger than a file of configurations can be ({_MAX_FILE_BYTES} bytes)")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError([f"{path}: not a text file"]) from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None


def _describe(source: str, name: str, item: Any) -> str:
    """One problem of pydantic's list as a line of ours."""
    place = ".".join(str(part) for part in (name, *item["loc"]))
    if item["type"] == "missing":
        return f"{source}: {place}: missing"
    message = item["msg"].removeprefix("Value error, ")
    value = f" = {item['input']!r}" if not isinstance(item["input"], dict) else ""
    return f"{source}: {place}{value}: {message[0].lower()}{message[1:]}"
