"""Random films in which anything may change, for a frame or for good: no technique shows what another frame drew."""

from __future__ import annotations

from pathlib import Path

from random_films import false_positives, random_film

from gpumodel import load_config
from gpumodel.runs import Run

#: 459 looks at another level of a texture that is otherwise the same.
SEEDS = (3, 104, 459)
TECHNIQUES = ("re", "te", "re+te", "memo", "vro+re", "dr+re")
LEFT_OUT = ("re.tiles_skipped", "te.flushes_skipped", "memo.hits")


def test_nothing_is_left_out_wrongly(tmp_path: Path) -> None:
    config = load_config("mali450-re", ["screen.scale_to_trace=true"])
    left_out = dict.fromkeys(TECHNIQUES, 0.0)
    for seed in SEEDS:
        frames = random_film(tmp_path / "a.gltrace", seed)
        for technique in TECHNIQUES:
            one = Run(config, technique.split("+"), verify=True)
            for frame in frames:
                one.feed(frame)
            one.finish()
            assert len(one.result.frames) == len(frames)
            assert one.result.verification is not None
            assert one.result.verification.pixels
            assert one.result.verification.identical, (seed, technique)
            assert false_positives(one) == 0
            left_out[technique] += sum(frame.counters.get(name, 0) for frame in one.result.frames for name in LEFT_OUT)
    assert min(left_out.values()) > 0
