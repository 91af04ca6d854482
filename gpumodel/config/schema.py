"""The schema of a GPU configuration.

Every field has its unit in its name or description, a range, and its source in the presets' comments. Array capacities
of the compiled state (:mod:`gpumodel.units.state`) are the upper ends of the ranges.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from gpumodel.memory.dram.config import load_dram_configs

__all__ = [
    "BinningConfig",
    "BlendConfig",
    "CacheConfig",
    "CachesConfig",
    "CommandConfig",
    "DoubleConfig",
    "DramMemoryConfig",
    "EarlyZConfig",
    "EnergyConfig",
    "FragmentConfig",
    "GpuConfig",
    "IssueConfig",
    "L2Config",
    "MemoConfig",
    "MemoryConfig",
    "PaperMemoryConfig",
    "PtrConfig",
    "PtrSharedConfig",
    "QueuesConfig",
    "RasterConfig",
    "ReConfig",
    "ScreenConfig",
    "TeConfig",
    "TechConfig",
    "TileConfig",
    "TileFetcherConfig",
    "VertexConfig",
]


def _power_of_two(value: int) -> int:
    if value & (value - 1):
        raise ValueError("must be a power of two")
    return value


#: Threads of a processor that shares its Texture Cache: gpumodel.units.state.MAX_SHARING_THREADS.
_MAX_SHARING_THREADS: Final = 31
#: Maps of quads to processors, see :mod:`gpumodel.quad_maps`.
QuadMapName: TypeAlias = Literal[
    "interleaved", "rows", "quadrants", "1-quadrant", "2-vertical", "3-vertical-Q", "4-mini-vertical", "5-UD-Q",
    "6-UD-Q-x2", "7-UD-L", "8-UD-L-x2", "9-UD-L-x4", "10-UD-L-x4-zorder", "11-blocking", "12-snake", "13-snake-fine",
    "14-Z-Q", "15-Z-L", "16-mini-UD", "17-mini-UD-x2",
]  # fmt: skip

PowerOfTwo = Annotated[int, AfterValidator(_power_of_two)]


def _signature_bits(value: int) -> int:
    if not 1 <= value <= 32 and value != 64:
        raise ValueError("must be 1 to 32, or 64")
    return value


#: Bits of a CRC32 that are stored, or 64: the whole identity.
SignatureBits = Annotated[int, AfterValidator(_signature_bits)]


class _Section(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class TechConfig(_Section):
    """Clock, process and supply."""

    clock_mhz: float = Field(gt=0, le=10_000, description="GPU clock, MHz")
    node_nm: Literal[22, 32] = Field(description="process node, nm; the energy table has 22 and 32")
    voltage_v: float = Field(gt=0.3, le=2.0, description="supply, V; the energy table is made for 1.0")


class ScreenConfig(_Section):
    """The screen that the preset was described with."""

    width: int = Field(ge=1, le=16384, description="pixels")
    height: int = Field(ge=1, le=16384, description="pixels")
    scale_to_trace: bool = Field(description="use the trace's own resolution instead of this one")
    frame_buffers: int = Field(ge=1, le=4, description="frame buffers of the screen, used in turn")


class TileConfig(_Section):
    """Tiles."""

    width: PowerOfTwo = Field(ge=4, le=64, description="pixels")
    height: PowerOfTwo = Field(ge=4, le=64, description="pixels")
    order: Literal["scanline", "z-order", "snake"] = Field(description="order in which tiles are rendered")


class CommandConfig(_Section):
    """Command Processor."""

    bytes_per_draw: int = Field(ge=0, le=4096, description="command words read for a draw, bytes")
    cycles_per_draw: int = Field(ge=1, le=4096, description="decoding a draw, cycles")


class IssueConfig(_Section):
    """Cycles that an instruction occupies the issue slot, by kind."""

    alu: int = Field(ge=0, le=64, description="cycles")
    transcendental: int = Field(ge=0, le=64, description="cycles")
    move: int = Field(ge=0, le=64, description="cycles")
    texture: int = Field(ge=0, le=64, description="cycles")
    control: int = Field(ge=0, le=64, description="cycles")
    kill: int = Field(ge=0, le=64, description="cycles")


class VertexConfig(_Section):
    """Vertex Fetcher and Vertex Processors."""

    processors: int = Field(ge=1, le=8, description="Vertex Processors")
    instruction_cache: bool = Field(default=False, description="the Vertex Processors have an Instruction Cache")
    reuse_entries: int = Field(ge=0, le=256, description="post-transform buffer (first in, first out); 0 = no reuse")
    issue_cycles: IssueConfig


class QueuesConfig(_Section):
    """Depths of the queues between the units."""

    vertex_input: int = Field(ge=1, le=64, description="vertices")
    vertex_output: int = Field(ge=1, le=64, description="vertices")
    triangle: int = Field(ge=2, le=64, description="entries of 8 attributes")
    tile: int = Field(ge=2, le=1024, description="entries of 8 attributes")
    fragment: int = Field(ge=1, le=1024, description="quads, of each fragment queue")
    color: int = Field(ge=1, le=128, description="quads between Fragment Processors and Blending")


class BinningConfig(_Section):
    """Polygon List Builder and Parameter Buffer."""

    test: Literal["exact", "bounding-box"] = Field(description="which tiles a primitive is sorted into")
    parameter_buffer_mib: int = Field(ge=1, le=1024, description="capacity, MiB")


class TileFetcherConfig(_Section):
    """Tile Scheduler and Tile Fetcher."""

    design: Literal["simple", "pipelined"] = Field(
        description="simple: one primitive in flight (VRO, RE; thesis's old design); pipelined: the thesis's new one"
    )
    primitive_table: int = Field(ge=1, le=32, description="entries of the Primitive Table, pipelined design only")
    tile_pipelining: bool = Field(description="the next tile is fetched while this one is rendered")


class RasterConfig(_Section):
    """Raster Units and their Rasterizers; quads_per_cycle also holds for Early-Z and Blending."""

    units: int = Field(default=1, ge=1, le=8, description="Raster Units, each with all that fragment and blend say")
    assignment: Literal["static", "dynamic", "mixed"] = Field(
        default="static",
        description="Raster Unit of a tile: in turn; shortest Tile Queue; the same, ties to the one not chosen last",
    )
    attributes_per_cycle: int = Field(ge=1, le=256, description="attributes interpolated for a quad a cycle")
    quads_per_cycle: int = Field(ge=1, le=16, description="quads a cycle at most")


class EarlyZConfig(_Section):
    """Early-Z."""

    in_flight_quads: int = Field(ge=1, le=64, description="quads")
    latency_cycles: int = Field(ge=1, le=64, description="from a quad's entry to its end, cycles")


class FragmentConfig(_Section):
    """Fragment Processors."""

    processors: int = Field(ge=1, le=16, description="Fragment Processors of a Raster Unit")
    instruction_caches: int = Field(default=0, ge=0, le=16, description="of a Raster Unit; processors share them")
    threads: int = Field(ge=1, le=62, description="quads in a processor")
    queues: Literal["shared", "per-processor"] = Field(description="one fragment queue, or one a processor")
    quad_map: QuadMapName = Field(
        description="processor of a quad: 2x2 interleaved, rows of quads in turn, a quarter of the tile each, or one of"
        " thesis §6.3"
    )
    shared_texture_caches: bool = Field(
        default=False, description="processors of two neighbouring Raster Units share a Texture Cache (thesis §6.2)"
    )
    texture_ports: int = Field(default=1, ge=1, le=2, description="look-ups a cycle of a shared Texture Cache")
    texels_per_cycle: int = Field(ge=1, le=256, description="filter rate of a processor's texture unit, texels a cycle")
    issue_cycles: IssueConfig


class BlendConfig(_Section):
    """Blending."""

    color_buffers: Literal[1, 2] = Field(description="2: the next tile blends while this one is flushed")


class CacheConfig(_Section):
    """A level-one cache."""

    size_bytes: PowerOfTwo = Field(ge=128, le=512 * 1024, description="bytes")
    ways: PowerOfTwo = Field(ge=1, le=32, description="associativity")
    banks: PowerOfTwo = Field(ge=1, le=32, description="banks")
    latency_cycles: int = Field(ge=1, le=256, description="hit latency, cycles")
    mshrs: int = Field(ge=1, le=32, description="lines that can be missing at a time")
    request_queue: int = Field(ge=1, le=32, description="requests waiting for the L2")

    @model_validator(mode="after")
    def _has_sets(self) -> Self:
        if self.size_bytes < 64 * self.ways:
            raise ValueError(f"{self.ways} ways of 64-byte lines do not fit in {self.size_bytes} bytes")
        return self


class L2Config(_Section):
    """The L2 cache."""

    size_bytes: PowerOfTwo = Field(ge=1024, le=4 * 1024 * 1024, description="bytes")
    ways: PowerOfTwo = Field(ge=1, le=32, description="associativity")
    banks: PowerOfTwo = Field(ge=1, le=32, description="banks, one request a cycle each")
    latency_cycles: int = Field(ge=1, le=256, description="request to answer on a hit, cycles")
    mshrs: int = Field(ge=1, le=128, description="lines that can be missing at a time")

    @model_validator(mode="after")
    def _has_sets(self) -> Self:
        if self.size_bytes < 64 * self.ways:
            raise ValueError(f"{self.ways} ways of 64-byte lines do not fit in {self.size_bytes} bytes")
        return self


class CachesConfig(_Section):
    """All caches; lines have 64 bytes."""

    vertex: CacheConfig
    tile: CacheConfig
    texture: CacheConfig = Field(description="one a Fragment Processor")
    instruction: CacheConfig | None = Field(default=None, description="Instruction Caches; none when left out")
    l2: L2Config


class PaperMemoryConfig(_Section):
    """The papers' simple memory (DESIGN §6)."""

    row_hit_cycles: int = Field(ge=1, le=10_000, description="latency when the line lies in its channel's last row")
    row_miss_cycles: int = Field(ge=1, le=10_000, description="latency otherwise")
    bytes_per_cycle: PowerOfTwo = Field(
        ge=1, le=256, description="width of the data pipe, bytes a GPU cycle, all channels"
    )
    channels: PowerOfTwo = Field(ge=1, le=16, description="channels, each with a row register")
    row_bytes: PowerOfTwo = Field(ge=64, le=65536, description="bytes of a row in one channel")
    read_queue: int = Field(ge=1, le=64, description="reads under way")
    write_queue: int = Field(ge=1, le=64, description="writes waiting")

    @model_validator(mode="after")
    def _latencies_are_ordered(self) -> Self:
        if self.row_miss_cycles < self.row_hit_cycles:
            raise ValueError("row_miss_cycles is less than row_hit_cycles")
        return self


