"""The page that puts experiments together: headlines first, each with its plot, table, sources and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from gpumodel.papers.description import experiments
from gpumodel.papers.reading import Ran, headlines
from gpumodel.resultfile import program_version
from gpumodel.silicon import silicon_note
from gpumodel.study.identity import versions

__all__ = ["page"]


def page(done: Sequence[Ran], *, is_quick: bool) -> str:
    """HTML of experiments that were run, and of all others with the reason why not.

    Parameters
    ----------
    is_quick : it was a quick run
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = (files("gpumodel.papers") / "page.html.j2").read_text(encoding="utf-8")
    ran = {one.experiment.id for one in done}
    return environment.from_string(template).render(
        done=done,
        headlines=headlines(done),
        others=[one for one in experiments() if one.id not in ran],
        traces=sorted({name: text for one in done for name, text in one.traces.items()}.items()),
        is_quick=is_quick,
        silicon=silicon_note(one.experiment.study.preset for one in done if one.experiment.study is not None),
        program=program_version(),
        libraries=versions().libraries,
    )
