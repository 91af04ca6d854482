"""The schema of a GPU configuration.

Every field has its unit in its name or description, a range, and its source in the presets' comments. Array capacities
of the compiled state (:mod:`gpumodel.units.capacity`) are the upper ends of the ranges.
"""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

from pydantic import Field, field_validator, model_validator

from gpumodel.config.section import MachineConfig, PowerOfTwo, Section
from gpumodel.memory.dram.config import load_dram_configs
from gpumodel.units.capacity import (
    COLOR_RING,
    FLIGHT_RING,
    FRAGMENT_RING,
    INPUT_RING,
    L1_BYTES,
    L1_MSHRS,
    L1_RING,
    L2_BYTES,
    L2_MSHRS,
    LPDDR_BURSTS,
    MAX_CHANNELS,
    MAX_PROCESSORS,
    MAX_RASTER_PROCESSORS,
    MAX_RASTER_UNITS,
    MAX_SHARING_THREADS,
    MAX_TABLE_ENTRIES,
    MAX_THREADS,
    MAX_TILE_SIDE,
    MAX_VERTEX_PROCESSORS,
    MEMORY_QUEUE,
    POST_RASTER_RING,
    SHARED_PORTS,
    TILE_QUEUE_RING,
    TRIANGLE_RING,
)

__all__ = [
    "BinningConfig",
    "BlendConfig",
    "CacheConfig",
    "CachesConfig",
    "CommandConfig",
    "DramMemoryConfig",
    "EarlyZConfig",
    "EnergyConfig",
    "FragmentConfig",
    "GpuConfig",
    "IssueConfig",
    "L2Config",
    "MemoryConfig",
    "PaperMemoryConfig",
    "QuadMapName",
    "QueuesConfig",
    "RasterConfig",
    "ScreenConfig",
    "TechConfig",
    "TileConfig",
    "TileFetcherConfig",
    "VertexConfig",
]


#: Maps of quads to processors, see :mod:`gpumodel.quad_maps`.
QuadMapName: TypeAlias = Literal[
    "interleaved", "rows", "quadrants", "1-quadrant", "2-vertical", "3-vertical-Q", "4-mini-vertical", "5-UD-Q",
    "6-UD-Q-x2", "7-UD-L", "8-UD-L-x2", "9-UD-L-x4", "10-UD-L-x4-zorder", "11-blocking", "12-snake", "13-snake-fine",
    "14-Z-Q", "15-Z-L", "16-mini-UD", "17-mini-UD-x2",
]  # fmt: skip


class TechConfig(Section):
    """Clock, process and supply."""

    clock_mhz: float = Field(gt=0, le=10_000, description="GPU clock, MHz")
    node_nm: Literal[22, 32] = Field(description="process node, nm; the energy table has 22 and 32")
    voltage_v: float = Field(gt=0.3, le=2.0, description="supply, V; the energy table is made for 1.0")


class ScreenConfig(Section):
    """The screen that the preset was described with."""

    width: int = Field(ge=1, le=16384, description="pixels")
    height: int = Field(ge=1, le=16384, description="pixels")
    scale_to_trace: bool = Field(description="use the trace's own resolution instead of this one")
    frame_buffers: int = Field(ge=1, le=4, description="frame buffers of the screen, used in turn")


class TileConfig(Section):
    """Tiles."""

    width: PowerOfTwo = Field(ge=4, le=MAX_TILE_SIDE, description="pixels")
    height: PowerOfTwo = Field(ge=4, le=MAX_TILE_SIDE, description="pixels")
    order: Literal["scanline", "z-order", "snake", "hilbert"] = Field(description="order in which tiles are rendered")


class CommandConfig(Section):
    """Command Processor."""

    bytes_per_draw: int = Field(ge=0, le=4096, description="command words read for a draw, bytes")
    cycles_per_draw: int = Field(ge=1, le=4096, description="decoding a draw, cycles")


class IssueConfig(Section):
    """Cycles that an instruction occupies the issue slot, by kind: for a vertex, and for the fragments of a quad that
    issue together.
    """

    alu: int = Field(ge=0, le=64, description="cycles")
    transcendental: int = Field(ge=0, le=64, description="cycles")
    move: int = Field(ge=0, le=64, description="cycles")
    texture: int = Field(ge=0, le=64, description="cycles")
    control: int = Field(ge=0, le=64, description="cycles")
    kill: int = Field(ge=0, le=64, description="cycles")


class VertexConfig(Section):
    """Vertex Fetcher and Vertex Processors."""

    processors: int = Field(ge=1, le=MAX_VERTEX_PROCESSORS, description="Vertex Processors")
    instruction_cache: bool = Field(default=False, description="the Vertex Processors have an Instruction Cache")
    reuse_entries: int = Field(ge=0, le=256, description="post-transform buffer (first in, first out); 0 = no reuse")
    issue_cycles: IssueConfig


