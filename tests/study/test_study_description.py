"""Descriptions of studies: every mistake at once, with its line; frames; lines of TOML."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from study_films import films

from gpumodel.cli import cli
from gpumodel.study.description import read_study
from gpumodel.study.selection import FrameChoice
from gpumodel.study.toml_lines import TomlLines
from traceformat.cli.door import run
from traceformat.errors import ConfigError, UsageError

#: Mistakes and, behind each, words of what is said of it.
PLANTED = '''version = 1
traces = [
  "film*.gltrace",
  "gone.gltrace",  # no trace 'gone.gltrace'
  "none-*.gltrace",  # no file has such a name
]
frames = ["0-1", "9-3"]  # end before they begin
preset = "mali450-vro"  # unknown key 'preset'; did you mean 'presets'?
presets = ["mali450-vr0"]  # did you mean 'mali450-vro'?
techniques = [
  "vro",
  "vr0",  # unknown technique 'vr0', did you mean vro?
]
warm_up = -1  # greater than or equal to 0

[set]
screen.scale_to_trace = "perhaps"  # valid boolean

[grid]
"caches.l2.size_bytes" = [
  "64K",
  "65K",  # must be a power of two
]
"caches.l2.size_byte" = [1]  # did you mean 'caches.l2.size_bytes'?
"fragment.processors" = 4  # must be a list of values

[[settings]]
fragment.processors = 0  # greater than or equal to 1

[[sample]]
name = "city"

[[sample]]
name = "citty"  # did you mean 'city'?
size = """big"""  # is no size
frames = 0  # greater than or equal to 1
'''


def expected() -> list[tuple[int, str]]:
    rows = enumerate(PLANTED.splitlines(), 1)
    return [(number, line.partition("  # ")[2]) for number, line in rows if "  # " in line]


def test_every_mistake_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    films(tmp_path, 1)
    path = tmp_path / "study.toml"
    path.write_text(PLANTED)
    with pytest.raises(ConfigError) as raised:
        read_study(str(path), ["city", "cube"])
    wanted = expected()
    assert len(wanted) >= 10
    assert len(raised.value.problems) == len(wanted), raised.value.problems
    for problem, (number, words) in zip(raised.value.problems, wanted, strict=True):
        assert problem.startswith(f"{path}:{number}: "), problem
        assert words in problem


def test_the_command_tells_them_before_it_does_anything(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "study.toml"
    path.write_text(PLANTED)
    out = tmp_path / "out"
    assert run(cli, ["sweep", str(path), "-o", str(out)], name="gpureplay") == 2
    said = capfd.readouterr().err.splitlines()
    assert len(said) == len(expected()) + 2, "a heading, and the films are gone, too"
    assert not list(tmp_path.rglob("*.part"))
    assert not out.exists() or not list(out.iterdir())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("traces = [", "no TOML"),
        ("", "no traces"),
        ("traces = 'film0.gltrace'\nframes = '7-9'", ":2: .*it has 5 frames; there is no frame 7"),
        ("traces = 'film0.gltrace'\npresets = 'handheld-2003'", ":2: "),
        ("traces = 'film0.gltrace'\n[grid]\n'caches.texture.ways' = [1, 3]", ":3: .*caches.texture"),
        ("traces = 'film0.gltrace'\nversion = 2", ":2: "),
        ("traces = 'film0.gltrace'\nset = 3", ":2: "),
        ("traces = 'film0.gltrace'\n[[grid]]\nx = 3", ":2: "),
        ("traces = [3]", ":1: "),
    ],
)
def test_single_mistakes(text: str, words: str, tmp_path: Path) -> None:
    films(tmp_path, 1)
    path = tmp_path / "study.toml"
    path.write_text(text + "\n")
    done = CliRunner().invoke(cli, ["sweep", str(path), "-o", str(tmp_path / "out"), "--workers", "0"])
    assert isinstance(done.exception, ConfigError), done.exception

    assert re.search(words, str(done.exception), re.S), done.exception


def test_a_study_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_study(str(tmp_path / "none.toml"), [])


@pytest.mark.parametrize(
    ("texts", "frames"),
    [
        (["all"], [*range(10)]),
        (["3"], [3]),
        (["2-4", "3-6"], [2, 3, 4, 5, 6]),
        (["7-"], [7, 8, 9]),
        (["every 4"], [0, 4, 8]),
        (["2-9 every 3", "0"], [0, 2, 5, 8]),
        (["8-99"], [8, 9]),
    ],
)
@pytest.mark.filterwarnings("ignore:film.gltrace. its last frame")
def test_frames(texts: list[str], frames: list[int]) -> None:
    segments = FrameChoice.parse(texts).segments("film.gltrace", range(10))
    assert [frame for segment in segments for frame in segment] == frames
    assert all(one.stop < other.start for one, other in pairwise(segments))


@pytest.mark.parametrize("text", ["", "x", "3-1", "every 0", "every", "-3", "1-2-3"])
def test_no_frames(text: str) -> None:
    with pytest.raises(ValueError, match="frames"):
        FrameChoice.parse([text])


def test_lines_of_random_toml() -> None:
    """Each value's line is known, whatever stands around it."""
    chance = random.Random(3)
    for _ in range(60):
        lines, wanted = [], []
        tables = 0
        for number in range(chance.randrange(1, 9)):
            lines += chance.choice([[], ["# [not] {a} 'heading'"], [""]])
            if chance.random() < 0.3:
                lines.append("[[t]] # the next")
                tables += 1
                wanted.append((("t", tables - 1), len(lines)))
            place = ("t", tables - 1) if tables else ()
            value = chance.choice(
                ["1", "'a # [b'", '"\\"] #"', "[1, 2]", "{x = 1}", "[\n 1,\n # ]\n 2]", '"""\n[a\n"""']
            )
            wanted.append(((*place, f"k{number}"), len(lines) + 1))
            lines += f"k{number} = {value}".split("\n")
        found = TomlLines("\n".join(lines))
        for place, line in wanted:
            assert found.line(place) == line, (place, lines)
