"""Bill of structures: everything that the machine consists of, with its price.

Arrays, queues and processors have rows in the energy table. Units without a row are composed from operation and gate
rows; their parts are listed here, and in MODEL.md with the reasons. Nothing is free.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from gpumodel.config.schema import GpuConfig
from gpumodel.energy.table import Row, row
from gpumodel.memory.dram.config import load_dram_config
from traceformat.errors import InternalError

__all__ = ["Prices", "Structure", "bill"]

#: NAND2 equivalents of composed parts: a full adder bit is 9, so a 24 x 24 bit multiplier array with its adder and
#: shifters is about 800 full adder bits; half precision (11 bits) about 200. ASSUMED bills, see MODEL.md.
_MAD32_BITS: Final = 800
_MAD16_BITS: Final = 200
#: Components of a register: an instruction is up to so many multiply-adds for a vertex or fragment.
_COMPONENTS: Final = 4
#: Banks of the energy table's L2 rows.
_ROW_L2_BANKS: Final = 8
#: Multiply-adds to interpolate a vec4 attribute at the four fragments of a quad: 4 components x 4 fragments x 2.
_MADS_PER_ATTRIBUTE: Final = 32
#: Structures of which each Raster Unit has its own, by the beginning of their names.
_RASTER_UNIT: Final = (
    "texture.", "fragment.", "blend", "early_z", "queue.tile", "queue.post_raster", "queue.fragment",
    "queue.color", "rasterizer.", "flush",
)  # fmt: skip
#: Perspective divide and viewport of three vertices, and the area: 3 x (reciprocal 4 + divide 3 + viewport 3) + 3.
_MADS_PER_PRIMITIVE: Final = 33
#: Banks of the Depth Buffer for each quad a cycle: Early-Z's and that of the late tests.
_DEPTH_BANKS: Final = 2


@dataclass(slots=True)
class Structure:
    """A priced structure.

    Parameters
    ----------
    name : dotted, the unit first
    leak_mw, area_mm2 : of all instances
    activity : counter (or name of a derived activity, see :mod:`.evaluate`) -> pJ each
    source : rows and rules it comes from
    stored_bytes : that all instances hold, tags and McPAT's core aside
    rate : operators or ports that are priced, which is what it can do in a cycle
    """

    name: str
    leak_mw: float
    area_mm2: float
    activity: dict[str, float] = field(default_factory=dict)
    source: str = ""
    rate: float = 0.0
    stored_bytes: float = 0.0


class Prices:
    """Rows of one configuration's node and device classes."""

    def __init__(self, config: GpuConfig) -> None:
        self._node = config.tech.node_nm
        self._flavor = config.energy.flavor
        self._static = config.energy.static_flavor

    def dynamic(self, name: str) -> Row:
        """Row for energy per access."""
        return row(name, self._node, self._flavor)

    def static(self, name: str) -> Row:
        """Row for leakage and area."""
        return row(name, self._node, self._static)

    def array(
        self, name: str, table_row: str, size: float, count: float, activity: Mapping[str, str], *,
        banks: int = 1, ports: int = 1,
    ) -> Structure:  # fmt: skip
        """``count`` memories of ``size`` times the row's capacity; activity maps counters to read, write or search.

        ``banks`` are those that the row has, ``ports`` those that it gets in place of its one.

        Raises InternalError for an access that the row has no price for: logic has one for reading alone.
        """
        price = self.dynamic(table_row).scaled(size).with_ports(ports)
        static = self.static(table_row).scaled(size).with_ports(ports).times(count)
        pj = {"read": price.read_pj, "write": price.write_pj, "search": price.search_pj}
        costs: dict[str, float] = {}
        for counter, kinds in activity.items():
            for kind in kinds.split():
                if pj[kind.partition("*")[0]] == 0:
                    raise InternalError(f"{name}: {table_row} has no price for {kind.partition('*')[0]}")
            costs[counter] = sum(float(k.partition("*")[2] or 1) * pj[k.partition("*")[0]] for k in kinds.split())
        scaled = f" scaled to {size:g} times its size" if size != 1 else ""
        scaled += f" with {ports} ports" if ports != 1 else ""
        source = f"{count:g} x {table_row}{scaled}"
        return Structure(
            name, static.leak_mw, static.area_mm2, costs, source, count * banks * ports, static.stored_bytes
        )

    def logic(
        self, name: str, full_adder_bits: float, register_bits: float, activity: Mapping[str, float], parts: str,
        rate: float = 1,
    ) -> Structure:  # fmt: skip
        """Datapath of so many full adder and register bits, which are ``rate`` operators; activity maps counters to
        pJ.
        """
        adder, register = self.static("gate_full_adder_bit"), self.static("gate_register_dff_bit")
        return Structure(
            name,
            adder.leak_mw * full_adder_bits + register.leak_mw * register_bits,
            adder.area_mm2 * full_adder_bits + register.area_mm2 * register_bits,
            dict(activity),
            f"{full_adder_bits:g} full adder bits, {register_bits:g} register bits: {parts}",
            rate,
            register.stored_bytes * register_bits,
        )


