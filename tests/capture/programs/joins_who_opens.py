"""Holds the interpreter while it waits for a native thread that opens libraries which are loaded."""

import ctypes
import sys

import moderngl

held = ctypes.PyDLL(sys.argv[1])
context = moderngl.create_standalone_context()
for _ in range(3):
    context.simple_framebuffer((4, 4)).clear(1.0)
    print(held.open_in_thread(sys.argv[1].encode()), held.open_in_thread(b"libc.so.6"), held.open_in_thread(None))
