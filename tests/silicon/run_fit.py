"""Fit what our own model measured with secret parameters: python tests/silicon/run_fit.py [SET]

The results come through the kit, from a device that answers with the model's figures. Every parameter is either found
within 5 %, or said not to be identifiable; the status is 1 where one is wrong.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from planted_device import PlantedDevice, planted_results

from gpumodel.config import load_config
from gpureplay.silicon.bench import ReplayedBench
from gpureplay.silicon.fitting import fit
from gpureplay.silicon.mapping import mapping_for
from gpureplay.silicon.parameters import benchmarks_needed

BASE = ("memory.mode='paper'",)
KEYS = (
    "tech.clock_mhz", "tile.width", "tile.height", "memory.paper.bytes_per_cycle", "fragment.issue_cycles.alu",
    "fragment.issue_cycles.transcendental", "fragment.texels_per_cycle", "raster.attributes_per_cycle",
    "command.cycles_per_draw", "vertex.issue_cycles.alu", "vertex.reuse_entries", "caches.texture.size_bytes",
    "caches.l2.size_bytes", "memory.paper.row_hit_cycles", "queues.fragment", "early_z.in_flight_quads",
)  # fmt: skip
SECRETS = (
    (431.0, 32, 16, 8, 3, 5, 2, 2, 150, 4, 32, 16384, 131072, 40, 32, 16),
    (650.0, 64, 64, 16, 5, 11, 8, 8, 37, 2, 64, 4096, 65536, 80, 128, 8),
    (250.0, 8, 32, 2, 2, 3, 1, 1, 420, 6, 8, 32768, 524288, 20, 16, 64),
)


def results_of(secret, bench, names):
    """Results of a V3D that is the model with secret parameters."""
    gpu = load_config("mali450-vro", [*BASE, *(f"{key}={value!r}" for key, value in secret.items())])
    outcomes = {name: one for name, (one,) in bench.run(names, [gpu]).items()}
    values = {"cycle-count": lambda name: outcomes[name].cycles}
    # A counter of its own first: where several are added, the rest is in the first one that is left.
    for common in sorted(mapping_for("V3D").common, key=lambda one: len(one.name)):
        known = [values[name] for name in common.name if name in values]

        def rest(bench, common=common, known=known):
            return sum(outcomes[bench].counters[key] for key in common.ours) / common.factor - sum(
                f(bench) for f in known
            )

        for name in common.name:
            if name not in values:
                values[name], rest = rest, lambda bench: 0
    device = PlantedDevice(
        {name: ("uint64", value) for name, value in values.items()},
        lambda name: 1e3 * outcomes[name].cycles / gpu.tech.clock_mhz,
    )
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        return planted_results(device, patch, tuple(names), Path(folder) / "none.json")


def main() -> int:
    """Fit the sets that are named by number, or all; gives the status."""
    names, wrong = benchmarks_needed(), 0
    with ReplayedBench(names) as bench:
        for number in map(int, sys.argv[1:] or range(len(SECRETS))):
            secret = dict(zip(KEYS, SECRETS[number], strict=True))
            document = results_of(secret, bench, names)
            for one in fit(document, mapping_for("V3D"), load_config("mali450-vro", BASE), bench).parameters:
                true = secret.get(one.key)
                off = "" if true is None or one.value is None else f"{one.value / true - 1:+.1%}" if true else ""
                is_wrong = one.is_identified and true is not None and abs(one.value / true - 1) > 0.05
                wrong += is_wrong
                verdict = "WRONG" if is_wrong else "found" if one.is_identified else "not identifiable"
                interval = f"[{one.low:g}, {one.high:g}]"
                print(f"{number} {one.key:38} {true!s:8} {one.value!s:8} {interval} {off} {verdict}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
