"""Playing the handheld machine's experiments: scenes and twins under its techniques, each once for all of them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from gpumodel.config import load_machine
from gpumodel.handheld.config import HandheldConfig
from gpumodel.handheld.run import HandheldRun
from gpumodel.papers.description import Experiment, Handheld
from gpumodel.papers.reading import Measured
from gpumodel.techniques.registry import BASELINE
from gpureplay.capturing import capture_sample
from gpureplay.twin_workloads import capture_twin
from replay.handheld.player import HandheldFrames
from traceformat.cli.terminal import Progress

__all__ = ["play_handheld"]

#: A scene has no variants.
_SCENE: Final = ""

#: What is played: workload, variant, size of the screen, first frame, how many.
_Film = tuple[str, str, str, int, int]


def play_handheld(
    experiments: Sequence[Experiment], variants: Mapping[str, Sequence[tuple[str, str]]], *, is_quick: bool
) -> dict[str, Measured]:
    """Counters of the frames of each experiment, by its id.

    Parameters
    ----------
    variants : twins and their variants, of those experiments that run on twins
    is_quick : the first frame alone
    """
    films = {one.id: _films(one.handheld, variants[one.id], is_quick) for one in experiments if one.handheld}
    wanted: dict[_Film, dict[str, None]] = {}
    for one in experiments:
        assert one.handheld is not None
        for film in films[one.id]:
            wanted.setdefault(film, {}).update(dict.fromkeys([BASELINE, *one.handheld.techniques]))
    played: dict[_Film, dict[str, list[Mapping[str, float]]]] = {}
    with Progress("playing scenes", unit="scenes", total=len(wanted)) as shown, tempfile.TemporaryDirectory() as folder:
        for film, techniques in wanted.items():
            played[film] = _play(film, list(techniques), Path(folder) / "scene.gltrace")
            shown.done = len(played)
    return {
        name: {(film[0], film[1], technique, 0): frames for film in own for technique, frames in played[film].items()}
        for name, own in films.items()
    }


def _films(plan: Handheld, variants: Sequence[tuple[str, str]], is_quick: bool) -> list[_Film]:
    count = 1 if is_quick else plan.count
    of = [(scene, _SCENE) for scene in plan.scenes] or variants
    return [(workload, variant, plan.size, plan.first, count) for workload, variant in of]


def _play(film: _Film, techniques: Sequence[str], trace: Path) -> dict[str, list[Mapping[str, float]]]:
    """Counters of each frame by technique."""
    workload, variant, size, first, count = film
    if variant == _SCENE:
        capture_sample(workload, trace, frames=first + count, size=size)
    else:
        capture_twin(workload, variant, trace, frames=count, size=size)
    width, height = size.split("x")
    config = load_machine("handheld-2003", (f"screen.width={width}", f"screen.height={height}"))
    assert isinstance(config, HandheldConfig)
    out: dict[str, list[Mapping[str, float]]] = {}
    for technique in techniques:
        run = HandheldRun(config, () if technique == BASELINE else tuple(technique.split("+")))
        with HandheldFrames(trace, run.mode, run.sink, frames=(first, first + count - 1)) as played:
            out[technique] = [run.add(frame).counters for frame in played]
    return out
