"""What replays of one process leave to each other: time, never another result."""

import gc
from types import FunctionType, ModuleType

import numpy as np
import pytest
from fuzz_scenes import SCENES
from gl_program import COLOR_VS, Program, triangles
from trace_fuzz import write_trace

import replay
from replay.engine import left
from replay.engine.columns import ColumnPool, GrowingTable
from replay.engine.front import FrontMemory
from replay.engine.path_counts import KnownPaths
from replay.engine.recorder import FrameRecorder
from replay.engine.setting import Setting
from replay.engine.targets import Targets
from traceformat.errors import ReplayError
from traceformat.gles.objects import Buffer, Image, ProgramObject, Texture
from traceformat.gputrace.frametrace import ALL_COLUMNS, SCHEMA
from traceformat.guards import VARIABLE

LOOPS = """precision highp float; varying vec4 v;
void main() {
  float x = v.x;
  for (int k = 0; k < 90; k++) { if (x > 0.7) break; x += 0.05 + 0.2 * v.y; }
  gl_FragColor = vec4(x);
}"""


@pytest.fixture(autouse=True)
def _nothing_is_left(monkeypatch):
    for name in ("_blocks", "_rows", "_programs", "_working"):
        monkeypatch.setattr(left, name, {})


def play(seed, count=60, executor="llvm"):
    """Two frames of random triangles, as bytes."""
    rng = np.random.default_rng(seed)
    p = Program(ALL_COLUMNS, executor=executor)
    p.program(COLOR_VS, LOOPS, p=0, c=1)
    p.buffer(triangles(rng, count))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    found = []
    for frame in range(2):
        p.clear(0.1, 0.2, 0.3, 1.0)
        for k in range(3):
            p("glDrawArrays", 4, 3 * k, 3 * (count - 3))
            p("glDrawArrays", 1, k, 12)  # lines, for which an engine gets ready
        trace = p.swap(frame)
        found.append({f"{table}.{key}": array.tobytes() for table in SCHEMA for key, array in trace[table].items()})
        found[-1]["picture"] = trace.picture.tobytes()
        del trace
    p.engine.close()
    return found


def test_replays_after_others_are_those_of_a_fresh_process(monkeypatch):
    fresh = {}
    for seed, count in ((1, 60), (2, 5), (3, 200)):
        for name in ("_blocks", "_rows", "_programs", "_working"):
            getattr(left, name).clear()
        fresh[seed, count] = play(seed, count)
    learnt = []
    add = KnownPaths.add
    monkeypatch.setattr(KnownPaths, "add", lambda own, *rest: (learnt.append(own), add(own, *rest))[1])
    assert left._programs
    for seed, count in ((1, 60), (3, 200), (2, 5), (3, 200), (1, 60)):
        del learnt[:]
        assert play(seed, count) == fresh[seed, count]
    assert not learnt, "the last one's paths were known"


def test_executors_leave_each_other_nothing():
    """Their hashes of paths differ, and equal ones of both mean different paths."""
    wanted = play(1)
    assert left._programs
    left._programs.clear()
    assert play(1, executor="numpy") == play(1, executor="numpy")
    assert [key for key in wanted[0] if wanted[0][key] != play(1)[0][key]] == []


def test_memory_is_used_again_and_tables_do_not_grow(monkeypatch):
    play(1, 300)
    assert left._blocks
    made, grown = [], []
    grow = GrowingTable._grow
    monkeypatch.setattr(
        GrowingTable, "_grow", lambda own, rows: (grown.append((own.name, own.capacity)), grow(own, rows))
    )
    original = ColumnPool._new

    def counting(self, size):
        before = left._blocks.get(size)
        made.append(not before)
        return original(self, size)

    monkeypatch.setattr(ColumnPool, "_new", counting)
    play(1, 300)
    assert made.count(False) > 2
    assert not [name for name, capacity in grown if capacity and name in ("quads", "emitted", "attributes")]