class DramMemoryConfig(_Section):
    """The command-level LPDDR model (DESIGN §4.10)."""

    config: str = Field(description="name of a DRAM configuration (gpumodel/memory/dram/configs.toml)")
    request_queue: int = Field(ge=1, le=64, description="requests on their way into the controller's clock")

    @field_validator("config")
    @classmethod
    def _is_a_dram_configuration(cls, value: str) -> str:
        names = load_dram_configs()
        if value not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        return value


class MemoryConfig(_Section):
    """Main memory."""

    mode: Literal["paper", "dram"] = Field(description="paper: latency by row and a pipe; dram: command-level LPDDR")
    paper: PaperMemoryConfig
    dram: DramMemoryConfig


class EnergyConfig(_Section):
    """What activity costs."""

    flavor: Literal["LSTP", "HP"] = Field(description="device class of the energy table's rows")
    static_flavor: Literal["LSTP", "HP"] = Field(description="device class that leakage is taken from")
    static_scale: float = Field(ge=0, le=10, description="factor on all leakage")
    dram_pj_per_byte: float = Field(ge=0, le=10_000, description="array, I/O and column access, pJ a byte")
    dram_activate_pj: float = Field(ge=0, le=1e6, description="opening and closing a row, pJ")
    dram_background_mw: float = Field(ge=0, le=10_000, description="standby and refresh of all channels, mW")


