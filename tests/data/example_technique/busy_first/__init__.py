"""Busy tiles first: a scheduler of tiles, as an example of the slot ``tile_order``."""

import numpy as np

from gpumodel.techniques import Plugs, Technique, register


@register
class BusyFirst(Technique):
    """Busy tiles first: tiles are rendered in the order of how many primitives' bounds meet them."""

    id = "busy-first"
    source = "an example"

    def plugs(self, config):
        self.tile = config.tile
        return Plugs(tile_order=self.sort)

    def hardware(self, config):
        return []  # the driver sorts; a sorter in hardware would be priced here

    def sort(self, trace, index, order, across):
        passes, emitted = trace["passes"], trace["emitted"]
        first = int(passes["draw_first"][index])
        own = (emitted["draw"] >= first) & (emitted["draw"] < first + int(passes["draw_count"][index]))
        x0, y0, x1, y1 = np.maximum(emitted["bounds"][own].astype(int), 0).T
        down = len(order) // across
        # Corners of each rectangle of tiles; their double sum counts the rectangles over each tile.
        count = np.zeros((down + 1, across + 1), int)
        left, top = np.minimum(x0 // self.tile.width, across), np.minimum(y0 // self.tile.height, down)
        right = np.minimum(x1 // self.tile.width + 1, across)
        bottom = np.minimum(y1 // self.tile.height + 1, down)
        for y, x, sign in ((top, left, 1), (top, right, -1), (bottom, left, -1), (bottom, right, 1)):
            np.add.at(count, (y, x), sign)
        work = count.cumsum(axis=0).cumsum(axis=1)[:down, :across].reshape(-1)
        return order[np.argsort(-work[order], kind="stable")]
