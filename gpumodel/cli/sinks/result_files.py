"""``--json`` and ``--csv``: results as files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpumodel.cli.sinks.sink import Sink, Work
from gpumodel.resultfile import RunRows, Subject, result_json, results_csv
from traceformat.output import write_output

__all__ = ["ResultFile"]


class ResultFile(Sink):
    """A file about all runs, written when they are done.

    Parameters
    ----------
    path : where to
    text : :func:`result_json` or :func:`results_csv`
    """

    def __init__(self, path: str, text: Callable[[Subject, Sequence[RunRows]], str]) -> None:
        self._path = path
        self._text = text

    @classmethod
    def json(cls, path: str) -> ResultFile:
        """Schema 2."""
        return cls(path, result_json)

    @classmethod
    def csv(cls, path: str) -> ResultFile:
        """A row a run and frame."""
        return cls(path, results_csv)

    def end(self, work: Work) -> int:
        """Write it."""
        write_output(self._path, self._text(work.subject, work.results))
        return 0
