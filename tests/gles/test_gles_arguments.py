"""Arguments of recorded calls: wrapped as C wraps them, refused where no program can have passed them."""

from __future__ import annotations

import math

import pytest

from traceformat.calls import Call, Offset
from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.arguments import ArgumentCheck


def checked(name, *args):
    return ArgumentCheck().checked(Call(7, name, 1, 1, 0, args))


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("glUniform1i", (0, 2**32 - 1), (0, -1)),
        ("glUniform1i", (0, -(2**31)), (0, -(2**31))),
        ("glVertexAttribDivisor", (1, -2), (1, 2**32 - 2)),
        ("glClear", (-1,), (2**32 - 1,)),
        ("glUniform1f", (0, 1e300), (0, math.inf)),
        ("glUniform1f", (0, -1e300), (0, -math.inf)),
        ("glUniform1f", (0, 3.4028234663852886e38), (0, 3.4028234663852886e38)),
        ("glUniform1f", (0, 10**400), (0, math.inf)),
        ("glUniform1f", (0, 3), (0, 3)),
        ("glClearDepth", (1e300,), (1e300,)),
        ("glBufferSubData", (gl.GL_ARRAY_BUFFER, 2**63, 4, b"abcd"), (gl.GL_ARRAY_BUFFER, -(2**63), 4, b"abcd")),
        ("glDrawElements", (4, 3, 5123, Offset(2**40)), (4, 3, 5123, Offset(2**40))),
        ("glObjectLabel", (gl.GL_TEXTURE, 1, -1, None), (gl.GL_TEXTURE, 1, -1, None)),
        ("glNoSuchFunction", ("x", 2**80), ("x", 2**80)),
    ],
)
def test_values_arrive_as_in_c(name, args, expected):
    found = checked(name, *args)
    assert found == expected
    assert [type(value) for value in found] == [type(value) for value in expected]


def test_not_a_number_passes():
    assert math.isnan(checked("glLineWidth", math.nan)[0])


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("glClear", (), "0 arguments, expected 1"),
        ("glClear", (1, 2), "2 arguments, expected 1"),
        ("glClear", (1.0,), "mask is of type float"),
        ("glViewport", (0, 0, None, 3), "width is of type NoneType"),
        ("glVertexAttribDivisor", (1, 0.5), "divisor is of type float"),
        ("glTexParameteri", (gl.GL_TEXTURE_2D, gl.GL_TEXTURE_WRAP_S, ("a",)), "param is of type tuple"),
        ("glBufferData", (gl.GL_ARRAY_BUFFER, 4, "abcd", gl.GL_STATIC_DRAW), "data is of type str"),
        ("glViewport", (0, 0, 2**40, 3), "width is out of range"),
        ("glViewport", (0, -(2**31) - 1, 1, 3), "y is out of range"),
        ("glBufferSubData", (gl.GL_ARRAY_BUFFER, 2**64, 4, b"abcd"), "offset is out of range"),
    ],
)
def test_impossible_arguments_are_refused(name, args, message):
    with pytest.raises(ReplayError, match=message) as caught:
        checked(name, *args)
    assert caught.value.call == 7
    assert caught.value.function == name


def test_a_known_combination_of_types_is_checked_too():
    check = ArgumentCheck()
    assert check.checked(Call(0, "glVertexAttribDivisor", 1, 1, 0, (1, 1))) == (1, 1)
    assert check.checked(Call(1, "glVertexAttribDivisor", 1, 1, 0, (1, -1))) == (1, 2**32 - 1)
    with pytest.raises(ReplayError):
        check.checked(Call(2, "glVertexAttribDivisor", 1, 1, 0, (1, 2**33)))
