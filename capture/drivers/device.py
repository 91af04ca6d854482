"""The device that the null driver answers for: strings, extensions and limits, which a TOML file may change.

::

    [gles]
    renderer = "My GPU"
    max_texture_size = 4096

    [desktop]
    extensions = ["GL_KHR_debug"]

Names are those of :class:`~traceformat.gles.limits.Limits`; what a file does not name stays as it is.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from traceformat.errors import UsageError
from traceformat.gles.limits import DESKTOP_LIMITS, GLES_LIMITS, Limits

__all__ = ["Device", "describe_device", "read_device"]

#: Guards against hostile traces, which are no property of a device.
_GUARDS: Final = frozenset({"max_buffer_bytes", "max_image_bytes", "max_total_bytes", "max_contexts", "max_names"})
#: What the tracker and the engine cannot exceed.
_LARGEST: Final = {
    "max_texture_size": 32768,
    "max_samples": 4,
    "max_integer_samples": 4,
    "max_color_attachments": 8,
    "max_draw_buffers": 8,
    "max_sample_mask_words": 1,
}


class Device(NamedTuple):
    """Limits in OpenGL ES contexts and in desktop ones."""

    gles: Limits = GLES_LIMITS
    desktop: Limits = DESKTOP_LIMITS


def _near(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"did you mean {near[0]!r}?" if near else "gpucapture device shows them all"


def _checked(path: Path, table: str, name: str, value: Any, default: Any) -> Any:
    where = f"{path}: [{table}] {name}"
    if isinstance(default, tuple):
        kind = type(default[0])
        allowed = (int, float) if kind is float else kind
        if not isinstance(value, list) or not all(isinstance(each, allowed) for each in value):
            raise UsageError(f"{where}: a list of {'numbers' if kind is float else 'strings'} was expected")
        if kind is float and (len(value) != 2 or value[0] > value[1]):
            raise UsageError(f"{where}: smallest and largest value were expected")
        return tuple(value)
    if isinstance(default, str):
        if not isinstance(value, str):
            raise UsageError(f"{where}: a string was expected")
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float) if isinstance(default, float) else int):
        raise UsageError(f"{where}: a number was expected")
    if default >= 0 > value:
        raise UsageError(f"{where}: {value} is negative")
    largest = _LARGEST.get(name)
    if largest is not None and value > largest:
        raise UsageError(f"{where}: {value} is more than the {largest} that can be drawn with")
    return value


def _changed(path: Path, table: str, limits: Limits, values: Mapping[str, Any]) -> Limits:
    defaults = {name: value for name, value in asdict(limits).items() if name not in _GUARDS}
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name not in defaults:
            raise UsageError(f"{path}: [{table}] has no {name!r}", hint=_near(name, list(defaults)))
        found[name] = _checked(path, table, name, value, defaults[name])
    return replace(limits, **found)


def read_device(path: Path) -> Device:
    """Read a device from a TOML file.

    Raises
    ------
    UsageError : it cannot be read, or says what no device can be
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: no TOML: {error}") from None
    device = Device()
    for table, values in content.items():
        if table not in Device._fields or not isinstance(values, dict):
            raise UsageError(f"{path}: there is no table {table!r}", hint="gles and desktop are")
        device = device._replace(**{table: _changed(path, table, getattr(device, table), values)})
    return device


def describe_device(device: Device) -> str:
    """A device as the TOML that :func:`read_device` reads."""
    lines = []
    for table, limits in zip(Device._fields, device, strict=True):
        lines.append(f"[{table}]")
        for field in fields(limits):
            if field.name in _GUARDS:
                continue
            value = getattr(limits, field.name)
            # TOML writes strings, numbers and lists of them as JSON does.
            lines.append(f"{field.name} = {json.dumps(list(value) if isinstance(value, tuple) else value)}")
        lines.append("")
    return "\n".join(lines)
