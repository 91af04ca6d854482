"""The terminal's tables."""

from __future__ import annotations

from gpumodel.cli.sinks.sink import Sink, Work
from gpumodel.report.compare import print_comparison
from gpumodel.report.table import print_summary
from gpumodel.silicon import silicon_note
from traceformat.cli.terminal import console

__all__ = ["Tables"]


class Tables(Sink):
    """Several runs side by side, or one run with what it did.

    Parameters
    ----------
    details : each run with what it did and what its units waited for
    """

    def __init__(self, *, details: bool) -> None:
        self._details = details

    def end(self, work: Work) -> int:
        """Print them."""
        out = console()
        compares = len(work.runs) > 1 and any(run.measured for run in work.results)
        if compares:
            print_comparison(out, work.results, title=work.name)
        if self._details and compares:
            out.print()
        if self._details or not compares:
            print_summary(out, work.results, title=work.name, units=self._details)
        if self._details and (note := silicon_note(run.config.name for run in work.results)):
            out.print(note, highlight=False)
        return 0
