"""Parameters of ``memo``; how far the frames of a pair are apart is ``pfr``'s."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from gpumodel.config.section import PowerOfTwo, TechniqueConfig, parameter

__all__ = ["MemoConfig"]


class MemoConfig(TechniqueConfig):
    """Fragment Memoization."""

    entries: PowerOfTwo = parameter(
        2048,
        ge=4,
        le=1 << 20,
        source="RE §V-A; the original has 512",
        description="look-up table, entries; 2^20 is as good as unlimited",
    )
    ways: PowerOfTwo = parameter(
        4, ge=1, le=64, source="RE §V-A", description="entries of a set, the least recently used goes"
    )
    hash_bits: int = parameter(
        32, ge=1, le=64, source="RE §V-A", description="bits of the hash; 64 is the identity, a perfect hash"
    )
    ports: int = parameter(
        4,
        ge=1,
        le=16,
        source="ASSUMED: a quad",
        description="accesses a cycle of both frames together, a fragment each",
    )
    hash_cycles: int = parameter(
        0,
        ge=0,
        le=64,
        source="ASSUMED: hashed while it waits in the queue",
        description="cycles that a quad waits for its hash at the head of the fragment queue",
    )

    @model_validator(mode="after")
    def _sets_fit(self) -> Self:
        if self.ways > self.entries:
            raise ValueError("memo.ways is more than memo.entries")
        return self