class QueuesConfig(Section):
    """Depths of the queues between the units."""

    vertex_input: int = Field(ge=1, le=INPUT_RING, description="vertices")
    vertex_output: int = Field(ge=1, le=64, description="vertices")
    triangle: int = Field(ge=2, le=TRIANGLE_RING, description="entries of 8 attributes")
    tile: int = Field(ge=2, le=TILE_QUEUE_RING, description="entries of 8 attributes")
    post_raster: int = Field(
        default=0, ge=0, le=POST_RASTER_RING, description="quads between Rasterizer and Early-Z; 0 = they are one stage"
    )
    fragment: int = Field(ge=1, le=FRAGMENT_RING, description="quads, of each fragment queue")
    color: int = Field(ge=1, le=COLOR_RING, description="quads between Fragment Processors and Blending")


class BinningConfig(Section):
    """Polygon List Builder and Parameter Buffer."""

    test: Literal["exact", "bounding-box"] = Field(description="which tiles a primitive is sorted into")
    tests_per_cycle: int = Field(
        default=0,
        ge=0,
        le=64,
        description="tiles of a primitive's bounds that are tested a cycle; 0 = however many its writes need",
    )
    parameter_buffer_mib: int = Field(ge=1, le=1024, description="capacity, MiB")
    overlap: Literal["none", "pass", "frame"] = Field(
        description="geometry beside the raster phase of the pass before: of no pass, of passes of the same frame, or"
        " of the next frame's too; there is a second Parameter Buffer then"
    )


class TileFetcherConfig(Section):
    """Tile Scheduler and Tile Fetcher."""

    design: Literal["simple", "pipelined"] = Field(
        description="simple: one primitive in flight (VRO, RE; thesis's old design); pipelined: the thesis's new one"
    )
    primitive_table: int = Field(
        ge=1, le=MAX_TABLE_ENTRIES, description="entries of the Primitive Table, pipelined design only"
    )
    tile_pipelining: bool = Field(description="the next tile is fetched while this one is rendered")


class RasterConfig(Section):
    """Raster Units and their Rasterizers; quads_per_cycle also holds for Early-Z and Blending."""

    units: int = Field(
        default=1, ge=1, le=MAX_RASTER_UNITS, description="Raster Units, each with all that fragment and blend say"
    )
    assignment: Literal["static", "dynamic", "mixed"] = Field(
        default="static",
        description="Raster Unit of a tile: in turn; shortest Tile Queue; the same, ties to the one not chosen last",
    )
    attributes_per_cycle: int = Field(ge=1, le=256, description="attributes interpolated for a quad a cycle")
    quads_per_cycle: int = Field(ge=1, le=16, description="quads a cycle at most")


class EarlyZConfig(Section):
    """Early-Z."""

    in_flight_quads: int = Field(ge=1, le=FLIGHT_RING, description="quads")
    latency_cycles: int = Field(ge=1, le=64, description="from a quad's entry to its end, cycles")


class FragmentConfig(Section):
    """Fragment Processors."""

    processors: int = Field(ge=1, le=MAX_PROCESSORS, description="Fragment Processors of a Raster Unit")
    instruction_caches: int = Field(
        default=0, ge=0, le=MAX_PROCESSORS, description="of a Raster Unit; processors share them"
    )
    threads: int = Field(ge=1, le=MAX_THREADS, description="quads in a processor")
    lanes: Literal[1, 2, 4] = Field(
        default=1, description="fragments of a quad that issue together; its instruction takes 4 / lanes issues"
    )
    queues: Literal["shared", "per-processor"] = Field(description="one fragment queue, or one a processor")
    quad_map: QuadMapName = Field(
        description="processor of a quad: 2x2 interleaved, rows of quads in turn, a quarter of the tile each, or one of"
        " thesis §6.3"
    )
    shared_texture_caches: bool = Field(
        default=False, description="processors of two neighbouring Raster Units share a Texture Cache (thesis §6.2)"
    )
    texture_ports: int = Field(
        default=1, ge=1, le=SHARED_PORTS, description="look-ups a cycle of a shared Texture Cache"
    )
    texels_per_cycle: int = Field(ge=1, le=256, description="filter rate of a processor's texture unit, texels a cycle")
    issue_cycles: IssueConfig


class BlendConfig(Section):
    """Blending."""

    color_buffers: Literal[1, 2] = Field(description="2: the next tile blends while this one is flushed")
    in_flight_quads: int = Field(
        default=0, ge=0, le=FLIGHT_RING, description="quads; 0 = a quad retires in the cycle in which it enters"
    )
    latency_cycles: int = Field(
        default=2, ge=1, le=64, description="from a quad's entry to its end, cycles; with in_flight_quads only"
    )


