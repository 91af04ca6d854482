"""Libraries in C draw: which, in which order, and by which ways, is said on the command line.

The first argument has their paths. Each other is [LIBRARY@]WAY[:FRAMES] (see ``native_objects``), [LIBRARY@]hook (it
sets its own slots), [LIBRARY@]unhook (it sets them back), ``close:LIBRARY``, ``load`` (some other library comes),
``thread`` (what follows runs in a thread of its own), ``pthread`` (in one that Python did not start), ``fork`` (in a
child) or ``together:TURNS`` (each in a thread of its own, which loads its library itself and closes it, all at once). A
library is loaded by the first turn that names it; without a name it is the first.

Prints the red of the pixel that each of them has read, and how often functions of its own were called that it has put
into slots, or that were preloaded.
"""

import _ctypes
import _testbuffer
import ctypes
import importlib
import os
import sys
import threading

paths, *turns = sys.argv[1:]
paths = paths.split(os.pathsep)
loaded = {}
num_hooked = 0


def load(number: int):
    # The linker finds the next definition of something only among libraries that all see.
    library = ctypes.CDLL(paths[number], ctypes.RTLD_GLOBAL if "LD_PRELOAD" in os.environ else ctypes.DEFAULT_MODE)
    library.draw.argtypes = library.draw_in_thread.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_float)
    return library


def split(turn: str) -> tuple[int, str]:
    number, _, what = turn.rpartition("@")
    return int(number or 0), what


def find(turn: str):
    number, what = split(turn)
    if number not in loaded:
        loaded[number] = load(number)
    return loaded[number], what


def red_of(library, what: str, function: str) -> int:
    way, _, frames = what.partition(":")
    return getattr(library, function)(int(way), int(frames or 2), 0.2 * (1 + int(way)))


def draw(turn: str, function: str = "draw") -> None:
    print(turn, red_of(*find(turn), function), flush=True)


def draw_together(parts: list[str]) -> None:
    reds = {}
    ready = threading.Barrier(len(parts))

    def work(place: int, turn: str) -> None:
        number, what = split(turn)
        ready.wait()
        library = load(number)
        reds[place] = red_of(library, what, "draw_in_thread" if place % 2 else "draw")
        _ctypes.dlclose(library._handle)

    threads = [threading.Thread(target=work, args=each) for each in enumerate(parts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(*parts, [reds[place] for place in range(len(parts))], flush=True)


if any(turn.startswith(("close:", "together:")) for turn in turns):
    # Mesa leaves the ends of threads to functions of its own, and crashes if it has been unloaded by then.
    kept = ctypes.CDLL("libEGL.so.1")
while turns:
    turn = turns.pop(0)
    if turn == "thread":
        thread = threading.Thread(target=draw, args=(turns.pop(0),))
        thread.start()
        thread.join()
    elif turn == "pthread":
        draw(turns.pop(0), "draw_in_thread")
    elif turn == "fork":
        child = os.fork()
        if not child:
            draw(turns.pop(0))
            os._exit(0)
        os.waitpid(child, 0)
        turns.pop(0)
    elif turn.startswith("together:"):
        count = int(turn.partition(":")[2])
        draw_together(turns[:count])
        del turns[:count]
    elif turn.startswith("close:"):
        library = loaded.pop(int(turn.partition(":")[2]))
        num_hooked += library.num_hooked()
        _ctypes.dlclose(library._handle)
    elif turn.endswith("hook"):
        library, what = find(turn)
        print(turn, getattr(library, f"{what}_self")(), flush=True)
    elif turn == "load":
        ctypes.CDLL(_testbuffer.__file__)
        importlib.import_module("_ctypes_test")
    else:
        draw(turn)
process = ctypes.CDLL(None)
num_hooked += sum(library.num_hooked() for library in loaded.values())
print("hooked", num_hooked, getattr(process, "num_wrapped", int)(), flush=True)
