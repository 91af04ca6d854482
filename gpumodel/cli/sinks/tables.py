"""The terminal's tables."""

from __future__ import annotations

from gpumodel.cli.sinks.sink import Sink, Work
from gpumodel.report.compare import print_comparison
from gpumodel.report.table import print_summary
from traceformat.cli.terminal import console

__all__ = ["Tables"]


class Tables(Sink):
    """A table and a verdict a run, and one that compares them."""

    def end(self, work: Work) -> int:
        """Print them."""
        out = console()
        print_summary(out, work.results, title=work.name)
        if len(work.runs) > 1:
            print_comparison(out, work.results)
        return 0