def bill(config: GpuConfig) -> list[Structure]:
    """Every structure of the machine of a configuration."""
    prices = Prices(config)
    structures = (
        *_caches(config, prices),
        *_buffers(config, prices),
        *_processors(config, prices),
        *_fixed(config, prices),
    )
    units = config.raster.units
    return [
        _times(structure, units) if units > 1 and structure.name.startswith(_RASTER_UNIT) else structure
        for structure in structures
    ]


def _times(structure: Structure, count: int) -> Structure:
    """So many of it: leakage, area and bytes; an access still costs what one costs."""
    return replace(
        structure,
        leak_mw=structure.leak_mw * count,
        area_mm2=structure.area_mm2 * count,
        source=f"{count} Raster Units of {structure.source}",
        rate=structure.rate * count,
        stored_bytes=structure.stored_bytes * count,
    )


def _caches(config: GpuConfig, p: Prices) -> list[Structure]:
    """Caches: an access moves up to 16 bytes through the port, a line is four; the L2 moves lines."""
    caches, count = config.caches, config.fragment.processors
    # Of a Raster Unit; two units share theirs.
    textures = count / 2 if config.fragment.shared_texture_caches else count
    # A port of a shared cache is a bank.
    ports = config.fragment.texture_ports if config.fragment.shared_texture_caches else 1
    vertex, texture, tile, l2 = caches.vertex, caches.texture, caches.tile, caches.l2
    tile_row, tile_size = ("tile_cache_128K", 131072) if tile.size_bytes > 65536 else ("tile_cache_32K", 32768)
    l2_row, l2_size = ("l2_2M", 2097152) if l2.size_bytes > 1048576 else ("l2_256K", 262144)

    def registers(name: str, mshrs: float, instances: float) -> Structure:
        return p.array(
            f"{name}.mshr",
            "mshr_8",
            mshrs / 8,
            instances,
            {f"cache.{name}.misses": "search", f"cache.{name}.primary_misses": "write read"},
        )

    return [
        p.array(
            "vertex.cache",
            "vertex_cache",
            vertex.size_bytes / 4096,
            1,
            {"cache.vertex.accesses": "read", "cache.vertex.primary_misses": "write*4"},
        ),
        p.array(
            "command.buffer",
            "vertex_cache",
            256 / 4096,
            1,
            {"cache.command.accesses": "read*4", "cache.command.primary_misses": "write*4"},
        ),
        p.array(
            "texture.cache",
            "texture_cache",
            texture.size_bytes / 8192 / ports,
            textures * ports,
            {"cache.texture.accesses": "read", "cache.texture.primary_misses": "write*4"},
        ),
        p.array(
            "tile.cache",
            tile_row,
            tile.size_bytes / tile_size,
            1,
            {
                "binning.attributes": "write*3",
                "binning.pointer_writes": "write",
                "tile_fetch.attributes": "read*3",
                "tile_fetch.pointers": "read",
                "cache.tile.primary_misses": "write*4",
                "cache.tile.write_backs": "read*4",
            },
        ),
        p.array(
            "l2.cache",
            l2_row,
            l2.size_bytes / l2_size,
            1,
            {"l2.line_reads": "read", "l2.line_writes": "write", "cache.l2.write_backs": "read"},
            banks=_ROW_L2_BANKS,
        ),
        *_instruction_caches(config, p),
        registers("vertex", vertex.mshrs, 1),
        registers("texture", texture.mshrs / ports, textures * ports),
        registers("tile", tile.mshrs, 1),
        registers("l2", l2.mshrs, 1),
    ]


