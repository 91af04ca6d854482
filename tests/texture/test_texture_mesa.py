"""Sampling, mipmap generation and block codecs against a real driver (Mesa's llvmpipe): pictures agree."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from replay.formats import FORMATS, Codec, raw
from replay.formats.compressed import decode_blocks
from replay.glsl.texturing import Dimension, Lookup, LookupKind
from replay.texture.binding import Rules
from traceformat.gles import enums as gl

pytestmark = pytest.mark.gl

SIZE = 64
T2, T3 = gl.GL_TEXTURE_2D, gl.GL_TEXTURE_3D
ARRAY, CUBE = gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_CUBE_MAP
NEAREST, LINEAR, TRILINEAR = gl.GL_NEAREST, gl.GL_LINEAR, gl.GL_LINEAR_MIPMAP_LINEAR
UBYTE, FLOAT = gl.GL_UNSIGNED_BYTE, gl.GL_FLOAT
TARGETS = {
    T2: ("sampler2D", "uv.xy", Dimension.D2, False, 2),
    T3: ("sampler3D", "uv", Dimension.D3, False, 3),
    ARRAY: ("sampler2DArray", "uv", Dimension.D2, True, 2),
    CUBE: ("samplerCube", "uv", Dimension.CUBE, False, 3),
}
VERTEX = "#version 330\nin vec2 p; void main() { gl_Position = vec4(p, 0, 1); }"


class Driver:
    """Draws one texture look-up a pixel with the system's GL."""

    def __init__(self, moderngl, library):
        self.moderngl, self.lib = moderngl, library
        self.context = moderngl.create_context(standalone=True, backend="egl")
        self.corners = self.context.buffer(np.array([-1, -1, 1, -1, -1, 1, 1, 1], "f4").tobytes())
        self.target = self.context.framebuffer([self.context.texture((SIZE, SIZE), 4, dtype="f4")])
        u, i, f = ctypes.c_uint, ctypes.c_int, ctypes.c_float
        library.glTexImage2D.argtypes = [u, i, i, i, i, i, u, u, ctypes.c_char_p]
        library.glTexImage3D.argtypes = [u, i, i, i, i, i, i, u, u, ctypes.c_char_p]
        library.glCompressedTexImage2D.argtypes = [u, i, u, i, i, i, i, ctypes.c_char_p]
        library.glTexParameterf.argtypes = [u, u, f]

    def texture(self, target, internal, size, format, type, data, levels, parameters):
        name = ctypes.c_uint()
        self.lib.glGenTextures(1, ctypes.byref(name))
        self.lib.glActiveTexture(gl.GL_TEXTURE0)
        self.lib.glBindTexture(target, name.value)
        self.lib.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        width, height, depth = size
        if target == CUBE:
            step = len(data) // 6
            for face in range(6):
                part = data[face * step : (face + 1) * step]
                self.lib.glTexImage2D(
                    gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, internal, width, height, 0, format, type, part
                )
        elif target in (T3, ARRAY):
            self.lib.glTexImage3D(target, 0, internal, width, height, depth, 0, format, type, data)
        else:
            self.lib.glTexImage2D(target, 0, internal, width, height, 0, format, type, data)
        if levels is None:
            self.lib.glGenerateMipmap(target)
        else:
            self.lib.glTexParameteri(target, gl.GL_TEXTURE_MAX_LEVEL, levels - 1)
        for key, value in parameters.items():
            suffix = "_EXT" if key == "max_anisotropy" else ""
            enum = getattr(gl, f"GL_TEXTURE_{key.upper()}{suffix}")
            if isinstance(value, tuple):
                self.lib.glTexParameterfv(target, enum, (ctypes.c_float * 4)(*value))
            elif isinstance(value, float):
                self.lib.glTexParameterf(target, enum, value)
            else:
                self.lib.glTexParameteri(target, enum, value)

    def draw(self, sampler, expression, matrix):
        """(SIZE, SIZE, 4) float32 of the expression at uv = matrix * (x, y, 1)."""
        rows = ", ".join(f"M[{r}][0] * f.x + M[{r}][1] * f.y + M[{r}][2]" for r in range(3))
        program = self.context.program(
            vertex_shader=VERTEX,
            fragment_shader=f"""#version 330
            #extension GL_ARB_gpu_shader5 : enable
            uniform mat3 M; uniform {sampler} T; out vec4 color;
            void main() {{ vec2 f = gl_FragCoord.xy; vec3 uv = vec3({rows}); color = {expression}; }}""",
        )
        program["M"] = tuple(np.asarray(matrix, "f4").reshape(-1))
        self.target.use()
        self.context.vertex_array(program, [(self.corners, "2f", "p")]).render(self.moderngl.TRIANGLE_STRIP)
        return np.frombuffer(self.target.read(components=4, dtype="f4"), "f4").reshape(SIZE, SIZE, 4)


