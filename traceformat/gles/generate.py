"""Generate ``commands_table.py`` and ``enums_table.py`` from the Khronos registry.

    python -m traceformat.gles.generate FOLDER

``FOLDER`` holds ``gl.xml``, ``egl.xml`` and ``glx.xml`` of the Khronos OpenGL and EGL registries (Apache-2.0;
github.com/KhronosGroup/OpenGL-Registry and EGL-Registry; the PyPI package ``glad2`` ships them in ``glad/files``).
What the registry does not say is in ``sizes.py``, written by hand.

Selected are all commands and enums of every version of OpenGL and OpenGL ES 2.0 to 3.2, of EGL and of GLX, and of the
extensions that OpenGL ES supports or that several vendors of desktop GL agreed on (ARB, KHR, EXT, OES, GREMEDY).
"""

from __future__ import annotations

import re
import sys
import textwrap
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["generate"]

#: Vendors whose desktop-only extensions are in the table.
DESKTOP_VENDORS = frozenset({"ARB", "KHR", "EXT", "OES", "GREMEDY"})
#: Extensions of the window systems that programs and window libraries resolve.
WINDOW_EXTENSIONS = """
    EGL_KHR_image EGL_KHR_image_base EGL_KHR_create_context EGL_KHR_surfaceless_context EGL_KHR_no_config_context
    EGL_KHR_fence_sync EGL_KHR_wait_sync EGL_KHR_swap_buffers_with_damage EGL_EXT_swap_buffers_with_damage
    EGL_KHR_partial_update EGL_EXT_platform_base EGL_EXT_platform_device EGL_EXT_device_base EGL_EXT_device_query
    EGL_EXT_device_enumeration EGL_MESA_platform_surfaceless EGL_MESA_platform_gbm EGL_KHR_debug
    GLX_ARB_get_proc_address GLX_ARB_create_context GLX_ARB_create_context_profile GLX_ARB_multisample
    GLX_EXT_swap_control GLX_MESA_swap_control GLX_SGI_swap_control GLX_MESA_query_renderer GLX_EXT_import_context
"""
#: Extension commands that mean what the core command of the same name means, though the registry does not say so.
SAME_AS_CORE = """
    glBeginQueryEXT glEndQueryEXT glGenQueriesEXT glDeleteQueriesEXT glIsQueryEXT glGetQueryivEXT glGetQueryObjectuivEXT
    glBindFramebufferEXT glBindRenderbufferEXT glBlitFramebufferANGLE glRenderbufferStorageMultisampleANGLE
    glRenderbufferStorageMultisampleAPPLE glDrawBuffersNV glReadBufferNV
    glTexImage3DOES glTexSubImage3DOES glCopyTexSubImage3DOES glCompressedTexImage3DOES glCompressedTexSubImage3DOES
    glActiveShaderProgramEXT glBindProgramPipelineEXT glCreateShaderProgramvEXT glDeleteProgramPipelinesEXT
    glGenProgramPipelinesEXT glGetProgramPipelineInfoLogEXT glGetProgramPipelineivEXT glIsProgramPipelineEXT
    glUseProgramStagesEXT glValidateProgramPipelineEXT glGetGraphicsResetStatusARB
"""
HEADER = '"""Generated from the Khronos registry (Apache-2.0) by traceformat/gles/generate.py; do not edit."""\n'


@dataclass
class _Selected:
    """Where a command or enum comes from."""

    versions: dict[str, str] = field(default_factory=dict)
    extensions: list[str] = field(default_factory=list)
    removed: bool = False


def _text(element: ElementTree.Element) -> str:
    """Join all text of an element except its name: the C type."""
    parts = [element.text or ""]
    for child in element:
        if child.tag != "name":
            parts.append(child.text or "")
        parts.append(child.tail or "")
    return " ".join("".join(parts).replace("*", " * ").split()).replace("* *", "**")


def _names(block: ElementTree.Element, tag: str) -> Iterator[str]:
    for element in block.findall(tag):
        yield element.attrib["name"]


def _select(root: ElementTree.Element, tag: str) -> dict[str, _Selected]:
    """Names of commands or enums that features and chosen extensions require."""
    chosen: dict[str, _Selected] = {}
    window_extensions = WINDOW_EXTENSIONS.split()
    for feature in root.findall("feature"):
        api = feature.attrib["api"]
        if api in ("glsc2", "gles1"):
            continue
        for block in feature.findall("require"):
            for name in _names(block, tag):
                chosen.setdefault(name, _Selected()).versions.setdefault(api, feature.attrib["number"])
        for block in feature.findall("remove"):
            for name in _names(block, tag):
                chosen[name].removed = True
    for extension in root.findall("extensions/extension"):
        name = extension.attrib["name"]
        supported = extension.attrib.get("supported", "").split("|")
        vendor = name.split("_")[1]
        wanted = "gles2" in supported or (vendor in DESKTOP_VENDORS and ("gl" in supported or "glcore" in supported))
        if name.startswith("GL_"):
            if not wanted:
                continue
        elif name not in window_extensions:
            continue
        for block in extension.findall("require"):
            for item in _names(block, tag):
                origin = chosen.setdefault(item, _Selected())
                if name not in origin.extensions:
                    origin.extensions.append(name)
    return chosen


