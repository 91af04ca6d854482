"""The device that the null driver answers for, and files that change it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from capture.drivers.device import Device, describe_device, read_device
from traceformat.errors import UsageError

ASK = """
import moderngl
context = moderngl.create_standalone_context()
print(context.info["GL_RENDERER"], context.info["GL_MAX_TEXTURE_SIZE"], "GL_ARB_sync" in context.extensions)
context.simple_framebuffer((4, 4)).clear()
"""


def test_what_is_printed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "device.toml"
    path.write_text(describe_device(Device()))
    assert read_device(path) == Device()
    assert "renderer" in path.read_text()


def test_what_toolkits_look_up_though_the_version_has_it() -> None:
    """Kivy makes its textures powers of two, and swaps their channels, where a name is missing."""
    names = {"GL_ARB_texture_non_power_of_two", "GL_EXT_bgra", "GL_ARB_texture_float"}
    assert names <= set(Device().desktop.extensions)


def test_a_program_sees_the_device(capture: Any, tmp_path: Path) -> None:
    assert capture(ASK).stdout.split("\n")[0] == "gpureplay null driver 16384 True"
    device = tmp_path / "device.toml"
    device.write_text('[desktop]\nrenderer = "small"\nmax_texture_size = 64\nextensions = ["GL_KHR_debug"]\n')
    result = capture(ASK, options=["--device", str(device)])
    assert result.status == 0, result.stderr
    assert result.stdout.split("\n")[0] == "small 64 False"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[gles]\nmax_texture_sise = 4", r"\[gles\] has no 'max_texture_sise' \(did you mean 'max_texture_size'\?\)"),
        ("[gles]\nmax_texture_size = '4'", "max_texture_size: a number was expected"),
        ("[gles]\nmax_texture_size = -4", "-4 is negative"),
        ("[gles]\nmax_samples = 16", "16 is more than the 4 that can be drawn with"),
        ("[gles]\nmax_names = 16", "has no 'max_names'"),
        ("[gles]\nextensions = [1]", "a list of strings was expected"),
        ("[gles]\nline_width_range = [2, 1]", "smallest and largest"),
        ("[gles]\nvendor = 1", "a string was expected"),
        ("[vulkan]\n", "there is no table 'vulkan'"),
        ("gles = 3", "there is no table 'gles'"),
        ("[gles", "no TOML"),
    ],
)
def test_what_no_device_can_be(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "device.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=words):
        read_device(path)
    with pytest.raises(UsageError, match="cannot read"):
        read_device(tmp_path / "nowhere.toml")
