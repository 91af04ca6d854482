"""Redundant tiles: why they are not, the map, perfect hashes, forced collisions, signing that costs nothing."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from films import HEIGHT, WIDTH, Film, film, kept
from gl_recorder import Recorder

import replay
from gpumodel import load_config
from gpumodel.columns import REQUIRED_COLUMNS
from gpumodel.machine import MachineFrame
from gpumodel.quad_maps import quad_map
from gpumodel.report.redundancy_map import changes_csv, redundant_map, redundant_picture
from gpumodel.runs import Run
from gpumodel.streams import PassTables
from gpumodel.techniques.re.message import StateNumbers
from gpumodel.techniques.re.signatures import sign_pass
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

TILES = WIDTH // 16 * (HEIGHT // 16)
#: Frames until a still film skips (see test_re.py).
STEADY = 3


def play(
    frames: list[FrameTrace], technique: str, *settings: str, verify: bool = False
) -> tuple[Run, list[MachineFrame]]:
    one = Run(load_config("mali450-re", list(settings)), technique.split("+"), verify=verify)
    return one, [one.add(frame)[1] for frame in frames]


def counts(one: Run, name: str) -> list[int]:
    return [int(frame.counters[name]) for frame in one.result.frames]


def quarter(one: Film, change: str, frame: int) -> None:
    """Four squares; the second one changes in frame 4."""
    one.clear()
    for number in range(4):
        changes = number == 1 and frame == 4
        one("glUniform4f", one.tint, 1.0, 0.5 if changes and change == "constants" else 1.0, 1.0, 1.0)
        if changes and change == "state":
            one("glEnable", gl.GL_BLEND)
        if changes and change == "list":
            continue
        if changes and change == "attributes":
            one("glVertexAttrib4f", 1, 0.1, 0.9, 0.2, 1.0)
            one("glDisableVertexAttribArray", 1)
        one.square(number)
        one("glDisable", gl.GL_BLEND)
        one("glEnableVertexAttribArray", 1)


@pytest.mark.parametrize("change", ["constants", "state", "attributes", "list"])
def test_what_changed_is_said(tmp_path: Path, change: str) -> None:
    """The tiles of the second square, and no others, name draw 1 (or the draw that is there instead)."""
    frames = film(tmp_path / "a.gltrace", [lambda one, frame: quarter(one, change, frame)] * 6)
    one, raws = play(frames, "re")
    skipped = counts(one, "re.tiles_skipped")
    assert skipped[3] == TILES
    changed = TILES - skipped[4]
    assert 0 < changed < TILES
    assert counts(one, f"re.changed.{change}")[4] == changed
    text = changes_csv(frames[4], raws[4])
    assert text is not None
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["changed"] for row in rows} == {change}
    assert sum(int(row["tiles"]) for row in rows) == changed
    if change != "list":
        assert {row["draw"] for row in rows} == {"1"}
        assert {int(row["object"]) for row in rows} == {
            int(frames[4]["objects"]["id"][frames[4]["draws"]["object"][1]])
        }


def test_the_map(tmp_path: Path) -> None:
    """A square drawn twice keeps its colours: changed inputs, not written by te, and a collision is a collision."""

    def scene(one: Film, frame: int) -> None:
        one.all_squares()
        if frame == 4:
            one.square(0)

    frames = film(tmp_path / "a.gltrace", [scene] * 6)
    maps = {}
    for technique in ("re", "te", "re+te"):
        _, raws = play(frames, technique)
        found = redundant_map(raws[4])
        assert found is not None
        maps[technique] = found
        assert redundant_picture(raws[4])[:4] == b"\x89PNG"  # type: ignore[index]
    assert maps["re"].shape == (HEIGHT // 16, WIDTH // 16)
    assert set(np.unique(maps["re"])) == {1, 4}
    assert (maps["te"] == 3).all()
    assert ((maps["re+te"] == 4) == (maps["re"] == 4)).all()
    assert ((maps["re+te"] == 3) == (maps["re"] == 1)).all()
    _, raws = play(frames[:1], "vro")
    assert redundant_map(raws[0]) is None
    _, raws = play(frames, "re", "re.signature_bits=1")
    assert set(np.unique(redundant_map(raws[4]))) <= {1, 4, 5}  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def collision(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[FrameTrace], float]:
    """Two tints whose signatures agree in 16 bits, found among some hundreds, and the film that changes from one to the
    other."""
    folder = tmp_path_factory.mktemp("collision")

    def scene(one: Film, frame: int, tint: float = 1.0) -> None:
        one("glUniform4f", one.tint, tint, 1.0, 1.0, 1.0)
        one.all_squares()

    (trace,) = film(folder / "a.gltrace", [scene])
    config = load_config("mali450-re")
    streams = PassTables(trace, config, quad_map(config)).arrange(0)
    words = trace["constants"]["word"]
    place = np.flatnonzero(words == np.float32(1.0).view(np.uint32)).reshape(4, -1)[:, 0]
    before = words.copy()
    numbers = StateNumbers()
    seen: dict[int, int] = {}
    pair = None
    for k in range(4000):
        words[place] = np.float32(0.9).view(np.uint32) - np.uint32(997 * k)
        signature = int(sign_pass(trace, streams, numbers).value[0]) & 0xFFFF
        if signature in seen:
            pair = seen[signature], k
            break
        seen[signature] = k
    words[:] = before
    assert pair is not None
    tints = [float((np.float32(0.9).view(np.uint32) - np.uint32(997 * k)).view(np.float32)) for k in pair]
    frames = film(
        folder / "b.gltrace",
        [lambda one, frame, t=t: scene(one, frame, t) for t in [tints[0]] * 4 + [tints[1]] * 3],
    )
    return frames, abs(tints[0] - tints[1])


def test_a_forced_collision_is_found_and_reported(collision: tuple[list[FrameTrace], float]) -> None:
    """16 bits: tiles are skipped wrongly, counted, drawn in the map, and verification finds their pixels; 32 bits and
    perfect hashes make no mistake."""
    frames, _ = collision
    one, raws = play(frames, "re", "re.signature_bits=16", verify=True)
    wrong = counts(one, "re.false_positives")
    assert sum(wrong[:4]) == 0
    assert wrong[4] > 0
    assert wrong[5] > 0
    assert int((redundant_map(raws[4]) == 5).sum()) == wrong[4]
    assert one.result.verification is not None
    differs = any((a.pixels[0][0] != b.pixels[0][0]).any() for a, b in [frames[3:5]])
    assert (one.result.verification.mismatched_pixels > 0) == differs
    for bits in (32, 64):
        right, _ = play(frames, "re", f"re.signature_bits={bits}", verify=True)
        assert sum(counts(right, "re.false_positives")) == 0
        assert right.result.verification is not None
        assert right.result.verification.identical
        assert counts(right, "re.tiles_skipped")[3] == TILES


def test_free_signing_changes_time_alone(tmp_path: Path) -> None:
    """Without the unit's cycles the list builder never waits; everything else is signed and counted as before."""

    def scene(one: Film, frame: int) -> None:
        one.clear()
        one("glUniform2f", one.shift, 0.01 * frame, 0.0)
        one.vertices(np.array([[x, y, 0, 1, 1, 1, 1, 1] for x, y in ((-1, -1), (3, -1), (-1, 3))], np.float32))
        one("glDrawArrays", gl.GL_TRIANGLES, 0, 3)

    frames = film(tmp_path / "a.gltrace", [scene] * 4)
    timed, _ = play(frames, "re", "re.ot_queue=2")
    free, _ = play(frames, "re", "re.ot_queue=2", "re.signing=free")
    plain, _ = Run(load_config("mali450-re")), None
    for frame in frames:
        plain.add(frame)
    assert counts(timed, "re.stall_cycles")[3] > 0
    assert counts(free, "re.stall_cycles") == [0, 0, 0, 0]
    for name in ("re.compute_sub_blocks", "re.accumulate_sub_blocks", "re.signature_updates", "re.tiles_skipped"):
        assert counts(free, name) == counts(timed, name)
    for mine, alone in zip(free.result.frames, plain.result.frames, strict=True):
        assert mine.geometry_cycles - alone.geometry_cycles <= 1
    assert timed.result.frames[3].geometry_cycles > free.result.frames[3].geometry_cycles


