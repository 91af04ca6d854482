"""Bills of the techniques worked out with pencil and paper from docs/technique_models.md, at sizes off the rows'.

The language is that of ``test_model_bill_by_hand.py``: ``count x row @ size`` or ``full adder bits + register bits``.
"""

from __future__ import annotations

import pytest
from test_model_bill_by_hand import rows, work_out

from gpumodel import load_config
from gpumodel.energy import bill
from gpumodel.techniques.registry import known_techniques

#: 41 x 25 tiles of 16x16.
SCREEN = ("screen.width=650", "screen.height=400")
#: Signatures of 1025 tiles: of three frame buffers and the frame in work (RE), of three (TE), of 8192.
RE = """
re.compute_luts | 8 x crc_lut_1K @ 1 | re.compute_sub_blocks = 8 read | 8
re.accumulate_luts | 4 x crc_lut_1K @ 1 | re.accumulate_sub_blocks = 4 read | 4
re.compute_xor | 8 x logic_xor_32b @ 1 | re.compute_sub_blocks = 8 read | 8
re.accumulate_xor | 4 x logic_xor_32b @ 1 | re.accumulate_sub_blocks = 4 read | 4
re.registers | 6 x logic_register_32b @ 1 | re.compute_sub_blocks = read, re.accumulate_sub_blocks = read | 6
re.ot_queue | 1 x queue_ot @ 0.5 | re.signature_updates = read + write | 1
re.bitmap | 1 x constants_bitmap @ 0.250244140625 | re.signature_updates = read + write | 1
re.signature_buffer | 1 x signature_buffer_2f @ 0.25024414 | re.signature_updates = read + write, re.tiles_checked = 2 read | 1
re.comparator | 1 x logic_comparator_eq_32b @ 1 | re.tiles_checked = read | 1
"""  # noqa: E501
TE = """
te.crc_luts | 12 x crc_lut_1K @ 1 | te.sub_blocks = 12 read | 12
te.crc_xor | 12 x logic_xor_32b @ 1 | te.sub_blocks = 12 read | 12
te.signature_buffer | 1 x signature_buffer_2f @ 0.1876831 | te.tiles_hashed = read + write | 1
te.comparator | 1 x logic_comparator_eq_32b @ 1 | te.tiles_hashed = read | 1
"""
#: 1024 nodes are numbers of 10 bits; three Raster Units of 256 fragments, each with a bit that it is valid.
VRO = """
vro.owners | 3 x color_depth_buffer_1K @ 0.34375 | quads.rasterized = read, vro.owner_writes = write | 3
vro.owner_comparators | 24 x logic_comparator_mag_12b @ 0.8333333333 | quads.rasterized = 8 read | 24
vro.edge_filter | 3 x edge_filter_cam32 @ 0.5 | vro.filter_searches = search, vro.edges_queued = write | 3
vro.edges_queue | 1 x queue_edges @ 2 | vro.edges_queued = read + write | 1
vro.edge_arbiter | 2 x logic_register_32b @ 0.625 | vro.edges_queued = read | 2
vro.graph_cache | 1 x graph_cache @ 2 | vro.graph_cache.accesses = read | 1
vro.adjacency_register | 32 x logic_register_32b @ 1 | vro.list_searches = 16 read | 32
vro.list_comparators | 5 x logic_comparator_eq_13b @ 0.7692307692 | vro.list_searches = 5 read | 5
vro.degree_adders | 2 x logic_adder_12b @ 0.8333333333 | vro.edges = read, vro.degree_updates = read | 2
vro.minimum | 1 x logic_comparator_mag_12b @ 0.8333333333 | vro.heuristic_picks = read | 1
vro.roots_queue | 1 x roots_queue @ 4 | vro.nodes_sorted = read + write | 1
vro.order_queue | 1 x queue_order @ 0.5 | vro.nodes_sorted = read + write | 1
vro.order_table | 1 x roots_queue @ 8 | vro.nodes_sorted = read + 2 write, vro.list_starts = read | 1
vro.entry_bitmaps | 2 x constants_bitmap @ 0.25 | vro.nodes_sorted = read + write, vro.edges_queued = 2 read + 2 write|2
vro.start_comparators | 15 x logic_comparator_eq_13b @ 0.7692307692 | vro.matcher_reads = 15 read | 15
vro.first_pointers | 2 x roots_queue @ 4 | vro.list_starts = write + read | 2
vro.match_bitmap | 1 x constants_bitmap @ 0.25 | vro.list_starts = read + write | 1
"""
#: A tag of 16 bits and a frozen bit a fragment, twice; comparators of a quad's tags, an arbiter of 8 bits.
DR = """
dr.tags | 2 x color_depth_buffer_1K @ 0.5 | dr.tag_writes = write, dr.tag_reads = read | 2
dr.frozen | 2 x color_depth_buffer_1K @ 0.03125 | dr.hsr_quads = read + write | 2
dr.tag_comparators | 4 x logic_comparator_mag_12b @ 1.3333333333 | dr.tag_reads = 4 read | 4
dr.arbiter | 8 + 64 | dr.hsr_requests = 0.125 add + reg | 1
"""
ZPREPASS = """
zprepass.numbers | 3 x color_depth_buffer_1K @ 0.75 | zprepass.tests = read, zprepass.number_writes = write | 3
zprepass.comparators | 12 x logic_comparator_mag_12b @ 2 | zprepass.tests = 4 read | 12
"""
#: Per-processor queues of 24 quads, four in each of three Raster Units, four bits a quad.
FPK = """
fpk.tags | 12 x mshr_8 @ 3 | fpk.searches = search + write | 12
fpk.hidden | 0 + 1152 | fpk.marks = 4 bit, fpk.searches = 4 bit | 1
"""
#: Three Raster Units of four processors: a tile's number of 11 bits and a count of 8 each.
DTEXL = """
dtexl_like.barriers | 228 + 228 | fs.quads = 0.59375 add + 19 bit | 1
dtexl_like.flip | 4 + 2 | tiles.rendered = 2 bit | 1
"""
#: Of 1025 tiles 32, 25 and 3 times 41 bits; of the 256 pixels of three Raster Units 34 and 17. ``re``'s are its own.
EVR = """
evr_like.layers | 1 x color_depth_buffer_1K @ 4.00390625 | evr-like.entries = read + write | 1
evr_like.far_points | 1 x color_depth_buffer_1K @ 3.1280517578 | evr-like.entries = read, re.tiles_checked = write | 1
evr_like.kept | 1 x color_depth_buffer_1K @ 15.3900146484 | re.tiles_checked = read + write | 1
evr_like.layer_buffer | 3 x color_depth_buffer_1K @ 1.0625 | evr-like.resolved_pixels = read, fragments.written = write | 3
evr_like.places | 3 x color_depth_buffer_1K @ 0.53125 | quads.rasterized = read, depth_buffer.writes = write | 3
evr_like.place_comparators | 12 x logic_comparator_mag_12b @ 1.4166666667 | quads.rasterized = 4 read | 12
evr_like.comparators | 2 x logic_comparator_mag_12b @ 2 | evr-like.entries = 2 read | 2
evr_like.extremes | 9 x logic_comparator_mag_12b @ 2 | evr-like.resolved_pixels = 3 read | 9
"""  # noqa: E501
#: Of 1025 tiles 14 bits each; a bit for each of 4096 list entries, twice; what the front has twice is ``dr``'s.
FRAG_PREPASS = """
frag-prepass.estimates | 1 x color_depth_buffer_1K @ 1.7517089844 | frag-prepass.estimated = read + write | 1
frag-prepass.estimator | 372 + 14 | frag-prepass.estimated = 6 add + 0.17578125 imul | 1
frag-prepass.entry_bits | 2 x constants_bitmap @ 1 | frag-prepass.hsr_quads = write, frag-prepass.tags_scanned = write | 2
"""  # noqa: E501
#: Two blocks a cycle; lines of 64x32 fragments: 11 x 13 on the screen.
LRZ = """
lrz.cache | 1 x vertex_cache @ 0.0625 | lrz.line_reads = 4 read, lrz.line_writes = 4 write, lrz.lines_fetched = 4 write, lrz.lines_evicted = 4 read | 1
lrz.comparators | 4 x logic_comparator_mag_12b @ 1.3333333333 | lrz.blocks = read, lrz.rendering_blocks = read | 4
lrz.plane | 2304 + 128 | lrz.blocks = 2 imul + 2 add | 1
lrz.clear_bits | 0 + 143 | lrz.line_reads = bit, lrz.line_writes = bit, lrz.clear_lines = bit | 1
"""  # noqa: E501
#: 12 bits a line: 256 lines of the Tile Cache (two ways) and 4096 of the L2 (four ways).
TCOR = """
tcor_like.tile_ranks | 1 x color_depth_buffer_1K @ 0.375 | cache.tile.misses = 2 read + write | 1
tcor_like.tile_comparators | 1 x logic_comparator_mag_12b @ 1 | cache.tile.misses = read | 1
tcor_like.l2_ranks | 1 x color_depth_buffer_1K @ 6 | cache.l2.misses = 4 read + write | 1
tcor_like.l2_comparators | 3 x logic_comparator_mag_12b @ 1 | cache.l2.misses = 3 read | 3
"""
#: Three Raster Units: two comparators of 7 bits of occupancy, and of 11 bits of a tile's number.
PTR = """
ptr.control | 14 + 24 | tiles.rendered = 0.4375 add + 0.4375 reg | 1
ptr.flush_arbiter | 22 + 33 | tiles.flushed = 0.6875 add + 0.6875 reg | 1
"""
#: Of a pixel eight adders of 8 bits, four pixels a cycle; a sub-block has 16 pixels.
AFBC = """
afbc.coder | 256 + 0 | afbc.sub_blocks = 32 add | 1
afbc.superblock | 1 x color_depth_buffer_1K @ 1 | afbc.sub_blocks = read + write | 1
"""
#: 1025 tiles of 16 bits each, and of 36 bits, as a super-tile may be one; three Raster Units; two and six places of 12
#: bits.
LIBRA = """
libra_like.figures | 1 x color_depth_buffer_1K @ 2.001953125 | libra-like.looked_up_tiles = read, libra-like.learned_tiles = write | 1
libra_like.sorted | 1 x color_depth_buffer_1K @ 4.50439453125 | libra-like.super_tiles = 2 read + 2 write | 1
libra_like.comparator | 1 x logic_comparator_mag_12b @ 2 | libra-like.super_tiles = 4 read | 1
libra_like.miss_counters | 48 + 48 | cache.texture.primary_misses = 0.5 add | 1
libra_like.places | 96 + 96 | tiles.rendered = 0.75 add + 24 bit | 1
"""  # noqa: E501
#: A depth of 24 bits for 4x4 fragments, of a tile, of the next one, and of what it shows; depths of 24 bits of the
#: fragments; 12 of each comparator.
OMEGA = """
omega_like.cache | 1 x vertex_cache @ 0.125 | omega-like.line_reads = 4 read, omega-like.line_writes = 4 write, omega-like.lines_fetched = 4 write, omega-like.lines_evicted = 4 read | 1
omega_like.tile | 3 x color_depth_buffer_1K @ 0.140625 | omega-like.compared = read, omega-like.line_reads = 4 write | 3
omega_like.left_out | 3 x color_depth_buffer_1K @ 0.75 | omega-like.left_out = read + write, quads.rasterized = read | 3
omega_like.comparators | 12 x logic_comparator_mag_12b @ 6 | omega-like.compared = read | 12
omega_like.extremes | 12 x logic_comparator_mag_12b @ 2 | fragments.written = read | 12
omega_like.entry_bits | 0 + 30 | omega-like.entries_again = bit, tile_fetch.primitives = bit | 1
"""  # noqa: E501
MEMO = """
memo.table | 1 x fm_lut_512 @ 0.5 | memo.lookups = read, memo.inserts = write | 1
memo.comparators | 2 x logic_comparator_eq_32b @ 1 | memo.lookups = read | 2
memo.hash_xor | 1 x logic_xor_32b @ 1 | memo.hashed_words = read | 1
memo.hash_registers | 1 x logic_register_32b @ 1 | memo.hashed_words = read | 1
"""
BILLS = {
    "re": ("mali450-re", (*SCREEN, "screen.frame_buffers=3", "re.sub_block_bytes=4", "re.signature_bits=16",
                          "re.ot_queue=32"), RE),
    "dtexl-like": ("mali450-vro", ("raster.units=3",), DTEXL),
    "evr-like": ("mali450-re", (*SCREEN, "raster.units=3"), EVR),
    "te": ("mali450-re", (*SCREEN, "screen.frame_buffers=3", "te.signature_bits=16"), TE),
    "vro": ("mali450-vro", ("raster.units=3", "vro.nodes=1024", "vro.edge_filter=16", "vro.edges_queue=128",
                            "vro.order_queue=32", "vro.children=5", "vro.graph_entries=1024",
                            "vro.graph_cache.size_bytes=8192"), VRO),
    "dr": ("mali450-vro", (), DR),
    "zprepass": ("mali450-vro", ("raster.units=3",), ZPREPASS),
    "fpk": ("mali450-vro", ("raster.units=3", "fragment.queues='per-processor'", "queues.fragment=24"), FPK),
    "frag-prepass": ("mali450-vro", SCREEN, FRAG_PREPASS),
    "lrz": ("mali450-vro", (*SCREEN, "lrz.cache_bytes=256", "lrz.blocks_per_cycle=2"), LRZ),
    "tcor-like": ("mali450-vro", ("caches.tile.size_bytes=16384", "caches.tile.ways=2",
                                  "caches.l2.size_bytes=262144", "caches.l2.ways=4"), TCOR),
    "ptr": ("mali450-vro", ("raster.units=3",), PTR),
    "memo": ("mali450-re", ("memo.entries=256", "memo.ways=2", "memo.ports=1"), MEMO),
    "afbc": ("mali450-vro", ("afbc.pixels_per_cycle=4",), AFBC),
    "libra-like": ("mali450-vro", (*SCREEN, "raster.units=3"), LIBRA),
    "omega-like": ("mali450-vro", ("raster.units=3", "omega_like.cache_bytes=512", "omega_like.block=4",
                                   "omega_like.bits=24", "queues.tile=10"), OMEGA),
    "list-prefetch": ("mali450-vro", (), "list_prefetch | 64 + 64 | list-prefetch.reads = 2 add + 2 reg | 1"),
    "frame-reverse": ("mali450-vro", (), "frame_reverse.counter | 32 + 1 | frame-reverse.tiles = add | 1"),
}  # fmt: skip
#: What is as many structures of the machine once more.
COPIES = {
    "dr": ("dr.",),
    "frag-prepass": ("frag-prepass.",),
    "evr-like": ("re.",),
    "memo": ("pfr.",),
    "libra-like": ("ptr.",),
}


