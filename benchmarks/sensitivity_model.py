"""What halving and doubling each ASSUMED value of a preset does to the cycles of frames.

    python benchmarks/sensitivity_model.py TRACE... [-c PRESET] [--frame N]

Traces are .gltrace or .gputrace files; one frame of each is measured, and the table has a pair of columns a trace.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import replay
from gpumodel import REQUIRED_COLUMNS, Run, load_config
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace
from traceformat.gputrace.reader import is_gputrace, open_gputrace

VALUES = (
    "fragment.threads",
    "fragment.texels_per_cycle",
    "fragment.issue_cycles.transcendental",
    "caches.texture.mshrs",
    "caches.tile.mshrs",
    "caches.vertex.mshrs",
    "caches.instruction.mshrs",
    "caches.l2.mshrs",
    "caches.texture.request_queue",
    "vertex.reuse_entries",
    "early_z.latency_cycles",
    "queues.color",
    "command.cycles_per_draw",
    "command.bytes_per_draw",
    "tile_fetcher.primitive_table",
    "memory.paper.row_bytes",
    "memory.paper.read_queue",
    "memory.paper.write_queue",
    "memory.paper.row_miss_cycles",
)


def read_frame(path: str, number: int) -> FrameTrace:
    """Frame of a trace."""
    if is_gputrace(path):
        with open_gputrace(path, REQUIRED_COLUMNS) as reader:
            return reader.frame(number)
    with replay.frames(path, columns=REQUIRED_COLUMNS, frames=(number, number)) as played:
        return next(played)


def main() -> None:
    """Run the frames with every value halved and doubled and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="+")
    parser.add_argument("-c", "--config", default="mali450-vro")
    parser.add_argument("--frame", type=int, default=0, help="number of the frame in each trace")
    arguments = parser.parse_args()
    frames = [read_frame(path, arguments.frame) for path in arguments.traces]
    base = load_config(arguments.config)
    cycles = [Run(base).add(trace)[0].cycles for trace in frames]
    names = [Path(path).stem for path in arguments.traces]
    print(f"| {arguments.config} | | {' | '.join(f'{name} halved | doubled' for name in names)} |")
    print(f"|---|--:|{'--:|' * 2 * len(names)}")
    for key in VALUES:
        value = base.model_dump()
        for part in key.split("."):
            value = (value or {}).get(part)
        if value is None:
            continue
        cells = []
        for trace, own in zip(frames, cycles, strict=True):
            for other in (value // 2, value * 2):
                try:
                    config = load_config(arguments.config, [f"{key}={other}"])
                    cells.append(f"{Run(config).add(trace)[0].cycles / own - 1:+.1%}")
                except ConfigError:
                    cells.append("-")
        print(f"| `{key}` | {value} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
