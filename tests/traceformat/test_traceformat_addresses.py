"""Where arrays and octets lie, by whatever way that is looked up."""

import numpy as np
import pytest

from traceformat.native.records import address_of, address_of_octets


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(10, np.uint8),
        np.zeros((4, 6))[1:],
        np.zeros((4, 6))[:, ::2],
        np.zeros(3, np.dtype([("number", np.int64)])),
        np.frombuffer(b"abcd", np.uint8),
    ],
    ids=["plain", "part", "stepped", "structured", "read-only"],
)
def test_addresses_of_arrays(array):
    assert address_of(array) == array.ctypes.data


def test_empty_arrays_have_an_address():
    assert isinstance(address_of(np.zeros(0, np.uint8)), int)


@pytest.mark.parametrize("octets", [b"abc", bytearray(b"abc"), memoryview(b"abc")])
def test_addresses_of_octets(octets):
    assert address_of_octets(octets) == np.frombuffer(octets, np.uint8).ctypes.data
