"""The handheld machine's draws: the engine's front with another rasterizer behind it."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import NDArray

from replay.engine import geometry as geo
from replay.engine.constants import StageConstants
from replay.engine.draw_records import BoundProgram
from replay.engine.draws import DrawPipeline
from replay.engine.fixed_state import FixedState
from replay.engine.fragments import FragmentDraw
from replay.engine.programs import LinkedProgram
from replay.engine.targets import Targets
from replay.handheld.stage import HandheldStage
from replay.handheld.targets import HandheldTarget
from traceformat.gles.state import Context

__all__ = ["HandheldPipeline"]


class HandheldPipeline(DrawPipeline):
    """Executes draws with one or more stages, each of which has targets of its own.

    Attributes
    ----------
    stages : rasterizers, each with its pattern (several make a reference picture sample by sample)
    current : what the next draw is drawn to, one of each stage
    """

    stages: list[HandheldStage]
    current: list[HandheldTarget]

    keeps_setup: ClassVar[bool] = False
    draws_smooth: ClassVar[bool] = False
    shades: ClassVar[bool] = False

    def setup_state(self, context: Context, targets: Targets, mode: int) -> NDArray[Any]:
        """Primitive set-up state for the machine's screen."""
        return self.stages[0].setup(context, self.current[0], mode)

    def rasterize(
        self,
        context: Context,
        targets: Targets,
        linked: LinkedProgram,
        bound: BoundProgram,
        geometry: geo.Geometry,
        fixed: FixedState,
        constants: StageConstants,
        row: tuple[int, int],
    ) -> FragmentDraw:
        """Prepare the fragment stage with the machine's textures; the walk over pixels comes when it runs."""
        replaced = self.stages[0].bind(context, bound)
        fragment = self.fragment_draw(targets, linked, replaced, geometry, fixed, [], constants, row)
        self._drawn = (context, linked)
        return fragment

    def run_fragments(self, fragment: FragmentDraw) -> int:
        """Walk, test, shade and merge."""
        context, linked = self._drawn
        passed = 0
        for stage, target in zip(self.stages, self.current, strict=True):
            passed = stage.draw(fragment, context, target, linked)
        return passed
