"""``--verify``: whether the pixels are what they should be, said on standard error."""

from __future__ import annotations

import click

from gpumodel.cli.sinks.sink import Sink, Work

__all__ = ["VerificationReport"]

#: Exit status: a verification failed.
FINDING = 1
#: Mismatched pixels that are told of a run.
_SHOWN = 8


class VerificationReport(Sink):
    """A line a run, and where the first pixels differ; what a short hash explains is said and is no finding."""

    def end(self, work: Work) -> int:
        """Say it; the status is 1 where any pixel differs without a collision that its technique accepts."""
        status = 0
        for run, label in zip(work.results, work.labels, strict=True):
            checked = run.verification
            if checked.identical:
                click.echo(f"{label}: verified, all {checked.pixels:,} pixels are identical", err=True)
                continue
            if not checked.passed:
                status = FINDING
                wrong = checked.mismatched_pixels - checked.collision_pixels
                click.echo(f"{label}: {wrong:,} of {checked.pixels:,} pixels differ", err=True)
            if checked.lost_effects:
                click.echo(f"{label}: {checked.lost_effects:,} fragments that write were not shaded", err=True)
            if checked.moved_effects:
                click.echo(f"{label}: {checked.moved_effects:,} writes to memory came twice or out of order", err=True)
            if checked.collision_pixels:
                collided = checked.collision_pixels
                differ = "pixel differs" if collided == 1 else "pixels differ"
                click.echo(
                    f"{label}: {collided:,} of {checked.pixels:,} {differ} by a collision of {run.technique}'s"
                    f" {checked.hash_bits}-bit hash, which the technique accepts",
                    err=True,
                )
            for mismatch in (*checked.located, *checked.collisions)[:_SHOWN]:
                click.echo(f"  {mismatch}", err=True)
        return status
