"""Compression of the Frame Buffer: sizes against a plain coder, pieces that are the tiles, both loops, exact pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gl_recorder import Recorder
from hidden_films import Played, random_states
from object_films import object_film
from plain_kernels import Row, run_plainly
from random_films import kept
from verified import verified_run

import replay
from gpumodel.columns import VERIFIED_COLUMNS
from gpumodel.config import load_config
from gpumodel.runs import Run
from gpumodel.techniques.afbc import unit
from gpumodel.techniques.afbc.coder import RAW_BYTES, SIDE, superblock_bytes
from gpumodel.techniques.registry import known_techniques
from traceformat.errors import ConfigError
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import ColumnSet

HEADER_BYTES = 16


def test_writes_wait_for_the_coder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tile may be written as long after it is asked for as its size says, on each Raster Unit by itself."""
    told = run_plainly(monkeypatch, unit)
    rng = np.random.default_rng(4)
    sizes = [Row(plain=100, stored=int(s), sub_blocks=2, wait=int(w)) for s, w in rng.integers(0, 9, (6, 2))]
    monkeypatch.setattr(unit, "_size_at", lambda rows, tile: rows[tile])
    counted = dict.fromkeys(("tiles", "plain_bytes", "stored_bytes", "sub_blocks", "coder_cycles"), 0)
    own = Row(active=1, sizes=sizes, tile=[-1, -1], until=[0, 0], **counted)
    s = Row(now=20, ru=[Row(u_tiles=7), Row(u_tiles=8)])
    asked: dict[int, int] = {}
    for s.now in range(20, 140):
        ru, turn = int(rng.integers(2)), (s.now - 20) // 20
        if turn % 2 != ru:
            continue
        begin = asked.setdefault(turn, s.now)
        ready = begin + sizes[turn].wait
        assert unit.code_tile(s, own, ru, turn, 0, 0) == (1 if s.now >= ready else -1)
        assert told.take()[0] == ([] if s.now >= ready else [(7 + ru, ready)])
    own.active = 0
    assert unit.code_tile(s, own, 0, 5, 0, 0) == 1
    seen = [sizes[turn] for turn in asked]
    assert (own.tiles, own.plain_bytes, own.sub_blocks) == (len(seen), 100 * len(seen), 2 * len(seen))
    assert own.stored_bytes == sum(size.stored for size in seen)
    assert own.coder_cycles == sum(size.wait for size in seen)


