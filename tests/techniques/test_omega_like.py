"""Last frame's depth in Early-Z: known answers, a plain walk, repairs, exact pixels on films made against it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from films import HEIGHT, WIDTH
from hidden_films import PIXELS, covered_film, random_states, stack
from object_films import Thing, object_film
from verified import counter, verified_run

import replay
from gpumodel import Run, load_config
from gpumodel.streams import PassStreams, PassTables
from gpumodel.techniques.omega_like import walk
from gpumodel.tile_lists import come_again
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

PRESET, SIDE = "mali450-vro", 16
TILES = -(-WIDTH // SIDE) * -(-HEIGHT // SIDE)


def play(frames: list[FrameTrace], *settings: str, techniques: str = "omega-like", **choices: Any) -> Run:
    return verified_run(frames, PRESET, techniques, *settings, **choices)


def values(run: Run, *names: str) -> list[list[float]]:
    return [counter(run, f"omega-like.{name}") for name in names]


@pytest.mark.parametrize("block", [1, 2, 4, 8])
@pytest.mark.parametrize("bits", [16, 24])
def test_what_was_hidden_is_left_out(tmp_path: Path, block: int, bits: int) -> None:
    """n planes, the farthest first: n shades a pixel in the first frame, one in the second; nothing comes again."""
    n = 4
    frames = object_film(tmp_path / "a.gltrace", [stack(n)] * 3)
    one = play(frames, f"omega_like.block={block}", f"omega_like.bits={bits}")
    assert counter(one, "fragments.shaded") == [n * PIXELS, PIXELS, PIXELS]
    left_out, compared, wrong, again = values(one, "left_out", "compared", "wrong_tiles", "entries_again")
    assert left_out == [0, (n - 1) * PIXELS, (n - 1) * PIXELS]
    assert compared == [n * PIXELS] * 3
    assert wrong == again == [0, 0, 0]
    lines = TILES * -(-((SIDE // block) ** 2) * bits // 8 // 64)
    reads, writes = values(one, "line_reads", "line_writes")
    assert (reads, writes) == ([0, lines, lines], [lines] * 3)
    oracle = play(frames[:1], "omega_like.oracle=true")
    assert counter(oracle, "fragments.shaded") == [PIXELS], "it knows the first frame, too"


def test_depths_are_fetched_a_tile_ahead(tmp_path: Path) -> None:
    """Tiles with one small primitive each wait for their lines, unless these came while the tile before was begun."""
    thing = Thing.plane("p", 0.0)
    frames = object_film(tmp_path / "a.gltrace", [[thing]] * 2)
    at_once, ahead = (play(frames, f"omega_like.ahead={on}") for on in ("false", "true"))
    waits, less = (values(one, "tile_wait_cycles")[0] for one in (at_once, ahead))
    lines = [values(one, "line_reads")[0] for one in (at_once, ahead)]
    assert lines[0] == lines[1] == [0, TILES]
    # Every tile asks, a look-up takes a cycle; of what is fetched ahead the first tile alone waits in full.
    assert waits[0] == less[0] == 0
    assert waits[1] >= TILES > 0
    assert less[1] < waits[1]
    cycles = [one.result.frames[1].cycles for one in (at_once, ahead)]
    assert cycles[1] <= cycles[0]


def test_what_was_covered_comes_again(tmp_path: Path) -> None:
    """The nearest plane goes: the next one's fragments were left out everywhere, and come at the tiles' ends."""
    film = [stack(3), stack(2), [*stack(2), Thing.plane("glass", 0.45, blend=True, writes_depth=False)]]
    one = play(object_film(tmp_path / "a.gltrace", film), "omega_like.margin=0", "omega_like.bits=24")
    left_out, wrong, again, fragments = values(one, "left_out", "wrong_tiles", "entries_again", "fragments_again")
    primitives = counter(one, "primitive_tile_pairs")
    # Both planes lay behind the third: both are left out, and both come again.
    assert left_out == [0, 2 * PIXELS, PIXELS]
    assert wrong == [0, TILES, 0]
    assert fragments[1] == 2 * PIXELS
    assert again[1] * 2 == primitives[1]
    assert counter(one, "fragments.shaded")[1] == 2 * PIXELS


def test_what_is_no_opaque_one_s_comes_behind_what_it_shows(tmp_path: Path) -> None:
    """Glass behind a plane that is wrongly left out: the plane comes first; one that is hidden anyway does not."""
    glass = Thing.plane("glass", -0.4, blend=True, writes_depth=False)
    near = Thing.plane("near", -0.3)
    film = [[*stack(2), near], [*stack(2), glass], [*stack(2), near, glass]]
    one = play(object_film(tmp_path / "a.gltrace", film))
    _, wrong, again = values(one, "left_out", "wrong_tiles", "entries_again")
    assert wrong == [0, TILES, 0]
    assert again[1] > 0


@pytest.mark.parametrize("func", [gl.GL_LESS, gl.GL_LEQUAL])
def test_equal_depths(tmp_path: Path, func: int) -> None:
    """Planes at one depth behind what was in front: the first, or the last of them wins, as ever."""
    same = [Thing.plane(f"p{k}", 0.3, func) for k in range(3)]
    far = [Thing.plane(f"f{k}", 1.0, func) for k in range(2)]
    film = [[*far, *same, Thing.plane("near", -0.5)], [*far, *same], [*same[::-1], *far], far, [*far[::-1], *same]]
    for margin in (0, 1):
        play(object_film(tmp_path / "a.gltrace", film), f"omega_like.margin={margin}", "omega_like.block=1")


def naive_walk(streams: PassStreams, rules: Any, kept: walk.Kept) -> tuple[Any, Any]:
    """The same with dictionaries, entry by entry."""
    passes = {1: lambda a, b: a < b, 3: lambda a, b: a <= b, 7: lambda a, b: True, 2: lambda a, b: a == b,
              4: lambda a, b: a > b, 6: lambda a, b: a >= b, 5: lambda a, b: a != b, 0: lambda a, b: False}  # fmt: skip
    behind = np.zeros(len(streams.quads), np.uint8)
    copies, shown = [], np.zeros_like(kept.shown)
    for t, tile in enumerate(streams.tiles):
        depth: dict[tuple[int, int], int] = {}
        left: dict[tuple[int, int], int] = {}
        waiting: list[int] = []

        def fragments(entry: int) -> Any:
            pair = streams.pairs[entry]
            for j in range(pair["quad_first"], pair["quad_first"] + pair["quad_count"]):
                q = streams.quads[j]
                y, x = divmod(int(q["position"]), rules.across)
                for lane in range(4):
                    if q["coverage"] >> lane & 1:
                        z = int(q["depth"][lane])
                        place = 2 * x + (lane & 1), 2 * y + (lane >> 1)
                        yield j, lane, place, rules.mirror - z if rules.mirror else z, int(q["survives"]) >> lane & 1

        def repair(before: int, waiting: list[int] = waiting, depth: Any = depth, left: Any = left) -> None:
            for entry in waiting:
                copies.append((before, entry))
                func = int(rules.func[streams.pairs["draw"][entry]])
                for j, lane, place, z, _ in fragments(entry):
                    if behind[j] >> lane & 1 and passes[func](z, depth.get(place, rules.clear)):
                        depth[place] = z
            waiting.clear()
            left.clear()

        def unsure(place: tuple[int, int], depth: Any = depth, left: Any = left) -> bool:
            return place in left and left[place] <= depth.get(place, rules.clear)

        first, end = int(tile["pair_first"]), int(tile["pair_first"] + tile["pair_count"])
        for k in range(first, end):
            draw = int(streams.pairs["draw"][k])
            kind, func = int(rules.kind[draw]), int(rules.func[draw])
            if not kept.moves[draw] and any(unsure(place) for _, _, place, _, _ in fragments(k)):
                repair(k)
            for j, lane, (x, y), z, survives in fragments(k):
                passed = not kind & 2 or passes[func](z, depth.get((x, y), rules.clear))
                block = y // kept.side * (2 * rules.across // kept.side) + x // kept.side
                if kept.moves[draw] and (z >> kept.shift) > kept.held[t, block] + kept.margin:
                    behind[j] |= 1 << lane
                    if passed:
                        left[x, y] = min(left.get((x, y), z), z)
                        waiting.extend([k] if k not in waiting else [])
                elif survives and passed and kind & 8:
                    depth[x, y] = z
        if any(unsure(place) for place in left):
            repair(end)
        for y in range(tile["height"]):
            for x in range(tile["width"]):
                block = y // kept.side * (2 * rules.across // kept.side) + x // kept.side
                z = -(-depth.get((x, y), rules.clear) // (1 << kept.shift))
                shown[t, block] = max(shown[t, block], z)
    return (behind, copies), shown


@pytest.mark.parametrize("seed", range(4))
def test_a_plain_walk(tmp_path: Path, seed: int) -> None:
    from gpumodel.pass_depths import TOWARD, find_rules
    from gpumodel.techniques.vro.nodes import covering_draws

    config = load_config(PRESET, ["screen.scale_to_trace=true"])
    from gpumodel.quad_maps import quad_map

    rng = np.random.default_rng(seed)
    looked_at = 0
    for frame in covered_film(tmp_path / "a.gltrace", 70 + seed, 3):
        streams = PassTables(frame, config, quad_map(config)).arrange(0)
        rules = find_rules(frame, streams, SIDE // 2)
        if rules is None:
            continue
        rows = slice(*streams.draw_range)
        moves = np.zeros(len(rules.kind), np.uint8)
        moves[rows] = covering_draws(frame, 0, rows) & (rules.kind[rows] & TOWARD != 0)
        count, side = int(streams.tiles["pair_count"].sum()), int(rng.choice([1, 2, 4, 8]))
        held = rng.integers(0, 1 << 16, (len(streams.tiles), (SIDE // side) ** 2))
        kept = walk.Kept(moves, held, np.zeros_like(held), 8, int(rng.integers(0, 3)), side)
        out = walk.Left(np.zeros(len(streams.quads), np.uint8), np.zeros(count + 1, np.uint8),
                        *(np.zeros(count + 1, np.int64) for _ in range(2)), np.zeros(5, np.int64))  # fmt: skip
        planes = walk.Planes(*(np.zeros(SIDE * SIDE, np.int64) for _ in range(2)))
        walk.walk(streams.tiles, streams.pairs, streams.quads, rules, kept, out, planes)
        (behind, copies), shown = naive_walk(streams, rules, kept)
        again = int(out.totals[walk.ENTRIES])
        assert (out.behind == behind).all()
        assert list(zip(out.place[:again].tolist(), out.entry[:again].tolist(), strict=True)) == copies
        assert (kept.shown == shown).all()
        looked_at += again
        before = streams.pairs["emitted"].tolist()
        rows = come_again(streams, out.place[:again], out.entry[:again])
        assert streams.num_quads == len(streams.quads) == len(out.behind) + len(rows)
        expected: list[int] = []
        for k in range(count + 1):
            expected += [before[entry] for place, entry in copies if place == k] + before[k : k + 1]
        assert streams.pairs["emitted"].tolist() == expected
        ends = np.cumsum(streams.tiles["pair_count"])
        assert (streams.pairs["tile"] == np.searchsorted(ends, np.arange(len(streams.pairs)), "right")).all()
    assert looked_at > 0


COMBINATIONS = ("omega-like", "omega-like+re+te", "fpk+lrz+omega-like", "omega-like+ptr", "dtexl-like+omega-like",
                "libra-like+omega-like+te", "afbc+omega-like+tcor-like")  # fmt: skip


@pytest.mark.parametrize("seed", range(10))
def test_exact_and_both_loops_agree(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(30 + seed)
    if seed % 3:
        frames = covered_film(tmp_path / "a.gltrace", 40 + seed, 5)
    else:
        things = random_states(rng, 12)
        frames = object_film(tmp_path / "a.gltrace", [things, things[3:], things])
    settings = (f"omega_like.block={(1, 2, 4, 8)[seed % 4]}", f"omega_like.margin={seed % 3}",
                f"omega_like.cache_bytes={(256, 2048)[seed % 2]}", "caches.l2.size_bytes=8192",
                f"omega_like.bits={(16, 24)[seed % 2]}",
                f"omega_like.ahead={('false', 'true', 'true')[seed % 3]}")  # fmt: skip
    loops = (False, True) if seed < 7 else (False,)
    runs = [
        play(frames, *settings, techniques=COMBINATIONS[seed % len(COMBINATIONS)], every_cycle=loop) for loop in loops
    ]
    for wake, every in zip(runs[0].result.frames, runs[-1].result.frames, strict=True):
        assert (wake.counters, wake.cycles, wake.stalls) == (every.counters, every.cycles, every.stalls)


def test_room_in_the_queue_before_the_line(tmp_path: Path) -> None:
    """Told of room in the cache's queue, the unit goes on waiting for its line: no tile waits for ever."""
    trace = tmp_path / "menu.gltrace"
    code = "from capture.cli import main; main()"
    sample = ["sample", "menu", "--frames", "4", "--size", "256x160", "-o", str(trace)]
    subprocess.run([sys.executable, "-c", code, *sample], check=True, capture_output=True, timeout=120)
    config = load_config("tbr-fhd", ["screen.scale_to_trace=true", "omega_like.block=2", "caches.tile.size_bytes=8192",
                                     "caches.l2.size_bytes=262144"])  # fmt: skip
    one = Run(config, ["omega-like"])
    with replay.frames(trace) as frames:
        for frame in frames:
            one.add(frame)
    assert len(one.result.frames) == 4