@pytest.fixture(scope="module")
def driver():
    moderngl = pytest.importorskip("moderngl")
    try:
        made = Driver(moderngl, ctypes.CDLL("libGL.so.1"))
    except Exception as error:  # whatever the loader says, there is no GL here
        pytest.skip(f"no GL: {error}")
    if "llvmpipe" not in made.context.info["GL_RENDERER"]:
        pytest.skip("the driver is not Mesa's llvmpipe")
    yield made
    made.context.release()


def quads(plane):
    return np.stack([plane[0::2, 0::2], plane[0::2, 1::2], plane[1::2, 0::2], plane[1::2, 1::2]], -1).reshape(-1)


ORDER = np.argsort(quads(np.arange(SIZE * SIZE).reshape(SIZE, SIZE)))
Y, X = np.mgrid[0:SIZE, 0:SIZE]


def share_off(
    workbench, driver, target, internal, size, format, type, matrix, *, kind=LookupKind.IMPLICIT, expression="",
    levels=None, seamless=True, shadow=False, lod=None, tolerance=2.0, gather=None, offset=(0, 0, 0), **parameters,
):  # fmt: skip
    """Share of pixels that differ by more than ``tolerance``/255."""
    rng = np.random.default_rng(size[0])
    faces = 6 if target == CUBE else 1
    count = size[0] * size[1] * size[2] * faces
    components = {gl.GL_RGBA: 4, gl.GL_RGB: 3, gl.GL_RED: 1, gl.GL_DEPTH_COMPONENT: 1}[format]
    if type == UBYTE:
        data = rng.integers(0, 256, count * components, dtype=np.uint8).tobytes()
    elif type == FLOAT:
        data = rng.random(count * components).astype("f4").tobytes()
    else:
        word = {gl.GL_UNSIGNED_SHORT_5_6_5: "u2", gl.GL_UNSIGNED_SHORT_4_4_4_4: "u2"}.get(type, "u4")
        data = rng.integers(0, 1 << 8 * int(word[1]), count).astype(word).tobytes()
    sampler, coords, dimension, is_array, num_coords = TARGETS[target]
    driver.texture(target, internal, size, format, type, data, levels, parameters)
    (driver.lib.glEnable if seamless else driver.lib.glDisable)(gl.GL_TEXTURE_CUBE_MAP_SEAMLESS)
    if shadow:
        sampler, expression = sampler + "Shadow", expression or "vec4(texture(T, uv))"
    theirs = driver.draw(sampler, expression or f"texture(T, {coords})", matrix)
    texture = workbench.texture(target, internal, *size, pixels=data, format=format, type=type, levels=levels)
    if levels is not None:
        texture.max_level = levels - 1
    binding = workbench.bind(texture, Rules(seamless_cubes=seamless), **parameters)
    assert binding.complete
    fx, fy = (np.float32(quads(plane) + 0.5) for plane in (X, Y))
    m = np.float32(matrix)
    uv = [m[row, 0] * fx + m[row, 1] * fy + m[row, 2] for row in range(3)]
    more = {}
    if is_array:
        more["layer"] = uv[2]
    if shadow:
        more["compare"] = uv[2]
    if lod is not None:
        more["lod"] = np.full(SIZE * SIZE, lod, np.float32)
    lookup = Lookup(0, 0, kind, dimension, is_array, is_shadow=shadow, offset=offset, component=gather or 0)
    rgba, _ = workbench.llvm(binding, lookup, tuple(uv[:num_coords]), record=False, **more)
    ours = np.stack([rgba[0]] * 4 if shadow and gather is None else rgba, -1)[ORDER].reshape(SIZE, SIZE, 4)
    return (np.abs(ours - theirs).max(-1) * 255 > tolerance).mean()


def plane(scale):
    return [
        [scale / SIZE * 0.9, scale / SIZE * 0.31, -0.3],
        [-scale / SIZE * 0.2, scale / SIZE * 0.8, 0.4],
        [0.006, 0.004, 0.1],
    ]


