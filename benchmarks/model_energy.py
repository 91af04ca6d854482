"""Where the energy of frames goes: shares by structure, dynamic and static, GPU and memory.

python benchmarks/model_energy.py TRACE.gltrace... [-c PRESET] [--memory paper|dram] [--frame N]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import replay
from gpumodel import REQUIRED_COLUMNS, Run, load_config
from gpumodel.results import FrameResult

#: Rows of the table: beginnings of structure names.
GROUPS = (
    ("Vertex Processors and queues", ("vertex.", "queue.vertex", "command.", "instruction.")),
    (
        "assembly, list builder, fetcher",
        ("assembly", "polygon", "tile_fetcher", "queue.triangle", "queue.tile", "tile."),
    ),
    ("rasterizer and interpolators", ("rasterizer",)),
    ("Early-Z and its buffer", ("early_z",)),
    ("Fragment Processors", ("fragment.", "queue.fragment")),
    ("texture caches, address, filter", ("texture.",)),
    ("blending, Colour Buffer, flush", ("blend", "queue.color", "flush")),
    ("L2 and memory controller", ("l2.", "memory_controller")),
)


def shares(result: FrameResult) -> list[tuple[str, float]]:
    """Share of the total of each group, then of static energy and of the memory."""
    total = result.energy.total
    rows = []
    left = dict(result.energy.structures)
    for name, beginnings in GROUPS:
        mine = [key for key in left if key.startswith(beginnings)]
        rows.append((name, sum(sum(left.pop(key)) for key in mine) / total))
    assert not left, sorted(left)
    rows.append(("memory", (result.energy.dram_dynamic + result.energy.dram_static) / total))
    rows.append(("*of all: static*", (result.energy.gpu_static + result.energy.dram_static) / total))
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("-c", "--config", default="mali450-vro")
    parser.add_argument("--memory", choices=("paper", "dram"), default="paper")
    parser.add_argument("--frame", type=int, default=1)
    arguments = parser.parse_args()
    config = load_config(arguments.config, (f"memory.mode={arguments.memory}",))
    columns = []
    for path in arguments.traces:
        frames = (arguments.frame, arguments.frame)
        with replay.frames(path, columns=REQUIRED_COLUMNS, frames=frames) as played:
            columns.append(Run(config).add(next(played))[0])
    print(f"| {arguments.config}, {arguments.memory} | {' | '.join(path.stem for path in arguments.traces)} |")
    print(f"|---|{'--:|' * len(columns)}")
    print(f"| mJ | {' | '.join(f'{result.energy.total / 1e9:.2f}' for result in columns)} |")
    for rows in zip(*map(shares, columns), strict=True):
        print(f"| {rows[0][0]} | {' | '.join(f'{100 * value:.1f} %' for _, value in rows)} |")


if __name__ == "__main__":
    main()
