"""Which techniques go together: every pair is put into a machine, whose rules allow or refuse it with the reason.

The rules are those of :func:`~gpumodel.techniques.registry.combine`: a slot, a hook that cannot be shared, a unit's
place, and what a technique says that it takes belong to one; some say that they go with no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from gpumodel.config.load import load_config
from gpumodel.techniques.registry import combine, known_techniques
from traceformat.errors import ConfigError

__all__ = ["matrix_page", "why_refused"]

_HEAD = """# Techniques together

Made by `gpureplay techniques --matrix`: `+` runs (`-t a+b`), a number is the rule that refuses the pair. Three and more
go together where each two of them do, as long as no more than four share a hook.
"""


def why_refused(first: str, second: str, preset: str) -> str:
    """Say why two techniques do not go together on a preset; empty where they do."""
    known = known_techniques()
    for one, other in ((first, second), (second, first)):
        if other in known[one].implies:
            return f"{one} contains {other}"
    both = [known[first](), known[second]()]
    config = load_config(preset)
    try:
        for technique in both:
            config = technique.configure(config)
        combine(both, config)
    except ConfigError as error:
        return error.problems[0].removeprefix(f"{first}+{second}: ")
    return ""


def matrix_page(names: Sequence[str], preset: str) -> str:
    """Markdown page of all pairs of techniques."""
    refused = {(a, b): why_refused(a, b, preset) for a, b in combinations(names, 2)}
    reasons = list(dict.fromkeys(reason for reason in refused.values() if reason))
    rows = [f"| | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for row in names:
        cells = []
        for column in names:
            reason = "" if row == column else refused[min(row, column), max(row, column)]
            cells.append("" if row == column else str(reasons.index(reason) + 1) if reason else "+")
        rows.append(f"| **{row}** | {' | '.join(cells)} |")
    notes = [f"{number}. {reason}" for number, reason in enumerate(reasons, 1)]
    return "\n".join([_HEAD, *rows, "", *notes]) + "\n"
