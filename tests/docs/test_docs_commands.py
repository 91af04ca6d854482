"""The commands of the guide work, and links inside the repository lead somewhere."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from warm_commands import warm_commands

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GUIDE = sorted((DOCS / "guide").glob("*.md"))
#: Packages of extras that a page shows.
NEEDS = {"sweep": ("distributed", "duckdb", "matplotlib", "pandas", "polars", "pyarrow")}
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
PAGES = sorted({*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("*/*.md")})


def _tool():
    spec = importlib.util.spec_from_file_location("docs_commands", DOCS / "commands.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    """A folder of commands that start at once."""
    with warm_commands(tmp_path_factory.mktemp("warm"), _tool().environment()) as folder:
        yield folder


@pytest.mark.slow
@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_commands_work(page, tmp_path, tools):
    for package in NEEDS.get(page.stem, ()):
        pytest.importorskip(package, reason=f"{package} is not installed: pip install 'gpureplay[sweep,plot,tables]'")
    tool = _tool()
    done = [one for block in tool.run_page(page.read_text(), tmp_path, tools) for one in block]
    assert done, "a page of the guide shows commands"
    failed = [(one.command.line, one.status, one.errors[-500:]) for one in done if one.status != one.command.status]
    assert failed == []
    stale = [one.command.line for one in done if not _says_the_same(one.command.shown, tool.clipped(one))]
    assert stale == [], f"the page shows other figures: python docs/commands.py --update {page.relative_to(ROOT)}"


def _says_the_same(shown: list[str], printed: list[str]) -> bool:
    """Whether words are equal, and numbers within a hundredth: processors differ in the last digits."""
    words, others = (" ".join(lines).split() for lines in (shown, printed))
    return len(words) == len(others) and all(map(_is_alike, words, others))


def _is_alike(word: str, other: str) -> bool:
    parts, others = _NUMBER.split(word), _NUMBER.split(other)
    numbers, values = ([float(text.replace(",", "")) for text in _NUMBER.findall(one)] for one in (word, other))
    return parts == others and np.allclose(numbers, values, rtol=0.01, atol=0)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("cycles 3,841,677  9.60 ms", "cycles 3,841,601 9.61 ms", True),
        ("cycles 3,841,677", "cycles 3,541,677", False),
        ("12 of 12 runs", "12 of 13 runs", False),
        ("te 26 of 60 (+20.1%)", "re 26 of 60 (+20.1%)", False),
        ("a b", "a", False),
    ],
)
def test_stale_pages_are_seen(shown, printed, same):
    assert _says_the_same([shown], [printed]) is same


def test_a_failing_command_is_told(tmp_path):
    tool = _tool()
    text = "```console\n$ false\n$ echo 1; echo 2\n1\n...\n```\n"
    blocks = list(tool.run_page(text, tmp_path))
    assert [one.status for one in blocks[0]] == [1, 0]
    assert tool.updated(text, blocks) == text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    local = [target.split("#")[0] for target in targets if "://" not in target and not target.startswith("mailto:")]
    assert [target for target in local if target and not (page.parent / target).exists()] == []
