"""``python -m capture.cli``: the same as ``gpucapture``."""

from capture.cli import main

main()
