"""Constants of stages: from the packed uniforms of a program to the areas that shaders read.

A draw whose uniforms have changed keeps a copy of them, packed, and no more. When its batch runs, one native call makes
the areas of all its draws, in which every element starts at four words; whoever needs an area or the words earlier, or
again later, makes them of the same copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from replay.engine.kernels.records import AREA_OFFSET, CONSTANTS, GATHER
from replay.engine.octets import OctetArena
from traceformat.native.records import address_of

__all__ = [
    "ConstantArena",
    "ConstantRows",
    "Copies",
    "FrameConstants",
    "Gather",
    "GatherPair",
    "PairConstants",
    "StageConstants",
    "StageValues",
    "joined_words",
]

#: Sets of changed uniforms whose flags are kept.
_MAX_FLAGS: Final = 256
_ALIGNMENT: Final = 64
_FIRST_ROWS: Final = 64
#: Parts that are joined one by one.
_FEW_PARTS: Final = 8


@dataclass(slots=True, eq=False)
class Gather:
    """How area 0 of a stage is filled from the packed constants.

    Parameters
    ----------
    size : words of the area
    area, source : (W,) word numbers in the area and in the packed constants
    owner, owners : uniform of each word, and all of them
    num_uniforms : of the program
    """

    size: int
    area: NDArray[np.int64]
    source: NDArray[np.int64]
    owner: NDArray[np.int64]
    owners: frozenset[int]
    num_uniforms: int
    record: Any = field(init=False)
    #: Where the record lies.
    address: int = field(init=False)
    #: Bytes from a table with the area's address to behind the area.
    num_bytes: int = field(init=False)
    #: Flags of words none of which is new.
    stale: NDArray[np.uint8] = field(init=False)
    #: Flags of each word and bytes newly set, by the uniforms that have changed.
    _flags: dict[frozenset[int], tuple[NDArray[np.uint8], int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.stale = np.zeros(len(self.area), np.uint8)
        self.record = GATHER.row(
            size=max(self.size, 1), count=len(self.area), area=address_of(self.area), source=address_of(self.source)
        )
        self.address = self.record.address
        self.num_bytes = AREA_OFFSET + 4 * max(self.size, 1)

    def flags(self, changed: frozenset[int]) -> tuple[NDArray[np.uint8], int]:
        """Which words are new where these uniforms have changed, (W,) uint8, and the bytes of them."""
        if not changed:
            return self.stale, 0
        known = self._flags.get(changed)
        if known is None:
            if len(self._flags) >= _MAX_FLAGS:
                self._flags.clear()
            of_uniform = np.zeros(max(self.num_uniforms, 1), np.uint8)
            of_uniform[list(changed)] = 1
            is_new = of_uniform.take(self.owner)
            known = self._flags[changed] = (is_new, 4 * int(np.count_nonzero(is_new)))
        return known

    def words(self, packed: bytes | bytearray) -> NDArray[np.uint32]:
        """Live words of packed constants, (W,)."""
        return np.frombuffer(packed, np.uint32).take(self.source)

    def fill(self, words: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The area that holds these words."""
        area = np.zeros(max(self.size, 1), np.uint32)
        if self.area.size:
            area[self.area] = words
        return area


class StageValues:
    """Values of a stage's constants.

    Parameters
    ----------
    gather, packed : area 0 as it follows from a copy of the packed constants
    areas, words : all areas, and the live words, where there is more than that to them
    """

    __slots__ = ("_areas", "_table", "_words", "gather", "packed", "place", "token")

    def __init__(
        self,
        gather: Gather,
        packed: bytes | None,
        areas: list[NDArray[np.uint32]] | None = None,
        words: NDArray[np.uint32] | None = None,
    ) -> None:
        self.gather, self.packed = gather, packed
        self._areas, self._words = areas, words
        self._table: NDArray[np.uint64] | None = None
        #: Where a batch makes the areas, and which run of it.
        self.token: object = None
        self.place = 0

    @property
    def words(self) -> NDArray[np.uint32]:
        """Live constants, in the program's order, without padding."""
        if self._words is None:
            assert self.packed is not None
            self._words = self.gather.words(self.packed)
        return self._words

    @property
    def is_gathered(self) -> bool:
        """Whether nobody has asked for the words, which follow from the packed constants."""
        return self._words is None

    @property
    def areas(self) -> list[NDArray[np.uint32]]:
        """Words of each constant area of the stage."""
        if self._areas is None:
            self._areas = [self.gather.fill(self.words)]
        return self._areas

    @property
    def table(self) -> NDArray[np.uint64]:
        """Addresses of the areas."""
        if self._table is None:
            self._table = np.array([address_of(area) for area in self.areas] or [0], np.uint64)
        return self._table


