"""Collisions of a table's short hash are proved from inputs and told apart; anything else that is wrong stays one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from click.testing import CliRunner
from films import Film, film

from gpumodel import load_config
from gpumodel.cli import cli
from gpumodel.runs import Run
from gpumodel.techniques import Hook, PluggedUnit, Plugs, register, registry
from gpumodel.techniques.memo import FragmentMemoization
from gpumodel.verify import Verification
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

COLUMNS = FragmentMemoization.columns
POSITION = """precision highp float; varying vec4 v;
void main() { gl_FragColor = vec4(fract(gl_FragCoord.xy / 7.0), v.z, 1.0); }"""
VERTEX = "attribute vec4 p; attribute vec4 c; varying vec4 v; void main() { v = c; gl_Position = p; }"


def scene(one: Film, frame: int) -> None:
    one.clear()
    one("glUniform2f", one.shift, 0.02 * (frame // 2), 0.0)
    for number in range(4):
        one.square(number)


def half_positional(one: Film, frame: int) -> None:
    """Squares of which two read their position."""
    if frame == 0:
        one.positional = one.program(VERTEX, POSITION)  # type: ignore[attr-defined]
    one.clear()
    for number in range(4):
        one("glUseProgram", one.positional if number % 2 else one.number)  # type: ignore[attr-defined]
        one.square(number)


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    return film(tmp_path_factory.mktemp("film") / "a.gltrace", [scene] * 4, COLUMNS)


@pytest.fixture
def registered() -> Iterator[None]:
    before = registry.known_techniques()
    yield
    registry._REGISTERED.clear()
    registry._REGISTERED.update(before)


def judged(frames: list[FrameTrace], *settings: str, technique: str = "memo") -> tuple[Run, Verification]:
    one = Run(load_config("mali450-re", list(settings)), [technique], verify=True)
    for frame in frames:
        one.feed(frame)
    one.finish()
    assert one.result.verification is not None
    return one, one.result.verification


def counted(one: Run) -> int:
    return int(sum(frame.counters["memo.false_positives"] for frame in one.result.frames))


def planted(change: Callable[[Any], None], bits: int = 32) -> str:
    """A memo whose state is changed before each pass, and that says that its hash has so many bits."""

    class WrongMemo(FragmentMemoization):
        id: ClassVar[str] = "wrong-memo"

        def hash_bits(self, config: Any) -> int:
            return bits

        def _load(self, trace: FrameTrace, streams: Any) -> None:
            super()._load(trace, streams)
            change(self)

    register(WrongMemo)
    return WrongMemo.id


@pytest.mark.parametrize("bits", [4, 8])
def test_wrong_pixels_of_a_short_hash_are_its_collisions(frames: list[FrameTrace], bits: int) -> None:
    one, found = judged(frames, f"memo.hash_bits={bits}")
    assert counted(one) >= found.collision_pixels == found.mismatched_pixels > 20
    assert found.unsourced_pixels == 0
    assert found.passed
    assert not found.identical
    assert found.located == []
    assert f"{bits}-bit hash" in str(found.collisions[0])
    assert found.as_json() == {
        "identical": False,
        "mismatched_pixels": found.mismatched_pixels,
        "unsourced_pixels": 0,
        "lost_effects": 0,
        "moved_effects": 0,
        "collision_pixels": found.collision_pixels,
        "hash_bits": bits,
    }


def test_a_hash_of_all_inputs_has_none(frames: list[FrameTrace]) -> None:
    for bits in (32, 64):
        _, found = judged(frames, f"memo.hash_bits={bits}")
        assert found.identical
        assert found.collision_pixels == 0


def shorter_than_it_says(memo: Any) -> None:
    memo.record["hash_mask"] = 15


def of_other_bits(memo: Any) -> None:
    """Four bits from the middle of the identity, where four from its end are declared."""
    memo.record["hash_mask"] = 15 << 20


def of_the_quad_beside(memo: Any) -> None:
    """Each quad asks for what its neighbour needs."""
    for arrays in memo._kept.values():
        arrays["identity"][:] = np.roll(arrays["identity"], 4)


def without_the_shader(memo: Any) -> None:
    """All inputs look alike to the hash."""
    for arrays in memo._kept.values():
        arrays["identity"][:] = 5


@pytest.mark.parametrize(
    ("change", "bits"),
    [(shorter_than_it_says, 32), (of_other_bits, 4), (of_the_quad_beside, 32), (without_the_shader, 32)],
)
def test_a_table_that_only_claims_collisions_is_found(
    frames: list[FrameTrace], registered: None, change: Callable[[Any], None], bits: int
) -> None:

    def plant(memo: Any) -> None:
        copied(memo)
        change(memo)

    _, found = judged(frames, technique=planted(plant, bits))
    assert not found.passed
    assert found.mismatched_pixels - found.collision_pixels > 20
    assert found.located


def copied(memo: Any) -> None:
    """Identities of its own, so that the trace keeps the right ones."""
    from gpumodel.units.views import bind

    for frame_index, arrays in memo._kept.items():
        arrays["identity"] = arrays["identity"].copy()
        bind(memo.record[0]["identity"][frame_index], arrays["identity"])


def test_inputs_that_the_hash_does_not_cover_prove_nothing(tmp_path: Path, registered: None) -> None:
    """Fragments that read their position are looked up, and collide: no hash of theirs is known."""

    def of_all(memo: Any) -> None:
        for frame_index, arrays in memo._kept.items():
            arrays["excluded"][:] = 0
            arrays["words"][:] = 5
            assert memo.record[0]["active"][frame_index]

    own = film(tmp_path / "a.gltrace", [half_positional] * 2, COLUMNS)
    _, right = judged(own, "memo.hash_bits=2")
    assert right.passed

    def change(memo: Any) -> None:
        from gpumodel.units.views import bind

        for frame_index, arrays in memo._kept.items():
            arrays["excluded"] = arrays["excluded"].copy()
            bind(memo.record[0]["excluded"][frame_index], arrays["excluded"])
        of_all(memo)

    _, found = judged(own, "memo.hash_bits=2", technique=planted(change, 2))
    assert not found.passed
    assert found.mismatched_pixels > found.collision_pixels


def test_a_fault_beside_collisions_stays_a_finding(frames: list[FrameTrace], registered: None) -> None:
    """Quads are lost between the processors and Blending, with a table that collides."""
    from wrong_hooks import WRONG, drop_quad

    class WithFault(FragmentMemoization):
        id: ClassVar[str] = "with-fault"

        def plugs(self, config: Any) -> Plugs:
            plugs = super().plugs(config)
            plugs.units.append(PluggedUnit("wrong", Hook(drop_quad, np.zeros(1, WRONG)), before="blend"))
            return plugs

    register(WithFault)
    _, found = judged(frames, "memo.hash_bits=8", technique="with-fault")
    assert found.collision_pixels > 20
    assert 20 < found.mismatched_pixels - found.collision_pixels < 1000
    assert all("hash" not in str(mismatch) for mismatch in found.located)


def test_a_collision_stays_one_where_later_passes_find_it(tmp_path: Path) -> None:
    """What a collision has left in the buffer is blended over, and kept by a frame that does not clear."""

    def over(one: Film, frame: int) -> None:
        if frame == 0:
            scene(one, frame)
            one("glEnable", gl.GL_BLEND)
            one("glBlendFunc", gl.GL_ONE, gl.GL_ONE)
            one("glUseProgram", one.program(VERTEX, POSITION))
        else:
            one.square(frame)

    whole = film(tmp_path / "a.gltrace", [over] * 3, COLUMNS)
    one, found = judged(whole, "memo.hash_bits=6")
    assert sum(frame.counters["memo.lookups"] for frame in one.result.frames[1:]) == 0
    first = {mismatch.pixel for mismatch in found.collisions if mismatch.frame == 0}
    assert found.passed
    assert found.collision_pixels > 2 * len(first) > 40


def test_the_command_says_it_and_ends_well(tmp_path: Path) -> None:
    trace, result = tmp_path / "a.gltrace", tmp_path / "a.json"
    film(trace, [scene] * 2, COLUMNS)
    arguments = ["run", str(trace), "-c", "mali450-re", "-t", "memo", "--verify", "--json", str(result)]
    done = CliRunner().invoke(cli, [*arguments, "--set", "memo.hash_bits=6"])
    assert done.exit_code == 0, done.output
    verified = {run["technique"]: run["verify"] for run in json.loads(result.read_text())["runs"]}
    assert verified["baseline"]["identical"]
    pixels = verified["memo"]["collision_pixels"]
    assert pixels == verified["memo"]["mismatched_pixels"] > 0
    assert f"{pixels:,} of " in done.stderr
    assert "collision of memo's 6-bit hash, which the technique accepts" in " ".join(done.stderr.split())
