"""Traces of changed programs: what a program that does it itself costs and shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from gl_recorder import Recorder
from PIL import Image

import replay
from gpumodel import REQUIRED_COLUMNS, load_config, run
from gpumodel.cli import cli
from gpureplay import whatif
from replay.formats.etc import decode_rgb, decode_rgba
from replay.formats.etc_encode import encode_image
from replay.rewriting import rewrite
from traceformat.cli.door import run as run_command
from traceformat.errors import UsageError
from traceformat.gles import enums as gl

SIZE = 64
VERTEX = "attribute vec4 p; varying vec2 v; void main() { v = p.xy * 3.0 + 0.5; gl_Position = p; }"
FRAGMENT = "precision highp float; varying vec2 v; uniform sampler2D t; void main() { gl_FragColor = texture2D(t, v); }"


def texels(size: int = SIZE, *, alpha: bool = False) -> np.ndarray:
    y, x = np.mgrid[0:size, 0:size]
    a = (x * 255 // size) if alpha else np.full_like(x, 255)
    return np.stack([x * 3 % 256, y * 2 % 256, (x + y) % 256, a], axis=2).astype(np.uint8)


def upload(one: Recorder, image: np.ndarray, level: int = 0) -> None:
    height, width = image.shape[:2]
    one(
        "glTexImage2D", gl.GL_TEXTURE_2D, level, gl.GL_RGBA, width, height, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE,
        image.tobytes(),
    )  # fmt: skip


def program(path: Path, fill: Callable[[Recorder], None], *, least: int = gl.GL_LINEAR) -> Path:
    """Two frames of a textured square; ``fill`` gives texture 1 its texels."""
    one = Recorder(version=(3, 0), size=(48, 48))
    one.program(VERTEX, FRAGMENT)
    corners = [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]
    one.vertices(np.array([[*corner, 0, 1, 0, 0, 0, 0] for corner in corners], np.float32))
    one("glBindTexture", gl.GL_TEXTURE_2D, 1)
    one("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, least)
    fill(one)
    for _ in range(2):
        one.clear()
        one("glDrawArrays", gl.GL_TRIANGLES, 0, 6)
        one.swap()
    return one.write(path)


def outcome(path: Path) -> tuple[list[tuple[int, dict[str, float]]], list[np.ndarray]]:
    """Figures and pictures of the frames."""
    pictures = []
    with replay.frames(path, columns=REQUIRED_COLUMNS) as frames:
        result = run(frames, load_config("mali450-vro"), observe=lambda trace, _: pictures.append(trace.picture.copy()))
    return [(frame.cycles, frame.counters) for frame in result.frames], pictures


def same(first: Path, second: Path) -> None:
    (one, shown), (other, wanted) = outcome(first), outcome(second)
    assert one == other
    for picture, reference in zip(shown, wanted, strict=True):
        np.testing.assert_array_equal(picture, reference)


def test_mipmaps_are_what_the_program_would_have_made(tmp_path: Path) -> None:
    plain = program(tmp_path / "plain.gltrace", lambda one: upload(one, texels()))

    def with_levels(one: Recorder) -> None:
        upload(one, texels())
        one("glGenerateMipmap", gl.GL_TEXTURE_2D)

    wanted = program(tmp_path / "wanted.gltrace", with_levels, least=gl.GL_LINEAR_MIPMAP_LINEAR)
    rewrite(plain, tmp_path / "changed.gltrace", "mipmaps", "texture 1 64x64 RGBA8", "", 2)
    same(tmp_path / "changed.gltrace", wanted)
    assert outcome(plain)[0] != outcome(wanted)[0]


@pytest.mark.parametrize("alpha", [False, True])
def test_a_compressed_texture_is_what_the_program_would_have_uploaded(tmp_path: Path, alpha: bool) -> None:
    image = texels(alpha=alpha)
    plain = program(tmp_path / "plain.gltrace", lambda one: upload(one, image))

    def compressed(one: Recorder) -> None:
        internal = gl.GL_COMPRESSED_RGBA8_ETC2_EAC if alpha else gl.GL_COMPRESSED_RGB8_ETC2
        data = encode_image(image, alpha=alpha)
        assert len(data) == SIZE * SIZE // (1 if alpha else 2)
        one("glCompressedTexImage2D", gl.GL_TEXTURE_2D, 0, internal, SIZE, SIZE, 0, len(data), data)

    wanted = program(tmp_path / "wanted.gltrace", compressed)
    rewrite(plain, tmp_path / "changed.gltrace", "compress", "1", "", 2)
    same(tmp_path / "changed.gltrace", wanted)
    distance = np.abs(outcome(plain)[1][0].astype(int) - outcome(wanted)[1][0])
    assert 0 < distance.max() < 40


def test_storage_is_filled_in_blocks_and_levels_are_made(tmp_path: Path) -> None:
    def fill(one: Recorder) -> None:
        one("glTexStorage2D", gl.GL_TEXTURE_2D, 7, gl.GL_RGBA8, SIZE, SIZE)
        half = texels()[:32]
        for row in (0, 32):
            one(
                "glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, row, SIZE, 32, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE,
                half.tobytes(),
            )  # fmt: skip
        one("glGenerateMipmap", gl.GL_TEXTURE_2D)

    plain = program(tmp_path / "plain.gltrace", fill, least=gl.GL_LINEAR_MIPMAP_LINEAR)
    rewrite(plain, tmp_path / "changed.gltrace", "compress", "1", "", 2)
    before, after = outcome(plain), outcome(tmp_path / "changed.gltrace")
    assert after[0][0][1]["dram.read_bytes.texture"] < before[0][0][1]["dram.read_bytes.texture"]
    assert np.abs(before[1][0].astype(int) - after[1][0]).max() < 40


def test_a_smaller_texture_has_the_means(tmp_path: Path) -> None:
    # Means of sixteen multiples of 16 are whole.
    image = texels() & 0xF0
    plain = program(tmp_path / "plain.gltrace", lambda one: upload(one, image))
    small = image.reshape(16, 4, 16, 4, 4).mean(axis=(1, 3))
    wanted = program(tmp_path / "wanted.gltrace", lambda one: upload(one, np.rint(small).astype(np.uint8)))
    rewrite(plain, tmp_path / "changed.gltrace", "scale", "1", "0.25", 2)
    same(tmp_path / "changed.gltrace", wanted)


def test_a_smaller_screen(tmp_path: Path) -> None:
    plain = program(tmp_path / "plain.gltrace", lambda one: upload(one, texels()))
    rewrite(plain, tmp_path / "changed.gltrace", "scale", "default", "0.5", 1)
    (frames, pictures), (before, _) = outcome(tmp_path / "changed.gltrace"), outcome(plain)
    assert len(frames) == 1
    assert pictures[0].shape == (24, 24, 4)
    assert frames[0][1]["fragments.shaded"] == pytest.approx(before[0][1]["fragments.shaded"] / 4, rel=0.1)


@pytest.mark.parametrize("suffix", ["", "EXT"])
def test_a_smaller_framebuffer(tmp_path: Path, suffix: str) -> None:
    """Also where the program says it by the names of an extension."""

    def drawn(one: Recorder, size: int) -> Path:
        one("glBindTexture", gl.GL_TEXTURE_2D, 1)
        upload(one, texels())
        one("glBindTexture", gl.GL_TEXTURE_2D, 2)
        one("glTexStorage2D", gl.GL_TEXTURE_2D, 1, gl.GL_RGBA8, size, size)
        one("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR)
        one("glBindRenderbuffer" + suffix, gl.GL_RENDERBUFFER, 1)
        one("glRenderbufferStorage" + suffix, gl.GL_RENDERBUFFER, gl.GL_DEPTH_COMPONENT16, size, size)
        one("glBindFramebuffer" + suffix, gl.GL_FRAMEBUFFER, 5)
        one("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 2, 0)
        one("glFramebufferRenderbuffer" + suffix, gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_RENDERBUFFER, 1)
        for _ in range(2):
            one("glBindFramebuffer" + suffix, gl.GL_FRAMEBUFFER, 5)
            one("glViewport", 0, 0, size, size)
            one("glBindTexture", gl.GL_TEXTURE_2D, 1)
            one.clear()
            one("glDrawArrays", gl.GL_TRIANGLES, 0, 6)
            one("glBindFramebuffer" + suffix, gl.GL_FRAMEBUFFER, 0)
            one("glViewport", 0, 0, 48, 48)
            one("glBindTexture", gl.GL_TEXTURE_2D, 2)
            one.clear()
            one("glDrawArrays", gl.GL_TRIANGLES, 0, 6)
            one.swap()
        return one.write(tmp_path / f"{size}.gltrace")

    def begun() -> Recorder:
        one = Recorder(version=(3, 0), size=(48, 48))
        one.program(VERTEX, FRAGMENT)
        corners = [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]
        one.vertices(np.array([[*corner, 0, 1, 0, 0, 0, 0] for corner in corners], np.float32))
        return one

    whole, half = drawn(begun(), 64), drawn(begun(), 32)
    rewrite(whole, tmp_path / "changed.gltrace", "scale", "framebuffer 5", "0.5", 2)
    same(tmp_path / "changed.gltrace", half)


def rounding(path: Path, pragma: str = "") -> Path:
    """A frame whose colours need more bits than mediump has."""
    one = Recorder(version=(3, 0), size=(48, 48))
    fine = "precision mediump float; varying vec2 v; void main() { gl_FragColor = vec4(fract(v * 300.0), v); }"
    one.program(VERTEX + pragma, fine + pragma)
    corners = [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]
    one.vertices(np.array([[*corner, 0, 1, 0, 0, 0, 0] for corner in corners], np.float32))
    one.clear()
    one("glDrawArrays", gl.GL_TRIANGLES, 0, 6)
    one.swap()
    return one.write(path)


def test_16_bits_are_what_the_program_would_have_asked_for(tmp_path: Path) -> None:
    plain = rounding(tmp_path / "plain.gltrace")
    wanted = rounding(tmp_path / "wanted.gltrace", "\n#pragma gpureplay mediump(16)\n")
    assert rewrite(plain, tmp_path / "changed.gltrace", "precision", "mediump", "16", 1) == 2
    same(tmp_path / "changed.gltrace", wanted)
    (before,), (after,) = outcome(plain)[1], outcome(wanted)[1]
    (answer,) = whatif(str(plain), [("precision", "mediump", "16")], everywhere=False).answers
    apart = before[..., :3].astype(float) - after[..., :3]
    assert answer.picture.psnr_db == pytest.approx(10 * np.log10(255**2 / (apart**2).mean()))
    assert answer.picture.pixels == (before != after).any(axis=2).sum() > 0
    assert f"{answer.picture.psnr_db:.1f} dB" in answer.picture.text
    assert answer.saved_share == pytest.approx(0, abs=0.01)
    # The same pictures as files.
    for name, words in (("plain", []), ("short", ["--precision", "mediump=16"])):
        assert run_command(cli, ["images", str(plain), "-o", str(tmp_path / name), *words], name="gpureplay") == 0
        found = np.asarray(Image.open(tmp_path / name / "frame_0000.png").convert("RGB"))[::-1]
        np.testing.assert_array_equal(found, (before if name == "plain" else after)[..., :3])
    assert run_command(cli, ["images", str(plain), "-o", str(tmp_path), "--precision", "x"], name="gpureplay") == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("mipmaps", "texture 9", ""), "no such texture"),
        (("mipmaps", "trees", ""), "is no texture"),
        (("scale", "1", "0.3"), "is no factor"),
        (("scale", "framebuffer 9", "0.5"), "no such framebuffer"),
        (("precision", "mediump", "8"), "mediump=8 is not known"),
        (("precision", "highp", "16"), "highp=16 is not known"),
    ],
)
def test_what_cannot_be_changed_is_refused(tmp_path: Path, words: tuple[str, str, str], message: str) -> None:
    plain = program(tmp_path / "plain.gltrace", lambda one: upload(one, texels()))
    with pytest.raises(UsageError, match=message):
        rewrite(plain, tmp_path / "changed.gltrace", *words, 2)


@pytest.mark.parametrize("alpha", [False, True])
def test_encoded_blocks_are_near_what_was_encoded(alpha: bool) -> None:
    rng = np.random.default_rng(1)
    smooth = rng.integers(0, 256, (5, 4, 4)).repeat(4, 0).repeat(4, 1)[:18, :13].astype(np.uint8)
    noisy = np.clip(smooth.astype(int) + rng.integers(-6, 7, (18, 13, 1)), 0, 255).astype(np.uint8)
    noisy[..., 3] = np.arange(13) * 19
    data = np.frombuffer(encode_image(noisy, alpha=alpha), np.uint8).reshape(-1, 16 if alpha else 8)
    decoded = (decode_rgba if alpha else decode_rgb)(data).reshape(5, 4, 4, 4, 4).swapaxes(1, 2).reshape(20, 16, 4)
    distance = np.abs(decoded[:18, :13].astype(int) - noisy)
    # The base is rounded to 17, and a modifier is at hand within 8 of what is left.
    assert distance[..., :3].max() <= 20
    assert not alpha or distance[..., 3].max() <= 8
