"""The soak: mutated inputs of every kind, in every way that an input reaches us, and how each of them ended.

A case is a function of mode, kind, seed and number. Modes: ``parse`` (read and checked in this process), ``execute``
(replayed, modelled, compiled and run), ``entry`` (through a command's entry, in a warmed process), ``fresh`` (a process
of its own a command), ``kill`` (a command that is killed at random while it writes over a file).
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from io import FileIO, TextIOWrapper
from pathlib import Path
from typing import Final

import pat_fuzz
import shader_fuzz
import toml_fuzz
import trace_fuzz
from fuzz_apitrace import apitrace_case
from fuzz_scenes import SCENES, VERTEX_2
from fuzz_shaders import hostile_shader

__all__ = ["MODES", "Result", "judge", "make_input", "prepare", "run_case"]

ROOT: Final = Path(__file__).resolve().parents[2]
#: Kinds of each mode, and what share of its cases they are.
MODES: Final[dict[str, dict[str, int]]] = {
    "parse": {
        "trace": 7, "gputrace": 1, "apitrace": 1, "pat": 1, "toml": 3, "study": 2, "budgets": 1, "shader": 7,
    },
    "execute": {"trace": 1, "shader": 5},
    "entry": {
        "trace": 8, "gputrace": 2, "apitrace": 1, "pat": 1, "toml": 2, "study": 1, "budgets": 1, "shader": 1,
    },
    "fresh": {
        "trace": 4, "gputrace": 1, "apitrace": 1, "pat": 1, "toml": 1, "study": 1, "budgets": 1, "shader": 1,
    },
    "kill": {"trace": 1},
}  # fmt: skip
_SUFFIXES: Final = {
    "trace": ".gltrace",
    "gputrace": ".gputrace",
    "apitrace": ".trace",
    "pat": ".pat",
    "toml": ".toml",
    "study": ".toml",
    "budgets": ".toml",
    "shader": ".frag",
}
_ENTRIES: Final = {"gpucapture": "capture.cli", "gputrace": "traceformat.cli", "gpureplay": "gpumodel.cli"}
#: Exit statuses that a command may end with (DESIGN §8), beside 70.
_LAWFUL: Final = frozenset(range(5))
#: Processor seconds of a case in a process of its own, which also imports and may compile.
_FRESH_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Result:
    """How a case ended; ``finding`` says what must not have been, empty where all is well."""

    what: str
    finding: str = ""


# ------------------------------------------------------------------------------------------------------------ inputs
@cache
def _scene(name: str, folder: Path) -> bytes:
    path = folder / f"base-{name}.gltrace"
    trace_fuzz.write_trace(path, SCENES[name]())
    return path.read_bytes()


def _trace(rng: random.Random, folder: Path) -> bytes:
    name = rng.choice((*SCENES, "es2"))
    way = rng.random()
    if way < 0.4:
        return trace_fuzz.mutate_chunk(_scene(name, folder), rng)
    if way < 0.6:
        return trace_fuzz.mutate_bytes(_scene(name, folder), rng)
    path = folder / "made.gltrace"
    trace_fuzz.write_trace(path, trace_fuzz.mutate_steps(list(SCENES[name]()), rng), rng)
    return path.read_bytes()


def _gputrace(rng: random.Random, folder: Path) -> bytes:
    recorded = trace_fuzz.recorded(rng.choice(("es2", "es3", "gl33")))
    way = rng.random()
    if way < 0.4:
        return trace_fuzz.mutate_frames(recorded, rng, folder)
    return trace_fuzz.mutate_chunk(recorded, rng) if way < 0.8 else trace_fuzz.mutate_bytes(recorded, rng)


def _toml(rng: random.Random, folder: Path) -> bytes:
    del folder
    return toml_fuzz.mutated(rng.choice(toml_fuzz.presets()), rng, trace_fuzz.mutate_bytes)


def _study(rng: random.Random, folder: Path) -> bytes:
    del folder
    # A program that is captured first takes two seconds.
    text = toml_fuzz.STUDY + (toml_fuzz.SAMPLE if rng.random() < 0.03 else "")
    return toml_fuzz.mutated(text, rng, trace_fuzz.mutate_bytes)


def _pat(rng: random.Random, folder: Path) -> bytes:
    del folder
    return pat_fuzz.damaged(rng.getrandbits(48), rng.getrandbits(48), _pat_originals())


@cache
def _pat_originals() -> list[bytes]:
    return [pat_fuzz.small_file()]


def _shader(rng: random.Random, folder: Path) -> bytes:
    del folder
    if rng.random() < 0.3:
        return hostile_shader(rng.choice(list(shader_fuzz.GOOD.values())), rng).encode("utf-8", "surrogateescape")
    return shader_fuzz.make_case(rng.getrandbits(48), rng.getrandbits(48))[2].encode("utf-8", "surrogateescape")


_MAKERS: Final[dict[str, Callable[[random.Random, Path], bytes]]] = {
    "trace": _trace,
    "gputrace": _gputrace,
    "apitrace": lambda rng, _: apitrace_case(rng, trace_fuzz.mutate_bytes),
    "pat": _pat,
    "toml": _toml,
    "study": _study,
    "budgets": lambda rng, _: toml_fuzz.mutated(toml_fuzz.BUDGETS, rng, trace_fuzz.mutate_bytes),
    "shader": _shader,
}


# ------------------------------------------------------------------------------------------------------ parse, execute
def _parse(kind: str, data: bytes, folder: Path) -> str:
    """Read and check an input without running it; gives how that ended."""
    from traceformat.errors import InternalError, ToolError

    path = folder / f"input{_SUFFIXES[kind]}"
    path.write_bytes(data)
    try:
        if kind == "trace":
            from traceformat.gltrace.reader import open_trace

            with open_trace(path) as reader:
                for _ in reader:
                    pass
                return "damaged" if reader.damage else "read"
        if kind == "gputrace":
            from traceformat.gputrace.reader import open_gputrace

            with open_gputrace(path) as frames:
                frames.info()
                for _ in frames:
                    pass
                return "damaged" if frames.damage else "read"
        if kind in ("apitrace", "pat"):
            from capture.importers import import_trace

            import_trace(path, folder / "imported.gltrace")
            return "read"
        if kind == "toml":
            from gpumodel.config.load import load_machine

            load_machine(str(path))
            return "read"
        if kind == "study":
            from gpumodel.study.description import read_study
            from samples import SAMPLES

            read_study(str(path), list(SAMPLES))
            return "read"
        if kind == "budgets":
            from gpumodel.budgets.schema import read_budgets

            read_budgets(str(path))
            return "read"
        from replay.glsl.compiler import CompileOptions, compile_shader

        text = data.decode("utf-8", "surrogateescape")
        shader = compile_shader(text, "fragment", CompileOptions(es="#version 330" not in text))
        assert shader.ok or shader.log, "rejected without a message"
        return "read" if shader.ok else "refused"
    except InternalError:
        raise
    except ToolError:
        return "refused"


def _execute(kind: str, seed: int, number: int, folder: Path) -> Result:
    if kind == "shader":
        shown = shader_fuzz.run_case(seed, number, run_one_in=1)
        return Result(shown.what, f"{shown.what}: {shown.detail}" if shown.is_finding else "")
    played = trace_fuzz.play(trace_fuzz.make_case(seed, number, folder), folder)
    return Result(f"{played.kind}: {played.what}", f"{played.what}: {played.detail}" if played.is_finding else "")


# ---------------------------------------------------------------------------------------------------------- commands
def _line(kind: str, rng: random.Random, name: str) -> list[str]:
    """A command line for an input; what it writes is called ``out``."""
    lines: dict[str, tuple[str, ...]] = {
        "trace": (
            "gputrace info {}", "gputrace info --json {}", "gputrace info --recover {}", "gputrace dump {}",
            "gputrace dump --json --calls 0-20 {}", "gputrace validate {}",
            "gputrace trim {} --frames 0 -o out.gltrace",
            "gputrace repack {} -o out.gltrace", "gputrace repack --recover {} -o out.gltrace",
            "gputrace convert {} -o out.txt", "gputrace extract {} -o out", "gputrace diff {} {}",
            "gpureplay images {} -o out", "gpureplay stats {}", "gpureplay stats {} --json",
            "gpureplay run {} --json out.json --csv out.csv", "gpureplay run {} --save-gputrace out.gputrace",
            "gpureplay run {} --verify --images out", "gpureplay run {} -t re -t memo --attribution --json out.json",
            "gputrace state {} --frame 0 --draw 1", "gputrace state {} --call 30 --json",
            "gputrace extract {} --frame 0 --draw 1 --bound -o out",
            "gpureplay top {}", "gpureplay top {} --by program --json", "gpureplay compare {} base.gltrace",
            "gpureplay compare base.gltrace {} --json", "gpureplay check {} --update out.toml",
            "gpureplay shader {}", "gpureplay whatif {} --hollow all", "gpureplay whatif {} --opaque all",
            "gpureplay report {} -o out.html", "gpureplay diff-images {} base.gltrace",
        ),
        "gputrace": (
            "gpureplay run {} --json out.json", "gpureplay stats {}", "gputrace info {}",
            "gpureplay run {} --timeline out.perfetto --csv out.csv",
        ),
        "apitrace": ("gpucapture import {} -o out.gltrace", "gputrace info {}", "gpureplay run {}"),
        "pat": ("gpucapture import {} -o out.gltrace", "gputrace info {}", "gpureplay run {}"),
        "toml": (
            "gpureplay config show {}", "gpureplay config diff mali450-vro {}",
            "gpureplay run base.gltrace -c {} --json out.json",
        ),
        "study": ("gpureplay sweep {} -o out --workers 0 --store outstore",),
        "budgets": ("gpureplay check base.gltrace --budget {}",),
        "shader": ("gpureplay shader base.vert {}", "gpureplay shader base.vert {} --json"),
    }  # fmt: skip
    return [word.replace("{}", name) for word in rng.choice(lines[kind]).split()]


def _make_folder(folder: Path, kind: str, data: bytes) -> tuple[Path, str]:
    """An empty folder with the input and what else command lines name."""
    place = folder / "command"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    name = f"input{_SUFFIXES[kind]}"
    (place / name).write_bytes(data)
    if kind in ("trace", "toml", "study", "budgets"):
        (place / "base.gltrace").write_bytes(_scene("es2", folder))
    if kind == "shader":
        (place / "base.vert").write_text(VERTEX_2)
    return place, name


@contextmanager
def _streams_to(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Standard output and error of this process in files."""
    paths = folder / "stdout", folder / "stderr"
    kept, streams = [os.dup(number) for number in (1, 2)], (sys.stdout, sys.stderr)
    for number, path in enumerate(paths, 1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, number)
        os.close(file)
    # A test runner has put others in their place.
    sys.stdout, sys.stderr = (TextIOWrapper(FileIO(number, "w", closefd=False)) for number in (1, 2))
    try:
        yield paths
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = streams
        for number, saved in enumerate(kept, 1):
            os.dup2(saved, number)
            os.close(saved)