def _instruction_caches(config: GpuConfig, p: Prices) -> list[Structure]:
    """Instruction Caches of both stages; a look-up reads a line."""
    instruction = config.caches.instruction
    count = config.fragment.instruction_caches * config.raster.units + config.vertex.instruction_cache
    if instruction is None or not count:
        return []
    activity = {"cache.instruction.accesses": "read*4", "cache.instruction.primary_misses": "write*4"}
    misses = {"cache.instruction.misses": "search", "cache.instruction.primary_misses": "write read"}
    return [
        p.array("instruction.cache", "instruction_cache", instruction.size_bytes / 16384, count, activity),
        p.array("instruction.mshr", "mshr_8", instruction.mshrs / 8, count, misses),
    ]


def _buffers(config: GpuConfig, p: Prices) -> list[Structure]:
    """On-chip colour and depth buffers, and the queues; of wide queue entries only the live 16-byte slices are
    charged. What takes or gives several quads a cycle has as many banks.
    """
    queues, count = config.queues, config.fragment.processors
    pixels = config.tile.width * config.tile.height
    buffer_row, buffer_pixels = ("color_depth_buffer_4K", 1024) if pixels >= 1024 else ("color_depth_buffer_1K", 256)
    size = pixels / buffer_pixels
    fragment_queues = count if config.fragment.queues == "per-processor" else 1

    quads = config.raster.quads_per_cycle

    def queue(
        name: str, table_row: str, entries: float, instances: float, slices: int, activity: str, banks: int = 1
    ) -> Structure:
        price = p.dynamic(table_row).scaled(entries / banks)
        static = p.static(table_row).scaled(entries).times(instances)
        return Structure(
            name,
            static.leak_mw,
            static.area_mm2,
            {activity: (price.read_pj + price.write_pj) / slices},
            f"{instances:g} x {table_row}, {entries:g} times its entries, {banks} banks, a slice of {slices} is priced",
            instances * banks,
            static.stored_bytes,
        )

    out = [
        p.array(
            "blend.color_buffer",
            buffer_row,
            size / quads,
            config.blend.color_buffers * quads,
            {"color_buffer.reads": "read", "color_buffer.writes": "write", "color_buffer.transfers": "read"},
        ),
        p.array(
            "early_z.depth_buffer",
            buffer_row,
            size / (_DEPTH_BANKS * quads),
            _DEPTH_BANKS * quads,
            {"depth_buffer.reads": "read", "depth_buffer.writes": "write", "depth_buffer.transfers": "read"},
        ),
        queue(
            "queue.vertex", "queue_vertex", (queues.vertex_input + queues.vertex_output) / 32, 2, 1, "vertices.queued"
        ),
        queue("queue.triangle", "queue_triangle_tile", queues.triangle / 16, 1, 25, "queue.triangle.slices"),
        queue("queue.tile", "queue_triangle_tile", queues.tile / 16, 1, 25, "queue.tile.slices"),
        queue("queue.fragment", "queue_fragment", queues.fragment / 64, fragment_queues, 1, "fs.quads", quads),
        queue("queue.color", "queue_color_thesis", queues.color / 64, 1, 1, "quads.blended", max(count, quads)),
    ]
    if queues.post_raster:
        post_raster, row_entries = "queue_post_raster_thesis", 512
        entries = queues.post_raster / row_entries
        out.append(queue("queue.post_raster", post_raster, entries, 1, 1, "quads.rasterized", quads))
    return out


