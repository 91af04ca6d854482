"""wgpu: a triangle by wgpu-native's GL, into a texture; prints pixels of it."""

import os

os.environ["WGPU_BACKEND_TYPE"] = "OpenGL"
import wgpu

adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
device = adapter.request_device_sync()
shader = device.create_shader_module(
    code="""
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
  var p = array<vec2<f32>, 3>(vec2(-0.5, -0.5), vec2(0.5, -0.5), vec2(0.0, 0.5));
  return vec4<f32>(p[i], 0.0, 1.0);
}
@fragment fn fs() -> @location(0) vec4<f32> { return vec4<f32>(1.0, 0.5, 0.0, 1.0); }
"""
)
usage = wgpu.TextureUsage.RENDER_ATTACHMENT | wgpu.TextureUsage.COPY_SRC
texture = device.create_texture(size=(64, 64, 1), usage=usage, format="rgba8unorm")
pipeline = device.create_render_pipeline(
    layout="auto",
    vertex={"module": shader, "entry_point": "vs"},
    fragment={"module": shader, "entry_point": "fs", "targets": [{"format": "rgba8unorm"}]},
    primitive={"topology": "triangle-list"},
)
encoder = device.create_command_encoder()
attachment = {
    "view": texture.create_view(), "load_op": "clear", "store_op": "store", "clear_value": (0.0, 0.0, 0.5, 1.0),
}  # fmt: skip
drawing = encoder.begin_render_pass(color_attachments=[attachment])
drawing.set_pipeline(pipeline)
drawing.draw(3)
drawing.end()
device.queue.submit([encoder.finish()])
pixels = bytes(
    device.queue.read_texture({"texture": texture}, {"bytes_per_row": 256, "rows_per_image": 64}, (64, 64, 1))
)
print([pixels[4 * (y * 64 + x) :][:4].hex() for x, y in ((32, 36), (2, 2))])
