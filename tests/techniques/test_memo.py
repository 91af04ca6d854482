"""Fragment Memoization: hits with known answers, what is left out, collisions, exact pixels, a plain twin."""

from __future__ import annotations

import struct
from collections import OrderedDict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from films import HEIGHT, WIDTH, Film, film
from model_scene import Scene

from gpumodel import load_config, preset_names
from gpumodel.energy.table import row
from gpumodel.runs import Run
from gpumodel.techniques.memo import FragmentMemoization
from gpumodel.techniques.memo.oracle import PairOracle
from gpumodel.techniques.registry import parse_techniques
from gpumodel.units.state import TAKEN
from traceformat.calls import Call
from traceformat.errors import ConfigError, UsageError
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

COLUMNS = FragmentMemoization.columns
FLAT_VERTEX = "attribute vec4 p; void main() { gl_Position = p; }"
FLAT = "precision highp float; uniform vec4 c; void main() { gl_FragColor = c; }"
#: A shader a fragment of which cannot be looked up, and what is left out for it.
LEFT_OUT = {
    "position": "gl_FragColor = vec4(fract(gl_FragCoord.x / 7.0), 0.5, 0.2, 1.0);",
    "derivative": "gl_FragColor = vec4(fract(dFdx(c.x)), 0.5, 0.2, 1.0);",
    "discard": "if (c.x > 0.9) discard; gl_FragColor = c;",
}


def play(frames: list[FrameTrace], *settings: str, preset: str = "mali450-re", **options: bool) -> Run:
    one = Run(load_config(preset, list(settings)), ["memo"], **options)
    for frame in frames:
        one.feed(frame)
    one.finish()
    return one


def counter(one: Run, name: str) -> list[int]:
    return [int(frame.counters[name]) for frame in one.result.frames]


def mismatched(one: Run) -> int:
    assert one.result.verification is not None
    assert one.result.verification.pixels
    return one.result.verification.mismatched_pixels


def halves(body: str = "gl_FragColor = c;", head: str = "") -> object:
    """A screen whose left half has one colour and whose right half another, by one shader."""

    def scene(one: Film, frame: int) -> None:
        if frame == 0:
            one.flat = one.program(FLAT_VERTEX, head + FLAT.replace("gl_FragColor = c;", body))
        one.clear()
        place = one("glGetUniformLocation", one.flat, "c")
        for number, x in enumerate((-1.0, 0.0)):
            corners = [(x, -1), (x + 1, -1), (x + 1, 1), (x, -1), (x + 1, 1), (x, 1)]
            one.vertices(np.array([[a, b, 0, 1, 0, 0, 0, 0] for a, b in corners], np.float32))
            one("glUniform4f", place, 0.25 + 0.5 * number, 0.1, 0.2, 1.0)
            one("glDrawArrays", gl.GL_TRIANGLES, 0, 6)

    return scene


