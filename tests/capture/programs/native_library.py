"""A library in C draws: in which order, and by which ways, is said on the command line.

Each argument is WAY or WAY:FRAMES (see ``native_objects``), ``thread`` (what follows runs in a thread of its own),
``pthread`` (in one that Python did not start) or ``fork`` (in a child).

Prints the red of the pixel that each of them has read, and what the maps say is writable and
executable at the end that was not so at the start.
"""

import ctypes
import os
import sys
import threading

path, *turns = sys.argv[1:]
library = ctypes.CDLL(path)
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
    else:
        draw(turn)
