"""Frames of a trace: pictures, draws, and the tables of the GPU trace."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from gpureplay.tables import Table
from traceformat.errors import UsageError
from traceformat.gles.enum_names import enum_name
from traceformat.gputrace.frametrace import SCHEMA, FrameTrace, InstructionKind, ObjectRule

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Frame", "Frames", "draws_table"]

#: Frames whose tables stay in memory.
_KEPT_FRAMES: Final = 2
_ONES: Final = np.array([bin(mask).count("1") for mask in range(16)], np.int64)


class Frame:
    """One frame of a trace; its tables are made when they are first asked for.

    Attributes
    ----------
    number : of the frame, from 0
    """

    def __init__(self, number: int, load: Callable[[int], FrameTrace], picture: Callable[[int], NDArray[np.uint8]]):
        self.number = number
        self._load = load
        self._picture = picture

    @property
    def trace(self) -> FrameTrace:
        """The frame as the GPU model sees it: every table of ``traceformat``'s schema."""
        return self._load(self.number)

    def picture(self) -> Image:
        """Its picture, RGBA, the top row first; a notebook shows it, ``numpy.asarray`` gives the pixels."""
        from PIL import Image

        return Image.fromarray(np.ascontiguousarray(self._picture(self.number)[::-1]))

    @property
    def draws(self) -> Table:
        """A row a draw: what it is, what it costs in fragments, instructions and texels, its state by name."""
        return draws_table(self.trace)

    @property
    def quads(self) -> Table:
        """A row a quad of 2x2 fragments; the columns of the schema, without copies."""
        return self.table("quads")

    @property
    def texture_lines(self) -> Table:
        """A row a cache line that a texture instruction touches; the columns of the schema, without copies."""
        return self.table("texture_lines")

    def table(self, name: str) -> Table:
        """Any table of the schema, without copies.

        Raises
        ------
        UsageError : no such table
        """
        if name not in SCHEMA:
            raise UsageError(f"{name}: no table of a frame; there are {', '.join(SCHEMA)}")
        return Table(dict(self.trace[name]), name.replace("_", " "))

    def __repr__(self) -> str:
        """Give its number; nothing is replayed for it."""
        return f"<frame {self.number}>"

    def _repr_png_(self) -> bytes:
        """Give its picture as a notebook shows it."""
        import io

        out = io.BytesIO()
        self.picture().save(out, "PNG")
        return out.getvalue()


