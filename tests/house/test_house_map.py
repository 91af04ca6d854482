"""The map of the house: short enough to be read, and of files that are there."""

import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = ("ARCHITECTURE.md", "docs/changing.md", "docs/technique_seams.md")
#: Ten minutes.
_MOST_WORDS = 2600
_ROOMS = ("traceformat", "capture", "replay", "gpumodel", "gpureplay", "samples", "tests", "benchmarks", "docs")


def there() -> set[str]:
    """Every file and folder of the project, and each end of its path."""
    found = set()
    for room in _ROOMS:
        for path in [_ROOT / room, *(_ROOT / room).rglob("*")]:
            parts = path.relative_to(_ROOT).parts
            if "__pycache__" not in parts:
                found |= {"/".join(parts[start:]) for start in range(len(parts))}
    return found


def named(text: str) -> set[str]:
    """What a page names that looks like a file or a folder of ours."""
    names = set(re.findall(r"`([A-Za-z_][\w/]*(?:\.(?:py|toml|md)|/))`", text))
    return {name.rstrip("/") for name in names}


def test_the_map_is_read_in_ten_minutes() -> None:
    words = [word for word in (_ROOT / "ARCHITECTURE.md").read_text().split() if re.search(r"\w", word)]
    assert len(words) <= _MOST_WORDS


@pytest.mark.parametrize("page", _PAGES)
def test_what_the_map_names_is_there(page: str) -> None:
    names = named((_ROOT / page).read_text())
    assert len(names) > 10
    unknown = sorted(names - there() - {"pyproject.toml"})
    assert unknown == []
