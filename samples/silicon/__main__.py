"""``python3 silicon run -o results.json``: the kit as a command, also from a copied folder."""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:
    # Started as a folder: let the modules beside this one find each other.
    folder = Path(__file__).resolve().parent
    sys.path[0] = str(folder.parent)
    __package__ = folder.name
    __import__(__package__)

from .command import main

if __name__ == "__main__":
    sys.exit(main())
