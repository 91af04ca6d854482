"""Vertex streams and fetch, columns, addresses, object ids, texture records, paths."""

import ctypes
import gc
import pickle
import sys
import threading
from dataclasses import fields

import numpy as np
import pytest

from replay.engine.columns import ColumnPool, GrowingTable
from replay.engine.finished import ComputedTable, CopiedTable
from replay.engine.kernels.paths import (
    add_paths,
    count_instructions,
    find_new,
    number_paths,
    number_straight,
    order_of_coverages,
)
from replay.engine.octets import OctetArena
from replay.engine.pass_memory import PassMemory
from replay.engine.path_counts import KnownPaths
from replay.engine.rows import PackedRows
from replay.engine.vertex_fetch import build_stream, fetch_attribute
from replay.engine.vertex_listing import VertexListing
from replay.memory import AddressSpace
from replay.objects import ObjectIds
from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.backend import DrawCall
from traceformat.gles.objects import Buffer, ClientArray, VertexAttrib
from traceformat.gles.state import GenericAttrib
from traceformat.gputrace.frametrace import SCHEMA, MemoryMap, ObjectRule
from traceformat.guards import guards


# ---------------------------------------------------------------- streams
def test_array_draws_list_their_vertices():
    s = build_stream(5, 4, 2, 0, None, 0, None).arrays
    assert s.index.tolist() == [5, 6, 7, 8] * 2
    assert s.instance.tolist() == [0] * 4 + [1] * 4
    assert s.lane.tolist() == list(range(8))
    assert (s.run_first.tolist(), s.run_count.tolist()) == ([0, 4], [4, 4])


@pytest.mark.parametrize("spread", [1, 10_000_000])
def test_indexed_draws_shade_each_vertex_once(spread):
    indices = np.array([3, 1, 3, 0, 1, 7], np.uint32) * spread
    s = build_stream(0, 6, 1, gl.GL_UNSIGNED_INT, indices.tobytes(), 10, None).arrays
    assert s.index.tolist() == (indices + 10).tolist()
    assert len(s.lane_index) == 4
    assert s.lane_index[s.lane].tolist() == s.index.tolist()


def test_restart_splits_runs():
    indices = np.array([0, 1, 2, 255, 255, 3, 4, 255], np.uint8)
    s = build_stream(0, 8, 2, gl.GL_UNSIGNED_BYTE, indices.tobytes(), 0, 255).arrays
    assert s.index.tolist() == [0, 1, 2, 3, 4] * 2
    assert s.position.tolist() == [0, 1, 2, 5, 6] * 2
    assert s.run_count.tolist() == [3, 0, 2, 0] * 2
    assert s.run_first.tolist() == [0, 3, 3, 5, 5, 8, 8, 10]


def test_hostile_draws_are_refused():
    with pytest.raises(ReplayError, match="more than the limit draw_vertices"):
        build_stream(0, guards().draw_vertices, 2, 0, None, 0, None)


# ---------------------------------------------------------------- attributes
def fetch(attrib, index, instance=None, generic=None, base_instance=0):
    out = np.full((4, 16), np.nan, np.float32)
    index = np.asarray(index, np.int64)
    instance = np.zeros_like(index) if instance is None else np.asarray(instance, np.int64)
    fetch_attribute(attrib, generic or GenericAttrib(), index, instance, base_instance, out)
    return out[:, : len(index)].T


def attrib_of(array, **fields):
    array = np.ascontiguousarray(array)
    a = VertexAttrib(enabled=True, buffer=Buffer(1, 1, bytearray(array.tobytes())), **fields)
    a.element_bytes = array.dtype.itemsize * (1 if array.ndim == 1 else array.shape[1])
    return a


def test_client_arrays_stay_where_a_draw_found_them():
    """Small contents are copied, large ones kept; neither moves while further ones come."""
    rng = np.random.default_rng(3)
    arena = OctetArena()
    contents = [rng.bytes(int(size)) for size in (0, 1, 63, 64, 16384, 16385, 200_000, *rng.integers(1, 9000, 60))]
    places = [arena.place(bytes(bytearray(content))) for content in contents]
    gc.collect()
    for address, content in zip(places, contents, strict=True):
        assert ctypes.string_at(address, len(content)) == content
    arena.clear()
    assert all(arena.take(size)[0] % 64 == 0 for size in (1, 65, 300_000, 7))