def judge(place: Path, line: list[str], status: int, said: str, before: set[str]) -> Result:
    """Hold what a command did against what it may do."""
    told = " ".join(line)
    if status not in _LAWFUL:
        return Result(f"status {status}", f"{told}: status {status}: {said[-2000:]}")
    if "Traceback" in said or "internal error" in said or "Exception ignored" in said:
        return Result("traceback", f"{told}: {said[-2000:]}")
    if status >= 2 and not said.strip():
        return Result("silent", f"{told}: status {status} without a word")
    left = {path.name for path in place.iterdir()} - before
    odd = [name for name in left if not name.startswith("out")]
    if odd or [name for name in left if ".part" in name]:
        return Result("left over", f"{told}: status {status} leaves {sorted(left)}")
    wrong = [text for path in place.glob("out*") if (text := _unsound(path))]
    return Result(f"status {status}", f"{told}: status {status}: {wrong[0]}" if wrong else "")


def _unsound(path: Path) -> str:
    """What is wrong with a file that a command has written; empty if nothing is."""
    import json

    try:
        if path.suffix == ".json":
            json.loads(path.read_text())
        elif path.suffix == ".gltrace":
            from traceformat.gltrace.reader import open_trace

            with open_trace(path) as reader:
                assert not reader.damage, reader.damage[0]
        elif path.suffix == ".gputrace":
            from traceformat.gputrace.reader import open_gputrace

            with open_gputrace(path) as frames:
                assert not frames.damage, frames.damage[0]
        elif path.is_dir():
            from PIL import Image

            for picture in path.rglob("*.png"):
                with Image.open(picture) as image:
                    image.load()
        else:
            assert path.suffix != ".csv" or path.read_text().endswith("\n"), "the last row has no end"
    except Exception as error:
        return f"{path.name} is half-written: {type(error).__name__}: {error}"
    return ""


