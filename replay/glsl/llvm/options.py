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
    multisampled : a pixel has several samples; ``per_sample``: each quad is shaded for one of them
    moves_inputs : all varyings are wanted at the sample, whatever the shader says
    from_top : their pattern is turned over, see :mod:`replay.glsl.sample_pattern`
    skip_unseen : groups without a fragment in ``seen`` leave their outputs undefined, which saves most of their work
    """

    interpolate: bool = False
    path_hash: bool = False
    path_log: bool = False
    record_textures: bool = False
    identity: bool = False
    skip_unseen: bool = False
    multisampled: bool = False
    per_sample: bool = False
    moves_inputs: bool = False
    from_top: bool = False