@pytest.fixture(scope="module")
def two_colours(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    return film(tmp_path_factory.mktemp("two") / "a.gltrace", [halves()] * 5, COLUMNS)  # type: ignore[list-item]


def scene_of_textures(one: Film, frame: int) -> None:
    one.clear()
    one("glUniform2f", one.shift, 0.02 * (frame // 2), 0.0)
    for number in range(4):
        one.square(number)


@pytest.fixture(scope="module")
def textured(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    return film(tmp_path_factory.mktemp("textured") / "a.gltrace", [scene_of_textures] * 4, COLUMNS)


def test_a_two_colour_screen(two_colours: list[FrameTrace]) -> None:
    """Two inputs on the screen: fragments are shaded until the first of each has left its processor; all others hit.

    What is on its way at first is at most the quads that all processors hold, of both frames; later frames find
    both colours, so that nothing is shaded at all.
    """
    one = play(two_colours, verify=True)
    assert mismatched(one) == 0
    pixels = WIDTH * HEIGHT
    assert counter(one, "memo.unlimited_hits") == [pixels - 2, pixels, pixels - 2, pixels, pixels - 2]
    assert counter(one, "memo.lookups") == [pixels] * 5
    in_flight = 2 * 2 * 16 * 4 * 2  # inputs, processors a frame, threads, fragments, frames
    shaded = counter(one, "fragments.shaded")
    assert 2 <= sum(shaded[:2]) <= in_flight
    assert shaded[2:] == [0, 0, 0]
    for frame in one.result.frames:
        c = frame.counters
        assert c["fragments.shaded"] + c["memo.hits"] + c["fragments.early_z_killed"] == c["fragments.rasterized"]
        assert c["fragments.shaded"] + c["memo.hits"] == c["fragments.written"]
    assert one.result.frames[3].counters["fs.alu_instructions"] == 0
    assert sum(counter(one, "memo.false_positives")) == sum(counter(one, "memo.evictions")) == 0


@pytest.mark.parametrize("preset", preset_names())
def test_pixels_are_exact(textured: list[FrameTrace], preset: str) -> None:
    """Films with uniforms that change every second frame."""
    one = play(textured, preset=preset, verify=True)
    assert mismatched(one) == 0
    assert sum(counter(one, "memo.hits")) > 0
    assert all(a <= b for a, b in zip(counter(one, "fragments.shaded"), counter(one, "fragments.written"), strict=True))


@pytest.mark.parametrize("what", LEFT_OUT)
def test_what_is_left_out(tmp_path: Path, what: str) -> None:
    head = "#extension GL_OES_standard_derivatives : enable\n" if what == "derivative" else ""
    frames = film(tmp_path / "a.gltrace", [halves(LEFT_OUT[what], head)] * 2, COLUMNS)  # type: ignore[list-item]
    one = play(frames, verify=True)
    assert mismatched(one) == 0
    assert sum(counter(one, "memo.lookups")) == 0
    assert sum(counter(one, "memo.left_out")) == sum(counter(one, "fragments.shaded")) > 0


def test_short_hashes_collide_and_are_found(textured: list[FrameTrace]) -> None:
    """A hash of 4 bits takes wrong colours: the counter says so, and verification finds the pixels."""
    one = play(textured, "memo.hash_bits=4", verify=True)
    assert sum(counter(one, "memo.false_positives")) > 100
    assert mismatched(one) > 100
    for settings in ((), ("memo.hash_bits=64",), ("memo.hash_bits=64", "memo.entries=1048576")):
        assert sum(counter(play(textured, *settings), "memo.false_positives")) == 0


@pytest.mark.parametrize("settings", [(), ("memo.entries=64", "memo.ways=2"), ("memo.hash_bits=8",)], ids=str)
def test_the_log_is_that_of_a_plain_table(textured: list[FrameTrace], settings: tuple[str, ...]) -> None:
    """Hits, misses and replacement of the log, against an ordered dictionary a set."""
    config = load_config("mali450-re", list(settings)).memo
    one = Run(load_config("mali450-re", list(settings)), ["memo"], verify=True)
    sets: list[OrderedDict[int, int]] = [OrderedDict() for _ in range(config.entries // config.ways)]
    hits = 0
    for frame in textured:
        for raw in one.feed(frame):
            log = raw.passes[0].slots
            if raw.passes[0].streams.frame_index:
                continue
            for access, lane in ((access, lane) for access in log.accesses for lane in range(4)):
                slot = int(access["slot"][lane])
                if slot < 0:
                    continue
                trace, streams = log.sides[access["frame"]]
                row = int(streams.quads["row"][access["quad"]])
                key = int(trace["quads"]["identity"][row][lane]) & (1 << config.hash_bits) - 1
                one_set = sets[key % len(sets)]
                if access["kind"] == TAKEN:
                    assert one_set[key] == slot
                    hits += 1
                elif key in one_set:
                    assert one_set[key] == slot
                else:
                    if len(one_set) == config.ways:
                        _, freed = one_set.popitem(last=False)
                        assert freed == slot
                    one_set[key] = slot
                one_set.move_to_end(key)
    assert hits == sum(counter(one, "memo.hits")) > 0


def test_what_a_pass_shades_into() -> None:
    """The format of its first attachment, where an entry can hold it and something is drawn."""

    def key(**columns: object) -> object:
        scene = Scene(16, 16)
        if columns.pop("drawn", True):
            scene.draw()
        trace = scene.trace()
        for name, value in columns.items():
            trace["passes" if name in trace["passes"] else "draws"][name].reshape(1, -1)[0, 0] = value
        return FragmentMemoization._key(trace, 0)

    assert key() == (gl.GL_RGBA8, False)
    assert key(color_format=gl.GL_RGB565) == (gl.GL_RGB565, False)
    assert key(drawn=False) is key(num_colors=0) is key(color_format=0) is None
    assert key(color_format=gl.GL_RGBA16F) is key(color_format=gl.GL_RGBA32F) is None
    assert key(blend_equation=gl.GL_MULTIPLY_KHR) is None
    assert key(blend_equation=gl.GL_FUNC_REVERSE_SUBTRACT) == (gl.GL_RGBA8, False)


@pytest.mark.parametrize("seed", range(3))
def test_the_unlimited_table_is_a_set(seed: int) -> None:
    """Of live fragments that may be looked up, all but the first with an identity hit, since the pair began."""
    rng = np.random.default_rng(seed)
    one = PairOracle()
    seen: set[int] = set()
    for turn in range(12):
        if turn % 3 == 0:
            seen = set()
            if turn:
                one.begin()
        count, of_frame = int(rng.integers(0, 9)), 12
        quads = np.zeros(count, [("row", np.int32), ("draw", np.int32)])
        quads["row"], quads["draw"] = rng.choice(of_frame, count, replace=False), rng.integers(0, 3, count)
        identity = rng.integers(0, 20, (of_frame, 4)).astype(np.uint64)
        excluded = rng.choice([0, 0, 5, 15], of_frame).astype(np.uint8)
        # Behind the pass's own quads others may lie; bits above the fragments' are not theirs.
        early = rng.integers(0, 256, count + 3).astype(np.uint8)
        words = np.array([1, 0, 7])
        streams = SimpleNamespace(num_quads=count, quads=np.append(quads, quads[:1]), early=early)
        expected = 0
        for k in range(count):
            row = int(quads["row"][k])
            for lane in range(4):
                if early[k] >> lane & 1 and not excluded[row] >> lane & 1 and words[quads["draw"][k]]:
                    expected += int(identity[row, lane]) in seen
                    seen.add(int(identity[row, lane]))
        trace = {"quads": {"identity": identity, "identity_excluded": excluded}}
        assert one.hits(trace, streams, words) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("settings", [(), ("memo.ports=1", "memo.hash_cycles=3")], ids=str)
@pytest.mark.parametrize("memory", ["paper", "dram"])
@pytest.mark.parametrize("preset", ["mali450-re", "tbr-fhd"])
def test_the_loops_agree(textured: list[FrameTrace], preset: str, memory: str, settings: tuple[str, ...]) -> None:
    """The frame of a pair that ends first stays at its end while the other one still writes."""
    mode = f"memory.mode={memory}"
    wake, every = (play(textured[:3], mode, *settings, preset=preset, every_cycle=on) for on in (False, True))
    for mine, others in zip(wake.result.frames, every.result.frames, strict=True):
        assert mine.counters == others.counters
        assert mine.stalls == others.stalls
        assert mine.cycles == others.cycles
    if settings:
        assert sum(counter(wake, "memo.wait_cycles")) > 0


def test_one_port_is_a_bottleneck(two_colours: list[FrameTrace]) -> None:
    """A fragment a cycle: a screen of P pixels in each of two frames takes at least 2 P cycles of its port."""
    many, single = play(two_colours, "memo.ports=16"), play(two_colours, "memo.ports=1")
    assert single.machine.cycles > many.machine.cycles
    pair = single.result.frames[2].raster_cycles + single.result.frames[3].raster_cycles
    assert pair >= 2 * WIDTH * HEIGHT


@pytest.mark.parametrize("ports", [1, 2, 4, 8, 16])
def test_ports_are_shared_by_as_many_quads_as_there_are_ports_for(two_colours: list[FrameTrace], ports: int) -> None:
    """A access of a port each: look-ups and inserts of a pair take at least their sum over the ports in cycles, and
    with a port for all processors of both frames no quad waits.
    """
    one = play(two_colours, f"memo.ports={ports}")
    for first in (0, 2):
        pair = slice(first, first + 2)
        accesses = sum(counter(one, "memo.lookups")[pair]) + sum(counter(one, "memo.inserts")[pair])
        cycles = sum(frame.raster_cycles for frame in one.result.frames[pair])
        assert accesses <= ports * cycles
    waits = sum(counter(one, "memo.wait_cycles"))
    assert (waits == 0) == (ports == 16), waits


def test_ports_make_the_table_larger_not_another_one() -> None:
    """A port lengthens the side of a cell: by the part that makes the table's 16 KB of one port those of three."""
    area = {}
    for ports in (1, 3, 4):
        hardware = FragmentMemoization().hardware(load_config("mali450-re", [f"memo.ports={ports}"]))
        area[ports] = next(one.area_mm2 for one in hardware if one.name == "memo.table")
    assert area[4] / area[1] == pytest.approx(1.78**2)
    measured = row("regfile_16K", 32, "HP").area_mm2 / row("instruction_cache", 32, "HP").area_mm2
    assert area[3] / area[1] == pytest.approx(measured, rel=0.01)


def test_a_smaller_table_hits_less(textured: list[FrameTrace]) -> None:
    hits = [sum(counter(play(textured, f"memo.entries={n}"), "memo.hits")) for n in (16, 512, 2048)]
    potential = sum(counter(play(textured), "memo.unlimited_hits"))
    assert hits[0] < hits[1] <= hits[2]
    assert hits[0] < potential


def test_other_samplers_are_other_inputs(tmp_path: Path) -> None:
    """Equal but for a sampler object: fragments must not be taken for each other."""

    def scene(one: Film, frame: int) -> None:
        if frame == 0:
            call = Call(len(one.calls), "glGenSamplers", 1, 1, 0, (1, None), {"samplers": struct.pack("<I", 1)})
            one.tracker.execute(call)
            one.calls.append(call)
            one("glBindSampler", 0, 1)
            one("glSamplerParameteri", 1, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
        one("glSamplerParameteri", 1, gl.GL_TEXTURE_MAG_FILTER, gl.GL_NEAREST if frame % 2 else gl.GL_LINEAR)
        one.all_squares()

    frames = film(tmp_path / "a.gltrace", [scene] * 4, COLUMNS)
    assert not np.array_equal(frames[0].pixels[0][0], frames[1].pixels[0][0])
    assert mismatched(play(frames, verify=True)) == 0


def test_what_cannot_be_is_refused(two_colours: list[FrameTrace]) -> None:
    with pytest.raises(UsageError, match="memo goes with no other technique"):
        parse_techniques(["memo+te"])
    assert parse_techniques(["memo+pfr"]) == [(), ("memo",)]
    with pytest.raises(ConfigError, match=r"memo\.ways"):
        load_config("mali450-re", ["memo.entries=4", "memo.ways=8"])
    tables = {name: dict(table.items()) for name, table in two_colours[0].tables.items()}
    for name in ("identity", "identity_excluded"):
        tables["quads"].pop(name)
    bare = FrameTrace.from_columns(
        {name: table for name, table in tables.items() if table},
        frame=0, width=WIDTH, height=HEIGHT, rule=two_colours[0].rule, labels=two_colours[0].labels,
    )  # fmt: skip
    one = Run(load_config("mali450-re"), ["memo"])
    one.feed(bare)
    with pytest.raises(UsageError, match="identities"):
        one.finish()
