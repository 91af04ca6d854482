"""Shaders of the twins, written from what a material asks for: varyings, lights, textures, a curve over the colour.

A material asks for so many instructions a vertex and arithmetic ones a fragment, as engines reach them with features:
lights a vertex, fog, a second and third texture, a gloss, and a tone curve (a polynomial in the colour) for the rest.
What a compiler really makes of them is for the calibration to measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["ATTRIBUTES", "MAX_JOINTS", "MAX_LIGHTS", "Shading", "fragment_source", "vertex_source"]

ATTRIBUTES: Final = ("position", "normal", "uv", "colour", "joints")
MAX_JOINTS: Final = 14
MAX_LIGHTS: Final = 24
#: Instructions of the parts of the vertex shader, about.
_TRANSFORM, _LIGHT, _SKIN = 4, 3, 22
#: Varyings behind the position, in the order in which materials take them; those without a picture begin at the shade.
_VARYINGS: Final = ("vec2 texture_uv", "vec4 shade", "vec3 facing", "vec3 seen", "vec2 detail_uv", "vec3 beam")


@dataclass(frozen=True, slots=True)
class Shading:
    """What a program does; equal ones are one program.

    Parameters
    ----------
    vertex_instructions : wanted of the vertex shader
    varyings : behind the position, 0 to 6
    alu : arithmetic instructions wanted of the fragment shader
    textures : looked up, 0 to 3
    is_skinned : vertices follow two joints each
    is_cut_out : fragments are discarded where the picture is clear
    """

    vertex_instructions: int
    varyings: int
    alu: int
    textures: int
    is_skinned: bool = False
    is_cut_out: bool = False


def _carried(shading: Shading) -> tuple[str, ...]:
    if shading.textures == 0:
        return _VARYINGS[1 : 1 + min(shading.varyings, 5)]
    return _VARYINGS[: max(shading.varyings, 1)]


#: What fills a varying, and its instructions.
_CARRYING: Final = {
    "texture_uv": ("texture_uv = uv * drift.z + drift.xy;", 1),
    "detail_uv": ("detail_uv = uv * drift.z * 3.7;", 2),
    "facing": ("facing = vec3(dot(turn[0], normal), dot(turn[1], normal), dot(turn[2], normal));", 3),
    "seen": ("seen = gl_Position.xyw;", 0),
    "beam": ("beam = normal * place.y;", 1),
}


def vertex_source(shading: Shading) -> str:
    """Vertex shader, GLSL ES 1.00."""
    carried = _carried(shading)
    body = ["vec4 place = vec4(position, 1.0);"]
    budget = shading.vertex_instructions - _TRANSFORM
    if shading.is_skinned:
        body += [
            "int a = 3 * int(joints.x);",
            "int b = 3 * int(joints.y);",
            "vec4 x = mix(bones[a], bones[b], joints.z);",
            "vec4 y = mix(bones[a + 1], bones[b + 1], joints.z);",
            "vec4 z = mix(bones[a + 2], bones[b + 2], joints.z);",
            "place = vec4(dot(x, place), dot(y, place), dot(z, place), 1.0);",
        ]
        budget -= _SKIN
    body += ["gl_Position = camera * place;"]
    names = [one.split()[1] for one in carried]
    for name, (line, cost) in _CARRYING.items():
        if name in names:
            body.append(line)
            budget -= cost
    body += _lighting(names, budget)
    outputs = "".join(f"varying {one};\n" for one in carried)
    return f"""attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
attribute vec4 colour;
{"attribute vec3 joints;" if shading.is_skinned else ""}
uniform mat4 camera;
uniform vec3 turn[3];
uniform vec3 drift;
uniform vec4 tint;
uniform vec4 lamps[{2 * MAX_LIGHTS}];
{f"uniform vec4 bones[{3 * MAX_JOINTS}];" if shading.is_skinned else ""}
{outputs}void main() {{
    {chr(10).join("    " + line for line in body).strip()}
}}
"""


def _lighting(carried: Sequence[str], budget: int) -> list[str]:
    """Light a vertex by so many lamps as the budget has room for; it goes where the material carries it."""
    if not carried or budget < 1:
        return ["shade = colour * tint;"] if "shade" in carried else []
    lamps, rest = divmod(max(budget - 1, 0), _LIGHT)
    lamps = min(lamps, MAX_LIGHTS)
    lines = ["vec3 light = tint.rgb;"]
    lines += [f"light += lamps[{2 * k}].rgb * max(dot(normal, lamps[{2 * k + 1}].xyz), 0.0);" for k in range(lamps)]
    lines += ["light *= lamps[0].w;"] * rest
    if "shade" in carried:
        return [*lines, "shade = vec4(light * colour.rgb, tint.a * colour.a);"]
    # A material without colours a vertex lets light sway its texture by a hair.
    return [*lines, "texture_uv += light.xy * 0.0001;"] if lamps or rest else []


def fragment_source(shading: Shading) -> str:
    """Fragment shader, GLSL ES 1.00."""
    carried = [one.split()[1] for one in _carried(shading)]
    budget = shading.alu
    if shading.textures:
        body = ["vec4 color = texture2D(image, texture_uv);"]
    else:
        body = ["vec4 color = shade;" if "shade" in carried else "vec4 color = tint;"]
    if shading.is_cut_out:
        body += ["if (color.a < 0.5) discard;"]
        budget -= 1
    if shading.textures and "shade" not in carried and budget > 1:
        body += ["color *= tint;"]
        budget -= 1
    if shading.textures and "shade" in carried:
        body += ["color *= shade;"]
        budget -= 1
    place = "detail_uv" if "detail_uv" in carried else "texture_uv"
    for number, name in enumerate(("detail", "gloss")[: max(shading.textures - 1, 0)]):
        body += [f"color.rgb *= texture2D({name}, {place} * {2.1 + number}).rgb * 2.0;"]
        budget -= 3
    if "seen" in carried and budget >= 5:
        body += ["color.rgb = mix(color.rgb, air.rgb, clamp(seen.z * air.a, 0.0, 0.8));"]
        budget -= 5
    if "facing" in carried and budget >= 5:
        body += ["float lit = max(dot(facing, sun.xyz), 0.0);", "color.rgb *= lit * sun.w + curve.w;"]
        budget -= 5
    if budget > 1:
        # A tone curve in Horner's form, an instruction a coefficient.
        body += ["vec3 tone = curve.xyz;"]
        body += [f"tone = tone * color.rgb + {_coefficient(k)};" for k in range(budget - 1)]
        body += ["color.rgb += tone * 0.01;"]
    elif budget == 1:
        body += ["color.rgb *= curve.w;"]
    inputs = "".join(f"varying {one};\n" for one in _carried(shading))
    return f"""precision highp float;
uniform sampler2D image;
uniform sampler2D detail;
uniform sampler2D gloss;
uniform vec4 tint;
uniform vec4 air;
uniform vec4 sun;
uniform vec4 curve;
{inputs}void main() {{
    {chr(10).join("    " + line for line in body).strip()}
    gl_FragColor = color;
}}
"""


def _coefficient(k: int) -> str:
    """Coefficients of the tone curve, small and of both signs, so that the colour stays what it is."""
    return f"vec3({(0.31, -0.17, 0.23, -0.11)[k % 4]:.2f})"
