"""What an entry point is, and what GL calls a number, is written once: a list that is typed again fails here."""

from __future__ import annotations

import ast
import re

import pytest
from house import ROOT, nodes, product_files, tree_of

from traceformat.gles import egl_enums, enums, roles
from traceformat.gles.dispatch import _HANDLERS
from traceformat.gles.entry_points import COMMANDS

#: Where facts stand: the tables from the registry, what is written by hand beside them, and the tables of importers.
TABLES = (
    "traceformat/gles/commands_table.py",
    "traceformat/gles/enums_table.py",
    "traceformat/gles/enums.py",
    "traceformat/gles/egl_enums.py",
    "traceformat/gles/glx_enums.py",
    "traceformat/gles/roles.py",
    "traceformat/gles/gltypes.py",
    "traceformat/gles/generate.py",
    "capture/importers/patrace/signature_table.py",
    # The kit is copied without us; a test of its room holds its numbers against ours.
    "samples/silicon/numbers.py",
)
#: At most as many names of draws, or of clears, in one collection: more are a list of all of them.
MOST_NAMES = 4
EGL_NUMBERS = {value for name, value in vars(egl_enums).items() if name.isupper() and 0x3000 <= value < 0x3200}
_PATTERN = re.compile(
    r"gl\(Multi\)\?Draw|startswith\(\(?[\"']gl(Multi)?Draw(Arrays|Elements|Range)|OES\|EXT|EXT\|OES|ARB\|EXT"
)
GL_NUMBERS = {getattr(enums, name) for name in dir(enums) if name.startswith("GL_")}


def files():
    for path in product_files():
        name = path.relative_to(ROOT).as_posix()
        if name not in TABLES:
            yield name, path


def strings(node):
    return [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def retyped_names(text, tree):
    """Collections that list draws or clears by name; what gives each a function, or registers it, is no such list."""
    found = []
    for node in nodes(tree):
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            names = [each.value for each in node.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            if any(sum(map(is_one, names)) > MOST_NAMES for is_one in (roles.is_draw, roles.is_clear)):
                found.append(node.lineno)
    return found


def retyped_patterns(text, tree):
    """Patterns and prefixes that tell draws, and lists of the suffixes of extensions."""
    found = []
    for line, content in enumerate(text.splitlines(), 1):
        if _PATTERN.search(content):
            found.append(line)
    return found


def retyped_sizes(text, tree):
    """Dictionaries from types of GL to their bytes."""
    found = []
    for node in nodes(tree):
        if isinstance(node, ast.Dict):
            pairs = {
                (key.attr, value.value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Attribute) and isinstance(value, ast.Constant)
            }
            if {("GL_UNSIGNED_SHORT", 2), ("GL_UNSIGNED_INT", 4)} <= pairs:
                found.append(node.lineno)
    return found


def retyped_numbers(text, tree):
    """Numbers of GL and EGL in hexadecimal: keys of a table, or with a name of their own."""
    known = GL_NUMBERS | EGL_NUMBERS
    lines = text.encode().splitlines()
    found = []
    for node in nodes(tree):
        values = []
        if isinstance(node, ast.Dict):
            values = node.keys
        elif isinstance(node, ast.AnnAssign) and not ast.unparse(node.target).startswith(("_GLX", "self.")):
            values = [node.value]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name | ast.Tuple):
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for value in values:
            is_known = isinstance(value, ast.Constant) and isinstance(value.value, int) and value.value in known
            source = lines[value.lineno - 1][value.col_offset : value.end_col_offset] if is_known else b""
            if re.fullmatch(rb"0x[0-9A-Fa-f]{4}", source):
                found.append(node.lineno)
    return found


def test_each_fact_is_written_once():
    found = []
    for name, path in files():
        text, tree = path.read_text(), tree_of(path)
        for rule in (retyped_names, retyped_patterns, retyped_sizes, retyped_numbers):
            found += [f"{rule.__name__}: {name}:{line}" for line in rule(text, tree)]
    assert found == []


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (
            retyped_names,
            'DRAWS = {"glDrawArrays", "glDrawElements", "glMultiDrawArrays", "glDrawTexiOES", "glDrawRangeElements"}',
        ),
        (retyped_names, 'A = ["glClear", "glClearBufferfv", "glClearBufferiv", "glClearBufferuiv", "glClearBufferfi"]'),
        (retyped_patterns, 'A = re.compile(r"gl(Multi)?Draw(Arrays|Elements)")'),
        (retyped_patterns, 'if name.startswith(("glDrawArrays", "glDrawElements")): pass'),
        (retyped_patterns, 'A = re.compile(r"(OES|EXT|KHR)$")'),
        (retyped_sizes, "A = {gl.GL_UNSIGNED_BYTE: 1, gl.GL_UNSIGNED_SHORT: 2, gl.GL_UNSIGNED_INT: 4}"),
        (retyped_numbers, "TEXTURE: Final = 0x0DE1"),
        (retyped_numbers, "A = {0x3057: 1}"),
    ],
)
def test_a_fact_that_is_typed_again_is_found(rule, text):
    assert rule(text, ast.parse(text)) == [1]


def test_roles_are_those_of_the_table():
    """Every entry point that draws, clears or ends a frame is known as such, whatever its suffix."""
    draws = {name for name in COMMANDS if roles.is_draw(name)}
    assert {"glDrawArrays", "glDrawElementsInstancedEXT", "glMultiDrawArraysIndirect"} <= draws
    assert not {"glDrawBuffers", "glDrawBuffersEXT", "glDrawPixels"} & draws
    clears = {name for name in COMMANDS if roles.is_clear(name)}
    assert clears == {
        f"glClear{rest}"
        for rest in (
            "",
            *(f"{kind}{type}" for kind in ("Buffer", "NamedFramebuffer") for type in ("fv", "iv", "uiv", "fi")),
        )
    }
    ends = {name for name in COMMANDS if roles.boundary_of(name) is not None}
    assert ends == {
        "traceFrame", "traceSwap", "glFinish", "glReadPixels", "glReadnPixels", "glReadnPixelsARB", "glReadnPixelsEXT",
        "glReadnPixelsKHR",
    }  # fmt: skip


def test_what_a_call_touches_stands_at_its_handler():
    """Where a handler lies says nothing: everything is declared with it, and what is not declared may touch all."""
    from traceformat.gles import tracker
    from traceformat.gles.state import Changes

    assert tracker.Tracker, "importing them registers the handlers"
    for name, entry in _HANDLERS.items():
        assert entry.touches == (entry.touches & Changes.ALL), name
    assert _HANDLERS["glUseProgram"].touches == Changes.NOTHING
    assert _HANDLERS["glTexImage2D"].touches == Changes.IMAGES
    assert _HANDLERS["glBindTexture"].touches == Changes.NOTHING
    assert _HANDLERS["glBindFramebuffer"].touches == Changes.BUT_VERTEX
    assert _HANDLERS["glFramebufferTexture"].touches == Changes.ALL
