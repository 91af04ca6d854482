"""Energy and area: what the counted activity costs.

``evaluate`` turns a frame's counters into picojoules, split into GPU and memory, dynamic and static; ``bill`` lists
every structure of a configuration with its price per access, leakage and area.
"""

from __future__ import annotations

from gpumodel.energy.bill import Structure, bill
from gpumodel.energy.evaluate import FrameEnergy, area_mm2, evaluate

__all__ = ["FrameEnergy", "Structure", "area_mm2", "bill", "evaluate"]
