"""What all tests have in common."""

from __future__ import annotations

import os

# Workers of xdist are told a width, and everybody who asks how wide a line is would believe it.
for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)
# Kernels that are compiled while a test runs are not what it looks at on standard error.
os.environ.setdefault("GPUREPLAY_PROGRESS", "0")
