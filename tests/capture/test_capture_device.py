"""The device that the null driver answers for, and files that change it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from capture.context_records import API_GL, ContextAttributes
from capture.drivers.answering import NullPlatform
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


@pytest.mark.parametrize(("asked", "given"), [
    ((1, 0, 0), (4, 5, 2)), ((1, 0, 2), (4, 5, 2)), ((2, 1, 2), (4, 5, 2)), ((3, 0, 0), (4, 5, 2)),
    ((3, 2, 1), (3, 3, 1)), ((3, 3, 1), (3, 3, 1)), ((3, 3, 2), (3, 3, 2)),
    ((4, 1, 1), (4, 1, 1)), ((4, 6, 2), (4, 6, 2)),
])  # fmt: skip
def test_versions_of_desktop_contexts(asked: tuple[int, int, int], given: tuple[int, int, int]) -> None:
    """Who asks for nothing that has profiles gets the compatibility profile of the version that Mesa has."""
    found = NullPlatform().describe_context(ContextAttributes(API_GL, *asked))
    assert (found.major, found.minor, found.profile) == given


ANY_VERSION = """
import glfw
from OpenGL import GL
glfw.init()
window = glfw.create_window(16, 16, "", None, None)
glfw.make_context_current(window)
shader = GL.glCreateShader(GL.GL_COMPUTE_SHADER)
GL.glShaderSource(shader, "#version 450 compatibility\\nlayout(local_size_x = 1) in; void main() { }")
GL.glCompileShader(shader)
print(GL.glGetString(GL.GL_VERSION).decode()[:27], GL.glGetString(GL.GL_SHADING_LANGUAGE_VERSION).decode())
print(GL.glGetShaderiv(shader, GL.GL_COMPILE_STATUS), GL.glGetIntegerv(GL.GL_CONTEXT_PROFILE_MASK))
print("GL_ARB_multi_bind" in [GL.glGetStringi(GL.GL_EXTENSIONS, k).decode() for k in
      range(GL.glGetIntegerv(GL.GL_NUM_EXTENSIONS))])
GL.glClear(GL.GL_COLOR_BUFFER_BIT)
glfw.swap_buffers(window)
"""


def test_a_program_that_asks_for_no_version(capture: Any) -> None:
    done = capture(ANY_VERSION)
    assert done.status == 0, done.stderr
    assert done.stdout.splitlines()[:3] == ["4.5 (Compatibility Profile) 4.50", "1 2", "True"]
