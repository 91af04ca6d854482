"""Demo programs and twins: ordinary Python programs on PyOpenGL, moderngl, glfw and moderngl-window.

Each is runnable on its own (``python -m samples.NAME --frames 60 --size 1200x768``), deterministic (no wall
clock, seeded), and knows nothing of gpureplay.
"""

from __future__ import annotations

from dataclasses import dataclass

from samples.twins.registry import twin_names

__all__ = ["PROGRAMS", "SAMPLES", "TWINS", "Sample"]


@dataclass(frozen=True, slots=True)
class Sample:
    """One program: the libraries it uses, what it shows, its module in this package and what it is given first."""

    name: str
    api: str
    summary: str
    module: str = ""
    arguments: tuple[str, ...] = ()


SAMPLES: dict[str, Sample] = {
    sample.name: sample
    for sample in (
        Sample("cube", "PyOpenGL GLES 2.0, glfw", "A spinning textured cube: the smallest complete program"),
        Sample("sprites", "PyOpenGL GLES 2.0, glfw", "A 2D puzzle board with sprites and buttons, static camera"),
        Sample("warehouse", "PyOpenGL GLES 2.0, glfw", "Labelled crates, barrels and shelves that hide each other"),
        Sample("city", "PyOpenGL GLES 3.0, glfw", "A camera flight through the streets of a city"),
        Sample("forest", "PyOpenGL GLES 2.0, glfw", "A walk through a wood: trunks, crowns, rocks, alpha-tested ferns"),
        Sample("temple", "PyOpenGL GLES 2.0, glfw", "A run along a path of arches, drawn the farthest first"),
        Sample("asteroids", "PyOpenGL GLES 2.0, glfw", "A flight through rocks that were scattered in no order"),
        Sample("shadows", "PyOpenGL GLES 3.0, glfw", "Columns and spheres that cast shadows through a shadow map"),
        Sample("particles", "moderngl, standalone", "Fountains of blended particles rendered to a framebuffer"),
        Sample("materials", "moderngl on a glfw window", "Lit solids with colour, normal and gloss textures"),
        Sample("cockpit", "moderngl on a glfw window", "A flight instrument panel: text and dials over a 3D scene"),
        Sample("screensaver", "PyOpenGL GLES 2.0, glfw", "A telephone's screen saver: rings and spheres before clouds"),
        Sample("menu", "PyOpenGL GLES 2.0, glfw", "A telephone's menu: icons on a circle, sparks, a phone book"),
        Sample("level", "PyOpenGL GLES 2.0, glfw", "A walk through the textured halls of a game's level"),
        Sample("testcard", "PyOpenGL GLES 2.0, glfw", "Edges, thin features and far textures, one to a frame"),
        Sample("terrain", "moderngl-window", "A camera flight over hills, water and trees"),
    )
}

#: Twins of the thesis's games, ``gpureplay twins list`` says more.
TWINS: dict[str, Sample] = {
    name: Sample(
        name, "PyOpenGL GLES 2.0, glfw", f"Twin of the game {alias}, variant {letter}", "twins",
        (alias, "--variant", letter),
    )
    for name, (alias, letter) in twin_names().items()
}  # fmt: skip
#: Everything that ``gpucapture sample`` records.
PROGRAMS: dict[str, Sample] = SAMPLES | TWINS
