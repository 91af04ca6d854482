"""Short names that tell the runs of one command apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel

from gpumodel.config.load import config_sha256
from gpumodel.results import RunResult

__all__ = ["config_labels", "run_labels"]

#: Digits of a configuration's hash that stand behind a name that two configurations have.
_DIGITS: Final = 8
#: What a configuration's name may hold and a file's should not.
_UNFIT: Final = re.compile(r"[^\w.+@-]")


def config_labels(configs: Sequence[BaseModel]) -> list[str]:
    """Name of each configuration; with a part of its hash where another configuration has the same name.

    Configurations that differ in their memory alone keep their name: runs name their memory beside it.
    """
    names = [str(getattr(config, "name", "")) for config in configs]
    known = [config_sha256(config) for config in map(_without_memory_mode, configs)]
    shared = {
        name for name in names if len({hash for other, hash in zip(names, known, strict=True) if other == name}) > 1
    }
    return [f"{name}@{hash[:_DIGITS]}" if name in shared else name for name, hash in zip(names, known, strict=True)]


def _without_memory_mode(config: BaseModel) -> BaseModel:
    memory = getattr(config, "memory", None)
    if not isinstance(memory, BaseModel) or "mode" not in type(memory).model_fields:
        return config
    return config.model_copy(update={"memory": memory.model_copy(update={"mode": "dram"})})


def run_labels(runs: Sequence[RunResult]) -> list[str]:
    """Give each run a name of what differs between them: technique, configuration, memory; fit for a file name."""
    configs = config_labels([run.config for run in runs])
    parts = [(run.technique, config, run.memory) for run, config in zip(runs, configs, strict=True)]
    varies = [len({part[k] for part in parts}) > 1 or k == 0 for k in range(3)]
    labels = ["-".join(text for text, wanted in zip(part, varies, strict=True) if wanted) for part in parts]
    return [_UNFIT.sub("_", label) for label in labels]
