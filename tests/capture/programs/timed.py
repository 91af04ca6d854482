"""A program whose picture depends on every clock and on chance; prints what they say."""

import datetime
import os
import queue
import random
import secrets
import sys
import tempfile
import threading
import time
import uuid
from time import perf_counter

import glfw
import moderngl
import numpy as np

glfw.init()
window = glfw.create_window(64, 48, "", None, None)
glfw.make_context_current(window)
context = moderngl.create_context()


class Timer:
    """A clock as an attribute of a class is no method."""

    clock = perf_counter


began, is_done = perf_counter(), threading.Event()


def wait_for_nothing() -> None:
    """Time-outs of the standard library are the machine's."""
    try:
        queue.Queue().get(timeout=0.01)
    except queue.Empty:
        is_done.set()


def look() -> list[object]:
    """What all clocks say, and what chance gives, by numpy's older functions, too."""
    generator = np.random.default_rng()
    clocks = [time.time(), time.monotonic_ns(), time.process_time(), Timer().clock() - began, glfw.get_time()]
    dates = [datetime.datetime.now(datetime.UTC), time.strftime("%S", time.gmtime()), time.gmtime().tm_year]
    chance = [random.random(), random.Random().random(), generator.random(), np.random.rand()]  # noqa: NPY002
    return [*clocks, *dates, *chance, np.random.RandomState().rand()]


for frame in range(4):
    seen = look()
    random.seed()
    print(frame, *seen)
    if frame == 2:
        time.sleep(0.05)
    numbers = [float(value) for value in (seen[0], seen[4], *seen[8:])]
    context.clear(*(value % 1 for value in numbers[:4]))
    context.clear(*(value % 1 for value in numbers[4:]), viewport=(0, 0, 8, 8))
    glfw.swap_buffers(window)
print(secrets.token_hex(4), uuid.uuid4(), os.urandom(2).hex())
print("kept", isinstance(seen[5], datetime.datetime), isinstance(datetime.datetime(2000, 1, 1), datetime.date))
if "--wait" in sys.argv:
    thread = threading.Thread(target=wait_for_nothing)
    thread.start()
    thread.join()
    before = time.time()
    while time.time() < before + 0.2:
        pass
    glfw.wait_events_timeout(3.0)
    print("waited", is_done.is_set(), round(time.time() - before, 1), tempfile.mktemp() != "")
