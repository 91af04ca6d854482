"""What a shell completes: names of commands, presets, techniques, keys, counters and samples."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete
from command_trees import PROGRAMS

from gpumodel.config import GpuConfig
from gpumodel.config.load import setting_keys
from gpumodel.technique_names import technique_names
from samples import PROGRAMS as RECORDED
from traceformat.cli.door import run


def completed(line: str) -> list[str]:
    """Completions of the last word of a line."""
    program, *words = line.split(" ")
    shell = ShellComplete(PROGRAMS[program], {}, program, "_COMPLETE")
    return [item.value for item in shell.get_completions(words[:-1], words[-1])]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("gpureplay pres", ["presets"]),
        ("gputrace d", ["dump", "diff"]),
        ("gpureplay run a.gltrace -c mali450-", ["mali450-re", "mali450-vro"]),
        ("gpureplay stats a.gltrace -c t", ["tbr-fhd"]),
        ("gpureplay config show hand", ["handheld-2003"]),
        ("gpureplay presets tbr", ["tbr-fhd"]),
        ("gpureplay run a.gltrace -t v", ["vro"]),
        ("gpureplay run a.gltrace -t re+t", ["re+tcor-like", "re+te", "re+triangle-dropping-like"]),
        ("gpureplay run a.gltrace -t re+r", []),
        ("gpureplay techniques zp", ["zprepass"]),
        ("gpureplay run a.gltrace --set caches.l2.s", ["caches.l2.size_bytes="]),
        ("gpureplay run a.gltrace --set caches.instruction.w", ["caches.instruction.ways="]),
        ("gpureplay run a.gltrace --set vro.size", []),
        ("gpureplay run a.gltrace --set re.signature_b", ["re.signature_bits="]),
        ("gpureplay run a.gltrace -c handheld-2003 --set pooma.d", ["pooma.dither="]),
        ("gpureplay counters fragments.e", ["fragments.early_z_killed"]),
        ("gpureplay counters vro.sort_w", ["vro.sort_wait_cycles"]),
        ("gpucapture sample ci", ["city"]),
        ("gpureplay images a.gltrace --fra", ["--frames"]),
    ],
)
def test_names(line: str, found: list[str]) -> None:
    assert completed(line) == found


def test_everything_there_is() -> None:
    assert completed("gpureplay run a.gltrace -t ") == technique_names()
    assert completed("gpureplay run a.gltrace --set ") == [f"{key}=" for key in setting_keys(GpuConfig)]
    assert completed("gpucapture sample ") == list(RECORDED)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("program", ["gpucapture", "gputrace", "gpureplay"])
def test_each_shell_gets_its_script(
    program: str, shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(f"_{program.upper()}_COMPLETE", f"{shell}_source")
    assert run(PROGRAMS[program], [], name=program) == 0
    script = capsys.readouterr().out
    assert f"_{program.upper()}_COMPLETE={shell}_complete" in script
    if shell == "bash":
        assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


def test_a_shell_asks_the_command() -> None:
    code = "from gpumodel.cli import main; main()"
    given = {"_GPUREPLAY_COMPLETE": "zsh_complete", "COMP_WORDS": "gpureplay run a --set queues.f", "COMP_CWORD": "4"}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **given}, capture_output=True, text=True, check=False
    )
    assert done.stdout.split("\n")[:3] == ["plain", "queues.fragment=", "quads, of each fragment queue"]