class ReConfig(_Section):
    """Rendering Elimination (technique ``re``); the defaults are RE's where it gives them."""

    signature: Literal["crc32", "xor"] = Field(
        default="crc32", description="RE §III-B: CRC32, or the words' exclusive or"
    )
    signature_bits: SignatureBits = Field(
        default=32, description="bits of a signature that are stored; RE: 32; 64 = a perfect hash (what-if)"
    )
    sub_block_bytes: Literal[4, 8, 16] = Field(default=8, description="bytes signed a cycle; RE §III-G: 8")
    ot_queue: int = Field(
        default=16, ge=1, le=1024, description="Overlapped Tiles Queue, entries; ASSUMED, RE gives no size"
    )
    accumulate: Literal["iterative", "single"] = Field(
        default="iterative",
        description="the Accumulate CRC unit shifts a tile's signature over a block a sub-block a cycle (RE"
        " Algorithm 3), or over any length in one cycle (what-if)",
    )
    signing: Literal["timed", "free"] = Field(
        default="timed", description="free: signing takes no cycles, which tells what it costs (what-if)"
    )
    refresh_frames: int = Field(
        default=0, ge=0, description="every so many frames nothing is skipped, 0 = never (RE §III-E)"
    )
    check_cycles: int = Field(
        default=2, ge=1, le=64, description="signature check at tile schedule; RE §V: a few, ASSUMED 2"
    )