def plain_sizes(image: np.ndarray) -> list[list[int]]:
    """The stand-in coder, pixel by pixel."""
    height, width = image.shape[:2]

    def pixel(y: int, x: int) -> tuple[int, ...]:
        red, green, blue, alpha = (int(v) for v in image[min(y, height - 1), min(x, width - 1)])
        orange = red - blue
        middle = blue + orange // 2
        rest = green - middle
        return middle + rest // 2, orange, rest, alpha

    def sub_block(y0: int, x0: int) -> int:
        bits = 34 + 16
        for plane in range(4):
            widest = 0
            for y in range(4):
                for x in range(4):
                    if x or y:
                        before = pixel(y0 + y, x0 + x - 1) if x else pixel(y0 + y - 1, x0)
                        widest = max(widest, abs(pixel(y0 + y, x0 + x)[plane] - before[plane]))
            bits += 15 * (widest.bit_length() + 1 if widest else 0)
        return min((bits + 7) // 8, 64)

    def superblock(y0: int, x0: int) -> int:
        colours = {pixel(y0 + y, x0 + x) for y in range(SIDE) for x in range(SIDE)}
        if len(colours) == 1:
            return 0
        size = sum(sub_block(y0 + y, x0 + x) for y in range(0, SIDE, 4) for x in range(0, SIDE, 4))
        return (size + 15) // 16 * 16

    return [[superblock(y, x) for x in range(0, width, SIDE)] for y in range(0, height, SIDE)]


def gradient(height: int, width: int) -> np.ndarray:
    y, x = np.mgrid[:height, :width]
    return np.stack([x * 3 % 256, y * 5 % 256, (x + y) % 256, np.full_like(x, 255)], axis=2).astype(np.uint8)


@pytest.mark.parametrize("shape", [(16, 16), (33, 50)])
def test_sizes_are_the_plain_ones(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    noise = rng.integers(0, 256, (*shape, 4)).astype(np.uint8)
    flat = np.full((*shape, 4), 77, np.uint8)
    spot = flat.copy()
    spot[5, 9] = 78, 0, 255, 3
    for image in (noise, flat, spot, gradient(*shape), np.where(noise[..., :1] > 250, noise, flat).astype(np.uint8)):
        assert superblock_bytes(image).tolist() == plain_sizes(image)


def test_ends_of_the_scale() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (SIDE, SIDE, 4)).astype(np.uint8)
    assert superblock_bytes(noise).tolist() == [[RAW_BYTES]]
    assert superblock_bytes(np.full((SIDE, SIDE, 4), 9, np.uint8)).tolist() == [[0]]
    # A step from one sub-block to the next costs nothing: first pixels have no neighbour.
    halves = np.zeros((SIDE, SIDE, 4), np.uint8)
    halves[:, 8:] = 200
    assert superblock_bytes(halves).tolist() == [[16 * ((34 + 16 + 7) // 8)]]


def film(path: Path, *, changes: bool = True) -> list[Any]:
    rng = np.random.default_rng(6)
    states = [random_states(rng, 5) for _ in range(3)]
    return object_film(path / "a.gltrace", states if changes else states[:1] * 3, (72, 40))


@pytest.mark.parametrize("settings", [(), ("tile.width=32", "tile.height=32")])
def test_every_tile_writes_its_superblocks_and_their_headers(tmp_path: Path, settings: tuple[str, ...]) -> None:
    frames = film(tmp_path)
    played, plain = Played(frames, "afbc", settings=settings), Played(frames, "", settings=settings)
    for number, trace in enumerate(frames):
        sizes = superblock_bytes(np.ascontiguousarray(trace.pixels[0][0]))
        stored = int(sizes.sum()) + HEADER_BYTES * sizes.size
        assert played.counter("stored_bytes", number) == stored
        height, width = trace.pixels[0][0].shape[:2]
        assert played.counter("plain_bytes", number) == 4 * width * height
        both = [one.counter("dram.write_bytes.color", number) for one in (played, plain)]
        assert both[1] - both[0] == 4 * width * height - stored
    # Cycles of the coder: of a tile 256 pixels, 16 a cycle, beyond a request a cycle.
    free = Played(frames, "afbc", settings=(*settings, "afbc.pixels_per_cycle=0"))
    assert free.counter("coder_cycles") == 0 < played.counter("coder_cycles")


@pytest.mark.parametrize("techniques", ["afbc", "afbc+te", "afbc+re+ptr", "afbc+dr"])
def test_loops_agree_and_pixels_are_exact(tmp_path: Path, techniques: str) -> None:
    frames = film(tmp_path, changes=False)
    ids = techniques.split("+")
    runs = [verified_run(frames, "mali450-vro", techniques, every_cycle=every) for every in (False, True)]
    for a, b in zip(*(run.result.frames for run in runs), strict=True):
        assert a.cycles == b.cycles
        assert a.counters == b.counters
    if "te" in ids:
        last = runs[0].result.frames[-1].counters
        assert last["te.flushes_skipped"] + last["afbc.tiles"] == last["te.tiles_hashed"]
        assert last["te.flushes_skipped"] > 0


def test_what_is_loaded_again_is_read_in_its_form(tmp_path: Path) -> None:
    """The screen, another target, and the screen once more: its second pass finds what its first one has left."""
    one = Recorder(size=(48, 32))
    one.program(
        "attribute vec4 p; attribute vec4 c; varying vec4 v; void main() { v = c; gl_Position = p; }",
        "precision mediump float; varying vec4 v; void main() { gl_FragColor = v; }",
    )
    rng = np.random.default_rng(4)
    one.vertices(np.hstack([rng.uniform(-1, 1, (9, 2)), np.zeros((9, 1)), np.ones((9, 1)), rng.random((9, 4))]))
    one.texture()
    for target in (0, 1, 0):
        one("glBindFramebuffer", gl.GL_FRAMEBUFFER, target)
        if target:
            one("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 1, 0)
        one("glDrawArrays", gl.GL_TRIANGLES, 0, 9)
    one.swap()
    with replay.frames(one.write(tmp_path / "a.gltrace"), columns=ColumnSet(VERIFIED_COLUMNS)) as played:
        frames = [kept(frame) for frame in played]
    wake, every = (verified_run(frames, "mali450-vro", "afbc", every_cycle=every) for every in (False, True))
    counters = wake.result.frames[0].counters
    assert counters == every.result.frames[0].counters
    first = superblock_bytes(np.ascontiguousarray(frames[0].pixels[0][0]))
    assert counters["afbc.loads"] == first.size
    plain = verified_run(frames, "mali450-vro", "te").result.frames[0].counters
    saved = 4 * 48 * 32 - int(first.sum()) - HEADER_BYTES * first.size
    assert plain["dram.read_bytes.color"] - counters["dram.read_bytes.color"] == saved


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_look_ups_of_a_compressed_target_are_counted_in_both_forms(tmp_path: Path, share: float) -> None:
    """All of a target, or its left half, is looked up: lines as they are read, superblocks as they lie."""
    one = Recorder(size=(48, 32))
    vertex = "attribute vec4 p; attribute vec4 c; varying vec4 v; void main() { v = c; gl_Position = p; }"
    colours, look_up = (
        one.program(vertex, f"precision highp float; varying vec4 v; uniform sampler2D t; void main() {{ {text} }}")
        for text in ("gl_FragColor = v;", "gl_FragColor = texture2D(t, v.xy);")
    )
    rng = np.random.default_rng(4)
    one.vertices(np.hstack([rng.uniform(-1, 1, (9, 2)), np.zeros((9, 1)), np.ones((9, 1)), rng.random((9, 4))]))
    one.texture()
    for name in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        one("glTexParameteri", gl.GL_TEXTURE_2D, name, gl.GL_NEAREST)
    one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    one("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 1, 0)
    one("glViewport", 0, 0, 32, 32)
    one("glUseProgram", colours)
    one("glDrawArrays", gl.GL_TRIANGLES, 0, 9)
    one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    one("glViewport", 0, 0, 48, 32)
    one("glUseProgram", look_up)
    corners = [(x, y, 0, 1, share * (x > 0), y > 0, 0, 0) for x, y in ((-1, -1), (1, -1), (-1, 1), (1, 1))]
    one.vertices(np.array(corners), name=2)
    one("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
    one.swap()
    with replay.frames(one.write(tmp_path / "a.gltrace"), columns=ColumnSet(VERIFIED_COLUMNS)) as played:
        frames = [kept(frame) for frame in played]
    counters = verified_run(frames, "mali450-vro", "afbc").result.frames[0].counters
    sizes = superblock_bytes(np.ascontiguousarray(frames[0].pixels[0][0]))[:, : round(2 * share)]
    assert counters["afbc.sampled_bytes"] == share * 4 * 32 * 32
    assert counters["afbc.sampled_stored_bytes"] == int(sizes.sum()) + HEADER_BYTES * sizes.size


def test_small_tiles_are_refused() -> None:
    with pytest.raises(ConfigError, match="afbc packs superblocks of 16 x 16 pixels"):
        Run(load_config("mali450-vro", ["tile.width=8", "tile.height=8"]), ["afbc"])
    assert known_techniques()["afbc"].source
