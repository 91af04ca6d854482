"""Names of one letter are the field's: which ones, and what they mean, stands in pyproject."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from house import ROOT, exceptions, nodes, product_files, tree_of

HOUSE = "[tool.gpureplay.house.letters] and [tool.gpureplay.house.letters_of] of pyproject"


def _named(node: ast.AST) -> str | None:
    """The name that a node of the syntax tree gives to something."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            return name
        case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name) | ast.alias(asname=name):
            return name
    return None


def _letters(tree: ast.AST) -> dict[str, int]:
    """Names of one letter, and the line of each one's first use; ``_`` names nothing."""
    found: dict[str, int] = {}
    for node in nodes(tree):
        name = _named(node)
        if name is not None and len(name) == 1 and name != "_":
            found[name] = min(found.get(name, node.lineno), node.lineno)
    return found


@cache
def _used() -> dict[str, dict[str, int]]:
    used = {path.relative_to(ROOT).as_posix(): _letters(tree_of(path)) for path in product_files()}
    return {file: letters for file, letters in used.items() if letters}


def _own() -> dict[str, dict[str, Any]]:
    """Letters with their meaning, of rooms and of files."""
    return {place: dict(letters) for place, letters in exceptions("letters_of").items()}


def _is_in(file: str, place: str) -> bool:
    return file == place or PurePosixPath(place) in PurePosixPath(file).parents


def test_letters_are_found_however_they_are_bound():
    source = "import math as m\ndef f(a, *b, c=(d := 1), **e):\n    for g, (h, _) in {i: j for i, j in a}: long = g\n"
    source += (
        "try: pass\nexcept OSError as o: pass\nlambda p: p\nwith open() as w: pass\nmatch 1:\n    case [q, *r]: pass\n"
    )
    assert _letters(ast.parse(source)) == {
        **dict.fromkeys("m", 1), **dict.fromkeys("abcde", 2), **dict.fromkeys("ghij", 3),
        "o": 5, "p": 6, "w": 7, "q": 9, "r": 9,
    }  # fmt: skip


def test_letters_are_those_of_the_field():
    everywhere, own = exceptions("letters"), _own()
    strange = [
        f"{file}:{line}: {letter}"
        for file, letters in _used().items()
        for letter, line in letters.items()
        if letter not in everywhere and not any(letter in own[place] for place in own if _is_in(file, place))
    ]
    assert strange == [], f"a word reads better; letters that the field writes stand in {HOUSE}"


def test_letters_that_are_allowed_are_used():
    users: defaultdict[str, set[str]] = defaultdict(set)
    for file, letters in _used().items():
        for letter in letters:
            users[letter].add(file)
    own = [(place, letter) for place, letters in _own().items() for letter in letters]
    unused = [letter for letter in exceptions("letters") if not users[letter]]
    unused += [f"{place}: {letter}" for place, letter in own if not any(_is_in(file, place) for file in users[letter])]
    assert unused == []


def test_letters_of_a_file_are_explained_at_its_top():
    unexplained = [
        f"{place}: {letter}"
        for place, letters in _own().items()
        for letter in letters
        if place.endswith(".py")
        and f"``{letter}``" not in (ast.get_docstring(ast.parse((ROOT / place).read_text())) or "")
    ]
    assert unexplained == []
