"""Compares what our compiler, Mesa and glslang say of many small shaders, and prints where they differ.

usage: python tests/glsl/judge_shaders.py SNIPPETS... [--versions 100,300,330] [--preprocessor] [--rows]
       python tests/glsl/judge_shaders.py --pairs FAMILIES...      families of shader_pairs: what compiles, what links
       python tests/glsl/judge_shaders.py --mutate N [--seed S] CASES.jsonl...    mutations of conformance cases

SNIPPETS are text files with one shader a line (``#`` begins a comment, a row's verdict letters may stand in front), or
names of generators of ``shader_rules`` (``all`` for every one). Each line is tried in every version, as vertex and as
fragment shader. With ``--rows`` every line is printed with its verdict letters, as the tables of ``tests/glsl/data``
have them: A accepted, R rejected, small where Mesa differs.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]

HEADERS = {
    100: "precision mediump float;\n",
    300: "#version 300 es\nprecision mediump float;\n",
    110: "#version 110\n",
    120: "#version 120\n",
    130: "#version 130\n",
    140: "#version 140\n",
    150: "#version 150\n",
    330: "#version 330\n",
}
STAGES = ("vertex", "fragment")
TABLE_VERSIONS = (100, 300, 120, 150, 330)


def profile_of(version: int) -> str:
    return "es" if version in (100, 300) else "core" if version == 330 else "compatibility"


def snippets(names: list[str]) -> list[str]:
    import shader_rules

    out: list[str] = []
    for name in names:
        path = Path(name)
        if path.exists():
            for line in path.read_text().splitlines():
                out += [re.sub(r"^[ARar]{4,16} ", "", line)] if line and not line.startswith("# ") else []
        else:
            for generator in shader_rules.GENERATORS if name == "all" else [name]:
                out += shader_rules.GENERATORS[generator]()
    return out


def build(line: str, version: int, preprocessor: bool) -> str:
    if preprocessor:
        return HEADERS[version] + json.loads(line) + "\nvoid main(){}\n"
    # "@" in front: the text as it is, version line and all.
    return (
        line[1:].replace("\\n", "\n") if line.startswith("@") else HEADERS[version] + line.replace("\\n", "\n") + "\n"
    )


def judge_pairs(names: list[str], logs: bool) -> int:
    """Compare how far pairs of shaders get: "compile" (one does not), "link" (they do not) or "ok"."""
    import shader_pairs
    from mesa_glsl import MesaProcess

    from replay.glsl import CompileOptions, compile_shader, link_program

    families = shader_pairs.GENERATORS if names == ["all"] else names
    mesa, totals = MesaProcess(), Counter[str]()
    for name in families:
        for va, vertex, vb, fragment in dict.fromkeys(shader_pairs.GENERATORS[name]()):
            texts = HEADERS[va] + vertex + "\n", HEADERS[vb] + fragment + "\n"
            options = CompileOptions(es=va in (100, 300))
            shaders = [compile_shader(text, stage, options) for text, stage in zip(texts, STAGES, strict=True)]
            program = link_program(shaders)
            ours = "ok" if program.ok else "link" if all(shader.ok for shader in shaders) else "compile"
            answer = mesa.ask(profile_of(max(va, vb)), "link", *texts)
            theirs = "died" if answer is None else answer[0]
            totals["same" if ours == theirs else "different"] += 1
            if ours != theirs:
                print(f"{va} {vertex}\n{vb} {fragment}\n    ours {ours}, Mesa {theirs}")
                if logs:
                    log = ("".join(shader.log for shader in shaders) + program.log).partition("\n")[0]
                    said = "died" if answer is None else answer[1].strip()[:300]
                    print(f"      ours: {log}\n      Mesa: {said}")
    mesa.close()
    print(dict(totals), file=sys.stderr)
    return 0


def judge_mutations(paths: list[str], count: int, seed: int) -> int:
    """Compare verdicts on shaders of valid conformance cases with a token or two replaced."""
    from mesa_glsl import MesaProcess
    from shader_mutations import mutate

    from replay.glsl import CompileOptions, compile_shader

    shaders: set[tuple[str, str, bool]] = set()
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            for stage in STAGES:
                if case["expect"] == "pass" and case.get(f"{stage}_source"):
                    shaders.add((case[f"{stage}_source"], stage, case.get("es_version") is not None))
    chosen, rng, mesa, totals = sorted(shaders), random.Random(seed), MesaProcess(), Counter[str]()
    for _ in range(count):
        source, stage, es = rng.choice(chosen)
        text = mutate(source, rng)
        ours = compile_shader(text, stage, CompileOptions(es=es))
        answer = mesa.ask("es" if es else "core", "compile", text, stage)
        if answer is None or answer[0] == ours.ok:
            totals["died" if answer is None else "both accept" if ours.ok else "both reject"] += 1
            continue
        messages = [line for line in (answer[1] if ours.ok else ours.log).splitlines() if "error" in line][:1]
        totals["we accept" if ours.ok else "we reject"] += 1
        print(f"{'we accept' if ours.ok else 'we reject'} ({stage}, {'ES' if es else 'desktop'}): {messages}")
    mesa.close()
    print(dict(totals), file=sys.stderr)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("snippets", nargs="+")
    parser.add_argument("--versions", default=",".join(map(str, TABLE_VERSIONS)))
    parser.add_argument("--preprocessor", action="store_true")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--logs", action="store_true", help="print our and Mesa's message")
    parser.add_argument("--no-glslang", action="store_true")
    parser.add_argument("--pairs", action="store_true", help="pairs of shaders: compare compiling and linking")
    parser.add_argument("--mutate", type=int, default=0, help="number of mutated shaders of conformance cases")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.mutate:
        return judge_mutations(args.snippets, args.mutate, args.seed)
    if args.pairs:
        return judge_pairs(args.snippets, args.logs)
    import glslang
    from mesa_glsl import MesaProcess

    from replay.glsl import CompileOptions, compile_shader

    versions = [int(version) for version in args.versions.split(",")]
    lines = list(dict.fromkeys(snippets(args.snippets)))
    mesa = MesaProcess()
    jobs = [(line, version, stage) for line in lines for version in versions for stage in STAGES]
    sources = [(build(line, version, args.preprocessor), stage) for line, version, stage in jobs]
    ours, theirs, logs = [], [], {}
    for (line, version, stage), (source, _) in zip(jobs, sources, strict=True):
        shader = compile_shader(source, stage, CompileOptions(es=version in (100, 300)))
        answer = mesa.ask(profile_of(version), "compile", source, stage)
        ours.append(shader.ok)
        theirs.append(None if answer is None else answer[0])
        logs[line, version, stage] = (shader.log.partition("\n")[0], "died" if answer is None else answer[1].strip())
    third = None if args.no_glslang else glslang.accepts(sources)
    differences: dict[str, dict[str, list[str]]] = {}
    rows: dict[str, str] = {}
    totals: Counter[str] = Counter()
    for k, (line, version, stage) in enumerate(jobs):
        letter = "A" if ours[k] else "R"
        rows[line] = rows.get(line, "") + (letter if ours[k] == theirs[k] else letter.lower())
        totals["same" if ours[k] == theirs[k] else "different"] += 1
        if ours[k] != theirs[k]:
            view = "" if third is None else " glslang " + ("accepts" if third[k] else "rejects")
            verdict = ("we accept" if ours[k] else "we reject") + view
            differences.setdefault(line, {}).setdefault(verdict, []).append(f"{version}{stage[0]}")
    if args.rows:
        for line in lines:
            print(rows[line], line)
    else:
        for line, groups in differences.items():
            print(line)
            for verdict, where in groups.items():
                print(f"    {verdict}: {' '.join(where)}")
                if args.logs:
                    version, stage = int(where[0][:-1]), {"v": "vertex", "f": "fragment"}[where[0][-1]]
                    print(f"      ours: {logs[line, version, stage][0]}\n      Mesa: {logs[line, version, stage][1]}")
    mesa.close()
    print(dict(totals), f"{len(differences)} of {len(lines)} lines differ", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