@pytest.mark.parametrize("size", [(64, 64, 1), (60, 37, 1)])
@pytest.mark.parametrize("wrap", [gl.GL_REPEAT, gl.GL_CLAMP_TO_EDGE])
@pytest.mark.parametrize("min_filter", range(gl.GL_NEAREST_MIPMAP_NEAREST, gl.GL_LINEAR_MIPMAP_LINEAR + 1))
def test_octets_agree_exactly(workbench, driver, size, wrap, min_filter):
    for mag_filter in (NEAREST, LINEAR):
        for scale in (0.3, 1.7):
            off = share_off(
                workbench, driver, T2, gl.GL_RGBA8, size, gl.GL_RGBA, UBYTE, plane(scale), tolerance=1.01,
                min_filter=min_filter, mag_filter=mag_filter, wrap_s=wrap, wrap_t=wrap,
            )  # fmt: skip
            assert off == 0


@pytest.mark.parametrize("wrap", [gl.GL_MIRRORED_REPEAT, gl.GL_CLAMP_TO_BORDER, gl.GL_MIRROR_CLAMP_TO_EDGE])
@pytest.mark.parametrize("min_filter", [NEAREST, LINEAR, TRILINEAR])
def test_other_wraps_agree(workbench, driver, wrap, min_filter):
    off = share_off(
        workbench, driver, T2, gl.GL_RGBA8, (64, 48, 1), gl.GL_RGBA, UBYTE, plane(1.3), tolerance=0.1,
        min_filter=min_filter, mag_filter=NEAREST if min_filter == NEAREST else LINEAR,
        wrap_s=wrap, wrap_t=wrap, border_color=(0.2, 0.4, 0.6, 0.8),
    )  # fmt: skip
    assert off == 0


@pytest.mark.parametrize(("internal", "format", "type"), [
    (gl.GL_RGB565, gl.GL_RGB, gl.GL_UNSIGNED_SHORT_5_6_5), (gl.GL_RGBA4, gl.GL_RGBA, gl.GL_UNSIGNED_SHORT_4_4_4_4),
    (gl.GL_RGB8, gl.GL_RGB, UBYTE), (gl.GL_R8, gl.GL_RED, UBYTE), (gl.GL_SRGB8_ALPHA8, gl.GL_RGBA, UBYTE),
    (gl.GL_RGBA16F, gl.GL_RGBA, FLOAT), (gl.GL_RGBA32F, gl.GL_RGBA, FLOAT), (gl.GL_R11F_G11F_B10F, gl.GL_RGB, FLOAT),
    (gl.GL_RGB9_E5, gl.GL_RGB, FLOAT), (gl.GL_RGB10_A2, gl.GL_RGBA, gl.GL_UNSIGNED_INT_2_10_10_10_REV),
    (gl.GL_DEPTH_COMPONENT24, gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT),
    (gl.GL_DEPTH_COMPONENT32F, gl.GL_DEPTH_COMPONENT, FLOAT),
])  # fmt: skip
def test_formats_agree(workbench, driver, internal, format, type):
    for min_filter in (NEAREST, LINEAR):
        off = share_off(
            workbench, driver, T2, internal, (64, 48, 1), format, type, plane(1.3), levels=1, tolerance=1.01,
            min_filter=min_filter, mag_filter=min_filter,
        )  # fmt: skip
        assert off == 0


@pytest.mark.parametrize("min_filter", [NEAREST, LINEAR, TRILINEAR])
@pytest.mark.parametrize("seamless", [True, False])
def test_cubes_agree(workbench, driver, min_filter, seamless):
    matrix = [[0.04, 0.008, -1.1], [-0.006, 0.034, -0.9], [0.018, -0.024, 0.8]]
    # Whatever the wrap modes are: cubes have none in llvmpipe.
    for size, wrap in ((8, gl.GL_REPEAT), (128, gl.GL_CLAMP_TO_EDGE)):
        off = share_off(
            workbench, driver, CUBE, gl.GL_RGBA8, (size, size, 1), gl.GL_RGBA, UBYTE, matrix, seamless=seamless,
            min_filter=min_filter, mag_filter=NEAREST if min_filter == NEAREST else LINEAR,
            wrap_s=wrap, wrap_t=wrap,
        )  # fmt: skip
        assert off < 0.005


@pytest.mark.parametrize("min_filter", [NEAREST, LINEAR, TRILINEAR])
@pytest.mark.parametrize(("target", "size"), [(T3, (32, 16, 8)), (ARRAY, (64, 16, 5))])
def test_volumes_and_arrays_agree(workbench, driver, target, size, min_filter):
    matrix = plane(1.3)
    if target == ARRAY:
        matrix[2] = [0.05, 0.0301, -0.7]
    off = share_off(
        workbench, driver, target, gl.GL_RGBA8, size, gl.GL_RGBA, UBYTE, matrix,
        min_filter=min_filter, mag_filter=NEAREST if min_filter == NEAREST else LINEAR,
    )  # fmt: skip
    assert off < 0.005


