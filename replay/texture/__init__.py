"""Textures of the replay: what they hold, where they lie in memory, and how shaders read them.

Everything here follows one rule: texels are kept in the *canonical storage* of their format
(:mod:`replay.formats`), the engine renders into that storage directly, and samplers gather from it; nothing is
converted for a draw.

For the engine
--------------
::

    allocator = storage.AddressAllocator(MemoryMap.TEXTURES)              # one a trace, addresses by creation
    texture = storage.Texture(target, allocator, limits=storage.Limits())
    texture.define(level, internal_format, width, height, depth, format, type, face=0)      # glTexImage*
    texture.define_immutable(levels, internal_format, width, height, depth)                 # glTexStorage*
    texture.upload(level, box, format, type, data, pixel_store, face=0)                     # glTexSubImage*, data: bytes-like
    texture.upload_compressed(level, box, internal_format, data, face=0)
    texture.write(level, box, source_format, texels, face=0)              # copies, blits: canonical texels of another format
    texture.image(level, face) -> Image                                   # .format, .texels (depth, height, width[, 4]), .address
    texture.generate_mipmaps(base_level, max_level)
    texture.touch()                                                       # after rendering into an image: version += 1

``box`` is ``(x, y, z, width, height, depth)``; a cube has six faces, each an image of depth 1. Views of
``Image.texels`` are valid until the next ``define`` or ``bind`` of the texture (an image may move into the
texture's packed allocation), so fetch them per pass. ``Texture.version`` rises with every change.

Sampling::

    binding = binding.bind(texture, sampler, target_rules)  -> Binding(key, descriptor, complete)

``key`` (:class:`sampler.SamplerKey`, hashable) specialises code; ``descriptor`` (one record of
``sampler.DESCRIPTOR_DTYPE``) holds what changes between draws: pointers, sizes, LOD limits, addresses. An
incomplete texture binds as opaque black, as GLES asks. ``emit.SamplerEmitter`` gives LLVM IR for a key,
``reference.SamplerReference`` is its NumPy twin; both run the same float32 operations in the same order.

Formats (:mod:`replay.formats`)::

    resolve(internal_format, format=0, type=0) -> Format | None
    unpack(target, data, format, type, (width, height, depth), PixelStore()) -> texels
    pack(source, texels, format, type, PixelStore()) -> bytes             # glReadPixels
    quantize(format, rgba) -> texels          expand(format, texels) -> rgba float32 / int32 / uint32
    native(format, texels) -> (..., texel_bytes) uint8                    # as FrameTrace's colours
    convert(target, source, texels) -> texels

Storage classes (``Format.storage``): ``UNORM8`` one uint32 a texel, bytes R, G, B, A from the low end (all
formats of at most 8 bits a channel; values kept quantised to the format); ``SRGB8`` the same with non-linear
RGB; ``FLOAT`` four float32 (float, half, snorm, 16-bit and 10-bit unorm, packed floats; values quantised to
the format); ``INT`` / ``UINT`` four 32-bit integers; ``DEPTH`` one uint32 in the target's own
depth format as :func:`traceformat.frametrace.quantize_depth` has it (stencil apart, uint8, in ``Image.stencil``).
Channels that a format lacks read 0, alpha 1, and are stored so.
"""