def _limits(line: list[str]) -> str:
    """Limits of a command: those that run the model some fourteen times get shorter frames for the same time."""
    return trace_fuzz.LIMITS + (",frame_cycles=8M" if line[1] in ("whatif", "report") else "")


def _call(line: list[str]) -> int:
    """Run a command line through the entry of its console script, in this process."""
    import importlib

    os.environ["GPUREPLAY_LIMITS"] = _limits(line)
    try:
        sys.argv = line
        importlib.import_module(_ENTRIES[line[0]]).main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        os.environ["GPUREPLAY_LIMITS"] = trace_fuzz.LIMITS
    return -1


def _entry(kind: str, rng: random.Random, folder: Path) -> Result:
    place, name = _make_folder(folder, kind, _MAKERS[kind](rng, folder))
    line = _line(kind, rng, name)
    before = {path.name for path in place.iterdir()}
    here = Path.cwd()
    os.chdir(place)
    try:
        with _streams_to(folder) as (_, errors):
            status = _call(line)
    finally:
        os.chdir(here)
    return judge(place, line, status, errors.read_text(errors="replace"), before)


def _fresh(kind: str, rng: random.Random, folder: Path) -> Result:
    place, name = _make_folder(folder, kind, _MAKERS[kind](rng, folder))
    line = _line(kind, rng, name)
    before = {path.name for path in place.iterdir()}
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from {_ENTRIES[line[0]]} import main; main()"
    limited = ["prlimit", f"--cpu={_FRESH_SECONDS}", sys.executable, "-c", code]
    environment = {**os.environ, "GPUREPLAY_LIMITS": _limits(line)}
    done = subprocess.run([*limited, *line[1:]], capture_output=True, cwd=place, check=False, env=environment)
    return judge(place, line, done.returncode, done.stderr.decode(errors="replace"), before)