def test_listed_streams_are_the_plain_ones():
    """The native listing against its twin, over ranges, index types, bases and distances of vertices."""
    rng = np.random.default_rng(7)
    listing = VertexListing()
    codes = {gl.GL_UNSIGNED_BYTE: np.uint8, gl.GL_UNSIGNED_SHORT: np.uint16, gl.GL_UNSIGNED_INT: np.uint32}
    for number in range(120):
        count = int(rng.integers(1, 40)) if number % 10 else int(rng.integers(4000, 4200))
        if number % 4 == 0:
            call = DrawCall(gl.GL_POINTS, int(rng.integers(0, 1 << 31)), count, 1)
        else:
            kind = list(codes)[int(rng.integers(3))]
            highest = min(np.iinfo(codes[kind]).max, [60, 1 << 12, 1 << 32][int(rng.integers(3))])
            indices = rng.integers(0, highest, count, endpoint=True).astype(codes[kind]).tobytes()
            base = int(rng.integers(-70, 1 << 20))
            held = memoryview(b"x" + indices)[1:] if number % 3 else indices[: len(indices) // 2]
            call = DrawCall(gl.GL_POINTS, 0, count, 1, kind, held, base_vertex=base)
        ours = listing.stream(call)
        want = build_stream(call.first, count, 1, call.index_type, call.indices, call.base_vertex, None)
        for name in (field.name for field in fields(ours.arrays)):
            got, expected = getattr(ours.arrays, name), getattr(want.arrays, name)
            assert got.dtype == expected.dtype
            assert np.array_equal(got, expected), (number, name)
        assert (ours.num_rows, ours.num_lanes) == (want.num_rows, want.num_lanes)


def test_floats_and_defaults():
    a = attrib_of(np.arange(6, dtype="f4").reshape(3, 2), size=2, type=gl.GL_FLOAT)
    assert fetch(a, [2, 0]).tolist() == [[4, 5, 0, 1], [0, 1, 0, 1]]


def test_a_negative_offset_reads_zero_until_the_buffer_begins():
    a = attrib_of(np.arange(4, dtype="f4"), size=1, type=gl.GL_FLOAT, offset=-6, stride=4)
    # Element 2 begins at byte 2 of the buffer.
    raw = np.arange(4, dtype="f4").tobytes()
    assert fetch(a, [0, 1, 2])[:, 0].tolist() == [0, 0, np.frombuffer(raw, "<f4", 1, 2)[0]]
    a.offset = -(2**63)
    assert fetch(a, [0, 5])[:, 0].tolist() == [0, 0]


def test_a_binding_without_stride_gives_every_vertex_the_same_element():
    a = attrib_of(np.arange(4, dtype="f4"), size=1, type=gl.GL_FLOAT, offset=8, is_constant=True)
    assert fetch(a, [0, 1, 99])[:, 0].tolist() == [2, 2, 2]
    a.offset = 14
    assert fetch(a, [0, 1])[:, 0].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("dtype", "type", "value", "normalized", "expected"),
    [
        ("u1", gl.GL_UNSIGNED_BYTE, 255, True, 1.0),
        ("u1", gl.GL_UNSIGNED_BYTE, 200, False, 200.0),
        ("i1", gl.GL_BYTE, -128, True, -1.0),
        ("i2", gl.GL_SHORT, -32767, True, -1.0),
        ("u2", gl.GL_UNSIGNED_SHORT, 65535, True, 1.0),
        ("i4", gl.GL_FIXED, 3 << 15, False, 1.5),
        ("f2", gl.GL_HALF_FLOAT, 0.25, False, 0.25),
        ("i4", gl.GL_INT, -7, False, -7.0),
    ],
)
def test_conversions(dtype, type, value, normalized, expected):
    a = attrib_of(np.full((2, 4), value, dtype), size=4, type=type, normalized=normalized)
    assert fetch(a, [1]).tolist() == [[expected] * 4]