class TeConfig(_Section):
    """Transaction Elimination (technique ``te``)."""

    signature_bits: SignatureBits = Field(
        default=32, description="bits of a signature that are stored; RE §IV-C: CRC32; 64 = a perfect hash (what-if)"
    )
    bytes_per_cycle: int = Field(
        default=0, ge=0, le=64, description="colours hashed a cycle before a flush, 0 = in no time as RE §IV-C assumes"
    )


class MemoConfig(_Section):
    """Fragment Memoization (technique ``memo``)."""

    entries: PowerOfTwo = Field(
        default=2048,
        ge=4,
        le=1 << 20,
        description="entries of the look-up table; RE §V-A: 2048, the original 512; 2^20 is as good as unlimited",
    )
    ways: PowerOfTwo = Field(default=4, ge=1, le=64, description="of a set, least recently used goes; RE §V-A: 4")
    hash_bits: int = Field(
        default=32, ge=1, le=64, description="bits of the hash; RE §V-A: 32; 64 is the identity, a perfect hash"
    )
    ports: int = Field(
        default=4, ge=1, le=16, description="accesses a cycle of both frames, a fragment each; ASSUMED 4, a quad"
    )
    hash_cycles: int = Field(
        default=0,
        ge=0,
        le=64,
        description="cycles that a quad waits for its hash at the head of the fragment queue; ASSUMED 0: hashed while"
        " it waits in the queue",
    )

    @model_validator(mode="after")
    def _sets_fit(self) -> Self:
        if self.ways > self.entries:
            raise ValueError("memo.ways is more than memo.entries")
        return self


class PfrConfig(_Section):
    """Parallel Frame Rendering (techniques ``pfr`` and ``memo``)."""

    tiles_behind: int = Field(
        default=0,
        ge=0,
        le=64,
        description="tiles that the second frame of a pair stays behind the first; ASSUMED 0 (what-if: fragments of the"
        " first have left their processors when the second's look for them)",
    )


class PtrConfig(_Section):
    """Parallel Tile Rendering (technique ``ptr``)."""

    units: int = Field(default=2, ge=1, le=8, description="Raster Units; thesis §5.1: 2")
    assignment: Literal["static", "dynamic", "mixed"] = Field(
        default="static", description="of tiles to Raster Units, see raster.assignment; thesis §5.1: static"
    )


class PtrSharedConfig(_Section):
    """Parallel Tile Rendering with shared Texture Caches (technique ``ptr-shared``): units and policy are ``ptr``'s."""

    quad_map: QuadMapName = Field(
        default="11-blocking", description="see fragment.quad_map; thesis §6.4: 11-blocking is the best"
    )
    ports: int = Field(default=1, ge=1, le=2, description="look-ups a cycle of a shared cache; thesis §6.4: 1")
    mshrs: int = Field(default=0, ge=0, le=32, description="of a shared cache; 0 = caches.texture.mshrs")


class DoubleConfig(_Section):
    """A Raster Unit with twice the resources (technique ``double``)."""

    instruction_caches: int = Field(
        default=0, ge=0, le=16, description="of the doubled Raster Unit; 0 = twice as many as before (thesis §5.2: 8)"
    )


class GraphCacheConfig(CacheConfig):
    """VRO's Graph Cache, by default that of VRO Table 2; its miss register and request queue are ASSUMED."""

    size_bytes: PowerOfTwo = Field(default=4096, ge=128, le=512 * 1024, description="bytes; VRO: 4096")
    ways: PowerOfTwo = Field(default=4, ge=1, le=32, description="associativity; VRO: 4")
    banks: PowerOfTwo = Field(default=1, ge=1, le=32, description="banks; VRO: 1")
    latency_cycles: int = Field(default=1, ge=1, le=256, description="hit latency, cycles; VRO: 1")
    mshrs: int = Field(default=1, ge=1, le=32, description="lines that can be missing at a time; ASSUMED")
    request_queue: int = Field(default=4, ge=1, le=32, description="requests waiting for the L2; ASSUMED")


