"""What frames say about their draws and textures beside costs; findings are made from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumodel.attribution.names import texture_names
from gpumodel.report.page.overdraw import shaded_in_vain
from gpumodel.report.tile_work import spread
from gpumodel.units.binning import ATTRIBUTE_BYTES
from gpumodel.whatif.changes import merged, stripped
from gpumodel.whatif.needs import depth_is_read
from gpumodel.whatif.scene import Scene
from traceformat.gputrace.frametrace import LINE_BYTES, DrawFlags, LoadOp, StoreOp

if TYPE_CHECKING:
    from gpumodel.attribution.table import Attribution
    from gpumodel.machine import MachineFrame
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["Facts", "TextureFacts"]


@dataclass(frozen=True, slots=True)
class TextureFacts:
    """A texture as it is bound.

    Parameters
    ----------
    width, height, levels : texels, levels there are
    format : GL internal format
    is_target : a pass of the frame draws into it
    """

    width: int
    height: int
    levels: int
    format: int
    is_target: bool


@dataclass(slots=True)
class Facts:
    """Sums over frames.

    Parameters
    ----------
    textures : by name
    first_sampled : call of the first draw that samples a texture, by frame and GL name
    hidden : GPU cycles of draws that write no pixel, and how many, by object
    blended, discarding : fragments shaded by draws that blend or may discard, by object
    layered : objects that blend with a depth test, so that opaque draws in their place would hide what lies behind
    draws : how many there are, by object
    loaded_bytes, rejoined_bytes : of attachments, by target; loaded by its first pass of a frame, and by later ones
    depth_stored_bytes : of depth that no pass of the frame loads or samples
    in_vain : fragments that opaque draws shade and later ones paint over, by object
    equal_tiles : tiles that show what the frame before showed, of how many
    most_draws : draws of the frame with the most of them, that the next two are about
    mergeable : of those, draws that could go with the one before
    idle_varyings : varyings of draws that say nothing, by object
    idle_varying_bytes : what they write to the Parameter Buffer and read from it once, a frame
    """

    textures: dict[str, TextureFacts] = field(default_factory=dict)
    first_sampled: dict[tuple[int, int], int] = field(default_factory=dict)
    hidden: Counter[str] = field(default_factory=Counter)
    hidden_draws: Counter[str] = field(default_factory=Counter)
    blended: Counter[str] = field(default_factory=Counter)
    discarding: Counter[str] = field(default_factory=Counter)
    layered: set[str] = field(default_factory=set)
    in_vain: Counter[str] = field(default_factory=Counter)
    draws: Counter[str] = field(default_factory=Counter)
    loaded_bytes: Counter[str] = field(default_factory=Counter)
    rejoined_bytes: Counter[str] = field(default_factory=Counter)
    depth_stored_bytes: Counter[str] = field(default_factory=Counter)
    equal_tiles: list[int] = field(default_factory=lambda: [0, 0])
    most_draws: int = 0
    mergeable: int = 0
    idle_varyings: Counter[str] = field(default_factory=Counter)
    idle_varying_bytes: int = 0

    def add(self, frame: FrameTrace, raw: MachineFrame, costs: Attribution, equal: Any) -> None:
        """Take a frame.

        Parameters
        ----------
        equal : bool by tile, whether it shows what the frame before showed; None where that is not known
        """
        self._add_textures(frame)
        self._add_draws(frame, costs)
        for name, fragments in zip(costs.names.object, shaded_in_vain(frame, raw).tolist(), strict=True):
            if fragments:
                self.in_vain[name] += fragments
        self._add_passes(frame)
        if frame["draws"].num_rows > self.most_draws:
            self._look_at_draws(frame, costs)
        if equal is not None:
            self.equal_tiles[0] += int(np.count_nonzero(equal))
            self.equal_tiles[1] += int(equal.size)

    def _add_textures(self, frame: FrameTrace) -> None:
        table = frame["texture_bindings"]
        names = texture_names(frame, (table["address"].astype(np.int64) // LINE_BYTES).tolist())
        draws, passes = frame["draws"], frame["passes"]
        of_draw, rows = spread(draws["texture_first"].astype(np.int64), draws["texture_count"].astype(np.int64))
        sampled, first = np.unique(table["texture"][rows], return_index=True)
        for texture, call in zip(sampled.tolist(), draws["call"][of_draw[first]].tolist(), strict=True):
            self.first_sampled[frame.frame, texture] = call
        targets = {*passes["color_address"].reshape(-1).tolist(), *passes["depth_address"].tolist()}
        for row, name in enumerate(names):
            width, height, levels, kind = (int(table[key][row]) for key in ("width", "height", "levels", "format"))
            self.textures[name] = TextureFacts(width, height, levels, kind, int(table["address"][row]) in targets)

    def _add_draws(self, frame: FrameTrace, costs: Attribution) -> None:
        draws, count = frame["draws"], costs.num_draws
        if not count:
            return
        shaded, written = (costs.count(f"fragments.{name}")[:count] for name in ("shaded", "written"))
        # What changes no pixel may change depth or stencil, or be counted by a query.
        silent = (draws["color_mask"] == 0) | (draws["query_active"] != 0)
        hidden = (written == 0) & ~silent
        blends = draws["blend"] != 0
        cycles = costs.cycles
        is_tested = draws["depth_test"] != 0
        discards = (draws["flags"] & DrawFlags.DISCARDS) != 0
        self.draws.update(costs.names.object)
        for draw, name in enumerate(costs.names.object):
            if hidden[draw]:
                self.hidden[name] += int(cycles[draw])
                self.hidden_draws[name] += 1
            if blends[draw]:
                self.blended[name] += int(shaded[draw])
                if is_tested[draw]:
                    self.layered.add(name)
            if discards[draw]:
                self.discarding[name] += int(shaded[draw])

    def _look_at_draws(self, frame: FrameTrace, costs: Attribution) -> None:
        """See which draws could be one, and which varyings uniforms."""
        scene = Scene(frame)
        self.most_draws = frame["draws"].num_rows
        fewer, bare = merged(scene, "all", ""), stripped(scene, "all", "")
        self.mergeable = 0 if fewer is None else self.most_draws - fewer["draws"].num_rows
        self.idle_varyings.clear()
        self.idle_varying_bytes = 0
        if bare is not None:
            less = frame["draws"]["num_attributes"].astype(np.int64) - bare["draws"]["num_attributes"]
            self.idle_varying_bytes = 2 * ATTRIBUTE_BYTES * int(less @ frame["draws"]["emitted_count"].astype(np.int64))
            for draw in np.flatnonzero(less).tolist():
                self.idle_varyings[costs.names.object[draw]] += int(less[draw])

    def _add_passes(self, frame: FrameTrace) -> None:
        passes = frame["passes"]
        is_read = depth_is_read(frame)
        begun: set[str] = set()
        for index in range(passes.num_rows):
            number = int(passes["framebuffer"][index])
            target = f"framebuffer {number}" if number else "default"
            pixels = int(passes["width"][index]) * int(passes["height"][index]) * int(passes["samples"][index])
            loads = passes["color_load"][index] == LoadOp.LOAD
            color = int(passes["color_bytes"][index][loads].sum())
            depth = int(passes["depth_bytes"][index])
            color += depth * (int(passes["depth_load"][index]) == LoadOp.LOAD)
            if color and passes["draw_count"][index]:
                (self.rejoined_bytes if target in begun else self.loaded_bytes)[target] += pixels * color
            begun.add(target)
            stored = int(passes["depth_store"][index]) == StoreOp.STORE
            if depth and stored and not is_read[index]:
                self.depth_stored_bytes[target] += pixels * depth