def test_packed_words():
    word = np.uint32(511 | (512 << 10) | (0 << 20) | (1 << 30))
    a = attrib_of(np.array([word], "<u4"), size=4, type=gl.GL_INT_2_10_10_10_REV, normalized=True)
    assert fetch(a, [0]).tolist() == [[1.0, -1.0, 0.0, 1.0]]
    a.normalized = False
    assert fetch(a, [0]).tolist() == [[511.0, -512.0, 0.0, 1.0]]


def test_integers_keep_their_bits():
    a = attrib_of(np.array([[-5, 7]], "i2"), size=2, type=gl.GL_SHORT, integer=True)
    assert np.ascontiguousarray(fetch(a, [0])).view(np.int32).tolist() == [[-5, 7, 0, 1]]


def test_divisors_offsets_and_strides():
    a = attrib_of(np.arange(40, dtype="f4").reshape(10, 4), size=1, type=gl.GL_FLOAT, divisor=2, stride=16, offset=4)
    a.element_bytes = 4
    assert fetch(a, [0] * 5, instance=range(5), base_instance=3)[:, 0].tolist() == [13, 13, 17, 17, 21]


def test_out_of_bounds_reads_are_zero():
    a = attrib_of(np.ones((3, 3), "f4"), size=3, type=gl.GL_FLOAT)
    assert fetch(a, [2, 3, 1 << 31, -1]).tolist() == [[1, 1, 1, 1]] + [[0, 0, 0, 1]] * 3
    a.buffer.store = bytearray()
    assert fetch(a, [0]).tolist() == [[0, 0, 0, 1]]


def test_client_arrays_begin_at_their_first_vertex():
    a = VertexAttrib(enabled=True, size=1, element_bytes=4, client=ClientArray(5, np.arange(3, dtype="f4").tobytes()))
    assert fetch(a, [5, 7, 4])[:, 0].tolist() == [0, 2, 0]


def test_disabled_arrays_give_the_current_value():
    assert fetch(VertexAttrib(), [0, 9], generic=GenericAttrib((1.0, 2.0, 3.0, 4.0))).tolist() == [[1, 2, 3, 4]] * 2


# ---------------------------------------------------------------- columns
def test_columns_grow_and_are_reused():
    pool = ColumnPool()
    memory = PassMemory(pool)
    table = GrowingTable("texture_lines", memory)
    for k in range(100):
        table.append(line=np.full(1000, k, np.uint32), lanes=np.full(1000, k % 16, np.uint8))
    done = memory.finish()["texture_lines"]
    assert (done["line"] == np.repeat(np.arange(100), 1000)).all()
    address = done["line"].ctypes.data
    held = pool.take(100_000, np.dtype("<u4"))
    assert held.ctypes.data != address  # somebody still holds the frame
    del done, held
    addresses = {pool.take(100_000, np.dtype("<u4")).ctypes.data for _ in range(3)}
    assert len(addresses) == 1  # free again, and the same block each time


@pytest.mark.parametrize("rows", [0, 1, 7, 511, 512, 513, 3000, 90_000])
@pytest.mark.parametrize("late", [False, True])
def test_finished_columns_are_what_was_written(rows, late):
    """Packed, in the block that they were written into, or copied out of one that is too large; next rows elsewhere."""
    pool = ColumnPool()
    wanted = ("coverage", "depth", "sample_coverage", "sample_depth")
    memory = PassMemory(pool)
    table = GrowingTable("quads", memory, frozenset({"emitted", "coverage", "depth"}), wanted)
    rng = np.random.default_rng(rows)
    table.ensure(1)
    kept = []
    for number in range(3):
        if late and number == 1:
            table.include("sample_coverage", "sample_depth")
        if late and number == 2:
            table.exclude("sample_coverage", "sample_depth")
        has = [key for key in wanted if key in table]
        count = rows // (1 + number)
        given = {key: rng.integers(0, 200, (count, *SCHEMA["quads"][key].shape)) for key in has}
        table.append(emitted=np.zeros(count, np.uint32), **given)
        done = memory.finish()["quads"]
        assert table.num_rows == 0
        assert list(done) == has
        assert len(done) == len(has)
        assert done.num_rows == count
        assert done.nbytes == sum(done[key].nbytes for key in done)
        kept.append((done, given))
    for done, given in kept:
        for key, column in done.items():
            assert column.dtype == np.dtype(SCHEMA["quads"][key].dtype)
            assert column.flags.aligned
            assert np.array_equal(column, given[key])
        assert done["coverage"] is done["coverage"]
        with pytest.raises(KeyError, match=r"quads\.emitted"):
            done["emitted"]


