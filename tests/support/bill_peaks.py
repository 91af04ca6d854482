"""What the units can do in a cycle, and what is priced for it.

:func:`demands` says from the configuration how many operators or ports of each structure the model lets work in one
cycle; a structure of the bill says how many are priced (``rate``). Nothing may be asked for that is not priced.
Passes of one sample: a multisampled one tests and blends four samples where this has one, without further hardware.
:func:`peaks` are the rates that vendors publish.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpumodel.config.schema import GpuConfig

__all__ = ["Peaks", "demands", "peaks"]

#: Texels of a bilinear look-up.
_BILINEAR = 4
#: Instructions of a line of code: a thread's lines last so many issues.
_INSTRUCTIONS_PER_LINE = 8


def demands(config: GpuConfig) -> Mapping[str, float]:
    """Operators or ports of each structure of the bill that work in one cycle at most, all Raster Units together."""
    raster, fragment, units = config.raster, config.fragment, config.raster.units
    processors, quads, lanes = fragment.processors * units, raster.quads_per_cycle * units, fragment.lanes
    texture_ports = processors / 2 * fragment.texture_ports if fragment.shared_texture_caches else processors
    out = {
        # a look-up, request, word, primitive or pointer a cycle
        **dict.fromkeys(
            (
                "vertex.cache", "command.buffer", "tile.cache", "vertex.mshr", "tile.mshr", "queue.vertex",
                "queue.triangle", "command.decoder", "vertex.fetcher", "vertex.reuse", "tile_fetcher",
                "tile_fetcher.primitive_table", "polygon_list_builder.list_table", "memory_controller", "l2.mshr",
            ),
            1.0,
        ),
        "queue.tile": units,
        "flush": units,
        "l2.cache": config.caches.l2.banks,
        "texture.cache": texture_ports,
        "texture.mshr": texture_ports,
        # issues of the processors that share one, an eighth of a line each
        "instruction.cache": processors * lanes / 4 / _INSTRUCTIONS_PER_LINE
        + config.vertex.instruction_cache * config.vertex.processors / _INSTRUCTIONS_PER_LINE,
        "instruction.mshr": 1,
        # three edge functions of six multiplies and four adders
        "polygon_list_builder": 10,
        # a vec4 multiply-add
        "vertex.processor": 4 * config.vertex.processors,
        "fragment.processor": 4 * lanes * processors,
        "fragment.register_file": lanes * processors,
        "assembly": 33,
        # three edge functions at four fragments, two adders each
        "rasterizer.edges": 24 * quads,
        "rasterizer.interpolators": 32 * raster.attributes_per_cycle * units,
        # depth and stencil at four fragments, of Early-Z and of the late tests
        "early_z": 2 * 8 * quads,
        "early_z.depth_buffer": 2 * quads,
        "early_z.valid_bits": units,
        "texture.address": 16 * processors,
        "texture.filter": 4 * fragment.texels_per_cycle * processors,
        "queue.fragment": quads if fragment.queues == "shared" else max(quads, processors),
        "queue.color": max(quads, processors),
        "blend": 32 * quads,
        "blend.color_buffer": quads,
        "blend.valid_bits": units,
    }  # fmt: skip
    if config.queues.post_raster:
        out["queue.post_raster"] = quads
    return {name: float(value) for name, value in out.items()}


@dataclass(frozen=True, slots=True)
class Peaks:
    """Rates a GPU clock of a whole machine.

    Parameters
    ----------
    fragments : that leave the Fragment Processors, with a program of one instruction
    instructions : of fragments, up to a vec4 each
    bilinear_texels : look-ups of four texels each
    varying_components : interpolated numbers
    primitives : assembled
    vertex_instructions : up to a vec4 each
    """

    fragments: float
    instructions: float
    bilinear_texels: float
    varying_components: float
    primitives: float
    vertex_instructions: float


def peaks(config: GpuConfig) -> Peaks:
    """What the machine can do in a clock."""
    units = config.raster.units
    lanes = units * config.fragment.processors * config.fragment.lanes
    return Peaks(
        fragments=min(lanes, 4 * config.raster.quads_per_cycle * units),
        instructions=lanes,
        bilinear_texels=units * config.fragment.processors * config.fragment.texels_per_cycle / _BILINEAR,
        varying_components=16 * units * config.raster.attributes_per_cycle,
        primitives=1,
        vertex_instructions=config.vertex.processors,
    )
