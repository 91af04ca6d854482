"""Bad input through the real commands: one clear line, the right exit status, nothing half-written."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from pathlib import Path

import click
import pytest
import sample_goldens
from command_trees import ALL, PROGRAMS
from forked import Ended, forked_line

from traceformat.cli.door import run
from traceformat.cli.paths import InputFile, OutputFile, OutputFolder

ROOT = sample_goldens.ROOT
MAIN = {"gpucapture": "capture.cli", "gputrace": "traceformat.cli", "gpureplay": "gpumodel.cli"}


def command(line: list[str], cwd: Path) -> Ended:
    """Run a command as its entry point does, in a process of its own."""
    if line[0] != "gpucapture":
        return forked_line(line, cwd)
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from capture.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *line[1:]], capture_output=True, timeout=120, cwd=cwd, check=False
    )
    return Ended(done.returncode, done.stdout, done.stderr.decode())


def expect(line: list[str], cwd: Path, status: int, *words: str, lines: int = 1) -> None:
    """The command ends with the status, says why in so many lines on stderr, and leaves no file behind."""
    before = sorted(cwd.rglob("*"))
    done = command(line, cwd)
    assert done.status == status, done.err
    assert "Traceback" not in done.err
    assert len(done.lines) == lines, done.err
    for word in words:
        assert word in done.lines[-1], done.err
    assert sorted(cwd.rglob("*")) == before


@pytest.fixture(scope="session")
def cube(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("cube") / "cube.gltrace"
    sample_goldens.capture("cube", path, "null")
    return path.read_bytes()


READERS = [
    ["gputrace", "info", "t.gltrace"],
    ["gputrace", "dump", "t.gltrace"],
    ["gpureplay", "run", "t.gltrace", "--json", "out.json"],
    ["gpureplay", "images", "t.gltrace", "-o", "out"],
]
NAMES = ["info", "dump", "run", "images"]


#: What commands need besides a trace and what they require.
MORE = {
    "gputrace state": "--call 0",
    "gpureplay check": "--budget budgets.toml",
    "gpureplay report": "-o out.html",
    "gpureplay whatif": "--hollow x",
}
#: Arguments that are traces, by the names that commands give them.
TRACES = ("trace", "first", "second")


def traces_of(command: click.Command) -> list[str]:
    """Arguments of a command that are traces, each ``t.gltrace``, and an output where it requires one."""
    traces = [p for p in command.params if type(p.type) is InputFile and p.name in TRACES]
    outputs = [p.opts[-1] for p in command.params if p.required and isinstance(p.type, (OutputFile, OutputFolder))]
    return ["t.gltrace"] * len(traces) + [word for flag in outputs for word in (flag, "out")] if traces else []


#: Every command that reads a trace, found by walking.
ALL_READERS = [(name, traces_of(one)) for name, one in ALL if traces_of(one) and name != "dram_check"]


@pytest.mark.parametrize(("name", "arguments"), ALL_READERS, ids=[name for name, _ in ALL_READERS])
def test_no_trace(
    name: str,
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line that names the file, whatever command it is given to; no output."""
    (tmp_path / "budgets.toml").write_text("[[budget]]\nmetric = 'ms'\nat_most = 9\n")
    monkeypatch.chdir(tmp_path)
    program, *words = name.split()
    words += [*arguments, *MORE.get(name, "").split()]
    for content, status in ((None, 2), (b"", 3), (b"# not a trace\nprint('hello')\n" * 40, 3)):
        if content is not None:
            (tmp_path / "t.gltrace").write_bytes(content)
        before = sorted(tmp_path.rglob("*"))
        assert run(PROGRAMS[program], words, name=program) == status
        said = capsys.readouterr()
        assert (len(said.err.splitlines()), said.out) == (1, ""), said
        assert "t.gltrace" in said.err, "options without which it does nothing: MORE"
        assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("line", READERS, ids=NAMES)
def test_newer_version(line: list[str], cube: bytes, tmp_path: Path) -> None:
    # FORMAT.md: 16 magic bytes, major and minor u16, length of the properties u32, properties, CRC-32 of all that.
    newer = bytearray(cube)
    newer[16] = 99
    end = 24 + int.from_bytes(cube[20:24], "little")
    newer[end : end + 4] = zlib.crc32(newer[:end]).to_bytes(4, "little")
    (tmp_path / "t.gltrace").write_bytes(newer)
    expect(line, tmp_path, 3, "99")


@pytest.mark.parametrize("share", [0.001, 0.02, 0.4, 0.7, 0.95, 0.999])
def test_cut_trace(cube: bytes, share: float, tmp_path: Path) -> None:
    (tmp_path / "t.gltrace").write_bytes(cube[: int(len(cube) * share)])
    done = command(["gputrace", "info", "t.gltrace"], tmp_path)
    assert done.status == 3, done.err
    assert "Traceback" not in done.err
    images = command(["gpureplay", "images", "t.gltrace", "-o", "out"], tmp_path)
    assert "Traceback" not in images.err
    written = list((tmp_path / "out").glob("frame_*.png"))
    # Only the footer is lost: every call is there, and so is every frame.
    is_whole = share == 0.999
    assert images.status == (0 if is_whole else 3), images.err
    assert (len(written) == sample_goldens.FRAMES) == is_whole


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_flipped_bit(cube: bytes, share: float, tmp_path: Path) -> None:
    flipped = bytearray(cube)
    flipped[int(len(cube) * share)] ^= 4
    (tmp_path / "t.gltrace").write_bytes(flipped)
    done = command(["gpureplay", "run", "t.gltrace", "--json", "out.json"], tmp_path)
    assert done.status == 3, done.err
    assert "Traceback" not in done.err