class VroConfig(_Section):
    """Visibility Rendering Order (technique ``vro``); the defaults are VRO Table 2's where it gives them."""

    graph_entries: PowerOfTwo = Field(
        default=8192, ge=16, le=8192, description="entries of the Graph Buffer; VRO: 8192"
    )
    nodes: PowerOfTwo = Field(
        default=1024,
        ge=16,
        le=8192,
        description="nodes of a pass that can be ordered (queue of roots, tables of the order); ASSUMED, VRO's games"
        " have less than 256",
    )
    children: int = Field(default=36, ge=1, le=64, description="children of an entry, W; VRO: 36")
    edge_filter: int = Field(default=32, ge=1, le=256, description="entries of the Edge Filter; VRO: 32")
    searches_per_cycle: int = Field(
        default=1, ge=1, le=16, description="searches of the Edge Filter a cycle; ASSUMED 1"
    )
    edges_queue: int = Field(default=64, ge=1, le=1024, description="Edges Queue, entries; VRO: 64")
    order_queue: int = Field(default=64, ge=1, le=1024, description="Order Queue, entries; VRO: 64")
    graph_cache: GraphCacheConfig = Field(default=GraphCacheConfig(), description="Graph Cache")
    record_cycles: int = Field(default=1, ge=0, le=64, description="cycles to match a node's first pointer; ASSUMED")
    order_bits_per_cycle: int = Field(
        default=64, ge=1, le=8192, description="places of the rendering order that are scanned a cycle; ASSUMED"
    )


class DrConfig(_Section):
    """Deferred Rendering (techniques ``dr`` and ``dr-seq``); its queues are the baseline's, as in VRO Table 2."""

    hsr_attributes: Literal["all", "position"] = Field(
        default="all",
        description="what HSR fetches of a primitive; ASSUMED all, as VRO Table 2 gives its Tile Queue whole entries",
    )
    hsr_entries: int = Field(
        default=0,
        ge=0,
        le=16,
        description="primitives that the HSR fetcher has under way; 0 = as many as the Tile Fetcher has (VRO: one)",
    )


class GpuConfig(_Section):
    """A whole GPU."""

    name: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$", description="what results call it")
    description: str = Field(max_length=400, description="what it models")
    tech: TechConfig
    screen: ScreenConfig
    tile: TileConfig
    command: CommandConfig
    vertex: VertexConfig
    queues: QueuesConfig
    binning: BinningConfig
    tile_fetcher: TileFetcherConfig
    raster: RasterConfig
    early_z: EarlyZConfig
    fragment: FragmentConfig
    blend: BlendConfig
    caches: CachesConfig
    memory: MemoryConfig
    energy: EnergyConfig
    double: DoubleConfig = DoubleConfig()
    memo: MemoConfig = MemoConfig()
    pfr: PfrConfig = PfrConfig()
    ptr: PtrConfig = PtrConfig()
    ptr_shared: PtrSharedConfig = PtrSharedConfig()
    re: ReConfig = ReConfig()
    te: TeConfig = TeConfig()
    vro: VroConfig = VroConfig()
    dr: DrConfig = DrConfig()

    @model_validator(mode="after")
    def _processors_fit(self) -> Self:
        if self.raster.units * self.fragment.processors > 64:
            raise ValueError(
                f"raster.units x fragment.processors = {self.raster.units} x {self.fragment.processors} is more than 64"
            )
        if self.fragment.shared_texture_caches:
            if self.raster.units % 2:
                raise ValueError(
                    "fragment.shared_texture_caches needs an even number of raster.units, for two and two share: "
                    f"raster.units = {self.raster.units}"
                )
            if self.fragment.threads > _MAX_SHARING_THREADS:
                raise ValueError(
                    f"fragment.shared_texture_caches with more than {_MAX_SHARING_THREADS} threads: "
                    f"fragment.threads = {self.fragment.threads}"
                )
        count = self.fragment.instruction_caches
        if count and self.fragment.processors % count:
            raise ValueError(
                f"fragment.processors = {self.fragment.processors} cannot share fragment.instruction_caches = {count}"
            )
        if (count or self.vertex.instruction_cache) and self.caches.instruction is None:
            raise ValueError("caches.instruction is missing")
        return self
