"""Compile and link time and instruction counts of every program in traces.

    python benchmarks/corpus_shaders.py TRACE.gltrace ... [--json FILE]

The second link of a program comes from the program cache in a fresh folder. Times are those of the processor.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from replay.glsl.compiler import CompileOptions, compile_shader, link_program
from replay.glsl.counts import count_instructions
from replay.glsl.program_cache import ProgramCache
from traceformat.reader import open_trace

STAGES = {0x8B31: "vertex", 0x8B30: "fragment"}


def programs(path: Path) -> Iterator[tuple[int, bool, list[tuple[str, Any]], dict[str, int]]]:
    """Each link of a trace: program, whether its context is GLES, stage and source of its shaders, bound attributes."""
    sources: dict[int, Any] = {}
    stages: dict[int, str] = {}
    attached: dict[int, list[int]] = {}
    bound: dict[int, dict[str, int]] = {}
    es = True
    with open_trace(str(path)) as trace:
        for call in trace.calls():
            args: tuple[Any, ...] = call.args
            if call.name == "traceContext":
                es = args[1] == 0
            elif call.name == "glCreateShader":
                stages[int(str(call.result))] = STAGES.get(args[0], "")
            elif call.name == "glShaderSource":
                sources[args[0]] = args[2]
            elif call.name == "glAttachShader":
                attached.setdefault(args[0], []).append(args[1])
            elif call.name == "glDetachShader" and args[1] in attached.get(args[0], []):
                attached[args[0]].remove(args[1])
            elif call.name == "glBindAttribLocation":
                bound.setdefault(args[0], {})[args[2]] = args[1]
            elif call.name == "glLinkProgram":
                shaders = attached.get(args[0], [])
                known = [(stages[shader], sources[shader]) for shader in shaders if shader in sources]
                yield args[0], es, known, dict(bound.get(args[0], {}))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    num_shaders = 0
    print(f"{'trace':<34}{'program':>8}  linked  cold ms  cached ms  vertex alu/tex  fragment alu/tex")
    for path in options.traces:
        for number, es, shaders, bound in programs(path):
            num_shaders += len(shaders)
            with tempfile.TemporaryDirectory() as folder:
                cache = ProgramCache(Path(folder))
                seconds = []
                for _ in range(2):
                    start = time.process_time()
                    compiled = [compile_shader(source, stage, CompileOptions(es=es)) for stage, source in shaders]
                    middle = time.process_time()
                    program = link_program(compiled, attribute_bindings=bound, cache=cache)
                    end = time.process_time()
                    seconds.append((1e3 * (end - start), 1e3 * (end - middle)))
            row: dict[str, Any] = {"trace": path.stem, "program": number, "linked": program.ok}
            row |= {
                "cold_ms": seconds[0][0],
                "compiled_and_cached_link_ms": seconds[1][0],
                "cached_link_ms": seconds[1][1],
            }
            for stage in (program.vertex, program.fragment):
                if stage is not None:
                    counts = count_instructions(stage)
                    row[stage.stage] = {"alu": counts.alu, "texture": counts.texture}
            rows.append(row)
            counted = [f"{row[s]['alu']}/{row[s]['texture']}" if s in row else "-" for s in ("vertex", "fragment")]
            print(
                f"{path.stem:<34}{number:>8}  {'yes' if program.ok else 'NO':>6}  {row['cold_ms']:7.1f}"
                f"  {row['cached_link_ms']:9.1f}  {counted[0]:>14}  {counted[1]:>16}"
            )
            if not program.ok:
                print("\n".join([*(shader.log for shader in compiled), program.log]))
    linked = sum(row["linked"] for row in rows)
    medians = {key: statistics.median(row[key] for row in rows) for key in rows[0] if key.endswith("_ms")}
    print(f"{len(rows)} programs, {num_shaders} shaders, {linked} linked; medians {medians}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
