"""The scripts that measure memory, threads, versions of the engine and late frames, with a few cases each."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any
from unittest.mock import patch

import engine_digests
import pytest
import random_films
import run_engine_versions
import run_late_frames
import run_memory
import run_threads
from many_passes import write_many_passes

_ROOT = Path(__file__).resolve().parents[2]


def test_memory_of_a_small_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "small.gltrace"
    write_many_passes(trace, passes=3, fragments=3000, frames=2, targets=2)
    commands = {"run": ["run", str(trace), "-c", "mali450-re", "--set", "screen.scale_to_trace=true", "--verify"]}
    # The second limit is less than Python itself needs.
    (found,) = run_memory.findings(trace, commands, ["16M"], most=1 << 20)
    assert "more than 1048576" in found
    _, name, peak, under, *_ = (cell.strip() for cell in capsys.readouterr().out.split("|")[1:])
    assert name == "run"
    assert 50 < int(peak.split()[0]) < 1000
    assert under.endswith("limit")


def test_other_ends_are_found() -> None:
    line = "gpureplay: error: needs 5 bytes, more than the limit process_memory=4\n"
    assert run_memory.Ended(0, 0, 0, "").finding(None) == ""
    assert run_memory.Ended(3, 0, 0, line).finding("1G") == ""
    assert run_memory.Ended(3, 0, 0, line).finding(None)
    assert run_memory.Ended(3, 0, 0, "Traceback ...\n" + line).finding("1G")
    assert run_memory.Ended(-9, 0, 0, "").finding("1G")
    assert run_memory.Ended(70, 0, 0, line).finding("1G")


def test_threads_under_forced_switches(tmp_path: Path) -> None:
    with patch.multiple(random_films, WIDTH=run_threads.SIZE[0], HEIGHT=run_threads.SIZE[1]):
        trace = random_films.RandomFilm(3).record(tmp_path / "film.gltrace")
    assert run_threads.film_findings(trace, random.Random(1), 2) == []

    def wrong(path: Path, columns: Any, threads: int, frames: int, real: Any = engine_digests.digests) -> Any:
        return real(path, columns, threads, frames) | ({"0/picture": "another"} if threads > 1 else {})

    with patch.object(engine_digests, "digests", wrong), patch.object(run_threads, "_THREADS", (2,)):
        found = run_threads.film_findings(trace, random.Random(1), 1)
    assert len(found) == 2
    assert "2 threads" in found[0]
    assert "1 differ: ['0/picture']" in found[0]


def test_two_versions_of_the_engine(tmp_path: Path) -> None:
    """This one against itself, and against one whose pictures are others."""
    assert run_engine_versions.tree_of(str(_ROOT), tmp_path) == _ROOT
    found, compared = run_engine_versions.differences(range(1), _ROOT, None)
    assert found == {}
    assert compared > 300
    other = tmp_path / "tests" / "support" / "engine_digests.py"
    other.parent.mkdir(parents=True)
    code = (
        f"import json, runpy, sys; sys.path[:0] = [{str(_ROOT)!r}]; target = sys.argv[3]\n"
        f"try: runpy.run_path({engine_digests.__file__!r}, run_name='__main__')\n"
        "except SystemExit: pass\n"
        "found = json.load(open(target)); found['film-0 none 1']['2/picture'] = 'another'\n"
        "json.dump(found, open(target, 'w'))\n"
    )
    other.write_text(code)
    found, _ = run_engine_versions.differences(range(1), tmp_path, None)
    assert found == {"film-0 none 1": ["2/picture"]}


def test_late_frames(tmp_path: Path) -> None:
    trace = tmp_path / "long.gltrace"
    assert run_late_frames.make(trace, 12) == ""
    seconds, wrong = run_late_frames.begin_seconds(trace, 9)
    assert wrong == ""
    assert seconds > 0
