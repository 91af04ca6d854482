"""Tile packer: hardware that packs a finished tile's colours before they are written, as an example of a technique."""

import numpy as np

from gpumodel.config.section import TechniqueConfig, parameter
from gpumodel.energy.bill import Prices
from gpumodel.techniques import Hook, Plugs, Technique, register
from gpumodel.units.counters import Counter, named

COUNTERS = named("tile-packer", Counter("tiles", "tiles", "tiles packed"))


class PackerConfig(TechniqueConfig):
    """Tile packer."""

    pack_cycles: int = parameter(32, ge=0, le=4096, source="ASSUMED", description="to pack a tile, cycles")


@register
class TilePacker(Technique):
    """Tile packer: each finished tile takes some cycles before it is written."""

    id = "tile-packer"
    source = "an example"
    Config = PackerConfig
    counters = COUNTERS

    def plugs(self, config):
        from tile_packer import kernels  # compiled when it is imported

        self.record = np.zeros(1, kernels.PACKER)
        self.record["pack_cycles"] = PackerConfig.of(config).pack_cycles
        self.record["tile"] = -1
        return Plugs(hooks={"tile_flush": Hook(kernels.pack, self.record)})

    def hardware(self, config):
        return [Prices(config).array("tile-packer.register", "logic_register_32b", 1, 1, {"tile-packer.tiles": "read"})]
