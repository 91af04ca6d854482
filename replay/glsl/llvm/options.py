"""What a stage is compiled for."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["StageOptions"]


class StageOptions(NamedTuple):
    """Variant of a compiled stage.

    Parameters
    ----------
    interpolate : inputs come from plane equations (fragment stage), not from arrays
    path_hash : write ``path_hash``
    path_log : write ``log`` and ``log_counts``
    record_textures : append to ``record``
    identity : write ``identity``
    skip_unseen : groups without a fragment in ``seen`` leave their outputs undefined, which saves most of their work
    """

    interpolate: bool = False
    path_hash: bool = False
    path_log: bool = False
    record_textures: bool = False
    identity: bool = False
    skip_unseen: bool = False