RUN = ["gpureplay", "run", "t.gltrace"]


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (["-c", "mali450-vr0"], ["mali450-vr0", "mali450-vro"]),
        (["-c", "nothing-like-it.toml"], ["nothing-like-it.toml"]),
        (["--set", "l3.size_bytes=4"], ["l3"]),
        (["--set", "fragment.procesors=4"], ["fragment.procesors", "did you mean", "processors"]),
        (["--set", "fragment.processors=-4"], ["fragment.processors", "-4"]),
        (["--set", "fragment.processors=four"], ["fragment.processors", "four"]),
        (["--set", "fragment.processors"], ["fragment.processors"]),
        (["-t", "vr0"], ["vr0"]),
        (["--frames", "7-3"], ["7-3"]),
        (["--frames", "x"], ["x"]),
        (["--frames", "900"], ["900"]),
        (["--json", "no/such/folder/out.json"], ["no/such/folder"]),
        (["--bogus"], ["--bogus"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_usage_and_configuration(extra: list[str], words: list[str], cube: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.gltrace").write_bytes(cube)
    expect([*RUN, *extra], tmp_path, 2, *words)


def test_every_mistake_of_a_configuration_is_told_at_once(cube: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.gltrace").write_bytes(cube)
    (tmp_path / "gpu.toml").write_text(
        'base = "mali450-vro"\n[fragment]\nprocesors = 2\nthreads = 0\n[tile]\nwidth = "x"\n'
    )
    done = command([*RUN, "-c", "gpu.toml"], tmp_path)
    assert done.status == 2
    for word in ("processors", "threads", "width"):
        assert word in done.err


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        (["gpucapture", "sample", "cubes"], 2, ["cubes", "cube"]),
        (["gpucapture", "sample", "cube", "--size", "big"], 2, ["big"]),
        (["gpucapture", "run", "nowhere.py"], 2, ["nowhere.py"]),
        (["gpucapture", "run", "-o", "no/folder/x.gltrace", "empty.py"], 2, ["no/folder"]),
        (["gpucapture", "run", "--driver", "metal", "empty.py"], 2, ["metal", "system"]),
        (["gpucapture", "import", "nowhere.trace"], 2, ["nowhere.trace"]),
        (["gputrace", "dmp", "x"], 2, ["dmp", "dump"]),
        (["gpureplay", "runn"], 2, ["runn", "run"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_command_lines(line: list[str], status: int, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("")
    done = command(line, tmp_path)
    assert done.status == status, done.err
    assert "Traceback" not in done.err
    for word in words:
        assert word in done.err, done.err


def test_a_script_that_draws_nothing(tmp_path: Path) -> None:
    (tmp_path / "idle.py").write_text("print('idle')\n")
    done = command(["gpucapture", "run", "--driver", "null", "idle.py"], tmp_path)
    assert done.status == 1
    assert "Traceback" not in done.err


def test_a_script_that_calls_what_is_not_supported(tmp_path: Path) -> None:
    (tmp_path / "compute.py").write_text(
        "import moderngl\n"
        "context = moderngl.create_context(standalone=True, backend='egl')\n"
        "target = context.simple_framebuffer((4, 4))\n"
        "target.use()\n"
        "target.clear()\n"
        "import ctypes\n"
        "gl = ctypes.CDLL('libGL.so.1')\n"
        "gl.glBegin(4)\n"
    )
    done = command(["gpucapture", "run", "--driver", "null", "compute.py"], tmp_path)
    assert done.status == 1, done.err
    assert "glBegin" in done.err
    assert "Traceback" not in done.err


def test_output_that_cannot_be_written(cube: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.gltrace").write_bytes(cube)
    (tmp_path / "taken").write_text("a file where a folder should be")
    expect(["gpureplay", "images", "t.gltrace", "-o", "taken"], tmp_path, 2, "taken")
    expect(["gpureplay", "demo", "-o", "taken"], tmp_path, 2, "taken")


@pytest.mark.parametrize(
    "line", [["gpucapture"], ["gputrace"], ["gpureplay"], ["gpureplay", "run"], ["gpureplay", "demo"]]
)
def test_help_is_quick_and_imports_nothing_heavy(line: list[str], tmp_path: Path) -> None:
    program, *rest = line
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv = {[program, *rest, '--help']!r}\n"
        f"from {MAIN[program]} import main\n"
        "try:\n    main()\nfinally:\n"
        "    heavy = ('numba', 'llvmlite', 'OpenGL', 'PIL', 'pydantic')\n"
        "    print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env={**os.environ}, check=False
    )
    assert done.returncode == 0
    assert "Usage" in done.stdout
    assert done.stderr.strip().endswith("[]"), done.stderr
