"""The page that puts experiments together: each with its plot, table, sources and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from gpumodel.papers.description import Experiment, experiments
from gpumodel.papers.reading import Bar
from gpumodel.resultfile import program_version
from gpumodel.silicon import silicon_note

__all__ = ["page"]


def page(done: Sequence[tuple[Experiment, Sequence[Bar], Sequence[str]]], *, is_quick: bool) -> str:
    """HTML of experiments that were run, and of all others with the reason why not.

    Parameters
    ----------
    done : experiment, bars, workloads without a twin
    is_quick : it was a quick run
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = (files("gpumodel.papers") / "page.html.j2").read_text(encoding="utf-8")
    ran = {one.id for one, *_ in done}
    return environment.from_string(template).render(
        done=[
            {"experiment": one, "bars": bars, "missing": missing, "file": one.id.replace(":", "-")}
            for one, bars, missing in done
        ],
        others=[one for one in experiments() if one.id not in ran],
        is_quick=is_quick,
        silicon=silicon_note(one.study.preset for one, *_ in done if one.study is not None),
        program=program_version(),
    )
