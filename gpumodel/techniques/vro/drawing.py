"""The Visibility Graph of a pass for other programs: DOT (Graphviz) and JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gpumodel.streams import PassStreams
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.techniques.vro.nodes import Nodes

__all__ = ["Drawing", "draw_graph"]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A graph as text in both formats."""

    dot: str
    json: str


def draw_graph(
    trace: FrameTrace, streams: PassStreams, nodes: Nodes, rank: NDArray[Any], source: Any, target: Any
) -> Drawing:
    """Draw the graph that a pass's tests have found, with the places in which its nodes were rendered.

    Parameters
    ----------
    rank : (nodes,) place of each node in this frame's rendering order
    source, target : edges, from the node in front to the one behind
    """
    first: dict[int, int] = {}
    for draw, node in enumerate(nodes.node_of_draw.tolist()):
        first.setdefault(node, draw)
    objects = trace["objects"]
    rows: list[dict[str, Any]] = []
    for node in range(nodes.count):
        row = int(trace["draws"]["object"][streams.draw_range[0] + first[node]])
        label = int(objects["label"][row])
        rows.append(
            {
                "node": node, "object": int(objects["id"][row]),
                "label": trace.labels[label] if label < len(trace.labels) else "",
                "movable": bool(nodes.movable[first[node]]), "place": int(rank[node]),
            }
        )  # fmt: skip
    edges = list(zip(source.tolist(), target.tolist(), strict=True))
    about = {"frame": trace.frame, "pass": streams.index, "nodes": rows, "edges": edges}
    lines = [f"digraph frame_{trace.frame}_pass_{streams.index} {{"]
    for entry in rows:
        text = json.dumps(f"{entry['label'] or entry['object']} ({entry['place']})")
        lines.append(f"  n{entry['node']} [label={text}, shape={'ellipse' if entry['movable'] else 'box'}];")
    lines += [f"  n{front} -> n{behind};" for front, behind in edges]
    return Drawing("\n".join([*lines, "}"]) + "\n", json.dumps(about, indent=1) + "\n")
