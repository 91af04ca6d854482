"""A program made slow in eight known ways: what names the culprit, what its repair is said to bring, and brings."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import gpureplay
from gpumodel.attribution.rollup import By, metric, roll_up, shared_costs
from gpumodel.attribution.table import Attribution
from gpumodel.cli import cli
from gpumodel.cli.figures import configurations, modelled
from gpumodel.compare.comparison import compare
from gpumodel.compare.figures import Side
from traceformat.cli.door import run as run_command

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "data" / "slow_program.py"
CULPRITS = ("blur", "sprites", "floor", "crates", "poster", "fence", "map", "statue")
#: Four fragments a cycle, so that memory and shading both count.
MACHINE = ["fragment.lanes=4"]
_MAIN = "from capture.cli import main; main()"


@dataclass
class Recording:
    """The last of two frames of the program."""

    path: Path
    rows: Attribution
    cycles: int

    @cached_property
    def side(self) -> Side:
        """As compare takes it."""
        return modelled(str(self.path), configurations(("mali450-vro",), tuple(MACHINE)), range(1, 2), 1)[0]

    def objects(self, name: str = "time") -> list[str]:
        """Objects, the dearest first."""
        groups = roll_up([self.rows], By.OBJECT)
        return [g.name for g in sorted(groups, key=lambda g: -(g.time if name == "time" else g.own[name]))]

    def texture(self, of: str) -> str:
        """The texture that an object binds."""
        return self.rows.names.textures[self.rows.names.object.index(of)][0]

    def instructions(self, of: str) -> str:
        """Program of an object, and the instructions that its fragments issue."""
        draw = self.rows.names.object.index(of)
        issued = metric(self.rows, "fs.alu_instructions") + metric(self.rows, "fs.tex_instructions")
        return f"{issued[draw] / metric(self.rows, 'fragments')[draw]:.3f}"


def capture(folder: Path, slow: tuple[str, ...]) -> Path:
    """Record the program in a process of its own."""
    path = folder / f"{'-'.join(slow) or 'quick'}.gltrace"
    done = subprocess.run(
        [
            *(sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {_MAIN}"),
            *("run", "--driver", "null", "-o", str(path), str(PROGRAM), "--frames", "2", "--size", "256x160"),
            *(word for one in slow for word in ("--slow", one)),
        ],
        check=False, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Recording]:
    """The program with a culprit, or (``quick``) without."""
    folder = tmp_path_factory.mktemp("slow")
    with ThreadPoolExecutor(2) as pool:
        made = pool.map(lambda slow: capture(folder, slow), [(), *((culprit,) for culprit in CULPRITS)])
        paths = dict(zip(("quick", *CULPRITS), made, strict=True))
    known: dict[str, Recording] = {}

    def get(name: str) -> Recording:
        if name not in known:
            known[name] = measured(paths[name])
        return known[name]

    return get


def measured(path: Path) -> Recording:
    import replay
    from gpumodel import REQUIRED_COLUMNS, Run, load_config

    run = Run(load_config("mali450-vro", MACHINE), attribution=True, keep_passes=False)
    with replay.frames(path, columns=REQUIRED_COLUMNS) as frames:
        for frame in frames:
            run.feed(frame)
    last = run.result.frames[-1]
    assert last.attribution is not None
    return Recording(path, last.attribution, last.cycles)


#: Kind and target of what the report puts first; the blur's length is repaired by ``instructions``, which nobody can
#: propose without another build. A texture is that of the culprit.
FIRST = {
    "blur": ("hollow", "blur"),
    "sprites": ("without", "sprites"),
    "floor": ("mipmaps", "texture"),
    "crates": ("order", "all=front-to-back"),
    "poster": ("compress", "texture"),
    "fence": ("no-discard", "fence"),
    "map": ("join-passes", "framebuffer 1"),
    "statue": ("without", "statue"),
}
#: Where the repair is no change of whatif's, but less than what is tried.
BOUNDED = ("blur", "sprites", "statue")


def reported(one: Recording) -> dict[str, Any]:
    """Data of the report with what-if runs, on this machine alone."""
    out = one.path.with_suffix(".json")
    words = [
        "report",
        str(one.path),
        "--frames",
        "1",
        "--set",
        *MACHINE,
        "--what-if",
        "--only-here",
        "--json",
        str(out),
    ]
    assert run_command(cli, words, name="gpureplay") == 0
    return json.loads(out.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("culprit", CULPRITS)
def test_a_culprit_is_named_first_and_its_repair_brings_what_was_said(
    recorded: Callable[[str], Recording], culprit: str
) -> None:
    slow, quick = recorded(culprit), recorded("quick")
    saving = slow.cycles - quick.cycles
    assert saving > 0.05 * quick.cycles
    # top
    if culprit == "poster":
        # Behind the picture that the blur reads.
        assert slow.objects("texture")[:2] == ["blur", "poster"]
    elif culprit == "map":
        costs, before = (shared_costs([one.rows], "time") for one in (slow, quick))
        # Colours and depths come back, and have to be on their way before the next tile's do.
        assert costs["load"] + costs["flush"] - before["flush"] > 0.8 * saving
        assert costs["load"] > 0.5 * saving
        assert "load" not in before
    else:
        assert slow.objects()[0] == culprit
    # compare
    found = compare(quick.side, slow.side)
    named = "load of framebuffer 1 " if culprit == "map" else f"`{culprit}`"
    assert named in found.headline
    # report
    document = reported(slow)
    first, advice = document["findings"][0]["saves"], document["what_if"]["answers"][0]
    kind, target = FIRST[culprit]
    wanted = slow.texture(culprit).rpartition(" ")[0].rpartition(" ")[0] if target == "texture" else target
    assert first["change"] == advice["change"]["title"] == f"{kind} {wanted}"
    assert first["at_most"] is (culprit in BOUNDED)
    if culprit in BOUNDED:
        assert advice["saves"]["cycles"] >= saving
    else:
        assert advice["saves"]["cycles"] == pytest.approx(saving, rel=0.1)


@pytest.mark.slow
def test_a_shader_of_the_other_length_brings_what_was_said(recorded: Callable[[str], Recording]) -> None:
    slow, quick = recorded("blur"), recorded("quick")
    program = f"program {slow.rows.names.program[slow.rows.names.object.index('blur')]}"
    answers = gpureplay.whatif(
        slow.path, [("instructions", program, quick.instructions("blur"))], set={"fragment.lanes": 4},
        frames=range(1, 2), everywhere=False, pictures=False,
    )  # fmt: skip
    assert answers.sorted[0].saved_cycles == pytest.approx(slow.cycles - quick.cycles, rel=0.1)
