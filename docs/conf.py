"""The site: ``sphinx-build -W docs OUT``."""

from __future__ import annotations

from importlib.metadata import version as installed
from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

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


def setup(app: Sphinx) -> None:
    """Put pages that are made elsewhere beside the site's own, where links into the repository find them, too."""

    def copy(app: Sphinx, error: Exception | None) -> None:
        if error is None:
            copytree(Path(__file__).parent / "full_run", Path(app.outdir) / "full_run", dirs_exist_ok=True)

    app.connect("build-finished", copy)
