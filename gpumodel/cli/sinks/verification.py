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
    """A line a run, and where the first pixels differ."""

    def end(self, work: Work) -> int:
        """Say it; the status is 1 where any pixel differs."""
        status = 0
        for run, label in zip(work.results, work.labels, strict=True):
            checked = run.verification
            if checked.identical:
                click.echo(f"{label}: verified, all {checked.pixels:,} pixels are identical", err=True)
                continue
            status = FINDING
            click.echo(f"{label}: {checked.mismatched_pixels:,} of {checked.pixels:,} pixels differ", err=True)
            if checked.lost_effects:
                click.echo(f"{label}: {checked.lost_effects:,} fragments that write were not shaded", err=True)
            for mismatch in checked.located[:_SHOWN]:
                click.echo(f"  {mismatch}", err=True)
        return status
