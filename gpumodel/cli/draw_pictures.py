"""What ``gpureplay report`` takes from the calls of a command trace: pictures of what the dearest draws of some frames
leave, and calls for which the program waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["add_draw_pictures", "frames_with_pictures", "waits_of"]


def frames_with_pictures(frames: Sequence[Mapping[str, Any]], also: Iterable[int], *, everywhere: bool) -> list[int]:
    """Places of the frames whose draws get pictures: the dearest and the median one, and those that are asked for."""
    order = sorted(range(len(frames)), key=lambda place: frames[place]["ms"])
    if everywhere or not order:
        return order
    wanted = {order[-1], order[(len(order) - 1) // 2]}
    return sorted(wanted | {place for place, frame in enumerate(frames) if frame["frame"] in set(also)})


def add_draw_pictures(path: str, frames: Sequence[Mapping[str, Any]], threads: int) -> None:
    """Replay a command trace again and put into the rows of draws with a mask what they leave, as ``so_far``.

    Parameters
    ----------
    frames : of :class:`gpumodel.report.page.frames.FrameKeeper`
    """
    import replay
    from gpumodel.report.page.pictures import picture_uri
    from traceformat.cli.terminal import reading
    from traceformat.gltrace.reader import open_trace
    from traceformat.gputrace.reader import is_gputrace
    from traceformat.tools.callset import parse_call_set

    rows = {row["call"]: row for frame in frames for row in frame["draw_rows"] if row["mask"]}
    if is_gputrace(path) or not rows:
        return
    calls = parse_call_set(",".join(map(str, sorted(rows))))
    numbers = [frame["frame"] for frame in frames]
    with open_trace(path) as reader, reading("drawing what draws leave", reader):
        limits = min(numbers), max(numbers)
        for place, picture in replay.attachments_behind(reader, "color0", calls, frames=limits, threads=threads):
            rows[place.call]["so_far"] = picture_uri(picture)


def waits_of(
    path: str, frames: Sequence[Mapping[str, Any]], first_sampled: Mapping[tuple[int, int], int]
) -> list[dict[str, Any]]:
    """Calls for which the program waits, see :func:`gpumodel.report.page.waits.waits`; none of a GPU trace."""
    from gpumodel.report.page.waits import waits
    from traceformat.gltrace.reader import open_trace
    from traceformat.gputrace.reader import is_gputrace

    if is_gputrace(path) or not frames:
        return []
    with open_trace(path) as reader:
        return waits(reader, range(frames[0]["frame"], frames[-1]["frame"] + 1), first_sampled)
