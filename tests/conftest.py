"""What all tests have in common."""

from __future__ import annotations

import os

# Kernels that are compiled while a test runs are not what it looks at on standard error.
os.environ.setdefault("GPUREPLAY_PROGRESS", "0")