@pytest.mark.parametrize("function", range(gl.GL_NEVER, gl.GL_ALWAYS + 1))
def test_shadows_agree(workbench, driver, function):
    for filter in (NEAREST, LINEAR):
        off = share_off(
            workbench, driver, T2, gl.GL_DEPTH_COMPONENT24, (64, 64, 1), gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT,
            plane(0.7), levels=1, shadow=True, min_filter=filter, mag_filter=filter,
            compare_mode=gl.GL_COMPARE_REF_TO_TEXTURE, compare_func=function,
        )  # fmt: skip
        assert off < 0.005


@pytest.mark.parametrize("component", range(4))
@pytest.mark.parametrize("wrap", [gl.GL_REPEAT, gl.GL_CLAMP_TO_EDGE, gl.GL_MIRRORED_REPEAT, gl.GL_MIRROR_CLAMP_TO_EDGE])
def test_gathers_agree(workbench, driver, wrap, component):
    for internal, type, offset in ((gl.GL_RGBA8, UBYTE, (0, 0, 0)), (gl.GL_RGBA32F, FLOAT, (2, -3, 0))):
        expression = f"textureGatherOffset(T, uv.xy, ivec2{offset[:2]}, {component})"
        off = share_off(
            workbench, driver, T2, internal, (60, 37, 1), gl.GL_RGBA, type, plane(1.3), kind=LookupKind.GATHER,
            expression=expression, gather=component, offset=offset, tolerance=0.01, wrap_s=wrap, wrap_t=wrap,
            min_filter=LINEAR, mag_filter=LINEAR,
        )  # fmt: skip
        assert off < 0.001


@pytest.mark.parametrize("target", [ARRAY, CUBE])
def test_gathers_of_other_targets_agree(workbench, driver, target):
    matrix = plane(1.3) if target == ARRAY else [[0.04, 0.008, -1.1], [-0.006, 0.034, -0.9], [0.018, -0.024, 0.8]]
    if target == ARRAY:
        matrix[2] = [0.05, 0.0301, -0.7]
    off = share_off(
        workbench, driver, target, gl.GL_RGBA8, (32, 32, 5 if target == ARRAY else 1), gl.GL_RGBA, UBYTE, matrix,
        kind=LookupKind.GATHER, expression="textureGather(T, uv, 1)", gather=1, tolerance=0.01, min_filter=LINEAR,
        mag_filter=LINEAR, wrap_s=gl.GL_CLAMP_TO_EDGE, wrap_t=gl.GL_CLAMP_TO_EDGE,
    )  # fmt: skip
    assert off < 0.01


def test_gathers_of_shadows_agree(workbench, driver):
    off = share_off(
        workbench, driver, T2, gl.GL_DEPTH_COMPONENT24, (64, 64, 1), gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT,
        plane(0.7), levels=1, shadow=True, kind=LookupKind.GATHER, gather=0, expression="textureGather(T, uv.xy, uv.z)",
        min_filter=LINEAR, mag_filter=LINEAR, compare_mode=gl.GL_COMPARE_REF_TO_TEXTURE, compare_func=gl.GL_LEQUAL,
    )  # fmt: skip
    assert off < 0.001


@pytest.mark.parametrize("scales", [(0.5, 0.7), (8, 1), (1, 6), (3, 3), (2, 20)])
def test_anisotropic_filters_agree(workbench, driver, scales):
    """The driver ignores the limit; ours is sixteen whatever the program asks for."""
    across, down = scales
    matrix = [[across / 256, 0.0007, 0.1], [0.0003, down / 256, 0.2], [0, 0, 0]]
    off = share_off(
        workbench, driver, T2, gl.GL_RGBA8, (256, 256, 1), gl.GL_RGBA, UBYTE, matrix,
        min_filter=TRILINEAR, mag_filter=LINEAR, max_anisotropy=4.0,
    )  # fmt: skip
    assert off < 0.005


@pytest.mark.parametrize("mag_filter", [gl.GL_NEAREST, LINEAR])
@pytest.mark.parametrize(
    "min_filter", [gl.GL_NEAREST, LINEAR, gl.GL_NEAREST_MIPMAP_NEAREST, gl.GL_LINEAR_MIPMAP_NEAREST, TRILINEAR]
)
def test_anisotropy_replaces_every_filter(workbench, driver, min_filter, mag_filter):
    """With and without levels, as the driver has it."""
    matrix = [[3 / 64, 0.0007, 0.1], [0.0003, 2.9 / 64, 0.2], [0, 0, 0]]
    levels = (1,) if min_filter in (gl.GL_NEAREST, LINEAR) else (1, None)
    for number in levels:
        off = share_off(
            workbench, driver, T2, gl.GL_RGBA8, (64, 64, 1), gl.GL_RGBA, UBYTE, matrix, levels=number,
            min_filter=min_filter, mag_filter=mag_filter, max_anisotropy=4.0,
        )  # fmt: skip
        assert off < 0.005