@dataclass(slots=True, eq=False)
class StageConstants:
    """Constants of one stage for one draw.

    Parameters
    ----------
    values : their values
    is_new : (words,) uint8 set since the previous draw
    new_bytes : of those that were
    """

    values: StageValues
    is_new: NDArray[np.uint8]
    new_bytes: int

    @property
    def num_words(self) -> int:
        """Live constants."""
        return len(self.is_new)

    @property
    def words(self) -> NDArray[np.uint32]:
        """Live constants, in the program's order, without padding."""
        return self.values.words

    @property
    def areas(self) -> list[NDArray[np.uint32]]:
        """Words of each constant area of the stage."""
        return self.values.areas

    @property
    def table(self) -> NDArray[np.uint64]:
        """Addresses of the areas."""
        return self.values.table

    @property
    def address(self) -> int:
        """Where the table lies."""
        return address_of(self.values.table)

    def again(self) -> StageConstants:
        """The same constants for a draw that found them unchanged."""
        return self if not self.new_bytes else StageConstants(self.values, np.zeros_like(self.is_new), 0)


@dataclass(slots=True, eq=False)
class GatherPair:
    """How the areas of a program's vertex and fragment stage are filled from the same packed constants.

    Attributes
    ----------
    num_words : live constants of both
    source : word numbers of these in the packed constants
    """

    vertex: Gather
    fragment: Gather
    num_words: int = field(init=False)
    source: NDArray[np.int64] = field(init=False)
    _flags: dict[frozenset[int], tuple[NDArray[np.uint8], int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.source = np.concatenate([self.vertex.source, self.fragment.source])
        self.num_words = len(self.source)

    def flags(self, changed: frozenset[int]) -> tuple[NDArray[np.uint8], int, int]:
        """As :meth:`Gather.flags`: which words of both are new, and the bytes of each stage that are."""
        known = self._flags.get(changed)
        if known is None:
            if len(self._flags) >= _MAX_FLAGS:
                self._flags.clear()
            (first, own), (second, other) = self.vertex.flags(changed), self.fragment.flags(changed)
            known = self._flags[changed] = np.concatenate([first, second]), own, other
        return known


@dataclass(slots=True, eq=False)
class PairConstants:
    """Constants of the two stages of one draw.

    Parameters
    ----------
    packed : a copy of the packed constants that they follow from
    is_new : (words,) uint8 set since the previous draw
    """

    pair: GatherPair
    packed: bytes
    is_new: NDArray[np.uint8]

    @property
    def num_words(self) -> int:
        """Live constants."""
        return self.pair.num_words

    @property
    def words(self) -> NDArray[np.uint32]:
        """Live constants, the vertex stage's first."""
        return np.frombuffer(self.packed, np.uint32).take(self.pair.source)


@dataclass(slots=True, eq=False)
class ConstantRows:
    """Constants of several draws.

    Parameters
    ----------
    words : (W,) uint32 of all stages of all draws, without padding
    is_new : (W,) uint8 set since the previous draw
    """

    words: NDArray[np.uint32]
    is_new: NDArray[np.uint8]

    @property
    def num_words(self) -> int:
        """Live constants."""
        return len(self.words)


@dataclass(frozen=True, slots=True)
class Copies:
    """Copies of the packed constants of a program, equally long.

    Parameters
    ----------
    data, count : of all, one behind the other, and how many these are
    """

    data: bytes
    count: int

    @staticmethod
    def of(packed: Sequence[bytes]) -> Copies:
        """Join copies."""
        return Copies(b"".join(packed), len(packed))

    @property
    def size(self) -> int:
        """Bytes of one."""
        return len(self.data) // self.count

    def words(self, gather: Gather | GatherPair) -> NDArray[np.uint32]:
        """Live words of a stage or of both, (count, W)."""
        if not len(gather.source):
            return np.empty((self.count, 0), np.uint32)
        return np.frombuffer(self.data, np.uint32).reshape(self.count, -1).take(gather.source, axis=1)


#: Constants as a frame keeps them.
FrameConstants: TypeAlias = StageConstants | PairConstants | ConstantRows


def _gathered(part: FrameConstants) -> tuple[Sequence[Gather], bytes]:
    """The gathers that a part's words follow from, and the packed constants; no gathers where they are there."""
    if isinstance(part, PairConstants):
        return (part.pair.vertex, part.pair.fragment), part.packed
    if isinstance(part, StageConstants) and part.values.is_gathered:
        return (part.values.gather,), part.values.packed or b""
    return (), b""


def joined_words(parts: Sequence[FrameConstants]) -> NDArray[np.uint32]:
    """The words of all parts, one behind the other; those of one gather are taken together."""
    if len(parts) <= _FEW_PARTS:
        return np.concatenate([np.empty(0, np.uint32), *[part.words for part in parts]])
    words = np.empty(sum([part.num_words for part in parts]), np.uint32)
    gathers: dict[Gather, tuple[list[int], list[bytes]]] = {}
    at = 0
    for part in parts:
        own, packed = _gathered(part)
        if not own:
            words[at : at + part.num_words] = part.words
            at += part.num_words
        for gather in own:
            firsts, copies = gathers.setdefault(gather, ([], []))
            firsts.append(at)
            copies.append(packed)
            at += len(gather.source)
    for gather, (firsts, copies) in gathers.items():
        width = len(gather.source)
        if width:
            words[np.array(firsts)[:, None] + np.arange(width)] = Copies.of(copies).words(gather)
    return words


class ConstantArena:
    """Memory for the constants of a batch, and what the native call needs to make their areas.

    Attributes
    ----------
    count : areas to be made
    address : where the CONSTANTS rows lie
    """

    def __init__(self) -> None:
        self._octets = OctetArena()
        self._pack = CONSTANTS.packer("packed", "packed_words", "gather", "table")
        self._rows = CONSTANTS.rows(_FIRST_ROWS)
        self._memory = self._rows.view(np.uint8).data
        self.address = address_of(self._rows)
        self.count = 0
        #: What values know that they have a place here.
        self._token = object()
        #: Packed constants that were copied last, and where they lie.
        self._last: tuple[bytes | None, int] = (None, 0)
        #: The pair that was placed last, and where.
        self._last_pair: tuple[GatherPair | None, tuple[int, int]] = (None, (0, 0))

    def _grow(self) -> None:
        grown = CONSTANTS.rows(2 * len(self._rows))
        grown[: self.count] = self._rows[: self.count]
        self._rows, self._memory = grown, grown.view(np.uint8).data
        self.address = address_of(grown)

    def place(self, constants: StageConstants) -> int:
        """Where the addresses of the areas will lie when the batch runs."""
        values = constants.values
        if values.packed is None:
            return constants.address
        if values.token is self._token:
            return values.place
        packed = values.packed
        # Stages of one program share their packed constants.
        if packed is not self._last[0]:
            start, memory = self._octets.take(len(packed))
            memory[:] = packed
            self._last = packed, start
        gather = values.gather
        table, _ = self._octets.take(gather.num_bytes)
        if self.count == len(self._rows):
            self._grow()
        self._pack.put(
            self._memory, self.count * CONSTANTS.size, self._last[1], len(packed) // 4, gather.address, table
        )
        self.count += 1
        values.token, values.place = self._token, table
        return table

    def place_pair(self, pair: GatherPair, packed: bytes) -> tuple[int, int]:
        """As :meth:`place`, for both stages of a draw."""
        known, places = self._last_pair
        if known is pair and packed is self._last[0]:
            return places
        start, memory = self._octets.take(len(packed))
        memory[:] = packed
        self._last = packed, start
        while self.count + 2 > len(self._rows):
            self._grow()
        num_words, at = len(packed) // 4, self.count * CONSTANTS.size
        tables = []
        for gather in (pair.vertex, pair.fragment):
            table, _ = self._octets.take(gather.num_bytes)
            self._pack.put(self._memory, at, start, num_words, gather.address, table)
            at += CONSTANTS.size
            tables.append(table)
        self.count += 2
        places = tables[0], tables[1]
        self._last_pair = pair, places
        return places

    def place_all(self, groups: Sequence[tuple[Copies, Sequence[Gather]]]) -> list[list[NDArray[np.int64]]]:
        """Where the addresses of areas will lie when the batch runs.

        Parameters
        ----------
        groups : copies of the packed constants of a program, and the gathers of its stages

        Returns
        -------
        for each group and gather an address for each copy
        """
        found = []
        for copies, gathers in groups:
            count, size = copies.count, copies.size
            data_at, memory = self._octets.take(count * size)
            memory[:] = copies.data
            steps = np.arange(count)
            packed_at = data_at + size * steps
            tables = []
            for gather in gathers:
                area_bytes = gather.num_bytes + -gather.num_bytes % _ALIGNMENT
                first, _ = self._octets.take(count * area_bytes)
                while self.count + count > len(self._rows):
                    self._grow()
                rows = self._rows[self.count : self.count + count]
                rows["packed"], rows["packed_words"] = packed_at, size // 4
                rows["gather"] = gather.address
                table = first + area_bytes * steps
                rows["table"] = table
                tables.append(table)
                self.count += count
            found.append(tables)
        return found

    def clear(self) -> None:
        """Forget everything."""
        self._octets.clear()
        self.count = 0
        self._token = object()
        self._last = (None, 0)
        self._last_pair = (None, (0, 0))
