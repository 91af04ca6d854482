"""What a run is known by: everything that its results follow from, and nothing else."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from gpumodel.config.load import config_sha256
from gpumodel.config.schema import GpuConfig
from gpumodel.techniques.registry import config_of, known_techniques
from traceformat.errors import UsageError
from traceformat.kernels import source_hash

__all__ = ["RECORD_SCHEMA", "Versions", "run_identity", "run_key", "versions"]

#: Version of what is kept of a run.
RECORD_SCHEMA: Final = 1
_LIBRARIES: Final = ("numba", "llvmlite", "numpy")
_PACKAGES: Final = ("traceformat", "replay", "gpumodel")
#: Rooms that only ask for results or show them; no run imports one of them, a test holds that.
UNUSED_ROOMS: Final = frozenset(
    {
        "gpumodel/budgets", "gpumodel/cli", "gpumodel/compare", "gpumodel/handheld", "gpumodel/presets",
        "gpumodel/papers", "gpumodel/report", "gpumodel/sampling", "gpumodel/study", "gpumodel/whatif",
        "replay/handheld", "traceformat/cli", "traceformat/tools",
    }
)  # fmt: skip
_SUFFIXES: Final = frozenset({".py", ".csv", ".toml"})


@dataclass(frozen=True, slots=True)
class Versions:
    """Programs that results depend on.

    Parameters
    ----------
    sources : hash of our sources and tables that are used
    libraries : version by name
    """

    sources: str
    libraries: tuple[tuple[str, str], ...]


@cache
def versions(packages: tuple[str, ...] = _PACKAGES) -> Versions:
    """Those of this process.

    Parameters
    ----------
    packages : whose sources count; the default is what a run follows from
    """
    digest = hashlib.sha256()
    for package in packages:
        for name, path in _sources(package):
            digest.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return Versions(digest.hexdigest(), tuple((name, version(name)) for name in _LIBRARIES))


def _sources(package: str) -> list[tuple[str, Path]]:
    """Sources and tables that runs use, by their name."""
    spec = find_spec(package)
    roots = [Path(root) for root in (spec.submodule_search_locations or ())] if spec is not None else []
    found = []
    for root in roots:
        for path in root.rglob("*"):
            name = f"{package}/{path.relative_to(root).as_posix()}"
            if path.suffix in _SUFFIXES and "/".join(name.split("/")[:2]) not in UNUSED_ROOMS:
                found.append((name, path))
    return sorted(found)


def run_identity(
    trace_sha256: str,
    segments: Sequence[tuple[range, range]],
    config: GpuConfig,
    techniques: Sequence[str],
) -> dict[str, Any]:
    """What makes a run the run that it is, as JSON values.

    Parameters
    ----------
    segments : measured frames that follow each other, and the frames that are modelled for them
    config : resolved; parameters of techniques that it runs without change nothing
    techniques : ids; their order changes nothing
    """
    now = versions()
    return {
        "schema": RECORD_SCHEMA,
        "trace": trace_sha256,
        "frames": [[asked.start, asked.stop, around.start, around.stop] for asked, around in segments],
        "config": config_sha256(config_of(config, techniques)),
        "techniques": sorted(techniques),
        "plugins": _plugin_sources(techniques),
        "sources": now.sources,
        "libraries": dict(now.libraries),
    }


def run_key(identity: dict[str, Any]) -> str:
    """Name of a run, 64 hex digits."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _plugin_sources(techniques: Sequence[str]) -> dict[str, str]:
    """Hashes of what other packages bring to the techniques, by module or package."""
    known = known_techniques()
    modules = {base.__module__ for name in techniques for base in known[name].__mro__}
    foreign = sorted({name for name in modules if name.partition(".")[0] not in ("gpumodel", "builtins", "abc")})
    return {name: _source(name) for name in foreign}


def _source(module: str) -> str:
    """Hash of the package that a module is in, or of its file."""
    package = module.partition(".")[0]
    if hasattr(sys.modules.get(package), "__path__"):
        return source_hash(package)
    path = getattr(sys.modules[module], "__file__", None)
    if path is None:
        raise UsageError(f"a technique comes from {module}, which is no file", hint="put it into a module of its own")
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
