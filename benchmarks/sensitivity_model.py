"""What halving and doubling each ASSUMED value of a preset does to the cycles of frames.

python benchmarks/sensitivity_model.py TRACE.gputrace [-c PRESET] [--frame N]
"""

from __future__ import annotations

import argparse

from gpumodel import Run, load_config
from traceformat.errors import ConfigError
from traceformat.gputrace import open_gputrace

VALUES = (
    "fragment.threads",
    "caches.texture.mshrs",
    "caches.tile.mshrs",
    "caches.vertex.mshrs",
    "caches.l2.mshrs",
    "caches.texture.request_queue",
    "vertex.reuse_entries",
    "early_z.latency_cycles",
    "fragment.texels_per_cycle",
    "queues.color",
    "command.cycles_per_draw",
    "command.bytes_per_draw",
    "memory.paper.row_bytes",
    "memory.paper.read_queue",
    "memory.paper.write_queue",
)


def main() -> None:
    """Run the frame with every value halved and doubled and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("-c", "--config", default="mali450-vro")
    parser.add_argument("--frame", type=int, default=0, help="place of the frame in the file")
    arguments = parser.parse_args()
    with open_gputrace(arguments.trace) as reader:
        trace = reader.frame(arguments.frame)
    base = load_config(arguments.config)
    cycles = Run(base).add(trace)[0].cycles
    print(f"{'value':32} {'preset':>8} {'halved':>8} {'doubled':>8}")
    for key in VALUES:
        value = base.model_dump()
        for part in key.split("."):
            value = value[part]
        changes = []
        for other in (value // 2, value * 2):
            try:
                config = load_config(arguments.config, [f"{key}={other}"])
                changes.append(f"{Run(config).add(trace)[0].cycles / cycles - 1:+8.2%}")
            except ConfigError:
                changes.append(f"{'-':>8}")
        print(f"{key:32} {value:8} {' '.join(changes)}", flush=True)


if __name__ == "__main__":
    main()
