"""The file of results: what it holds, how it is written, read and checked, and what in it looks untrue."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

__all__ = [
    "FORMAT",
    "VERSION",
    "ResultsError",
    "digest",
    "mistakes",
    "parsed",
    "read",
    "suspicions",
    "text_of",
    "write",
]

FORMAT: Final = "gpureplay silicon results"
VERSION: Final = 1
#: A file that is longer, unpacked, is none of ours.
_MOST_BYTES: Final = 256 << 20
_PARTS: Final = {"device": dict, "host": dict, "run": dict, "counters": list, "benchmarks": dict, "missing": list}
#: Of a benchmark: key and type.
_SAMPLE: Final = {
    "family": str, "parameters": dict, "program": str, "loops": int, "times_ns": list, "host_ns": list,
    "counters": dict,
}  # fmt: skip


class ResultsError(Exception):
    """A file that holds no results, or others than those asked for; the message is one line."""


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of the content, without the digest itself."""
    kept = {key: value for key, value in document.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def text_of(document: Mapping[str, Any]) -> str:
    """The file's text, with its digest."""
    return json.dumps({**document, "sha256": digest(document)}, indent=1) + "\n"


def write(document: Mapping[str, Any], path: str | Path) -> None:
    """Replace a file once the new one is whole; a name that ends in ``.gz`` is zipped."""
    place = Path(path)
    data = text_of(document).encode()
    part = place.with_name(f".{place.name}.part")
    try:
        part.write_bytes(packed(data, place))
        os.replace(part, place)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def packed(data: bytes, place: Path) -> bytes:
    """Bytes as the file's name asks for them."""
    return gzip.compress(data, mtime=0) if place.suffix == ".gz" else data


def read(path: str | Path) -> dict[str, Any]:
    """Read a file.

    Raises
    ------
    ResultsError : it cannot be read, or is not what it should be
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror or error}") from None
    try:
        return parsed(data)
    except ResultsError as error:
        raise ResultsError(f"{path}: {error}") from None


def parsed(data: bytes) -> dict[str, Any]:
    """The document in a file's bytes, zipped or not.

    Raises
    ------
    ResultsError : it is not what it should be
    """
    if data[:2] == b"\x1f\x8b":
        try:
            unpacker = zlib.decompressobj(31)
            data = unpacker.decompress(data, _MOST_BYTES)
            if unpacker.unconsumed_tail or not unpacker.eof:
                raise ResultsError("cut short, or far too long")
        except zlib.error as error:
            raise ResultsError(f"damaged: {error}") from None
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise ResultsError("no JSON") from None
    wrong = mistakes(document)
    if wrong:
        raise ResultsError("; ".join(wrong[:3]))
    found: dict[str, Any] = document
    return found


def _are_numbers(values: Any) -> bool:
    return isinstance(values, list) and all(
        isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) for value in values
    )


def mistakes(document: Any) -> list[str]:
    """What is wrong with the form of a document, none for a good one."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return ["no results of the kit"]
    if document.get("version") != VERSION:
        return [f"version {document.get('version')!r} is not {VERSION}, which this program reads"]
    absent = [key for key, kind in _PARTS.items() if not isinstance(document.get(key), kind)]
    if absent:
        return [f"{', '.join(absent)}: missing, or of another kind"]
    found = [
        f"{part}: an entry lacks {', '.join(keys)}"
        for part, keys in {"counters": ("name", "source", "kind"), "missing": ("what", "reason")}.items()
        for one in document[part]
        if not isinstance(one, dict) or not all(isinstance(one.get(key), str) for key in keys)
    ]
    if not isinstance(document["run"].get("seed"), int) or not isinstance(document["device"].get("renderer"), str):
        found.append("the run has no seed, or the device no renderer")
    if any(one.get("bits", 64) not in range(1, 65) for one in document["counters"] if isinstance(one, dict)):
        found.append("a counter has no number of bits")
    for name, sample in document["benchmarks"].items():
        own = sample if isinstance(sample, dict) else {}
        if lacking := [key for key, kind in _SAMPLE.items() if not isinstance(own.get(key), kind)]:
            found.append(f"benchmark {name} lacks {', '.join(lacking)}")
            continue
        series = [sample["times_ns"], sample["host_ns"], *sample["counters"].values()]
        if not all(_are_numbers(values) for values in series) or sample["loops"] < 1:
            found.append(f"benchmark {name}: values are no numbers")
    if not found and document.get("sha256") != digest(document):
        found.append("the content does not fit its digest: it was changed or damaged")
    return found


def suspicions(document: Mapping[str, Any]) -> list[str]:
    """What in results cannot be true, or is not to be trusted: one line each."""
    samples: Mapping[str, Any] = document["benchmarks"]
    bits = {one["name"]: int(one.get("bits", 64)) for one in document["counters"]}
    kinds = {one["name"]: one["kind"] for one in document["counters"]}
    found = []
    for name in kinds:
        values = {bench: sample["counters"][name] for bench, sample in samples.items() if sample["counters"].get(name)}
        found += _of_counter(name, kinds[name], bits[name], values)
    for bench, sample in samples.items():
        if sample["times_ns"] and min(sample["times_ns"]) <= 0:
            found.append(f"{bench}: the GPU's timer gave {min(sample['times_ns'])} ns")
        longest = [gpu for gpu, host in zip(sample["times_ns"], sample["host_ns"], strict=False) if gpu > 1.5 * host]
        if longest and sample.get("times_from") != "host":
            found.append(f"{bench}: the GPU's timer gave more than the host saw pass")
    return found


def _of_counter(name: str, kind: str, bits: int, values: Mapping[str, Sequence[float]]) -> list[str]:
    every = [(value, bench) for bench, of in values.items() for value in of]
    if not every:
        return [f"{name}: announced, and never read"]
    if all(value == 0 for value, _ in every) and len(values) > 1:
        return [f"{name}: 0 in all {len(values)} benchmarks: it does not count"]
    found = []
    lowest, where = min(every)
    if lowest < 0:
        found.append(f"{name}: {lowest:g} in {where}: a count is not negative")
    highest, where = max(every)
    if kind in ("uint", "uint64"):
        if highest >= 2 ** (bits - 1):
            found.append(f"{name}: {highest:g} in {where}: negative as {bits} bits, or it wrapped")
        elif highest >= 2 ** (bits - 4):
            found.append(f"{name}: {highest:g} in {where}: near the end of {bits} bits, it may have wrapped elsewhere")
    if kind == "percentage" and highest > 100:
        found.append(f"{name}: {highest:g} % in {where}")
    return found
