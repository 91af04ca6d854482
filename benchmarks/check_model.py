"""Checks of the timing model on real frames: both loops agree, and more hardware is never slower.

    python benchmarks/check_model.py TRACE... [--frames N] [--preset NAME]... [-t TECHNIQUE]... [--memory MODE]
        [--no-loops] [--no-more]

For each trace, preset and technique: cycles, counters and unit states of the wake-up loop against
those of the loop that ticks every unit in every cycle, and cycles of the frame when bandwidth, caches, threads
or processors are doubled (slower by more than 1 % is reported). Exit status 1 when something is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from itertools import islice

from gpumodel import Run, load_config, preset_names
from gpumodel.config.change import changed
from gpumodel.config.schema import GpuConfig
from gpumodel.machine import Machine
from gpureplay.sources import open_source
from traceformat.gputrace.frametrace import FrameTrace

#: What is doubled: dotted keys of the configuration.
MORE = {
    "bandwidth": ("memory.paper.bytes_per_cycle",),
    "texture caches": ("caches.texture.size_bytes",),
    "L2": ("caches.l2.size_bytes",),
    "tile cache": ("caches.tile.size_bytes",),
    "threads": ("fragment.threads",),
    "processors": ("fragment.processors",),
}
_TOLERANCE = 1.01


def doubled(config: GpuConfig, keys: Iterable[str]) -> GpuConfig:
    """Configuration with some values doubled."""
    values = {}
    for key in keys:
        value = config
        for part in key.split("."):
            value = getattr(value, part)
        values[key] = 2 * value  # type: ignore[operator]
    return changed(config, values)


def loops_agree(frame: FrameTrace, machine: Machine) -> bool:
    """Tell whether both loops give the same frame; the machine is a fresh one."""
    every = Machine(machine.config, machine.plugs, every_cycle=True)
    a, b = machine.run_frame(frame), every.run_frame(frame)
    return (a.geometry_cycles, a.raster_cycles, a.counters, a.unit_cycles) == (
        b.geometry_cycles, b.raster_cycles, b.counters, b.unit_cycles,
    )  # fmt: skip


def main() -> int:
    """Run the checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+")
    parser.add_argument("--frames", type=int, default=1)
    parser.add_argument("--preset", action="append", choices=preset_names())
    parser.add_argument("-t", dest="techniques", action="append", default=[])
    parser.add_argument("--memory", choices=("paper", "dram"), help="instead of the preset's")
    parser.add_argument("--no-loops", action="store_true")
    parser.add_argument("--no-more", action="store_true")
    options = parser.parse_args()
    wrong = 0
    for path in options.traces:
        with open_source(path, None, 1) as source:
            frames = list(islice(source.frames, options.frames))
        for preset in options.preset or preset_names():
            for text in ("", *options.techniques):
                techniques = [part for part in text.split("+") if part]
                config = load_config(preset)
                if options.memory:
                    config = changed(config, {"memory.mode": options.memory})
                cycles = 0
                for frame in frames:
                    name = f"{source.name} frame {frame.frame} {preset} {text or 'baseline'} {config.memory.mode}"
                    if not options.no_loops:
                        same = loops_agree(frame, Run(config, techniques).machine)
                        wrong += not same
                        print(f"{name}: the loops {'agree' if same else 'DIFFER'}", flush=True)
                    cycles += Run(config, techniques).add(frame)[0].cycles
                if options.no_more:
                    continue
                for what, keys in MORE.items():
                    more = sum(Run(doubled(config, keys), techniques).add(frame)[0].cycles for frame in frames)
                    slower = more > cycles * _TOLERANCE
                    wrong += slower
                    print(f"{name}: {what} x 2: {more / cycles - 1:+.2%}{' SLOWER' if slower else ''}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
