"""Short names that tell the runs of one command apart."""

from __future__ import annotations

from collections.abc import Sequence

from gpumodel.results import RunResult

__all__ = ["run_labels"]


def run_labels(runs: Sequence[RunResult]) -> list[str]:
    """Give each run a name of what differs between them: technique, configuration, memory; fit for a file name."""
    parts = [(run.technique, run.config.name, run.memory) for run in runs]
    varies = [len({part[k] for part in parts}) > 1 or k == 0 for k in range(3)]
    return ["-".join(text for text, wanted in zip(part, varies, strict=True) if wanted) for part in parts]
