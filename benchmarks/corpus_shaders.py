"""Compile and link time and instruction counts of every program in traces, or of conformance cases.

    python benchmarks/corpus_shaders.py TRACE.gltrace ... [CASES.jsonl ...] [--json FILE] [--quiet]

Of cases, those that must build are measured. The second link of a program comes from the program cache in a fresh
folder. With --machine-code, both stages of each program are compiled to machine code, too (every texture a bilinear
2D one; programs with others are left out of that), and loaded from the cache of machine code. Times are those of the
processor.
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

from bench_shaders import texture_binding

from replay.glsl.compiler import CompileOptions, Program, compile_shader, link_program
from replay.glsl.counts import count_instructions
from replay.glsl.llvm.stage import LlvmStage, StageOptions
from replay.glsl.program_cache import ProgramCache
from replay.glsl.texturing import Dimension, ResultKind
from replay.texture.emit import SamplerEmitter
from replay.texture.storage import TextureMemory
from traceformat.gltrace.reader import open_trace

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


def cases(path: Path) -> Iterator[tuple[int, bool, list[tuple[str, Any]], dict[str, int]]]:
    """Each program of a file of conformance cases that must build."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            case = json.loads(line)
            if case["expect"] == "pass" and case.get("vertex_source") and case.get("fragment_source"):
                shaders = [(stage, case[f"{stage}_source"]) for stage in STAGES.values()]
                yield number, case.get("es_version") is not None, shaders, {}


def machine_code_ms(program: Program) -> tuple[float | None, float | None]:
    """Time to compile both stages to machine code, and to load them from the cache."""
    memory = TextureMemory()
    key, emitter = texture_binding(memory).key, SamplerEmitter()
    stages = [stage for stage in (program.vertex, program.fragment) if stage is not None]
    lookups = [texture.lookup for stage in stages for texture in stage.textures]
    others = [at for at in lookups if at.dimension is not Dimension.D2 or at.is_array or at.is_shadow]
    if others or any(at.result is not ResultKind.FLOAT for at in lookups):
        return None, None
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            start = time.process_time()
            for stage in stages:
                slots = [key] * (1 + max((texture.lookup.slot for texture in stage.textures), default=-1))
                LlvmStage(stage, slots, StageOptions(), emitter, Path(folder))
            seconds.append(1e3 * (time.process_time() - start))
    return seconds[0], seconds[1]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--machine-code", action="store_true")
    parser.add_argument("--quiet", action="store_true", help="print the medians only")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    num_shaders = 0
    print(f"{'trace':<34}{'program':>8}  linked  cold ms  cached ms  vertex alu/tex  fragment alu/tex")
    for path in options.traces:
        for number, es, shaders, bound in cases(path) if path.suffix == ".jsonl" else programs(path):
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
            if options.machine_code:
                row["machine_code_ms"], row["cached_machine_code_ms"] = machine_code_ms(program)
            for stage in (program.vertex, program.fragment):
                if stage is not None:
                    counts = count_instructions(stage)
                    row[stage.stage] = {"alu": counts.alu, "texture": counts.texture}
            rows.append(row)
            counted = [f"{row[s]['alu']}/{row[s]['texture']}" if s in row else "-" for s in ("vertex", "fragment")]
            if not options.quiet:
                print(
                    f"{path.stem:<34}{number:>8}  {'yes' if program.ok else 'NO':>6}  {row['cold_ms']:7.1f}"
                    f"  {row['cached_link_ms']:9.1f}  {counted[0]:>14}  {counted[1]:>16}"
                )
            if not program.ok:
                print("\n".join([*(shader.log for shader in compiled), program.log]))
    linked = sum(row["linked"] for row in rows)
    keys = [key for key in rows[0] if key.endswith("_ms")]
    known = {key: [row[key] for row in rows if row[key] is not None] for key in keys}
    medians = {key: round(statistics.median(values), 2) for key, values in known.items() if values}
    print(f"{len(rows)} programs, {num_shaders} shaders, {linked} linked; medians {medians}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
