"""Every command against every kind of output: docs/OUTPUTS.md says what happens."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

import click
import pytest
import sample_goldens
from command_trees import ALL, PROGRAMS
from forked import Ended, forked
from fuzz_apitrace import apitrace_case
from gl_recorder import Recorder
from PIL import Image

from capture.cli import cli as gpucapture
from gpumodel.cli import cli as gpureplay
from samples.silicon.results import FORMAT, VERSION, text_of
from traceformat.cli import cli as gputrace
from traceformat.cli.door import Command
from traceformat.cli.paths import CSV, GLTRACE, TIMELINE, InputFile, OutputFile, OutputFolder
from traceformat.framing.container import GLTRACE as GLTRACE_FORMAT

ROOT = sample_goldens.ROOT
#: A command line for each command that writes: it works as it stands, but for its outputs.
LINES = {
    "gpucapture exec": "--driver null true",
    "gpucapture run": "--driver null app.py",
    "gpucapture sample": "cube --driver null --frames 1 --size 16x16",
    "gpucapture import": "a.trace",
    "gputrace extract": "a.gltrace --only shaders",
    "gputrace convert": "a.gltrace",
    "gputrace repack": "a.gltrace",
    "gputrace trim": "a.gltrace --frames 1",
    "gpureplay run": "a.gltrace --threads 1",
    "gpureplay images": "a.gltrace",
    "gpureplay stats": "a.gltrace",
    "gpureplay compare": "a.gltrace a.gltrace",
    "gpureplay report": "a.gltrace",
    "gpureplay check": "a.gltrace --budget budgets.toml",
    "gpureplay whatif": "a.gltrace --invalidate-depth all --only-here",
    "gpureplay diff-images": "a.png b.png --limit 100",
    "gpureplay demo": "",
    "gpureplay handheld-figures": "",
    "gpureplay sweep": "study.toml --workers 0 -o out --store store",
    "gpureplay results": "swept --pivot speedup",
    "gpureplay paper run": "thesis:4.1 --quick --workload ccs",
    "gpureplay twins table": "ccs --variant a",
    "gpureplay twins calibrate": "ccs --variant a",
    "gpureplay twins sheet": "ccs",
    "gpureplay silicon run": "--quick fill_none",
    "gpureplay silicon validate": "board.json",
    "gpureplay silicon fit": "board.json",
    "dram_check": "requests.csv --config lpddr4_2400_bus32",
    "conformance": "cases.jsonl",
}
#: Lines that write to standard output, of each command that does; one that finds a difference ends with that.
PRINTING = [
    "gpucapture samples", "gpucapture device", "gputrace info a.gltrace", "gputrace dump a.gltrace",
    "gputrace validate a.gltrace", "gputrace state a.gltrace --call 9", "gputrace diff a.gltrace a.gltrace --json",
    "gputrace convert a.gltrace", "gputrace extract a.gltrace --only shaders -o shaders --json",
    "gpureplay run a.gltrace", "gpureplay top a.gltrace",
    "gpureplay whatif a.gltrace --invalidate-depth all --only-here", "gpureplay counters", "gpureplay stats a.gltrace",
    "gpureplay check a.gltrace --budget budgets.toml", "gpureplay compare a.gltrace a.gltrace",
    "gpureplay results swept --pivot speedup", "gpureplay diff-images a.png b.png --limit 100",
    "gpureplay quality a.png b.png", "gpureplay shader v.vert", "gpureplay presets", "gpureplay techniques",
    "gpureplay config list", "gpureplay config schema", "gpureplay config show tbr-fhd",
    "gpureplay config diff tbr-fhd mali450-re", "gpureplay doctor", "gpureplay paper list",
    "gpureplay paper show thesis:5.3",
    "gpureplay paper run thesis:4.1 --quick --workload ccs -o printed", "gpureplay twins list",
    "gpureplay twins table ccs --variant a",
    "gpureplay silicon list", "gpureplay silicon check board.json",
    "gpureplay silicon validate board.json", "gpureplay silicon fit board.json",
    "dram_check requests.csv --config lpddr4_2400_bus32", "conformance cases.jsonl", "gpureplay --help",
    "gputrace dump --help",
]  # fmt: skip
#: Commands that write files alone.
SILENT = {
    "gpucapture exec", "gpucapture run", "gpucapture sample", "gpucapture import", "gputrace repack", "gputrace trim",
    "gpureplay images", "gpureplay report", "gpureplay sweep", "gpureplay demo", "gpureplay handheld-figures",
    "gpureplay twins calibrate", "gpureplay twins sheet", "gpureplay silicon run",
}  # fmt: skip
#: Commands that take long, or need a program that is compiled: of these only what is refused before the work is tried.
LONG = {
    "gpucapture exec", "gpureplay demo", "gpureplay handheld-figures", "gpureplay paper run",
    "gpureplay twins calibrate", "gpureplay twins sheet", "gpureplay twins table", "gpureplay silicon run",
}  # fmt: skip
#: Commands whose process is spoilt by them: they are started anew.
FRESH = {"gpucapture exec", "gpucapture run", "gpucapture sample"}
CASE = {
    "id": "own/one", "suite": "own", "file": "own.test", "kind": "vertex", "expect": "compile_fail",
    "glsl_version": "100 es", "es_version": 100, "passes": 1, "vertex_source": "void main() { nothing; }",
    "fragment_source": "void main() {}", "values": [],
}  # fmt: skip
APP = "import moderngl as m; m.create_standalone_context().simple_framebuffer((9, 9)).clear()\n"


class Option(NamedTuple):
    """An option that names an output."""

    command: str
    flag: str
    type: OutputFile | OutputFolder

    @property
    def is_folder(self) -> bool:
        return isinstance(self.type, OutputFolder)


OPTIONS = [
    Option(name, param.opts[-1], param.type)
    for name, command in ALL
    for param in command.params
    if isinstance(param.type, (OutputFile, OutputFolder))
]


def documented() -> dict[str, tuple[str, str]]:
    """Kind of output: statuses of a file and of a folder."""
    text = (ROOT / "docs" / "OUTPUTS.md").read_text(encoding="utf-8")
    table = text.partition("| command |")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"]
    return {row[0]: (row[1], row[2]) for row in rows[2:]}


def test_no_command_escapes() -> None:
    """Each command checks its paths, and each of its paths has a type that is checked; what a command writes to,
    standard output included, has a line here and a row on the page.
    """
    assert {option.command for option in OPTIONS} == set(LINES)
    page = (ROOT / "docs" / "OUTPUTS.md").read_text(encoding="utf-8")
    for name in LINES:
        flags = [f"`{option.flag}`" + " (folder)" * option.is_folder for option in OPTIONS if option.command == name]
        assert f"| `{name}` | {', '.join(flags)} |\n" in page
    printing = {name for name, _ in ALL for line in PRINTING if f"{line} ".startswith(f"{name} ")}
    assert printing | SILENT == {name for name, _ in ALL}
    assert not printing & SILENT
    for name, command in ALL:
        assert isinstance(command, Command), f"{name}: @click.command(cls=Command) of traceformat/cli/door.py"
        for param in command.params:
            assert not isinstance(param.type, (click.Path, click.File)), (name, param.name)
            if param.type is click.STRING:
                shown = f"{param.metavar} {' '.join(param.opts)}"
                is_path = re.search(r"FILE|DIR|OUT|\.\w|path|output|trace", shown)
                assert not is_path, f"{name} {shown}: its type is one of traceformat/cli/paths.py"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    one = Recorder(size=(16, 16))
    program = one.program("attribute vec4 p; void main() { gl_Position = p; }", "void main() {}")
    for _ in range(2):
        one("glUseProgram", program)
        one.clear()
        one.swap()
    one.write(folder / "a.gltrace")
    (folder / "app.py").write_text(APP)
    (folder / "a.trace").write_bytes(apitrace_case(random.Random(0), lambda data, rng: data))
    (folder / "budgets.toml").write_text("[[budget]]\nmetric = 'ms'\nat_most = 9\n")
    (folder / "requests.csv").write_text("cycle,op,addr\n0,R,0x0\n")
    empty = {
        "device": {"renderer": ""},
        "host": {},
        "run": {"seed": 1},
        "counters": [],
        "benchmarks": {},
        "missing": [],
    }
    (folder / "board.json").write_text(text_of({"format": FORMAT, "version": VERSION, **empty}))
    (folder / "v.vert").write_text("void main() { gl_Position = vec4(0); }")
    (folder / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    (folder / "study.toml").write_text("traces = 'a.gltrace'\ntechniques = 're'\n")
    gpureplay.main(["sweep", str(folder / "study.toml"), "-o", str(folder / "swept"), "--workers", "0",
                    "--store", str(folder / "kept")], standalone_mode=False)  # fmt: skip
    for name in ("a", "b"):
        Image.new("RGB", (16, 16), "red").save(folder / f"{name}.png")
    # Everything is compiled and imported before the first fork.
    for option in (option for option in OPTIONS if option.command not in LONG | FRESH):
        command = PROGRAMS[option.command.partition(" ")[0]]
        copy = folder / "warm"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("warm"))
        before = Path.cwd()
        os.chdir(copy)
        try:
            from traceformat.cli.door import run

            assert (
                run(command, [*option.command.split()[1:], *shlex.split(LINES[option.command]), option.flag, "w"]) == 0
            )
        finally:
            os.chdir(before)
            shutil.rmtree(copy)
    return folder


@pytest.fixture
def folder(inputs: Path, tmp_path: Path) -> Path:
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    return tmp_path


def call(option: Option, folder: Path, target: str, *more: str, file_bytes: int | None = None) -> Ended:
    program, *words = option.command.split()
    arguments = [*words, *shlex.split(LINES[option.command])]
    place = len(words) if option.command in FRESH else len(arguments)
    arguments[place:place] = [option.flag, target, *more]
    if option.command not in FRESH:
        return forked(PROGRAMS[program], arguments, name=program, cwd=folder, file_bytes=file_bytes)
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({file_bytes},) * 2);" if file_bytes else ""
    code = f"import sys; {limit} sys.path.insert(0, {str(ROOT)!r}); from capture.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, timeout=100, check=False
    )
    return Ended(done.returncode, done.stdout, done.stderr.decode())


def suffix(option: Option) -> str:
    return "" if option.is_folder else option.type.kind.suffixes[0]  # type: ignore[union-attr]


def expect(option: Option, kind: str, ended: Ended) -> None:
    """The status that the page names; a failure is one line."""
    status = documented()[kind][option.is_folder]
    if getattr(option.type, "only_files", False) and kind in ("a pipe", "`/dev/stdout`", "`/dev/full`"):
        status = "2"
    assert ended.status == int(status), (option, kind, ended)
    if ended.status:
        assert len(ended.lines) == 1, ended
        assert "Traceback" not in ended.err


def left_over(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(".part")]


def names(options: list[Option]) -> list[str]:
    return [f"{option.command} {option.flag}" for option in options]


SHORT = [option for option in OPTIONS if option.command not in LONG]
#: Folders that stay empty without techniques.
EMPTY = [option for option in OPTIONS if option.flag == "--graphs"]
FILES = [option for option in SHORT if not option.is_folder]


@pytest.mark.parametrize("option", SHORT, ids=names(SHORT))
def test_outputs_that_are_written(option: Option, folder: Path) -> None:
    target = folder / f"out{suffix(option)}"
    expect(option, "new", call(option, folder, str(target)))
    assert target.exists()
    if option.is_folder:
        assert option in EMPTY or any(target.iterdir())
        (target / "mine").write_text("kept")
        expect(option, "there already", call(option, folder, str(target)))
        assert (target / "mine").read_text() == "kept"
        (folder / "link").symlink_to(target)
        expect(option, "a symlink", call(option, folder, "link"))
        expect(option, "in a missing folder", call(option, folder, "a/b/c"))
        return
    fresh = target.read_bytes()
    assert fresh
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~current_mask()
    target.write_text("old")
    target.chmod(0o640)
    expect(option, "there already", call(option, folder, str(target)))
    assert target.stat().st_size > 3
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    if option.command in FRESH:
        return
    target.write_text("old")
    link = folder / f"link{suffix(option)}"
    link.symlink_to(target.name)
    expect(option, "a symlink", call(option, folder, link.name))
    assert link.is_symlink()
    assert target.stat().st_size > 3
    target.unlink()
    expect(option, "a symlink that leads nowhere", call(option, folder, link.name))
    assert link.is_symlink()
    assert target.stat().st_size > 3
    assert not left_over(folder)


def current_mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("option", FILES, ids=names(FILES))
def test_streams(option: Option, folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    if getattr(option.type, "only_files", False):
        for target, kind in (("pipe", "a pipe"), ("/dev/stdout", "`/dev/stdout`"), ("/dev/full", "`/dev/full`")):
            expect(option, kind, call(option, folder, target))
        return
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    expect(option, "a pipe", call(option, folder, "pipe"))
    reader.join(10)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert read[0]
    ended = call(option, folder, "/dev/stdout")
    expect(option, "`/dev/stdout`", ended)
    is_ours = ended.out.startswith(
        (GLTRACE_FORMAT.magic, b"\xabGPUTRACE", b"{", b"[", b"\x89PNG", b"0 @", b"0 ", b"<?xml", b"### ", b"<!doctype")
    )
    is_ours |= option.type.kind is TIMELINE and ended.out.startswith(b"\n")  # type: ignore[union-attr]
    assert is_ours or (option.type.kind is CSV and b"," in ended.out.splitlines()[0]), ended.out[:80]  # type: ignore[union-attr]
    expect(option, "`/dev/full`", call(option, folder, "/dev/full"))
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.parametrize("option", OPTIONS, ids=names(OPTIONS))
def test_outputs_that_are_refused(option: Option, folder: Path) -> None:
    before = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    folders = {path for path in folder.rglob("*") if path.is_dir()}
    words = shlex.split(LINES[option.command])
    reads = [word for word in words if (folder / word).exists()]
    read_only = "/sys" if os.geteuid() == 0 else str(folder / "closed")
    if os.geteuid():
        os.mkdir(read_only, 0o500)
    expect(option, "in a read-only folder", call(option, folder, f"{read_only}/out{suffix(option)}"))
    if not option.is_folder:
        expect(option, "in a missing folder", call(option, folder, f"no/such/out{suffix(option)}"))
    (folder / "taken").write_text("") if option.is_folder else (folder / "taken").mkdir()
    wrong = "a folder in place of a file, or a file in place of a folder"
    expect(option, wrong, call(option, folder, "taken"))
    for name in reads:
        expect(option, "an input", call(option, folder, name))
        if (folder / name).is_file():
            os.link(folder / name, folder / "hard")
            expect(option, "a hard link to an input", call(option, folder, "hard"))
            os.unlink(folder / "hard")
        os.symlink(name, folder / "soft")
        assert call(option, folder, "soft").status == 2
        os.unlink(folder / "soft")
    others = [other for other in OPTIONS if other.command == option.command and not other.is_folder and other != option]
    if not option.is_folder:
        for other in others:
            expect(option, "another output", call(option, folder, "same", other.flag, "./same"))
        expect(option, "named `.parquet`", call(option, folder, "out.parquet"))
        other_suffix = ".gputrace" if option.type.kind is GLTRACE else ".gltrace"  # type: ignore[union-attr]
        assert call(option, folder, f"out{other_suffix}").status == 2
    for path, content in before.items():
        assert path.read_bytes() == content
    known = {*before, *folders, folder / "taken", folder / "closed"}
    assert {path for path in folder.rglob("*")} <= known


@pytest.mark.parametrize("option", SHORT, ids=names(SHORT))
def test_a_full_disk(option: Option, folder: Path) -> None:
    target = folder / f"out{suffix(option)}"
    ended = call(option, folder, str(target), file_bytes=7)
    if option not in EMPTY:
        expect(option, "on a full disk", ended)
    assert not left_over(folder)
    assert option.is_folder or not target.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
def test_a_disk_that_is_full(folder: Path) -> None:
    small = folder / "small"
    small.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4k", "none", small], check=False, capture_output=True
    ).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        (small / "filler").write_bytes(bytes(4096))
        for option in FILES:
            if option.command not in FRESH:
                ended = call(option, folder, f"small/out{suffix(option)}")
                assert (ended.status, len(ended.lines)) == (4, 1), (option, ended)
        assert [path.name for path in small.iterdir()] == ["filler"]
    finally:
        subprocess.run(["umount", small], check=True)


@pytest.mark.parametrize("words", PRINTING)
def test_standard_output_that_fails(words: str, folder: Path) -> None:
    line = words.split()
    command = PROGRAMS[line[0]]
    with open("/dev/full", "w") as full:
        ended = forked(command, line[1:], name=line[0], cwd=folder, stdout=full.fileno())
    assert ended.status == 4, ended
    assert ended.lines[-1].startswith(f"{line[0]}: standard output: cannot write: No space left")
    reading, writing = os.pipe()
    os.close(reading)
    ended = forked(command, line[1:], name=line[0], cwd=folder, stdout=writing)
    os.close(writing)
    assert (ended.status, ended.err) == (0, ""), ended


def test_standard_streams_that_are_closed_or_full(folder: Path) -> None:
    def closed() -> None:
        os.close(1)
        sys.stdout = None  # type: ignore[assignment]

    ended = forked(gputrace, ["info", "a.gltrace"], cwd=folder, before=closed)
    assert ended.status == 4, ended

    def full() -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), 2)

    ended = forked(gpureplay, ["run", "nowhere.gltrace"], cwd=folder, before=full)
    assert (ended.status, ended.err) == (2, "")


def test_standard_output_into_an_input_or_an_output(folder: Path) -> None:
    with (folder / "a.gltrace").open("ab") as file:
        ended = forked(gputrace, ["dump", "a.gltrace"], cwd=folder, stdout=file.fileno())
    assert ended.status == 2
    assert "standard output goes into the input a.gltrace" in ended.err
    with (folder / "out.json").open("wb") as file:
        ended = forked(gpureplay, ["run", "a.gltrace", "--json", "out.json"], cwd=folder, stdout=file.fileno())
    assert ended.status == 2
    assert "the file that standard output goes into" in ended.err


def test_process_substitution(folder: Path) -> None:
    main = f"{sys.executable} -c 'from gpumodel.cli import main; main()'"
    line = f"{main} run a.gltrace --json >(cat > seen) --csv >(cat > too) && sleep 0.3"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((folder / "seen").read_text())["schema"] == 2
    assert "config" in (folder / "too").read_text()


def test_a_folder_that_is_read_is_not_written(folder: Path) -> None:
    for name in ("ours", "golden"):
        (folder / name).mkdir()
        shutil.copy(folder / "a.png", folder / name / "frame_0000.png")
    before = (folder / "golden" / "frame_0000.png").read_bytes()
    ended = forked(gpureplay, ["diff-images", "ours", "golden", "--mask", "golden"], cwd=folder)
    assert ended.status == 2
    assert (folder / "golden" / "frame_0000.png").read_bytes() == before
    (folder / "pictures").mkdir()
    shutil.copy(folder / "a.gltrace", folder / "pictures" / "frame_0000.png")
    ended = forked(gpureplay, ["images", "pictures/frame_0000.png", "-o", "pictures"], cwd=folder)
    assert (ended.status, len(ended.lines)) == (2, 1), ended
    assert (folder / "pictures" / "frame_0000.png").read_bytes() == (folder / "a.gltrace").read_bytes()


def test_nothing_is_left_when_a_command_is_ended(folder: Path) -> None:
    """SIGTERM removes what is half-written, and the old file stays."""
    (folder / "out.txt").write_text("old")
    code = (
        f"import sys, os, signal; sys.path.insert(0, {str(ROOT)!r})\n"
        "import traceformat.tools.apitrace_text as text\n"
        "lines = text.apitrace_lines\n"
        "def slow(reader):\n"
        "    yield from lines(reader)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "text.apitrace_lines = slow\n"
        "from traceformat.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "convert", "a.gltrace", "-o", "out.txt"], cwd=folder, timeout=60, check=False
    )
    assert done.returncode == 128 + 15
    assert (folder / "out.txt").read_text() == "old"
    assert not left_over(folder)


def test_defaults_are_checked_too(folder: Path) -> None:
    """The name that follows from the input may be the input."""
    shutil.copy(folder / "a.trace", folder / "b.gltrace")
    ended = forked(gpucapture, ["import", "b.gltrace"], cwd=folder)
    assert ended.status == 2
    assert (folder / "b.gltrace").read_bytes() == (folder / "a.trace").read_bytes()
    assert forked(gputrace, ["repack", "a.gltrace"], cwd=folder).status == 0


def test_inputs_behind_other_options_are_inputs(folder: Path) -> None:
    (folder / "gpu.json").write_text('base = "mali450-vro"\n')
    ended = forked(gpureplay, ["run", "a.gltrace", "-c", "./gpu.json", "--json", "gpu.json"], cwd=folder)
    assert ended.status == 2
    (folder / "calls.txt").write_text("1-2\n")
    ended = forked(gputrace, ["trim", "a.gltrace", "--calls", "@calls.txt", "-o", "calls.txt"], cwd=folder)
    assert ended.status == 2
    assert isinstance(InputFile().reads("x"), list)
