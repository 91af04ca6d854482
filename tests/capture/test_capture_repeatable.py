"""``--clock fixed --seed N``: a program with clocks and chance is recorded the same every time."""

from __future__ import annotations

import importlib.util
import itertools
import threading
import time
from fractions import Fraction

import pytest
from click.testing import CliRunner

from capture.cli import cli
from capture.repeatable.clock import FixedClock
from traceformat.errors import UsageError
from traceformat.gltrace.reader import open_trace

FIXED = ("--clock", "fixed", "--seed", "7")
SECRETS = (*FIXED, "--seed-secrets")


@pytest.fixture(scope="module")
def recorded(captured):
    """The program recorded once for each of these."""
    wanted = {
        "fixed": FIXED,
        "secret": SECRETS,
        "seeded": ("--clock", "fixed", "--seed", "8"),
        "stepped": ("--clock", "fixed:1/30", "--seed", "7"),
        "free": (),
    }
    done = {name: captured("timed", options=options) for name, options in wanted.items()}
    done["again"] = captured("timed", options=SECRETS, take=2)
    assert [each.status for each in done.values()] == [0] * len(done), [each.stderr for each in done.values()]
    return done


def properties(done):
    with open_trace(done.trace) as reader:
        return dict(reader.properties)


def test_recordings_are_equal(recorded):
    first, again = recorded["secret"], recorded["again"]
    assert first.stdout == again.stdout
    assert "kept True True" in first.stdout
    assert first.trace.read_bytes() == again.trace.read_bytes()
    assert properties(first)["clock"] == "fixed, 1/60 s a frame"
    assert properties(first)["seed"] == "7, secrets too"


def test_without_it_they_are_not(recorded):
    calls = [recorded[name].calls() for name in ("free", "fixed", "seeded", "stepped", "secret")]
    assert all(one != other for one, other in itertools.combinations(calls[:4], 2))
    assert calls[1] == calls[4]
    assert not {"clock", "seed"} & set(properties(recorded["free"]))


def test_clocks_stand_still_in_a_frame(recorded):
    def told(done):
        return [[float(word) for word in line.split()[1:6]] for line in done.stdout.splitlines()[:4]]

    begin = told(recorded["fixed"])[0]
    # The third frame sleeps for 50 ms, which its end adds no step to.
    for name, step in (("fixed", 1 / 60), ("stepped", 1 / 30)):
        passed = [[now - start for now, start in zip(row, begin, strict=True)] for row in told(recorded[name])]
        for row, seconds in zip(passed, [0, step, 2 * step, 2 * step + 0.05], strict=True):
            assert row[0] == pytest.approx(seconds, abs=2e-6)
            assert row[1] == pytest.approx(seconds * 1e9, abs=4)
            assert row[2:] == pytest.approx([seconds] * 3, abs=1e-8)


def test_secrets_are_left_alone_unless_asked_for(recorded):
    lines = {name: recorded[name].stdout.splitlines()[4] for name in recorded}
    assert lines["secret"] == lines["again"]
    assert len(set(lines.values())) == len(lines) - 1


def test_waits_end(capture):
    """Time-outs of other threads are the machine's; loops that wait for the clock see it go on."""
    done = capture("timed", "--wait", options=FIXED)
    assert done.status == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "waited True 3.2 True"


def test_children_have_it_too(capture, tmp_path):
    (tmp_path / "child.py").write_text("import time, random; print(time.time(), random.random())")
    done = capture(
        "import glfw, subprocess, sys\nprint(subprocess.run([sys.executable, 'child.py'], check=True))\n", options=FIXED
    )
    assert "1767225600.0 0.32383276483316237" in done.stdout


NEEDS_PYGAME = pytest.mark.skipif(importlib.util.find_spec("pygame") is None, reason="pygame is not installed")


@NEEDS_PYGAME
def test_pygames_clock(capture):
    program = """
import os
os.environ["SDL_AUDIODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
import pygame
from OpenGL import GL
pygame.init()
pygame.display.set_mode((64, 48), pygame.OPENGL | pygame.DOUBLEBUF)
clock = pygame.time.Clock()
for number in range(3):
    print(pygame.time.get_ticks(), clock.tick(30), clock.get_rawtime())
    GL.glClear(GL.GL_COLOR_BUFFER_BIT)
    pygame.display.flip()
pygame.time.wait(100)
print(pygame.time.get_ticks())
"""
    done = capture(program, options=FIXED)
    assert done.status == 0, done.stderr
    assert done.stdout.splitlines() == ["0 33 0", "33 33 0", "66 33 0", "199"]


@pytest.mark.parametrize("text", ["wall", "fixed:0", "fixed:-1", "fixed:x", "fixed:1/0", "fixed:1e9"])
def test_a_bad_clock_is_refused(tmp_path, text):
    script = tmp_path / "script.py"
    script.write_text("")
    done = CliRunner().invoke(cli, ["run", "--clock", text, str(script)])
    assert done.exit_code == 2
    assert "not fixed or fixed:SECONDS" in done.stderr


def test_secrets_need_a_seed(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("")
    with pytest.raises(UsageError, match="no seed"):
        CliRunner().invoke(cli, ["run", "--seed-secrets", str(script)], catch_exceptions=False)


def test_other_threads_sleep_and_move_nothing():
    clock = FixedClock(Fraction(1, 4))
    began = time.monotonic()
    thread = threading.Thread(target=clock.sleep, args=(0.02,))
    thread.start()
    thread.join()
    assert time.monotonic() - began >= 0.02
    assert clock.read() == 0
    with pytest.raises(ValueError, match="non-negative"):
        clock.sleep(-1)
    clock.sleep(10)
    assert clock.read() == 10_000_000_000
    clock.end_frame()
    clock.end_frame()
    assert clock.read() == 10_250_000_000
