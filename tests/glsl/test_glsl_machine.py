"""Machine code in memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: A long program with many constants, and room for a part of its code alone above 5 GB that are taken.
FAR = f"""
import mmap, sys
sys.path[:0] = [{str(ROOT / "tests" / "glsl")!r}, {str(ROOT / "tests" / "support")!r}]
from test_glsl_llvm import V4, Builder, LlvmStage, compare

def program(length):
    b = Builder()
    x, out = b.input(V4), b.output(V4)
    value = x
    for number in range(length):
        scaled = b.op("fmul", V4, x, b.const(*(number % 1000 + 0.5 + k for k in range(4))))
        turned = b.op("swizzle", V4, value, attr=(3, 0, 2, 1))
        value = b.op("fmad", V4, turned, b.const(0.5, -0.5, 0.25, 0.75), scaled)
    b.store(out, value)
    return b.finish()

LlvmStage(program(1))
long = program(3000)
hole, taken = mmap.mmap(-1, 1 << 16), mmap.mmap(-1, 5 << 30)
hole.close()
for _ in range(3):
    LlvmStage(long)
compare(long, num_quads=4)
print("fine")
"""


def test_code_and_its_constants_lie_together() -> None:
    """In a process that has mapped gigabytes, constants that lie by themselves are out of the code's reach."""
    done = subprocess.run([sys.executable, "-c", FAR], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