def _processors(config: GpuConfig, p: Prices) -> list[Structure]:
    """Programmable processors: McPAT's embedded core with further multiply-adds for the width of an instruction,
    priced by what it does, and the threads' register files.
    """
    fpu, alu = p.dynamic("fpu_op_mcpat").read_pj, p.dynamic("int_alu_op_mcpat").read_pj
    front_end = p.dynamic("mcpat_ifu").read_pj + p.dynamic("mcpat_decoder").read_pj
    move = p.dynamic("mcpat_rf_32x32b").read_pj * 4
    core, lanes = p.static("mcpat_inorder_core"), config.fragment.lanes
    mad = p.dynamic("op_fp32_mad_horowitz").read_pj

    def processor(name: str, stage: str, instances: int, width: int, cycles_of_a_quad: int) -> Structure:
        # The core's own FPU is the first component of the first lane; the others are composed as everywhere.
        mads = instances * (width - 1)
        further = p.logic("", mads * _MAD32_BITS, mads * 3 * 32, {}, "")
        costs = {
            f"{stage}.executed.alu": fpu + (_COMPONENTS - 1) * mad,
            # A special function is a table look-up and two multiply-adds: two operations.
            f"{stage}.executed.transcendental": 2 * fpu,
            f"{stage}.executed.move": move,
            f"{stage}.executed.texture": alu,
            f"{stage}.executed.control": alu,
            f"{stage}.executed.kill": alu,
            # A quad's instruction is fetched and decoded once.
            f"{stage}.issue_cycles": front_end / cycles_of_a_quad,
        }
        return Structure(
            name,
            core.leak_mw * instances + further.leak_mw,
            core.area_mm2 * instances + further.area_mm2,
            costs,
            f"{instances} x mcpat_inorder_core and {width - 1} multiply-adds; fpu_op_mcpat, 3 op_fp32_mad_horowitz,"
            " int_alu_op_mcpat a lane; ifu + decoder an instruction",
            instances * width,
        )

    # A file for each lane that issues together, 16 bytes wide.
    table_row = {1: "regfile_16K", 2: "regfile_8K", 4: "regfile_4K"}[lanes]
    files = lanes * config.fragment.processors
    registers = p.static(table_row).scaled(config.fragment.threads / 16).times(files)
    return [
        processor("vertex.processor", "vs", config.vertex.processors, _COMPONENTS, 1),
        processor("fragment.processor", "fs", config.fragment.processors, _COMPONENTS * lanes, 4 // lanes),
        Structure(
            "fragment.register_file",
            registers.leak_mw,
            registers.area_mm2,
            {},
            f"{lanes} x {table_row} a processor of 16 threads; its accesses are in fpu_op_mcpat (operand delivery)",
            files,
            registers.stored_bytes,
        ),
    ]


def _valid_bits(config: GpuConfig, p: Prices) -> list[Structure]:
    """A bit a quad of the on-chip buffers says that it was written since the tile began: a tile is cleared in the
    cycle of its barrier, and a quad that was not written yet reads the clear value (ASSUMED).
    """
    quads = config.tile.width * config.tile.height / 4
    register = p.dynamic("gate_register_dff_bit").read_pj
    return [
        p.logic(f"{name}.valid_bits", 0, quads * sets, {"tiles.rendered": quads * register}, "a bit a quad", sets)
        for name, sets in (("early_z", 1), ("blend", config.blend.color_buffers))
    ]


def _primitive_table(config: GpuConfig, p: Prices) -> list[Structure]:
    """Primitive Table of the pipelined Tile Fetcher: each attribute is written and read once."""
    if config.tile_fetcher.design != "pipelined":
        return []
    entries = config.tile_fetcher.primitive_table
    activity = {"tile_fetch.attributes": "write read"}
    return [p.array("tile_fetcher.primitive_table", "primitive_table", entries / 16, 1, activity)]


def _fixed(config: GpuConfig, p: Prices) -> list[Structure]:
    """Fixed-function units, composed from operation and gate rows."""
    mad32 = p.dynamic("op_fp32_mad_horowitz").read_pj
    mad16 = p.dynamic("op_fp16_add_horowitz").read_pj + p.dynamic("op_fp16_mul_horowitz").read_pj
    integer = p.dynamic("op_int32_mul_horowitz").read_pj + p.dynamic("op_int32_add_horowitz").read_pj
    adder, register = p.dynamic("logic_adder_32b").read_pj, p.dynamic("logic_register_32b").read_pj
    mux = p.dynamic("logic_mux2_32b").read_pj
    raster, count = config.raster, config.fragment.processors
    quads = raster.quads_per_cycle
    reuse = config.vertex.reuse_entries
    texel_mads = config.fragment.texels_per_cycle * 4 * count
    # Tests of tiles that a primitive misses have a unit's area; their activity is not counted.
    tests = max(config.binning.tests_per_cycle, 1)
    controller_entries = config.memory.paper.read_queue + config.memory.paper.write_queue
    if config.memory.mode == "dram":
        controller = load_dram_config(config.memory.dram.config)
        queues = 2 * controller.system.trans_queue_size
        queues += controller.system.cmd_queue_size * controller.ranks * controller.banks
        controller_entries = config.memory.dram.request_queue + controller.system.channels * queues
    return [
        p.logic("command.decoder", 32 * 4, 32 * 64, {"command.words": adder + register}, "adder and register a word"),
        p.logic(
            "vertex.fetcher",
            32 * 4,
            32 * 16,
            {"cache.vertex.accesses": 2 * adder + 2 * register},
            "two address adders and registers a look-up",
        ),
        p.array("vertex.reuse", "mshr_8", max(reuse, 1) / 8, 1, {"vertices.in": "search", "vertices.shaded": "write"}),
        p.logic(
            "assembly",
            _MADS_PER_PRIMITIVE * _MAD32_BITS,
            3 * 32 * 16,
            {"primitives.in": _MADS_PER_PRIMITIVE * mad32},
            "33 multiply-adds a primitive, one a cycle",
            _MADS_PER_PRIMITIVE,
        ),
        p.logic(
            "polygon_list_builder",
            12 * 32 * 24 * tests,
            32 * 32,
            {"binning.pointer_writes": 6 * integer + 4 * adder},
            "three edge functions at a tile corner: 6 multiplies, 4 adders",
            12 * tests,
        ),
        p.array(
            "polygon_list_builder.list_table", "signature_buffer_1f", 1, 1, {"binning.pointer_writes": "read write"}
        ),
        *_primitive_table(config, p),
        p.logic(
            "tile_fetcher",
            32 * 4,
            32 * 48,
            {"tile_fetch.requests": 2 * adder + 2 * register},
            "two address adders and registers a request, a primitive's state",
        ),
        p.logic(
            "rasterizer.edges",
            quads * 12 * 32 * 2,
            quads * 32 * 24,
            {"quads.rasterized": 12 * (2 * adder + register)},
            "three edge functions at four fragments, two adders each",
            quads * 24,
        ),
        p.logic(
            "rasterizer.interpolators",
            raster.attributes_per_cycle * _MADS_PER_ATTRIBUTE * _MAD32_BITS,
            raster.attributes_per_cycle * 16 * 32,
            {"attributes.interpolated": _MADS_PER_ATTRIBUTE * mad32},
            "32 multiply-adds a quad and attribute",
            raster.attributes_per_cycle * _MADS_PER_ATTRIBUTE,
        ),
        p.logic(
            "early_z",
            _DEPTH_BANKS * quads * 4 * 32 * 2,
            config.early_z.in_flight_quads * 4 * 40,
            {"quads.rasterized": 4 * register, "depth_buffer.reads": 4 * 2 * adder},
            "compare and stencil at four fragments, early and late; registers of the quads in flight",
            _DEPTH_BANKS * quads * 8,
        ),
        *_valid_bits(config, p),
        p.logic(
            "texture.filter",
            texel_mads * _MAD16_BITS,
            texel_mads * 32,
            {"texels": 4 * mad16},
            "4 half-precision multiply-adds a texel",
            texel_mads,
        ),
        p.logic(
            "texture.address",
            count * 4 * 4 * 32 * 24,
            count * 4 * 32 * 8,
            {"fs.texture_quads": 4 * 4 * integer},
            "4 lanes, 4 multiply-adds a quad",
            count * 16,
        ),
        p.logic(
            "blend",
            quads * 4 * 4 * 2 * _MAD16_BITS,
            max(quads, config.blend.in_flight_quads) * 4 * 64,
            {"color_buffer.reads": 32 * mad16, "quads.blended": 4 * (mux + register)},
            "4 fragments x 4 channels x 2 half-precision multiply-adds; registers of the quads in flight",
            quads * 32,
        ),
        p.logic(
            "flush",
            32 * 4,
            512 * 2,
            {"dram.lines.color": 2 * adder + 16 * register},
            "address adders, a line of registers",
        ),
        p.array(
            "memory_controller", "queue_color_thesis", controller_entries / 64, 4, {"dram.requests": "read*4 write*4"}
        ),
    ]
