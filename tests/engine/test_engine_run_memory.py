"""What runs of draws know of buffers from frame to frame, against looking at each anew."""

import numpy as np
import pytest

from replay import memory
from replay.engine import run_memory
from replay.engine.input_cache import CachedStream, DrawnRange
from replay.engine.run_memory import RunMemory
from replay.engine.vertex_listing import VertexListing
from replay.memory import AddressSpace
from replay.objects import ObjectIds
from traceformat.gles import enums as gl
from traceformat.gles.backend import DrawCall, DrawRun
from traceformat.gles.objects import Buffer
from traceformat.gputrace.frametrace import MemoryMap
from traceformat.native.records import address_of_octets


def define(buffer, data):
    buffer.store = bytearray(data)
    buffer.definitions += 1
    buffer.version += 1


@pytest.fixture
def buffers():
    made = [Buffer(number, number) for number in range(3, 40)]
    for buffer in made[1:]:
        define(buffer, np.arange(12, dtype=np.uint16).tobytes())
    return made


@pytest.mark.parametrize("most", [1 << 20, 20], ids=["known", "beyond"])
def test_places_of_buffers_follow_their_definitions(monkeypatch, buffers, most):
    monkeypatch.setattr(run_memory, "_MAX_BUFFERS", most)
    known = RunMemory()
    draw = np.random.default_rng(1)
    for _ in range(20):
        picked = [buffers[number] for number in draw.integers(0, len(buffers), 30)]
        for buffer in draw.choice(np.array(picked, object), 3):
            define(buffer, bytes(int(draw.integers(0, 5000))))
        found = known.stores(picked)
        assert found.serials.tolist() == [buffer.serial for buffer in picked]
        assert found.sizes.tolist() == [len(buffer.store) for buffer in picked]
        expected = [address_of_octets(buffer.store) if buffer.store else 0 for buffer in picked]
        assert found.addresses.tolist() == expected
        part = found.part(slice(3, 20))
        assert part.buffers == picked[3:20]
        assert part.addresses.tolist() == expected[3:20]


@pytest.mark.parametrize("most", [1 << 20, 20], ids=["known", "beyond"])
def test_ranges_of_indexed_draws_follow_their_indices(monkeypatch, buffers, most):
    """Also where a buffer has several, where it is written to, and where what is known is too much."""
    monkeypatch.setattr(run_memory, "_MAX_BUFFERS", most)
    monkeypatch.setattr(run_memory, "_MAX_RANGES", 40)
    known, listing, asked = RunMemory(), VertexListing(), []
    draw = np.random.default_rng(2)

    def find(buffer, offset, count):
        asked.append(buffer)
        data = memoryview(buffer.store)[offset : offset + 2 * count]
        call = DrawCall(gl.GL_TRIANGLES, 0, count, 1, gl.GL_UNSIGNED_SHORT, data, buffer, offset)
        return DrawnRange(CachedStream(listing.stream(call)), count // 3, buffer.version)

    for frame in range(12):
        picked = [buffers[1:][number] for number in draw.integers(0, len(buffers) - 1, 50)]
        offsets = 2 * draw.integers(0, 2 if frame > 5 else 1, 50)
        counts = draw.choice([3, 6] if frame > 5 else [6], 50)
        if frame % 3 == 2:
            picked[0].change()[0] ^= 8
        run = DrawRun(range(50), gl.GL_TRIANGLES, offsets, counts, gl.GL_UNSIGNED_SHORT, picked)
        serials = np.array([buffer.serial for buffer in picked])
        ranges, which = known.ranges(run, serials, find)
        asked.clear()
        again = known.ranges(run, serials, find)
        assert not asked or frame > 5
        assert [again[0][number] for number in again[1]] == [ranges[number] for number in which]
        for buffer, offset, count, number in zip(
            picked, offsets.tolist(), counts.tolist(), which.tolist(), strict=True
        ):
            expected = np.frombuffer(buffer.store, np.uint16, count, offset)
            arrays = ranges[number].cached.stream.arrays
            assert arrays.index.tolist() == expected.tolist()


def test_addresses_of_many_buffers_are_those_of_each(buffers):
    many, single = AddressSpace(), AddressSpace()
    draw = np.random.default_rng(3)
    for _ in range(30):
        serials = draw.choice([3, 4, 5, 900, 5000, 1 << 21], 12)
        if draw.integers(0, 2):
            serials = np.minimum(serials, 5000)
        # A buffer has one size.
        sizes = draw.integers(0, 9000, 12)[np.unique(serials, return_inverse=True)[1]]
        found = many.buffers("vertex", 1, serials, sizes)
        pairs = zip(serials.tolist(), sizes.tolist(), strict=True)
        assert found.tolist() == [single.buffer("vertex", 1, serial, size) for serial, size in pairs]


@pytest.mark.parametrize("use", ["vertex", "index"])
def test_addresses_of_many_client_arrays_are_those_of_each(monkeypatch, use):
    """Also where the ring begins again, and where an array is larger than it."""
    monkeypatch.setattr(memory, "RING_BYTES", 1 << 14)
    many, single = AddressSpace(), AddressSpace()
    draw = np.random.default_rng(4)
    wraps = 0
    for _ in range(40):
        sizes = draw.choice([0, 1, 64, 100, 700, 20000], 9, p=[0.1, 0.2, 0.2, 0.2, 0.29, 0.01])
        found = many.clients(use, sizes)
        assert found.tolist() == [single.client(use, size) for size in sizes.tolist()]
        wraps += int((np.diff(found) < 0).sum())
    assert wraps > 3


def test_regions_begin_again_for_many_buffers_as_for_each(monkeypatch):
    monkeypatch.setattr(MemoryMap, "REGION_BYTES", 1 << 24)
    many, single = AddressSpace(), AddressSpace()
    places = set()
    for first in range(0, 5000, 500):
        serials = np.arange(first, first + 500)
        found = many.buffers("vertex", 2, serials, serials + 1)
        assert found.tolist() == [single.buffer("vertex", 2, serial, serial + 1) for serial in serials.tolist()]
        places.update(found.tolist())
    assert len(places) < 5000


@pytest.mark.parametrize("seed", range(3))
def test_objects_of_many_draws_are_those_of_each(seed):
    """Where all are the first of their names in a frame, where some are not, and where some are new."""
    many, single = ObjectIds(), ObjectIds()
    draw = np.random.default_rng(seed)
    for frame in range(8):
        for ids in (many, single):
            ids.begin_frame()
        for _ in range(3):
            bindings = draw.permutation(60)[:20] if frame % 2 else draw.integers(0, 60, 20)
            texts = [("{} of {}", number, frame) for number in bindings.tolist()]
            identities = many.numbers(bindings.tolist())
            assert identities == [single.number(number) for number in bindings.tolist()]
            found = many.next_rows(list(zip(many.names(identities), texts, strict=True)))
            expected = [single.identify((), "", each, text) for each, text in zip(identities, texts, strict=True)]
            assert found == expected
            names = [single.name("", each) for each in identities]
            assert [name.count for name in many.names(identities)] == [name.count for name in names]
