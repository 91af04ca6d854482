"""``gpucapture import`` as a command: what it says and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from pat_writer import PatWriter

from capture.cli import cli
from traceformat.cli.door import run
from traceformat.gltrace.reader import open_trace


def three_frames() -> PatWriter:
    pat = PatWriter()
    pat.window()
    for _ in range(3):
        pat.call("glClear", 0x4000)
        pat.swap()
        pat.end_chunk()
    return pat


@pytest.mark.parametrize(
    ("arguments", "size", "status", "message", "frames"),
    [
        ([], None, 0, "out.gltrace: 3 frames, 9 calls", 3),
        (["--frames", "1-1"], None, 0, "out.gltrace: 1 frames", 1),
        ([], -20, 3, "lost: calls 7 to 8 (out.gltrace holds what came before)", 2),
        (["--strict"], -20, 3, "lost: calls 7 to 8", None),
        ([], 100, 3, "offsets contradict", None),
        (["--frames", "2-1"], None, 2, "the range is empty", None),
    ],
)
def test_an_import_says_what_it_did(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    size: int | None,
    status: int,
    message: str,
    frames: int | None,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.pat").write_bytes(three_frames().data()[:size])
    assert run(cli, ["import", "in.pat", "-o", "out.gltrace", *arguments], name="gpucapture") == status
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""
    assert Path("out.gltrace").exists() == (frames is not None)
    if frames is not None:
        with open_trace("out.gltrace") as reader:
            assert len(reader.frames) - reader.set_up_frames == frames