def test_the_queue_hides_no_more_than_it_holds(tmp_path: Path) -> None:
    """A primitive over T tiles of P + C sub-blocks, Q from 16 to 256: the list builder writes pointer k not before tile
    k - Q has left the queue, so it waits for about (T - Q - 1)(P + C) cycles, and not at all with Q of T."""
    one = Recorder(size=(320, 256))
    one.program("attribute vec4 p; void main() { gl_Position = p; }", "void main() { gl_FragColor = vec4(0.5); }")
    corners = np.zeros((3, 8), np.float32)
    corners[:, :4] = [(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1)]
    one.vertices(corners)
    for _ in range(2):
        one.clear()
        one("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
        one.swap()
    one.write(tmp_path / "a.gltrace")
    with replay.frames(tmp_path / "a.gltrace", columns=REQUIRED_COLUMNS) as played:
        frames = [kept(frame) for frame in played]
    stalls = {}
    for queue in (16, 32, 64, 128, 256):
        run, _ = play(frames, "re", f"re.ot_queue={queue}")
        tiles = counts(run, "binning.pointer_writes")[-1]
        cost = counts(run, "re.compute_sub_blocks")[-1]
        assert 128 < tiles < 256
        assert counts(run, "re.accumulate_sub_blocks")[-1] == tiles * cost
        stalls[queue] = counts(run, "re.stall_cycles")[-1]
        expected = max(tiles - queue - 1, 0) * cost
        # A tile is taken a cycle after it is there, and the last one is over when the next begins.
        assert abs(stalls[queue] - expected) <= (cost + tiles if expected else 0)
    assert list(stalls.values()) == sorted(stalls.values(), reverse=True)


@pytest.mark.parametrize("every", [False, True])
def test_a_static_scene_costs_its_geometry_and_its_checks(tmp_path: Path, every: bool) -> None:
    """From the third frame on: geometry as without the technique but for the last signature, and T (check + 1)."""
    frames = film(tmp_path / "a.gltrace", [lambda one, frame: one.all_squares()] * 5)
    runs = [Run(load_config("mali450-re"), ids, every_cycle=every) for ids in ((), ("re",))]
    for frame in frames:
        for run in runs:
            run.add(frame)
    plain, mine = (run.result.frames for run in runs)
    check = load_config("mali450-re").re.check_cycles
    for k in range(STEADY, 5):
        assert mine[k].raster_cycles == TILES * (check + 1)
        assert mine[k].geometry_cycles >= plain[k].geometry_cycles
    assert mine[3].cycles == mine[4].cycles
