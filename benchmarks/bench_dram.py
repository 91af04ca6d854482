"""Speed of the DRAM model: requests a second on saturating traces, beside DRAMsim3's of simulators.md 2.5.

    python benchmarks/bench_dram.py [--requests N]

CPU time of one thread, best of three; the kernels are compiled before the clock starts.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from gpumodel.memory.dram import RequestTrace, load_dram_configs, simulate

#: Thousand requests a second, random and streaming reads (simulators.md 2.5; g++ -O2/-O3, same kind of machine).
DRAMSIM3 = {"lpddr4_2400_bus32": (96, 188), "lpddr4_2400_stock": (110, 165), "lpddr3_1600_stock": (107, 353)}


def traces(count: int) -> dict[str, RequestTrace]:
    """Random reads, streaming reads, and random requests of which a third write, all offered from cycle 0."""
    generator = np.random.default_rng(1)
    somewhere = generator.integers(0, 1 << 28, count) & ~63
    start = np.zeros(count, np.int64)
    reads = np.zeros(count, np.bool_)
    return {
        "random": RequestTrace(start, reads, somewhere),
        "stream": RequestTrace(start, reads, np.arange(count, dtype=np.int64) * 64),
        "mix": RequestTrace(start, generator.random(count) < 1 / 3, somewhere),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=200_000)
    count = parser.parse_args().requests
    print(f"{'configuration':<20} {'trace':<7} {'kreq/s':>8} {'Mcycles/s':>10} {'DRAMsim3 kreq/s':>16} {'ratio':>6}")
    for name, (random, stream) in DRAMSIM3.items():
        config = load_dram_configs()[name]
        for label, trace in traces(count).items():
            best = float("inf")
            for _ in range(3):
                started = time.process_time()
                run = simulate(config, trace)
                best = min(best, time.process_time() - started)
            peer = {"random": random, "stream": stream}.get(label)
            against = f"{peer:>16} {count / best / 1e3 / peer:>6.1f}" if peer else f"{'-':>16} {'-':>6}"
            cycles = run.results["total_cycles"] / best / 1e6
            print(f"{name:<20} {label:<7} {count / best / 1e3:>8.0f} {cycles:>10.1f} {against}")


if __name__ == "__main__":
    main()