def test_passes_have_room_for_what_they_had_in_the_frame_before():
    """A pass of as many rows as the last frame's does not grow, whatever the passes before it had."""
    memory = PassMemory(ColumnPool())
    table = GrowingTable("texture_lines", memory)
    blocks = []
    for _ in range(3):
        moves = []
        for rows in (240_000, 9, 900_000):
            table.ensure(1)
            places = [table.addresses]
            for _ in range(3):
                table.append(line=np.zeros(rows // 3, np.uint32), lanes=np.zeros(rows // 3, np.uint8))
                if table.addresses is not places[-1]:
                    places.append(table.addresses)
            moves.append(len(places) - 1)
            assert memory.finish()["texture_lines"].num_rows == rows // 3 * 3
        blocks.append(moves)
        memory.clear()
    assert blocks[0][0] >= 1
    assert blocks[1] == blocks[2] == [0, 0, 0]


def test_passes_have_room_for_what_the_last_one_with_their_target_had():
    """Where a frame has one pass less, those behind it come with another number."""
    target = ""
    memory = PassMemory(ColumnPool(), lambda: target)
    table = GrowingTable("texture_lines", memory)
    moves = []
    for frame in (
        (("a", 50_000), ("b", 9), ("a", 900_000)),
        (("b", 9), ("a", 50_000), ("a", 900_000)),
        (("a", 50_000),),
    ):
        for target, rows in frame:
            table.ensure(1)
            before = table.addresses
            table.append(line=np.zeros(rows, np.uint32), lanes=np.zeros(rows, np.uint8))
            moves.append(table.addresses is not before)
            assert memory.finish(target)["texture_lines"].num_rows == rows
        memory.clear()
    assert moves == [False, False, True, False, False, False, False]


def test_tables_of_a_pass_share_a_block():
    """Whatever each pass has: rows that the frame before foretold, more, or none; and a block is free afterwards."""
    pool = ColumnPool()
    memory = PassMemory(pool)
    tables = [GrowingTable(name, memory) for name in ("vertices", "emitted", "attributes", "texture_lines")]
    nothing = GrowingTable("color_data", memory, frozenset())
    rng = np.random.default_rng(5)
    blocks = []
    for _ in range(12):
        kept = []
        for _ in range(3):
            given = {}
            for table in tables:
                count = int(rng.integers(0, 1 << rng.integers(1, 14)))
                table.ensure(1)
                given[table.name] = {
                    key: rng.integers(0, 100, (count, *column.shape)).astype(column.dtype)
                    for key, column in SCHEMA[table.name].items()
                    if key in table
                }
                table.append(**given[table.name])
            blocks.append(len({id(table.block) for table in tables}))
            done = memory.finish()
            assert done["color_data"].num_rows == nothing.num_rows == 0
            kept.append((done, given))
        memory.clear()
        for done, given in kept:
            for name, columns in given.items():
                for key, column in columns.items():
                    assert np.array_equal(done[name][key], column)
        del kept, done
    assert 1 in blocks
    assert max(blocks) > 1  # some have grown
    memory.leave()
    assert all(sys.getrefcount(block) == 3 for own in pool._blocks.values() for block in own)


def test_a_small_pass_behind_a_large_one_does_not_hold_its_memory():
    """Where tables share a block, and where they are so large that each has its own."""
    for rows in (20_000, 8_000_000):
        pool = ColumnPool()
        memory = PassMemory(pool)
        table = GrowingTable("texture_lines", memory)
        for _ in range(2):
            table.reserve(rows)
            assert memory.finish()["texture_lines"].num_rows == rows
            assert memory.held_bytes >= 5 * rows
            memory.clear()
        table.reserve(3)
        table["line"][:3] = 5, 6, 7
        done = memory.finish()["texture_lines"]
        assert memory.held_bytes < 1000
        assert done["line"].tolist() == [5, 6, 7]
        memory.leave()
        assert all(sys.getrefcount(block) == 3 for own in pool._blocks.values() for block in own)


def test_words_of_rows_are_filled_at_once():
    rows = PackedRows("draws", ("call",), ("emitted_first", "emitted_count", "quad_first", "index_bytes"))
    for number in range(3):
        rows.append(number, fixed=rows.pack(emitted_first=7, index_bytes=2))
    rows.fill_words(1, rows.word_place("emitted_count", "quad_first"), np.array([[800, 600], [801, 601]]))
    table = rows.finish(["call", "emitted_first", "emitted_count", "quad_first"])
    assert table["call"].tolist() == [0, 1, 2]
    assert table["emitted_first"].tolist() == [7, 7, 7]
    assert table["emitted_count"].tolist() == [0, 800, 801]
    assert table["quad_first"].tolist() == [0, 600, 601]
    for names in (("emitted_first", "quad_first"), ("quad_first", "emitted_count"), ("quad_first", "index_bytes")):
        with pytest.raises(ValueError, match="follow each other"):
            rows.word_place(*names)


def test_rows_of_columns_are_those_that_come_one_by_one():
    names = ("emitted_first", "index_bytes"), ("quad_first",)
    many, single = (PackedRows("draws", ("call", "constant_first"), *names) for _ in range(2))
    draw = np.random.default_rng(3)
    for count in (1, 7, 256):
        calls, firsts = draw.integers(0, 1 << 30, count), draw.integers(0, 1 << 30, (count, 2))
        fixed = [[many.pack(emitted_first=number, index_bytes=2) for number in range(count)]]
        fixed.append([many.pack(quad_first=3 * number) for number in range(count)])
        for row in zip(calls.tolist(), firsts.tolist(), *fixed, strict=True):
            single.append(row[0], *row[1], fixed=b"".join(row[2:]))
        packed = [np.frombuffer(b"".join(part), np.uint8).reshape(count, -1) for part in fixed]
        many.extend_columns({"call": calls, "constant_first": firsts}, packed)
    assert len(many) == len(single) == 264
    wanted = ["call", "constant_first", "emitted_first", "index_bytes", "quad_first"]
    found, expected = many.finish(wanted), single.finish(wanted)
    for name in wanted:
        np.testing.assert_array_equal(found[name], expected[name])


def test_tables_of_rows_and_of_copies_make_columns_when_asked():
    rows = PackedRows("passes", ("framebuffer",), tuple(key for key in SCHEMA["passes"] if key != "framebuffer"))
    wanted = ["framebuffer", "width", "clear_color"]
    empty = rows.finish(wanted)
    assert list(empty) == wanted
    assert empty.num_rows == 0
    for number in range(3):
        state = {
            key: np.zeros(column.shape, int).ravel().tolist() if column.shape else 0
            for key, column in SCHEMA["passes"].items()
        }
        state |= {"width": 640 + number, "clear_color": [number] * 32}
        names = tuple(key for key in SCHEMA["passes"] if key != "framebuffer")
        rows.append(7 + number, fixed=rows.pack(**{key: state[key] for key in names}))
    table = rows.finish(wanted)
    copied = CopiedTable("passes", 3, dict(table), wanted[:2])
    assert table["framebuffer"].tolist() == copied["framebuffer"].tolist() == [7, 8, 9]
    assert table["width"].tolist() == [640, 641, 642]
    assert table["clear_color"][2].ravel().tolist() == [2.0] * table["clear_color"][2].size
    assert table["width"] is table["width"]
    assert copied["width"] is not table["width"]
    assert table["clear_color"].flags.c_contiguous
    assert "height" not in table
    assert "clear_color" not in copied
    assert table.nbytes == sum(column.nbytes for column in table.values())
    with pytest.raises(KeyError, match=r"passes\.height"):
        table["height"]
    rows.append(1, fixed=rows.pack(**{key: state[key] for key in names}))
    assert table["framebuffer"].tolist() == [7, 8, 9]


def test_columns_are_computed_once_when_somebody_asks():
    asked = []

    def compute():
        asked.append(1)
        return {"word": np.arange(3, dtype=np.uint32), "is_new": np.ones(3, np.uint8)}

    table = ComputedTable("constants", 3, ["word"], compute)
    assert (table.num_rows, table.nbytes, list(table), "is_new" in table) == (3, 12, ["word"], False)
    assert not asked
    assert table["word"].tolist() == [0, 1, 2]
    assert table["word"] is table["word"]
    assert asked == [1]
    assert pickle.loads(pickle.dumps(table))["word"].tolist() == [0, 1, 2]
    with pytest.raises(KeyError, match=r"constants\.is_new"):
        table["is_new"]


def test_columns_stay_where_they_are_while_somebody_writes_into_them():
    """A batch numbers its paths while the next one, in another thread, may need more rows."""
    memory = PassMemory(ColumnPool())
    table = GrowingTable("texture_lines", memory)
    first = table.append(line=np.arange(9, dtype=np.uint32), lanes=np.zeros(9, np.uint8))
    with table.moving:
        other = threading.Thread(target=table.ensure, args=(1 << 20,))
        other.start()
        other.join(0.05)
        assert other.is_alive()
        table["line"][first : first + 9] += np.uint32(5)
    other.join()
    assert table.room >= 1 << 20
    assert memory.finish()["texture_lines"]["line"].tolist() == list(range(5, 14))


# ---------------------------------------------------------------- addresses and ids
def test_addresses_are_stable_and_apart():
    space = AddressSpace()
    first = space.buffer("vertex", 1, 1, 5000)
    second = space.buffer("vertex", 1, 2, 10)
    assert second >= first + 5000
    assert space.buffer("vertex", 1, 1, 4000) == first
    assert space.buffer("vertex", 1, 1, 50_000) != first
    index = space.buffer("index", 1, 1, 10)
    assert MemoryMap.INDEX <= index < MemoryMap.INDEX + MemoryMap.REGION_BYTES
    assert MemoryMap.VERTEX <= first < MemoryMap.VERTEX + MemoryMap.REGION_BYTES


def test_objects_are_known_again_in_the_next_frame():
    ids = ObjectIds()

    def frame():
        ids.begin_frame()
        tree, other = object(), object()
        rows = [
            ids.identify([(tree, "tree")], "", "x", ("x",)),
            ids.identify([(tree, "tree")], "", "y", ("y",)),
            ids.identify([(other, "tree")], "", "x", ("x",)),
            ids.identify([], "mesh", "x", ("x",)),
            ids.identify([], "", "x", ("x",)),
            ids.identify([], "", "x", ("x",)),
        ]
        return [(row.id, row.rule) for row in rows]

    first, second = frame(), frame()
    assert first == second
    assert [number for number, _ in first] == [0, 0, 1, 2, 3, 4]
    assert [rule for _, rule in first][-3:] == [ObjectRule.OBJECT_LABEL, ObjectRule.BINDINGS, ObjectRule.BINDINGS]


# ---------------------------------------------------------------- paths
def test_paths_are_looked_up_and_missing_ones_reported():
    keys, rows = np.zeros(8, np.uint64), np.full(8, 0xFFFFFFFF, np.uint32)
    add_paths(keys, rows, np.array([5, 13, 0], np.uint64), np.arange(3, dtype=np.uint32))  # 5 and 13 collide
    hashes = np.array([5, 5, 13, 0, 13, 21, 5], np.uint64)
    path = np.zeros(7, np.uint32)
    assert number_paths(keys, rows, hashes, 0, 7, path) == 5
    assert path[:5].tolist() == [0, 0, 1, 2, 1]
    add_paths(keys, rows, np.array([21], np.uint64), np.array([3], np.uint32))
    assert number_paths(keys, rows, hashes, 5, 7, path) == 7
    assert path[5:].tolist() == [3, 0]


def test_new_paths_are_found_in_the_order_in_which_they_appear():
    draw = np.random.default_rng(7)
    keys, rows = np.zeros(64, np.uint64), np.full(64, 0xFFFFFFFF, np.uint32)
    entered = draw.integers(0, 60, 12, np.uint64)
    add_paths(keys, rows, entered, np.arange(12, dtype=np.uint32))
    hashes = draw.integers(0, 60, 500, np.uint64)
    new = [key for key in dict.fromkeys(hashes.tolist()) if key not in set(entered.tolist())]
    for room, expected in ((64, len(new)), (16, 16)):
        places = np.empty(room, np.int64)
        assert find_new(keys, rows, hashes, places, np.full(2 * room, -1, np.int64)) == expected
        assert hashes[places[:expected]].tolist() == new[:expected]
        assert all(hashes.tolist().index(hashes[place]) == place for place in places[:expected].tolist())


def test_instructions_of_paths_are_counted_as_a_plain_sum_counts_them():
    draw = np.random.default_rng(8)
    kinds = draw.integers(0, 9, (5, 8))
    kinds[4] = 1 << 31
    counts = draw.integers(0, 7, 40).astype(np.uint32)
    steps = (draw.integers(0, 5, counts.sum()) << 8 | draw.integers(0, 256, counts.sum())).astype(np.uint32)
    issued, executed = np.empty((2, 40, 8), np.uint32)
    count_instructions(kinds, steps, counts, issued, executed)
    ends = np.cumsum(counts)
    for path, (end, count) in enumerate(zip(ends.tolist(), counts.tolist(), strict=True)):
        sums = np.zeros((2, 8), np.int64)
        for step in steps[end - count : end].tolist():
            sums += np.outer([1, (step & 15 & ~(step >> 4)).bit_count()], kinds[step >> 8])
        assert [issued[path].tolist(), executed[path].tolist()] == np.minimum(sums, 0xFFFFFFFF).tolist()


def test_steps_are_packed_and_taken_as_a_plain_walk_does():
    draw = np.random.default_rng(12)
    log, logged = draw.integers(0, 1 << 32, (30, 16), np.uint32), draw.integers(0, 40, 30).astype(np.uint32)
    rows = np.flatnonzero(draw.random(30) < 0.6)
    kinds = np.ones((16, 8), np.int64)
    log &= np.uint32(0xFFF)
    keys, known = draw.integers(0, 1 << 64, len(rows), np.uint64), KnownPaths()
    known.expect(20)
    for part in (slice(0, 3), slice(3, 3), slice(3, None)):
        known.add(keys[part], log, logged, rows[part], kinds)
        assert known.missing(keys).tolist() == list(range(len(known), len(keys)))
    walked = [log[row, : min(logged[row], 16)].tolist() for row in rows.tolist()]
    paths = known.take(keys)
    for some in (np.arange(len(keys)), draw.permutation(len(keys))[:9], np.zeros(0, np.int64)):
        taken = known.take(keys[some])
        assert known.take(keys[some].copy()) is taken
        assert taken.steps.tolist() == [step for row in some.tolist() for step in walked[row]]
        assert taken.counts.tolist() == [len(walked[row]) for row in some.tolist()]
        assert taken.executed.tolist() == paths.executed[some].tolist()
    # Those that were asked for before, too: but not without end.
    assert known.take(keys) is paths
    singles = [known.take(keys[[number % len(keys)]].repeat(number + 1)) for number in range(200)]
    for number, one in enumerate(singles):
        assert one.steps.tolist() == (number + 1) * walked[number % len(keys)]
    assert known.take(keys) is not paths
    # What was handed out stays as it is.
    held = paths.steps.tolist()
    known.add(keys[:1] + np.uint64(1), log, logged, rows[-1:], kinds)
    assert paths.steps.tolist() == held


def test_coverages_have_paths_group_by_group():
    draw = np.random.default_rng(9)
    coverage = np.concatenate([draw.choice([3, 12, 5], 100), draw.integers(0, 16, 150)]).astype(np.uint8)
    wanted = sum(1 << mask for mask in range(16) if mask not in (5, 9))
    expected: list[int] = []
    for group in np.split(coverage, range(60, 250, 60)):
        expected += [mask for mask in np.unique(group).tolist() if wanted >> mask & 1 and mask not in expected]
    order = np.empty(16, np.int64)
    count = order_of_coverages(coverage, 60, wanted, order)
    assert order[:count].tolist() == expected
    rows, path = draw.integers(0, 1 << 32, 16, np.uint32), np.empty(250, np.uint32)
    rows[[2, 7, 11]] = 0xFFFFFFFF
    missing = number_straight(rows, coverage, path)
    assert path.tolist() == rows[coverage].tolist()
    assert missing == sum(1 << mask for mask in (2, 7, 11) if mask in coverage)
    assert number_straight(rows, coverage[:100], path[:100]) == 0
