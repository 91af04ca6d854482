"""Files that PATrace's own tracer wrote: every call against what an independent reader printed, and their pictures."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from capture.importers import import_trace
from capture.importers.patrace.signatures import Signature, signature_of
from capture.importers.patrace.source import PatSource
from capture.importers.report import ImportReport
from replay.player import pictures
from traceformat.calls import Call, Offset, Value
from traceformat.cli import cli
from traceformat.cli.door import run
from traceformat.gles.entry_points import COMMANDS, Param, ParamKind
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter

SHARED = Path(os.environ.get("GPUREPLAY_SHARED") or Path(__file__).resolve().parents[3] / "shared") / "patrace"
NAMES = [
    "es2gears",
    "es3mix",
    "glmark_buffer",
    "glmark_build_client",
    "glmark_ideas",
    "glmark_shadow",
    "glmark_texture",
    "v5_glmark_texture",
]
LINE = re.compile(r"(\d+) \[(\d+)\] (injected )?(\w+)\((.*)$")
#: What our trace says otherwise; everything else of EGL says nothing that a replay needs.
STAND_FOR = {
    "eglCreateContext": "traceContext",
    "eglDestroyContext": "traceDestroyContext",
    "eglMakeCurrent": "traceMakeCurrent",
    "eglSwapBuffers": "traceSwap",
    "glCopyClientSideBuffer": "traceMappedWrite",
    "glPatchClientSideBuffer": "traceMappedWrite",
    "glLinkProgram2": "glLinkProgram",
}
#: The tracer's own bookkeeping, whose content goes to the calls that use it.
MEMORY = ("glCreateClientSideBuffer", "glClientSideBufferData")
#: Ours alone.
ADDED = ("traceDrawable", "traceClientArray")


def needs(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"no {path.name} at {SHARED}")
    return path


def split(text: str) -> Iterator[str]:
    """Cut a list at its commas, but not inside of brackets and strings."""
    part, depth, quoted = "", 0, False
    for at, letter in enumerate(text):
        quoted ^= letter == '"' and (at == 0 or text[at - 1] in "=[ " or text[at + 1 : at + 2] in (",", "]", ""))
        depth += (letter in "[(") - (letter in "])") if not quoted else 0
        if letter == "," and not depth and not quoted:
            yield part.strip()
            part = ""
        else:
            part += letter
    if part.strip():
        yield part.strip()


def same_number(ours: object, printed: str) -> bool:
    if isinstance(ours, float):
        return np.float32(ours) == np.float32(float(printed)) or abs(ours - float(printed)) <= 1e-6 * abs(ours)
    assert isinstance(ours, int)
    return (ours - int(printed, 0)) % (1 << 32) == 0


def escaped(text: str) -> str:
    """A string as it is printed, without its last quote: long ones are cut."""
    return json.dumps(text, ensure_ascii=False)[:-1]


def same(call: Call, param: Param, ours: Value, printed: str) -> bool:
    """Whether a value is the one that was printed, as far as that shows it."""
    if printed in ("NULL", "noop", "no-op"):
        return ours in (None, b"", ())
    if printed.startswith("offset("):
        return isinstance(ours, Offset) and int(ours) == int(printed[7:-1]) % (1 << 32)
    if printed.startswith("blob("):
        return isinstance(ours, bytes) and len(ours) == int(printed[5:-1])
    if printed.startswith("ClientSideBuffer("):
        # The array's content is in a call of its own, before the draw; indices are content.
        return ours is None if call.name == "glVertexAttribPointer" else isinstance(ours, bytes)
    if printed.startswith('"'):
        text = ours.rstrip(b"\0").decode() if isinstance(ours, bytes) else str(ours)
        return escaped(text).startswith(printed.rstrip('"').removesuffix("..."))
    if printed.startswith("["):
        items: list[Any]
        if isinstance(ours, tuple):
            items = [escaped(text) for text in ours]
        else:
            items = call.array(param.name).tolist() if ours is not None else []
        shown = [each for each in split(printed[1:-1]) if each != "..."]
        assert len(shown) == len(items) or (printed.endswith("...]") and len(shown) < len(items)), (call, printed)
        return all(
            item.startswith(each.rstrip('"')) if isinstance(item, str) else same_number(item, each)
            for item, each in zip(items, shown, strict=False)
        )
    if param.kind is ParamKind.HANDLE:
        return isinstance(ours, int) and (ours == 0) == (int(printed, 0) == 0)
    return same_number(ours, printed)


def check(call: Call, injected: bool, arguments: str, result: str | None) -> None:
    command = COMMANDS[call.name]
    assert bool(call.flags & 1) == injected, call
    shown = [each.partition("=")[2] for each in split(arguments)]
    if call.name == "glLinkProgram":
        shown = shown[:1]
    assert len(shown) == len(call.args), (call, shown)
    for param, value, printed in zip(command.params, call.args, shown, strict=True):
        if param.name in call.outputs:
            value = call.outputs[param.name]
        if call.name == "glShaderSource" and param.name == "length":
            continue
        assert same(call, param, value, printed), (call.name, param.name, value, printed)
    if result is not None and not call.name.startswith("glMapBuffer"):
        assert same(call, command.result, call.result, result), (call, result)


@pytest.mark.parametrize("name", NAMES)
def test_every_call_is_the_one_that_another_reader_printed(name: str, tmp_path: Path) -> None:
    source = needs(SHARED / f"{name}.pat")
    target = tmp_path / "out.gltrace"
    report = import_trace(source, target)
    assert (report.warnings(), report.damage) == ([], "")
    lines = gzip.decompress((SHARED / "expected_calls" / f"{name}.txt.gz").read_bytes()).decode().split("\n")
    with open_trace(target) as reader:
        ours = iter([call for call in reader if call.name not in ADDED])
    number = -1
    for line in filter(None, lines):
        found = LINE.match(line)
        assert found is not None, line
        number += 1
        assert int(found[1]) == number
        function = found[4]
        if function in MEMORY or (function.startswith("egl") and function not in STAND_FOR):
            continue
        call = next(ours)
        assert call.name == STAND_FOR.get(function, function), line
        assert call.thread == int(found[2]) + 1
        if not call.name.startswith("trace"):
            has_result = COMMANDS[call.name].result.kind is not ParamKind.VOID
            arguments, _, result = found[5].rpartition(") = ") if has_result else (found[5][:-1], "", None)
            check(call, bool(found[3]), arguments, result)
    assert next(ours, None) is None
    assert report.calls_read == number + 1


@pytest.mark.parametrize("name", NAMES)
def test_columns_and_single_calls_give_the_same_trace(name: str, tmp_path: Path) -> None:
    source = needs(SHARED / f"{name}.pat")
    import_trace(source, tmp_path / "columns.gltrace")
    with TraceWriter(tmp_path / "singles.gltrace") as writer:
        for _ in PatSource(source, ImportReport(), by_columns=False).write(writer):
            pass
    with open_trace(tmp_path / "columns.gltrace") as a, open_trace(tmp_path / "singles.gltrace") as b:
        assert list(a) == list(b)
        assert list(a.frames) == list(b.frames)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_goes_to_apitrace_and_back_says_the_same(name: str, tmp_path: Path) -> None:
    import_trace(needs(SHARED / f"{name}.pat"), tmp_path / "first.gltrace")
    assert (
        run(cli, ["convert", str(tmp_path / "first.gltrace"), "--to", "apitrace", "-o", str(tmp_path / "out.trace")])
        == 0
    )
    report = import_trace(tmp_path / "out.trace", tmp_path / "second.gltrace")
    assert (report.warnings(), report.damage) == ([], "")
    with open_trace(tmp_path / "first.gltrace") as first, open_trace(tmp_path / "second.gltrace") as second:
        # Viewport and scissor tell apitrace's tools the size of the window.
        added = ("glViewport", "glScissor")
        again = [call for call in second if not (call.flags & 1 and call.name in added)]
        for ours, theirs in zip(first, again, strict=True):
            assert (ours.name, ours.thread, ours.context) == (theirs.name, theirs.thread, theirs.context)
            assert (ours.args, ours.outputs, ours.result) == (theirs.args, theirs.outputs, theirs.result)


@pytest.mark.parametrize("name", ["es2gears", "glmark_build_client", "glmark_buffer"])
def test_a_frame_is_the_reference_picture(name: str, tmp_path: Path) -> None:
    """One frame each; all of all files: tools/corpus_check.py of the shared folder."""
    source = needs(SHARED / f"{name}.pat")
    (entry,) = [each for each in json.loads((SHARED / "manifest.json").read_text())["traces"] if each["name"] == name]
    reference = entry["reference_frames"][0]
    import_trace(source, tmp_path / "out.gltrace")
    ((_, picture),) = pictures(tmp_path / "out.gltrace", frames=(reference["frame"], reference["frame"]))
    wanted = np.asarray(Image.open(SHARED / reference["png"]).convert("RGB")).astype(int)
    difference = np.abs(picture[::-1, :, :3].astype(int) - wanted)
    assert (difference.max(2) > 2).mean() <= 0.005
    assert difference.mean() <= 0.5


def letters(kind: str) -> str:
    """A kind of the reference as the letters of our table."""
    numbers = dict(i8="b", u8="B", i16="h", u16="H", i32="i", u32="I", f32="f", i64="q", u64="Q", f64="d", iptr="n")
    whole = {"str": "s", "strarray": "S", "blob": "AB", "opaque": "o", "void": "-"}
    if kind in numbers or kind in whole:
        return numbers.get(kind) or whole[kind]
    outer, _, inner = kind.partition(":")
    return {"array": "A", "ptr": "*"}[outer] + numbers[inner] if inner in numbers else "?"


def test_the_table_says_what_patrace_says() -> None:
    reference = json.loads(needs(SHARED / "pat_signatures.json").read_text())
    for name, facts in reference.items():
        arguments = tuple(letters(kind) for _, kind, _, _ in facts["args"])
        assert signature_of(name) == Signature(letters(facts["ret"][0]), arguments, facts["len"] // 4), name
