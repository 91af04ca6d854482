"""Digests of all that the engine makes, to hold one version against another bit by bit.

usage: python tests/support/engine_digests.py make FOLDER [--films 50] [--no-corpus]
       python tests/support/engine_digests.py digest FOLDER FILE [--threads 1 2 8] [--frames 3] [NAME ...]
       python tests/support/engine_digests.py compare FILE FILE

``make`` writes traces: the corpus, the samples, the feature scenes and random films. ``digest`` plays the first frames
of each, once for pictures alone, once with the model's columns and (but for the corpus) once with all columns, and
writes a digest of each picture and column: call by call, and (``rows``) as a replay plays them. Exit status of
``compare`` is 1 where any differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("GPUREPLAY_SHARED") or ROOT.parent / "shared")
SIZE = (64, 64)


def make(folder: Path, films: int, *, corpus: bool) -> None:
    """Write traces of all kinds into a folder; those that are there stay."""
    folder.mkdir(parents=True, exist_ok=True)
    if corpus:
        from capture.importers import import_trace

        for source in sorted((SHARED / "corpus").glob("*.trace")):
            target = folder / f"corpus-{source.stem}.gltrace"
            if not target.exists():
                import_trace(source, target)
    from sample_goldens import capture

    from samples import SAMPLES

    for name in SAMPLES:
        target = folder / f"sample-{name}.gltrace"
        if not target.exists():
            capture(name, target, "null")
    from random_films import RandomFilm

    for seed in range(films):
        target = folder / f"film-{seed}.gltrace"
        if not target.exists():
            RandomFilm(seed).record(target)
    _make_scenes(folder)


def _make_scenes(folder: Path) -> None:
    from feature_scenes import SCENES
    from gl_twin import NoDriver

    from traceformat.calls import Call
    from traceformat.gltrace.writer import TraceWriter

    for name, scene in SCENES.items():
        target = folder / f"scene-{name}.gltrace"
        if target.exists():
            continue
        try:
            recording = scene()
        except NoDriver as error:
            print(f"scene {name}: {error}", file=sys.stderr)
            continue
        with TraceWriter(target) as writer:
            for call in recording.calls:
                writer.write_call(call)
            writer.write_call(Call(len(recording.calls), "traceFrame", 1, 1, 0, ("",)))
        recording.close()


def _column_sets(name: str) -> dict[str, Any]:
    from traceformat.gputrace.frametrace import ALL_COLUMNS, MODEL_COLUMNS, ColumnSet

    found = {"none": ColumnSet(()), "model": MODEL_COLUMNS}
    if not name.startswith("corpus"):
        found["all"] = ALL_COLUMNS
    return found


def _digest(array: Any) -> str:
    return f"{hashlib.blake2b(array.tobytes(), digest_size=8).hexdigest()} {array.dtype.str} {array.shape}"


def digests(trace: Path, columns: Any, threads: int, frames: int, *, by_rows: bool = False) -> dict[str, str]:
    """Digest of each picture and column, by "frame/table.column", and of what calls read back unless ``by_rows``."""
    from replay.player import PlayedFrames
    from traceformat.errors import ToolError
    from traceformat.gles import runs

    found: dict[str, str] = {}

    def watch(_engine: Any, tracker: Any, call: Any, _ends_frame: bool) -> None:
        # What the program reads back: pixels, results of queries, captured vertices.
        if tracker.outputs and call.name.startswith(("glReadPixels", "glGetQuery", "glGetBuffer", "glGetTexImage")):
            found[f"call {call.number}"] = hashlib.blake2b(repr(tracker.outputs).encode(), digest_size=8).hexdigest()

    runs.MIN_REPEATS = 8  # as many as may be
    played = PlayedFrames(trace, columns, None, threads, watch=None if by_rows else watch)
    try:
        for number, frame in enumerate(played):
            if number == frames:
                break
            if frame.picture is not None:
                found[f"{number}/picture"] = _digest(frame.picture)
            for table in frame.tables.values():
                for column, array in table.items():
                    found[f"{number}/{table.name}.{column}"] = _digest(array)
            del frame
    except ToolError as error:
        found["error"] = str(error)
    finally:
        played.close()
    return found


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("folder", type=Path)
    making.add_argument("--films", type=int, default=50)
    making.add_argument("--no-corpus", action="store_true")
    digesting = commands.add_parser("digest")
    digesting.add_argument("folder", type=Path)
    digesting.add_argument("file", type=Path)
    digesting.add_argument("names", nargs="*", help="only traces whose name has one of these in it")
    digesting.add_argument("--threads", type=int, nargs="*", default=[1, 2, 8])
    digesting.add_argument("--frames", type=int, default=3)
    comparing = commands.add_parser("compare")
    comparing.add_argument("files", type=Path, nargs=2)
    args = parser.parse_args()
    sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]
    if args.command == "make":
        make(args.folder, args.films, corpus=not args.no_corpus)
        return 0
    if args.command == "compare":
        return compare(*(json.loads(path.read_text()) for path in args.files))
    result: dict[str, dict[str, str]] = {}
    for trace in sorted(args.folder.glob("*.gltrace")):
        if args.names and not any(name in trace.stem for name in args.names):
            continue
        for name, columns in _column_sets(trace.stem).items():
            for threads in args.threads:
                result[f"{trace.stem} {name} {threads}"] = digests(trace, columns, threads, args.frames)
            result[f"{trace.stem} {name} rows"] = digests(trace, columns, 1, args.frames, by_rows=True)
        print(trace.stem, flush=True)
    args.file.write_text(json.dumps(result, indent=0))
    return compare_threads(result)


def compare_threads(result: dict[str, dict[str, str]]) -> int:
    """Say which runs with several threads, or by rows, differ from those with the fewest."""
    first: dict[str, dict[str, str]] = {}
    bad = 0
    for key, found in result.items():
        own = first.setdefault(key.rsplit(" ", 1)[0], found)
        if key.endswith(" rows"):
            own = {name: digest for name, digest in own.items() if not name.startswith("call ")}
        if own != found:
            bad = 1
            print(f"{key}: {[k for k in own.keys() | found.keys() if own.get(k) != found.get(k)][:6]}")
    return bad


def compare(before: dict[str, dict[str, str]], after: dict[str, dict[str, str]]) -> int:
    """Say what differs in the frames that both files have."""
    bad = count = 0
    for key in before.keys() & after.keys():
        own, other = before[key], after[key]
        last = min(max((int(k.split("/")[0]) for k in found if "/" in k), default=-1) for found in (own, other))
        own, other = (
            {k: v for k, v in found.items() if "/" not in k or int(k.split("/")[0]) <= last} for found in (own, other)
        )
        count += len(own)
        different = sorted(k for k in own.keys() | other.keys() if own.get(k) != other.get(k))
        if different:
            bad = 1
            print(f"{key}: {len(different)} differ: {different[:8]}")
    print(f"{len(before.keys() & after.keys())} runs, {count} pictures and columns compared")
    return bad


if __name__ == "__main__":
    sys.exit(main())
