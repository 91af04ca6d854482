"""Tables of equally long columns: shown in a terminal or a notebook, and handed on to other libraries."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import MissingEnvironmentError

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Table"]

#: Rows at either end of a table that is shown.
_SHOWN_ROWS: Final = 8
#: Characters of a line in a terminal.
_LINE: Final = 120


class Table:
    """Named columns of one length.

    ``table["x"]`` is a column, the numpy array itself; ``table[3]`` a row as a dict; ``table[2:9]`` and ``table[mask]``
    are tables.

    Parameters
    ----------
    columns : by name; (N,) or, of several values a row, (N, K)
    title : what the rows are

    Raises
    ------
    ValueError : columns of different lengths
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]], title: str = "rows") -> None:
        self._columns = {name: np.asarray(column) for name, column in columns.items()}
        if len({len(column) for column in self._columns.values()}) > 1:
            raise ValueError(f"columns of {title} differ in length")
        self.title = title

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._columns)

    def __len__(self) -> int:
        """Number of rows."""
        return len(next(iter(self._columns.values()))) if self._columns else 0

    def __getitem__(self, key: Any) -> Any:
        """Give a column by name, a row by number, or the rows of a slice, a mask or an array of numbers as a table.

        Raises
        ------
        KeyError : no such column; the message lists those that are there
        IndexError : no such row
        """
        if isinstance(key, str):
            if key not in self._columns:
                raise KeyError(f"{key}: {self.title} have {', '.join(self._columns)}")
            return self._columns[key]
        if isinstance(key, (int, np.integer)):
            return {name: _plain(column[key]) for name, column in self._columns.items()}
        return Table({name: column[key] for name, column in self._columns.items()}, self.title)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Give each row as a dict; meant for tables that a person could read."""
        return (self[number] for number in range(len(self)))

    def select(self, *names: str) -> Table:
        """Give some of the columns, in this order."""
        return Table({name: self[name] for name in names}, self.title)

    def sort(self, by: str, *, ascending: bool = False) -> Table:
        """Order the rows by a column, the largest first; equal rows keep their order."""
        order = np.argsort(self[by] if ascending else _negated(self[by]), kind="stable")
        found: Table = self[order]
        return found

    def head(self, rows: int = 10) -> Table:
        """Give the first rows."""
        found: Table = self[:rows]
        return found

    def to_pandas(self) -> pandas.DataFrame:
        """As a ``pandas.DataFrame``; a column of K values a row becomes K columns, ``name.0`` and on.

        Raises
        ------
        MissingEnvironmentError : pandas is not installed
        """
        try:
            import pandas
        except ImportError:
            raise _missing("pandas") from None
        return pandas.DataFrame(self._flat(), copy=False)

    def to_arrow(self) -> pyarrow.Table:
        """As a ``pyarrow.Table`` that shares the memory of numeric columns; K values a row are a list of fixed size.

        Raises
        ------
        MissingEnvironmentError : pyarrow is not installed
        """
        try:
            import pyarrow
        except ImportError:
            raise _missing("pyarrow") from None

        def array(column: NDArray[Any]) -> Any:
            if column.ndim == 1:
                return pyarrow.array(column)
            flat = pyarrow.array(np.ascontiguousarray(column).reshape(-1))
            return pyarrow.FixedSizeListArray.from_arrays(flat, int(np.prod(column.shape[1:])))

        return pyarrow.table({name: array(column) for name, column in self._columns.items()})

    def _flat(self) -> dict[str, NDArray[Any]]:
        out: dict[str, NDArray[Any]] = {}
        for name, column in self._columns.items():
            if column.ndim == 1:
                out[name] = column
                continue
            wide = column.reshape(len(column), -1)
            out |= {f"{name}.{place}": wide[:, place] for place in range(wide.shape[1])}
        return out

    def _cells(self) -> tuple[list[list[str]], int]:
        """Texts of the rows that are shown, and how many stand before those that are left out (-1: none are)."""
        count = len(self)
        whole = count <= 2 * _SHOWN_ROWS + 1
        rows = range(count) if whole else [*range(_SHOWN_ROWS), *range(count - _SHOWN_ROWS, count)]
        return [[_text(column[row]) for column in self._columns.values()] for row in rows], -1 if whole else _SHOWN_ROWS

    def __repr__(self) -> str:
        """Give its size and its first and last rows, as many columns as a line takes."""
        cells, cut = self._cells()
        size = f"{len(self):,} {self.title}"
        if not self._columns:
            return size
        widths = [max([len(name), *(len(row[k]) for row in cells)]) for k, name in enumerate(self._columns)]
        fitting = 1
        while fitting < len(widths) and sum(widths[: fitting + 1]) + 2 * fitting <= _LINE:
            fitting += 1
        lines = [self._line(self.columns, widths, fitting)]
        lines += [self._line(row, widths, fitting) for row in cells]
        if cut >= 0:
            lines.insert(cut + 1, "...")
        hidden = self.columns[fitting:]
        more = f"; {len(hidden)} more columns: {', '.join(hidden)}" if hidden else ""
        return "\n".join([*lines, f"{size}{more}"])

    def _line(self, row: list[str], widths: list[int], fitting: int) -> str:
        numeric = [column.dtype.kind in "iuf" for column in self._columns.values()]
        texts = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, numeric, strict=True)
        ]
        return "  ".join(texts[:fitting]).rstrip()

    def _repr_html_(self) -> str:
        """Give it as a notebook shows it."""
        cells, cut = self._cells()
        rows = ["<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in cells]
        if cut >= 0:
            rows.insert(cut, f'<tr><td colspan="{len(self._columns)}">…</td></tr>')
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self._columns)
        size = html.escape(f"{len(self):,} {self.title}")
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
            f'<caption style="caption-side:bottom">{size}</caption></table>'
        )


def _missing(package: str) -> MissingEnvironmentError:
    return MissingEnvironmentError(f"{package} is not installed", hint="pip install 'gpureplay[tables]'")


def _negated(column: NDArray[Any]) -> NDArray[Any]:
    """Ranks that order a column from its largest value."""
    if column.dtype.kind in "if":
        return np.negative(column.astype(np.float64) if column.dtype.kind == "f" else column.astype(np.int64))
    ranks = np.unique(column, return_inverse=True)[1]
    return np.negative(ranks.reshape(-1))


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def _text(value: Any) -> str:
    value = _plain(value)
    spell: Callable[[Any], str] = _number if isinstance(value, (int, float)) and not isinstance(value, bool) else str
    if isinstance(value, list):
        return " ".join(map(_text, value))
    return spell(value)


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:.6g}"
