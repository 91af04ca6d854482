"""Write the reference of the machine's units from the heads of their modules: python docs/units.py."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from textwrap import fill

__all__ = ["unit_reference"]

_HERE = Path(__file__).resolve().parent
_UNITS = _HERE.parent / "gpumodel" / "units"
#: From the command stream to memory.
_ORDER = (
    "command", "vertex", "assembly", "binning", "tile_fetch", "tile_fetch_pipelined", "tiles", "raster", "depth",
    "fragment", "texture_cache", "instruction", "blend", "flush", "cache", "l2", "memory_paper", "memory_dram",
)  # fmt: skip
_HEAD = """# The units

What each unit of the machine does, what of it is modelled, what is left out, and the source. Made from the modules
themselves (`python docs/units.py`); [MODEL.md](MODEL.md) says how they work together.
"""
_PARTS = re.compile(r"^(Hardware|Modelled|Left out|Source): ", re.M)
_ROLE = re.compile(r":(?:mod|func|class):`([^`]*)`")


def unit_reference() -> str:
    """The page."""
    found = {path.stem: ast.get_docstring(ast.parse(path.read_text())) or "" for path in _UNITS.glob("*.py")}
    units = {name: text for name, text in found.items() if "Modelled: " in text}
    names = [*_ORDER, *sorted(units.keys() - set(_ORDER))]
    return _HEAD + "".join(_section(name, units[name]) for name in names)


def _section(name: str, text: str) -> str:
    title, _, rest = text.partition("\n\n")
    rest = _ROLE.sub(r"`\1`", rest).replace("``", "`").replace("*", "\\*")
    pieces = _PARTS.split(rest)
    rows = [
        fill(f"- **{part}**: {said}", 118, subsequent_indent="  ")
        for part, said in zip(pieces[1::2], pieces[2::2], strict=True)
    ]
    return (
        f"\n## {title.split(':')[0].rstrip('.')} (`{name}`)\n\n"
        + "\n".join([" ".join(title.split()), "", *rows])
        + "\n"
    )


if __name__ == "__main__":
    (_HERE / "unit_reference.md").write_text(unit_reference(), encoding="utf-8")