@pytest.mark.parametrize(
    ("target", "size", "limit"), [(T3, (16, 16, 16), 0.005), (ARRAY, (64, 64, 4), 0.005), (CUBE, (64, 64, 1), 0.03)]
)
def test_anisotropic_filters_of_other_targets_agree(workbench, driver, target, size, limit):
    """Cube maps but for quads that cross an edge."""
    matrix = [[8 / 64, 0.0007, 0.1], [0.0003, 1 / 64, 0.2], [0.001, 0.002, 0.3]]
    for min_filter, levels in ((LINEAR, 1), (TRILINEAR, None)):
        off = share_off(
            workbench, driver, target, gl.GL_RGBA8, size, gl.GL_RGBA, UBYTE, matrix, levels=levels,
            min_filter=min_filter, mag_filter=LINEAR, max_anisotropy=4.0,
        )  # fmt: skip
        assert off < limit


def test_anisotropy_with_a_given_level_agrees(workbench, driver):
    matrix = [[8 / 256, 0.0007, 0.1], [0.0003, 1 / 256, 0.2], [0, 0, 0]]
    for lod in (0.0, 1.3):
        off = share_off(
            workbench, driver, T2, gl.GL_RGBA8, (256, 256, 1), gl.GL_RGBA, UBYTE, matrix, kind=LookupKind.LOD,
            expression=f"textureLod(T, uv.xy, {lod})", lod=lod, min_filter=TRILINEAR, mag_filter=LINEAR,
            max_anisotropy=4.0,
        )  # fmt: skip
        assert off < 0.005


@pytest.mark.parametrize("lod", [-1.0, 0.3, 1.5, 9.0])
def test_levels_of_detail_agree(workbench, driver, lod):
    filters = {"min_filter": TRILINEAR, "mag_filter": LINEAR}
    arguments = (workbench, driver, T2, gl.GL_RGBA8, (64, 48, 1), gl.GL_RGBA, UBYTE, plane(1.6))
    given = {"lod": lod, "tolerance": 1.01, **filters}
    assert share_off(*arguments, kind=LookupKind.LOD, expression=f"textureLod(T, uv.xy, {lod})", **given) == 0
    assert share_off(*arguments, kind=LookupKind.BIAS, expression=f"texture(T, uv.xy, {lod})", **given) < 0.005
    assert share_off(*arguments, tolerance=1.01, lod_bias=lod, **filters) < 0.005
    assert share_off(*arguments, tolerance=1.01, min_lod=0.6, max_lod=max(lod, 0.7), **filters) < 0.005


@pytest.mark.parametrize(
    "entry",
    [
        e
        for e in FORMATS.values()
        if e.codec not in (None, Codec.ETC1) and (e.codec is not Codec.ASTC or e.block[0] % 4 == 0)
    ],
    ids=lambda entry: hex(entry.internal),
)
def test_codecs_agree(driver, entry):
    width, height = 16 * entry.block[0], 16 * entry.block[1]
    data = np.random.default_rng(entry.internal).integers(0, 256, 256 * entry.block_bytes, dtype=np.uint8)
    if entry.codec is Codec.ASTC:
        # Mesa takes void-extent blocks whose reserved bits are not set, which the specification makes errors.
        blocks = data.reshape(256, 16)
        void = (blocks[:, 0] == 0xFC) & (blocks[:, 1] & 1 == 1)
        blocks[void, 1] |= 0x0C
    name = ctypes.c_uint()
    driver.lib.glGenTextures(1, ctypes.byref(name))
    driver.lib.glBindTexture(T2, name.value)
    driver.lib.glGetError()
    driver.lib.glCompressedTexImage2D(T2, 0, entry.internal, width, height, 0, len(data.tobytes()), data.tobytes())
    if driver.lib.glGetError():
        pytest.skip("the driver does not know the format")
    theirs = np.zeros((height, width, 4), np.float32)
    driver.lib.glGetTexImage(T2, 0, gl.GL_RGBA, FLOAT, theirs.ctypes.data_as(ctypes.c_void_p))
    ours = raw(entry, decode_blocks(entry, data.tobytes(), (1, height, width)))[0]
    assert np.abs(ours - theirs).max() < 1e-4
