"""Limits that a user can raise: parsing, and that replays obey them with an error that names them."""

from __future__ import annotations

import contextlib
import os
import re
import struct
import subprocess
import sys
import tracemalloc
from dataclasses import fields
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
import trace_fuzz
from fuzz_scenes import SCENES
from gl_recorder import Recorder

from traceformat.errors import ReplayError, TraceFormatError, UsageError
from traceformat.framing import chunks
from traceformat.gles import enums as gl
from traceformat.gles.limits import GLES_LIMITS, guarded
from traceformat.guards import VARIABLE, Budget, Guards, check_process_memory, exceeded, guards
from traceformat.process_memory import process_bytes

_LOOP = """#version 300 es
in vec4 p;
void main() { float s = 0.0; for (int k = 0; k < 64 + int(p.w); k++) s += p.w / float(k + 1); gl_Position = vec4(s); }
"""
_FLAT = """#version 300 es
out highp vec4 c;
void main() { c = vec4(1.0); }
"""


def test_defaults_and_settings(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert guards() == Guards()
    monkeypatch.setenv(VARIABLE, "memory=8G, draw_vertices=3k,names=12")
    found = guards()
    assert (found.memory, found.draw_vertices, found.names) == (8 << 30, 3072, 12)
    assert found.contexts == Guards().contexts
    limits = guarded(GLES_LIMITS)
    assert (limits.max_total_bytes, limits.max_names) == (8 << 30, 12)
    assert limits.max_texture_size == GLES_LIMITS.max_texture_size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("memry=8G", "did you mean 'memory'"),
        ("memory", "is no number"),
        ("memory=-1", "is no number"),
        ("memory=lots", "is no number"),
        ("loop_iterations=4G", "at most"),
        ("=3", "no limit ''"),
    ],
)
def test_wrong_settings_are_named(monkeypatch, text, message):
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(UsageError, match=message):
        guards()


def test_errors_name_the_limit(monkeypatch):
    monkeypatch.setenv(VARIABLE, "draw_vertices=10")
    assert "draw_vertices=10" in str(exceeded("a draw of 11 vertices", "draw_vertices"))
    assert VARIABLE in str(exceeded("a draw of 11 vertices", "draw_vertices"))


def test_columns_obey_the_limit(monkeypatch):
    from replay.engine.columns import ColumnPool

    monkeypatch.setenv(VARIABLE, "frame_memory=1M")
    pool = ColumnPool()
    held = pool.take(1 << 18, np.dtype("<u2"))
    with pytest.raises(ReplayError, match="more than the limit frame_memory=1048576"):
        pool.take(1 << 20, np.dtype("<u1"))
    del held
    assert len(pool.take(1 << 20, np.dtype("<u1"))) == 1 << 20


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "t.gltrace"
    trace_fuzz.write_trace(path, SCENES["es3"]())
    return path


def play(path: Path, techniques: tuple[str, ...] | None = ()) -> int:
    """Replay a trace, or take the frames of a GPU trace, and model them; gives GPU cycles."""
    from gpumodel import load_config
    from gpumodel.runs import REQUIRED_COLUMNS, Run
    from replay.player import frames
    from traceformat.gputrace.reader import open_gputrace

    run = None if techniques is None else Run(load_config("mali450-vro"), techniques)
    opened = (
        open_gputrace(path, REQUIRED_COLUMNS) if path.suffix == ".gputrace" else frames(path, columns=REQUIRED_COLUMNS)
    )
    with opened as played:
        for frame in played:
            if run is not None:
                run.feed(frame)
    return 0 if run is None else run.machine.cycles


@pytest.mark.parametrize(
    ("limit", "techniques", "words"),
    [
        ("frame_passes=1", None, "render passes, more than the limit frame_passes=1"),
        ("frame_cycles=1000", (), "frame 0 pass 0: .* GPU cycles, more than the limit frame_cycles=1000"),
        ("frame_cycles=1000", ("pfr",), "more than the limit frame_cycles=1000"),
        ("wall_seconds=0", None, "call 0: .* more than the limit wall_seconds=0"),
        ("process_memory=16M", None, "the process needs .* more than the limit process_memory=16777216"),
    ],
)
def test_costs_have_limits(monkeypatch, trace, limit, techniques, words):
    assert play(trace) > 1000
    monkeypatch.setenv(VARIABLE, limit)
    with pytest.raises(ReplayError, match=words) as caught:
        play(trace, techniques)
    assert f"{VARIABLE}={limit.partition('=')[0]}=... raises it" in str(caught.value)


