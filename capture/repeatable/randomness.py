"""Random numbers from a seed: what programs get where they ask for numbers that nobody can foresee."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from typing import Any

from capture.repeatable.callers import is_the_programs, own_file

__all__ = ["SeededRandomness"]


class SeededRandomness:
    """Seeds ``random`` and ``numpy.random``, and their generators that are made without a seed.

    Those get seeds of their own, in order of creation. A program that seeds its generators itself is left alone.

    Parameters
    ----------
    seed : of everything
    with_secrets : ``os.urandom``, and with it ``secrets``, ``uuid.uuid4`` and ``random.SystemRandom``, too
    """

    def __init__(self, seed: int, *, with_secrets: bool = False) -> None:
        self._seed = seed
        self._with_secrets = with_secrets
        self._real: list[tuple[Any, str, Any]] = []

    def install(self) -> None:
        """Seed the generators and replace what makes new ones."""
        stream = random.Random(self._seed)
        random.seed(self._seed)
        self._replace(random.Random, "seed", _seeding(random.Random.seed, stream))
        # Methods of the hidden generator, bound before.
        self._replace(random, "seed", random._inst.seed)
        if self._with_secrets:
            secrets = random.Random(f"{self._seed} secrets")
            # random has imported it by name, and secrets asks random.
            for place, name in ((os, "urandom"), (random, "_urandom")):
                self._replace(place, name, _bytes(secrets))
        import numpy.random
        import numpy.random.bit_generator as generators

        numpy.random.seed(self._seed % (1 << 32))  # noqa: NPY002  # the programs' own
        # SeedSequence asks it wherever it is given no entropy, and every generator of numpy asks a SeedSequence.
        self._replace(generators, "randbits", _bits(vars(generators)["randbits"], stream))

    def remove(self) -> None:
        """Put everything back."""
        for place, name, real in reversed(self._real):
            setattr(place, name, real)
        self._real.clear()

    def _replace(self, place: Any, name: str, value: Any) -> None:
        self._real.append((place, name, getattr(place, name)))
        setattr(place, name, value)


def _seeding(real: Callable[..., None], stream: random.Random) -> Callable[..., None]:
    """``Random.seed`` with a seed of the stream's where none is given."""
    file = own_file("random")

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        if a is None and is_the_programs(sys._getframe(1), behind=file):
            a = stream.getrandbits(64)
        real(self, a, version)

    return seed


def _bits(real: Callable[[int], int], stream: random.Random) -> Callable[[int], int]:
    def randbits(count: int) -> int:
        # No frame of numpy's own: it asks from compiled code.
        return stream.getrandbits(count) if is_the_programs(sys._getframe(1)) else real(count)

    return randbits


def _bytes(stream: random.Random) -> Callable[[int], bytes]:
    def urandom(size: int, /) -> bytes:
        return stream.randbytes(size)

    return urandom