def test_memory_that_is_left_is_limited(monkeypatch):
    blocks = [np.empty(1 << shift, np.uint8) for shift in (20, 27, 26, 26, 26)]
    left.leave_blocks(blocks)
    assert sorted(len(block) for own in left._blocks.values() for block in own) == [1 << 26, 1 << 26, 1 << 27]
    assert left.take_block(1 << 27) is blocks[1]
    assert left.take_block(1 << 27) is None
    left.drop_blocks()
    monkeypatch.setenv(VARIABLE, "process_memory=1G")
    left.leave_blocks(blocks)
    assert sorted(len(block) for own in left._blocks.values() for block in own) == [1 << 26]


def test_what_somebody_holds_is_not_left():
    pool = ColumnPool()
    held, freed = pool.take_octets(1 << 16), pool.take_octets(1 << 17)
    del freed
    pool.leave()
    assert left.take_block(1 << 16) is None
    assert left.take_block(1 << 17) is not None
    assert len(held) == 1 << 16


def test_programs_that_are_left_are_limited(monkeypatch):
    class Left:
        def __init__(self, num_steps):
            self.num_steps = num_steps

    monkeypatch.setattr(left, "_MOST_STEPS", 1000)
    monkeypatch.setattr(left, "_MOST_PROGRAMS", 2)
    programs = {name: Left(100) for name in "abc"}
    for name, program in programs.items():
        left.leave_program(name, program)
    assert list(left._programs) == ["b", "c"]
    left.leave_program("long", Left(901))
    assert list(left._programs) == ["long"]
    left.leave_program("longer", Left(1001))
    assert not left._programs
    left.leave_program("a", programs["a"])
    assert left.take_program("a") is programs["a"]
    assert left.take_program("a") is None


def test_a_replay_that_fails_leaves_no_programs(tmp_path, monkeypatch):
    """What it has learnt may be half of something."""
    path = corpus_of_own(tmp_path)
    played = replay.frames(path, columns=ALL_COLUMNS)
    next(played)
    played.close()
    assert left._programs, "closed between frames"
    left._programs.clear()
    monkeypatch.setattr(FrameRecorder, "end_frame", _fail)
    played = replay.frames(path, columns=ALL_COLUMNS)
    with pytest.raises(ReplayError):
        next(played)
    assert not left._programs


def corpus_of_own(folder):
    """A trace of the project's own."""
    folder.mkdir(exist_ok=True)
    path = folder / "t.gltrace"
    write_trace(path, SCENES["es2"]())
    return path


def _fail(*_):
    raise ReplayError("no")


def test_what_a_program_leaves_holds_nothing_of_its_replay():
    """Buffers, textures and pictures of a replay go with it, though its programs stay."""
    play(1)
    (program,) = left._programs.values()
    seen, todo = set(), [program]
    kinds = (Buffer, Texture, Image, Targets, FrameRecorder, ProgramObject, Setting)
    while todo:
        one = todo.pop()
        if id(one) in seen or isinstance(one, (type, ModuleType, FunctionType)):
            continue
        seen.add(id(one))
        assert not isinstance(one, kinds), type(one)
        todo += gc.get_referents(one)


def test_working_memory_goes_from_one_engine_to_one_other():
    first = play(3)
    kept = {kind: list(memory) for kind, memory in left._working.items()}
    assert [len(memory) for memory in kept.values()] == [1, 1]
    others = [Program(ALL_COLUMNS) for _ in range(2)]
    fronts = [other.engine._draws.front for other in others]
    assert fronts[0] in kept[FrontMemory]
    assert fronts[1] not in kept[FrontMemory]
    for other in others:
        other.engine.close()
        other.engine.close()
    assert [len(memory) for memory in left._working.values()] == [2, 2]
    assert len({id(memory) for own in left._working.values() for memory in own}) == 4
    assert play(3) == first


def test_blocks_and_working_memory_share_a_limit(monkeypatch):
    class Memory:
        num_bytes = 3 << 20

    monkeypatch.setattr(left, "_MOST_BYTES", 1 << 23)
    left.leave_blocks([np.empty(1 << 22, np.uint8)])
    left.leave_working(Memory())
    left.leave_working(Memory())
    assert [len(own) for own in left._working.values()] == [1]
    left.leave_blocks([np.empty(1 << 20, np.uint8), np.empty(1 << 20, np.uint8)])
    assert {size: len(own) for size, own in left._blocks.items()} == {1 << 22: 1, 1 << 20: 1}
    left.drop_blocks()
    assert not left._blocks
    assert not left._working
