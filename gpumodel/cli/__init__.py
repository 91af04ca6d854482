"""``gpureplay``: replay traces, run them through a modelled GPU, look at configurations."""

from __future__ import annotations

from typing import Any

import click

from traceformat.cli.door import LazyGroup, door, version_option
from traceformat.errors import MissingEnvironmentError, ToolError

__all__ = ["cli", "main"]


class _Commands(LazyGroup):
    """Commands that run what other packages bring: its errors are told as theirs."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that is asked for."""
        try:
            return super().invoke(ctx)
        except (ToolError, click.ClickException, click.exceptions.Exit, click.Abort, OSError, MemoryError):
            raise
        except Exception as error:
            from gpumodel.techniques.registry import plugin_at_fault

            plugin = plugin_at_fault(error)
            if plugin is None:
                raise
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise MissingEnvironmentError(
                f"technique {plugin.name} of {plugin.package} failed: {reason}", hint="GPUREPLAY_DEBUG=1 tells more"
            ) from error


@click.group(
    cls=_Commands,
    subcommands={
        "run": ("gpumodel.cli.run:run", "Cycles, energy and counters of a trace on a modelled GPU."),
        "top": ("gpumodel.cli.top:top", "What costs most: draws, objects, programs, textures, passes."),
        "report": ("gpumodel.cli.report:report", "A page to look at: what a trace costs, where, and why."),
        "whatif": ("gpumodel.cli.whatif:whatif", "What changes of a program would save, each run through the model."),
        "counters": ("gpumodel.cli.counters:counters", "The counters of results, with units and meanings."),
        "images": ("gpumodel.cli.images:images", "The pictures of a trace as PNG files."),
        "stats": ("gpumodel.cli.stats:stats", "What a trace consists of, per frame, draw and object."),
        "check": (
            "gpumodel.cli.check:check",
            "Hold a trace against budgets or a baseline, for continuous integration.",
        ),
        "compare": ("gpumodel.cli.compare:compare", "What differs between two traces, results or GPUs, and why."),
        "sweep": ("gpumodel.cli.sweep:sweep", "Run a study: many configurations and techniques on many traces."),
        "results": ("gpumodel.cli.results:results", "Ask the tables of a study the usual questions."),
        "diff-images": ("gpumodel.cli.diff_images:diff_images", "How far two pictures or folders of frames differ."),
        "quality": ("gpumodel.cli.quality:quality", "How good frames are next to a reference: PSNR, SSIM, VSSIM."),
        "handheld-figures": (
            "gpumodel.cli.handheld_figures:handheld_figures",
            "Pictures of the handheld rasterizer's schemes side by side.",
        ),
        "shader": (
            "gpumodel.cli.shader:shader",
            "What shaders of a trace cost by line; what the compiler makes of files.",
        ),
        "presets": ("gpumodel.cli.presets:presets", "The GPUs that -c names, with every value, unit and source."),
        "techniques": (
            "gpumodel.cli.techniques:techniques",
            "What -t switches on, with parameters, counters and sources; the reference.",
        ),
        "paper": ("gpumodel.cli.paper:paper", "Repeat the figures and tables of the four papers."),
        "twins": ("gpumodel.cli.twins:twins", "Programs of our own with the statistics of the thesis's games."),
        "silicon": ("gpumodel.cli.silicon:silicon", "Measure a GPU, and hold the model against it."),
        "config": ("gpumodel.cli.config:config", "List, show and compare GPU configurations."),
        "doctor": ("gpumodel.cli.doctor:doctor", "What this machine has and lacks."),
        "demo": ("gpumodel.cli.demo:demo", "Capture three samples, replay and model them."),
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
@version_option()
def cli() -> None:
    """Replay traces in software and run them through a modelled tile-based GPU.

    Exit status: 0 ok, 1 a finding, 2 usage or configuration, 3 bad trace, 4 missing environment or full disk, 70 a bug.
    """


main = door(cli, "gpureplay")
