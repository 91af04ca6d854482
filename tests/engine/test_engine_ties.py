"""Coordinates exactly between two texels: the last bit of interpolation is llvmpipe's."""

from fractions import Fraction

import numpy as np
import pytest
from scaled_copies import NoDriver, run

from replay.glsl.numpyops import NumpyOps


@pytest.mark.gl
@pytest.mark.parametrize("outside", [False, True], ids=["inside", "outside"])
@pytest.mark.parametrize("seed", [0, 3, 4, 12, 20])
def test_scaled_copies_are_those_of_mesa_texel_by_texel(seed, outside):
    """Also those that reach over the target's edges, which are cut; more of them: tests/fuzz/run_scaled_copies.py."""
    try:
        outcome = run(seed, outside=outside)
    except NoDriver as missing:
        pytest.skip(str(missing))
    assert outcome.ties > 10
    assert not outcome.differences, outcome.differences[0].text


def _rounded_once(a, b, c):
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    near = np.float32(float(exact))
    # float() has rounded to binary64; of the neighbours the nearest counts, of two equal ones the even.
    candidates = {near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))}
    return min(candidates, key=lambda v: (abs(Fraction(float(v)) - exact), v.view(np.uint32) & 1))


def test_fused_rounds_once_in_numpy_and_in_compiled_code():
    import numba

    from traceformat.native.access import fused

    @numba.njit("void(float32[::1], float32[::1], float32[::1], float32[::1])")
    def each(a, b, c, out):
        for k in range(len(a)):
            out[k] = fused(a[k], b[k], c[k])

    rng = np.random.default_rng(1)
    a, b = (rng.uniform(-4, 4, 4000).astype(np.float32) for _ in range(2))
    c = (rng.uniform(-4, 4, 4000) * 2.0 ** rng.integers(-40, 3, 4000)).astype(np.float32)
    # Halves between two floats, missed by a term far below: rounding to binary64 first would lose it.
    a[:2000] = (1 + rng.integers(0, 1 << 11, 2000) * 2.0**-11).astype(np.float32)
    b[:2000] = (1 + rng.integers(0, 1 << 12, 2000) * 2.0**-12 + 2.0**-12).astype(np.float32)
    c[:2000] = (rng.choice([-1, 1], 2000) * 2.0 ** rng.integers(-120, -60, 2000)).astype(np.float32)
    with np.errstate(all="ignore"):
        numpy_result = NumpyOps().ffused(a, b, c)
        twice = (a.astype(np.float64) * b + c).astype(np.float32)
    compiled = np.empty_like(a)
    each(a, b, c, compiled)
    expected = np.array([_rounded_once(*row) for row in zip(a, b, c, strict=True)], np.float32)
    assert (numpy_result == expected).all()
    assert (compiled == expected).all()
    assert (twice != expected).any()