def _param(element: ElementTree.Element) -> str:
    fields = [
        element.findtext("name", ""),
        _text(element),
        element.attrib.get("group", ""),
        element.attrib.get("class", ""),
        element.attrib.get("len", "").replace(" ", ""),
    ]
    return ":".join(fields).rstrip(":")


def _versions(origin: _Selected) -> str:
    """Spell the first version of each API; ``-`` marks what the core profile dropped."""
    return ",".join(
        f"{api}={number}{'-' if api == 'gl' and origin.removed else ''}" for api, number in origin.versions.items()
    )


def _commands(root: ElementTree.Element) -> Iterator[str]:
    chosen = _select(root, "command")
    same_as_core = SAME_AS_CORE.split()
    elements = {element.findtext("proto/name", ""): element for element in root.findall("commands/command")}
    for name in sorted(chosen):
        element = elements[name]
        proto = element.find("proto")
        assert proto is not None
        alias = element.find("alias")
        # A core name is never an alias: where the registry points from core to vendor, the arrow is dropped.
        target = alias.attrib["name"] if alias is not None and not chosen[name].versions else ""
        if name in same_as_core:
            target = re.sub("(EXT|OES|ANGLE|APPLE|NV|ARB)$", "", name)
        if target not in chosen:
            target = ""
        yield "|".join(
            (
                name,
                ":".join((_text(proto), proto.attrib.get("group", ""), proto.attrib.get("class", ""))).rstrip(":"),
                _versions(chosen[name]),
                ",".join(chosen[name].extensions),
                target,
                ";".join(_param(param) for param in element.findall("param")),
            )
        ).rstrip("|")


def _enums(root: ElementTree.Element) -> tuple[dict[str, int], dict[str, list[str]]]:
    chosen = _select(root, "enum")
    values: dict[str, int] = {}
    groups: dict[str, list[str]] = {}
    # Names of core versions come first, so that a value's first name is the one that people know.
    elements = [(block, enum) for block in root.findall("enums") for enum in block.findall("enum")]
    elements.sort(key=lambda pair: not (pair[1].attrib["name"] in chosen and chosen[pair[1].attrib["name"]].versions))
    for block, enum in elements:
        name = enum.attrib["name"]
        if name not in chosen or enum.attrib.get("api") in ("gles1",) or name in values:
            continue
        text = enum.attrib["value"]
        if not text.lstrip("-").replace("x", "").isalnum():
            continue
        values[name] = int(text, 0)
        for group in (enum.attrib.get("group") or block.attrib.get("group") or "").split(","):
            if group:
                groups.setdefault(group, []).append(name)
    return values, groups


def generate(folder: Path, out: Path) -> None:
    """Write ``commands_table.py`` and ``enums_table.py`` into ``out``.

    Parameters
    ----------
    folder : holds gl.xml, egl.xml and glx.xml
    out : folder of the generated modules
    """
    roots = [ElementTree.parse(folder / name).getroot() for name in ("gl.xml", "egl.xml", "glx.xml")]
    lines = [line for root in roots for line in _commands(root)]
    form = (
        "#: name|result|versions|extensions|alias|parameter;...\n"
        "#: result = type:group:object class, parameter = name:type:group:object class:length\n"
    )
    (out / "commands_table.py").write_text(
        HEADER + "# ruff: noqa: E501\n\n" + form + 'TABLE = """\\\n' + "\n".join(lines) + '\n"""\n'
    )
    values, groups = _enums(roots[0])
    pairs = textwrap.wrap(" ".join(f"{name[3:]}:{value:X}" for name, value in values.items()), 118)
    members = "\n".join(f"{group}:{' '.join(name[3:] for name in groups[group])}" for group in sorted(groups))
    (out / "enums_table.py").write_text(
        f"{HEADER}# ruff: noqa: E501\n\n"
        f'#: NAME:hexadecimal value; of names with one value the one that people know comes first\nVALUES = """\\\n'
        + "\n".join(pairs)
        + '\n"""\n\n#: group: its names, in order of precedence for a value with several\n'
        + f'GROUPS = """\\\n{members}\n"""\n'
    )


if __name__ == "__main__":
    generate(Path(sys.argv[1]), Path(__file__).parent)
