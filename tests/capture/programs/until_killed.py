"""Draws until it is killed, with a pause every few frames, and says how far it came.

In the file there is for every frame the processor time of the process behind it, in seconds.
"""

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
        progress.write(struct.pack("<d", time.process_time()))
        if number % int(sys.argv[2]) == 0:
            time.sleep(float(sys.argv[3]))
