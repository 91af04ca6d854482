"""Textures of the replay: what they hold, where they lie in memory, and how shaders read them.

Texels are kept in the *canonical storage* of their format (:mod:`replay.formats`); the engine renders into that
storage in place, and samplers gather from it; nothing is converted for a draw.

For the engine
--------------
:class:`storage.TextureMemory` has the operations of the tracker's backend on images::

    memory = TextureMemory(max_bytes=...)
    memory.define_image(texture, face, level, image, pixels)     memory.define_storage(texture)
    memory.define_plane(image)                                   # renderbuffers, planes of drawables
    memory.update_image(image, box, pixels)                      memory.generate_mipmap(texture)
    memory.write_texels(image, x, y, z, source_format, texels)   # glCopyTex*, blits: canonical texels of any format
    memory.read_image(image, format, type) -> bytes

``image.backing`` is then a :class:`storage.ImageStorage`: ``.format``, ``.texels`` (depth, height, width[, 4])
C-contiguous, ``.stencil`` (depth, height, width) uint8 or None, ``.address``. Samples of multisample images are the
leading axis. Fetch it anew for each pass: redefinition and binding may replace it.

Sampling (:mod:`replay.texture.binding`)::

    bound = binding.bind(memory, texture, sampling, rules)    # .key, .pointer, .complete, .address, .levels
    textures = emit.SamplerEmitter()                          # glsl.texturing.TextureEmitter
    textures = reference.SamplerReference([bound, ...])       # glsl.texturing.NumpyTextures

``key`` (:class:`binding.SamplerKey`, hashable, stable repr) specialises code; ``pointer`` is the address of one record
of ``binding.DESCRIPTOR_DTYPE`` with what changes between draws (keep the binding alive meanwhile). Bindings are cached
with the texture's storage. An incomplete texture binds as opaque black, as GLES asks. Both executors run the same code
(:mod:`replay.texture.sampling`) over :class:`replay.glsl.vectorops.VectorOps`, so their results are equal bit by bit.

Formats (:mod:`replay.formats`): ``format_of(internal)``, ``unpack``, ``pack``, ``quantize``, ``expand``, ``native``,
``convert``.

Storage classes (``Format.storage``): ``UNORM8`` one uint32 a texel, bytes R, G, B, A from the low end (all formats
of at most eight bits a channel; values kept quantised to the format); ``SRGB8`` the same with non-linear RGB;
``FLOAT`` four float32 (float, half, snorm, 16- and 10-bit unorm, packed floats; values quantised to the format);
``INT`` / ``UINT`` four 32-bit integers; ``DEPTH`` one uint32 in the target's own depth format as
:func:`traceformat.gputrace.frametrace.quantize_depth` has it. Channels that a format lacks read 0, alpha 1, and
are stored so.
"""
