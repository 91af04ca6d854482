"""A library in C draws: in which order, and by which ways, is said on the command line.

Each argument is WAY or WAY:FRAMES (see ``native_objects``), ``thread`` (what follows runs in a thread of its own),
``pthread`` (in one that Python did not start), ``fork`` (in a child), ``hook`` (it sets its own slots) or ``load``
(some other library comes).

Prints the red of the pixel that each of them has read, and how often functions of its own were called that it has put
into slots, or that were preloaded.
"""

import _testbuffer
import ctypes
import importlib
import os
import sys
import threading

path, *turns = sys.argv[1:]
# The linker finds the next definition of something only among libraries that all see.
library = ctypes.CDLL(path, ctypes.RTLD_GLOBAL if "LD_PRELOAD" in os.environ else ctypes.DEFAULT_MODE)
library.draw.argtypes = library.draw_in_thread.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_float)


def draw(turn: str, function=library.draw) -> None:
    way, _, frames = turn.partition(":")
    print(turn, function(int(way), int(frames or 2), 0.2 * (1 + int(way))), flush=True)


while turns:
    turn = turns.pop(0)
    if turn == "thread":
        thread = threading.Thread(target=draw, args=(turns.pop(0),))
        thread.start()
        thread.join()
    elif turn == "pthread":
        draw(turns.pop(0), library.draw_in_thread)
    elif turn == "fork":
        child = os.fork()
        if not child:
            draw(turns.pop(0))
            os._exit(0)
        os.waitpid(child, 0)
        turns.pop(0)
    elif turn == "hook":
        print("hook", library.hook_self(), flush=True)
    elif turn == "load":
        ctypes.CDLL(_testbuffer.__file__)
        importlib.import_module("_ctypes_test")
    else:
        draw(turn)
process = ctypes.CDLL(None)
print("hooked", library.num_hooked(), getattr(process, "num_wrapped", int)(), flush=True)