class CacheConfig(Section):
    """A level-one cache."""

    size_bytes: PowerOfTwo = Field(ge=128, le=L1_BYTES, description="bytes")
    ways: PowerOfTwo = Field(ge=1, le=32, description="associativity")
    latency_cycles: int = Field(ge=1, le=256, description="hit latency, cycles")
    mshrs: int = Field(ge=1, le=L1_MSHRS, description="lines that can be missing at a time")
    request_queue: int = Field(ge=1, le=L1_RING, description="requests waiting for the L2")

    @model_validator(mode="after")
    def _has_sets(self) -> Self:
        if self.size_bytes < 64 * self.ways:
            raise ValueError(f"{self.ways} ways of 64-byte lines do not fit in {self.size_bytes} bytes")
        return self


class L2Config(Section):
    """The L2 cache."""

    size_bytes: PowerOfTwo = Field(ge=1024, le=L2_BYTES, description="bytes")
    ways: PowerOfTwo = Field(ge=1, le=32, description="associativity")
    banks: PowerOfTwo = Field(ge=1, le=32, description="banks, one request a cycle each")
    latency_cycles: int = Field(ge=1, le=256, description="request to answer on a hit, cycles")
    mshrs: int = Field(ge=1, le=L2_MSHRS, description="lines that can be missing at a time")

    @model_validator(mode="after")
    def _has_sets(self) -> Self:
        if self.size_bytes < 64 * self.ways:
            raise ValueError(f"{self.ways} ways of 64-byte lines do not fit in {self.size_bytes} bytes")
        return self


class CachesConfig(Section):
    """All caches; lines have 64 bytes."""

    vertex: CacheConfig
    tile: CacheConfig
    texture: CacheConfig = Field(description="one a Fragment Processor")
    instruction: CacheConfig | None = Field(default=None, description="Instruction Caches; none when left out")
    l2: L2Config


class PaperMemoryConfig(Section):
    """The papers' simple memory (DESIGN §6)."""

    row_hit_cycles: int = Field(ge=1, le=10_000, description="latency when the line lies in its channel's last row")
    row_miss_cycles: int = Field(ge=1, le=10_000, description="latency otherwise")
    bytes_per_cycle: PowerOfTwo = Field(
        ge=1, le=256, description="width of the data pipe, bytes a GPU cycle, all channels"
    )
    channels: PowerOfTwo = Field(ge=1, le=MAX_CHANNELS, description="channels, each with a row register")
    row_bytes: PowerOfTwo = Field(ge=64, le=65536, description="bytes of a row in one channel")
    read_queue: int = Field(ge=1, le=MEMORY_QUEUE, description="reads under way")
    write_queue: int = Field(ge=1, le=MEMORY_QUEUE, description="writes waiting")

    @model_validator(mode="after")
    def _latencies_are_ordered(self) -> Self:
        if self.row_miss_cycles < self.row_hit_cycles:
            raise ValueError("row_miss_cycles is less than row_hit_cycles")
        return self


class DramMemoryConfig(Section):
    """The command-level LPDDR model (DESIGN §4.10)."""

    config: str = Field(
        description="name of a DRAM configuration (gpumodel/memory/dram/configs.toml); prices are its devices' in mode"
        " paper, too"
    )
    request_queue: int = Field(ge=1, le=MEMORY_QUEUE, description="lines on their way into the controller's clock")
    bytes_per_cycle: int = Field(
        default=0, ge=0, le=256, description="cap on what moves a GPU cycle; 0 = the channels'"
    )

    @field_validator("config")
    @classmethod
    def _is_a_dram_configuration(cls, value: str) -> str:
        names = load_dram_configs()
        if value not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        if names[value].line_bursts > LPDDR_BURSTS:
            raise ValueError(f"a line is more than {LPDDR_BURSTS} of its bursts")
        return value


class MemoryConfig(Section):
    """Main memory."""

    mode: Literal["paper", "dram"] = Field(description="paper: latency by row and a pipe; dram: command-level LPDDR")
    paper: PaperMemoryConfig
    dram: DramMemoryConfig


class EnergyConfig(Section):
    """What activity costs."""

    flavor: Literal["LSTP", "HP"] = Field(description="device class of the energy table's rows")
    static_flavor: Literal["LSTP", "HP"] = Field(description="device class that leakage is taken from")
    static_scale: float = Field(ge=0, le=10, description="factor on all leakage")


class GpuConfig(MachineConfig):
    """A whole GPU; one that is loaded has the sections of the known techniques beside these (:mod:`.load`)."""

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

    @model_validator(mode="after")
    def _processors_fit(self) -> Self:
        if self.raster.units * self.fragment.processors > MAX_RASTER_PROCESSORS:
            raise ValueError(
                f"raster.units x fragment.processors = {self.raster.units} x {self.fragment.processors} is more than"
                f" {MAX_RASTER_PROCESSORS}"
            )
        if self.fragment.shared_texture_caches:
            if self.raster.units % 2:
                raise ValueError(
                    "fragment.shared_texture_caches needs an even number of raster.units, for two and two share: "
                    f"raster.units = {self.raster.units}"
                )
            if self.fragment.threads > MAX_SHARING_THREADS:
                raise ValueError(
                    f"fragment.shared_texture_caches with more than {MAX_SHARING_THREADS} threads: "
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
