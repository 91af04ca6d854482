"""Damaged TOML files of every kind that commands read: GPUs, studies, budgets."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Final

__all__ = ["BUDGETS", "SAMPLE", "STUDY", "mutated", "presets"]

_NUMBER: Final = re.compile(r"(?<![\w.])-?\d[\d_.e+-]*")
_WILD_NUMBERS: Final = (
    "0", "-1", "1", "2", "3", "7", "1e9", "1e308", "-1e-9", "nan", "inf", "9223372036854775807", "9223372036854775808",
    "4294967296", "65536", "true", '"4"', "[1]", "{}", "0.1", "1_000", "999999999999999999999999",
)  # fmt: skip

#: A study that uses every key but that of demo programs.
STUDY: Final = """\
traces = ["base.gltrace", "bas*.gltrace"]
frames = ["0-0", "1-1 every 2"]
warm_up = 1
presets = ["mali450-vro"]
techniques = ["re+te"]

[set]
screen.scale_to_trace = true

[grid]
caches.l2.size_bytes = ["64K"]

[[settings]]
caches.tile.size_bytes = "16K"

[[settings]]
caches.tile.size_bytes = "32K"
"""

#: What captures one more trace.
SAMPLE: Final = """\
[[sample]]
name = ["cube"]
size = "32x16"
frames = 2
"""

#: Budgets of every kind.
BUDGETS: Final = """\
version = 1
presets = ["mali450-vro"]

[[budget]]
metric = "ms"
at_most = 16.6

[[budget]]
object = "rain"
metric = "share"
at_most = 0.3
statistic = "p95"

[[budget]]
object = "post/blur"
metric = "instructions_per_fragment"
at_most = 190
presets = ["tbr-fhd"]
name = "the blur stays cheap"

[[budget]]
metric = "dram_bytes"
at_most = 1000000
statistic = "mean"
"""


@cache
def presets() -> tuple[str, ...]:
    """Texts of all GPUs that come with the program."""
    found = [*files("gpumodel.presets").iterdir(), *files("gpumodel.handheld.presets").iterdir()]
    return tuple(entry.read_text(encoding="utf-8") for entry in found if entry.name.endswith(".toml"))


def mutated(text: str, rng: random.Random, mutate_bytes: Callable[[bytes, random.Random], bytes]) -> bytes:
    """The text with a few lines gone, doubled, swapped or of other values, or with damaged bytes."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        match rng.randrange(7):
            case 0:
                del lines[at]
            case 1:
                lines.insert(rng.randrange(len(lines)), lines[at])
            case 2:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 3:
                key = lines[at].partition("=")[0]
                lines[at] = f"{key}= {rng.choice(_WILD_NUMBERS)}"
            case 4:
                return mutate_bytes("\n".join(lines).encode(), rng)
            case _:
                numbers = [k for k, line in enumerate(lines) if _NUMBER.search(line.partition("#")[0])] or [at]
                at = rng.choice(numbers)
                lines[at] = _NUMBER.sub(rng.choice(_WILD_NUMBERS), lines[at], count=1)
        text = "\n".join(lines)
    return text.encode()