_KILLED_LINES: Final = (
    "gputrace trim base.gltrace --frames 0 -o out.gltrace",
    "gputrace repack base.gltrace -o out.gltrace",
    "gpucapture import base.trace -o out.gltrace",
    "gpureplay run base.gltrace --json out.json",
    "gpureplay run base.gltrace --save-gputrace out.gputrace",
    "gpureplay images base.gltrace -o out",
)


def _kill(kind: str, rng: random.Random, folder: Path) -> Result:
    """Kill a command at random: its output is what it was, or whole."""
    place, _ = _make_folder(folder, kind, b"")
    (place / "base.gltrace").write_bytes(_scene(rng.choice(("es2", "gl33")), folder))
    (place / "base.trace").write_bytes(apitrace_case(random.Random(3), lambda data, _: data))
    line = rng.choice(_KILLED_LINES).split()
    target = place / line[-1]
    is_folder = not target.suffix
    was_there = rng.random() < 0.5 and not is_folder
    if was_there:
        target.write_bytes(b"what was there before")
    moment = rng.random() ** 2 * 0.3
    child = os.fork()
    if child == 0:
        os.chdir(place)
        with suppress(BaseException), _streams_to(folder):
            _call(line)
        os._exit(0)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if was_there and target.read_bytes() == b"what was there before":
        return Result("as before")
    if not target.exists():
        return Result("none")
    wrong = _unsound(target)
    return Result("whole", f"{' '.join(line)}, killed after {moment:.3f} s: {wrong}" if wrong else "")


# ------------------------------------------------------------------------------------------------------------ running
def _rng(mode: str, kind: str, seed: int, number: int) -> random.Random:
    return random.Random(f"{mode} {kind} {seed} {number}")


def make_input(mode: str, kind: str, seed: int, number: int, folder: Path) -> bytes:
    """Input of a case."""
    return _MAKERS[kind](_rng(mode, kind, seed, number), folder)


def prepare(folder: Path, rounds: int = 40) -> None:
    """Import and compile what cases need, once, before processes are forked."""
    trace_fuzz.warm_up(folder)
    for name in _ENTRIES.values():
        __import__(name)
    for kind in MODES["entry"]:
        # Whatever a command imports late is imported here; how the cases end is of no interest yet.
        for number in range(rounds):
            _entry(kind, random.Random(f"prepare {kind} {number}"), folder)


def run_case(mode: str, kind: str, seed: int, number: int, folder: Path) -> Result:
    """Run one case in this process; whatever it raises is a finding."""
    rng = _rng(mode, kind, seed, number)
    try:
        if mode == "parse":
            return Result(_parse(kind, _MAKERS[kind](rng, folder), folder))
        if mode == "execute":
            return _execute(kind, seed, number, folder)
        return {"entry": _entry, "fresh": _fresh, "kill": _kill}[mode](kind, rng, folder)
    except BaseException as error:
        return Result(type(error).__name__, traceback.format_exc())
