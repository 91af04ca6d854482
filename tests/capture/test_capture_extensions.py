"""Extensions that programs are told of under the system's GL: the driver's, less some, and the capture's own."""

import ctypes

from capture.markers import OWN_EXTENSIONS, Markers
from traceformat.gles import enums as gl

DRIVER = ["GL_OES_depth24", "GL_EXT_shader_framebuffer_fetch", "GL_KHR_debug", "GL_OES_texture_view", "GL_OES_last"]
SHOWN = ["GL_OES_depth24", "GL_KHR_debug", "GL_OES_last", "GL_EXT_debug_marker"]


class Driver:
    def extensions(self) -> list[str]:
        return DRIVER


def markers() -> Markers:
    return Markers(Driver(), lambda: 1)  # type: ignore[arg-type]


def text(address: int) -> str:
    return ctypes.string_at(address).decode()


def test_the_string_lacks_what_is_hidden_and_has_what_is_ours() -> None:
    given = ctypes.create_string_buffer((" ".join(DRIVER) + " ").encode())
    assert text(markers().get_string(gl.GL_EXTENSIONS, ctypes.addressof(given))).split() == SHOWN
    assert set(OWN_EXTENSIONS) <= set(SHOWN)


def test_the_indexed_list_is_the_same_and_its_end_is_an_error() -> None:
    asked: list[int] = []
    own = markers()
    real = lambda which, index: asked.append(index)  # noqa: E731
    count = ctypes.c_int(len(DRIVER))
    own.count_extensions(gl.GL_NUM_EXTENSIONS, ctypes.addressof(count))
    assert count.value == len(SHOWN)
    assert [text(own.get_string_at(gl.GL_EXTENSIONS, k, real)) for k in range(count.value)] == SHOWN
    assert asked == []
    assert own.get_string_at(gl.GL_EXTENSIONS, count.value, real) == 0
    assert asked == [0xFFFFFFFF]
