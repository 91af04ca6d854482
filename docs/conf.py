"""The site: ``sphinx-build -W docs OUT``."""

from importlib.metadata import version as installed

project = "gpureplay"
author = "the gpureplay authors"
release = installed("gpureplay")
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "gpureplay"
exclude_patterns = ["STATUS.md"]
# Links into the repository are held by tests/docs; the site has the pages only.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