class Frames(Sequence[Frame]):
    """The frames of a trace; iterating replays each once, in the trace's order.

    Parameters
    ----------
    numbers : of the frames, in rising order
    play : replays frames from the first to the last one, both included
    picture : of one frame, (height, width, 4) uint8, row 0 at the bottom
    """

    def __init__(
        self,
        numbers: Sequence[int],
        play: Callable[[int, int], Iterator[FrameTrace]],
        picture: Callable[[int], NDArray[np.uint8]],
    ) -> None:
        self._numbers = numbers
        self._play = play
        self._picture = picture
        self._kept: OrderedDict[int, FrameTrace] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Number of frames."""
        return len(self._numbers)

    @overload
    def __getitem__(self, key: int) -> Frame: ...
    @overload
    def __getitem__(self, key: slice) -> Frames: ...
    def __getitem__(self, key: int | slice) -> Frame | Frames:
        """Give a frame by its place, or some of them.

        Raises
        ------
        IndexError : there is no such frame
        """
        if isinstance(key, slice):
            return Frames(self._numbers[key], self._play, self._picture)
        try:
            return Frame(self._numbers[key], self._loaded, self._picture)
        except IndexError:
            raise IndexError(f"there are {len(self)} frames; there is no frame {key}") from None

    def __iter__(self) -> Iterator[Frame]:
        """Give the frames in order; each is replayed once."""
        wanted = set(self._numbers)
        if not wanted:
            return
        for trace in self._play(min(wanted), max(wanted)):
            if trace.frame in wanted:
                self._keep(trace)
                yield Frame(trace.frame, self._loaded, self._picture)

    def _loaded(self, number: int) -> FrameTrace:
        with self._lock:
            kept = self._kept.get(number)
        if kept is None:
            (kept,) = self._play(number, number)
            self._keep(kept)
        return kept

    def _keep(self, trace: FrameTrace) -> None:
        with self._lock:
            self._kept[trace.frame] = trace
            while len(self._kept) > _KEPT_FRAMES:
                self._kept.popitem(last=False)

    def __repr__(self) -> str:
        """Give their number."""
        return f"<{len(self)} frames>"


def draws_table(trace: FrameTrace) -> Table:
    """A row a draw of a frame, with names in place of codes.

    Returns
    -------
    Table : identity (draw, call, pass, object, rule, programs), work (vertices, primitives, quads, fragments,
        discarded fragments, executed vertex and fragment instructions without moves, texels), textures, state
    """
    draws, programs = trace["draws"], trace["programs"]
    rows = draws.num_rows
    objects = trace["objects"]
    owner = draws["object"]
    labels = np.array(trace.labels, object)
    per_quad = _per_quad(trace)
    by_draw = {name: _sums(values, draws["quad_first"], draws["quad_count"]) for name, values in per_quad.items()}
    vertex_work = _executed(trace)[trace["vertices"]["path"]]
    columns: dict[str, NDArray[Any]] = {
        "draw": np.arange(rows),
        "call": draws["call"],
        "pass": draws["pass"],
        "object": labels[objects["label"][owner]] if rows else np.zeros(0, object),
        "rule": _names(objects["rule"][owner], lambda code: ObjectRule(code).name.lower()),
        "mode": _names(draws["mode"], lambda code: _gl(code, "PrimitiveType")),
        "vertex_program": programs["id"][draws["vertex_program"]],
        "fragment_program": programs["id"][draws["fragment_program"]],
        "vertices": draws["vertex_count"],
        "primitives": draws["primitive_count"],
        "quads": draws["quad_count"],
        "fragments": by_draw["fragments"],
        "discarded": by_draw["discarded"],
        "vertex_instructions": _sums(vertex_work, draws["vertex_first"], draws["vertex_count"]),
        "fragment_instructions": by_draw["instructions"],
        "texels": by_draw["texels"],
        "textures": _textures(trace),
        "depth_test": _names(draws["depth_func"], _gl) * draws["depth_test"].astype(object),
        "depth_write": draws["depth_write"].astype(bool),
        "stencil_test": draws["stencil_test"].astype(bool),
        "blend": draws["blend"].astype(bool),
        "cull_face": _names(draws["cull_face"], lambda code: _gl(code) if code else ""),
    }
    return Table(columns, f"draws of frame {trace.frame}")


def _per_quad(trace: FrameTrace) -> dict[str, NDArray[np.int64]]:
    """What each quad costs."""
    quads, ops = trace["quads"], trace["tex_ops"]
    texels = _sums(ops["texels"].sum(axis=1, dtype=np.int64), quads["tex_first"], quads["tex_count"])
    return {
        "fragments": _ONES[quads["coverage"] & 15],
        "discarded": _ONES[quads["coverage"] & ~quads["survives"] & 15],
        "instructions": _executed(trace)[quads["path"]],
        "texels": texels,
    }


def _executed(trace: FrameTrace) -> NDArray[np.int64]:
    """Instructions times live lanes of each path, without moves."""
    executed = trace["paths"]["executed"].astype(np.int64)
    counted: NDArray[np.int64] = executed.sum(axis=1) - executed[:, InstructionKind.MOVE]
    return counted


def _sums(values: NDArray[Any], first: NDArray[Any], count: NDArray[Any]) -> NDArray[np.int64]:
    """Sums over ranges of rows, which may be empty."""
    running = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    begin = first.astype(np.int64)
    found: NDArray[np.int64] = running[begin + count] - running[begin]
    return found


def _textures(trace: FrameTrace) -> NDArray[Any]:
    """Textures that each draw binds, such as ``3: RGBA8 256x256``."""
    draws, bindings = trace["draws"], trace["texture_bindings"]
    names = [
        f"{name}: {_gl(form).removeprefix('GL_')} {width}x{height}"
        for name, form, width, height in zip(
            *(bindings[column].tolist() for column in ("texture", "format", "width", "height")), strict=True
        )
    ]
    ranges = zip(draws["texture_first"].tolist(), draws["texture_count"].tolist(), strict=True)
    out = np.empty(draws.num_rows, object)
    out[:] = [", ".join(names[first : first + count]) for first, count in ranges]
    return out


def _names(codes: NDArray[Any], name: Callable[[int], str]) -> NDArray[Any]:
    known, places = np.unique(codes, return_inverse=True)
    names = np.array([name(int(code)) for code in known], object)
    return names[places.reshape(-1)] if len(codes) else np.zeros(0, object)


def _gl(code: int, group: str = "") -> str:
    return enum_name(code, group) or hex(code)
