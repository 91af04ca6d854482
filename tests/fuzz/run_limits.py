"""Runs traces under the default limits, and tells how much of each limit they use.

usage: python tests/fuzz/run_limits.py TRACE... [--frames N]

Each trace is replayed and modelled (``mali450-vro``) in a forked process of its own, from its first frame on. What is
counted: bytes of all buffers and images, and of the largest one; names of one kind; vertices of a draw; blocks of
recorded columns; passes and cycles of a frame; seconds; the process. Loops of shaders are held against their limits,
but not counted. Exit status 1 when a trace ran into a limit or failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).resolve().parents[2]
#: Limits that are counted.
COUNTED: Final = (
    "memory", "buffer or image", "contexts", "names", "draw_vertices", "frame_memory", "frame_passes", "frame_cycles",
    "wall_seconds", "process_memory",
)  # fmt: skip


def _watched(owner: Any, name: str, look: Callable[..., None]) -> None:
    """Have ``look`` see each call of a function behind it: its arguments."""
    real = getattr(owner, name)

    def seen(*args: Any, **keywords: Any) -> Any:
        result = real(*args, **keywords)
        look(*args)
        return result

    setattr(owner, name, seen)


def used(path: Path, frames: int) -> dict[str, Any]:
    """What a trace uses of the limits, in this process, whose functions stay watched; ``error``: why it ended early."""
    from gpumodel import REQUIRED_COLUMNS, Run, load_config
    from replay.engine import columns, engine
    from replay.player import frames as play
    from traceformat.gles import tracker
    from traceformat.gles.state import Namespace

    most: dict[str, Any] = dict.fromkeys(COUNTED, 0)
    kept: list[Any] = []

    def note(name: str, count: int) -> None:
        most[name] = max(most[name], int(count))

    def allocated(t: Any, new_bytes: int, *_: Any) -> None:
        note("memory", t.allocated_bytes)
        note("buffer or image", new_bytes)
        kept[:] = [t]

    _watched(tracker.Tracker, "allocate", allocated)
    _watched(columns.ColumnPool, "take_octets", lambda pool, *_: note("frame_memory", pool._held_bytes()))
    _watched(engine.Engine, "draw", lambda _, __, call: note("draw_vertices", call.count * call.instances))
    begin = time.monotonic()
    try:
        run = Run(load_config("mali450-vro", ["screen.scale_to_trace=true"]), keep_passes=False)
        with play(path, columns=REQUIRED_COLUMNS, frames=(0, frames - 1)) as played:
            for frame in played:
                note("frame_passes", len(frame["passes"]["width"]))
                before = run.machine.cycles
                run.feed(frame)
                note("frame_cycles", run.machine.cycles - before)
            said = [line for line in played.missing if "limit" in line]
        if said:
            most["error"] = said[0]
    except Exception as error:
        most["error"] = f"{type(error).__name__}: {error}"
    note("wall_seconds", round(time.monotonic() - begin + 0.5))
    for t in kept:
        note("contexts", len(t.contexts))
        for context in t.contexts.values():
            parts = [getattr(part, name, None) for part in (context, context.group) for name in type(part).__slots__]
            note("names", max(len(part.objects) for part in parts if isinstance(part, Namespace)))
    held = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())
    note("process_memory", int(held[1]) << 10 if held else 0)
    return most


def forked(path: Path, frames: int) -> dict[str, Any]:
    """The same in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            with open(writing, "w") as pipe:
                json.dump(used(path, frames), pipe)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    found: dict[str, Any] = json.loads(text) if text else {"error": f"the process ended with status {status}"}
    return found


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="How much of each limit traces use.")
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--frames", type=int, default=3, help="of each trace, from the first one")
    options = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    from traceformat.guards import guards

    found = {}
    for path in options.traces:
        found[path.stem] = forked(path, options.frames)
        print(f"{path.stem}: {found[path.stem].get('error') or 'within all limits'}", flush=True)
    ended = {name: row for name, row in found.items() if "error" not in row}
    print("\n| limit | default | most used | by | share |\n|---|--:|--:|---|--:|")
    for limit in COUNTED if ended else ():
        default = getattr(guards(), limit.partition(" ")[0])
        name = max(ended, key=lambda name: ended[name][limit])
        most = ended[name][limit]
        print(f"| `{limit}` | {default:,} | {most:,} | `{name}` | {most / default:.2%} |")
    print(f"\n{len(ended)} of {len(found)} traces within all limits")
    return int(len(ended) < len(found))


if __name__ == "__main__":
    sys.exit(main())
