"""moderngl 4.3: particles moved and culled in compute, which writes the command that draws them; lights by tile."""

import struct

import moderngl

HEAD = "#version 430\n"
PARTICLES = "layout(std430, binding = 0) buffer P { vec4 p[]; };"
SEEN = (
    "layout(std430, binding = 1) buffer C { uint command[4]; }; layout(std430, binding = 2) buffer S { uint seen[]; };"
)
LIGHTS = "layout(std430, binding = 3) readonly buffer L { vec4 light[]; };"
TILES = "layout(std430, binding = 4) buffer T { uint tile[]; };"

context = moderngl.create_context(require=430, standalone=True)
move = context.compute_shader(
    f"""{HEAD} layout(local_size_x = 64) in; uniform float dt; {PARTICLES}
    void main() {{ uint i = gl_GlobalInvocationID.x; vec4 v = p[i]; v.xy += v.zw * dt;
      if (abs(v.x) > 1.0) v.z = -v.z; if (abs(v.y) > 1.0) v.w = -v.w; p[i] = v; }}"""
)
cull = context.compute_shader(
    f"""{HEAD} layout(local_size_x = 64) in; {PARTICLES} {SEEN}
    void main() {{ uint i = gl_GlobalInvocationID.x; bool inside = dot(p[i].xy, p[i].xy) < 0.7;
      seen[i] = inside ? i : 0u; if (inside) atomicMax(command[0], i + 1u); }}"""
)
assign = context.compute_shader(
    f"""{HEAD} layout(local_size_x = 20) in; {LIGHTS} {TILES} shared uint near[20];
    void main() {{ uint k = gl_LocalInvocationIndex, first = (gl_WorkGroupID.y * 4u + gl_WorkGroupID.x) * 32u;
      vec2 low = vec2(gl_WorkGroupID.xy) * 16.0, d = light[k].xy - clamp(light[k].xy, low, low + 16.0);
      near[k] = uint(dot(d, d) < light[k].z * light[k].z); barrier();
      if (k == 0u) {{ uint n = 0u; for (uint j = 0u; j < 20u; j++) if (near[j] != 0u) tile[first + ++n] = j;
        tile[first] = n; }} }}"""
)
points = context.program(
    vertex_shader=f"""{HEAD} {PARTICLES} {SEEN} out vec3 c;
    void main() {{ vec4 v = p[seen[gl_VertexID]]; gl_Position = vec4(v.xy, 0, 1); c = vec3(v.zw * 16.0 + 0.5, 1); }}""",
    fragment_shader=f"{HEAD} in vec3 c; out vec4 o; void main() {{ o = vec4(c, 1); }}",
)
lit = context.program(
    vertex_shader=f"""{HEAD} void main() {{ vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(at * 2.0 - 1.0, 0.5, 1); }}""",
    fragment_shader=f"""{HEAD} {LIGHTS} {TILES} out vec4 o;
    void main() {{ uvec2 q = uvec2(gl_FragCoord.xy) / 16u; uint first = (q.y * 4u + q.x) * 32u; vec3 sum = vec3(0.05);
      for (uint j = 1u; j <= tile[first]; j++) {{ vec4 a = light[tile[first + j]];
        sum += max(0.0, 1.0 - distance(a.xy, gl_FragCoord.xy) / a.z) * vec3(a.w, 0.5, 1.0 - a.w); }}
      o = vec4(min(sum, 1.0), 1); }}""",
)
start = [((37 * i) % 256 / 128 - 1, (91 * i) % 256 / 128 - 1, i % 17 / 256, i % 13 / 256) for i in range(256)]
lamps = [((29 * i) % 64, (41 * i) % 64, 6 + i % 9, i % 5 / 4) for i in range(20)]
command = context.buffer(struct.pack("4I", 0, 1, 0, 0))
buffers = [
    context.buffer(b"".join(struct.pack("4f", *one) for one in start)), command, context.buffer(reserve=1024),
    context.buffer(b"".join(struct.pack("4f", *one) for one in lamps)), context.buffer(reserve=16 * 128),
]  # fmt: skip
for binding, buffer in enumerate(buffers):
    buffer.bind_to_storage_buffer(binding)
target = context.framebuffer([context.texture((64, 64), 4)])
target.use()
background, foreground = context.vertex_array(lit, []), context.vertex_array(points, [])
for _ in range(3):
    target.clear()
    move["dt"] = 0.5
    move.run(4)
    context.memory_barrier()
    command.write(struct.pack("4I", 0, 1, 0, 0))
    cull.run(4)
    assign.run(4, 4)
    context.memory_barrier()
    background.render(moderngl.TRIANGLE_STRIP, vertices=4)
    foreground.render_indirect(command, moderngl.POINTS, 1)
    context.finish()
print(sum(target.read(components=4)))