@pytest.mark.parametrize(
    "limit",
    [
        "memory=4096", "memory=65536", "buffer=16", "image=16", "contexts=0", "names=1", "draw_vertices=1",
        "frame_memory=1024", "loop_iterations=3", "draw_iterations=3", "frame_passes=1", "frame_cycles=10",
        "wall_seconds=0", "process_memory=16777216",
    ],
)  # fmt: skip
def test_every_limit_names_itself(monkeypatch, tmp_path, limit):
    """Its name, its value and what raises it; also where GL has an error for it, which no program asks for any more."""
    one = Recorder(size=(64, 48))
    for buffer in (1, 2):
        one("glBindBuffer", gl.GL_ARRAY_BUFFER, buffer)
        one("glBufferData", gl.GL_ARRAY_BUFFER, 40_000, bytes(40_000), gl.GL_STATIC_DRAW)
    one("glBindTexture", gl.GL_TEXTURE_2D, 1)
    one("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 8, 8, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(256))
    one("glUseProgram", one.program(_LOOP, _FLAT))
    one("glVertexAttrib4f", 0, 0.0, 0.0, 0.0, 1.0)
    one.clear()
    one("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    one("glReadPixels", 0, 0, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(4))
    one("glClear", gl.GL_DEPTH_BUFFER_BIT)
    one.swap()
    one.write(tmp_path / "t.gltrace")
    assert not told(tmp_path / "t.gltrace")
    monkeypatch.setenv(VARIABLE, limit)
    found = told(tmp_path / "t.gltrace")
    name = limit.partition("=")[0]
    assert limit in found
    assert re.search(rf"{VARIABLE}=(\w+=\.\.\.,)?{name}=\.\.\.", found)


def told(path: Path) -> str:
    """What a run says that a limit cost it."""
    from gpumodel import REQUIRED_COLUMNS, Run, load_config
    from replay.player import frames

    run = Run(load_config("mali450-vro"))
    try:
        with frames(path, columns=REQUIRED_COLUMNS) as played:
            for frame in played:
                run.feed(frame)
            return "\n".join(played.missing)
    except ReplayError as error:
        return str(error)


def test_each_limit_is_tried():
    tried = test_every_limit_names_itself.pytestmark[0].args[1]
    assert {limit.partition("=")[0] for limit in tried} == {field.name for field in fields(Guards)}


def test_looks_at_limits_change_nothing(monkeypatch, trace):
    from gpumodel import machine

    cycles = play(trace)
    monkeypatch.setattr(machine, "_CYCLES_OF_A_CHECK", 97)
    assert play(trace) == cycles
    monkeypatch.setenv(VARIABLE, f"frame_cycles={cycles}")
    assert play(trace) == cycles


def test_a_made_up_trace_of_many_cycles_ends(tmp_path):
    """Nine thousand million cycles and more, by a copy of terabytes and by passes without number."""
    from traceformat.gputrace.frametrace import Table
    from traceformat.gputrace.reader import GpuTraceWriter, open_gputrace

    path = tmp_path / "t.gputrace"
    path.write_bytes(trace_fuzz.recorded("es2"))
    with open_gputrace(path) as reader:
        frame = reader.frame(0)
    frame["passes"]["transfer_read_bytes"][0] = 9_000_000_000 * 16
    with GpuTraceWriter(path) as writer:
        writer.write(frame)
    with pytest.raises(ReplayError, match="more than the limit frame_cycles="):
        play(path)
    many = {key: np.repeat(column, 70_000, axis=0) for key, column in frame["passes"].items()}
    frame.tables["passes"] = Table("passes", many)
    with GpuTraceWriter(path) as writer:
        writer.write(frame)
    with pytest.raises((ReplayError, TraceFormatError)):
        play(path)


def test_memory_of_the_process_is_told():
    """In a process of its own: in one that has run other tests what is allocated may lie there already."""
    code = """
import numpy as np
from traceformat.process_memory import machine_bytes, process_bytes
held = process_bytes()
assert 10 << 20 < held < machine_bytes(), held
block = np.ones(64 << 20, np.uint8)
assert process_bytes() - held > 50 << 20, (held, process_bytes())
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_memory_of_the_process_is_looked_at(monkeypatch):
    block = np.ones(64 << 20, np.uint8)
    monkeypatch.setenv(VARIABLE, f"process_memory={process_bytes() + (32 << 20)}")
    Budget().check("here")
    with pytest.raises(ReplayError, match="process_memory"):
        check_process_memory(len(block))
    child = os.fork()
    if child == 0:
        # A child looks at its own memory.
        own = np.ones(256 << 20, np.uint8)
        os._exit(0 if process_bytes() > len(own) else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("name", ["es2.gltrace", "es2.gputrace"])
@pytest.mark.parametrize("size", [(1 << 32) - 1, 1 << 30, 1 << 24])
def test_a_chunk_header_cannot_make_us_allocate(tmp_path, name, size):
    """Every chunk in turn promises more than it holds, in its header and in that of its compressed data."""
    path = tmp_path / name
    if path.suffix == ".gltrace":
        trace_fuzz.write_trace(path, SCENES["es2"]())
    else:
        path.write_bytes(trace_fuzz.recorded("es2"))
    whole = path.read_bytes()
    found = [c for c in chunks.scan_chunks(whole, whole.index(chunks.SYNC), len(whole)) if isinstance(c, chunks.Chunk)]
    # zstd's magic, a descriptor with an eight-octet content size, a window of 1 KB, the size, an empty last block.
    lying = b"\x28\xb5\x2f\xfd\xc0\x00" + struct.pack("<Q", size) + b"\x01\x00\x00"
    for chunk in found:
        prefix = chunk.prefix._replace(codec=1, stored_bytes=len(lying), raw_bytes=size)
        packed = chunks._PREFIX.pack(*prefix)
        header = chunks._HEADER.pack(*prefix, crc32(packed), chunks.payload_crc(packed, lying))
        path.write_bytes(whole[: chunk.offset] + header + lying + whole[chunk.end :])
        tracemalloc.start()
        with contextlib.suppress(ReplayError, TraceFormatError):
            play(path, None)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 64 << 20
