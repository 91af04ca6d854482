"""What frames of a twin consist of, in the columns of the thesis's tables, and how far that is from the game."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from gpumodel.config import load_config
from gpumodel.papers.workloads import COLUMNS, Game, games
from gpumodel.report.stats.columns import RATIOS
from gpumodel.report.stats.frame import FrameCounter
from gpumodel.report.stats.groups import Statistics
from gpumodel.report.stats.processor_balance import ProcessorBalance
from gpumodel.report.stats.texture_blocks import SHARES, TextureBlocks
from gpureplay.capturing import capture
from gpureplay.sources import open_source
from traceformat.errors import UsageError

__all__ = [
    "FRAMES", "balance_of", "blocks_of", "capture_twin", "columns_of", "deviations", "game_of", "is_near",
    "measure_twin", "worst",
]  # fmt: skip

#: A twin is measured on so many frames, so far apart.
FRAMES: Final = 4
_STEP: Final = 100
#: The preset with the thesis's tiles.
_PRESET: Final = "tbr-fhd"
#: Quad maps whose balance the thesis shows.
_BALANCED: Final = ("1-quadrant", "5-UD-Q")
#: Of a share below this the difference counts, not the ratio: nothing killed has no relative deviation.
_SMALL_SHARE: Final = 0.05
#: How far a twin's column may be off, and its draws.
_LIMIT: Final = 0.20
_DRAWS_LIMIT: Final = 0.05


def game_of(alias: str) -> Game:
    """The game that a twin is of.

    Raises
    ------
    UsageError : the thesis has no such game
    """
    found = [game for game in games() if game.alias == alias]
    if not found:
        known = ", ".join(game.alias for game in games())
        raise UsageError(f"the thesis has no game {alias!r}; it has {known}")
    return found[0]


def capture_twin(
    alias: str, variant: str, trace: Path, *, recipe: Path | None = None, frames: int = FRAMES, step: int = _STEP,
    size: str | None = None,
) -> None:  # fmt: skip
    """Record frames of a twin.

    Parameters
    ----------
    recipe : another one than the twin's own
    step : every so many frames of the twin are one of the trace
    size : ``WxH``; None = the game's

    Raises
    ------
    StorageError : the disk is full
    FindingError : it could not be recorded
    """
    own = ["--variant", variant, "--frames", str(frames), "--step", str(step)]
    own += ["--recipe", str(recipe)] if recipe is not None else []
    own += ["--size", size] if size is not None else []
    capture(f"the twin {alias}", "run", trace, ["-m", "samples.twins", alias, *own])


def columns_of(trace: Path, threads: int = 1) -> dict[str, float]:
    """Columns of a trace: means over its frames of each frame's ratio."""
    counter, statistics = FrameCounter(load_config(_PRESET, ())), Statistics([])
    with open_source(str(trace), None, threads) as source:
        for frame in source.frames:
            statistics.add(counter.count(frame))
    means = dict(zip([ratio.name for ratio in RATIOS], statistics.total.mean_over_frames(), strict=True))
    return {name: float(means[name]) for name in COLUMNS}


def blocks_of(trace: Path) -> dict[str, float]:
    """Texture blocks of a trace that tiles share: means over its frames."""
    counter, blocks, found = FrameCounter(load_config(_PRESET, ())), TextureBlocks(), []
    with open_source(str(trace), None, 1) as source:
        for frame in source.frames:
            counter.count(frame, blocks.see)
            found.append(blocks.shares())
    return {name: sum(one[name] for one in found) / len(found) for name in SHARES}


def balance_of(trace: Path) -> dict[str, float]:
    """Variation of the processors' work under the quad maps of the thesis's Figure 6.5: means over the frames."""
    out = {}
    for name in _BALANCED:
        config = load_config(_PRESET, (f"fragment.quad_map={name}",))
        counter, balance, found = FrameCounter(config), ProcessorBalance(config.fragment.processors), []
        with open_source(str(trace), None, 1) as source:
            for frame in source.frames:
                counter.count(frame, balance.see)
                found.append(balance.variation())
        out[f"balance.{name}"] = sum(found) / len(found)
    return out


def measure_twin(
    alias: str, variant: str, *, recipe: Path | None = None, size: str | None = None, frames: int = FRAMES,
    read: Callable[[Path], dict[str, float]] = columns_of,
) -> dict[str, float]:  # fmt: skip
    """Capture and replay frames of a twin, and give its columns, or what else is read."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "twin.gltrace"
        capture_twin(alias, variant, trace, recipe=recipe, size=size, frames=frames)
        return read(trace)


def deviations(found: Mapping[str, float], wanted: Mapping[str, float]) -> dict[str, float]:
    """Deviation of each column, relative to the game's; of a share that is nearly nothing, the difference."""
    out = {}
    for name in COLUMNS:
        is_nothing = name == "early_z_killed_share" and wanted[name] < _SMALL_SHARE
        out[name] = found[name] - wanted[name] if is_nothing else found[name] / wanted[name] - 1
    return out


def is_near(name: str, off: float) -> bool:
    """Whether a column's deviation is one that a twin may have."""
    return abs(off) <= (_DRAWS_LIMIT if name == "draws_per_frame" else _LIMIT)


def worst(found: Sequence[float]) -> float:
    """The largest deviation, without its sign."""
    return max(abs(value) for value in found)