@pytest.mark.parametrize("name", BILLS)
def test_bill(name: str) -> None:
    preset, settings, text = BILLS[name]
    table = rows(32)
    expected = work_out(text, table)
    technique = known_techniques()[name]()
    found = {s.name: s for s in technique.hardware(load_config(preset, settings))}
    others = {own for own in found if own not in expected}
    assert all(own.startswith(COPIES.get(name, ())) for own in others), others
    for own, (leak, area, activity, rate) in expected.items():
        assert found[own].leak_mw == pytest.approx(leak, rel=1e-5), own
        assert found[own].area_mm2 == pytest.approx(area, rel=1e-5), own
        assert found[own].activity == pytest.approx(activity, rel=1e-5), own
        assert found[own].rate == rate, own


@pytest.mark.parametrize(("name", "prefix", "starts", "shares"), [
    ("dr", "dr.", ("rasterizer.", "early_z", "queue.tile", "queue.fragment", "tile_fetcher"), 1.0),
    ("dr-seq", "dr-seq.", ("rasterizer.", "early_z", "queue.tile", "queue.fragment", "tile_fetcher"), 0.0),
    ("memo", "pfr.", ("tile.cache", "tile.mshr", "tile_fetcher"), 1.0),
])  # fmt: skip
def test_what_is_there_once_more_costs_as_much(name: str, prefix: str, starts: tuple[str, ...], shares: float) -> None:
    """Structures that a technique duplicates have the area and leakage of those of the machine, or share these."""
    config = load_config("mali450-re" if name == "memo" else "mali450-vro")
    found = {s.name: s for s in known_techniques()[name]().hardware(config)}
    copied = [s for s in bill(config) if s.name.startswith(starts)]
    assert len(copied) >= 3
    for structure in copied:
        own = found[prefix + structure.name]
        assert own.area_mm2 == pytest.approx(shares * structure.area_mm2), structure.name
        assert own.leak_mw == pytest.approx(shares * structure.leak_mw), structure.name


def test_a_second_front_end_is_paid_by_its_own_work() -> None:
    """HSR's units cost for HSR's quads what the machine's cost for its own; its fragment queue for every quad."""
    config = load_config("mali450-vro")
    machine, own = ({s.name: s for s in part} for part in (bill(config), known_techniques()["dr"]().hardware(config)))
    assert own["dr.rasterizer.edges"].activity == {
        "dr.hsr_quads": machine["rasterizer.edges"].activity["quads.rasterized"]
    }
    assert own["dr.early_z"].activity == {
        "dr.hsr_quads": machine["early_z"].activity["quads.rasterized"],
        "dr.hsr_depth_reads": machine["early_z"].activity["depth_buffer.reads"],
    }
    assert own["dr.queue.fragment"].activity == {"dr.hsr_quads": machine["queue.fragment"].activity["fs.quads"]}
    assert own["dr.tile_fetcher"].activity == {}
    sequential = {s.name: s for s in known_techniques()["dr-seq"]().hardware(config)}
    assert sequential["dr-seq.queue.fragment"].activity == {}
    assert "dr-seq.arbiter" not in sequential
    assert sequential["dr-seq.tags"].area_mm2 == pytest.approx(own["dr.tags"].area_mm2 / 2)
