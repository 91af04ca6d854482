"""Draws until it is killed, and says in a file beside it how far it came: a pause after the first frame, then none."""

import os
import struct
import sys
import time

import moderngl

with open(sys.argv[1], "wb", buffering=0) as progress:
    context = moderngl.create_standalone_context()
    target = context.simple_framebuffer((4, 4))
    number = 0
    while True:
        target.clear(number / 2**24)
        number += 1
        os.pwrite(progress.fileno(), struct.pack("<qd", number, time.monotonic()), 0)
        if number % int(sys.argv[2]) == 0:
            time.sleep(float(sys.argv[3]))
