"""What stands out, dearest first: each with the figures that it follows from.

A finding says what costs, not what a change brings: that is measured, see :mod:`.advice`, which then orders them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from gpumodel.report.page.facts import Facts
from gpumodel.report.shader_lines import StageLines
from traceformat.gles.formats import FORMATS

__all__ = ["findings"]

#: Findings of a page, and the share of time or traffic below which nothing is said.
_SHOWN: Final = 12
_LEAST: Final = 0.01
#: An object that takes this share of the time stands out.
_DEAR: Final = 0.08
#: Fragments of a quad that have work below which most of a quad's lanes are idle.
_FEW: Final = 2.0
#: Draws of a frame that could go with others, from which on it is said.
_BATCH: Final = 16
_PLURALS: Final = {"fragments": "fragments", "texels": "texels", "dram": "memory traffic", "vertices": "vertices"}


@dataclass(frozen=True, slots=True)
class _Finding:
    """One of them: kind, heading, sentence, its share of what (None: of nothing), where the page shows more; the change
    that it calls for, and one that bounds what any could save, as ``gpureplay whatif`` takes them; what it saves, once
    :mod:`.advice` knows.
    """

    kind: str
    title: str
    text: str
    share: float | None
    of: str
    anchor: str
    change: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()
    saves: None = None


def findings(
    tables: Mapping[str, Sequence[Mapping[str, Any]]], facts: Facts, stages: Sequence[StageLines],
    totals: Mapping[str, float],
) -> list[dict[str, Any]]:  # fmt: skip
    """Findings, the largest share first.

    Parameters
    ----------
    tables : of :func:`.costs.cost_tables`
    totals : means a frame: ``ms``, ``pixels``, ``dram`` (bytes), counters; and ``frames``, how many there are
    """
    found = [
        *_dear_objects(tables["object"], totals), *_dear_program(tables, totals), *_hidden(facts, totals),
        *_in_vain(facts, totals), *_blended(tables["object"], facts, totals),
        *_textures(tables["texture"], facts, totals), *_tiny(tables["object"]), *_loads(facts, totals),
        *_lines(stages, totals), *_unchanged(facts), *_batches(facts), *_varyings(facts, totals),
    ]  # fmt: skip
    found = [each for each in found if each.share is None or each.share >= _LEAST]
    return [asdict(each) for each in sorted(found, key=lambda each: -(each.share or 0.0))[:_SHOWN]]


def _dear_objects(rows: Sequence[Mapping[str, Any]], totals: Mapping[str, float]) -> Iterator[_Finding]:
    for row in rows[:3]:
        if row["share"] < _DEAR:
            continue
        parts = {
            "fragments": row["fragments"] / max(totals["fragments.shaded"], 1),
            "texels": row["texels"] / max(totals["texels"], 1),
            "dram": row["dram"] * 1024 / max(totals["dram"], 1),
            "vertices": row["vertices"] / max(totals["vertices.shaded"], 1),
        }
        largest = sorted(parts, key=lambda name: -parts[name])[:2]
        text = f"{row['ms'] + row['shared_ms']:.2f} ms of {totals['ms']:.2f} ms a frame"
        text += ", with " + " and ".join(f"{parts[name]:.0%} of the {_PLURALS[name]}" for name in largest)
        if row["fragments"] >= 1:
            each = 4 * row["instructions"] / row["fragments"]
            mean = 4 * (totals["fs.issue_cycles"] + totals["vs.issue_cycles"]) / max(totals["fragments.shaded"], 1)
            layers = row["fragments"] / max(totals["pixels"], 1)
            text += f"; it shades {layers:.2f} layers of the screen"
            if each > 1.3 * mean:
                text += f", with {each:.0f} issue cycles for 4 fragments where the frame has {mean:.0f}"
        yield _Finding(
            "object", f"{row['name']} takes {row['share']:.0%} of the time", f"{text}.", row["share"], "time", "costs",
            bound=("hollow", row["name"]),
        )  # fmt: skip


def _dear_program(tables: Mapping[str, Sequence[Mapping[str, Any]]], totals: Mapping[str, float]) -> Iterator[_Finding]:
    """The dearest program, where no object alone has most of what it costs."""
    if not tables["program"] or not tables["object"]:
        return
    row = tables["program"][0]
    if row["share"] < 3 * _DEAR or tables["object"][0]["share"] > 0.6 * row["share"]:
        return
    code, _, number = row["name"].partition(" ")
    layers = row["fragments"] / max(totals["pixels"], 1)
    text = f"{row['ms'] + row['shared_ms']:.2f} ms of {totals['ms']:.2f} ms a frame, in {row['draws']:,.0f} draws "
    text += f"that shade {layers:.2f} layers of the screen."
    title = f"{number.strip('()').capitalize()} takes {row['share']:.0%} of the time"
    yield _Finding("program", title, text, row["share"], "time", "shaders", bound=("hollow", f"program {code}"))


def _hidden(facts: Facts, totals: Mapping[str, float]) -> Iterator[_Finding]:
    cycles = sum(facts.hidden.values())
    draws = sum(facts.hidden_draws.values())
    if not draws:
        return
    share = cycles / max(totals["cycles"] * totals["frames"], 1)
    names = [name for name, _ in facts.hidden.most_common(3)]
    text = f"They take {share:.1%} of the time: {', '.join(names)}" + (" and others." if len(facts.hidden) > 3 else ".")
    # What also has draws that are seen is not to be left out.
    needless = next((name for name in names if facts.hidden_draws[name] == facts.draws[name]), None)
    yield _Finding(
        "hidden", f"{draws / totals['frames']:,.1f} draws a frame change no pixel", text, share, "time", "frame",
        () if needless is None else ("without", needless),
    )  # fmt: skip


def _in_vain(facts: Facts, totals: Mapping[str, float]) -> Iterator[_Finding]:
    fragments = sum(facts.in_vain.values()) / totals["frames"]
    share = fragments / max(totals["fragments.shaded"], 1)
    if share < 0.05:
        return
    largest = [f"{name} ({count / sum(facts.in_vain.values()):.0%})" for name, count in facts.in_vain.most_common(3)]
    layers = fragments / max(totals["pixels"], 1)
    text = f"Opaque draws shade {layers:.2f} layers of the screen that later ones paint over: {', '.join(largest)}."
    yield _Finding(
        "overdraw", f"{share:.0%} of the fragments are shaded in vain", text, share, "fragments", "frame",
        ("order", "all", "front-to-back"),
    )  # fmt: skip


def _blended(rows: Sequence[Mapping[str, Any]], facts: Facts, totals: Mapping[str, float]) -> Iterator[_Finding]:
    shares = {row["name"]: row for row in rows}
    for what, counted in (("blended", facts.blended), ("discarding", facts.discarding)):
        for name, fragments in counted.most_common(2):
            layers = fragments / totals["frames"] / max(totals["pixels"], 1)
            row = shares.get(name)
            if row is None or layers < 0.25:
                continue
            text = (
                f"{layers:.2f} layers of the screen are blended over each other; what lies below is shaded, too."
                if what == "blended"
                else f"{layers:.2f} layers of the screen come from a shader that may discard: its depth is known late, "
                "so that it hides nothing early."
            )
            title = f"{name} blends over what is drawn" if what == "blended" else f"{name} defeats early depth tests"
            change: tuple[str, ...] = ("no-discard", name)
            if what == "blended":
                # Without a depth test nothing would be hidden: the same fragments would be shaded.
                change = ("opaque", name) if name in facts.layered else ()
            bound = ("without", name) if what == "blended" else ()
            yield _Finding(what, title, text, row["share"], "time", "costs", change, bound)


def _textures(rows: Sequence[Mapping[str, Any]], facts: Facts, totals: Mapping[str, float]) -> Iterator[_Finding]:
    for row in rows:
        texture = facts.textures.get(row["name"])
        if texture is None or texture.is_target:
            continue
        share = row["texture"] / max(totals["dram"], 1)
        size = f"{texture.width} x {texture.height}"
        text = f"The memory reads {row['texture'] / 1024:,.0f} KB of it a frame, {share:.0%} of all traffic"
        target = " ".join(row["name"].split(" ")[:2])
        if texture.levels <= 1 and min(texture.width, texture.height) >= 64:
            title, said = f"{row['name']} has no mipmaps", f"{text}; it has one level of {size}."
            yield _Finding("mipmaps", title, said, share, "traffic", "costs", ("mipmaps", target))
        known = FORMATS.get(texture.format)
        if texture.width * texture.height >= 1 << 18 and known is not None and not known.compressed:
            title, said = f"{row['name']} is not compressed", f"{text}; it is {size}."
            yield _Finding("compress", title, said, share, "traffic", "costs", ("compress", target))


def _tiny(rows: Sequence[Mapping[str, Any]]) -> Iterator[_Finding]:
    """Objects whose quads have few fragments, as one finding."""
    found = [
        row
        for row in rows
        if row["primitives"] >= 100 and row["quads"] and row["fragments.rasterized"] / row["quads"] < _FEW
    ]
    if not found:
        return
    primitives, fragments, quads = (
        sum(row[name] for row in found) for name in ("primitives", "fragments.rasterized", "quads")
    )
    names = ", ".join(row["name"] for row in found[:4]) + (f" and {len(found) - 4} more" if len(found) > 4 else "")
    text = (
        f"{primitives:,.0f} primitives a frame cover {fragments / primitives:.1f} fragments each, and "
        f"{fragments / quads:.1f} of a quad's 4 lanes have work: {names}."
    )
    title = f"{found[0]['name'] if len(found) == 1 else f'{len(found)} objects'} made of tiny triangles"
    share = sum(row["share"] for row in found)
    name = found[0]["name"]
    yield _Finding("tiny", title, text, share, "time", "costs", ("reindex", name), ("without", name))


def _loads(facts: Facts, totals: Mapping[str, float]) -> Iterator[_Finding]:
    for title, change, counted, text in (
        ("Colour or depth of {} is loaded before it is drawn to", "clear-not-load", facts.loaded_bytes,
         "{:,.0f} KB a frame are read before the first draw; a clear or an invalidation begins with nothing."),
        ("{} is interrupted, and goes on later", "join-passes", facts.rejoined_bytes,
         "{:,.0f} KB a frame are read because other framebuffers are drawn to in between; they were written, too."),
        ("Depth of {} is stored", "invalidate-depth", facts.depth_stored_bytes,
         "{:,.0f} KB a frame are written behind the last draw, and no pass of the frame loads or samples them."),
    ):  # fmt: skip
        for target, size in counted.most_common(2):
            each = size / totals["frames"]
            share = each / max(totals["dram"], 1)
            said = title.format("the default framebuffer" if target == "default" else target)
            said = said[0].upper() + said[1:]
            yield _Finding("passes", said, text.format(each / 1024), share, "traffic", "passes", (change, target))


def _lines(stages: Sequence[StageLines], totals: Mapping[str, float]) -> Iterator[_Finding]:
    whole = max(sum(stage.cycles for stage in stages), 1)
    for stage in stages:
        line = int(stage.issue_cycles[1:].argmax()) + 1 if len(stage.issue_cycles) > 1 else 0
        share = stage.cycles / whole
        # Where all stands in one line, to name it says nothing.
        if np.count_nonzero(stage.issue_cycles) < 3 or share < 0.3 or stage.issue_cycles[line] < 0.25 * stage.cycles:
            continue
        part = stage.issue_cycles[line] / stage.cycles
        text = f"Line {line} of its {stage.stage} shader: {stage.text.splitlines()[line - 1].strip()[:120]}"
        title = f"{part:.0%} of program {stage.program} is one line"
        yield _Finding(
            "shader", title, text, share * float(part), "issue cycles", f"shader-{stage.program}-{stage.stage}"
        )


def _batches(facts: Facts) -> Iterator[_Finding]:
    if facts.mergeable >= _BATCH:
        text = (
            f"{facts.mergeable:,} of {facts.most_draws:,} draws of a frame share state, textures and the fragment "
            "shader's uniforms with the draw before."
        )
        yield _Finding("batches", "Many draws could be one", text, None, "", "costs", ("merge-draws", "all"))


def _varyings(facts: Facts, totals: Mapping[str, float]) -> Iterator[_Finding]:
    if not facts.idle_varyings:
        return
    named = [f"{name} ({count})" for name, count in facts.idle_varyings.most_common(3)]
    text = (
        "They are the same at every vertex of a draw, or belong to draws without colours, and are stored and "
        f"interpolated all the same: {', '.join(named)}{' and others' if len(facts.idle_varyings) > 3 else ''}."
    )
    share = facts.idle_varying_bytes / max(totals["dram"], 1)
    yield _Finding("varyings", "Varyings that say nothing", text, share, "traffic", "costs", ("strip-varyings", "all"))


def _unchanged(facts: Facts) -> Iterator[_Finding]:
    same, tiles = facts.equal_tiles
    if tiles and same / tiles > 0.3:
        text = "Rendering Elimination (-t re) and Transaction Elimination (-t te) are about such tiles."
        yield _Finding(
            "unchanged", f"{same / tiles:.0%} of the tiles show what the frame before showed", text, None, "", "frame"
        )
