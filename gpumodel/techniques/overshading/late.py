"""A machine whose depth test comes behind the Fragment Processors alone.

Modelled: every draw's tests are late, none is killed early; quads still pass Early-Z, which has nothing to do.
Source: VRO §2 and Figure 2 (first bar).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpumodel.energy.bill import Structure
from gpumodel.techniques.plugs import Plugs
from gpumodel.techniques.registry import Technique, register
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.streams import PassTables

__all__ = ["NoEarlyZ"]


@register
class NoEarlyZ(Technique):
    """A machine whose depth test comes behind the Fragment Processors alone."""

    id = "no-early-z"
    source = "VRO §2, Figure 2"

    def plugs(self, config: GpuConfig) -> Plugs:
        """Make every draw a late one."""
        return Plugs(before_frame=[_test_late])

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Nothing is added."""
        return []


def _test_late(trace: FrameTrace, streams: PassTables) -> None:
    """Let the tests of all draws come late, without a kill before."""
    streams.draws["late"] = 1
    streams.draws["late_kill"] = 0
