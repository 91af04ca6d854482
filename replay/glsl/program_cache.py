"""Linked programs, and what the compiler said of shaders, kept on disk.

An entry is named by a hash over everything that it follows from: sources, stages and options of the shaders, what the
link was given, and the compiler's own code.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import zlib
from collections.abc import Callable, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from replay.glsl.diagnostics import Diagnostic
from replay.glsl.program import GRAPHICS_STAGES
from traceformat.checked_files import read_checked, write_checked
from traceformat.kernels import source_hash

if TYPE_CHECKING:
    from replay.glsl.program import Program

__all__ = ["ProgramCache", "Verdict"]

T = TypeVar("T")

#: Folders of other versions of the compiler that are kept.
_KEPT_GENERATIONS: Final = 3
#: An entry never unpacks to more than this.
MAX_ENTRY_BYTES: Final = 64 << 20


class Verdict(NamedTuple):
    """What there is to say of a shader that is right: whether its language is that of GLES, and warnings."""

    es: bool
    messages: list[Diagnostic]


class ProgramCache:
    """A folder of linked programs.

    Parameters
    ----------
    folder : made when the first entry is written
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_this_compiler(cls, root: Path) -> ProgramCache:
        """The folder of this version of the compiler under ``root``; folders of older versions are removed."""
        folder = root / f"programs-{source_hash('replay.glsl')}"
        if not folder.exists():
            with contextlib.suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
                others = [other for other in root.glob("programs-*") if other != folder]
                for old in sorted(others, key=_age)[: 1 - _KEPT_GENERATIONS]:
                    shutil.rmtree(old, ignore_errors=True)
        return cls(folder)

    def key(self, shader_keys: Sequence[str], link_inputs: Any) -> str:
        """Name of the entry of a link."""
        parts = [source_hash("replay.glsl"), list(shader_keys), link_inputs]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def read(self, key: str) -> Program | None:
        """Give the program of an entry; None if there is none, or it is damaged."""
        from replay.glsl.serialize import decode_program

        def decode(found: Any) -> Program:
            program = decode_program(found)
            program.fingerprints = {str(stage): str(text) for stage, text in found["fingerprints"].items()}
            return program

        return self._read(key, decode)

    def write(self, key: str, program: Program) -> None:
        """Keep a program, whose fingerprints are known then; a folder that cannot be written is no error."""
        from replay.glsl.llvm.fingerprint import stage_fingerprint
        from replay.glsl.serialize import encode_program

        stages = {stage: getattr(program, stage) for stage in (*GRAPHICS_STAGES, "compute")}
        program.fingerprints = {stage: stage_fingerprint(ir) for stage, ir in stages.items() if ir is not None}
        self._write(key, {**encode_program(program), "fingerprints": program.fingerprints})

    def read_verdict(self, shader_key: str) -> Verdict | None:
        """What the compiler said of a shader that is right; None where that is not known."""
        return self._read(
            f"shader-{shader_key}", lambda found: Verdict(bool(found[0]), [Diagnostic(*part) for part in found[1]])
        )

    def write_verdict(self, shader_key: str, verdict: Verdict) -> None:
        """Keep what the compiler said of a shader that is right."""
        self._write(f"shader-{shader_key}", [verdict.es, [astuple(message) for message in verdict.messages]])

    def _read(self, name: str, decode: Callable[[Any], T]) -> T | None:
        try:
            packed = read_checked(self.folder / name)
            if packed is None:
                return None
            return decode(json.loads(zlib.decompressobj().decompress(packed, MAX_ENTRY_BYTES)))
        except (zlib.error, ValueError, KeyError, IndexError, TypeError):
            return None

    def _write(self, name: str, content: Any) -> None:
        text = json.dumps(content, separators=(",", ":"))
        write_checked(self.folder / name, zlib.compress(text.encode(), 1))


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
