"""Maps of what frames cost: one scale for all runs of a frame, clamped values labelled, other passes named."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from test_model_oracle import random_scene

from gpumodel import load_config
from gpumodel.report import pictures
from gpumodel.report.maps import is_mapped, map_picture, map_top, others_text
from gpumodel.report.pictures import write_maps, write_pictures
from gpumodel.runs import Run


def drawn(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What the maps that are written are made with."""
    seen: list[dict[str, object]] = []

    def note(values: np.ndarray, **given: object) -> bytes:
        seen.append({"values": values, **given})
        return map_picture(values, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(pictures, "map_picture", note)
    return seen


def test_all_runs_of_a_frame_have_one_scale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = random_scene(3).trace()
    runs = [Run(load_config("mali450-vro", settings)) for settings in ((), ("memory.mode=dram",))]
    raws = [run.add(trace)[1] for run in runs]
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    seen = drawn(monkeypatch)
    write_maps(folders, trace, raws)
    costs = [each for each in seen if each["unit"] == "cycles a tile"]
    assert len(costs) == 2
    tops = [map_top(np.asarray(each["values"])) for each in costs]
    assert tops[0] != tops[1]
    assert {each["top"] for each in costs} == {max(tops)}


def test_what_lies_above_the_scale_is_labelled() -> None:
    values = np.zeros((64, 64), np.int64)
    values[0, 0] = 1000
    size = {"cell": (8, 8), "title": "cost", "unit": "cycles", "width": 512, "height": 512}
    top = map_top(values)
    assert top == 125
    clamped = map_picture(values, **size)  # type: ignore[arg-type]
    whole = map_picture(values, top=1000.0, **size)  # type: ignore[arg-type]
    legends = [np.asarray(Image.open(io.BytesIO(png)))[-22:, -80:] for png in (clamped, whole)]
    widths = [int(np.flatnonzero((legend != legend[0, 0]).any(axis=(0, 2)))[0]) for legend in legends]
    # ">= 125" is longer than "1,000".
    assert widths[0] < widths[1]


def test_maps_of_one_pass_of_several_say_so() -> None:
    texts = set()
    for seed in range(40):
        trace = random_scene(seed).trace()
        _, raw = Run(load_config("mali450-vro")).add(trace)
        count = len({done.streams.index for done in raw.passes})
        text = others_text(trace, raw)
        assert (text == "") == (count == 1), (seed, text)
        if count > 1:
            assert text.endswith(f" of {count} alone)")
            texts.add(text)
        if len(texts) > 1:
            break
    assert texts


def test_maps_need_the_passes_of_their_target_alone(tmp_path: Path) -> None:
    techniques = ("", "vro", "dr")
    dropped = 0
    for seed in range(4):
        trace = random_scene(seed).trace()
        ids = [name for name in (techniques[seed % 3],) if name]
        written = []
        for keep in (True, is_mapped):
            _, raw = Run(load_config("mali450-re", ["screen.scale_to_trace=true"]), ids, keep_passes=keep).add(trace)
            folder = tmp_path / f"{seed}-{len(written)}"
            folder.mkdir()
            write_pictures(folder, trace, raw)
            written.append({path.name: path.read_bytes() for path in folder.iterdir()})
            dropped += len(raw.passes) * (1 if keep is True else -1)
        assert written[0] == written[1]
        assert written[0]
    assert dropped > 0
