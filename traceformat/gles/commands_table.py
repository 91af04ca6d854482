"""Generated from the Khronos registry (Apache-2.0) by traceformat/gles/generate.py; do not edit."""
# ruff: noqa: E501

#: name|result|versions|extensions|alias|parameter;...
#: result = type:group:object class, parameter = name:type:group:object class:length
TABLE = """\
glAccum|void|gl=1.0-|||op:GLenum:AccumOp;value:GLfloat
glAccumxOES|void||GL_OES_fixed_point||op:GLenum;value:GLfixed
glAcquireKeyedMutexWin32EXT|GLboolean||GL_EXT_win32_keyed_mutex||memory:GLuint;key:GLuint64;timeout:GLuint
glActiveProgramEXT|void||GL_EXT_separate_shader_objects||program:GLuint::program
glActiveShaderProgram|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||pipeline:GLuint::program pipeline;program:GLuint::program
glActiveShaderProgramEXT|void||GL_EXT_separate_shader_objects|glActiveShaderProgram|pipeline:GLuint::program pipeline;program:GLuint::program
glActiveStencilFaceEXT|void||GL_EXT_stencil_two_side||face:GLenum:TriangleFace
glActiveTexture|void|gl=1.3,gles2=2.0|||texture:GLenum:TextureUnit
glActiveTextureARB|void||GL_ARB_multitexture|glActiveTexture|texture:GLenum:TextureUnit
glAlphaFunc|void|gl=1.0-|||func:GLenum:AlphaFunction;ref:GLfloat
glAlphaFuncQCOM|void||GL_QCOM_alpha_test||func:GLenum;ref:GLclampf
glAlphaFuncxOES|void||GL_OES_fixed_point||func:GLenum:AlphaFunction;ref:GLfixed
glApplyFramebufferAttachmentCMAAINTEL|void||GL_INTEL_framebuffer_CMAA
glApplyTextureEXT|void||GL_EXT_light_texture||mode:GLenum:LightTextureModeEXT
glAreTexturesResident|GLboolean|gl=1.1-|||n:GLsizei;textures:const GLuint *::texture:n;residences:GLboolean *:::n
glAreTexturesResidentEXT|GLboolean||GL_EXT_texture_object||n:GLsizei;textures:const GLuint *::texture:n;residences:GLboolean *:::n
glArrayElement|void|gl=1.1-|||i:GLint
glArrayElementEXT|void||GL_EXT_vertex_array|glArrayElement|i:GLint
glAttachObjectARB|void||GL_ARB_shader_objects|glAttachShader|containerObj:GLhandleARB;obj:GLhandleARB
glAttachShader|void|gl=2.0,gles2=2.0|||program:GLuint::program;shader:GLuint::shader
glBegin|void|gl=1.0-|||mode:GLenum:PrimitiveType
glBeginConditionalRender|void|gl=3.0|||id:GLuint;mode:GLenum:ConditionalRenderMode
glBeginConditionalRenderNV|void||GL_NV_conditional_render|glBeginConditionalRender|id:GLuint;mode:GLenum:ConditionalRenderMode
glBeginPerfMonitorAMD|void||GL_AMD_performance_monitor||monitor:GLuint
glBeginPerfQueryINTEL|void||GL_INTEL_performance_query||queryHandle:GLuint::perf query handle
glBeginQuery|void|gl=1.5,gles2=3.0|||target:GLenum:QueryTarget;id:GLuint::query
glBeginQueryARB|void||GL_ARB_occlusion_query|glBeginQuery|target:GLenum:QueryTarget;id:GLuint::query
glBeginQueryEXT|void||GL_EXT_disjoint_timer_query,GL_EXT_occlusion_query_boolean|glBeginQuery|target:GLenum:QueryTarget;id:GLuint::query
glBeginQueryIndexed|void|gl=4.0|GL_ARB_transform_feedback3||target:GLenum:QueryTarget;index:GLuint;id:GLuint::query
glBeginTransformFeedback|void|gl=3.0,gles2=3.0|||primitiveMode:GLenum:PrimitiveType
glBeginTransformFeedbackEXT|void||GL_EXT_transform_feedback|glBeginTransformFeedback|primitiveMode:GLenum:PrimitiveType
glBeginVertexShaderEXT|void||GL_EXT_vertex_shader
glBindAttribLocation|void|gl=2.0,gles2=2.0|||program:GLuint::program;index:GLuint;name:const GLchar *
glBindAttribLocationARB|void||GL_ARB_vertex_shader|glBindAttribLocation|programObj:GLhandleARB;index:GLuint;name:const GLcharARB *
glBindBuffer|void|gl=1.5,gles2=2.0|||target:GLenum:BufferTargetARB;buffer:GLuint::buffer
glBindBufferARB|void||GL_ARB_vertex_buffer_object|glBindBuffer|target:GLenum:BufferTargetARB;buffer:GLuint::buffer
glBindBufferBase|void|gl=3.0,gles2=3.0|GL_ARB_uniform_buffer_object||target:GLenum:BufferTargetARB;index:GLuint;buffer:GLuint::buffer
glBindBufferBaseEXT|void||GL_EXT_transform_feedback|glBindBufferBase|target:GLenum:BufferTargetARB;index:GLuint;buffer:GLuint::buffer
glBindBufferOffsetEXT|void||GL_EXT_transform_feedback||target:GLenum:BufferTargetARB;index:GLuint;buffer:GLuint::buffer;offset:GLintptr
glBindBufferRange|void|gl=3.0,gles2=3.0|GL_ARB_uniform_buffer_object||target:GLenum:BufferTargetARB;index:GLuint;buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr
glBindBufferRangeEXT|void||GL_EXT_transform_feedback|glBindBufferRange|target:GLenum:BufferTargetARB;index:GLuint;buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr
glBindBuffersBase|void|gl=4.4|GL_ARB_multi_bind||target:GLenum:BufferTargetARB;first:GLuint;count:GLsizei;buffers:const GLuint *::buffer:count
glBindBuffersRange|void|gl=4.4|GL_ARB_multi_bind||target:GLenum:BufferTargetARB;first:GLuint;count:GLsizei;buffers:const GLuint *::buffer:count;offsets:const GLintptr *:::count;sizes:const GLsizeiptr *:::count
glBindFragDataLocation|void|gl=3.0|||program:GLuint::program;color:GLuint;name:const GLchar *:::COMPSIZE(name)
glBindFragDataLocationEXT|void||GL_EXT_blend_func_extended,GL_EXT_gpu_shader4|glBindFragDataLocation|program:GLuint::program;color:GLuint;name:const GLchar *:::COMPSIZE(name)
glBindFragDataLocationIndexed|void|gl=3.3|GL_ARB_blend_func_extended||program:GLuint::program;colorNumber:GLuint;index:GLuint;name:const GLchar *
glBindFragDataLocationIndexedEXT|void||GL_EXT_blend_func_extended|glBindFragDataLocationIndexed|program:GLuint::program;colorNumber:GLuint;index:GLuint;name:const GLchar *
glBindFramebuffer|void|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||target:GLenum:FramebufferTarget;framebuffer:GLuint::framebuffer
glBindFramebufferEXT|void||GL_EXT_framebuffer_object|glBindFramebuffer|target:GLenum:FramebufferTarget;framebuffer:GLuint::framebuffer
glBindImageTexture|void|gl=4.2,gles2=3.1|GL_ARB_shader_image_load_store||unit:GLuint;texture:GLuint::texture;level:GLint;layered:GLboolean;layer:GLint;access:GLenum:BufferAccessARB;format:GLenum:InternalFormat
glBindImageTextureEXT|void||GL_EXT_shader_image_load_store||index:GLuint;texture:GLuint::texture;level:GLint;layered:GLboolean;layer:GLint;access:GLenum:BufferAccessARB;format:GLint
glBindImageTextures|void|gl=4.4|GL_ARB_multi_bind||first:GLuint;count:GLsizei;textures:const GLuint *::texture:count
glBindLightParameterEXT|GLuint||GL_EXT_vertex_shader||light:GLenum:LightName;value:GLenum:LightParameter
glBindMaterialParameterEXT|GLuint||GL_EXT_vertex_shader||face:GLenum:TriangleFace;value:GLenum:MaterialParameter
glBindMultiTextureEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;texture:GLuint::texture
glBindParameterEXT|GLuint||GL_EXT_vertex_shader||value:GLenum:VertexShaderParameterEXT
glBindProgramARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;program:GLuint::program
glBindProgramPipeline|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||pipeline:GLuint::program pipeline
glBindProgramPipelineEXT|void||GL_EXT_separate_shader_objects|glBindProgramPipeline|pipeline:GLuint::program pipeline
glBindRenderbuffer|void|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||target:GLenum:RenderbufferTarget;renderbuffer:GLuint::renderbuffer
glBindRenderbufferEXT|void||GL_EXT_framebuffer_object|glBindRenderbuffer|target:GLenum:RenderbufferTarget;renderbuffer:GLuint::renderbuffer
glBindSampler|void|gl=3.3,gles2=3.0|GL_ARB_sampler_objects,GL_MESA_sampler_objects||unit:GLuint;sampler:GLuint::sampler
glBindSamplers|void|gl=4.4|GL_ARB_multi_bind||first:GLuint;count:GLsizei;samplers:const GLuint *::sampler:count
glBindShadingRateImageNV|void||GL_NV_shading_rate_image||texture:GLuint::texture
glBindTexGenParameterEXT|GLuint||GL_EXT_vertex_shader||unit:GLenum:TextureUnit;coord:GLenum:TextureCoordName;value:GLenum:TextureGenParameter
glBindTexture|void|gl=1.1,gles2=2.0|||target:GLenum:TextureTarget;texture:GLuint::texture
glBindTextureEXT|void||GL_EXT_texture_object|glBindTexture|target:GLenum:TextureTarget;texture:GLuint::texture
glBindTextureUnit|void|gl=4.5|GL_ARB_direct_state_access||unit:GLuint;texture:GLuint::texture
glBindTextureUnitParameterEXT|GLuint||GL_EXT_vertex_shader||unit:GLenum:TextureUnit;value:GLenum:VertexShaderTextureUnitParameter
glBindTextures|void|gl=4.4|GL_ARB_multi_bind||first:GLuint;count:GLsizei;textures:const GLuint *::texture:count
glBindTransformFeedback|void|gl=4.0,gles2=3.0|GL_ARB_transform_feedback2||target:GLenum:BindTransformFeedbackTarget;id:GLuint::transform feedback
glBindVertexArray|void|gl=3.0,gles2=3.0|GL_ARB_vertex_array_object||array:GLuint::vertex array
glBindVertexArrayOES|void||GL_OES_vertex_array_object|glBindVertexArray|array:GLuint::vertex array
glBindVertexBuffer|void|gl=4.3,gles2=3.1|GL_ARB_vertex_attrib_binding||bindingindex:GLuint;buffer:GLuint::buffer;offset:GLintptr;stride:GLsizei
glBindVertexBuffers|void|gl=4.4|GL_ARB_multi_bind||first:GLuint;count:GLsizei;buffers:const GLuint *::buffer:count;offsets:const GLintptr *:::count;strides:const GLsizei *:::count
glBindVertexShaderEXT|void||GL_EXT_vertex_shader||id:GLuint
glBinormal3bEXT|void||GL_EXT_coordinate_frame||bx:GLbyte;by:GLbyte;bz:GLbyte
glBinormal3bvEXT|void||GL_EXT_coordinate_frame||v:const GLbyte *:::3
glBinormal3dEXT|void||GL_EXT_coordinate_frame||bx:GLdouble;by:GLdouble;bz:GLdouble
glBinormal3dvEXT|void||GL_EXT_coordinate_frame||v:const GLdouble *:::3
glBinormal3fEXT|void||GL_EXT_coordinate_frame||bx:GLfloat;by:GLfloat;bz:GLfloat
glBinormal3fvEXT|void||GL_EXT_coordinate_frame||v:const GLfloat *:::3
glBinormal3iEXT|void||GL_EXT_coordinate_frame||bx:GLint;by:GLint;bz:GLint
glBinormal3ivEXT|void||GL_EXT_coordinate_frame||v:const GLint *:::3
glBinormal3sEXT|void||GL_EXT_coordinate_frame||bx:GLshort;by:GLshort;bz:GLshort
glBinormal3svEXT|void||GL_EXT_coordinate_frame||v:const GLshort *:::3
glBinormalPointerEXT|void||GL_EXT_coordinate_frame||type:GLenum:BinormalPointerTypeEXT;stride:GLsizei;pointer:const void *:::COMPSIZE(type,stride)
glBitmap|void|gl=1.0-|||width:GLsizei;height:GLsizei;xorig:GLfloat;yorig:GLfloat;xmove:GLfloat;ymove:GLfloat;bitmap:const GLubyte *:::COMPSIZE(width,height)
glBitmapxOES|void||GL_OES_fixed_point||width:GLsizei;height:GLsizei;xorig:GLfixed;yorig:GLfixed;xmove:GLfixed;ymove:GLfixed;bitmap:const GLubyte *:::COMPSIZE(width,height)
glBlendBarrier|void|gles2=3.2
glBlendBarrierKHR|void||GL_KHR_blend_equation_advanced|glBlendBarrier
glBlendBarrierNV|void||GL_NV_blend_equation_advanced|glBlendBarrier
glBlendColor|void|gl=1.4,gles2=2.0|GL_ARB_imaging||red:GLfloat;green:GLfloat;blue:GLfloat;alpha:GLfloat
glBlendColorEXT|void||GL_EXT_blend_color|glBlendColor|red:GLfloat;green:GLfloat;blue:GLfloat;alpha:GLfloat
glBlendColorxOES|void||GL_OES_fixed_point||red:GLfixed;green:GLfixed;blue:GLfixed;alpha:GLfixed
glBlendEquation|void|gl=1.4,gles2=2.0|GL_ARB_imaging||mode:GLenum:BlendEquationModeEXT
glBlendEquationEXT|void||GL_EXT_blend_minmax|glBlendEquation|mode:GLenum:BlendEquationModeEXT
glBlendEquationSeparate|void|gl=2.0,gles2=2.0|||modeRGB:GLenum:BlendEquationModeEXT;modeAlpha:GLenum:BlendEquationModeEXT
glBlendEquationSeparateEXT|void||GL_EXT_blend_equation_separate|glBlendEquationSeparate|modeRGB:GLenum:BlendEquationModeEXT;modeAlpha:GLenum:BlendEquationModeEXT
glBlendEquationSeparatei|void|gl=4.0,gles2=3.2|||buf:GLuint;modeRGB:GLenum:BlendEquationModeEXT;modeAlpha:GLenum:BlendEquationModeEXT
glBlendEquationSeparateiARB|void||GL_ARB_draw_buffers_blend|glBlendEquationSeparatei|buf:GLuint;modeRGB:GLenum:BlendEquationModeEXT;modeAlpha:GLenum:BlendEquationModeEXT
glBlendEquationSeparateiEXT|void||GL_EXT_draw_buffers_indexed|glBlendEquationSeparatei|buf:GLuint;modeRGB:GLenum:BlendEquationModeEXT;modeAlpha:GLenum:BlendEquationModeEXT
glBlendEquationSeparateiOES|void||GL_OES_draw_buffers_indexed|glBlendEquationSeparatei|buf:GLuint;modeRGB:GLenum:BlendEquationModeEXT;modeAlpha:GLenum:BlendEquationModeEXT
glBlendEquationi|void|gl=4.0,gles2=3.2|||buf:GLuint;mode:GLenum:BlendEquationModeEXT
glBlendEquationiARB|void||GL_ARB_draw_buffers_blend|glBlendEquationi|buf:GLuint;mode:GLenum:BlendEquationModeEXT
glBlendEquationiEXT|void||GL_EXT_draw_buffers_indexed|glBlendEquationi|buf:GLuint;mode:GLenum:BlendEquationModeEXT
glBlendEquationiOES|void||GL_OES_draw_buffers_indexed|glBlendEquationi|buf:GLuint;mode:GLenum:BlendEquationModeEXT
glBlendFunc|void|gl=1.0,gles2=2.0|||sfactor:GLenum:BlendingFactor;dfactor:GLenum:BlendingFactor
glBlendFuncSeparate|void|gl=1.4,gles2=2.0|||sfactorRGB:GLenum:BlendingFactor;dfactorRGB:GLenum:BlendingFactor;sfactorAlpha:GLenum:BlendingFactor;dfactorAlpha:GLenum:BlendingFactor
glBlendFuncSeparateEXT|void||GL_EXT_blend_func_separate|glBlendFuncSeparate|sfactorRGB:GLenum:BlendingFactor;dfactorRGB:GLenum:BlendingFactor;sfactorAlpha:GLenum:BlendingFactor;dfactorAlpha:GLenum:BlendingFactor
glBlendFuncSeparatei|void|gl=4.0,gles2=3.2|||buf:GLuint;srcRGB:GLenum:BlendingFactor;dstRGB:GLenum:BlendingFactor;srcAlpha:GLenum:BlendingFactor;dstAlpha:GLenum:BlendingFactor
glBlendFuncSeparateiARB|void||GL_ARB_draw_buffers_blend|glBlendFuncSeparatei|buf:GLuint;srcRGB:GLenum:BlendingFactor;dstRGB:GLenum:BlendingFactor;srcAlpha:GLenum:BlendingFactor;dstAlpha:GLenum:BlendingFactor
glBlendFuncSeparateiEXT|void||GL_EXT_draw_buffers_indexed|glBlendFuncSeparatei|buf:GLuint;srcRGB:GLenum:BlendingFactor;dstRGB:GLenum:BlendingFactor;srcAlpha:GLenum:BlendingFactor;dstAlpha:GLenum:BlendingFactor
glBlendFuncSeparateiOES|void||GL_OES_draw_buffers_indexed|glBlendFuncSeparatei|buf:GLuint;srcRGB:GLenum:BlendingFactor;dstRGB:GLenum:BlendingFactor;srcAlpha:GLenum:BlendingFactor;dstAlpha:GLenum:BlendingFactor
glBlendFunci|void|gl=4.0,gles2=3.2|||buf:GLuint;src:GLenum:BlendingFactor;dst:GLenum:BlendingFactor
glBlendFunciARB|void||GL_ARB_draw_buffers_blend|glBlendFunci|buf:GLuint;src:GLenum:BlendingFactor;dst:GLenum:BlendingFactor
glBlendFunciEXT|void||GL_EXT_draw_buffers_indexed|glBlendFunci|buf:GLuint;src:GLenum:BlendingFactor;dst:GLenum:BlendingFactor
glBlendFunciOES|void||GL_OES_draw_buffers_indexed|glBlendFunci|buf:GLuint;src:GLenum:BlendingFactor;dst:GLenum:BlendingFactor
glBlendParameteriNV|void||GL_NV_blend_equation_advanced||pname:GLenum;value:GLint
glBlitFramebuffer|void|gl=3.0,gles2=3.0|GL_ARB_framebuffer_object||srcX0:GLint;srcY0:GLint;srcX1:GLint;srcY1:GLint;dstX0:GLint;dstY0:GLint;dstX1:GLint;dstY1:GLint;mask:GLbitfield:ClearBufferMask;filter:GLenum:BlitFramebufferFilter
glBlitFramebufferANGLE|void||GL_ANGLE_framebuffer_blit|glBlitFramebuffer|srcX0:GLint;srcY0:GLint;srcX1:GLint;srcY1:GLint;dstX0:GLint;dstY0:GLint;dstX1:GLint;dstY1:GLint;mask:GLbitfield:ClearBufferMask;filter:GLenum:BlitFramebufferFilter
glBlitFramebufferEXT|void||GL_EXT_framebuffer_blit|glBlitFramebuffer|srcX0:GLint;srcY0:GLint;srcX1:GLint;srcY1:GLint;dstX0:GLint;dstY0:GLint;dstX1:GLint;dstY1:GLint;mask:GLbitfield:ClearBufferMask;filter:GLenum:BlitFramebufferFilter
glBlitFramebufferLayerEXT|void||GL_EXT_framebuffer_blit_layers||srcX0:GLint;srcY0:GLint;srcX1:GLint;srcY1:GLint;srcLayer:GLint;dstX0:GLint;dstY0:GLint;dstX1:GLint;dstY1:GLint;dstLayer:GLint;mask:GLbitfield:ClearBufferMask;filter:GLenum:BlitFramebufferFilter
glBlitFramebufferLayersEXT|void||GL_EXT_framebuffer_blit_layers||srcX0:GLint;srcY0:GLint;srcX1:GLint;srcY1:GLint;dstX0:GLint;dstY0:GLint;dstX1:GLint;dstY1:GLint;mask:GLbitfield:ClearBufferMask;filter:GLenum:BlitFramebufferFilter
glBlitFramebufferNV|void||GL_NV_framebuffer_blit|glBlitFramebuffer|srcX0:GLint;srcY0:GLint;srcX1:GLint;srcY1:GLint;dstX0:GLint;dstY0:GLint;dstX1:GLint;dstY1:GLint;mask:GLbitfield:ClearBufferMask;filter:GLenum:BlitFramebufferFilter
glBlitNamedFramebuffer|void|gl=4.5|GL_ARB_direct_state_access||readFramebuffer:GLuint::framebuffer;drawFramebuffer:GLuint::framebuffer;srcX0:GLint;srcY0:GLint;srcX1:GLint;srcY1:GLint;dstX0:GLint;dstY0:GLint;dstX1:GLint;dstY1:GLint;mask:GLbitfield:ClearBufferMask;filter:GLenum:BlitFramebufferFilter
glBufferAttachMemoryNV|void||GL_NV_memory_attachment||target:GLenum:BufferTargetARB;memory:GLuint;offset:GLuint64
glBufferData|void|gl=1.5,gles2=2.0|||target:GLenum:BufferTargetARB;size:GLsizeiptr;data:const void *:::size;usage:GLenum:BufferUsageARB
glBufferDataARB|void||GL_ARB_vertex_buffer_object|glBufferData|target:GLenum:BufferTargetARB;size:GLsizeiptrARB;data:const void *:::size;usage:GLenum:BufferUsageARB
glBufferPageCommitmentARB|void||GL_ARB_sparse_buffer||target:GLenum;offset:GLintptr;size:GLsizeiptr;commit:GLboolean
glBufferPageCommitmentMemNV|void||GL_NV_memory_object_sparse||target:GLenum:BufferStorageTarget;offset:GLintptr;size:GLsizeiptr;memory:GLuint;memOffset:GLuint64;commit:GLboolean
glBufferStorage|void|gl=4.4|GL_ARB_buffer_storage||target:GLenum:BufferStorageTarget;size:GLsizeiptr;data:const void *:::size;flags:GLbitfield:BufferStorageMask
glBufferStorageEXT|void||GL_EXT_buffer_storage|glBufferStorage|target:GLenum:BufferStorageTarget;size:GLsizeiptr;data:const void *:::size;flags:GLbitfield:BufferStorageMask
glBufferStorageExternalEXT|void||GL_EXT_external_buffer||target:GLenum;offset:GLintptr;size:GLsizeiptr;clientBuffer:GLeglClientBufferEXT;flags:GLbitfield:BufferStorageMask
glBufferStorageMemEXT|void||GL_EXT_memory_object||target:GLenum:BufferTargetARB;size:GLsizeiptr;memory:GLuint;offset:GLuint64
glBufferSubData|void|gl=1.5,gles2=2.0|||target:GLenum:BufferTargetARB;offset:GLintptr;size:GLsizeiptr;data:const void *:::size
glBufferSubDataARB|void||GL_ARB_vertex_buffer_object|glBufferSubData|target:GLenum:BufferTargetARB;offset:GLintptrARB;size:GLsizeiptrARB;data:const void *:::size
glCallList|void|gl=1.0-|||list:GLuint::display list
glCallLists|void|gl=1.0-|||n:GLsizei;type:GLenum:ListNameType;lists:const void *:::COMPSIZE(n,type)
glCheckFramebufferStatus|GLenum:FramebufferStatus|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||target:GLenum:FramebufferTarget
glCheckFramebufferStatusEXT|GLenum:FramebufferStatus||GL_EXT_framebuffer_object|glCheckFramebufferStatus|target:GLenum:FramebufferTarget
glCheckNamedFramebufferStatus|GLenum:FramebufferStatus|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;target:GLenum:FramebufferTarget
glCheckNamedFramebufferStatusEXT|GLenum:FramebufferStatus||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;target:GLenum:FramebufferTarget
glClampColor|void|gl=3.0|||target:GLenum:ClampColorTargetARB;clamp:GLenum:ClampColorModeARB
glClampColorARB|void||GL_ARB_color_buffer_float|glClampColor|target:GLenum:ClampColorTargetARB;clamp:GLenum:ClampColorModeARB
glClear|void|gl=1.0,gles2=2.0|||mask:GLbitfield:ClearBufferMask
glClearAccum|void|gl=1.0-|||red:GLfloat;green:GLfloat;blue:GLfloat;alpha:GLfloat
glClearAccumxOES|void||GL_OES_fixed_point||red:GLfixed;green:GLfixed;blue:GLfixed;alpha:GLfixed
glClearBufferData|void|gl=4.3|GL_ARB_clear_buffer_object||target:GLenum:BufferStorageTarget;internalformat:GLenum:SizedInternalFormat;format:GLenum:PixelFormat;type:GLenum:PixelType;data:const void *:::COMPSIZE(format,type)
glClearBufferSubData|void|gl=4.3|GL_ARB_clear_buffer_object||target:GLenum:BufferTargetARB;internalformat:GLenum:SizedInternalFormat;offset:GLintptr;size:GLsizeiptr;format:GLenum:PixelFormat;type:GLenum:PixelType;data:const void *:::COMPSIZE(format,type)
glClearBufferfi|void|gl=3.0,gles2=3.0|||buffer:GLenum:Buffer;drawbuffer:GLint;depth:GLfloat;stencil:GLint
glClearBufferfv|void|gl=3.0,gles2=3.0|||buffer:GLenum:Buffer;drawbuffer:GLint;value:const GLfloat *:::COMPSIZE(buffer)
glClearBufferiv|void|gl=3.0,gles2=3.0|||buffer:GLenum:Buffer;drawbuffer:GLint;value:const GLint *:::COMPSIZE(buffer)
glClearBufferuiv|void|gl=3.0,gles2=3.0|||buffer:GLenum:Buffer;drawbuffer:GLint;value:const GLuint *:::COMPSIZE(buffer)
glClearColor|void|gl=1.0,gles2=2.0|||red:GLfloat;green:GLfloat;blue:GLfloat;alpha:GLfloat
glClearColorIiEXT|void||GL_EXT_texture_integer||red:GLint;green:GLint;blue:GLint;alpha:GLint
glClearColorIuiEXT|void||GL_EXT_texture_integer||red:GLuint;green:GLuint;blue:GLuint;alpha:GLuint
glClearColorxOES|void||GL_OES_fixed_point||red:GLfixed;green:GLfixed;blue:GLfixed;alpha:GLfixed
glClearDepth|void|gl=1.0|||depth:GLdouble
glClearDepthf|void|gl=4.1,gles2=2.0|GL_ARB_ES2_compatibility||d:GLfloat
glClearDepthfOES|void||GL_OES_single_precision|glClearDepthf|depth:GLclampf
glClearDepthxOES|void||GL_OES_fixed_point||depth:GLfixed
glClearIndex|void|gl=1.0-|||c:GLfloat
glClearNamedBufferData|void|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer;internalformat:GLenum:SizedInternalFormat;format:GLenum:PixelFormat;type:GLenum:PixelType;data:const void *:::COMPSIZE(format,type)
glClearNamedBufferDataEXT|void||GL_EXT_direct_state_access||buffer:GLuint::buffer;internalformat:GLenum:SizedInternalFormat;format:GLenum:PixelFormat;type:GLenum:PixelType;data:const void *:::COMPSIZE(format,type)
glClearNamedBufferSubData|void|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer;internalformat:GLenum:SizedInternalFormat;offset:GLintptr;size:GLsizeiptr;format:GLenum:PixelFormat;type:GLenum:PixelType;data:const void *:::COMPSIZE(format,type)
glClearNamedBufferSubDataEXT|void||GL_EXT_direct_state_access||buffer:GLuint::buffer;internalformat:GLenum:SizedInternalFormat;offset:GLsizeiptr;size:GLsizeiptr;format:GLenum:PixelFormat;type:GLenum:PixelType;data:const void *:::COMPSIZE(format,type)
glClearNamedFramebufferfi|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;buffer:GLenum:Buffer;drawbuffer:GLint;depth:GLfloat;stencil:GLint
glClearNamedFramebufferfv|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;buffer:GLenum:Buffer;drawbuffer:GLint;value:const GLfloat *:::COMPSIZE(buffer)
glClearNamedFramebufferiv|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;buffer:GLenum:Buffer;drawbuffer:GLint;value:const GLint *:::COMPSIZE(buffer)
glClearNamedFramebufferuiv|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;buffer:GLenum:Buffer;drawbuffer:GLint;value:const GLuint *:::COMPSIZE(buffer)
glClearPixelLocalStorageuiEXT|void||GL_EXT_shader_pixel_local_storage2||offset:GLsizei;n:GLsizei;values:const GLuint *:::n
glClearStencil|void|gl=1.0,gles2=2.0|||s:GLint
glClearTexImage|void|gl=4.4|GL_ARB_clear_texture||texture:GLuint::texture;level:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;data:const void *:::COMPSIZE(format,type)
glClearTexImageEXT|void||GL_EXT_clear_texture|glClearTexImage|texture:GLuint::texture;level:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;data:const void *:::COMPSIZE(format,type)
glClearTexSubImage|void|gl=4.4|GL_ARB_clear_texture||texture:GLuint::texture;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;data:const void *:::COMPSIZE(format,type)
glClearTexSubImageEXT|void||GL_EXT_clear_texture|glClearTexSubImage|texture:GLuint::texture;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;data:const void *:::COMPSIZE(format,type)
glClientActiveTexture|void|gl=1.3-|||texture:GLenum:TextureUnit
glClientActiveTextureARB|void||GL_ARB_multitexture|glClientActiveTexture|texture:GLenum:TextureUnit
glClientAttribDefaultEXT|void||GL_EXT_direct_state_access||mask:GLbitfield:ClientAttribMask
glClientWaitSync|GLenum:SyncStatus|gl=3.2,gles2=3.0|GL_ARB_sync||sync:GLsync::sync;flags:GLbitfield:SyncObjectMask;timeout:GLuint64
glClientWaitSyncAPPLE|GLenum:SyncStatus||GL_APPLE_sync|glClientWaitSync|sync:GLsync::sync;flags:GLbitfield:SyncObjectMask;timeout:GLuint64
glClipControl|void|gl=4.5|GL_ARB_clip_control||origin:GLenum:ClipControlOrigin;depth:GLenum:ClipControlDepth
glClipControlEXT|void||GL_EXT_clip_control|glClipControl|origin:GLenum;depth:GLenum
glClipPlane|void|gl=1.0-|||plane:GLenum:ClipPlaneName;equation:const GLdouble *:::4
glClipPlanefOES|void||GL_OES_single_precision||plane:GLenum:ClipPlaneName;equation:const GLfloat *:::4
glClipPlanexOES|void||GL_OES_fixed_point||plane:GLenum:ClipPlaneName;equation:const GLfixed *:::4
glColor3b|void|gl=1.0-|||red:GLbyte;green:GLbyte;blue:GLbyte
glColor3bv|void|gl=1.0-|||v:const GLbyte *:::3
glColor3d|void|gl=1.0-|||red:GLdouble;green:GLdouble;blue:GLdouble
glColor3dv|void|gl=1.0-|||v:const GLdouble *:::3
glColor3f|void|gl=1.0-|||red:GLfloat;green:GLfloat;blue:GLfloat
glColor3fv|void|gl=1.0-|||v:const GLfloat *:::3
glColor3i|void|gl=1.0-|||red:GLint;green:GLint;blue:GLint
glColor3iv|void|gl=1.0-|||v:const GLint *:::3
glColor3s|void|gl=1.0-|||red:GLshort;green:GLshort;blue:GLshort
glColor3sv|void|gl=1.0-|||v:const GLshort *:::3
glColor3ub|void|gl=1.0-|||red:GLubyte;green:GLubyte;blue:GLubyte
glColor3ubv|void|gl=1.0-|||v:const GLubyte *:::3
glColor3ui|void|gl=1.0-|||red:GLuint;green:GLuint;blue:GLuint
glColor3uiv|void|gl=1.0-|||v:const GLuint *:::3
glColor3us|void|gl=1.0-|||red:GLushort;green:GLushort;blue:GLushort
glColor3usv|void|gl=1.0-|||v:const GLushort *:::3
glColor3xOES|void||GL_OES_fixed_point||red:GLfixed;green:GLfixed;blue:GLfixed
glColor3xvOES|void||GL_OES_fixed_point||components:const GLfixed *:::3
glColor4b|void|gl=1.0-|||red:GLbyte;green:GLbyte;blue:GLbyte;alpha:GLbyte
glColor4bv|void|gl=1.0-|||v:const GLbyte *:::4
glColor4d|void|gl=1.0-|||red:GLdouble;green:GLdouble;blue:GLdouble;alpha:GLdouble
glColor4dv|void|gl=1.0-|||v:const GLdouble *:::4
glColor4f|void|gl=1.0-|||red:GLfloat;green:GLfloat;blue:GLfloat;alpha:GLfloat
glColor4fv|void|gl=1.0-|||v:const GLfloat *:::4
glColor4i|void|gl=1.0-|||red:GLint;green:GLint;blue:GLint;alpha:GLint
glColor4iv|void|gl=1.0-|||v:const GLint *:::4
glColor4s|void|gl=1.0-|||red:GLshort;green:GLshort;blue:GLshort;alpha:GLshort
glColor4sv|void|gl=1.0-|||v:const GLshort *:::4
glColor4ub|void|gl=1.0-|||red:GLubyte;green:GLubyte;blue:GLubyte;alpha:GLubyte
glColor4ubv|void|gl=1.0-|||v:const GLubyte *:::4
glColor4ui|void|gl=1.0-|||red:GLuint;green:GLuint;blue:GLuint;alpha:GLuint
glColor4uiv|void|gl=1.0-|||v:const GLuint *:::4
glColor4us|void|gl=1.0-|||red:GLushort;green:GLushort;blue:GLushort;alpha:GLushort
glColor4usv|void|gl=1.0-|||v:const GLushort *:::4
glColor4xOES|void||GL_OES_fixed_point||red:GLfixed;green:GLfixed;blue:GLfixed;alpha:GLfixed
glColor4xvOES|void||GL_OES_fixed_point||components:const GLfixed *:::4
glColorMask|void|gl=1.0,gles2=2.0|||red:GLboolean;green:GLboolean;blue:GLboolean;alpha:GLboolean
glColorMaskIndexedEXT|void||GL_EXT_draw_buffers2|glColorMaski|index:GLuint;r:GLboolean;g:GLboolean;b:GLboolean;a:GLboolean
glColorMaski|void|gl=3.0,gles2=3.2|||index:GLuint;r:GLboolean;g:GLboolean;b:GLboolean;a:GLboolean
glColorMaskiEXT|void||GL_EXT_draw_buffers_indexed|glColorMaski|index:GLuint;r:GLboolean;g:GLboolean;b:GLboolean;a:GLboolean
glColorMaskiOES|void||GL_OES_draw_buffers_indexed|glColorMaski|index:GLuint;r:GLboolean;g:GLboolean;b:GLboolean;a:GLboolean
glColorMaterial|void|gl=1.0-|||face:GLenum:TriangleFace;mode:GLenum:ColorMaterialParameter
glColorP3ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:ColorPointerType;color:GLuint
glColorP3uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:ColorPointerType;color:const GLuint *:::1
glColorP4ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:ColorPointerType;color:GLuint
glColorP4uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:ColorPointerType;color:const GLuint *:::1
glColorPointer|void|gl=1.1-|||size:GLint;type:GLenum:ColorPointerType;stride:GLsizei;pointer:const void *:::COMPSIZE(size,type,stride)
glColorPointerEXT|void||GL_EXT_vertex_array||size:GLint;type:GLenum:ColorPointerType;stride:GLsizei;count:GLsizei;pointer:const void *:::COMPSIZE(size,type,stride,count)
glColorSubTable|void||GL_ARB_imaging||target:GLenum:ColorTableTarget;start:GLsizei;count:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;data:const void *:::COMPSIZE(format,type,count)
glColorSubTableEXT|void||GL_EXT_color_subtable|glColorSubTable|target:GLenum:ColorTableTarget;start:GLsizei;count:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;data:const void *:::COMPSIZE(format,type,count)
glColorTable|void||GL_ARB_imaging||target:GLenum:ColorTableTarget;internalformat:GLenum:InternalFormat;width:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;table:const void *:::COMPSIZE(format,type,width)
glColorTableEXT|void||GL_EXT_paletted_texture|glColorTable|target:GLenum:ColorTableTarget;internalFormat:GLenum:InternalFormat;width:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;table:const void *:::COMPSIZE(format,type,width)
glColorTableParameterfv|void||GL_ARB_imaging||target:GLenum:ColorTableTarget;pname:GLenum:ColorTableParameterPName;params:const GLfloat *:::COMPSIZE(pname)
glColorTableParameteriv|void||GL_ARB_imaging||target:GLenum:ColorTableTarget;pname:GLenum:ColorTableParameterPName;params:const GLint *:::COMPSIZE(pname)
glCompileShader|void|gl=2.0,gles2=2.0|||shader:GLuint::shader
glCompileShaderARB|void||GL_ARB_shader_objects|glCompileShader|shaderObj:GLhandleARB
glCompileShaderIncludeARB|void||GL_ARB_shading_language_include||shader:GLuint::shader;count:GLsizei;path:const GLchar * const *:::count;length:const GLint *:::count
glCompressedMultiTexImage1DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;border:GLint;imageSize:GLsizei;bits:const void *:::imageSize
glCompressedMultiTexImage2DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;border:GLint;imageSize:GLsizei;bits:const void *:::imageSize
glCompressedMultiTexImage3DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;border:GLint;imageSize:GLsizei;bits:const void *:::imageSize
glCompressedMultiTexSubImage1DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;width:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;bits:const void *:::imageSize
glCompressedMultiTexSubImage2DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;width:GLsizei;height:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;bits:const void *:::imageSize
glCompressedMultiTexSubImage3DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;bits:const void *:::imageSize
glCompressedTexImage1D|void|gl=1.3|||target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;border:GLint;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexImage1DARB|void||GL_ARB_texture_compression|glCompressedTexImage1D|target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;border:GLint;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexImage2D|void|gl=1.3,gles2=2.0|||target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;border:GLint;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexImage2DARB|void||GL_ARB_texture_compression|glCompressedTexImage2D|target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;border:GLint;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexImage3D|void|gl=1.3,gles2=3.0|||target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;border:GLint;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexImage3DARB|void||GL_ARB_texture_compression|glCompressedTexImage3D|target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;border:GLint;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexImage3DOES|void||GL_OES_texture_3D|glCompressedTexImage3D|target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;border:GLint;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexSubImage1D|void|gl=1.3|||target:GLenum:TextureTarget;level:GLint;xoffset:GLint;width:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexSubImage1DARB|void||GL_ARB_texture_compression|glCompressedTexSubImage1D|target:GLenum:TextureTarget;level:GLint;xoffset:GLint;width:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexSubImage2D|void|gl=1.3,gles2=2.0|||target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;width:GLsizei;height:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexSubImage2DARB|void||GL_ARB_texture_compression|glCompressedTexSubImage2D|target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;width:GLsizei;height:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexSubImage3D|void|gl=1.3,gles2=3.0|||target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexSubImage3DARB|void||GL_ARB_texture_compression|glCompressedTexSubImage3D|target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTexSubImage3DOES|void||GL_OES_texture_3D|glCompressedTexSubImage3D|target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTextureImage1DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;border:GLint;imageSize:GLsizei;bits:const void *:::imageSize
glCompressedTextureImage2DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;border:GLint;imageSize:GLsizei;bits:const void *:::imageSize
glCompressedTextureImage3DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;border:GLint;imageSize:GLsizei;bits:const void *:::imageSize
glCompressedTextureSubImage1D|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;xoffset:GLint;width:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTextureSubImage1DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;width:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;bits:const void *:::imageSize
glCompressedTextureSubImage2D|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;xoffset:GLint;yoffset:GLint;width:GLsizei;height:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTextureSubImage2DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;width:GLsizei;height:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;bits:const void *:::imageSize
glCompressedTextureSubImage3D|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;data:const void *:::imageSize
glCompressedTextureSubImage3DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:InternalFormat;imageSize:GLsizei;bits:const void *:::imageSize
glConservativeRasterParameteriNV|void||GL_NV_conservative_raster_pre_snap_triangles||pname:GLenum;param:GLint
glConvolutionFilter1D|void||GL_ARB_imaging||target:GLenum:ConvolutionTarget;internalformat:GLenum:InternalFormat;width:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;image:const void *:::COMPSIZE(format,type,width)
glConvolutionFilter1DEXT|void||GL_EXT_convolution|glConvolutionFilter1D|target:GLenum:ConvolutionTargetEXT;internalformat:GLenum:InternalFormat;width:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;image:const void *:::COMPSIZE(format,type,width)
glConvolutionFilter2D|void||GL_ARB_imaging||target:GLenum:ConvolutionTarget;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;image:const void *:::COMPSIZE(format,type,width,height)
glConvolutionFilter2DEXT|void||GL_EXT_convolution|glConvolutionFilter2D|target:GLenum:ConvolutionTargetEXT;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;image:const void *:::COMPSIZE(format,type,width,height)
glConvolutionParameterf|void||GL_ARB_imaging||target:GLenum:ConvolutionTarget;pname:GLenum:ConvolutionParameter;params:GLfloat
glConvolutionParameterfEXT|void||GL_EXT_convolution|glConvolutionParameterf|target:GLenum:ConvolutionTargetEXT;pname:GLenum:ConvolutionParameter;params:GLfloat
glConvolutionParameterfv|void||GL_ARB_imaging||target:GLenum:ConvolutionTarget;pname:GLenum:ConvolutionParameter;params:const GLfloat *:::COMPSIZE(pname)
glConvolutionParameterfvEXT|void||GL_EXT_convolution|glConvolutionParameterfv|target:GLenum:ConvolutionTargetEXT;pname:GLenum:ConvolutionParameter;params:const GLfloat *:::COMPSIZE(pname)
glConvolutionParameteri|void||GL_ARB_imaging||target:GLenum:ConvolutionTarget;pname:GLenum:ConvolutionParameter;params:GLint
glConvolutionParameteriEXT|void||GL_EXT_convolution|glConvolutionParameteri|target:GLenum:ConvolutionTargetEXT;pname:GLenum:ConvolutionParameter;params:GLint
glConvolutionParameteriv|void||GL_ARB_imaging||target:GLenum:ConvolutionTarget;pname:GLenum:ConvolutionParameter;params:const GLint *:::COMPSIZE(pname)
glConvolutionParameterivEXT|void||GL_EXT_convolution|glConvolutionParameteriv|target:GLenum:ConvolutionTargetEXT;pname:GLenum:ConvolutionParameter;params:const GLint *:::COMPSIZE(pname)
glConvolutionParameterxOES|void||GL_OES_fixed_point||target:GLenum:ConvolutionTargetEXT;pname:GLenum:ConvolutionParameter;param:GLfixed
glConvolutionParameterxvOES|void||GL_OES_fixed_point||target:GLenum:ConvolutionTargetEXT;pname:GLenum:ConvolutionParameter;params:const GLfixed *:::COMPSIZE(pname)
glCopyBufferSubData|void|gl=3.1,gles2=3.0|GL_ARB_copy_buffer||readTarget:GLenum:CopyBufferSubDataTarget;writeTarget:GLenum:CopyBufferSubDataTarget;readOffset:GLintptr;writeOffset:GLintptr;size:GLsizeiptr
glCopyBufferSubDataNV|void||GL_NV_copy_buffer|glCopyBufferSubData|readTarget:GLenum:CopyBufferSubDataTarget;writeTarget:GLenum:CopyBufferSubDataTarget;readOffset:GLintptr;writeOffset:GLintptr;size:GLsizeiptr
glCopyColorSubTable|void||GL_ARB_imaging||target:GLenum:ColorTableTarget;start:GLsizei;x:GLint;y:GLint;width:GLsizei
glCopyColorSubTableEXT|void||GL_EXT_color_subtable|glCopyColorSubTable|target:GLenum:ColorTableTarget;start:GLsizei;x:GLint;y:GLint;width:GLsizei
glCopyColorTable|void||GL_ARB_imaging||target:GLenum:ColorTableTarget;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei
glCopyConvolutionFilter1D|void||GL_ARB_imaging||target:GLenum:ConvolutionTarget;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei
glCopyConvolutionFilter1DEXT|void||GL_EXT_convolution|glCopyConvolutionFilter1D|target:GLenum:ConvolutionTargetEXT;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei
glCopyConvolutionFilter2D|void||GL_ARB_imaging||target:GLenum:ConvolutionTarget;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCopyConvolutionFilter2DEXT|void||GL_EXT_convolution|glCopyConvolutionFilter2D|target:GLenum:ConvolutionTargetEXT;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCopyImageSubData|void|gl=4.3,gles2=3.2|GL_ARB_copy_image||srcName:GLuint;srcTarget:GLenum:CopyImageSubDataTarget;srcLevel:GLint;srcX:GLint;srcY:GLint;srcZ:GLint;dstName:GLuint;dstTarget:GLenum:CopyImageSubDataTarget;dstLevel:GLint;dstX:GLint;dstY:GLint;dstZ:GLint;srcWidth:GLsizei;srcHeight:GLsizei;srcDepth:GLsizei
glCopyImageSubDataEXT|void||GL_EXT_copy_image|glCopyImageSubData|srcName:GLuint;srcTarget:GLenum:CopyBufferSubDataTarget;srcLevel:GLint;srcX:GLint;srcY:GLint;srcZ:GLint;dstName:GLuint;dstTarget:GLenum:CopyBufferSubDataTarget;dstLevel:GLint;dstX:GLint;dstY:GLint;dstZ:GLint;srcWidth:GLsizei;srcHeight:GLsizei;srcDepth:GLsizei
glCopyImageSubDataOES|void||GL_OES_copy_image|glCopyImageSubData|srcName:GLuint;srcTarget:GLenum:CopyBufferSubDataTarget;srcLevel:GLint;srcX:GLint;srcY:GLint;srcZ:GLint;dstName:GLuint;dstTarget:GLenum:CopyBufferSubDataTarget;dstLevel:GLint;dstX:GLint;dstY:GLint;dstZ:GLint;srcWidth:GLsizei;srcHeight:GLsizei;srcDepth:GLsizei
glCopyMultiTexImage1DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei;border:GLint
glCopyMultiTexImage2DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei;height:GLsizei;border:GLint
glCopyMultiTexSubImage1DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;x:GLint;y:GLint;width:GLsizei
glCopyMultiTexSubImage2DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCopyMultiTexSubImage3DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCopyNamedBufferSubData|void|gl=4.5|GL_ARB_direct_state_access||readBuffer:GLuint::buffer;writeBuffer:GLuint::buffer;readOffset:GLintptr;writeOffset:GLintptr;size:GLsizeiptr
glCopyPathNV|void||GL_NV_path_rendering||resultPath:GLuint;srcPath:GLuint
glCopyPixels|void|gl=1.0-|||x:GLint;y:GLint;width:GLsizei;height:GLsizei;type:GLenum:PixelCopyType
glCopyTexImage1D|void|gl=1.1|||target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei;border:GLint
glCopyTexImage1DEXT|void||GL_EXT_copy_texture|glCopyTexImage1D|target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei;border:GLint
glCopyTexImage2D|void|gl=1.1,gles2=2.0|||target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei;height:GLsizei;border:GLint
glCopyTexImage2DEXT|void||GL_EXT_copy_texture|glCopyTexImage2D|target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei;height:GLsizei;border:GLint
glCopyTexSubImage1D|void|gl=1.1|||target:GLenum:TextureTarget;level:GLint;xoffset:GLint;x:GLint;y:GLint;width:GLsizei
glCopyTexSubImage1DEXT|void||GL_EXT_copy_texture|glCopyTexSubImage1D|target:GLenum:TextureTarget;level:GLint;xoffset:GLint;x:GLint;y:GLint;width:GLsizei
glCopyTexSubImage2D|void|gl=1.1,gles2=2.0|||target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCopyTexSubImage2DEXT|void||GL_EXT_copy_texture|glCopyTexSubImage2D|target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCopyTexSubImage3D|void|gl=1.2,gles2=3.0|||target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCopyTexSubImage3DEXT|void||GL_EXT_copy_texture|glCopyTexSubImage3D|target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCopyTexSubImage3DOES|void||GL_OES_texture_3D|glCopyTexSubImage3D|target:GLenum;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCopyTextureImage1DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei;border:GLint
glCopyTextureImage2DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;x:GLint;y:GLint;width:GLsizei;height:GLsizei;border:GLint
glCopyTextureLevelsAPPLE|void||GL_APPLE_copy_texture_levels||destinationTexture:GLuint;sourceTexture:GLuint;sourceBaseLevel:GLint;sourceLevelCount:GLsizei
glCopyTextureSubImage1D|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;xoffset:GLint;x:GLint;y:GLint;width:GLsizei
glCopyTextureSubImage1DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;x:GLint;y:GLint;width:GLsizei
glCopyTextureSubImage2D|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;xoffset:GLint;yoffset:GLint;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCopyTextureSubImage2DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCopyTextureSubImage3D|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCopyTextureSubImage3DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glCoverFillPathInstancedNV|void||GL_NV_path_rendering||numPaths:GLsizei;pathNameType:GLenum:PathElementType;paths:const void *:::COMPSIZE(numPaths,pathNameType,paths);pathBase:GLuint;coverMode:GLenum:InstancedPathCoverMode;transformType:GLenum:PathTransformType;transformValues:const GLfloat *:::COMPSIZE(numPaths,transformType)
glCoverFillPathNV|void||GL_NV_path_rendering||path:GLuint;coverMode:GLenum:PathCoverMode
glCoverStrokePathInstancedNV|void||GL_NV_path_rendering||numPaths:GLsizei;pathNameType:GLenum:PathElementType;paths:const void *:::COMPSIZE(numPaths,pathNameType,paths);pathBase:GLuint;coverMode:GLenum:InstancedPathCoverMode;transformType:GLenum:PathTransformType;transformValues:const GLfloat *:::COMPSIZE(numPaths,transformType)
glCoverStrokePathNV|void||GL_NV_path_rendering||path:GLuint;coverMode:GLenum:PathCoverMode
glCoverageMaskNV|void||GL_NV_coverage_sample||mask:GLboolean
glCoverageModulationNV|void||GL_NV_framebuffer_mixed_samples||components:GLenum
glCoverageModulationTableNV|void||GL_NV_framebuffer_mixed_samples||n:GLsizei;v:const GLfloat *:::n
glCoverageOperationNV|void||GL_NV_coverage_sample||operation:GLenum
glCreateBuffers|void|gl=4.5|GL_ARB_direct_state_access||n:GLsizei;buffers:GLuint *::buffer:n
glCreateFramebuffers|void|gl=4.5|GL_ARB_direct_state_access||n:GLsizei;framebuffers:GLuint *::framebuffer:n
glCreateMemoryObjectsEXT|void||GL_EXT_memory_object||n:GLsizei;memoryObjects:GLuint *
glCreatePerfQueryINTEL|void||GL_INTEL_performance_query||queryId:GLuint::perf query id;queryHandle:GLuint *::perf query handle
glCreateProgram|GLuint::program|gl=2.0,gles2=2.0
glCreateProgramObjectARB|GLhandleARB||GL_ARB_shader_objects|glCreateProgram
glCreateProgramPipelines|void|gl=4.5|GL_ARB_direct_state_access||n:GLsizei;pipelines:GLuint *::program pipeline:n
glCreateQueries|void|gl=4.5|GL_ARB_direct_state_access||target:GLenum:QueryTarget;n:GLsizei;ids:GLuint *::query:n
glCreateRenderbuffers|void|gl=4.5|GL_ARB_direct_state_access||n:GLsizei;renderbuffers:GLuint *::renderbuffer:n
glCreateSamplers|void|gl=4.5|GL_ARB_direct_state_access||n:GLsizei;samplers:GLuint *::sampler:n
glCreateSemaphoresNV|void||GL_NV_timeline_semaphore||n:GLsizei;semaphores:GLuint *:::n
glCreateShader|GLuint::shader|gl=2.0,gles2=2.0|||type:GLenum:ShaderType
glCreateShaderObjectARB|GLhandleARB||GL_ARB_shader_objects|glCreateShader|shaderType:GLenum:ShaderType
glCreateShaderProgramEXT|GLuint::program||GL_EXT_separate_shader_objects||type:GLenum:ShaderType;string:const GLchar *
glCreateShaderProgramv|GLuint::program|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||type:GLenum:ShaderType;count:GLsizei;strings:const GLchar * const *:::count
glCreateShaderProgramvEXT|GLuint::program||GL_EXT_separate_shader_objects|glCreateShaderProgramv|type:GLenum:ShaderType;count:GLsizei;strings:const GLchar * const *:::count
glCreateSyncFromCLeventARB|GLsync::sync||GL_ARB_cl_event||context:struct _cl_context *;event:struct _cl_event *;flags:GLbitfield
glCreateTextures|void|gl=4.5|GL_ARB_direct_state_access||target:GLenum:TextureTarget;n:GLsizei;textures:GLuint *::texture:n
glCreateTransformFeedbacks|void|gl=4.5|GL_ARB_direct_state_access||n:GLsizei;ids:GLuint *::transform feedback:n
glCreateVertexArrays|void|gl=4.5|GL_ARB_direct_state_access||n:GLsizei;arrays:GLuint *::vertex array:n
glCullFace|void|gl=1.0,gles2=2.0|||mode:GLenum:TriangleFace
glCullParameterdvEXT|void||GL_EXT_cull_vertex||pname:GLenum:CullParameterEXT;params:GLdouble *:::4
glCullParameterfvEXT|void||GL_EXT_cull_vertex||pname:GLenum:CullParameterEXT;params:GLfloat *:::4
glCurrentPaletteMatrixARB|void||GL_ARB_matrix_palette||index:GLint
glDebugMessageCallback|void|gl=4.3,gles2=3.2|GL_KHR_debug||callback:GLDEBUGPROC;userParam:const void *
glDebugMessageCallbackARB|void||GL_ARB_debug_output|glDebugMessageCallback|callback:GLDEBUGPROCARB;userParam:const void *:::COMPSIZE(callback)
glDebugMessageCallbackKHR|void||GL_KHR_debug|glDebugMessageCallback|callback:GLDEBUGPROCKHR;userParam:const void *
glDebugMessageControl|void|gl=4.3,gles2=3.2|GL_KHR_debug||source:GLenum:DebugSource;type:GLenum:DebugType;severity:GLenum:DebugSeverity;count:GLsizei;ids:const GLuint *:::count;enabled:GLboolean
glDebugMessageControlARB|void||GL_ARB_debug_output|glDebugMessageControl|source:GLenum:DebugSource;type:GLenum:DebugType;severity:GLenum:DebugSeverity;count:GLsizei;ids:const GLuint *:::count;enabled:GLboolean
glDebugMessageControlKHR|void||GL_KHR_debug|glDebugMessageControl|source:GLenum:DebugSource;type:GLenum:DebugType;severity:GLenum:DebugSeverity;count:GLsizei;ids:const GLuint *;enabled:GLboolean
glDebugMessageInsert|void|gl=4.3,gles2=3.2|GL_KHR_debug||source:GLenum:DebugSource;type:GLenum:DebugType;id:GLuint;severity:GLenum:DebugSeverity;length:GLsizei;buf:const GLchar *:::COMPSIZE(buf,length)
glDebugMessageInsertARB|void||GL_ARB_debug_output|glDebugMessageInsert|source:GLenum:DebugSource;type:GLenum:DebugType;id:GLuint;severity:GLenum:DebugSeverity;length:GLsizei;buf:const GLchar *:::length
glDebugMessageInsertKHR|void||GL_KHR_debug|glDebugMessageInsert|source:GLenum:DebugSource;type:GLenum:DebugType;id:GLuint;severity:GLenum:DebugSeverity;length:GLsizei;buf:const GLchar *
glDeleteBuffers|void|gl=1.5,gles2=2.0|||n:GLsizei;buffers:const GLuint *::buffer:n
glDeleteBuffersARB|void||GL_ARB_vertex_buffer_object|glDeleteBuffers|n:GLsizei;buffers:const GLuint *::buffer:n
glDeleteFencesNV|void||GL_NV_fence||n:GLsizei;fences:const GLuint *:::n
glDeleteFramebuffers|void|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||n:GLsizei;framebuffers:const GLuint *::framebuffer:n
glDeleteFramebuffersEXT|void||GL_EXT_framebuffer_object|glDeleteFramebuffers|n:GLsizei;framebuffers:const GLuint *::framebuffer:n
glDeleteLists|void|gl=1.0-|||list:GLuint::display list;range:GLsizei
glDeleteMemoryObjectsEXT|void||GL_EXT_memory_object||n:GLsizei;memoryObjects:const GLuint *:::n
glDeleteNamedStringARB|void||GL_ARB_shading_language_include||namelen:GLint;name:const GLchar *:::namelen
glDeleteObjectARB|void||GL_ARB_shader_objects||obj:GLhandleARB
glDeletePathsNV|void||GL_NV_path_rendering||path:GLuint;range:GLsizei
glDeletePerfMonitorsAMD|void||GL_AMD_performance_monitor||n:GLsizei;monitors:GLuint *:::n
glDeletePerfQueryINTEL|void||GL_INTEL_performance_query||queryHandle:GLuint::perf query handle
glDeleteProgram|void|gl=2.0,gles2=2.0|||program:GLuint::program
glDeleteProgramPipelines|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||n:GLsizei;pipelines:const GLuint *::program pipeline:n
glDeleteProgramPipelinesEXT|void||GL_EXT_separate_shader_objects|glDeleteProgramPipelines|n:GLsizei;pipelines:const GLuint *::program pipeline:n
glDeleteProgramsARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||n:GLsizei;programs:const GLuint *::program:n
glDeleteQueries|void|gl=1.5,gles2=3.0|||n:GLsizei;ids:const GLuint *::query:n
glDeleteQueriesARB|void||GL_ARB_occlusion_query|glDeleteQueries|n:GLsizei;ids:const GLuint *::query:n
glDeleteQueriesEXT|void||GL_EXT_disjoint_timer_query,GL_EXT_occlusion_query_boolean|glDeleteQueries|n:GLsizei;ids:const GLuint *::query:n
glDeleteRenderbuffers|void|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||n:GLsizei;renderbuffers:const GLuint *::renderbuffer:n
glDeleteRenderbuffersEXT|void||GL_EXT_framebuffer_object|glDeleteRenderbuffers|n:GLsizei;renderbuffers:const GLuint *::renderbuffer:n
glDeleteSamplers|void|gl=3.3,gles2=3.0|GL_ARB_sampler_objects,GL_MESA_sampler_objects||count:GLsizei;samplers:const GLuint *::sampler:count
glDeleteSemaphoresEXT|void||GL_EXT_semaphore||n:GLsizei;semaphores:const GLuint *:::n
glDeleteShader|void|gl=2.0,gles2=2.0|||shader:GLuint::shader
glDeleteSync|void|gl=3.2,gles2=3.0|GL_ARB_sync||sync:GLsync::sync
glDeleteSyncAPPLE|void||GL_APPLE_sync|glDeleteSync|sync:GLsync::sync
glDeleteTextures|void|gl=1.1,gles2=2.0|||n:GLsizei;textures:const GLuint *::texture:n
glDeleteTexturesEXT|void||GL_EXT_texture_object||n:GLsizei;textures:const GLuint *::texture:n
glDeleteTransformFeedbacks|void|gl=4.0,gles2=3.0|GL_ARB_transform_feedback2||n:GLsizei;ids:const GLuint *::transform feedback:n
glDeleteVertexArrays|void|gl=3.0,gles2=3.0|GL_ARB_vertex_array_object||n:GLsizei;arrays:const GLuint *::vertex array:n
glDeleteVertexArraysOES|void||GL_OES_vertex_array_object|glDeleteVertexArrays|n:GLsizei;arrays:const GLuint *::vertex array:n
glDeleteVertexShaderEXT|void||GL_EXT_vertex_shader||id:GLuint
glDepthBoundsEXT|void||GL_EXT_depth_bounds_test||zmin:GLclampd;zmax:GLclampd
glDepthFunc|void|gl=1.0,gles2=2.0|||func:GLenum:DepthFunction
glDepthMask|void|gl=1.0,gles2=2.0|||flag:GLboolean
glDepthRange|void|gl=1.0|||n:GLdouble;f:GLdouble
glDepthRangeArraydvNV|void||GL_ARB_viewport_array||first:GLuint;count:GLsizei;v:const GLdouble *
glDepthRangeArrayfvNV|void||GL_NV_viewport_array||first:GLuint;count:GLsizei;v:const GLfloat *
glDepthRangeArrayfvOES|void||GL_OES_viewport_array||first:GLuint;count:GLsizei;v:const GLfloat *
glDepthRangeArrayv|void|gl=4.1|GL_ARB_viewport_array||first:GLuint;count:GLsizei;v:const GLdouble *:::COMPSIZE(count)
glDepthRangeIndexed|void|gl=4.1|GL_ARB_viewport_array||index:GLuint;n:GLdouble;f:GLdouble
glDepthRangeIndexeddNV|void||GL_ARB_viewport_array||index:GLuint;n:GLdouble;f:GLdouble
glDepthRangeIndexedfNV|void||GL_NV_viewport_array||index:GLuint;n:GLfloat;f:GLfloat
glDepthRangeIndexedfOES|void||GL_OES_viewport_array||index:GLuint;n:GLfloat;f:GLfloat
glDepthRangef|void|gl=4.1,gles2=2.0|GL_ARB_ES2_compatibility||n:GLfloat;f:GLfloat
glDepthRangefOES|void||GL_OES_single_precision|glDepthRangef|n:GLclampf;f:GLclampf
glDepthRangexOES|void||GL_OES_fixed_point||n:GLfixed;f:GLfixed
glDetachObjectARB|void||GL_ARB_shader_objects|glDetachShader|containerObj:GLhandleARB;attachedObj:GLhandleARB
glDetachShader|void|gl=2.0,gles2=2.0|||program:GLuint::program;shader:GLuint::shader
glDisable|void|gl=1.0,gles2=2.0|||cap:GLenum:EnableCap
glDisableClientState|void|gl=1.1-|||array:GLenum:EnableCap
glDisableClientStateIndexedEXT|void||GL_EXT_direct_state_access||array:GLenum:EnableCap;index:GLuint
glDisableClientStateiEXT|void||GL_EXT_direct_state_access||array:GLenum:EnableCap;index:GLuint
glDisableDriverControlQCOM|void||GL_QCOM_driver_control||driverControl:GLuint
glDisableIndexedEXT|void||GL_EXT_direct_state_access,GL_EXT_draw_buffers2|glDisablei|target:GLenum:EnableCap;index:GLuint
glDisableVariantClientStateEXT|void||GL_EXT_vertex_shader||id:GLuint
glDisableVertexArrayAttrib|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;index:GLuint
glDisableVertexArrayAttribEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;index:GLuint
glDisableVertexArrayEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;array:GLenum:EnableCap
glDisableVertexAttribArray|void|gl=2.0,gles2=2.0|||index:GLuint
glDisableVertexAttribArrayARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glDisableVertexAttribArray|index:GLuint
glDisablei|void|gl=3.0,gles2=3.2|||target:GLenum:EnableCap;index:GLuint
glDisableiEXT|void||GL_EXT_draw_buffers_indexed|glDisablei|target:GLenum:EnableCap;index:GLuint
glDisableiNV|void||GL_NV_viewport_array|glDisablei|target:GLenum:EnableCap;index:GLuint
glDisableiOES|void||GL_OES_draw_buffers_indexed,GL_OES_viewport_array|glDisablei|target:GLenum:EnableCap;index:GLuint
glDiscardFramebufferEXT|void||GL_EXT_discard_framebuffer||target:GLenum:FramebufferTarget;numAttachments:GLsizei;attachments:const GLenum *:InvalidateFramebufferAttachment::numAttachments
glDispatchCompute|void|gl=4.3,gles2=3.1|GL_ARB_compute_shader||num_groups_x:GLuint;num_groups_y:GLuint;num_groups_z:GLuint
glDispatchComputeGroupSizeARB|void||GL_ARB_compute_variable_group_size||num_groups_x:GLuint;num_groups_y:GLuint;num_groups_z:GLuint;group_size_x:GLuint;group_size_y:GLuint;group_size_z:GLuint
glDispatchComputeIndirect|void|gl=4.3,gles2=3.1|GL_ARB_compute_shader||indirect:GLintptr
glDrawArrays|void|gl=1.1,gles2=2.0|||mode:GLenum:PrimitiveType;first:GLint;count:GLsizei
glDrawArraysEXT|void||GL_EXT_vertex_array|glDrawArrays|mode:GLenum:PrimitiveType;first:GLint;count:GLsizei
glDrawArraysIndirect|void|gl=4.0,gles2=3.1|GL_ARB_draw_indirect||mode:GLenum:PrimitiveType;indirect:const void *
glDrawArraysInstanced|void|gl=3.1,gles2=3.0|||mode:GLenum:PrimitiveType;first:GLint;count:GLsizei;instancecount:GLsizei
glDrawArraysInstancedANGLE|void||GL_ANGLE_instanced_arrays|glDrawArraysInstanced|mode:GLenum:PrimitiveType;first:GLint;count:GLsizei;primcount:GLsizei
glDrawArraysInstancedARB|void||GL_ARB_draw_instanced|glDrawArraysInstanced|mode:GLenum:PrimitiveType;first:GLint;count:GLsizei;primcount:GLsizei
glDrawArraysInstancedBaseInstance|void|gl=4.2|GL_ARB_base_instance||mode:GLenum:PrimitiveType;first:GLint;count:GLsizei;instancecount:GLsizei;baseinstance:GLuint
glDrawArraysInstancedBaseInstanceEXT|void||GL_EXT_base_instance|glDrawArraysInstancedBaseInstance|mode:GLenum:PrimitiveType;first:GLint;count:GLsizei;instancecount:GLsizei;baseinstance:GLuint
glDrawArraysInstancedEXT|void||GL_EXT_draw_instanced,GL_EXT_instanced_arrays|glDrawArraysInstanced|mode:GLenum:PrimitiveType;start:GLint;count:GLsizei;primcount:GLsizei
glDrawArraysInstancedNV|void||GL_NV_draw_instanced|glDrawArraysInstanced|mode:GLenum:PrimitiveType;first:GLint;count:GLsizei;primcount:GLsizei
glDrawBuffer|void|gl=1.0|||buf:GLenum:DrawBufferMode
glDrawBuffers|void|gl=2.0,gles2=3.0|||n:GLsizei;bufs:const GLenum *:DrawBufferMode::n
glDrawBuffersARB|void||GL_ARB_draw_buffers|glDrawBuffers|n:GLsizei;bufs:const GLenum *:DrawBufferMode::n
glDrawBuffersEXT|void||GL_EXT_draw_buffers|glDrawBuffers|n:GLsizei;bufs:const GLenum *:::n
glDrawBuffersIndexedEXT|void||GL_EXT_multiview_draw_buffers||n:GLint;location:const GLenum *:::n;indices:const GLint *:::n
glDrawBuffersNV|void||GL_NV_draw_buffers|glDrawBuffers|n:GLsizei;bufs:const GLenum *:::n
glDrawElements|void|gl=1.1,gles2=2.0|||mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type)
glDrawElementsBaseVertex|void|gl=3.2,gles2=3.2|GL_ARB_draw_elements_base_vertex||mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);basevertex:GLint
glDrawElementsBaseVertexEXT|void||GL_EXT_draw_elements_base_vertex|glDrawElementsBaseVertex|mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);basevertex:GLint
glDrawElementsBaseVertexOES|void||GL_OES_draw_elements_base_vertex|glDrawElementsBaseVertex|mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);basevertex:GLint
glDrawElementsIndirect|void|gl=4.0,gles2=3.1|GL_ARB_draw_indirect||mode:GLenum:PrimitiveType;type:GLenum:DrawElementsType;indirect:const void *
glDrawElementsInstanced|void|gl=3.1,gles2=3.0|||mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);instancecount:GLsizei
glDrawElementsInstancedANGLE|void||GL_ANGLE_instanced_arrays|glDrawElementsInstanced|mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);primcount:GLsizei
glDrawElementsInstancedARB|void||GL_ARB_draw_instanced|glDrawElementsInstanced|mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);primcount:GLsizei
glDrawElementsInstancedBaseInstance|void|gl=4.2|GL_ARB_base_instance||mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::count;instancecount:GLsizei;baseinstance:GLuint
glDrawElementsInstancedBaseInstanceEXT|void||GL_EXT_base_instance|glDrawElementsInstancedBaseInstance|mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::count;instancecount:GLsizei;baseinstance:GLuint
glDrawElementsInstancedBaseVertex|void|gl=3.2,gles2=3.2|GL_ARB_draw_elements_base_vertex||mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);instancecount:GLsizei;basevertex:GLint
glDrawElementsInstancedBaseVertexBaseInstance|void|gl=4.2|GL_ARB_base_instance||mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::count;instancecount:GLsizei;basevertex:GLint;baseinstance:GLuint
glDrawElementsInstancedBaseVertexBaseInstanceEXT|void||GL_EXT_base_instance|glDrawElementsInstancedBaseVertexBaseInstance|mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::count;instancecount:GLsizei;basevertex:GLint;baseinstance:GLuint
glDrawElementsInstancedBaseVertexEXT|void||GL_EXT_draw_elements_base_vertex|glDrawElementsInstancedBaseVertex|mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);instancecount:GLsizei;basevertex:GLint
glDrawElementsInstancedBaseVertexOES|void||GL_OES_draw_elements_base_vertex|glDrawElementsInstancedBaseVertex|mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);instancecount:GLsizei;basevertex:GLint
glDrawElementsInstancedEXT|void||GL_EXT_draw_instanced,GL_EXT_instanced_arrays|glDrawElementsInstanced|mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);primcount:GLsizei
glDrawElementsInstancedNV|void||GL_NV_draw_instanced|glDrawElementsInstanced|mode:GLenum:PrimitiveType;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);primcount:GLsizei
glDrawMeshTasksIndirectNV|void||GL_NV_mesh_shader||indirect:GLintptr
glDrawMeshTasksNV|void||GL_NV_mesh_shader||first:GLuint;count:GLuint
glDrawPixels|void|gl=1.0-|||width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height)
glDrawRangeElements|void|gl=1.2,gles2=3.0|||mode:GLenum:PrimitiveType;start:GLuint;end:GLuint;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type)
glDrawRangeElementsBaseVertex|void|gl=3.2,gles2=3.2|GL_ARB_draw_elements_base_vertex||mode:GLenum:PrimitiveType;start:GLuint;end:GLuint;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);basevertex:GLint
glDrawRangeElementsBaseVertexEXT|void||GL_EXT_draw_elements_base_vertex|glDrawRangeElementsBaseVertex|mode:GLenum:PrimitiveType;start:GLuint;end:GLuint;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);basevertex:GLint
glDrawRangeElementsBaseVertexOES|void||GL_OES_draw_elements_base_vertex|glDrawRangeElementsBaseVertex|mode:GLenum:PrimitiveType;start:GLuint;end:GLuint;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type);basevertex:GLint
glDrawRangeElementsEXT|void||GL_EXT_draw_range_elements|glDrawRangeElements|mode:GLenum:PrimitiveType;start:GLuint;end:GLuint;count:GLsizei;type:GLenum:DrawElementsType;indices:const void *:::COMPSIZE(count,type)
glDrawTransformFeedback|void|gl=4.0|GL_ARB_transform_feedback2||mode:GLenum:PrimitiveType;id:GLuint::transform feedback
glDrawTransformFeedbackEXT|void||GL_EXT_draw_transform_feedback|glDrawTransformFeedback|mode:GLenum:PrimitiveType;id:GLuint::transform feedback
glDrawTransformFeedbackInstanced|void|gl=4.2|GL_ARB_transform_feedback_instanced||mode:GLenum:PrimitiveType;id:GLuint::transform feedback;instancecount:GLsizei
glDrawTransformFeedbackInstancedEXT|void||GL_EXT_draw_transform_feedback|glDrawTransformFeedbackInstanced|mode:GLenum:PrimitiveType;id:GLuint::transform feedback;instancecount:GLsizei
glDrawTransformFeedbackStream|void|gl=4.0|GL_ARB_transform_feedback3||mode:GLenum:PrimitiveType;id:GLuint::transform feedback;stream:GLuint
glDrawTransformFeedbackStreamInstanced|void|gl=4.2|GL_ARB_transform_feedback_instanced||mode:GLenum:PrimitiveType;id:GLuint::transform feedback;stream:GLuint;instancecount:GLsizei
glDrawVkImageNV|void||GL_NV_draw_vulkan_image||vkImage:GLuint64;sampler:GLuint::sampler;x0:GLfloat;y0:GLfloat;x1:GLfloat;y1:GLfloat;z:GLfloat;s0:GLfloat;t0:GLfloat;s1:GLfloat;t1:GLfloat
glEGLImageTargetRenderbufferStorageOES|void||GL_OES_EGL_image||target:GLenum;image:GLeglImageOES
glEGLImageTargetTexStorageEXT|void||GL_EXT_EGL_image_storage||target:GLenum;image:GLeglImageOES;attrib_list:const GLint *
glEGLImageTargetTexture2DOES|void||GL_OES_EGL_image||target:GLenum;image:GLeglImageOES
glEGLImageTargetTextureStorageEXT|void||GL_EXT_EGL_image_storage||texture:GLuint::texture;image:GLeglImageOES;attrib_list:const GLint *
glEdgeFlag|void|gl=1.0-|||flag:GLboolean
glEdgeFlagPointer|void|gl=1.1-|||stride:GLsizei;pointer:const void *:::COMPSIZE(stride)
glEdgeFlagPointerEXT|void||GL_EXT_vertex_array||stride:GLsizei;count:GLsizei;pointer:const GLboolean *:::COMPSIZE(stride,count)
glEdgeFlagv|void|gl=1.0-|||flag:const GLboolean *:::1
glEnable|void|gl=1.0,gles2=2.0|||cap:GLenum:EnableCap
glEnableClientState|void|gl=1.1-|||array:GLenum:EnableCap
glEnableClientStateIndexedEXT|void||GL_EXT_direct_state_access||array:GLenum:EnableCap;index:GLuint
glEnableClientStateiEXT|void||GL_EXT_direct_state_access||array:GLenum:EnableCap;index:GLuint
glEnableDriverControlQCOM|void||GL_QCOM_driver_control||driverControl:GLuint
glEnableIndexedEXT|void||GL_EXT_direct_state_access,GL_EXT_draw_buffers2|glEnablei|target:GLenum:EnableCap;index:GLuint
glEnableVariantClientStateEXT|void||GL_EXT_vertex_shader||id:GLuint
glEnableVertexArrayAttrib|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;index:GLuint
glEnableVertexArrayAttribEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;index:GLuint
glEnableVertexArrayEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;array:GLenum:EnableCap
glEnableVertexAttribArray|void|gl=2.0,gles2=2.0|||index:GLuint
glEnableVertexAttribArrayARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glEnableVertexAttribArray|index:GLuint
glEnablei|void|gl=3.0,gles2=3.2|||target:GLenum:EnableCap;index:GLuint
glEnableiEXT|void||GL_EXT_draw_buffers_indexed|glEnablei|target:GLenum:EnableCap;index:GLuint
glEnableiNV|void||GL_NV_viewport_array|glEnablei|target:GLenum:EnableCap;index:GLuint
glEnableiOES|void||GL_OES_draw_buffers_indexed,GL_OES_viewport_array|glEnablei|target:GLenum:EnableCap;index:GLuint
glEnd|void|gl=1.0-
glEndConditionalRender|void|gl=3.0
glEndConditionalRenderNV|void||GL_NV_conditional_render|glEndConditionalRender
glEndList|void|gl=1.0-
glEndPerfMonitorAMD|void||GL_AMD_performance_monitor||monitor:GLuint
glEndPerfQueryINTEL|void||GL_INTEL_performance_query||queryHandle:GLuint::perf query handle
glEndQuery|void|gl=1.5,gles2=3.0|||target:GLenum:QueryTarget
glEndQueryARB|void||GL_ARB_occlusion_query|glEndQuery|target:GLenum:QueryTarget
glEndQueryEXT|void||GL_EXT_disjoint_timer_query,GL_EXT_occlusion_query_boolean|glEndQuery|target:GLenum:QueryTarget
glEndQueryIndexed|void|gl=4.0|GL_ARB_transform_feedback3||target:GLenum:QueryTarget;index:GLuint
glEndTilingQCOM|void||GL_QCOM_tiled_rendering||preserveMask:GLbitfield:BufferBitQCOM
glEndTransformFeedback|void|gl=3.0,gles2=3.0
glEndTransformFeedbackEXT|void||GL_EXT_transform_feedback|glEndTransformFeedback
glEndVertexShaderEXT|void||GL_EXT_vertex_shader
glEvalCoord1d|void|gl=1.0-|||u:GLdouble
glEvalCoord1dv|void|gl=1.0-|||u:const GLdouble *:::1
glEvalCoord1f|void|gl=1.0-|||u:GLfloat
glEvalCoord1fv|void|gl=1.0-|||u:const GLfloat *:::1
glEvalCoord1xOES|void||GL_OES_fixed_point||u:GLfixed
glEvalCoord1xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::1
glEvalCoord2d|void|gl=1.0-|||u:GLdouble;v:GLdouble
glEvalCoord2dv|void|gl=1.0-|||u:const GLdouble *:::2
glEvalCoord2f|void|gl=1.0-|||u:GLfloat;v:GLfloat
glEvalCoord2fv|void|gl=1.0-|||u:const GLfloat *:::2
glEvalCoord2xOES|void||GL_OES_fixed_point||u:GLfixed;v:GLfixed
glEvalCoord2xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::2
glEvalMesh1|void|gl=1.0-|||mode:GLenum:MeshMode1;i1:GLint;i2:GLint
glEvalMesh2|void|gl=1.0-|||mode:GLenum:MeshMode2;i1:GLint;i2:GLint;j1:GLint;j2:GLint
glEvalPoint1|void|gl=1.0-|||i:GLint
glEvalPoint2|void|gl=1.0-|||i:GLint;j:GLint
glEvaluateDepthValuesARB|void||GL_ARB_sample_locations
glExtGetBufferPointervQCOM|void||GL_QCOM_extended_get||target:GLenum;params:void **:::1
glExtGetBuffersQCOM|void||GL_QCOM_extended_get||buffers:GLuint *::buffer:maxBuffers;maxBuffers:GLint;numBuffers:GLint *:::1
glExtGetFramebuffersQCOM|void||GL_QCOM_extended_get||framebuffers:GLuint *::framebuffer:maxFramebuffers;maxFramebuffers:GLint;numFramebuffers:GLint *:::1
glExtGetProgramBinarySourceQCOM|void||GL_QCOM_extended_get2||program:GLuint::program;shadertype:GLenum:ShaderType;source:GLchar *:::length;length:GLint *
glExtGetProgramsQCOM|void||GL_QCOM_extended_get2||programs:GLuint *::program:maxPrograms;maxPrograms:GLint;numPrograms:GLint *:::1
glExtGetRenderbuffersQCOM|void||GL_QCOM_extended_get||renderbuffers:GLuint *::renderbuffer:maxRenderbuffers;maxRenderbuffers:GLint;numRenderbuffers:GLint *:::1
glExtGetShadersQCOM|void||GL_QCOM_extended_get2||shaders:GLuint *::shader:maxShaders;maxShaders:GLint;numShaders:GLint *:::1
glExtGetTexLevelParameterivQCOM|void||GL_QCOM_extended_get||texture:GLuint::texture;face:GLenum;level:GLint;pname:GLenum;params:GLint *
glExtGetTexSubImageQCOM|void||GL_QCOM_extended_get||target:GLenum;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;texels:void *
glExtGetTexturesQCOM|void||GL_QCOM_extended_get||textures:GLuint *::texture;maxTextures:GLint;numTextures:GLint *
glExtIsProgramBinaryQCOM|GLboolean||GL_QCOM_extended_get2||program:GLuint::program
glExtTexObjectStateOverrideiQCOM|void||GL_QCOM_extended_get||target:GLenum;pname:GLenum;param:GLint
glExtractComponentEXT|void||GL_EXT_vertex_shader||res:GLuint;src:GLuint;num:GLuint
glExtrapolateTex2DQCOM|void||GL_QCOM_frame_extrapolation||src1:GLuint::texture;src2:GLuint::texture;output:GLuint::texture;scaleFactor:GLfloat
glFeedbackBuffer|void|gl=1.0-|||size:GLsizei;type:GLenum:FeedbackType;buffer:GLfloat *:::size
glFeedbackBufferxOES|void||GL_OES_fixed_point||n:GLsizei;type:GLenum;buffer:const GLfixed *:::n
glFenceSync|GLsync::sync|gl=3.2,gles2=3.0|GL_ARB_sync||condition:GLenum:SyncCondition;flags:GLbitfield:SyncBehaviorFlags
glFenceSyncAPPLE|GLsync::sync||GL_APPLE_sync|glFenceSync|condition:GLenum:SyncCondition;flags:GLbitfield:SyncBehaviorFlags
glFinish|void|gl=1.0,gles2=2.0
glFinishFenceNV|void||GL_NV_fence||fence:GLuint
glFlush|void|gl=1.0,gles2=2.0
glFlushMappedBufferRange|void|gl=3.0,gles2=3.0|GL_ARB_map_buffer_range||target:GLenum:BufferTargetARB;offset:GLintptr;length:GLsizeiptr
glFlushMappedBufferRangeEXT|void||GL_EXT_map_buffer_range|glFlushMappedBufferRange|target:GLenum:BufferTargetARB;offset:GLintptr;length:GLsizeiptr
glFlushMappedNamedBufferRange|void|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer;offset:GLintptr;length:GLsizeiptr
glFlushMappedNamedBufferRangeEXT|void||GL_EXT_direct_state_access||buffer:GLuint::buffer;offset:GLintptr;length:GLsizeiptr
glFogCoordPointer|void|gl=1.4-|||type:GLenum:FogPointerTypeEXT;stride:GLsizei;pointer:const void *:::COMPSIZE(type,stride)
glFogCoordPointerEXT|void||GL_EXT_fog_coord|glFogCoordPointer|type:GLenum:FogPointerTypeEXT;stride:GLsizei;pointer:const void *:::COMPSIZE(type,stride)
glFogCoordd|void|gl=1.4-|||coord:GLdouble
glFogCoorddEXT|void||GL_EXT_fog_coord|glFogCoordd|coord:GLdouble
glFogCoorddv|void|gl=1.4-|||coord:const GLdouble *:::1
glFogCoorddvEXT|void||GL_EXT_fog_coord|glFogCoorddv|coord:const GLdouble *:::1
glFogCoordf|void|gl=1.4-|||coord:GLfloat
glFogCoordfEXT|void||GL_EXT_fog_coord|glFogCoordf|coord:GLfloat
glFogCoordfv|void|gl=1.4-|||coord:const GLfloat *:::1
glFogCoordfvEXT|void||GL_EXT_fog_coord|glFogCoordfv|coord:const GLfloat *:::1
glFogf|void|gl=1.0-|||pname:GLenum:FogParameter;param:GLfloat
glFogfv|void|gl=1.0-|||pname:GLenum:FogParameter;params:const GLfloat *:::COMPSIZE(pname)
glFogi|void|gl=1.0-|||pname:GLenum:FogParameter;param:GLint
glFogiv|void|gl=1.0-|||pname:GLenum:FogParameter;params:const GLint *:::COMPSIZE(pname)
glFogxOES|void||GL_OES_fixed_point||pname:GLenum:FogPName;param:GLfixed
glFogxvOES|void||GL_OES_fixed_point||pname:GLenum:FogPName;param:const GLfixed *:::COMPSIZE(pname)
glFragmentCoverageColorNV|void||GL_NV_fragment_coverage_to_color||color:GLuint
glFrameTerminatorGREMEDY|void||GL_GREMEDY_frame_terminator
glFramebufferDrawBufferEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;mode:GLenum:DrawBufferMode
glFramebufferDrawBuffersEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;n:GLsizei;bufs:const GLenum *:DrawBufferMode::n
glFramebufferFetchBarrierEXT|void||GL_EXT_shader_framebuffer_fetch_non_coherent
glFramebufferFetchBarrierQCOM|void||GL_QCOM_shader_framebuffer_fetch_noncoherent
glFramebufferFoveationConfigQCOM|void||GL_QCOM_framebuffer_foveated||framebuffer:GLuint::framebuffer;numLayers:GLuint;focalPointsPerLayer:GLuint;requestedFeatures:GLuint;providedFeatures:GLuint *:::1
glFramebufferFoveationParametersQCOM|void||GL_QCOM_framebuffer_foveated||framebuffer:GLuint::framebuffer;layer:GLuint;focalPoint:GLuint;focalX:GLfloat;focalY:GLfloat;gainX:GLfloat;gainY:GLfloat;foveaArea:GLfloat
glFramebufferParameteri|void|gl=4.3,gles2=3.1|GL_ARB_framebuffer_no_attachments||target:GLenum:FramebufferTarget;pname:GLenum:FramebufferParameterName;param:GLint
glFramebufferParameteriMESA|void||GL_MESA_framebuffer_flip_y||target:GLenum:FramebufferTarget;pname:GLenum:FramebufferParameterName;param:GLint
glFramebufferPixelLocalStorageSizeEXT|void||GL_EXT_shader_pixel_local_storage2||target:GLuint;size:GLsizei
glFramebufferReadBufferEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;mode:GLenum:ReadBufferMode
glFramebufferRenderbuffer|void|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;renderbuffertarget:GLenum:RenderbufferTarget;renderbuffer:GLuint::renderbuffer
glFramebufferRenderbufferEXT|void||GL_EXT_framebuffer_object|glFramebufferRenderbuffer|target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;renderbuffertarget:GLenum:RenderbufferTarget;renderbuffer:GLuint::renderbuffer
glFramebufferSampleLocationsfvARB|void||GL_ARB_sample_locations||target:GLenum:FramebufferTarget;start:GLuint;count:GLsizei;v:const GLfloat *
glFramebufferSampleLocationsfvNV|void||GL_NV_sample_locations||target:GLenum:FramebufferTarget;start:GLuint;count:GLsizei;v:const GLfloat *
glFramebufferShadingRateEXT|void||GL_EXT_fragment_shading_rate||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;baseLayer:GLint;numLayers:GLsizei;texelWidth:GLsizei;texelHeight:GLsizei
glFramebufferTexture|void|gl=3.2,gles2=3.2|||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint
glFramebufferTexture1D|void|gl=3.0|GL_ARB_framebuffer_object||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint
glFramebufferTexture1DEXT|void||GL_EXT_framebuffer_object|glFramebufferTexture1D|target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint
glFramebufferTexture2D|void|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint
glFramebufferTexture2DDownsampleIMG|void||GL_IMG_framebuffer_downsample||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint;xscale:GLint;yscale:GLint
glFramebufferTexture2DEXT|void||GL_EXT_framebuffer_object|glFramebufferTexture2D|target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint
glFramebufferTexture2DMultisampleEXT|void||GL_EXT_multisampled_render_to_texture||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint;samples:GLsizei
glFramebufferTexture2DMultisampleIMG|void||GL_IMG_multisampled_render_to_texture||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint;samples:GLsizei
glFramebufferTexture3D|void|gl=3.0|GL_ARB_framebuffer_object||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint;zoffset:GLint
glFramebufferTexture3DEXT|void||GL_EXT_framebuffer_object|glFramebufferTexture3D|target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint;zoffset:GLint
glFramebufferTexture3DOES|void||GL_OES_texture_3D||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint;zoffset:GLint
glFramebufferTextureARB|void||GL_ARB_geometry_shader4|glFramebufferTexture|target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint
glFramebufferTextureEXT|void||GL_EXT_geometry_shader|glFramebufferTexture|target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint
glFramebufferTextureFaceARB|void||GL_ARB_geometry_shader4||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint;face:GLenum:TextureTarget
glFramebufferTextureLayer|void|gl=3.0,gles2=3.0|GL_ARB_framebuffer_object||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint;layer:GLint
glFramebufferTextureLayerARB|void||GL_ARB_geometry_shader4|glFramebufferTextureLayer|target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint;layer:GLint
glFramebufferTextureLayerDownsampleIMG|void||GL_IMG_framebuffer_downsample||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint;layer:GLint;xscale:GLint;yscale:GLint
glFramebufferTextureLayerEXT|void||GL_EXT_texture_array|glFramebufferTextureLayer|target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint;layer:GLint
glFramebufferTextureMultisampleMultiviewOVR|void||GL_OVR_multiview_multisampled_render_to_texture||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint;samples:GLsizei;baseViewIndex:GLint;numViews:GLsizei
glFramebufferTextureMultiviewOVR|void||GL_OVR_multiview||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint;baseViewIndex:GLint;numViews:GLsizei
glFramebufferTextureOES|void||GL_OES_geometry_shader|glFramebufferTexture|target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint
glFrontFace|void|gl=1.0,gles2=2.0|||mode:GLenum:FrontFaceDirection
glFrustum|void|gl=1.0-|||left:GLdouble;right:GLdouble;bottom:GLdouble;top:GLdouble;zNear:GLdouble;zFar:GLdouble
glFrustumfOES|void||GL_OES_single_precision||l:GLfloat;r:GLfloat;b:GLfloat;t:GLfloat;n:GLfloat;f:GLfloat
glFrustumxOES|void||GL_OES_fixed_point||l:GLfixed;r:GLfixed;b:GLfixed;t:GLfixed;n:GLfixed;f:GLfixed
glGenBuffers|void|gl=1.5,gles2=2.0|||n:GLsizei;buffers:GLuint *::buffer:n
glGenBuffersARB|void||GL_ARB_vertex_buffer_object|glGenBuffers|n:GLsizei;buffers:GLuint *::buffer:n
glGenFencesNV|void||GL_NV_fence||n:GLsizei;fences:GLuint *:::n
glGenFramebuffers|void|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||n:GLsizei;framebuffers:GLuint *::framebuffer:n
glGenFramebuffersEXT|void||GL_EXT_framebuffer_object|glGenFramebuffers|n:GLsizei;framebuffers:GLuint *::framebuffer:n
glGenLists|GLuint::display list|gl=1.0-|||range:GLsizei
glGenPathsNV|GLuint||GL_NV_path_rendering||range:GLsizei
glGenPerfMonitorsAMD|void||GL_AMD_performance_monitor||n:GLsizei;monitors:GLuint *:::n
glGenProgramPipelines|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||n:GLsizei;pipelines:GLuint *::program pipeline:n
glGenProgramPipelinesEXT|void||GL_EXT_separate_shader_objects|glGenProgramPipelines|n:GLsizei;pipelines:GLuint *::program pipeline:n
glGenProgramsARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||n:GLsizei;programs:GLuint *::program:n
glGenQueries|void|gl=1.5,gles2=3.0|||n:GLsizei;ids:GLuint *::query:n
glGenQueriesARB|void||GL_ARB_occlusion_query|glGenQueries|n:GLsizei;ids:GLuint *::query:n
glGenQueriesEXT|void||GL_EXT_disjoint_timer_query,GL_EXT_occlusion_query_boolean|glGenQueries|n:GLsizei;ids:GLuint *::query:n
glGenRenderbuffers|void|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||n:GLsizei;renderbuffers:GLuint *::renderbuffer:n
glGenRenderbuffersEXT|void||GL_EXT_framebuffer_object|glGenRenderbuffers|n:GLsizei;renderbuffers:GLuint *::renderbuffer:n
glGenSamplers|void|gl=3.3,gles2=3.0|GL_ARB_sampler_objects,GL_MESA_sampler_objects||count:GLsizei;samplers:GLuint *::sampler:count
glGenSemaphoresEXT|void||GL_EXT_semaphore||n:GLsizei;semaphores:GLuint *:::n
glGenSymbolsEXT|GLuint||GL_EXT_vertex_shader||datatype:GLenum:DataTypeEXT;storagetype:GLenum:VertexShaderStorageTypeEXT;range:GLenum:ParameterRangeEXT;components:GLuint
glGenTextures|void|gl=1.1,gles2=2.0|||n:GLsizei;textures:GLuint *::texture:n
glGenTexturesEXT|void||GL_EXT_texture_object||n:GLsizei;textures:GLuint *::texture:n
glGenTransformFeedbacks|void|gl=4.0,gles2=3.0|GL_ARB_transform_feedback2||n:GLsizei;ids:GLuint *::transform feedback:n
glGenVertexArrays|void|gl=3.0,gles2=3.0|GL_ARB_vertex_array_object||n:GLsizei;arrays:GLuint *::vertex array:n
glGenVertexArraysOES|void||GL_OES_vertex_array_object|glGenVertexArrays|n:GLsizei;arrays:GLuint *::vertex array:n
glGenVertexShadersEXT|GLuint||GL_EXT_vertex_shader||range:GLuint
glGenerateMipmap|void|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||target:GLenum:TextureTarget
glGenerateMipmapEXT|void||GL_EXT_framebuffer_object|glGenerateMipmap|target:GLenum:TextureTarget
glGenerateMultiTexMipmapEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget
glGenerateTextureMipmap|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture
glGenerateTextureMipmapEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget
glGetActiveAtomicCounterBufferiv|void|gl=4.2|GL_ARB_shader_atomic_counters||program:GLuint::program;bufferIndex:GLuint;pname:GLenum:AtomicCounterBufferPName;params:GLint *:::COMPSIZE(pname)
glGetActiveAttrib|void|gl=2.0,gles2=2.0|||program:GLuint::program;index:GLuint;bufSize:GLsizei;length:GLsizei *:::1;size:GLint *:::1;type:GLenum *:AttributeType::1;name:GLchar *:::bufSize
glGetActiveAttribARB|void||GL_ARB_vertex_shader|glGetActiveAttrib|programObj:GLhandleARB;index:GLuint;maxLength:GLsizei;length:GLsizei *:::1;size:GLint *:::1;type:GLenum *:AttributeType::1;name:GLcharARB *:::maxLength
glGetActiveSubroutineName|void|gl=4.0|GL_ARB_shader_subroutine||program:GLuint::program;shadertype:GLenum:ShaderType;index:GLuint;bufSize:GLsizei;length:GLsizei *:::1;name:GLchar *:::bufSize
glGetActiveSubroutineUniformName|void|gl=4.0|GL_ARB_shader_subroutine||program:GLuint::program;shadertype:GLenum:ShaderType;index:GLuint;bufSize:GLsizei;length:GLsizei *:::1;name:GLchar *:::bufSize
glGetActiveSubroutineUniformiv|void|gl=4.0|GL_ARB_shader_subroutine||program:GLuint::program;shadertype:GLenum:ShaderType;index:GLuint;pname:GLenum:SubroutineParameterName;values:GLint *:::COMPSIZE(pname)
glGetActiveUniform|void|gl=2.0,gles2=2.0|||program:GLuint::program;index:GLuint;bufSize:GLsizei;length:GLsizei *:::1;size:GLint *:::1;type:GLenum *:UniformType::1;name:GLchar *:::bufSize
glGetActiveUniformARB|void||GL_ARB_shader_objects|glGetActiveUniform|programObj:GLhandleARB;index:GLuint;maxLength:GLsizei;length:GLsizei *:::1;size:GLint *:::1;type:GLenum *:UniformType::1;name:GLcharARB *:::maxLength
glGetActiveUniformBlockName|void|gl=3.1,gles2=3.0|GL_ARB_uniform_buffer_object||program:GLuint::program;uniformBlockIndex:GLuint;bufSize:GLsizei;length:GLsizei *:::1;uniformBlockName:GLchar *:::bufSize
glGetActiveUniformBlockiv|void|gl=3.1,gles2=3.0|GL_ARB_uniform_buffer_object||program:GLuint::program;uniformBlockIndex:GLuint;pname:GLenum:UniformBlockPName;params:GLint *:::COMPSIZE(program,uniformBlockIndex,pname)
glGetActiveUniformName|void|gl=3.1|GL_ARB_uniform_buffer_object||program:GLuint::program;uniformIndex:GLuint;bufSize:GLsizei;length:GLsizei *:::1;uniformName:GLchar *:::bufSize
glGetActiveUniformsiv|void|gl=3.1,gles2=3.0|GL_ARB_uniform_buffer_object||program:GLuint::program;uniformCount:GLsizei;uniformIndices:const GLuint *:::uniformCount;pname:GLenum:UniformPName;params:GLint *:::COMPSIZE(uniformCount,pname)
glGetAttachedObjectsARB|void||GL_ARB_shader_objects||containerObj:GLhandleARB;maxCount:GLsizei;count:GLsizei *:::1;obj:GLhandleARB *:::maxCount
glGetAttachedShaders|void|gl=2.0,gles2=2.0|||program:GLuint::program;maxCount:GLsizei;count:GLsizei *:::1;shaders:GLuint *::shader:maxCount
glGetAttribLocation|GLint|gl=2.0,gles2=2.0|||program:GLuint::program;name:const GLchar *
glGetAttribLocationARB|GLint||GL_ARB_vertex_shader|glGetAttribLocation|programObj:GLhandleARB;name:const GLcharARB *
glGetBooleanIndexedvEXT|void||GL_EXT_direct_state_access,GL_EXT_draw_buffers2|glGetBooleani_v|target:GLenum:BufferTargetARB;index:GLuint;data:GLboolean *:::COMPSIZE(target)
glGetBooleani_v|void|gl=3.0,gles2=3.1|||target:GLenum:BufferTargetARB;index:GLuint;data:GLboolean *:::COMPSIZE(target)
glGetBooleanv|void|gl=1.0,gles2=2.0|||pname:GLenum:GetPName;data:GLboolean *:::COMPSIZE(pname)
glGetBufferParameteri64v|void|gl=3.2,gles2=3.0|||target:GLenum:BufferTargetARB;pname:GLenum:BufferPNameARB;params:GLint64 *:::COMPSIZE(pname)
glGetBufferParameteriv|void|gl=1.5,gles2=2.0|||target:GLenum:BufferTargetARB;pname:GLenum:BufferPNameARB;params:GLint *:::COMPSIZE(pname)
glGetBufferParameterivARB|void||GL_ARB_vertex_buffer_object|glGetBufferParameteriv|target:GLenum:BufferTargetARB;pname:GLenum:BufferPNameARB;params:GLint *:::COMPSIZE(pname)
glGetBufferPointerv|void|gl=1.5,gles2=3.0|||target:GLenum:BufferTargetARB;pname:GLenum:BufferPointerNameARB;params:void **:::1
glGetBufferPointervARB|void||GL_ARB_vertex_buffer_object|glGetBufferPointerv|target:GLenum:BufferTargetARB;pname:GLenum:BufferPointerNameARB;params:void **:::1
glGetBufferPointervOES|void||GL_OES_mapbuffer|glGetBufferPointerv|target:GLenum:BufferTargetARB;pname:GLenum:BufferPointerNameARB;params:void **:::1
glGetBufferSubData|void|gl=1.5|||target:GLenum:BufferTargetARB;offset:GLintptr;size:GLsizeiptr;data:void *:::size
glGetBufferSubDataARB|void||GL_ARB_vertex_buffer_object|glGetBufferSubData|target:GLenum:BufferTargetARB;offset:GLintptrARB;size:GLsizeiptrARB;data:void *:::size
glGetClipPlane|void|gl=1.0-|||plane:GLenum:ClipPlaneName;equation:GLdouble *:::4
glGetClipPlanefOES|void||GL_OES_single_precision||plane:GLenum:ClipPlaneName;equation:GLfloat *:::4
glGetClipPlanexOES|void||GL_OES_fixed_point||plane:GLenum:ClipPlaneName;equation:GLfixed *:::4
glGetColorTable|void||GL_ARB_imaging||target:GLenum:ColorTableTarget;format:GLenum:PixelFormat;type:GLenum:PixelType;table:void *:::COMPSIZE(target,format,type)
glGetColorTableEXT|void||GL_EXT_paletted_texture|glGetColorTable|target:GLenum:ColorTableTarget;format:GLenum:PixelFormat;type:GLenum:PixelType;data:void *:::COMPSIZE(target,format,type)
glGetColorTableParameterfv|void||GL_ARB_imaging||target:GLenum:ColorTableTarget;pname:GLenum:ColorTableParameterPName;params:GLfloat *:::COMPSIZE(pname)
glGetColorTableParameterfvEXT|void||GL_EXT_paletted_texture|glGetColorTableParameterfv|target:GLenum:ColorTableTarget;pname:GLenum:ColorTableParameterPName;params:GLfloat *:::COMPSIZE(pname)
glGetColorTableParameteriv|void||GL_ARB_imaging||target:GLenum:ColorTableTarget;pname:GLenum:ColorTableParameterPName;params:GLint *:::COMPSIZE(pname)
glGetColorTableParameterivEXT|void||GL_EXT_paletted_texture|glGetColorTableParameteriv|target:GLenum:ColorTableTarget;pname:GLenum:ColorTableParameterPName;params:GLint *:::COMPSIZE(pname)
glGetCompressedMultiTexImageEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;lod:GLint;img:void *:::COMPSIZE(target,lod)
glGetCompressedTexImage|void|gl=1.3|||target:GLenum:TextureTarget;level:GLint;img:void *:::COMPSIZE(target,level)
glGetCompressedTexImageARB|void||GL_ARB_texture_compression|glGetCompressedTexImage|target:GLenum:TextureTarget;level:GLint;img:void *:::COMPSIZE(target,level)
glGetCompressedTextureImage|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;bufSize:GLsizei;pixels:void *:::bufSize
glGetCompressedTextureImageEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;lod:GLint;img:void *:::COMPSIZE(target,lod)
glGetCompressedTextureSubImage|void|gl=4.5|GL_ARB_get_texture_sub_image||texture:GLuint::texture;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;bufSize:GLsizei;pixels:void *:::bufSize
glGetConvolutionFilter|void||GL_ARB_imaging||target:GLenum:ConvolutionTarget;format:GLenum:PixelFormat;type:GLenum:PixelType;image:void *:::COMPSIZE(target,format,type)
glGetConvolutionFilterEXT|void||GL_EXT_convolution||target:GLenum:ConvolutionTargetEXT;format:GLenum:PixelFormat;type:GLenum:PixelType;image:void *:::COMPSIZE(target,format,type)
glGetConvolutionParameterfv|void||GL_ARB_imaging||target:GLenum:ConvolutionTarget;pname:GLenum:ConvolutionParameter;params:GLfloat *:::COMPSIZE(pname)
glGetConvolutionParameterfvEXT|void||GL_EXT_convolution||target:GLenum:ConvolutionTargetEXT;pname:GLenum:ConvolutionParameter;params:GLfloat *:::COMPSIZE(pname)
glGetConvolutionParameteriv|void||GL_ARB_imaging||target:GLenum:ConvolutionTarget;pname:GLenum:ConvolutionParameter;params:GLint *:::COMPSIZE(pname)
glGetConvolutionParameterivEXT|void||GL_EXT_convolution||target:GLenum:ConvolutionTargetEXT;pname:GLenum:ConvolutionParameter;params:GLint *:::COMPSIZE(pname)
glGetConvolutionParameterxvOES|void||GL_OES_fixed_point||target:GLenum;pname:GLenum;params:GLfixed *:::COMPSIZE(pname)
glGetCoverageModulationTableNV|void||GL_NV_framebuffer_mixed_samples||bufSize:GLsizei;v:GLfloat *
glGetDebugMessageLog|GLuint|gl=4.3,gles2=3.2|GL_KHR_debug||count:GLuint;bufSize:GLsizei;sources:GLenum *:DebugSource::count;types:GLenum *:DebugType::count;ids:GLuint *:::count;severities:GLenum *:DebugSeverity::count;lengths:GLsizei *:::count;messageLog:GLchar *:::bufSize
glGetDebugMessageLogARB|GLuint||GL_ARB_debug_output|glGetDebugMessageLog|count:GLuint;bufSize:GLsizei;sources:GLenum *:DebugSource::count;types:GLenum *:DebugType::count;ids:GLuint *:::count;severities:GLenum *:DebugSeverity::count;lengths:GLsizei *:::count;messageLog:GLchar *:::bufSize
glGetDebugMessageLogKHR|GLuint||GL_KHR_debug|glGetDebugMessageLog|count:GLuint;bufSize:GLsizei;sources:GLenum *:DebugSource::count;types:GLenum *:DebugType::count;ids:GLuint *:::count;severities:GLenum *:DebugSeverity::count;lengths:GLsizei *:::count;messageLog:GLchar *:::bufSize
glGetDoubleIndexedvEXT|void||GL_EXT_direct_state_access|glGetDoublei_v|target:GLenum:GetPName;index:GLuint;data:GLdouble *:::COMPSIZE(target)
glGetDoublei_v|void|gl=4.1|GL_ARB_viewport_array||target:GLenum:GetPName;index:GLuint;data:GLdouble *:::COMPSIZE(target)
glGetDoublei_vEXT|void||GL_EXT_direct_state_access|glGetDoublei_v|pname:GLenum:GetPName;index:GLuint;params:GLdouble *:::COMPSIZE(pname)
glGetDoublev|void|gl=1.0|||pname:GLenum:GetPName;data:GLdouble *:::COMPSIZE(pname)
glGetDriverControlStringQCOM|void||GL_QCOM_driver_control||driverControl:GLuint;bufSize:GLsizei;length:GLsizei *;driverControlString:GLchar *:::bufSize
glGetDriverControlsQCOM|void||GL_QCOM_driver_control||num:GLint *;size:GLsizei;driverControls:GLuint *:::size
glGetError|GLenum:ErrorCode|gl=1.0,gles2=2.0
glGetFenceivNV|void||GL_NV_fence||fence:GLuint;pname:GLenum:FenceParameterNameNV;params:GLint *:::COMPSIZE(pname)
glGetFirstPerfQueryIdINTEL|void||GL_INTEL_performance_query||queryId:GLuint *::perf query id
glGetFixedvOES|void||GL_OES_fixed_point||pname:GLenum:GetPName;params:GLfixed *:::COMPSIZE(pname)
glGetFloatIndexedvEXT|void||GL_EXT_direct_state_access|glGetFloati_v|target:GLenum:GetPName;index:GLuint;data:GLfloat *:::COMPSIZE(target)
glGetFloati_v|void|gl=4.1|GL_ARB_viewport_array||target:GLenum:GetPName;index:GLuint;data:GLfloat *:::COMPSIZE(target)
glGetFloati_vEXT|void||GL_EXT_direct_state_access|glGetFloati_v|pname:GLenum:GetPName;index:GLuint;params:GLfloat *:::COMPSIZE(pname)
glGetFloati_vNV|void||GL_NV_viewport_array|glGetFloati_v|target:GLenum:GetPName;index:GLuint;data:GLfloat *:::COMPSIZE(target)
glGetFloati_vOES|void||GL_OES_viewport_array|glGetFloati_v|target:GLenum:GetPName;index:GLuint;data:GLfloat *:::COMPSIZE(target)
glGetFloatv|void|gl=1.0,gles2=2.0|||pname:GLenum:GetPName;data:GLfloat *:::COMPSIZE(pname)
glGetFragDataIndex|GLint|gl=3.3|GL_ARB_blend_func_extended||program:GLuint::program;name:const GLchar *
glGetFragDataIndexEXT|GLint||GL_EXT_blend_func_extended|glGetFragDataIndex|program:GLuint::program;name:const GLchar *
glGetFragDataLocation|GLint|gl=3.0,gles2=3.0|||program:GLuint::program;name:const GLchar *:::COMPSIZE(name)
glGetFragDataLocationEXT|GLint||GL_EXT_gpu_shader4|glGetFragDataLocation|program:GLuint::program;name:const GLchar *:::COMPSIZE(name)
glGetFragmentShadingRatesEXT|void||GL_EXT_fragment_shading_rate||samples:GLsizei;maxCount:GLsizei;count:GLsizei *:::1;shadingRates:GLenum *:ShadingRate::maxCount
glGetFramebufferAttachmentParameteriv|void|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;pname:GLenum:FramebufferAttachmentParameterName;params:GLint *:::COMPSIZE(pname)
glGetFramebufferAttachmentParameterivEXT|void||GL_EXT_framebuffer_object|glGetFramebufferAttachmentParameteriv|target:GLenum:FramebufferTarget;attachment:GLenum:FramebufferAttachment;pname:GLenum:FramebufferAttachmentParameterName;params:GLint *:::COMPSIZE(pname)
glGetFramebufferParameteriv|void|gl=4.3,gles2=3.1|GL_ARB_framebuffer_no_attachments||target:GLenum:FramebufferTarget;pname:GLenum:FramebufferAttachmentParameterName;params:GLint *:::COMPSIZE(pname)
glGetFramebufferParameterivEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;pname:GLenum:GetFramebufferParameter;params:GLint *:::COMPSIZE(pname)
glGetFramebufferParameterivMESA|void||GL_MESA_framebuffer_flip_y||target:GLenum:FramebufferTarget;pname:GLenum:FramebufferAttachmentParameterName;params:GLint *:::COMPSIZE(pname)
glGetFramebufferPixelLocalStorageSizeEXT|GLsizei||GL_EXT_shader_pixel_local_storage2||target:GLuint:FramebufferTarget
glGetGraphicsResetStatus|GLenum:GraphicsResetStatus|gl=4.5,gles2=3.2|GL_KHR_robustness
glGetGraphicsResetStatusARB|GLenum:GraphicsResetStatus||GL_ARB_robustness|glGetGraphicsResetStatus
glGetGraphicsResetStatusEXT|GLenum:GraphicsResetStatus||GL_EXT_robustness|glGetGraphicsResetStatus
glGetGraphicsResetStatusKHR|GLenum:GraphicsResetStatus||GL_KHR_robustness|glGetGraphicsResetStatus
glGetHandleARB|GLhandleARB||GL_ARB_shader_objects||pname:GLenum:ContainerType
glGetHistogram|void||GL_ARB_imaging||target:GLenum:HistogramTargetEXT;reset:GLboolean;format:GLenum:PixelFormat;type:GLenum:PixelType;values:void *:::COMPSIZE(target,format,type)
glGetHistogramEXT|void||GL_EXT_histogram||target:GLenum:HistogramTargetEXT;reset:GLboolean;format:GLenum:PixelFormat;type:GLenum:PixelType;values:void *:::COMPSIZE(target,format,type)
glGetHistogramParameterfv|void||GL_ARB_imaging||target:GLenum:HistogramTargetEXT;pname:GLenum:GetHistogramParameterPNameEXT;params:GLfloat *:::COMPSIZE(pname)
glGetHistogramParameterfvEXT|void||GL_EXT_histogram||target:GLenum:HistogramTargetEXT;pname:GLenum:GetHistogramParameterPNameEXT;params:GLfloat *:::COMPSIZE(pname)
glGetHistogramParameteriv|void||GL_ARB_imaging||target:GLenum:HistogramTargetEXT;pname:GLenum:GetHistogramParameterPNameEXT;params:GLint *:::COMPSIZE(pname)
glGetHistogramParameterivEXT|void||GL_EXT_histogram||target:GLenum:HistogramTargetEXT;pname:GLenum:GetHistogramParameterPNameEXT;params:GLint *:::COMPSIZE(pname)
glGetHistogramParameterxvOES|void||GL_OES_fixed_point||target:GLenum:HistogramTargetEXT;pname:GLenum:GetHistogramParameterPNameEXT;params:GLfixed *:::COMPSIZE(pname)
glGetImageHandleARB|GLuint64||GL_ARB_bindless_texture||texture:GLuint::texture;level:GLint;layered:GLboolean;layer:GLint;format:GLenum:PixelFormat
glGetImageHandleNV|GLuint64||GL_NV_bindless_texture||texture:GLuint::texture;level:GLint;layered:GLboolean;layer:GLint;format:GLenum:PixelFormat
glGetInfoLogARB|void||GL_ARB_shader_objects||obj:GLhandleARB;maxLength:GLsizei;length:GLsizei *:::1;infoLog:GLcharARB *:::maxLength
glGetInteger64i_v|void|gl=3.2,gles2=3.0|||target:GLenum:GetPName;index:GLuint;data:GLint64 *:::COMPSIZE(target)
glGetInteger64v|void|gl=3.2,gles2=3.0|GL_ARB_sync||pname:GLenum:GetPName;data:GLint64 *:::COMPSIZE(pname)
glGetInteger64vAPPLE|void||GL_APPLE_sync|glGetInteger64v|pname:GLenum:GetPName;params:GLint64 *
glGetInteger64vEXT|void||GL_EXT_disjoint_timer_query|glGetInteger64v|pname:GLenum:GetPName;data:GLint64 *:::COMPSIZE(pname)
glGetIntegerIndexedvEXT|void||GL_EXT_direct_state_access,GL_EXT_draw_buffers2|glGetIntegeri_v|target:GLenum:GetPName;index:GLuint;data:GLint *:::COMPSIZE(target)
glGetIntegeri_v|void|gl=3.0,gles2=3.0|GL_ARB_uniform_buffer_object||target:GLenum:GetPName;index:GLuint;data:GLint *:::COMPSIZE(target)
glGetIntegeri_vEXT|void||GL_EXT_multiview_draw_buffers||target:GLenum:GetPName;index:GLuint;data:GLint *
glGetIntegerv|void|gl=1.0,gles2=2.0|||pname:GLenum:GetPName;data:GLint *:::COMPSIZE(pname)
glGetInternalformatSampleivNV|void||GL_NV_internalformat_sample_query||target:GLenum:TextureTarget;internalformat:GLenum:InternalFormat;samples:GLsizei;pname:GLenum:InternalFormatPName;count:GLsizei;params:GLint *:::count
glGetInternalformati64v|void|gl=4.3|GL_ARB_internalformat_query2||target:GLenum:TextureTarget;internalformat:GLenum:InternalFormat;pname:GLenum:InternalFormatPName;count:GLsizei;params:GLint64 *:::count
glGetInternalformativ|void|gl=4.2,gles2=3.0|GL_ARB_internalformat_query||target:GLenum:TextureTarget;internalformat:GLenum:InternalFormat;pname:GLenum:InternalFormatPName;count:GLsizei;params:GLint *:::count
glGetInvariantBooleanvEXT|void||GL_EXT_vertex_shader||id:GLuint;value:GLenum:GetVariantValueEXT;data:GLboolean *:::COMPSIZE(id)
glGetInvariantFloatvEXT|void||GL_EXT_vertex_shader||id:GLuint;value:GLenum:GetVariantValueEXT;data:GLfloat *:::COMPSIZE(id)
glGetInvariantIntegervEXT|void||GL_EXT_vertex_shader||id:GLuint;value:GLenum:GetVariantValueEXT;data:GLint *:::COMPSIZE(id)
glGetLightfv|void|gl=1.0-|||light:GLenum:LightName;pname:GLenum:LightParameter;params:GLfloat *:::COMPSIZE(pname)
glGetLightiv|void|gl=1.0-|||light:GLenum:LightName;pname:GLenum:LightParameter;params:GLint *:::COMPSIZE(pname)
glGetLightxOES|void||GL_OES_fixed_point||light:GLenum:LightName;pname:GLenum:LightParameter;params:GLfixed *:::COMPSIZE(pname)
glGetLightxvOES|void||GL_OES_fixed_point||light:GLenum:LightName;pname:GLenum:LightParameter;params:GLfixed *:::COMPSIZE(pname)
glGetLocalConstantBooleanvEXT|void||GL_EXT_vertex_shader||id:GLuint;value:GLenum:GetVariantValueEXT;data:GLboolean *:::COMPSIZE(id)
glGetLocalConstantFloatvEXT|void||GL_EXT_vertex_shader||id:GLuint;value:GLenum:GetVariantValueEXT;data:GLfloat *:::COMPSIZE(id)
glGetLocalConstantIntegervEXT|void||GL_EXT_vertex_shader||id:GLuint;value:GLenum:GetVariantValueEXT;data:GLint *:::COMPSIZE(id)
glGetMapdv|void|gl=1.0-|||target:GLenum:MapTarget;query:GLenum:GetMapQuery;v:GLdouble *:::COMPSIZE(target,query)
glGetMapfv|void|gl=1.0-|||target:GLenum:MapTarget;query:GLenum:GetMapQuery;v:GLfloat *:::COMPSIZE(target,query)
glGetMapiv|void|gl=1.0-|||target:GLenum:MapTarget;query:GLenum:GetMapQuery;v:GLint *:::COMPSIZE(target,query)
glGetMapxvOES|void||GL_OES_fixed_point||target:GLenum:MapTarget;query:GLenum:GetMapQuery;v:GLfixed *:::COMPSIZE(query)
glGetMaterialfv|void|gl=1.0-|||face:GLenum:TriangleFace;pname:GLenum:MaterialParameter;params:GLfloat *:::COMPSIZE(pname)
glGetMaterialiv|void|gl=1.0-|||face:GLenum:TriangleFace;pname:GLenum:MaterialParameter;params:GLint *:::COMPSIZE(pname)
glGetMaterialxOES|void||GL_OES_fixed_point||face:GLenum:TriangleFace;pname:GLenum:MaterialParameter;param:GLfixed
glGetMaterialxvOES|void||GL_OES_fixed_point||face:GLenum:TriangleFace;pname:GLenum:MaterialParameter;params:GLfixed *:::COMPSIZE(pname)
glGetMemoryObjectDetachedResourcesuivNV|void||GL_NV_memory_attachment||memory:GLuint;pname:GLenum;first:GLint;count:GLsizei;params:GLuint *
glGetMemoryObjectParameterivEXT|void||GL_EXT_memory_object||memoryObject:GLuint;pname:GLenum:MemoryObjectParameterName;params:GLint *
glGetMinmax|void||GL_ARB_imaging||target:GLenum:MinmaxTargetEXT;reset:GLboolean;format:GLenum:PixelFormat;type:GLenum:PixelType;values:void *:::COMPSIZE(target,format,type)
glGetMinmaxEXT|void||GL_EXT_histogram||target:GLenum:MinmaxTargetEXT;reset:GLboolean;format:GLenum:PixelFormat;type:GLenum:PixelType;values:void *:::COMPSIZE(target,format,type)
glGetMinmaxParameterfv|void||GL_ARB_imaging||target:GLenum:MinmaxTargetEXT;pname:GLenum:GetMinmaxParameterPNameEXT;params:GLfloat *:::COMPSIZE(pname)
glGetMinmaxParameterfvEXT|void||GL_EXT_histogram||target:GLenum:MinmaxTargetEXT;pname:GLenum:GetMinmaxParameterPNameEXT;params:GLfloat *:::COMPSIZE(pname)
glGetMinmaxParameteriv|void||GL_ARB_imaging||target:GLenum:MinmaxTargetEXT;pname:GLenum:GetMinmaxParameterPNameEXT;params:GLint *:::COMPSIZE(pname)
glGetMinmaxParameterivEXT|void||GL_EXT_histogram||target:GLenum:MinmaxTargetEXT;pname:GLenum:GetMinmaxParameterPNameEXT;params:GLint *:::COMPSIZE(pname)
glGetMultiTexEnvfvEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;params:GLfloat *:::COMPSIZE(pname)
glGetMultiTexEnvivEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;params:GLint *:::COMPSIZE(pname)
glGetMultiTexGendvEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:GLdouble *:::COMPSIZE(pname)
glGetMultiTexGenfvEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:GLfloat *:::COMPSIZE(pname)
glGetMultiTexGenivEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:GLint *:::COMPSIZE(pname)
glGetMultiTexImageEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:void *:::COMPSIZE(target,level,format,type)
glGetMultiTexLevelParameterfvEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;pname:GLenum:GetTextureParameter;params:GLfloat *:::COMPSIZE(pname)
glGetMultiTexLevelParameterivEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;pname:GLenum:GetTextureParameter;params:GLint *:::COMPSIZE(pname)
glGetMultiTexParameterIivEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLint *:::COMPSIZE(pname)
glGetMultiTexParameterIuivEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLuint *:::COMPSIZE(pname)
glGetMultiTexParameterfvEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLfloat *:::COMPSIZE(pname)
glGetMultiTexParameterivEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLint *:::COMPSIZE(pname)
glGetMultisamplefv|void|gl=3.2,gles2=3.1|GL_ARB_texture_multisample||pname:GLenum:GetMultisamplePNameNV;index:GLuint;val:GLfloat *:::COMPSIZE(pname)
glGetNamedBufferParameteri64v|void|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer;pname:GLenum:BufferPNameARB;params:GLint64 *
glGetNamedBufferParameteriv|void|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer;pname:GLenum:BufferPNameARB;params:GLint *
glGetNamedBufferParameterivEXT|void||GL_EXT_direct_state_access||buffer:GLuint::buffer;pname:GLenum:BufferPNameARB;params:GLint *:::COMPSIZE(pname)
glGetNamedBufferPointerv|void|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer;pname:GLenum:BufferPointerNameARB;params:void **:::1
glGetNamedBufferPointervEXT|void||GL_EXT_direct_state_access||buffer:GLuint::buffer;pname:GLenum:BufferPointerNameARB;params:void **:::1
glGetNamedBufferSubData|void|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr;data:void *:::size
glGetNamedBufferSubDataEXT|void||GL_EXT_direct_state_access||buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr;data:void *:::COMPSIZE(size)
glGetNamedFramebufferAttachmentParameteriv|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;pname:GLenum:FramebufferAttachmentParameterName;params:GLint *
glGetNamedFramebufferAttachmentParameterivEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;pname:GLenum:FramebufferAttachmentParameterName;params:GLint *:::COMPSIZE(pname)
glGetNamedFramebufferParameteriv|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;pname:GLenum:GetFramebufferParameter;param:GLint *
glGetNamedFramebufferParameterivEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;pname:GLenum:GetFramebufferParameter;params:GLint *:::COMPSIZE(pname)
glGetNamedProgramLocalParameterIivEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;params:GLint *:::4
glGetNamedProgramLocalParameterIuivEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;params:GLuint *:::4
glGetNamedProgramLocalParameterdvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;params:GLdouble *:::4
glGetNamedProgramLocalParameterfvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;params:GLfloat *:::4
glGetNamedProgramStringEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;pname:GLenum:ProgramStringProperty;string:void *:::COMPSIZE(program,pname)
glGetNamedProgramivEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;pname:GLenum:ProgramPropertyARB;params:GLint *:::1
glGetNamedRenderbufferParameteriv|void|gl=4.5|GL_ARB_direct_state_access||renderbuffer:GLuint::renderbuffer;pname:GLenum:RenderbufferParameterName;params:GLint *
glGetNamedRenderbufferParameterivEXT|void||GL_EXT_direct_state_access||renderbuffer:GLuint::renderbuffer;pname:GLenum:RenderbufferParameterName;params:GLint *:::COMPSIZE(pname)
glGetNamedStringARB|void||GL_ARB_shading_language_include||namelen:GLint;name:const GLchar *:::namelen;bufSize:GLsizei;stringlen:GLint *:::1;string:GLchar *:::bufSize
glGetNamedStringivARB|void||GL_ARB_shading_language_include||namelen:GLint;name:const GLchar *:::namelen;pname:GLenum;params:GLint *:::COMPSIZE(pname)
glGetNextPerfQueryIdINTEL|void||GL_INTEL_performance_query||queryId:GLuint::perf query id;nextQueryId:GLuint *::perf query id
glGetObjectLabel|void|gl=4.3,gles2=3.2|GL_KHR_debug||identifier:GLenum:ObjectIdentifier;name:GLuint;bufSize:GLsizei;length:GLsizei *:::1;label:GLchar *:::bufSize
glGetObjectLabelEXT|void||GL_EXT_debug_label||type:GLenum;object:GLuint;bufSize:GLsizei;length:GLsizei *:::1;label:GLchar *:::bufSize
glGetObjectLabelKHR|void||GL_KHR_debug|glGetObjectLabel|identifier:GLenum;name:GLuint;bufSize:GLsizei;length:GLsizei *;label:GLchar *:::bufSize
glGetObjectParameterfvARB|void||GL_ARB_shader_objects||obj:GLhandleARB;pname:GLenum;params:GLfloat *:::COMPSIZE(pname)
glGetObjectParameterivARB|void||GL_ARB_shader_objects||obj:GLhandleARB;pname:GLenum;params:GLint *:::COMPSIZE(pname)
glGetObjectPtrLabel|void|gl=4.3,gles2=3.2|GL_KHR_debug||ptr:const void *;bufSize:GLsizei;length:GLsizei *:::1;label:GLchar *:::bufSize
glGetObjectPtrLabelKHR|void||GL_KHR_debug|glGetObjectPtrLabel|ptr:const void *;bufSize:GLsizei;length:GLsizei *:::1;label:GLchar *:::bufSize
glGetPathColorGenfvNV|void||GL_NV_path_rendering||color:GLenum:PathColor;pname:GLenum:PathGenMode;value:GLfloat *:::COMPSIZE(pname)
glGetPathColorGenivNV|void||GL_NV_path_rendering||color:GLenum:PathColor;pname:GLenum:PathGenMode;value:GLint *:::COMPSIZE(pname)
glGetPathCommandsNV|void||GL_NV_path_rendering||path:GLuint;commands:GLubyte *:PathCoordType::COMPSIZE(path)
glGetPathCoordsNV|void||GL_NV_path_rendering||path:GLuint;coords:GLfloat *:::COMPSIZE(path)
glGetPathDashArrayNV|void||GL_NV_path_rendering||path:GLuint;dashArray:GLfloat *:::COMPSIZE(path)
glGetPathLengthNV|GLfloat||GL_NV_path_rendering||path:GLuint;startSegment:GLsizei;numSegments:GLsizei
glGetPathMetricRangeNV|void||GL_NV_path_rendering||metricQueryMask:GLbitfield:PathMetricMask;firstPathName:GLuint;numPaths:GLsizei;stride:GLsizei;metrics:GLfloat *:::COMPSIZE(metricQueryMask,numPaths,stride)
glGetPathMetricsNV|void||GL_NV_path_rendering||metricQueryMask:GLbitfield:PathMetricMask;numPaths:GLsizei;pathNameType:GLenum:PathElementType;paths:const void *:::COMPSIZE(numPaths,pathNameType,paths);pathBase:GLuint;stride:GLsizei;metrics:GLfloat *:::COMPSIZE(metricQueryMask,numPaths,stride)
glGetPathParameterfvNV|void||GL_NV_path_rendering||path:GLuint;pname:GLenum:PathParameter;value:GLfloat *:::4
glGetPathParameterivNV|void||GL_NV_path_rendering||path:GLuint;pname:GLenum:PathParameter;value:GLint *:::4
glGetPathSpacingNV|void||GL_NV_path_rendering||pathListMode:GLenum:PathListMode;numPaths:GLsizei;pathNameType:GLenum:PathElementType;paths:const void *:::COMPSIZE(numPaths,pathNameType,paths);pathBase:GLuint;advanceScale:GLfloat;kerningScale:GLfloat;transformType:GLenum:PathTransformType;returnedSpacing:GLfloat *:::COMPSIZE(pathListMode,numPaths)
glGetPathTexGenfvNV|void||GL_NV_path_rendering||texCoordSet:GLenum:TextureUnit;pname:GLenum:PathGenMode;value:GLfloat *:::COMPSIZE(pname)
glGetPathTexGenivNV|void||GL_NV_path_rendering||texCoordSet:GLenum:TextureUnit;pname:GLenum:PathGenMode;value:GLint *:::COMPSIZE(pname)
glGetPerfCounterInfoINTEL|void||GL_INTEL_performance_query||queryId:GLuint::perf query id;counterId:GLuint;counterNameLength:GLuint;counterName:GLchar *:::counterNameLength;counterDescLength:GLuint;counterDesc:GLchar *:::counterDescLength;counterOffset:GLuint *;counterDataSize:GLuint *;counterTypeEnum:GLuint *;counterDataTypeEnum:GLuint *;rawCounterMaxValue:GLuint64 *
glGetPerfMonitorCounterDataAMD|void||GL_AMD_performance_monitor||monitor:GLuint;pname:GLenum;dataSize:GLsizei;data:GLuint *:::dataSize/4;bytesWritten:GLint *:::1
glGetPerfMonitorCounterInfoAMD|void||GL_AMD_performance_monitor||group:GLuint;counter:GLuint;pname:GLenum;data:void *:::COMPSIZE(pname)
glGetPerfMonitorCounterStringAMD|void||GL_AMD_performance_monitor||group:GLuint;counter:GLuint;bufSize:GLsizei;length:GLsizei *:::1;counterString:GLchar *:::bufSize
glGetPerfMonitorCountersAMD|void||GL_AMD_performance_monitor||group:GLuint;numCounters:GLint *:::1;maxActiveCounters:GLint *:::1;counterSize:GLsizei;counters:GLuint *:::counterSize
glGetPerfMonitorGroupStringAMD|void||GL_AMD_performance_monitor||group:GLuint;bufSize:GLsizei;length:GLsizei *:::1;groupString:GLchar *:::bufSize
glGetPerfMonitorGroupsAMD|void||GL_AMD_performance_monitor||numGroups:GLint *:::1;groupsSize:GLsizei;groups:GLuint *:::groupsSize
glGetPerfQueryDataINTEL|void||GL_INTEL_performance_query||queryHandle:GLuint::perf query handle;flags:GLuint:PerfQueryDataFlags;dataSize:GLsizei;data:void *;bytesWritten:GLuint *
glGetPerfQueryIdByNameINTEL|void||GL_INTEL_performance_query||queryName:GLchar *;queryId:GLuint *::perf query id
glGetPerfQueryInfoINTEL|void||GL_INTEL_performance_query||queryId:GLuint::perf query id;queryNameLength:GLuint;queryName:GLchar *:::queryNameLength;dataSize:GLuint *;noCounters:GLuint *;noInstances:GLuint *;capsMask:GLuint *:PerformanceQueryCapsMaskINTEL
glGetPixelMapfv|void|gl=1.0-|||map:GLenum:PixelMap;values:GLfloat *:::COMPSIZE(map)
glGetPixelMapuiv|void|gl=1.0-|||map:GLenum:PixelMap;values:GLuint *:::COMPSIZE(map)
glGetPixelMapusv|void|gl=1.0-|||map:GLenum:PixelMap;values:GLushort *:::COMPSIZE(map)
glGetPixelMapxv|void||GL_OES_fixed_point||map:GLenum:PixelMap;size:GLint;values:GLfixed *:::size
glGetPixelTransformParameterfvEXT|void||GL_EXT_pixel_transform||target:GLenum;pname:GLenum;params:GLfloat *:::COMPSIZE(pname)
glGetPixelTransformParameterivEXT|void||GL_EXT_pixel_transform||target:GLenum;pname:GLenum;params:GLint *:::COMPSIZE(pname)
glGetPointerIndexedvEXT|void||GL_EXT_direct_state_access||target:GLenum;index:GLuint;data:void **:::1
glGetPointeri_vEXT|void||GL_EXT_direct_state_access||pname:GLenum;index:GLuint;params:void **:::1
glGetPointerv|void|gl=1.1-,gles2=3.2|GL_KHR_debug||pname:GLenum:GetPointervPName;params:void **:::1
glGetPointervEXT|void||GL_EXT_vertex_array|glGetPointerv|pname:GLenum:GetPointervPName;params:void **:::1
glGetPointervKHR|void||GL_KHR_debug|glGetPointerv|pname:GLenum;params:void **:::1
glGetPolygonStipple|void|gl=1.0-|||mask:GLubyte *:::COMPSIZE()
glGetProgramBinary|void|gl=4.1,gles2=3.0|GL_ARB_get_program_binary||program:GLuint::program;bufSize:GLsizei;length:GLsizei *:::1;binaryFormat:GLenum *:::1;binary:void *:::bufSize
glGetProgramBinaryOES|void||GL_OES_get_program_binary|glGetProgramBinary|program:GLuint::program;bufSize:GLsizei;length:GLsizei *:::1;binaryFormat:GLenum *:::1;binary:void *:::bufSize
glGetProgramEnvParameterdvARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;index:GLuint;params:GLdouble *:::4
glGetProgramEnvParameterfvARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;index:GLuint;params:GLfloat *:::4
glGetProgramInfoLog|void|gl=2.0,gles2=2.0|||program:GLuint::program;bufSize:GLsizei;length:GLsizei *:::1;infoLog:GLchar *:::bufSize
glGetProgramInterfaceiv|void|gl=4.3,gles2=3.1|GL_ARB_program_interface_query||program:GLuint::program;programInterface:GLenum:ProgramInterface;pname:GLenum:ProgramInterfacePName;params:GLint *:::COMPSIZE(pname)
glGetProgramLocalParameterdvARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;index:GLuint;params:GLdouble *:::4
glGetProgramLocalParameterfvARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;index:GLuint;params:GLfloat *:::4
glGetProgramPipelineInfoLog|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||pipeline:GLuint::program pipeline;bufSize:GLsizei;length:GLsizei *:::1;infoLog:GLchar *:::bufSize
glGetProgramPipelineInfoLogEXT|void||GL_EXT_separate_shader_objects|glGetProgramPipelineInfoLog|pipeline:GLuint::program pipeline;bufSize:GLsizei;length:GLsizei *:::1;infoLog:GLchar *:::bufSize
glGetProgramPipelineiv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||pipeline:GLuint::program pipeline;pname:GLenum:PipelineParameterName;params:GLint *:::COMPSIZE(pname)
glGetProgramPipelineivEXT|void||GL_EXT_separate_shader_objects|glGetProgramPipelineiv|pipeline:GLuint::program pipeline;pname:GLenum:PipelineParameterName;params:GLint *
glGetProgramResourceIndex|GLuint|gl=4.3,gles2=3.1|GL_ARB_program_interface_query||program:GLuint::program;programInterface:GLenum:ProgramInterface;name:const GLchar *:::COMPSIZE(name)
glGetProgramResourceLocation|GLint|gl=4.3,gles2=3.1|GL_ARB_program_interface_query||program:GLuint::program;programInterface:GLenum:ProgramInterface;name:const GLchar *:::COMPSIZE(name)
glGetProgramResourceLocationIndex|GLint|gl=4.3|GL_ARB_program_interface_query||program:GLuint::program;programInterface:GLenum:ProgramInterface;name:const GLchar *:::COMPSIZE(name)
glGetProgramResourceLocationIndexEXT|GLint||GL_EXT_blend_func_extended||program:GLuint::program;programInterface:GLenum:ProgramInterface;name:const GLchar *:::COMPSIZE(name)
glGetProgramResourceName|void|gl=4.3,gles2=3.1|GL_ARB_program_interface_query||program:GLuint::program;programInterface:GLenum:ProgramInterface;index:GLuint;bufSize:GLsizei;length:GLsizei *:::1;name:GLchar *:::bufSize
glGetProgramResourcefvNV|void||GL_NV_path_rendering||program:GLuint::program;programInterface:GLenum:ProgramInterface;index:GLuint;propCount:GLsizei;props:const GLenum *;count:GLsizei;length:GLsizei *:::1;params:GLfloat *:::count
glGetProgramResourceiv|void|gl=4.3,gles2=3.1|GL_ARB_program_interface_query||program:GLuint::program;programInterface:GLenum:ProgramInterface;index:GLuint;propCount:GLsizei;props:const GLenum *:ProgramResourceProperty::propCount;count:GLsizei;length:GLsizei *:::1;params:GLint *:::count
glGetProgramStageiv|void|gl=4.0|GL_ARB_shader_subroutine||program:GLuint::program;shadertype:GLenum:ShaderType;pname:GLenum:ProgramStagePName;values:GLint *:::1
glGetProgramStringARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;pname:GLenum:ProgramStringProperty;string:void *:::COMPSIZE(target,pname)
glGetProgramiv|void|gl=2.0,gles2=2.0|||program:GLuint::program;pname:GLenum:ProgramPropertyARB;params:GLint *:::COMPSIZE(pname)
glGetProgramivARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;pname:GLenum:ProgramPropertyARB;params:GLint *:::1
glGetQueryBufferObjecti64v|void|gl=4.5|GL_ARB_direct_state_access||id:GLuint::query;buffer:GLuint::buffer;pname:GLenum:QueryObjectParameterName;offset:GLintptr
glGetQueryBufferObjectiv|void|gl=4.5|GL_ARB_direct_state_access||id:GLuint::query;buffer:GLuint::buffer;pname:GLenum:QueryObjectParameterName;offset:GLintptr
glGetQueryBufferObjectui64v|void|gl=4.5|GL_ARB_direct_state_access||id:GLuint::query;buffer:GLuint::buffer;pname:GLenum:QueryObjectParameterName;offset:GLintptr
glGetQueryBufferObjectuiv|void|gl=4.5|GL_ARB_direct_state_access||id:GLuint::query;buffer:GLuint::buffer;pname:GLenum:QueryObjectParameterName;offset:GLintptr
glGetQueryIndexediv|void|gl=4.0|GL_ARB_transform_feedback3||target:GLenum:QueryTarget;index:GLuint;pname:GLenum:QueryParameterName;params:GLint *:::COMPSIZE(pname)
glGetQueryObjecti64v|void|gl=3.3|GL_ARB_timer_query||id:GLuint::query;pname:GLenum:QueryObjectParameterName;params:GLint64 *:::COMPSIZE(pname)
glGetQueryObjecti64vEXT|void||GL_EXT_disjoint_timer_query,GL_EXT_timer_query|glGetQueryObjecti64v|id:GLuint::query;pname:GLenum:QueryObjectParameterName;params:GLint64 *:::COMPSIZE(pname)
glGetQueryObjectiv|void|gl=1.5|||id:GLuint::query;pname:GLenum:QueryObjectParameterName;params:GLint *:::COMPSIZE(pname)
glGetQueryObjectivARB|void||GL_ARB_occlusion_query|glGetQueryObjectiv|id:GLuint::query;pname:GLenum:QueryObjectParameterName;params:GLint *:::COMPSIZE(pname)
glGetQueryObjectivEXT|void||GL_EXT_disjoint_timer_query|glGetQueryObjectiv|id:GLuint::query;pname:GLenum:QueryObjectParameterName;params:GLint *:::COMPSIZE(pname)
glGetQueryObjectui64v|void|gl=3.3|GL_ARB_timer_query||id:GLuint::query;pname:GLenum:QueryObjectParameterName;params:GLuint64 *:::COMPSIZE(pname)
glGetQueryObjectui64vEXT|void||GL_EXT_disjoint_timer_query,GL_EXT_timer_query|glGetQueryObjectui64v|id:GLuint::query;pname:GLenum:QueryObjectParameterName;params:GLuint64 *:::COMPSIZE(pname)
glGetQueryObjectuiv|void|gl=1.5,gles2=3.0|||id:GLuint::query;pname:GLenum:QueryObjectParameterName;params:GLuint *:::COMPSIZE(pname)
glGetQueryObjectuivARB|void||GL_ARB_occlusion_query|glGetQueryObjectuiv|id:GLuint::query;pname:GLenum:QueryObjectParameterName;params:GLuint *:::COMPSIZE(pname)
glGetQueryObjectuivEXT|void||GL_EXT_disjoint_timer_query,GL_EXT_occlusion_query_boolean|glGetQueryObjectuiv|id:GLuint::query;pname:GLenum:QueryObjectParameterName;params:GLuint *:::COMPSIZE(pname)
glGetQueryiv|void|gl=1.5,gles2=3.0|||target:GLenum:QueryTarget;pname:GLenum:QueryParameterName;params:GLint *:::COMPSIZE(pname)
glGetQueryivARB|void||GL_ARB_occlusion_query|glGetQueryiv|target:GLenum:QueryTarget;pname:GLenum:QueryParameterName;params:GLint *:::COMPSIZE(pname)
glGetQueryivEXT|void||GL_EXT_disjoint_timer_query,GL_EXT_occlusion_query_boolean|glGetQueryiv|target:GLenum:QueryTarget;pname:GLenum:QueryParameterName;params:GLint *:::COMPSIZE(pname)
glGetRenderbufferParameteriv|void|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||target:GLenum:RenderbufferTarget;pname:GLenum:RenderbufferParameterName;params:GLint *:::COMPSIZE(pname)
glGetRenderbufferParameterivEXT|void||GL_EXT_framebuffer_object|glGetRenderbufferParameteriv|target:GLenum:RenderbufferTarget;pname:GLenum:RenderbufferParameterName;params:GLint *:::COMPSIZE(pname)
glGetSamplerParameterIiv|void|gl=3.3,gles2=3.2|GL_ARB_sampler_objects||sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;params:GLint *:::COMPSIZE(pname)
glGetSamplerParameterIivEXT|void||GL_EXT_texture_border_clamp|glGetSamplerParameterIiv|sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;params:GLint *:::COMPSIZE(pname)
glGetSamplerParameterIivOES|void||GL_OES_texture_border_clamp|glGetSamplerParameterIiv|sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;params:GLint *:::COMPSIZE(pname)
glGetSamplerParameterIuiv|void|gl=3.3,gles2=3.2|GL_ARB_sampler_objects||sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;params:GLuint *:::COMPSIZE(pname)
glGetSamplerParameterIuivEXT|void||GL_EXT_texture_border_clamp|glGetSamplerParameterIuiv|sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;params:GLuint *:::COMPSIZE(pname)
glGetSamplerParameterIuivOES|void||GL_OES_texture_border_clamp|glGetSamplerParameterIuiv|sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;params:GLuint *:::COMPSIZE(pname)
glGetSamplerParameterfv|void|gl=3.3,gles2=3.0|GL_ARB_sampler_objects,GL_MESA_sampler_objects||sampler:GLuint::sampler;pname:GLenum:SamplerParameterF;params:GLfloat *:::COMPSIZE(pname)
glGetSamplerParameteriv|void|gl=3.3,gles2=3.0|GL_ARB_sampler_objects,GL_MESA_sampler_objects||sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;params:GLint *:::COMPSIZE(pname)
glGetSemaphoreParameterivNV|void||GL_NV_timeline_semaphore||semaphore:GLuint;pname:GLenum:SemaphoreParameterName;params:GLint *
glGetSemaphoreParameterui64vEXT|void||GL_EXT_semaphore||semaphore:GLuint;pname:GLenum:SemaphoreParameterName;params:GLuint64 *
glGetSeparableFilter|void||GL_ARB_imaging||target:GLenum:SeparableTargetEXT;format:GLenum:PixelFormat;type:GLenum:PixelType;row:void *:::COMPSIZE(target,format,type);column:void *:::COMPSIZE(target,format,type);span:void *:::COMPSIZE(target,format,type)
glGetSeparableFilterEXT|void||GL_EXT_convolution||target:GLenum:SeparableTargetEXT;format:GLenum:PixelFormat;type:GLenum:PixelType;row:void *:::COMPSIZE(target,format,type);column:void *:::COMPSIZE(target,format,type);span:void *:::COMPSIZE(target,format,type)
glGetShaderInfoLog|void|gl=2.0,gles2=2.0|||shader:GLuint::shader;bufSize:GLsizei;length:GLsizei *:::1;infoLog:GLchar *:::bufSize
glGetShaderPrecisionFormat|void|gl=4.1,gles2=2.0|GL_ARB_ES2_compatibility||shadertype:GLenum:ShaderType;precisiontype:GLenum:PrecisionType;range:GLint *:::2;precision:GLint *:::1
glGetShaderSource|void|gl=2.0,gles2=2.0|||shader:GLuint::shader;bufSize:GLsizei;length:GLsizei *:::1;source:GLchar *:::bufSize
glGetShaderSourceARB|void||GL_ARB_shader_objects|glGetShaderSource|obj:GLhandleARB;maxLength:GLsizei;length:GLsizei *:::1;source:GLcharARB *:::maxLength
glGetShaderiv|void|gl=2.0,gles2=2.0|||shader:GLuint::shader;pname:GLenum:ShaderParameterName;params:GLint *:::COMPSIZE(pname)
glGetShadingRateImagePaletteNV|void||GL_NV_shading_rate_image||viewport:GLuint;entry:GLuint;rate:GLenum *:::1
glGetShadingRateSampleLocationivNV|void||GL_NV_shading_rate_image||rate:GLenum;samples:GLuint;index:GLuint;location:GLint *:::3
glGetString|const GLubyte *|gl=1.0,gles2=2.0|||name:GLenum:StringName
glGetStringi|const GLubyte *|gl=3.0,gles2=3.0|||name:GLenum:StringName;index:GLuint
glGetSubroutineIndex|GLuint|gl=4.0|GL_ARB_shader_subroutine||program:GLuint::program;shadertype:GLenum:ShaderType;name:const GLchar *
glGetSubroutineUniformLocation|GLint|gl=4.0|GL_ARB_shader_subroutine||program:GLuint::program;shadertype:GLenum:ShaderType;name:const GLchar *
glGetSynciv|void|gl=3.2,gles2=3.0|GL_ARB_sync||sync:GLsync::sync;pname:GLenum:SyncParameterName;count:GLsizei;length:GLsizei *:::1;values:GLint *:::count
glGetSyncivAPPLE|void||GL_APPLE_sync|glGetSynciv|sync:GLsync::sync;pname:GLenum:SyncParameterName;count:GLsizei;length:GLsizei *;values:GLint *:::count
glGetTexEnvfv|void|gl=1.0-|||target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;params:GLfloat *:::COMPSIZE(pname)
glGetTexEnviv|void|gl=1.0-|||target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;params:GLint *:::COMPSIZE(pname)
glGetTexEnvxvOES|void||GL_OES_fixed_point||target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;params:GLfixed *:::COMPSIZE(pname)
glGetTexGendv|void|gl=1.0-|||coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:GLdouble *:::COMPSIZE(pname)
glGetTexGenfv|void|gl=1.0-|||coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:GLfloat *:::COMPSIZE(pname)
glGetTexGeniv|void|gl=1.0-|||coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:GLint *:::COMPSIZE(pname)
glGetTexGenxvOES|void||GL_OES_fixed_point||coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:GLfixed *:::COMPSIZE(pname)
glGetTexImage|void|gl=1.0|||target:GLenum:TextureTarget;level:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:void *:::COMPSIZE(target,level,format,type)
glGetTexLevelParameterfv|void|gl=1.0,gles2=3.1|||target:GLenum:TextureTarget;level:GLint;pname:GLenum:GetTextureParameter;params:GLfloat *:::COMPSIZE(pname)
glGetTexLevelParameteriv|void|gl=1.0,gles2=3.1|||target:GLenum:TextureTarget;level:GLint;pname:GLenum:GetTextureParameter;params:GLint *:::COMPSIZE(pname)
glGetTexLevelParameterxvOES|void||GL_OES_fixed_point||target:GLenum:TextureTarget;level:GLint;pname:GLenum:GetTextureParameter;params:GLfixed *:::COMPSIZE(pname)
glGetTexParameterIiv|void|gl=3.0,gles2=3.2|||target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLint *:::COMPSIZE(pname)
glGetTexParameterIivEXT|void||GL_EXT_texture_border_clamp,GL_EXT_texture_integer|glGetTexParameterIiv|target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLint *:::COMPSIZE(pname)
glGetTexParameterIivOES|void||GL_OES_texture_border_clamp|glGetTexParameterIiv|target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLint *:::COMPSIZE(pname)
glGetTexParameterIuiv|void|gl=3.0,gles2=3.2|||target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLuint *:::COMPSIZE(pname)
glGetTexParameterIuivEXT|void||GL_EXT_texture_border_clamp,GL_EXT_texture_integer|glGetTexParameterIuiv|target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLuint *:::COMPSIZE(pname)
glGetTexParameterIuivOES|void||GL_OES_texture_border_clamp|glGetTexParameterIuiv|target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLuint *:::COMPSIZE(pname)
glGetTexParameterfv|void|gl=1.0,gles2=2.0|||target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLfloat *:::COMPSIZE(pname)
glGetTexParameteriv|void|gl=1.0,gles2=2.0|||target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLint *:::COMPSIZE(pname)
glGetTexParameterxvOES|void||GL_OES_fixed_point||target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLfixed *:::COMPSIZE(pname)
glGetTextureHandleARB|GLuint64||GL_ARB_bindless_texture||texture:GLuint::texture
glGetTextureHandleIMG|GLuint64||GL_IMG_bindless_texture|glGetTextureHandleARB|texture:GLuint::texture
glGetTextureHandleNV|GLuint64||GL_NV_bindless_texture||texture:GLuint::texture
glGetTextureImage|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;pixels:void *:::bufSize
glGetTextureImageEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:void *:::COMPSIZE(target,level,format,type)
glGetTextureLevelParameterfv|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;pname:GLenum:GetTextureParameter;params:GLfloat *
glGetTextureLevelParameterfvEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;pname:GLenum:GetTextureParameter;params:GLfloat *:::COMPSIZE(pname)
glGetTextureLevelParameteriv|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;pname:GLenum:GetTextureParameter;params:GLint *
glGetTextureLevelParameterivEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;pname:GLenum:GetTextureParameter;params:GLint *:::COMPSIZE(pname)
glGetTextureParameterIiv|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;pname:GLenum:GetTextureParameter;params:GLint *
glGetTextureParameterIivEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLint *:::COMPSIZE(pname)
glGetTextureParameterIuiv|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;pname:GLenum:GetTextureParameter;params:GLuint *
glGetTextureParameterIuivEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLuint *:::COMPSIZE(pname)
glGetTextureParameterfv|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;pname:GLenum:GetTextureParameter;params:GLfloat *
glGetTextureParameterfvEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLfloat *:::COMPSIZE(pname)
glGetTextureParameteriv|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;pname:GLenum:GetTextureParameter;params:GLint *
glGetTextureParameterivEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:GLint *:::COMPSIZE(pname)
glGetTextureSamplerHandleARB|GLuint64||GL_ARB_bindless_texture||texture:GLuint::texture;sampler:GLuint::sampler
glGetTextureSamplerHandleIMG|GLuint64||GL_IMG_bindless_texture|glGetTextureSamplerHandleARB|texture:GLuint::texture;sampler:GLuint::sampler
glGetTextureSamplerHandleNV|GLuint64||GL_NV_bindless_texture||texture:GLuint::texture;sampler:GLuint::sampler
glGetTextureSubImage|void|gl=4.5|GL_ARB_get_texture_sub_image||texture:GLuint::texture;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;pixels:void *:::bufSize
glGetTransformFeedbackVarying|void|gl=3.0,gles2=3.0|||program:GLuint::program;index:GLuint;bufSize:GLsizei;length:GLsizei *:::1;size:GLsizei *:::1;type:GLenum *:AttributeType::1;name:GLchar *:::bufSize
glGetTransformFeedbackVaryingEXT|void||GL_EXT_transform_feedback|glGetTransformFeedbackVarying|program:GLuint::program;index:GLuint;bufSize:GLsizei;length:GLsizei *:::1;size:GLsizei *:::1;type:GLenum *:AttributeType::1;name:GLchar *:::bufSize
glGetTransformFeedbacki64_v|void|gl=4.5|GL_ARB_direct_state_access||xfb:GLuint::transform feedback;pname:GLenum:TransformFeedbackPName;index:GLuint;param:GLint64 *
glGetTransformFeedbacki_v|void|gl=4.5|GL_ARB_direct_state_access||xfb:GLuint::transform feedback;pname:GLenum:TransformFeedbackPName;index:GLuint;param:GLint *
glGetTransformFeedbackiv|void|gl=4.5|GL_ARB_direct_state_access||xfb:GLuint::transform feedback;pname:GLenum:TransformFeedbackPName;param:GLint *
glGetTranslatedShaderSourceANGLE|void||GL_ANGLE_translated_shader_source||shader:GLuint::shader;bufSize:GLsizei;length:GLsizei *:::1;source:GLchar *:::bufSize
glGetUniformBlockIndex|GLuint|gl=3.1,gles2=3.0|GL_ARB_uniform_buffer_object||program:GLuint::program;uniformBlockName:const GLchar *:::COMPSIZE()
glGetUniformBufferSizeEXT|GLint||GL_EXT_bindable_uniform||program:GLuint::program;location:GLint
glGetUniformIndices|void|gl=3.1,gles2=3.0|GL_ARB_uniform_buffer_object||program:GLuint::program;uniformCount:GLsizei;uniformNames:const GLchar * const *:::COMPSIZE(uniformCount);uniformIndices:GLuint *:::COMPSIZE(uniformCount)
glGetUniformLocation|GLint|gl=2.0,gles2=2.0|||program:GLuint::program;name:const GLchar *
glGetUniformLocationARB|GLint||GL_ARB_shader_objects|glGetUniformLocation|programObj:GLhandleARB;name:const GLcharARB *
glGetUniformOffsetEXT|GLintptr||GL_EXT_bindable_uniform||program:GLuint::program;location:GLint
glGetUniformSubroutineuiv|void|gl=4.0|GL_ARB_shader_subroutine||shadertype:GLenum:ShaderType;location:GLint;params:GLuint *:::1
glGetUniformdv|void|gl=4.0|GL_ARB_gpu_shader_fp64||program:GLuint::program;location:GLint;params:GLdouble *:::COMPSIZE(program,location)
glGetUniformfv|void|gl=2.0,gles2=2.0|||program:GLuint::program;location:GLint;params:GLfloat *:::COMPSIZE(program,location)
glGetUniformfvARB|void||GL_ARB_shader_objects|glGetUniformfv|programObj:GLhandleARB;location:GLint;params:GLfloat *:::COMPSIZE(programObj,location)
glGetUniformi64vARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;params:GLint64 *:::COMPSIZE(program,location)
glGetUniformi64vNV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;params:GLint64EXT *:::COMPSIZE(program,location)
glGetUniformiv|void|gl=2.0,gles2=2.0|||program:GLuint::program;location:GLint;params:GLint *:::COMPSIZE(program,location)
glGetUniformivARB|void||GL_ARB_shader_objects|glGetUniformiv|programObj:GLhandleARB;location:GLint;params:GLint *:::COMPSIZE(programObj,location)
glGetUniformui64vARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;params:GLuint64 *:::COMPSIZE(program,location)
glGetUniformuiv|void|gl=3.0,gles2=3.0|||program:GLuint::program;location:GLint;params:GLuint *:::COMPSIZE(program,location)
glGetUniformuivEXT|void||GL_EXT_gpu_shader4|glGetUniformuiv|program:GLuint::program;location:GLint;params:GLuint *:::COMPSIZE(program,location)
glGetUnsignedBytei_vEXT|void||GL_EXT_memory_object,GL_EXT_semaphore||target:GLenum;index:GLuint;data:GLubyte *:::COMPSIZE(target)
glGetUnsignedBytevEXT|void||GL_EXT_memory_object,GL_EXT_semaphore||pname:GLenum:GetPName;data:GLubyte *:::COMPSIZE(pname)
glGetVariantBooleanvEXT|void||GL_EXT_vertex_shader||id:GLuint;value:GLenum:GetVariantValueEXT;data:GLboolean *:::COMPSIZE(id)
glGetVariantFloatvEXT|void||GL_EXT_vertex_shader||id:GLuint;value:GLenum:GetVariantValueEXT;data:GLfloat *:::COMPSIZE(id)
glGetVariantIntegervEXT|void||GL_EXT_vertex_shader||id:GLuint;value:GLenum:GetVariantValueEXT;data:GLint *:::COMPSIZE(id)
glGetVariantPointervEXT|void||GL_EXT_vertex_shader||id:GLuint;value:GLenum:GetVariantValueEXT;data:void **:::COMPSIZE(id)
glGetVertexArrayIndexed64iv|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;index:GLuint;pname:GLenum:VertexArrayPName;param:GLint64 *
glGetVertexArrayIndexediv|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;index:GLuint;pname:GLenum:VertexArrayPName;param:GLint *
glGetVertexArrayIntegeri_vEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;index:GLuint;pname:GLenum:VertexArrayPName;param:GLint *
glGetVertexArrayIntegervEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;pname:GLenum:VertexArrayPName;param:GLint *
glGetVertexArrayPointeri_vEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;index:GLuint;pname:GLenum:VertexArrayPName;param:void **:::1
glGetVertexArrayPointervEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;pname:GLenum:VertexArrayPName;param:void **:::1
glGetVertexArrayiv|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;pname:GLenum:VertexArrayPName;param:GLint *
glGetVertexAttribIiv|void|gl=3.0,gles2=3.0|||index:GLuint;pname:GLenum:VertexAttribEnum;params:GLint *:::1
glGetVertexAttribIivEXT|void||GL_EXT_gpu_shader4|glGetVertexAttribIiv|index:GLuint;pname:GLenum:VertexAttribEnum;params:GLint *:::1
glGetVertexAttribIuiv|void|gl=3.0,gles2=3.0|||index:GLuint;pname:GLenum:VertexAttribEnum;params:GLuint *:::1
glGetVertexAttribIuivEXT|void||GL_EXT_gpu_shader4|glGetVertexAttribIuiv|index:GLuint;pname:GLenum:VertexAttribEnum;params:GLuint *:::1
glGetVertexAttribLdv|void|gl=4.1|GL_ARB_vertex_attrib_64bit||index:GLuint;pname:GLenum:VertexAttribEnum;params:GLdouble *:::COMPSIZE(pname)
glGetVertexAttribLdvEXT|void||GL_EXT_vertex_attrib_64bit|glGetVertexAttribLdv|index:GLuint;pname:GLenum:VertexAttribEnum;params:GLdouble *:::COMPSIZE(pname)
glGetVertexAttribLui64vARB|void||GL_ARB_bindless_texture||index:GLuint;pname:GLenum:VertexAttribEnum;params:GLuint64EXT *
glGetVertexAttribPointerv|void|gl=2.0,gles2=2.0|||index:GLuint;pname:GLenum:VertexAttribPointerPropertyARB;pointer:void **:::1
glGetVertexAttribPointervARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glGetVertexAttribPointerv|index:GLuint;pname:GLenum:VertexAttribPointerPropertyARB;pointer:void **:::1
glGetVertexAttribdv|void|gl=2.0|||index:GLuint;pname:GLenum:VertexAttribPropertyARB;params:GLdouble *:::4
glGetVertexAttribdvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glGetVertexAttribdv|index:GLuint;pname:GLenum:VertexAttribPropertyARB;params:GLdouble *:::4
glGetVertexAttribfv|void|gl=2.0,gles2=2.0|||index:GLuint;pname:GLenum:VertexAttribPropertyARB;params:GLfloat *:::4
glGetVertexAttribfvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glGetVertexAttribfv|index:GLuint;pname:GLenum:VertexAttribPropertyARB;params:GLfloat *:::4
glGetVertexAttribiv|void|gl=2.0,gles2=2.0|||index:GLuint;pname:GLenum:VertexAttribPropertyARB;params:GLint *:::4
glGetVertexAttribivARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glGetVertexAttribiv|index:GLuint;pname:GLenum:VertexAttribPropertyARB;params:GLint *:::4
glGetVkProcAddrNV|GLVULKANPROCNV||GL_NV_draw_vulkan_image||name:const GLchar *:::COMPSIZE(name)
glGetnColorTable|void|gl=4.5|||target:GLenum:ColorTableTarget;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;table:void *:::bufSize
glGetnColorTableARB|void||GL_ARB_robustness||target:GLenum:ColorTableTarget;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;table:void *:::bufSize
glGetnCompressedTexImage|void|gl=4.5|||target:GLenum:TextureTarget;lod:GLint;bufSize:GLsizei;pixels:void *:::bufSize
glGetnCompressedTexImageARB|void||GL_ARB_robustness||target:GLenum:TextureTarget;lod:GLint;bufSize:GLsizei;img:void *:::bufSize
glGetnConvolutionFilter|void|gl=4.5|||target:GLenum:ConvolutionTarget;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;image:void *:::bufSize
glGetnConvolutionFilterARB|void||GL_ARB_robustness||target:GLenum:ConvolutionTarget;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;image:void *:::bufSize
glGetnHistogram|void|gl=4.5|||target:GLenum:HistogramTarget;reset:GLboolean;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;values:void *:::bufSize
glGetnHistogramARB|void||GL_ARB_robustness||target:GLenum:HistogramTargetEXT;reset:GLboolean;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;values:void *:::bufSize
glGetnMapdv|void|gl=4.5|||target:GLenum:MapTarget;query:GLenum:MapQuery;bufSize:GLsizei;v:GLdouble *:::COMPSIZE(bufSize)
glGetnMapdvARB|void||GL_ARB_robustness||target:GLenum:MapTarget;query:GLenum:MapQuery;bufSize:GLsizei;v:GLdouble *:::bufSize/8
glGetnMapfv|void|gl=4.5|||target:GLenum:MapTarget;query:GLenum:MapQuery;bufSize:GLsizei;v:GLfloat *
glGetnMapfvARB|void||GL_ARB_robustness||target:GLenum:MapTarget;query:GLenum:MapQuery;bufSize:GLsizei;v:GLfloat *:::bufSize
glGetnMapiv|void|gl=4.5|||target:GLenum:MapTarget;query:GLenum:MapQuery;bufSize:GLsizei;v:GLint *
glGetnMapivARB|void||GL_ARB_robustness||target:GLenum:MapTarget;query:GLenum:MapQuery;bufSize:GLsizei;v:GLint *:::bufSize
glGetnMinmax|void|gl=4.5|||target:GLenum:MinmaxTarget;reset:GLboolean;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;values:void *:::bufSize
glGetnMinmaxARB|void||GL_ARB_robustness||target:GLenum:MinmaxTargetEXT;reset:GLboolean;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;values:void *:::bufSize
glGetnPixelMapfv|void|gl=4.5|||map:GLenum:PixelMap;bufSize:GLsizei;values:GLfloat *:::COMPSIZE(bufSize)
glGetnPixelMapfvARB|void||GL_ARB_robustness||map:GLenum:PixelMap;bufSize:GLsizei;values:GLfloat *:::bufSize/4
glGetnPixelMapuiv|void|gl=4.5|||map:GLenum:PixelMap;bufSize:GLsizei;values:GLuint *
glGetnPixelMapuivARB|void||GL_ARB_robustness||map:GLenum:PixelMap;bufSize:GLsizei;values:GLuint *:::bufSize
glGetnPixelMapusv|void|gl=4.5|||map:GLenum:PixelMap;bufSize:GLsizei;values:GLushort *
glGetnPixelMapusvARB|void||GL_ARB_robustness||map:GLenum:PixelMap;bufSize:GLsizei;values:GLushort *:::bufSize
glGetnPolygonStipple|void|gl=4.5|||bufSize:GLsizei;pattern:GLubyte *:::bufSize
glGetnPolygonStippleARB|void||GL_ARB_robustness||bufSize:GLsizei;pattern:GLubyte *:::bufSize
glGetnSeparableFilter|void|gl=4.5|||target:GLenum:SeparableTarget;format:GLenum:PixelFormat;type:GLenum:PixelType;rowBufSize:GLsizei;row:void *:::rowBufSize;columnBufSize:GLsizei;column:void *:::columnBufSize;span:void *:::0
glGetnSeparableFilterARB|void||GL_ARB_robustness||target:GLenum:SeparableTargetEXT;format:GLenum:PixelFormat;type:GLenum:PixelType;rowBufSize:GLsizei;row:void *:::rowBufSize;columnBufSize:GLsizei;column:void *:::columnBufSize;span:void *:::0
glGetnTexImage|void|gl=4.5|||target:GLenum:TextureTarget;level:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;pixels:void *:::bufSize
glGetnTexImageARB|void||GL_ARB_robustness||target:GLenum:TextureTarget;level:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;img:void *:::bufSize
glGetnUniformdv|void|gl=4.5|||program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLdouble *:::bufSize/8
glGetnUniformdvARB|void||GL_ARB_robustness||program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLdouble *:::bufSize/8
glGetnUniformfv|void|gl=4.5,gles2=3.2|GL_KHR_robustness||program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLfloat *:::bufSize/4
glGetnUniformfvARB|void||GL_ARB_robustness||program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLfloat *:::bufSize/4
glGetnUniformfvEXT|void||GL_EXT_robustness|glGetnUniformfv|program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLfloat *:::bufSize/4
glGetnUniformfvKHR|void||GL_KHR_robustness|glGetnUniformfv|program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLfloat *:::bufSize/4
glGetnUniformi64vARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLint64 *:::bufSize/8
glGetnUniformiv|void|gl=4.5,gles2=3.2|GL_KHR_robustness||program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLint *:::bufSize/4
glGetnUniformivARB|void||GL_ARB_robustness||program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLint *:::bufSize/4
glGetnUniformivEXT|void||GL_EXT_robustness|glGetnUniformiv|program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLint *:::bufSize/4
glGetnUniformivKHR|void||GL_KHR_robustness|glGetnUniformiv|program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLint *:::bufSize/4
glGetnUniformui64vARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLuint64 *:::bufSize/8
glGetnUniformuiv|void|gl=4.5,gles2=3.2|GL_KHR_robustness||program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLuint *:::bufSize/4
glGetnUniformuivARB|void||GL_ARB_robustness||program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLuint *:::bufSize/4
glGetnUniformuivKHR|void||GL_KHR_robustness|glGetnUniformuiv|program:GLuint::program;location:GLint;bufSize:GLsizei;params:GLuint *:::bufSize/4
glHint|void|gl=1.0,gles2=2.0|||target:GLenum:HintTarget;mode:GLenum:HintMode
glHistogram|void||GL_ARB_imaging||target:GLenum:HistogramTargetEXT;width:GLsizei;internalformat:GLenum:InternalFormat;sink:GLboolean
glHistogramEXT|void||GL_EXT_histogram|glHistogram|target:GLenum:HistogramTargetEXT;width:GLsizei;internalformat:GLenum:InternalFormat;sink:GLboolean
glImportMemoryFdEXT|void||GL_EXT_memory_object_fd||memory:GLuint;size:GLuint64;handleType:GLenum:ExternalHandleType;fd:GLint
glImportMemoryWin32HandleEXT|void||GL_EXT_memory_object_win32||memory:GLuint;size:GLuint64;handleType:GLenum:ExternalHandleType;handle:void *
glImportMemoryWin32NameEXT|void||GL_EXT_memory_object_win32||memory:GLuint;size:GLuint64;handleType:GLenum:ExternalHandleType;name:const void *
glImportSemaphoreFdEXT|void||GL_EXT_semaphore_fd||semaphore:GLuint;handleType:GLenum:ExternalHandleType;fd:GLint
glImportSemaphoreWin32HandleEXT|void||GL_EXT_semaphore_win32||semaphore:GLuint;handleType:GLenum:ExternalHandleType;handle:void *
glImportSemaphoreWin32NameEXT|void||GL_EXT_semaphore_win32||semaphore:GLuint;handleType:GLenum:ExternalHandleType;name:const void *
glImportSyncEXT|GLsync::sync||GL_EXT_x11_sync_object||external_sync_type:GLenum;external_sync:GLintptr;flags:GLbitfield
glIndexFuncEXT|void||GL_EXT_index_func||func:GLenum:IndexFunctionEXT;ref:GLclampf
glIndexMask|void|gl=1.0-|||mask:GLuint
glIndexMaterialEXT|void||GL_EXT_index_material||face:GLenum:TriangleFace;mode:GLenum:IndexMaterialParameterEXT
glIndexPointer|void|gl=1.1-|||type:GLenum:IndexPointerType;stride:GLsizei;pointer:const void *:::COMPSIZE(type,stride)
glIndexPointerEXT|void||GL_EXT_vertex_array||type:GLenum:IndexPointerType;stride:GLsizei;count:GLsizei;pointer:const void *:::COMPSIZE(type,stride,count)
glIndexd|void|gl=1.0-|||c:GLdouble
glIndexdv|void|gl=1.0-|||c:const GLdouble *:::1
glIndexf|void|gl=1.0-|||c:GLfloat
glIndexfv|void|gl=1.0-|||c:const GLfloat *:::1
glIndexi|void|gl=1.0-|||c:GLint
glIndexiv|void|gl=1.0-|||c:const GLint *:::1
glIndexs|void|gl=1.0-|||c:GLshort
glIndexsv|void|gl=1.0-|||c:const GLshort *:::1
glIndexub|void|gl=1.1-|||c:GLubyte
glIndexubv|void|gl=1.1-|||c:const GLubyte *:::1
glIndexxOES|void||GL_OES_fixed_point||component:GLfixed
glIndexxvOES|void||GL_OES_fixed_point||component:const GLfixed *:::1
glInitNames|void|gl=1.0-
glInsertComponentEXT|void||GL_EXT_vertex_shader||res:GLuint;src:GLuint;num:GLuint
glInsertEventMarkerEXT|void||GL_EXT_debug_marker||length:GLsizei;marker:const GLchar *
glInterleavedArrays|void|gl=1.1-|||format:GLenum:InterleavedArrayFormat;stride:GLsizei;pointer:const void *:::COMPSIZE(format,stride)
glInterpolatePathsNV|void||GL_NV_path_rendering||resultPath:GLuint;pathA:GLuint;pathB:GLuint;weight:GLfloat
glInvalidateBufferData|void|gl=4.3|GL_ARB_invalidate_subdata||buffer:GLuint::buffer
glInvalidateBufferSubData|void|gl=4.3|GL_ARB_invalidate_subdata||buffer:GLuint::buffer;offset:GLintptr;length:GLsizeiptr
glInvalidateFramebuffer|void|gl=4.3,gles2=3.0|GL_ARB_invalidate_subdata||target:GLenum:FramebufferTarget;numAttachments:GLsizei;attachments:const GLenum *:InvalidateFramebufferAttachment::numAttachments
glInvalidateNamedFramebufferData|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;numAttachments:GLsizei;attachments:const GLenum *:FramebufferAttachment::numAttachments
glInvalidateNamedFramebufferSubData|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;numAttachments:GLsizei;attachments:const GLenum *:FramebufferAttachment::numAttachments;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glInvalidateSubFramebuffer|void|gl=4.3,gles2=3.0|GL_ARB_invalidate_subdata||target:GLenum:FramebufferTarget;numAttachments:GLsizei;attachments:const GLenum *:InvalidateFramebufferAttachment::numAttachments;x:GLint;y:GLint;width:GLsizei;height:GLsizei
glInvalidateTexImage|void|gl=4.3|GL_ARB_invalidate_subdata||texture:GLuint::texture;level:GLint
glInvalidateTexSubImage|void|gl=4.3|GL_ARB_invalidate_subdata||texture:GLuint::texture;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei
glIsBuffer|GLboolean|gl=1.5,gles2=2.0|||buffer:GLuint::buffer
glIsBufferARB|GLboolean||GL_ARB_vertex_buffer_object|glIsBuffer|buffer:GLuint::buffer
glIsEnabled|GLboolean|gl=1.0,gles2=2.0|||cap:GLenum:EnableCap
glIsEnabledIndexedEXT|GLboolean||GL_EXT_direct_state_access,GL_EXT_draw_buffers2|glIsEnabledi|target:GLenum:EnableCap;index:GLuint
glIsEnabledi|GLboolean|gl=3.0,gles2=3.2|||target:GLenum:EnableCap;index:GLuint
glIsEnablediEXT|GLboolean||GL_EXT_draw_buffers_indexed|glIsEnabledi|target:GLenum:EnableCap;index:GLuint
glIsEnablediNV|GLboolean||GL_NV_viewport_array|glIsEnabledi|target:GLenum:EnableCap;index:GLuint
glIsEnablediOES|GLboolean||GL_OES_draw_buffers_indexed,GL_OES_viewport_array|glIsEnabledi|target:GLenum:EnableCap;index:GLuint
glIsFenceNV|GLboolean||GL_NV_fence||fence:GLuint
glIsFramebuffer|GLboolean|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||framebuffer:GLuint::framebuffer
glIsFramebufferEXT|GLboolean||GL_EXT_framebuffer_object|glIsFramebuffer|framebuffer:GLuint::framebuffer
glIsImageHandleResidentARB|GLboolean||GL_ARB_bindless_texture||handle:GLuint64
glIsImageHandleResidentNV|GLboolean||GL_NV_bindless_texture||handle:GLuint64
glIsList|GLboolean|gl=1.0-|||list:GLuint::display list
glIsMemoryObjectEXT|GLboolean||GL_EXT_memory_object||memoryObject:GLuint
glIsNamedStringARB|GLboolean||GL_ARB_shading_language_include||namelen:GLint;name:const GLchar *:::namelen
glIsPathNV|GLboolean||GL_NV_path_rendering||path:GLuint
glIsPointInFillPathNV|GLboolean||GL_NV_path_rendering||path:GLuint;mask:GLuint;x:GLfloat;y:GLfloat
glIsPointInStrokePathNV|GLboolean||GL_NV_path_rendering||path:GLuint;x:GLfloat;y:GLfloat
glIsProgram|GLboolean|gl=2.0,gles2=2.0|||program:GLuint::program
glIsProgramARB|GLboolean||GL_ARB_fragment_program,GL_ARB_vertex_program||program:GLuint::program
glIsProgramPipeline|GLboolean|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||pipeline:GLuint::program pipeline
glIsProgramPipelineEXT|GLboolean||GL_EXT_separate_shader_objects|glIsProgramPipeline|pipeline:GLuint::program pipeline
glIsQuery|GLboolean|gl=1.5,gles2=3.0|||id:GLuint::query
glIsQueryARB|GLboolean||GL_ARB_occlusion_query|glIsQuery|id:GLuint::query
glIsQueryEXT|GLboolean||GL_EXT_disjoint_timer_query,GL_EXT_occlusion_query_boolean|glIsQuery|id:GLuint::query
glIsRenderbuffer|GLboolean|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||renderbuffer:GLuint::renderbuffer
glIsRenderbufferEXT|GLboolean||GL_EXT_framebuffer_object|glIsRenderbuffer|renderbuffer:GLuint::renderbuffer
glIsSampler|GLboolean|gl=3.3,gles2=3.0|GL_ARB_sampler_objects,GL_MESA_sampler_objects||sampler:GLuint::sampler
glIsSemaphoreEXT|GLboolean||GL_EXT_semaphore||semaphore:GLuint
glIsShader|GLboolean|gl=2.0,gles2=2.0|||shader:GLuint::shader
glIsSync|GLboolean|gl=3.2,gles2=3.0|GL_ARB_sync||sync:GLsync::sync
glIsSyncAPPLE|GLboolean||GL_APPLE_sync|glIsSync|sync:GLsync::sync
glIsTexture|GLboolean|gl=1.1,gles2=2.0|||texture:GLuint::texture
glIsTextureEXT|GLboolean||GL_EXT_texture_object||texture:GLuint::texture
glIsTextureHandleResidentARB|GLboolean||GL_ARB_bindless_texture||handle:GLuint64
glIsTextureHandleResidentNV|GLboolean||GL_NV_bindless_texture||handle:GLuint64
glIsTransformFeedback|GLboolean|gl=4.0,gles2=3.0|GL_ARB_transform_feedback2||id:GLuint::transform feedback
glIsVariantEnabledEXT|GLboolean||GL_EXT_vertex_shader||id:GLuint;cap:GLenum:VariantCapEXT
glIsVertexArray|GLboolean|gl=3.0,gles2=3.0|GL_ARB_vertex_array_object||array:GLuint::vertex array
glIsVertexArrayOES|GLboolean||GL_OES_vertex_array_object|glIsVertexArray|array:GLuint::vertex array
glLabelObjectEXT|void||GL_EXT_debug_label||type:GLenum;object:GLuint;length:GLsizei;label:const GLchar *
glLightModelf|void|gl=1.0-|||pname:GLenum:LightModelParameter;param:GLfloat
glLightModelfv|void|gl=1.0-|||pname:GLenum:LightModelParameter;params:const GLfloat *:::COMPSIZE(pname)
glLightModeli|void|gl=1.0-|||pname:GLenum:LightModelParameter;param:GLint
glLightModeliv|void|gl=1.0-|||pname:GLenum:LightModelParameter;params:const GLint *:::COMPSIZE(pname)
glLightModelxOES|void||GL_OES_fixed_point||pname:GLenum:LightModelParameter;param:GLfixed
glLightModelxvOES|void||GL_OES_fixed_point||pname:GLenum:LightModelParameter;param:const GLfixed *:::COMPSIZE(pname)
glLightf|void|gl=1.0-|||light:GLenum:LightName;pname:GLenum:LightParameter;param:GLfloat
glLightfv|void|gl=1.0-|||light:GLenum:LightName;pname:GLenum:LightParameter;params:const GLfloat *:::COMPSIZE(pname)
glLighti|void|gl=1.0-|||light:GLenum:LightName;pname:GLenum:LightParameter;param:GLint
glLightiv|void|gl=1.0-|||light:GLenum:LightName;pname:GLenum:LightParameter;params:const GLint *:::COMPSIZE(pname)
glLightxOES|void||GL_OES_fixed_point||light:GLenum:LightName;pname:GLenum:LightParameter;param:GLfixed
glLightxvOES|void||GL_OES_fixed_point||light:GLenum:LightName;pname:GLenum:LightParameter;params:const GLfixed *:::COMPSIZE(pname)
glLineStipple|void|gl=1.0-|||factor:GLint;pattern:GLushort
glLineWidth|void|gl=1.0,gles2=2.0|||width:GLfloat
glLineWidthxOES|void||GL_OES_fixed_point||width:GLfixed
glLinkProgram|void|gl=2.0,gles2=2.0|||program:GLuint::program
glLinkProgramARB|void||GL_ARB_shader_objects|glLinkProgram|programObj:GLhandleARB
glListBase|void|gl=1.0-|||base:GLuint::display list
glLoadIdentity|void|gl=1.0-
glLoadMatrixd|void|gl=1.0-|||m:const GLdouble *:::16
glLoadMatrixf|void|gl=1.0-|||m:const GLfloat *:::16
glLoadMatrixxOES|void||GL_OES_fixed_point||m:const GLfixed *:::16
glLoadName|void|gl=1.0-|||name:GLuint
glLoadTransposeMatrixd|void|gl=1.3-|||m:const GLdouble *:::16
glLoadTransposeMatrixdARB|void||GL_ARB_transpose_matrix|glLoadTransposeMatrixd|m:const GLdouble *:::16
glLoadTransposeMatrixf|void|gl=1.3-|||m:const GLfloat *:::16
glLoadTransposeMatrixfARB|void||GL_ARB_transpose_matrix|glLoadTransposeMatrixf|m:const GLfloat *:::16
glLoadTransposeMatrixxOES|void||GL_OES_fixed_point||m:const GLfixed *:::16
glLockArraysEXT|void||GL_EXT_compiled_vertex_array||first:GLint;count:GLsizei
glLogicOp|void|gl=1.0|||opcode:GLenum:LogicOp
glMakeImageHandleNonResidentARB|void||GL_ARB_bindless_texture||handle:GLuint64
glMakeImageHandleNonResidentNV|void||GL_NV_bindless_texture||handle:GLuint64
glMakeImageHandleResidentARB|void||GL_ARB_bindless_texture||handle:GLuint64;access:GLenum
glMakeImageHandleResidentNV|void||GL_NV_bindless_texture||handle:GLuint64;access:GLenum
glMakeTextureHandleNonResidentARB|void||GL_ARB_bindless_texture||handle:GLuint64
glMakeTextureHandleNonResidentNV|void||GL_NV_bindless_texture||handle:GLuint64
glMakeTextureHandleResidentARB|void||GL_ARB_bindless_texture||handle:GLuint64
glMakeTextureHandleResidentNV|void||GL_NV_bindless_texture||handle:GLuint64
glMap1d|void|gl=1.0-|||target:GLenum:MapTarget;u1:GLdouble;u2:GLdouble;stride:GLint;order:GLint;points:const GLdouble *:::COMPSIZE(target,stride,order)
glMap1f|void|gl=1.0-|||target:GLenum:MapTarget;u1:GLfloat;u2:GLfloat;stride:GLint;order:GLint;points:const GLfloat *:::COMPSIZE(target,stride,order)
glMap1xOES|void||GL_OES_fixed_point||target:GLenum:MapTarget;u1:GLfixed;u2:GLfixed;stride:GLint;order:GLint;points:GLfixed
glMap2d|void|gl=1.0-|||target:GLenum:MapTarget;u1:GLdouble;u2:GLdouble;ustride:GLint;uorder:GLint;v1:GLdouble;v2:GLdouble;vstride:GLint;vorder:GLint;points:const GLdouble *:::COMPSIZE(target,ustride,uorder,vstride,vorder)
glMap2f|void|gl=1.0-|||target:GLenum:MapTarget;u1:GLfloat;u2:GLfloat;ustride:GLint;uorder:GLint;v1:GLfloat;v2:GLfloat;vstride:GLint;vorder:GLint;points:const GLfloat *:::COMPSIZE(target,ustride,uorder,vstride,vorder)
glMap2xOES|void||GL_OES_fixed_point||target:GLenum:MapTarget;u1:GLfixed;u2:GLfixed;ustride:GLint;uorder:GLint;v1:GLfixed;v2:GLfixed;vstride:GLint;vorder:GLint;points:GLfixed
glMapBuffer|void *|gl=1.5|||target:GLenum:BufferTargetARB;access:GLenum:BufferAccessARB
glMapBufferARB|void *||GL_ARB_vertex_buffer_object|glMapBuffer|target:GLenum:BufferTargetARB;access:GLenum:BufferAccessARB
glMapBufferOES|void *||GL_OES_mapbuffer|glMapBuffer|target:GLenum:BufferTargetARB;access:GLenum:BufferAccessARB
glMapBufferRange|void *|gl=3.0,gles2=3.0|GL_ARB_map_buffer_range||target:GLenum:BufferTargetARB;offset:GLintptr;length:GLsizeiptr;access:GLbitfield:MapBufferAccessMask
glMapBufferRangeEXT|void *||GL_EXT_map_buffer_range|glMapBufferRange|target:GLenum:BufferTargetARB;offset:GLintptr;length:GLsizeiptr;access:GLbitfield:MapBufferAccessMask
glMapGrid1d|void|gl=1.0-|||un:GLint;u1:GLdouble;u2:GLdouble
glMapGrid1f|void|gl=1.0-|||un:GLint;u1:GLfloat;u2:GLfloat
glMapGrid1xOES|void||GL_OES_fixed_point||n:GLint;u1:GLfixed;u2:GLfixed
glMapGrid2d|void|gl=1.0-|||un:GLint;u1:GLdouble;u2:GLdouble;vn:GLint;v1:GLdouble;v2:GLdouble
glMapGrid2f|void|gl=1.0-|||un:GLint;u1:GLfloat;u2:GLfloat;vn:GLint;v1:GLfloat;v2:GLfloat
glMapGrid2xOES|void||GL_OES_fixed_point||n:GLint;u1:GLfixed;u2:GLfixed;v1:GLfixed;v2:GLfixed
glMapNamedBuffer|void *|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer;access:GLenum:BufferAccessARB
glMapNamedBufferEXT|void *||GL_EXT_direct_state_access||buffer:GLuint::buffer;access:GLenum:BufferAccessARB
glMapNamedBufferRange|void *|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer;offset:GLintptr;length:GLsizeiptr;access:GLbitfield:MapBufferAccessMask
glMapNamedBufferRangeEXT|void *||GL_EXT_direct_state_access||buffer:GLuint::buffer;offset:GLintptr;length:GLsizeiptr;access:GLbitfield:MapBufferAccessMask
glMaterialf|void|gl=1.0-|||face:GLenum:TriangleFace;pname:GLenum:MaterialParameter;param:GLfloat
glMaterialfv|void|gl=1.0-|||face:GLenum:TriangleFace;pname:GLenum:MaterialParameter;params:const GLfloat *:::COMPSIZE(pname)
glMateriali|void|gl=1.0-|||face:GLenum:TriangleFace;pname:GLenum:MaterialParameter;param:GLint
glMaterialiv|void|gl=1.0-|||face:GLenum:TriangleFace;pname:GLenum:MaterialParameter;params:const GLint *:::COMPSIZE(pname)
glMaterialxOES|void||GL_OES_fixed_point||face:GLenum:TriangleFace;pname:GLenum:MaterialParameter;param:GLfixed
glMaterialxvOES|void||GL_OES_fixed_point||face:GLenum:TriangleFace;pname:GLenum:MaterialParameter;param:const GLfixed *:::COMPSIZE(pname)
glMatrixFrustumEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;left:GLdouble;right:GLdouble;bottom:GLdouble;top:GLdouble;zNear:GLdouble;zFar:GLdouble
glMatrixIndexPointerARB|void||GL_ARB_matrix_palette||size:GLint;type:GLenum:MatrixIndexPointerTypeARB;stride:GLsizei;pointer:const void *:::COMPSIZE(size,type,stride)
glMatrixIndexubvARB|void||GL_ARB_matrix_palette||size:GLint;indices:const GLubyte *:::size
glMatrixIndexuivARB|void||GL_ARB_matrix_palette||size:GLint;indices:const GLuint *:::size
glMatrixIndexusvARB|void||GL_ARB_matrix_palette||size:GLint;indices:const GLushort *:::size
glMatrixLoad3x2fNV|void||GL_NV_path_rendering||matrixMode:GLenum;m:const GLfloat *
glMatrixLoad3x3fNV|void||GL_NV_path_rendering||matrixMode:GLenum;m:const GLfloat *
glMatrixLoadIdentityEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode
glMatrixLoadTranspose3x3fNV|void||GL_NV_path_rendering||matrixMode:GLenum;m:const GLfloat *
glMatrixLoadTransposedEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;m:const GLdouble *:::16
glMatrixLoadTransposefEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;m:const GLfloat *:::16
glMatrixLoaddEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;m:const GLdouble *:::16
glMatrixLoadfEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;m:const GLfloat *:::16
glMatrixMode|void|gl=1.0-|||mode:GLenum:MatrixMode
glMatrixMult3x2fNV|void||GL_NV_path_rendering||matrixMode:GLenum;m:const GLfloat *
glMatrixMult3x3fNV|void||GL_NV_path_rendering||matrixMode:GLenum;m:const GLfloat *
glMatrixMultTranspose3x3fNV|void||GL_NV_path_rendering||matrixMode:GLenum;m:const GLfloat *
glMatrixMultTransposedEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;m:const GLdouble *:::16
glMatrixMultTransposefEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;m:const GLfloat *:::16
glMatrixMultdEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;m:const GLdouble *:::16
glMatrixMultfEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;m:const GLfloat *:::16
glMatrixOrthoEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;left:GLdouble;right:GLdouble;bottom:GLdouble;top:GLdouble;zNear:GLdouble;zFar:GLdouble
glMatrixPopEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode
glMatrixPushEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode
glMatrixRotatedEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;angle:GLdouble;x:GLdouble;y:GLdouble;z:GLdouble
glMatrixRotatefEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;angle:GLfloat;x:GLfloat;y:GLfloat;z:GLfloat
glMatrixScaledEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;x:GLdouble;y:GLdouble;z:GLdouble
glMatrixScalefEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;x:GLfloat;y:GLfloat;z:GLfloat
glMatrixTranslatedEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;x:GLdouble;y:GLdouble;z:GLdouble
glMatrixTranslatefEXT|void||GL_EXT_direct_state_access,GL_NV_path_rendering||mode:GLenum:MatrixMode;x:GLfloat;y:GLfloat;z:GLfloat
glMaxActiveShaderCoresARM|void||GL_ARM_shader_core_properties||count:GLuint
glMaxShaderCompilerThreadsARB|void||GL_ARB_parallel_shader_compile|glMaxShaderCompilerThreadsKHR|count:GLuint
glMaxShaderCompilerThreadsKHR|void||GL_KHR_parallel_shader_compile||count:GLuint
glMemoryBarrier|void|gl=4.2,gles2=3.1|GL_ARB_shader_image_load_store||barriers:GLbitfield:MemoryBarrierMask
glMemoryBarrierByRegion|void|gl=4.5,gles2=3.1|GL_ARB_ES3_1_compatibility||barriers:GLbitfield:MemoryBarrierMask
glMemoryBarrierEXT|void||GL_EXT_shader_image_load_store|glMemoryBarrier|barriers:GLbitfield:MemoryBarrierMask
glMemoryObjectParameterivEXT|void||GL_EXT_memory_object||memoryObject:GLuint;pname:GLenum:MemoryObjectParameterName;params:const GLint *
glMinSampleShading|void|gl=4.0,gles2=3.2|||value:GLfloat
glMinSampleShadingARB|void||GL_ARB_sample_shading|glMinSampleShading|value:GLfloat
glMinSampleShadingOES|void||GL_OES_sample_shading|glMinSampleShading|value:GLfloat
glMinmax|void||GL_ARB_imaging||target:GLenum:MinmaxTargetEXT;internalformat:GLenum:InternalFormat;sink:GLboolean
glMinmaxEXT|void||GL_EXT_histogram|glMinmax|target:GLenum:MinmaxTargetEXT;internalformat:GLenum:InternalFormat;sink:GLboolean
glMultMatrixd|void|gl=1.0-|||m:const GLdouble *:::16
glMultMatrixf|void|gl=1.0-|||m:const GLfloat *:::16
glMultMatrixxOES|void||GL_OES_fixed_point||m:const GLfixed *:::16
glMultTransposeMatrixd|void|gl=1.3-|||m:const GLdouble *:::16
glMultTransposeMatrixdARB|void||GL_ARB_transpose_matrix|glMultTransposeMatrixd|m:const GLdouble *:::16
glMultTransposeMatrixf|void|gl=1.3-|||m:const GLfloat *:::16
glMultTransposeMatrixfARB|void||GL_ARB_transpose_matrix|glMultTransposeMatrixf|m:const GLfloat *:::16
glMultTransposeMatrixxOES|void||GL_OES_fixed_point||m:const GLfixed *:::16
glMultiDrawArrays|void|gl=1.4|||mode:GLenum:PrimitiveType;first:const GLint *:::drawcount;count:const GLsizei *:::drawcount;drawcount:GLsizei
glMultiDrawArraysEXT|void||GL_EXT_multi_draw_arrays|glMultiDrawArrays|mode:GLenum:PrimitiveType;first:const GLint *:::primcount;count:const GLsizei *:::primcount;primcount:GLsizei
glMultiDrawArraysIndirect|void|gl=4.3|GL_ARB_multi_draw_indirect||mode:GLenum:PrimitiveType;indirect:const void *:::COMPSIZE(drawcount,stride);drawcount:GLsizei;stride:GLsizei
glMultiDrawArraysIndirectCount|void|gl=4.6|||mode:GLenum:PrimitiveType;indirect:const void *;drawcount:GLintptr;maxdrawcount:GLsizei;stride:GLsizei
glMultiDrawArraysIndirectCountARB|void||GL_ARB_indirect_parameters|glMultiDrawArraysIndirectCount|mode:GLenum:PrimitiveType;indirect:const void *;drawcount:GLintptr;maxdrawcount:GLsizei;stride:GLsizei
glMultiDrawArraysIndirectEXT|void||GL_EXT_multi_draw_indirect|glMultiDrawArraysIndirect|mode:GLenum:PrimitiveType;indirect:const void *:::COMPSIZE(drawcount,stride);drawcount:GLsizei;stride:GLsizei
glMultiDrawElements|void|gl=1.4|||mode:GLenum:PrimitiveType;count:const GLsizei *:::drawcount;type:GLenum:DrawElementsType;indices:const void * const *:::drawcount;drawcount:GLsizei
glMultiDrawElementsBaseVertex|void|gl=3.2|GL_ARB_draw_elements_base_vertex||mode:GLenum:PrimitiveType;count:const GLsizei *:::drawcount;type:GLenum:DrawElementsType;indices:const void * const *:::drawcount;drawcount:GLsizei;basevertex:const GLint *:::drawcount
glMultiDrawElementsBaseVertexEXT|void||GL_EXT_draw_elements_base_vertex,GL_OES_draw_elements_base_vertex|glMultiDrawElementsBaseVertex|mode:GLenum:PrimitiveType;count:const GLsizei *:::drawcount;type:GLenum:DrawElementsType;indices:const void * const *:::drawcount;drawcount:GLsizei;basevertex:const GLint *:::drawcount
glMultiDrawElementsEXT|void||GL_EXT_multi_draw_arrays|glMultiDrawElements|mode:GLenum:PrimitiveType;count:const GLsizei *:::primcount;type:GLenum:DrawElementsType;indices:const void * const *:::primcount;primcount:GLsizei
glMultiDrawElementsIndirect|void|gl=4.3|GL_ARB_multi_draw_indirect||mode:GLenum:PrimitiveType;type:GLenum:DrawElementsType;indirect:const void *:::COMPSIZE(drawcount,stride);drawcount:GLsizei;stride:GLsizei
glMultiDrawElementsIndirectCount|void|gl=4.6|||mode:GLenum:PrimitiveType;type:GLenum:DrawElementsType;indirect:const void *;drawcount:GLintptr;maxdrawcount:GLsizei;stride:GLsizei
glMultiDrawElementsIndirectCountARB|void||GL_ARB_indirect_parameters|glMultiDrawElementsIndirectCount|mode:GLenum:PrimitiveType;type:GLenum:DrawElementsType;indirect:const void *;drawcount:GLintptr;maxdrawcount:GLsizei;stride:GLsizei
glMultiDrawElementsIndirectEXT|void||GL_EXT_multi_draw_indirect|glMultiDrawElementsIndirect|mode:GLenum:PrimitiveType;type:GLenum:DrawElementsType;indirect:const void *:::COMPSIZE(drawcount,stride);drawcount:GLsizei;stride:GLsizei
glMultiDrawMeshTasksIndirectCountNV|void||GL_NV_mesh_shader||indirect:GLintptr;drawcount:GLintptr;maxdrawcount:GLsizei;stride:GLsizei
glMultiDrawMeshTasksIndirectNV|void||GL_NV_mesh_shader||indirect:GLintptr;drawcount:GLsizei;stride:GLsizei
glMultiTexBufferEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;internalformat:GLenum:InternalFormat;buffer:GLuint::buffer
glMultiTexCoord1bOES|void||GL_OES_byte_coordinates||texture:GLenum:TextureUnit;s:GLbyte
glMultiTexCoord1bvOES|void||GL_OES_byte_coordinates||texture:GLenum:TextureUnit;coords:const GLbyte *:::1
glMultiTexCoord1d|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLdouble
glMultiTexCoord1dARB|void||GL_ARB_multitexture|glMultiTexCoord1d|target:GLenum:TextureUnit;s:GLdouble
glMultiTexCoord1dv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLdouble *:::1
glMultiTexCoord1dvARB|void||GL_ARB_multitexture|glMultiTexCoord1dv|target:GLenum:TextureUnit;v:const GLdouble *:::1
glMultiTexCoord1f|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLfloat
glMultiTexCoord1fARB|void||GL_ARB_multitexture|glMultiTexCoord1f|target:GLenum:TextureUnit;s:GLfloat
glMultiTexCoord1fv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLfloat *:::1
glMultiTexCoord1fvARB|void||GL_ARB_multitexture|glMultiTexCoord1fv|target:GLenum:TextureUnit;v:const GLfloat *:::1
glMultiTexCoord1i|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLint
glMultiTexCoord1iARB|void||GL_ARB_multitexture|glMultiTexCoord1i|target:GLenum:TextureUnit;s:GLint
glMultiTexCoord1iv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLint *:::1
glMultiTexCoord1ivARB|void||GL_ARB_multitexture|glMultiTexCoord1iv|target:GLenum:TextureUnit;v:const GLint *:::1
glMultiTexCoord1s|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLshort
glMultiTexCoord1sARB|void||GL_ARB_multitexture|glMultiTexCoord1s|target:GLenum:TextureUnit;s:GLshort
glMultiTexCoord1sv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLshort *:::1
glMultiTexCoord1svARB|void||GL_ARB_multitexture|glMultiTexCoord1sv|target:GLenum:TextureUnit;v:const GLshort *:::1
glMultiTexCoord1xOES|void||GL_OES_fixed_point||texture:GLenum:TextureUnit;s:GLfixed
glMultiTexCoord1xvOES|void||GL_OES_fixed_point||texture:GLenum:TextureUnit;coords:const GLfixed *:::1
glMultiTexCoord2bOES|void||GL_OES_byte_coordinates||texture:GLenum:TextureUnit;s:GLbyte;t:GLbyte
glMultiTexCoord2bvOES|void||GL_OES_byte_coordinates||texture:GLenum:TextureUnit;coords:const GLbyte *:::2
glMultiTexCoord2d|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLdouble;t:GLdouble
glMultiTexCoord2dARB|void||GL_ARB_multitexture|glMultiTexCoord2d|target:GLenum:TextureUnit;s:GLdouble;t:GLdouble
glMultiTexCoord2dv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLdouble *:::2
glMultiTexCoord2dvARB|void||GL_ARB_multitexture|glMultiTexCoord2dv|target:GLenum:TextureUnit;v:const GLdouble *:::2
glMultiTexCoord2f|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLfloat;t:GLfloat
glMultiTexCoord2fARB|void||GL_ARB_multitexture|glMultiTexCoord2f|target:GLenum:TextureUnit;s:GLfloat;t:GLfloat
glMultiTexCoord2fv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLfloat *:::2
glMultiTexCoord2fvARB|void||GL_ARB_multitexture|glMultiTexCoord2fv|target:GLenum:TextureUnit;v:const GLfloat *:::2
glMultiTexCoord2i|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLint;t:GLint
glMultiTexCoord2iARB|void||GL_ARB_multitexture|glMultiTexCoord2i|target:GLenum:TextureUnit;s:GLint;t:GLint
glMultiTexCoord2iv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLint *:::2
glMultiTexCoord2ivARB|void||GL_ARB_multitexture|glMultiTexCoord2iv|target:GLenum:TextureUnit;v:const GLint *:::2
glMultiTexCoord2s|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLshort;t:GLshort
glMultiTexCoord2sARB|void||GL_ARB_multitexture|glMultiTexCoord2s|target:GLenum:TextureUnit;s:GLshort;t:GLshort
glMultiTexCoord2sv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLshort *:::2
glMultiTexCoord2svARB|void||GL_ARB_multitexture|glMultiTexCoord2sv|target:GLenum:TextureUnit;v:const GLshort *:::2
glMultiTexCoord2xOES|void||GL_OES_fixed_point||texture:GLenum:TextureUnit;s:GLfixed;t:GLfixed
glMultiTexCoord2xvOES|void||GL_OES_fixed_point||texture:GLenum:TextureUnit;coords:const GLfixed *:::2
glMultiTexCoord3bOES|void||GL_OES_byte_coordinates||texture:GLenum:TextureUnit;s:GLbyte;t:GLbyte;r:GLbyte
glMultiTexCoord3bvOES|void||GL_OES_byte_coordinates||texture:GLenum:TextureUnit;coords:const GLbyte *:::3
glMultiTexCoord3d|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLdouble;t:GLdouble;r:GLdouble
glMultiTexCoord3dARB|void||GL_ARB_multitexture|glMultiTexCoord3d|target:GLenum:TextureUnit;s:GLdouble;t:GLdouble;r:GLdouble
glMultiTexCoord3dv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLdouble *:::3
glMultiTexCoord3dvARB|void||GL_ARB_multitexture|glMultiTexCoord3dv|target:GLenum:TextureUnit;v:const GLdouble *:::3
glMultiTexCoord3f|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLfloat;t:GLfloat;r:GLfloat
glMultiTexCoord3fARB|void||GL_ARB_multitexture|glMultiTexCoord3f|target:GLenum:TextureUnit;s:GLfloat;t:GLfloat;r:GLfloat
glMultiTexCoord3fv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLfloat *:::3
glMultiTexCoord3fvARB|void||GL_ARB_multitexture|glMultiTexCoord3fv|target:GLenum:TextureUnit;v:const GLfloat *:::3
glMultiTexCoord3i|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLint;t:GLint;r:GLint
glMultiTexCoord3iARB|void||GL_ARB_multitexture|glMultiTexCoord3i|target:GLenum:TextureUnit;s:GLint;t:GLint;r:GLint
glMultiTexCoord3iv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLint *:::3
glMultiTexCoord3ivARB|void||GL_ARB_multitexture|glMultiTexCoord3iv|target:GLenum:TextureUnit;v:const GLint *:::3
glMultiTexCoord3s|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLshort;t:GLshort;r:GLshort
glMultiTexCoord3sARB|void||GL_ARB_multitexture|glMultiTexCoord3s|target:GLenum:TextureUnit;s:GLshort;t:GLshort;r:GLshort
glMultiTexCoord3sv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLshort *:::3
glMultiTexCoord3svARB|void||GL_ARB_multitexture|glMultiTexCoord3sv|target:GLenum:TextureUnit;v:const GLshort *:::3
glMultiTexCoord3xOES|void||GL_OES_fixed_point||texture:GLenum:TextureUnit;s:GLfixed;t:GLfixed;r:GLfixed
glMultiTexCoord3xvOES|void||GL_OES_fixed_point||texture:GLenum:TextureUnit;coords:const GLfixed *:::3
glMultiTexCoord4bOES|void||GL_OES_byte_coordinates||texture:GLenum:TextureUnit;s:GLbyte;t:GLbyte;r:GLbyte;q:GLbyte
glMultiTexCoord4bvOES|void||GL_OES_byte_coordinates||texture:GLenum:TextureUnit;coords:const GLbyte *:::4
glMultiTexCoord4d|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLdouble;t:GLdouble;r:GLdouble;q:GLdouble
glMultiTexCoord4dARB|void||GL_ARB_multitexture|glMultiTexCoord4d|target:GLenum:TextureUnit;s:GLdouble;t:GLdouble;r:GLdouble;q:GLdouble
glMultiTexCoord4dv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLdouble *:::4
glMultiTexCoord4dvARB|void||GL_ARB_multitexture|glMultiTexCoord4dv|target:GLenum:TextureUnit;v:const GLdouble *:::4
glMultiTexCoord4f|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLfloat;t:GLfloat;r:GLfloat;q:GLfloat
glMultiTexCoord4fARB|void||GL_ARB_multitexture|glMultiTexCoord4f|target:GLenum:TextureUnit;s:GLfloat;t:GLfloat;r:GLfloat;q:GLfloat
glMultiTexCoord4fv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLfloat *:::4
glMultiTexCoord4fvARB|void||GL_ARB_multitexture|glMultiTexCoord4fv|target:GLenum:TextureUnit;v:const GLfloat *:::4
glMultiTexCoord4i|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLint;t:GLint;r:GLint;q:GLint
glMultiTexCoord4iARB|void||GL_ARB_multitexture|glMultiTexCoord4i|target:GLenum:TextureUnit;s:GLint;t:GLint;r:GLint;q:GLint
glMultiTexCoord4iv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLint *:::4
glMultiTexCoord4ivARB|void||GL_ARB_multitexture|glMultiTexCoord4iv|target:GLenum:TextureUnit;v:const GLint *:::4
glMultiTexCoord4s|void|gl=1.3-|||target:GLenum:TextureUnit;s:GLshort;t:GLshort;r:GLshort;q:GLshort
glMultiTexCoord4sARB|void||GL_ARB_multitexture|glMultiTexCoord4s|target:GLenum:TextureUnit;s:GLshort;t:GLshort;r:GLshort;q:GLshort
glMultiTexCoord4sv|void|gl=1.3-|||target:GLenum:TextureUnit;v:const GLshort *:::4
glMultiTexCoord4svARB|void||GL_ARB_multitexture|glMultiTexCoord4sv|target:GLenum:TextureUnit;v:const GLshort *:::4
glMultiTexCoord4xOES|void||GL_OES_fixed_point||texture:GLenum:TextureUnit;s:GLfixed;t:GLfixed;r:GLfixed;q:GLfixed
glMultiTexCoord4xvOES|void||GL_OES_fixed_point||texture:GLenum:TextureUnit;coords:const GLfixed *:::4
glMultiTexCoordP1ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||texture:GLenum:TextureUnit;type:GLenum:TexCoordPointerType;coords:GLuint
glMultiTexCoordP1uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||texture:GLenum:TextureUnit;type:GLenum:TexCoordPointerType;coords:const GLuint *:::1
glMultiTexCoordP2ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||texture:GLenum:TextureUnit;type:GLenum:TexCoordPointerType;coords:GLuint
glMultiTexCoordP2uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||texture:GLenum:TextureUnit;type:GLenum:TexCoordPointerType;coords:const GLuint *:::1
glMultiTexCoordP3ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||texture:GLenum:TextureUnit;type:GLenum:TexCoordPointerType;coords:GLuint
glMultiTexCoordP3uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||texture:GLenum:TextureUnit;type:GLenum:TexCoordPointerType;coords:const GLuint *:::1
glMultiTexCoordP4ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||texture:GLenum:TextureUnit;type:GLenum:TexCoordPointerType;coords:GLuint
glMultiTexCoordP4uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||texture:GLenum:TextureUnit;type:GLenum:TexCoordPointerType;coords:const GLuint *:::1
glMultiTexCoordPointerEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;size:GLint;type:GLenum:TexCoordPointerType;stride:GLsizei;pointer:const void *:::COMPSIZE(size,type,stride)
glMultiTexEnvfEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;param:GLfloat
glMultiTexEnvfvEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;params:const GLfloat *:::COMPSIZE(pname)
glMultiTexEnviEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;param:GLint
glMultiTexEnvivEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;params:const GLint *:::COMPSIZE(pname)
glMultiTexGendEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;param:GLdouble
glMultiTexGendvEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:const GLdouble *:::COMPSIZE(pname)
glMultiTexGenfEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;param:GLfloat
glMultiTexGenfvEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:const GLfloat *:::COMPSIZE(pname)
glMultiTexGeniEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;param:GLint
glMultiTexGenivEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:const GLint *:::COMPSIZE(pname)
glMultiTexImage1DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;internalformat:GLint:InternalFormat;width:GLsizei;border:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width)
glMultiTexImage2DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;internalformat:GLint:InternalFormat;width:GLsizei;height:GLsizei;border:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height)
glMultiTexImage3DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;internalformat:GLint:InternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;border:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height,depth)
glMultiTexParameterIivEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLint *:::COMPSIZE(pname)
glMultiTexParameterIuivEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLuint *:::COMPSIZE(pname)
glMultiTexParameterfEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;param:GLfloat
glMultiTexParameterfvEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLfloat *:::COMPSIZE(pname)
glMultiTexParameteriEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;param:GLint
glMultiTexParameterivEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLint *:::COMPSIZE(pname)
glMultiTexRenderbufferEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;renderbuffer:GLuint::renderbuffer
glMultiTexSubImage1DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;width:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width)
glMultiTexSubImage2DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height)
glMultiTexSubImage3DEXT|void||GL_EXT_direct_state_access||texunit:GLenum:TextureUnit;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height,depth)
glNamedBufferAttachMemoryNV|void||GL_NV_memory_attachment||buffer:GLuint::buffer;memory:GLuint;offset:GLuint64
glNamedBufferData|void|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer;size:GLsizeiptr;data:const void *:::size;usage:GLenum:VertexBufferObjectUsage
glNamedBufferDataEXT|void||GL_EXT_direct_state_access||buffer:GLuint::buffer;size:GLsizeiptr;data:const void *:::COMPSIZE(size);usage:GLenum:VertexBufferObjectUsage
glNamedBufferPageCommitmentARB|void||GL_ARB_sparse_buffer||buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr;commit:GLboolean
glNamedBufferPageCommitmentEXT|void||GL_ARB_sparse_buffer||buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr;commit:GLboolean
glNamedBufferPageCommitmentMemNV|void||GL_NV_memory_object_sparse||buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr;memory:GLuint;memOffset:GLuint64;commit:GLboolean
glNamedBufferStorage|void|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer;size:GLsizeiptr;data:const void *:::size;flags:GLbitfield:BufferStorageMask
glNamedBufferStorageEXT|void||GL_EXT_direct_state_access|glNamedBufferStorage|buffer:GLuint::buffer;size:GLsizeiptr;data:const void *:::size;flags:GLbitfield:BufferStorageMask
glNamedBufferStorageExternalEXT|void||GL_EXT_external_buffer||buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr;clientBuffer:GLeglClientBufferEXT;flags:GLbitfield:BufferStorageMask
glNamedBufferStorageMemEXT|void||GL_EXT_memory_object||buffer:GLuint::buffer;size:GLsizeiptr;memory:GLuint;offset:GLuint64
glNamedBufferSubData|void|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr;data:const void *:::size
glNamedBufferSubDataEXT|void||GL_EXT_direct_state_access|glNamedBufferSubData|buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr;data:const void *:::COMPSIZE(size)
glNamedCopyBufferSubDataEXT|void||GL_EXT_direct_state_access||readBuffer:GLuint::buffer;writeBuffer:GLuint::buffer;readOffset:GLintptr;writeOffset:GLintptr;size:GLsizeiptr
glNamedFramebufferDrawBuffer|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;buf:GLenum:ColorBuffer
glNamedFramebufferDrawBuffers|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;n:GLsizei;bufs:const GLenum *:ColorBuffer::n
glNamedFramebufferParameteri|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;pname:GLenum:FramebufferParameterName;param:GLint
glNamedFramebufferParameteriEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;pname:GLenum:FramebufferParameterName;param:GLint
glNamedFramebufferReadBuffer|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;src:GLenum:ColorBuffer
glNamedFramebufferRenderbuffer|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;renderbuffertarget:GLenum:RenderbufferTarget;renderbuffer:GLuint::renderbuffer
glNamedFramebufferRenderbufferEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;renderbuffertarget:GLenum:RenderbufferTarget;renderbuffer:GLuint::renderbuffer
glNamedFramebufferSampleLocationsfvARB|void||GL_ARB_sample_locations||framebuffer:GLuint::framebuffer;start:GLuint;count:GLsizei;v:const GLfloat *
glNamedFramebufferSampleLocationsfvNV|void||GL_NV_sample_locations||framebuffer:GLuint::framebuffer;start:GLuint;count:GLsizei;v:const GLfloat *
glNamedFramebufferTexture|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint
glNamedFramebufferTexture1DEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint
glNamedFramebufferTexture2DEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint
glNamedFramebufferTexture3DEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;textarget:GLenum:TextureTarget;texture:GLuint::texture;level:GLint;zoffset:GLint
glNamedFramebufferTextureEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint
glNamedFramebufferTextureFaceEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint;face:GLenum:TextureTarget
glNamedFramebufferTextureLayer|void|gl=4.5|GL_ARB_direct_state_access||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint;layer:GLint
glNamedFramebufferTextureLayerEXT|void||GL_EXT_direct_state_access||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint;layer:GLint
glNamedFramebufferTextureMultiviewOVR|void||GL_OVR_multiview||framebuffer:GLuint::framebuffer;attachment:GLenum:FramebufferAttachment;texture:GLuint::texture;level:GLint;baseViewIndex:GLint;numViews:GLsizei
glNamedProgramLocalParameter4dEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;x:GLdouble;y:GLdouble;z:GLdouble;w:GLdouble
glNamedProgramLocalParameter4dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;params:const GLdouble *:::4
glNamedProgramLocalParameter4fEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;x:GLfloat;y:GLfloat;z:GLfloat;w:GLfloat
glNamedProgramLocalParameter4fvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;params:const GLfloat *:::4
glNamedProgramLocalParameterI4iEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;x:GLint;y:GLint;z:GLint;w:GLint
glNamedProgramLocalParameterI4ivEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;params:const GLint *:::4
glNamedProgramLocalParameterI4uiEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;x:GLuint;y:GLuint;z:GLuint;w:GLuint
glNamedProgramLocalParameterI4uivEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;params:const GLuint *:::4
glNamedProgramLocalParameters4fvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;count:GLsizei;params:const GLfloat *:::count*4
glNamedProgramLocalParametersI4ivEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;count:GLsizei;params:const GLint *:::count*4
glNamedProgramLocalParametersI4uivEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;index:GLuint;count:GLsizei;params:const GLuint *:::count*4
glNamedProgramStringEXT|void||GL_EXT_direct_state_access||program:GLuint::program;target:GLenum:ProgramTarget;format:GLenum:ProgramFormat;len:GLsizei;string:const void *:::len
glNamedRenderbufferStorage|void|gl=4.5|GL_ARB_direct_state_access||renderbuffer:GLuint::renderbuffer;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glNamedRenderbufferStorageEXT|void||GL_EXT_direct_state_access||renderbuffer:GLuint::renderbuffer;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glNamedRenderbufferStorageMultisample|void|gl=4.5|GL_ARB_direct_state_access||renderbuffer:GLuint::renderbuffer;samples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glNamedRenderbufferStorageMultisampleAdvancedAMD|void||GL_AMD_framebuffer_multisample_advanced||renderbuffer:GLuint::renderbuffer;samples:GLsizei;storageSamples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glNamedRenderbufferStorageMultisampleCoverageEXT|void||GL_EXT_direct_state_access||renderbuffer:GLuint::renderbuffer;coverageSamples:GLsizei;colorSamples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glNamedRenderbufferStorageMultisampleEXT|void||GL_EXT_direct_state_access||renderbuffer:GLuint::renderbuffer;samples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glNamedStringARB|void||GL_ARB_shading_language_include||type:GLenum;namelen:GLint;name:const GLchar *:::namelen;stringlen:GLint;string:const GLchar *:::stringlen
glNewList|void|gl=1.0-|||list:GLuint::display list;mode:GLenum:ListMode
glNormal3b|void|gl=1.0-|||nx:GLbyte;ny:GLbyte;nz:GLbyte
glNormal3bv|void|gl=1.0-|||v:const GLbyte *:::3
glNormal3d|void|gl=1.0-|||nx:GLdouble;ny:GLdouble;nz:GLdouble
glNormal3dv|void|gl=1.0-|||v:const GLdouble *:::3
glNormal3f|void|gl=1.0-|||nx:GLfloat;ny:GLfloat;nz:GLfloat
glNormal3fv|void|gl=1.0-|||v:const GLfloat *:::3
glNormal3i|void|gl=1.0-|||nx:GLint;ny:GLint;nz:GLint
glNormal3iv|void|gl=1.0-|||v:const GLint *:::3
glNormal3s|void|gl=1.0-|||nx:GLshort;ny:GLshort;nz:GLshort
glNormal3sv|void|gl=1.0-|||v:const GLshort *:::3
glNormal3xOES|void||GL_OES_fixed_point||nx:GLfixed;ny:GLfixed;nz:GLfixed
glNormal3xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::3
glNormalP3ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:NormalPointerType;coords:GLuint
glNormalP3uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:NormalPointerType;coords:const GLuint *:::1
glNormalPointer|void|gl=1.1-|||type:GLenum:NormalPointerType;stride:GLsizei;pointer:const void *:::COMPSIZE(type,stride)
glNormalPointerEXT|void||GL_EXT_vertex_array||type:GLenum:NormalPointerType;stride:GLsizei;count:GLsizei;pointer:const void *:::COMPSIZE(type,stride,count)
glObjectLabel|void|gl=4.3,gles2=3.2|GL_KHR_debug||identifier:GLenum:ObjectIdentifier;name:GLuint;length:GLsizei;label:const GLchar *:::COMPSIZE(label,length)
glObjectLabelKHR|void||GL_KHR_debug|glObjectLabel|identifier:GLenum:ObjectIdentifier;name:GLuint;length:GLsizei;label:const GLchar *
glObjectPtrLabel|void|gl=4.3,gles2=3.2|GL_KHR_debug||ptr:const void *;length:GLsizei;label:const GLchar *:::COMPSIZE(label,length)
glObjectPtrLabelKHR|void||GL_KHR_debug|glObjectPtrLabel|ptr:const void *;length:GLsizei;label:const GLchar *
glOrtho|void|gl=1.0-|||left:GLdouble;right:GLdouble;bottom:GLdouble;top:GLdouble;zNear:GLdouble;zFar:GLdouble
glOrthofOES|void||GL_OES_single_precision||l:GLfloat;r:GLfloat;b:GLfloat;t:GLfloat;n:GLfloat;f:GLfloat
glOrthoxOES|void||GL_OES_fixed_point||l:GLfixed;r:GLfixed;b:GLfixed;t:GLfixed;n:GLfixed;f:GLfixed
glPassThrough|void|gl=1.0-|||token:GLfloat
glPassThroughxOES|void||GL_OES_fixed_point||token:GLfixed
glPatchParameterfv|void|gl=4.0|GL_ARB_tessellation_shader||pname:GLenum:PatchParameterName;values:const GLfloat *:::COMPSIZE(pname)
glPatchParameteri|void|gl=4.0,gles2=3.2|GL_ARB_tessellation_shader||pname:GLenum:PatchParameterName;value:GLint
glPatchParameteriEXT|void||GL_EXT_tessellation_shader|glPatchParameteri|pname:GLenum:PatchParameterName;value:GLint
glPatchParameteriOES|void||GL_OES_tessellation_shader|glPatchParameteri|pname:GLenum:PatchParameterName;value:GLint
glPathColorGenNV|void||GL_NV_path_rendering||color:GLenum:PathColor;genMode:GLenum:PathGenMode;colorFormat:GLenum:PathColorFormat;coeffs:const GLfloat *:::COMPSIZE(genMode,colorFormat)
glPathCommandsNV|void||GL_NV_path_rendering||path:GLuint;numCommands:GLsizei;commands:const GLubyte *:PathCoordType::numCommands;numCoords:GLsizei;coordType:GLenum:PathCoordType;coords:const void *:::COMPSIZE(numCoords,coordType)
glPathCoordsNV|void||GL_NV_path_rendering||path:GLuint;numCoords:GLsizei;coordType:GLenum:PathCoordType;coords:const void *:::COMPSIZE(numCoords,coordType)
glPathCoverDepthFuncNV|void||GL_NV_path_rendering||func:GLenum:DepthFunction
glPathDashArrayNV|void||GL_NV_path_rendering||path:GLuint;dashCount:GLsizei;dashArray:const GLfloat *:::dashCount
glPathFogGenNV|void||GL_NV_path_rendering||genMode:GLenum:PathGenMode
glPathGlyphIndexArrayNV|GLenum||GL_NV_path_rendering||firstPathName:GLuint;fontTarget:GLenum;fontName:const void *;fontStyle:GLbitfield:PathFontStyle;firstGlyphIndex:GLuint;numGlyphs:GLsizei;pathParameterTemplate:GLuint;emScale:GLfloat
glPathGlyphIndexRangeNV|GLenum||GL_NV_path_rendering||fontTarget:GLenum;fontName:const void *;fontStyle:GLbitfield:PathFontStyle;pathParameterTemplate:GLuint;emScale:GLfloat;baseAndCount:GLuint *:::2
glPathGlyphRangeNV|void||GL_NV_path_rendering||firstPathName:GLuint;fontTarget:GLenum:PathFontTarget;fontName:const void *:::COMPSIZE(fontTarget,fontName);fontStyle:GLbitfield:PathFontStyle;firstGlyph:GLuint;numGlyphs:GLsizei;handleMissingGlyphs:GLenum:PathHandleMissingGlyphs;pathParameterTemplate:GLuint;emScale:GLfloat
glPathGlyphsNV|void||GL_NV_path_rendering||firstPathName:GLuint;fontTarget:GLenum:PathFontTarget;fontName:const void *:::COMPSIZE(fontTarget,fontName);fontStyle:GLbitfield:PathFontStyle;numGlyphs:GLsizei;type:GLenum:PathElementType;charcodes:const void *:::COMPSIZE(numGlyphs,type,charcodes);handleMissingGlyphs:GLenum:PathHandleMissingGlyphs;pathParameterTemplate:GLuint;emScale:GLfloat
glPathMemoryGlyphIndexArrayNV|GLenum||GL_NV_path_rendering||firstPathName:GLuint;fontTarget:GLenum;fontSize:GLsizeiptr;fontData:const void *;faceIndex:GLsizei;firstGlyphIndex:GLuint;numGlyphs:GLsizei;pathParameterTemplate:GLuint;emScale:GLfloat
glPathParameterfNV|void||GL_NV_path_rendering||path:GLuint;pname:GLenum:PathParameter;value:GLfloat
glPathParameterfvNV|void||GL_NV_path_rendering||path:GLuint;pname:GLenum:PathParameter;value:const GLfloat *:::COMPSIZE(pname)
glPathParameteriNV|void||GL_NV_path_rendering||path:GLuint;pname:GLenum:PathParameter;value:GLint
glPathParameterivNV|void||GL_NV_path_rendering||path:GLuint;pname:GLenum:PathParameter;value:const GLint *:::COMPSIZE(pname)
glPathStencilDepthOffsetNV|void||GL_NV_path_rendering||factor:GLfloat;units:GLfloat
glPathStencilFuncNV|void||GL_NV_path_rendering||func:GLenum:StencilFunction;ref:GLint;mask:GLuint
glPathStringNV|void||GL_NV_path_rendering||path:GLuint;format:GLenum:PathStringFormat;length:GLsizei;pathString:const void *:::length
glPathSubCommandsNV|void||GL_NV_path_rendering||path:GLuint;commandStart:GLsizei;commandsToDelete:GLsizei;numCommands:GLsizei;commands:const GLubyte *:PathCoordType::numCommands;numCoords:GLsizei;coordType:GLenum:PathCoordType;coords:const void *:::COMPSIZE(numCoords,coordType)
glPathSubCoordsNV|void||GL_NV_path_rendering||path:GLuint;coordStart:GLsizei;numCoords:GLsizei;coordType:GLenum:PathCoordType;coords:const void *:::COMPSIZE(numCoords,coordType)
glPathTexGenNV|void||GL_NV_path_rendering||texCoordSet:GLenum:PathColor;genMode:GLenum:PathGenMode;components:GLint;coeffs:const GLfloat *:::COMPSIZE(genMode,components)
glPauseTransformFeedback|void|gl=4.0,gles2=3.0|GL_ARB_transform_feedback2
glPixelMapfv|void|gl=1.0-|||map:GLenum:PixelMap;mapsize:GLsizei;values:const GLfloat *:::mapsize
glPixelMapuiv|void|gl=1.0-|||map:GLenum:PixelMap;mapsize:GLsizei;values:const GLuint *:::mapsize
glPixelMapusv|void|gl=1.0-|||map:GLenum:PixelMap;mapsize:GLsizei;values:const GLushort *:::mapsize
glPixelMapx|void||GL_OES_fixed_point||map:GLenum:PixelMap;size:GLint;values:const GLfixed *:::size
glPixelStoref|void|gl=1.0|||pname:GLenum:PixelStoreParameter;param:GLfloat
glPixelStorei|void|gl=1.0,gles2=2.0|||pname:GLenum:PixelStoreParameter;param:GLint
glPixelStorex|void||GL_OES_fixed_point||pname:GLenum:PixelStoreParameter;param:GLfixed
glPixelTransferf|void|gl=1.0-|||pname:GLenum:PixelTransferParameter;param:GLfloat
glPixelTransferi|void|gl=1.0-|||pname:GLenum:PixelTransferParameter;param:GLint
glPixelTransferxOES|void||GL_OES_fixed_point||pname:GLenum:PixelTransferParameter;param:GLfixed
glPixelTransformParameterfEXT|void||GL_EXT_pixel_transform||target:GLenum:PixelTransformTargetEXT;pname:GLenum:PixelTransformPNameEXT;param:GLfloat
glPixelTransformParameterfvEXT|void||GL_EXT_pixel_transform||target:GLenum:PixelTransformTargetEXT;pname:GLenum:PixelTransformPNameEXT;params:const GLfloat *:::1
glPixelTransformParameteriEXT|void||GL_EXT_pixel_transform||target:GLenum:PixelTransformTargetEXT;pname:GLenum:PixelTransformPNameEXT;param:GLint
glPixelTransformParameterivEXT|void||GL_EXT_pixel_transform||target:GLenum:PixelTransformTargetEXT;pname:GLenum:PixelTransformPNameEXT;params:const GLint *:::1
glPixelZoom|void|gl=1.0-|||xfactor:GLfloat;yfactor:GLfloat
glPixelZoomxOES|void||GL_OES_fixed_point||xfactor:GLfixed;yfactor:GLfixed
glPointAlongPathNV|GLboolean||GL_NV_path_rendering||path:GLuint;startSegment:GLsizei;numSegments:GLsizei;distance:GLfloat;x:GLfloat *:::1;y:GLfloat *:::1;tangentX:GLfloat *:::1;tangentY:GLfloat *:::1
glPointParameterf|void|gl=1.4|||pname:GLenum:PointParameterNameARB;param:GLfloat
glPointParameterfARB|void||GL_ARB_point_parameters|glPointParameterf|pname:GLenum:PointParameterNameARB;param:GLfloat
glPointParameterfEXT|void||GL_EXT_point_parameters|glPointParameterf|pname:GLenum:PointParameterNameARB;param:GLfloat
glPointParameterfv|void|gl=1.4|||pname:GLenum:PointParameterNameARB;params:const GLfloat *:::COMPSIZE(pname)
glPointParameterfvARB|void||GL_ARB_point_parameters|glPointParameterfv|pname:GLenum:PointParameterNameARB;params:const GLfloat *:::COMPSIZE(pname)
glPointParameterfvEXT|void||GL_EXT_point_parameters|glPointParameterfv|pname:GLenum:PointParameterNameARB;params:const GLfloat *:::COMPSIZE(pname)
glPointParameteri|void|gl=1.4|||pname:GLenum:PointParameterNameARB;param:GLint
glPointParameteriv|void|gl=1.4|||pname:GLenum:PointParameterNameARB;params:const GLint *:::COMPSIZE(pname)
glPointParameterxOES|void||GL_OES_fixed_point||pname:GLenum:PointParameterNameARB;param:GLfixed
glPointParameterxvOES|void||GL_OES_fixed_point||pname:GLenum:PointParameterNameARB;params:const GLfixed *:::COMPSIZE(pname)
glPointSize|void|gl=1.0|||size:GLfloat
glPointSizexOES|void||GL_OES_fixed_point||size:GLfixed
glPolygonMode|void|gl=1.0|||face:GLenum:TriangleFace;mode:GLenum:PolygonMode
glPolygonModeNV|void||GL_NV_polygon_mode|glPolygonMode|face:GLenum:TriangleFace;mode:GLenum:PolygonMode
glPolygonOffset|void|gl=1.1,gles2=2.0|||factor:GLfloat;units:GLfloat
glPolygonOffsetClamp|void|gl=4.6|GL_ARB_polygon_offset_clamp||factor:GLfloat;units:GLfloat;clamp:GLfloat
glPolygonOffsetClampEXT|void||GL_EXT_polygon_offset_clamp|glPolygonOffsetClamp|factor:GLfloat;units:GLfloat;clamp:GLfloat
glPolygonOffsetEXT|void||GL_EXT_polygon_offset||factor:GLfloat;bias:GLfloat
glPolygonOffsetxOES|void||GL_OES_fixed_point||factor:GLfixed;units:GLfixed
glPolygonStipple|void|gl=1.0-|||mask:const GLubyte *:::COMPSIZE()
glPopAttrib|void|gl=1.0-
glPopClientAttrib|void|gl=1.1-
glPopDebugGroup|void|gl=4.3,gles2=3.2|GL_KHR_debug
glPopDebugGroupKHR|void||GL_KHR_debug|glPopDebugGroup
glPopGroupMarkerEXT|void||GL_EXT_debug_marker
glPopMatrix|void|gl=1.0-
glPopName|void|gl=1.0-
glPrimitiveBoundingBox|void|gles2=3.2|||minX:GLfloat;minY:GLfloat;minZ:GLfloat;minW:GLfloat;maxX:GLfloat;maxY:GLfloat;maxZ:GLfloat;maxW:GLfloat
glPrimitiveBoundingBoxARB|void||GL_ARB_ES3_2_compatibility|glPrimitiveBoundingBox|minX:GLfloat;minY:GLfloat;minZ:GLfloat;minW:GLfloat;maxX:GLfloat;maxY:GLfloat;maxZ:GLfloat;maxW:GLfloat
glPrimitiveBoundingBoxEXT|void||GL_EXT_primitive_bounding_box|glPrimitiveBoundingBox|minX:GLfloat;minY:GLfloat;minZ:GLfloat;minW:GLfloat;maxX:GLfloat;maxY:GLfloat;maxZ:GLfloat;maxW:GLfloat
glPrimitiveBoundingBoxOES|void||GL_OES_primitive_bounding_box|glPrimitiveBoundingBox|minX:GLfloat;minY:GLfloat;minZ:GLfloat;minW:GLfloat;maxX:GLfloat;maxY:GLfloat;maxZ:GLfloat;maxW:GLfloat
glPrimitiveRestartIndex|void|gl=3.1|||index:GLuint
glPrioritizeTextures|void|gl=1.1-|||n:GLsizei;textures:const GLuint *::texture:n;priorities:const GLfloat *:::n
glPrioritizeTexturesEXT|void||GL_EXT_texture_object|glPrioritizeTextures|n:GLsizei;textures:const GLuint *::texture:n;priorities:const GLclampf *:::n
glPrioritizeTexturesxOES|void||GL_OES_fixed_point||n:GLsizei;textures:const GLuint *::texture:n;priorities:const GLfixed *:::n
glProgramBinary|void|gl=4.1,gles2=3.0|GL_ARB_get_program_binary||program:GLuint::program;binaryFormat:GLenum;binary:const void *:::length;length:GLsizei
glProgramBinaryOES|void||GL_OES_get_program_binary|glProgramBinary|program:GLuint::program;binaryFormat:GLenum;binary:const void *:::length;length:GLint
glProgramEnvParameter4dARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;index:GLuint;x:GLdouble;y:GLdouble;z:GLdouble;w:GLdouble
glProgramEnvParameter4dvARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;index:GLuint;params:const GLdouble *:::4
glProgramEnvParameter4fARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;index:GLuint;x:GLfloat;y:GLfloat;z:GLfloat;w:GLfloat
glProgramEnvParameter4fvARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;index:GLuint;params:const GLfloat *:::4
glProgramEnvParameters4fvEXT|void||GL_EXT_gpu_program_parameters||target:GLenum:ProgramTarget;index:GLuint;count:GLsizei;params:const GLfloat *:::count*4
glProgramLocalParameter4dARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;index:GLuint;x:GLdouble;y:GLdouble;z:GLdouble;w:GLdouble
glProgramLocalParameter4dvARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;index:GLuint;params:const GLdouble *:::4
glProgramLocalParameter4fARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;index:GLuint;x:GLfloat;y:GLfloat;z:GLfloat;w:GLfloat
glProgramLocalParameter4fvARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;index:GLuint;params:const GLfloat *:::4
glProgramLocalParameters4fvEXT|void||GL_EXT_gpu_program_parameters||target:GLenum:ProgramTarget;index:GLuint;count:GLsizei;params:const GLfloat *:::count*4
glProgramParameteri|void|gl=4.1,gles2=3.0|GL_ARB_get_program_binary,GL_ARB_separate_shader_objects||program:GLuint::program;pname:GLenum:ProgramParameterPName;value:GLint
glProgramParameteriARB|void||GL_ARB_geometry_shader4|glProgramParameteri|program:GLuint::program;pname:GLenum:ProgramParameterPName;value:GLint
glProgramParameteriEXT|void||GL_EXT_geometry_shader4,GL_EXT_separate_shader_objects|glProgramParameteri|program:GLuint::program;pname:GLenum:ProgramParameterPName;value:GLint
glProgramPathFragmentInputGenNV|void||GL_NV_path_rendering||program:GLuint::program;location:GLint;genMode:GLenum;components:GLint;coeffs:const GLfloat *
glProgramStringARB|void||GL_ARB_fragment_program,GL_ARB_vertex_program||target:GLenum:ProgramTarget;format:GLenum:ProgramFormat;len:GLsizei;string:const void *:::len
glProgramUniform1d|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLdouble
glProgramUniform1dEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;x:GLdouble
glProgramUniform1dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLdouble *:::count
glProgramUniform1dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;value:const GLdouble *:::count
glProgramUniform1f|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLfloat
glProgramUniform1fEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform1f|program:GLuint::program;location:GLint;v0:GLfloat
glProgramUniform1fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLfloat *:::count
glProgramUniform1fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform1fv|program:GLuint::program;location:GLint;count:GLsizei;value:const GLfloat *:::count
glProgramUniform1i|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLint
glProgramUniform1i64ARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;x:GLint64
glProgramUniform1i64NV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;x:GLint64EXT
glProgramUniform1i64vARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;count:GLsizei;value:const GLint64 *:::count
glProgramUniform1i64vNV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;count:GLsizei;value:const GLint64EXT *:::count
glProgramUniform1iEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform1i|program:GLuint::program;location:GLint;v0:GLint
glProgramUniform1iv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLint *:::count
glProgramUniform1ivEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform1iv|program:GLuint::program;location:GLint;count:GLsizei;value:const GLint *:::count
glProgramUniform1ui|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLuint
glProgramUniform1ui64ARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;x:GLuint64
glProgramUniform1ui64NV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;x:GLuint64EXT
glProgramUniform1ui64vARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint64 *:::count
glProgramUniform1ui64vNV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint64EXT *:::count
glProgramUniform1uiEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform1ui|program:GLuint::program;location:GLint;v0:GLuint
glProgramUniform1uiv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint *:::count
glProgramUniform1uivEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform1uiv|program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint *:::count
glProgramUniform2d|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLdouble;v1:GLdouble
glProgramUniform2dEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;x:GLdouble;y:GLdouble
glProgramUniform2dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLdouble *:::count*2
glProgramUniform2dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;value:const GLdouble *:::count*2
glProgramUniform2f|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLfloat;v1:GLfloat
glProgramUniform2fEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform2f|program:GLuint::program;location:GLint;v0:GLfloat;v1:GLfloat
glProgramUniform2fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLfloat *:::count*2
glProgramUniform2fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform2fv|program:GLuint::program;location:GLint;count:GLsizei;value:const GLfloat *:::count*2
glProgramUniform2i|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLint;v1:GLint
glProgramUniform2i64ARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;x:GLint64;y:GLint64
glProgramUniform2i64NV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;x:GLint64EXT;y:GLint64EXT
glProgramUniform2i64vARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;count:GLsizei;value:const GLint64 *:::count*2
glProgramUniform2i64vNV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;count:GLsizei;value:const GLint64EXT *:::count*2
glProgramUniform2iEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform2i|program:GLuint::program;location:GLint;v0:GLint;v1:GLint
glProgramUniform2iv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLint *:::count*2
glProgramUniform2ivEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform2iv|program:GLuint::program;location:GLint;count:GLsizei;value:const GLint *:::count*2
glProgramUniform2ui|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLuint;v1:GLuint
glProgramUniform2ui64ARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;x:GLuint64;y:GLuint64
glProgramUniform2ui64NV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;x:GLuint64EXT;y:GLuint64EXT
glProgramUniform2ui64vARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint64 *:::count*2
glProgramUniform2ui64vNV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint64EXT *:::count*2
glProgramUniform2uiEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform2ui|program:GLuint::program;location:GLint;v0:GLuint;v1:GLuint
glProgramUniform2uiv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint *:::count*2
glProgramUniform2uivEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform2uiv|program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint *:::count*2
glProgramUniform3d|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLdouble;v1:GLdouble;v2:GLdouble
glProgramUniform3dEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;x:GLdouble;y:GLdouble;z:GLdouble
glProgramUniform3dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLdouble *:::count*3
glProgramUniform3dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;value:const GLdouble *:::count*3
glProgramUniform3f|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLfloat;v1:GLfloat;v2:GLfloat
glProgramUniform3fEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform3f|program:GLuint::program;location:GLint;v0:GLfloat;v1:GLfloat;v2:GLfloat
glProgramUniform3fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLfloat *:::count*3
glProgramUniform3fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform3fv|program:GLuint::program;location:GLint;count:GLsizei;value:const GLfloat *:::count*3
glProgramUniform3i|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLint;v1:GLint;v2:GLint
glProgramUniform3i64ARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;x:GLint64;y:GLint64;z:GLint64
glProgramUniform3i64NV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;x:GLint64EXT;y:GLint64EXT;z:GLint64EXT
glProgramUniform3i64vARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;count:GLsizei;value:const GLint64 *:::count*3
glProgramUniform3i64vNV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;count:GLsizei;value:const GLint64EXT *:::count*3
glProgramUniform3iEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform3i|program:GLuint::program;location:GLint;v0:GLint;v1:GLint;v2:GLint
glProgramUniform3iv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLint *:::count*3
glProgramUniform3ivEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform3iv|program:GLuint::program;location:GLint;count:GLsizei;value:const GLint *:::count*3
glProgramUniform3ui|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLuint;v1:GLuint;v2:GLuint
glProgramUniform3ui64ARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;x:GLuint64;y:GLuint64;z:GLuint64
glProgramUniform3ui64NV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;x:GLuint64EXT;y:GLuint64EXT;z:GLuint64EXT
glProgramUniform3ui64vARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint64 *:::count*3
glProgramUniform3ui64vNV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint64EXT *:::count*3
glProgramUniform3uiEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform3ui|program:GLuint::program;location:GLint;v0:GLuint;v1:GLuint;v2:GLuint
glProgramUniform3uiv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint *:::count*3
glProgramUniform3uivEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform3uiv|program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint *:::count*3
glProgramUniform4d|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLdouble;v1:GLdouble;v2:GLdouble;v3:GLdouble
glProgramUniform4dEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;x:GLdouble;y:GLdouble;z:GLdouble;w:GLdouble
glProgramUniform4dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLdouble *:::count*4
glProgramUniform4dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;value:const GLdouble *:::count*4
glProgramUniform4f|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLfloat;v1:GLfloat;v2:GLfloat;v3:GLfloat
glProgramUniform4fEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform4f|program:GLuint::program;location:GLint;v0:GLfloat;v1:GLfloat;v2:GLfloat;v3:GLfloat
glProgramUniform4fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLfloat *:::count*4
glProgramUniform4fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform4fv|program:GLuint::program;location:GLint;count:GLsizei;value:const GLfloat *:::count*4
glProgramUniform4i|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLint;v1:GLint;v2:GLint;v3:GLint
glProgramUniform4i64ARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;x:GLint64;y:GLint64;z:GLint64;w:GLint64
glProgramUniform4i64NV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;x:GLint64EXT;y:GLint64EXT;z:GLint64EXT;w:GLint64EXT
glProgramUniform4i64vARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;count:GLsizei;value:const GLint64 *:::count*4
glProgramUniform4i64vNV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;count:GLsizei;value:const GLint64EXT *:::count*4
glProgramUniform4iEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform4i|program:GLuint::program;location:GLint;v0:GLint;v1:GLint;v2:GLint;v3:GLint
glProgramUniform4iv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLint *:::count*4
glProgramUniform4ivEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform4iv|program:GLuint::program;location:GLint;count:GLsizei;value:const GLint *:::count*4
glProgramUniform4ui|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;v0:GLuint;v1:GLuint;v2:GLuint;v3:GLuint
glProgramUniform4ui64ARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;x:GLuint64;y:GLuint64;z:GLuint64;w:GLuint64
glProgramUniform4ui64NV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;x:GLuint64EXT;y:GLuint64EXT;z:GLuint64EXT;w:GLuint64EXT
glProgramUniform4ui64vARB|void||GL_ARB_gpu_shader_int64||program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint64 *:::count*4
glProgramUniform4ui64vNV|void||GL_NV_gpu_shader5||program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint64EXT *:::count*4
glProgramUniform4uiEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform4ui|program:GLuint::program;location:GLint;v0:GLuint;v1:GLuint;v2:GLuint;v3:GLuint
glProgramUniform4uiv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint *:::count*4
glProgramUniform4uivEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniform4uiv|program:GLuint::program;location:GLint;count:GLsizei;value:const GLuint *:::count*4
glProgramUniformHandleui64ARB|void||GL_ARB_bindless_texture||program:GLuint::program;location:GLint;value:GLuint64
glProgramUniformHandleui64IMG|void||GL_IMG_bindless_texture|glProgramUniformHandleui64ARB|program:GLuint::program;location:GLint;value:GLuint64
glProgramUniformHandleui64NV|void||GL_NV_bindless_texture||program:GLuint::program;location:GLint;value:GLuint64
glProgramUniformHandleui64vARB|void||GL_ARB_bindless_texture||program:GLuint::program;location:GLint;count:GLsizei;values:const GLuint64 *:::count
glProgramUniformHandleui64vIMG|void||GL_IMG_bindless_texture|glProgramUniformHandleui64vARB|program:GLuint::program;location:GLint;count:GLsizei;values:const GLuint64 *:::count
glProgramUniformHandleui64vNV|void||GL_NV_bindless_texture||program:GLuint::program;location:GLint;count:GLsizei;values:const GLuint64 *:::count
glProgramUniformMatrix2dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*4
glProgramUniformMatrix2dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*4
glProgramUniformMatrix2fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*4
glProgramUniformMatrix2fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniformMatrix2fv|program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*4
glProgramUniformMatrix2x3dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*6
glProgramUniformMatrix2x3dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*6
glProgramUniformMatrix2x3fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*6
glProgramUniformMatrix2x3fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniformMatrix2x3fv|program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*6
glProgramUniformMatrix2x4dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*8
glProgramUniformMatrix2x4dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*8
glProgramUniformMatrix2x4fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*8
glProgramUniformMatrix2x4fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniformMatrix2x4fv|program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*8
glProgramUniformMatrix3dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*9
glProgramUniformMatrix3dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*9
glProgramUniformMatrix3fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*9
glProgramUniformMatrix3fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniformMatrix3fv|program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*9
glProgramUniformMatrix3x2dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*6
glProgramUniformMatrix3x2dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*6
glProgramUniformMatrix3x2fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*6
glProgramUniformMatrix3x2fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniformMatrix3x2fv|program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*6
glProgramUniformMatrix3x4dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*12
glProgramUniformMatrix3x4dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*12
glProgramUniformMatrix3x4fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*12
glProgramUniformMatrix3x4fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniformMatrix3x4fv|program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*12
glProgramUniformMatrix4dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*16
glProgramUniformMatrix4dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*16
glProgramUniformMatrix4fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*16
glProgramUniformMatrix4fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniformMatrix4fv|program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*16
glProgramUniformMatrix4x2dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*8
glProgramUniformMatrix4x2dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*8
glProgramUniformMatrix4x2fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*8
glProgramUniformMatrix4x2fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniformMatrix4x2fv|program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*8
glProgramUniformMatrix4x3dv|void|gl=4.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*12
glProgramUniformMatrix4x3dvEXT|void||GL_EXT_direct_state_access||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*12
glProgramUniformMatrix4x3fv|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*12
glProgramUniformMatrix4x3fvEXT|void||GL_EXT_direct_state_access,GL_EXT_separate_shader_objects|glProgramUniformMatrix4x3fv|program:GLuint::program;location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*12
glProvokingVertex|void|gl=3.2|GL_ARB_provoking_vertex||mode:GLenum:VertexProvokingMode
glProvokingVertexEXT|void||GL_EXT_provoking_vertex|glProvokingVertex|mode:GLenum:VertexProvokingMode
glPushAttrib|void|gl=1.0-|||mask:GLbitfield:AttribMask
glPushClientAttrib|void|gl=1.1-|||mask:GLbitfield:ClientAttribMask
glPushClientAttribDefaultEXT|void||GL_EXT_direct_state_access||mask:GLbitfield:ClientAttribMask
glPushDebugGroup|void|gl=4.3,gles2=3.2|GL_KHR_debug||source:GLenum:DebugSource;id:GLuint;length:GLsizei;message:const GLchar *:::COMPSIZE(message,length)
glPushDebugGroupKHR|void||GL_KHR_debug|glPushDebugGroup|source:GLenum:DebugSource;id:GLuint;length:GLsizei;message:const GLchar *
glPushGroupMarkerEXT|void||GL_EXT_debug_marker||length:GLsizei;marker:const GLchar *
glPushMatrix|void|gl=1.0-
glPushName|void|gl=1.0-|||name:GLuint
glQueryCounter|void|gl=3.3|GL_ARB_timer_query||id:GLuint::query;target:GLenum:QueryCounterTarget
glQueryCounterEXT|void||GL_EXT_disjoint_timer_query|glQueryCounter|id:GLuint::query;target:GLenum:QueryCounterTarget
glQueryMatrixxOES|GLbitfield||GL_OES_query_matrix||mantissa:GLfixed *:::16;exponent:GLint *:::16
glRasterPos2d|void|gl=1.0-|||x:GLdouble;y:GLdouble
glRasterPos2dv|void|gl=1.0-|||v:const GLdouble *:::2
glRasterPos2f|void|gl=1.0-|||x:GLfloat;y:GLfloat
glRasterPos2fv|void|gl=1.0-|||v:const GLfloat *:::2
glRasterPos2i|void|gl=1.0-|||x:GLint;y:GLint
glRasterPos2iv|void|gl=1.0-|||v:const GLint *:::2
glRasterPos2s|void|gl=1.0-|||x:GLshort;y:GLshort
glRasterPos2sv|void|gl=1.0-|||v:const GLshort *:::2
glRasterPos2xOES|void||GL_OES_fixed_point||x:GLfixed;y:GLfixed
glRasterPos2xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::2
glRasterPos3d|void|gl=1.0-|||x:GLdouble;y:GLdouble;z:GLdouble
glRasterPos3dv|void|gl=1.0-|||v:const GLdouble *:::3
glRasterPos3f|void|gl=1.0-|||x:GLfloat;y:GLfloat;z:GLfloat
glRasterPos3fv|void|gl=1.0-|||v:const GLfloat *:::3
glRasterPos3i|void|gl=1.0-|||x:GLint;y:GLint;z:GLint
glRasterPos3iv|void|gl=1.0-|||v:const GLint *:::3
glRasterPos3s|void|gl=1.0-|||x:GLshort;y:GLshort;z:GLshort
glRasterPos3sv|void|gl=1.0-|||v:const GLshort *:::3
glRasterPos3xOES|void||GL_OES_fixed_point||x:GLfixed;y:GLfixed;z:GLfixed
glRasterPos3xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::3
glRasterPos4d|void|gl=1.0-|||x:GLdouble;y:GLdouble;z:GLdouble;w:GLdouble
glRasterPos4dv|void|gl=1.0-|||v:const GLdouble *:::4
glRasterPos4f|void|gl=1.0-|||x:GLfloat;y:GLfloat;z:GLfloat;w:GLfloat
glRasterPos4fv|void|gl=1.0-|||v:const GLfloat *:::4
glRasterPos4i|void|gl=1.0-|||x:GLint;y:GLint;z:GLint;w:GLint
glRasterPos4iv|void|gl=1.0-|||v:const GLint *:::4
glRasterPos4s|void|gl=1.0-|||x:GLshort;y:GLshort;z:GLshort;w:GLshort
glRasterPos4sv|void|gl=1.0-|||v:const GLshort *:::4
glRasterPos4xOES|void||GL_OES_fixed_point||x:GLfixed;y:GLfixed;z:GLfixed;w:GLfixed
glRasterPos4xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::4
glRasterSamplesEXT|void||GL_EXT_raster_multisample,GL_NV_framebuffer_mixed_samples||samples:GLuint;fixedsamplelocations:GLboolean
glReadBuffer|void|gl=1.0,gles2=3.0|||src:GLenum:ReadBufferMode
glReadBufferIndexedEXT|void||GL_EXT_multiview_draw_buffers||src:GLenum:ReadBufferMode;index:GLint
glReadBufferNV|void||GL_NV_read_buffer|glReadBuffer|mode:GLenum
glReadPixels|void|gl=1.0,gles2=2.0|||x:GLint;y:GLint;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:void *:::COMPSIZE(format,type,width,height)
glReadnPixels|void|gl=4.5,gles2=3.2|GL_KHR_robustness||x:GLint;y:GLint;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;data:void *:::bufSize
glReadnPixelsARB|void||GL_ARB_robustness|glReadnPixels|x:GLint;y:GLint;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;data:void *:::bufSize
glReadnPixelsEXT|void||GL_EXT_robustness|glReadnPixels|x:GLint;y:GLint;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;data:void *:::bufSize
glReadnPixelsKHR|void||GL_KHR_robustness|glReadnPixels|x:GLint;y:GLint;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;bufSize:GLsizei;data:void *:::bufSize
glRectd|void|gl=1.0-|||x1:GLdouble;y1:GLdouble;x2:GLdouble;y2:GLdouble
glRectdv|void|gl=1.0-|||v1:const GLdouble *:::2;v2:const GLdouble *:::2
glRectf|void|gl=1.0-|||x1:GLfloat;y1:GLfloat;x2:GLfloat;y2:GLfloat
glRectfv|void|gl=1.0-|||v1:const GLfloat *:::2;v2:const GLfloat *:::2
glRecti|void|gl=1.0-|||x1:GLint;y1:GLint;x2:GLint;y2:GLint
glRectiv|void|gl=1.0-|||v1:const GLint *:::2;v2:const GLint *:::2
glRects|void|gl=1.0-|||x1:GLshort;y1:GLshort;x2:GLshort;y2:GLshort
glRectsv|void|gl=1.0-|||v1:const GLshort *:::2;v2:const GLshort *:::2
glRectxOES|void||GL_OES_fixed_point||x1:GLfixed;y1:GLfixed;x2:GLfixed;y2:GLfixed
glRectxvOES|void||GL_OES_fixed_point||v1:const GLfixed *:::2;v2:const GLfixed *:::2
glReleaseKeyedMutexWin32EXT|GLboolean||GL_EXT_win32_keyed_mutex||memory:GLuint;key:GLuint64
glReleaseShaderCompiler|void|gl=4.1,gles2=2.0|GL_ARB_ES2_compatibility
glRenderMode|GLint|gl=1.0-|||mode:GLenum:RenderingMode
glRenderbufferStorage|void|gl=3.0,gles2=2.0|GL_ARB_framebuffer_object||target:GLenum:RenderbufferTarget;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glRenderbufferStorageEXT|void||GL_EXT_framebuffer_object|glRenderbufferStorage|target:GLenum:RenderbufferTarget;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glRenderbufferStorageMultisample|void|gl=3.0,gles2=3.0|GL_ARB_framebuffer_object||target:GLenum:RenderbufferTarget;samples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glRenderbufferStorageMultisampleANGLE|void||GL_ANGLE_framebuffer_multisample|glRenderbufferStorageMultisample|target:GLenum:RenderbufferTarget;samples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glRenderbufferStorageMultisampleAPPLE|void||GL_APPLE_framebuffer_multisample|glRenderbufferStorageMultisample|target:GLenum:RenderbufferTarget;samples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glRenderbufferStorageMultisampleAdvancedAMD|void||GL_AMD_framebuffer_multisample_advanced||target:GLenum:RenderbufferTarget;samples:GLsizei;storageSamples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glRenderbufferStorageMultisampleEXT|void||GL_EXT_framebuffer_multisample,GL_EXT_multisampled_render_to_texture|glRenderbufferStorageMultisample|target:GLenum:RenderbufferTarget;samples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glRenderbufferStorageMultisampleIMG|void||GL_IMG_multisampled_render_to_texture||target:GLenum:RenderbufferTarget;samples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glRenderbufferStorageMultisampleNV|void||GL_NV_framebuffer_multisample|glRenderbufferStorageMultisample|target:GLenum:RenderbufferTarget;samples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei
glResetHistogram|void||GL_ARB_imaging||target:GLenum:HistogramTargetEXT
glResetHistogramEXT|void||GL_EXT_histogram|glResetHistogram|target:GLenum:HistogramTargetEXT
glResetMemoryObjectParameterNV|void||GL_NV_memory_attachment||memory:GLuint;pname:GLenum
glResetMinmax|void||GL_ARB_imaging||target:GLenum:MinmaxTargetEXT
glResetMinmaxEXT|void||GL_EXT_histogram|glResetMinmax|target:GLenum:MinmaxTargetEXT
glResolveDepthValuesNV|void||GL_NV_sample_locations
glResolveMultisampleFramebufferAPPLE|void||GL_APPLE_framebuffer_multisample
glResumeTransformFeedback|void|gl=4.0,gles2=3.0|GL_ARB_transform_feedback2
glRotated|void|gl=1.0-|||angle:GLdouble;x:GLdouble;y:GLdouble;z:GLdouble
glRotatef|void|gl=1.0-|||angle:GLfloat;x:GLfloat;y:GLfloat;z:GLfloat
glRotatexOES|void||GL_OES_fixed_point||angle:GLfixed;x:GLfixed;y:GLfixed;z:GLfixed
glSampleCoverage|void|gl=1.3,gles2=2.0|||value:GLfloat;invert:GLboolean
glSampleCoverageARB|void||GL_ARB_multisample|glSampleCoverage|value:GLfloat;invert:GLboolean
glSampleCoveragexOES|void||GL_OES_fixed_point||value:GLclampx;invert:GLboolean
glSampleMaskEXT|void||GL_EXT_multisample||value:GLclampf;invert:GLboolean
glSampleMaski|void|gl=3.2,gles2=3.1|GL_ARB_texture_multisample||maskNumber:GLuint;mask:GLbitfield
glSamplePatternEXT|void||GL_EXT_multisample||pattern:GLenum:SamplePatternEXT
glSamplerParameterIiv|void|gl=3.3,gles2=3.2|GL_ARB_sampler_objects||sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;param:const GLint *:::COMPSIZE(pname)
glSamplerParameterIivEXT|void||GL_EXT_texture_border_clamp|glSamplerParameterIiv|sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;param:const GLint *:::COMPSIZE(pname)
glSamplerParameterIivOES|void||GL_OES_texture_border_clamp|glSamplerParameterIiv|sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;param:const GLint *:::COMPSIZE(pname)
glSamplerParameterIuiv|void|gl=3.3,gles2=3.2|GL_ARB_sampler_objects||sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;param:const GLuint *:::COMPSIZE(pname)
glSamplerParameterIuivEXT|void||GL_EXT_texture_border_clamp|glSamplerParameterIuiv|sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;param:const GLuint *:::COMPSIZE(pname)
glSamplerParameterIuivOES|void||GL_OES_texture_border_clamp|glSamplerParameterIuiv|sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;param:const GLuint *:::COMPSIZE(pname)
glSamplerParameterf|void|gl=3.3,gles2=3.0|GL_ARB_sampler_objects,GL_MESA_sampler_objects||sampler:GLuint::sampler;pname:GLenum:SamplerParameterF;param:GLfloat
glSamplerParameterfv|void|gl=3.3,gles2=3.0|GL_ARB_sampler_objects,GL_MESA_sampler_objects||sampler:GLuint::sampler;pname:GLenum:SamplerParameterF;param:const GLfloat *:::COMPSIZE(pname)
glSamplerParameteri|void|gl=3.3,gles2=3.0|GL_ARB_sampler_objects,GL_MESA_sampler_objects||sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;param:GLint
glSamplerParameteriv|void|gl=3.3,gles2=3.0|GL_ARB_sampler_objects,GL_MESA_sampler_objects||sampler:GLuint::sampler;pname:GLenum:SamplerParameterI;param:const GLint *:::COMPSIZE(pname)
glScaled|void|gl=1.0-|||x:GLdouble;y:GLdouble;z:GLdouble
glScalef|void|gl=1.0-|||x:GLfloat;y:GLfloat;z:GLfloat
glScalexOES|void||GL_OES_fixed_point||x:GLfixed;y:GLfixed;z:GLfixed
glScissor|void|gl=1.0,gles2=2.0|||x:GLint;y:GLint;width:GLsizei;height:GLsizei
glScissorArrayv|void|gl=4.1|GL_ARB_viewport_array||first:GLuint;count:GLsizei;v:const GLint *:::COMPSIZE(count)
glScissorArrayvNV|void||GL_NV_viewport_array|glScissorArrayv|first:GLuint;count:GLsizei;v:const GLint *:::COMPSIZE(count)
glScissorArrayvOES|void||GL_OES_viewport_array|glScissorArrayv|first:GLuint;count:GLsizei;v:const GLint *:::COMPSIZE(count)
glScissorExclusiveArrayvNV|void||GL_NV_scissor_exclusive||first:GLuint;count:GLsizei;v:const GLint *:::COMPSIZE(count)
glScissorExclusiveNV|void||GL_NV_scissor_exclusive||x:GLint;y:GLint;width:GLsizei;height:GLsizei
glScissorIndexed|void|gl=4.1|GL_ARB_viewport_array||index:GLuint;left:GLint;bottom:GLint;width:GLsizei;height:GLsizei
glScissorIndexedNV|void||GL_NV_viewport_array|glScissorIndexed|index:GLuint;left:GLint;bottom:GLint;width:GLsizei;height:GLsizei
glScissorIndexedOES|void||GL_OES_viewport_array|glScissorIndexed|index:GLuint;left:GLint;bottom:GLint;width:GLsizei;height:GLsizei
glScissorIndexedv|void|gl=4.1|GL_ARB_viewport_array||index:GLuint;v:const GLint *:::4
glScissorIndexedvNV|void||GL_NV_viewport_array|glScissorIndexedv|index:GLuint;v:const GLint *:::4
glScissorIndexedvOES|void||GL_OES_viewport_array|glScissorIndexedv|index:GLuint;v:const GLint *:::4
glSecondaryColor3b|void|gl=1.4-|||red:GLbyte;green:GLbyte;blue:GLbyte
glSecondaryColor3bEXT|void||GL_EXT_secondary_color|glSecondaryColor3b|red:GLbyte;green:GLbyte;blue:GLbyte
glSecondaryColor3bv|void|gl=1.4-|||v:const GLbyte *:::3
glSecondaryColor3bvEXT|void||GL_EXT_secondary_color|glSecondaryColor3bv|v:const GLbyte *:::3
glSecondaryColor3d|void|gl=1.4-|||red:GLdouble;green:GLdouble;blue:GLdouble
glSecondaryColor3dEXT|void||GL_EXT_secondary_color|glSecondaryColor3d|red:GLdouble;green:GLdouble;blue:GLdouble
glSecondaryColor3dv|void|gl=1.4-|||v:const GLdouble *:::3
glSecondaryColor3dvEXT|void||GL_EXT_secondary_color|glSecondaryColor3dv|v:const GLdouble *:::3
glSecondaryColor3f|void|gl=1.4-|||red:GLfloat;green:GLfloat;blue:GLfloat
glSecondaryColor3fEXT|void||GL_EXT_secondary_color|glSecondaryColor3f|red:GLfloat;green:GLfloat;blue:GLfloat
glSecondaryColor3fv|void|gl=1.4-|||v:const GLfloat *:::3
glSecondaryColor3fvEXT|void||GL_EXT_secondary_color|glSecondaryColor3fv|v:const GLfloat *:::3
glSecondaryColor3i|void|gl=1.4-|||red:GLint;green:GLint;blue:GLint
glSecondaryColor3iEXT|void||GL_EXT_secondary_color|glSecondaryColor3i|red:GLint;green:GLint;blue:GLint
glSecondaryColor3iv|void|gl=1.4-|||v:const GLint *:::3
glSecondaryColor3ivEXT|void||GL_EXT_secondary_color|glSecondaryColor3iv|v:const GLint *:::3
glSecondaryColor3s|void|gl=1.4-|||red:GLshort;green:GLshort;blue:GLshort
glSecondaryColor3sEXT|void||GL_EXT_secondary_color|glSecondaryColor3s|red:GLshort;green:GLshort;blue:GLshort
glSecondaryColor3sv|void|gl=1.4-|||v:const GLshort *:::3
glSecondaryColor3svEXT|void||GL_EXT_secondary_color|glSecondaryColor3sv|v:const GLshort *:::3
glSecondaryColor3ub|void|gl=1.4-|||red:GLubyte;green:GLubyte;blue:GLubyte
glSecondaryColor3ubEXT|void||GL_EXT_secondary_color|glSecondaryColor3ub|red:GLubyte;green:GLubyte;blue:GLubyte
glSecondaryColor3ubv|void|gl=1.4-|||v:const GLubyte *:::3
glSecondaryColor3ubvEXT|void||GL_EXT_secondary_color|glSecondaryColor3ubv|v:const GLubyte *:::3
glSecondaryColor3ui|void|gl=1.4-|||red:GLuint;green:GLuint;blue:GLuint
glSecondaryColor3uiEXT|void||GL_EXT_secondary_color|glSecondaryColor3ui|red:GLuint;green:GLuint;blue:GLuint
glSecondaryColor3uiv|void|gl=1.4-|||v:const GLuint *:::3
glSecondaryColor3uivEXT|void||GL_EXT_secondary_color|glSecondaryColor3uiv|v:const GLuint *:::3
glSecondaryColor3us|void|gl=1.4-|||red:GLushort;green:GLushort;blue:GLushort
glSecondaryColor3usEXT|void||GL_EXT_secondary_color|glSecondaryColor3us|red:GLushort;green:GLushort;blue:GLushort
glSecondaryColor3usv|void|gl=1.4-|||v:const GLushort *:::3
glSecondaryColor3usvEXT|void||GL_EXT_secondary_color|glSecondaryColor3usv|v:const GLushort *:::3
glSecondaryColorP3ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:ColorPointerType;color:GLuint
glSecondaryColorP3uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:ColorPointerType;color:const GLuint *:::1
glSecondaryColorPointer|void|gl=1.4-|||size:GLint;type:GLenum:ColorPointerType;stride:GLsizei;pointer:const void *:::COMPSIZE(size,type,stride)
glSecondaryColorPointerEXT|void||GL_EXT_secondary_color|glSecondaryColorPointer|size:GLint;type:GLenum:ColorPointerType;stride:GLsizei;pointer:const void *:::COMPSIZE(size,type,stride)
glSelectBuffer|void|gl=1.0-|||size:GLsizei;buffer:GLuint *:::size
glSelectPerfMonitorCountersAMD|void||GL_AMD_performance_monitor||monitor:GLuint;enable:GLboolean;group:GLuint;numCounters:GLint;counterList:GLuint *:::numCounters
glSemaphoreParameterivNV|void||GL_NV_timeline_semaphore||semaphore:GLuint;pname:GLenum:SemaphoreParameterName;params:const GLint *
glSemaphoreParameterui64vEXT|void||GL_EXT_semaphore||semaphore:GLuint;pname:GLenum:SemaphoreParameterName;params:const GLuint64 *
glSeparableFilter2D|void||GL_ARB_imaging||target:GLenum:SeparableTargetEXT;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;row:const void *:::COMPSIZE(target,format,type,width);column:const void *:::COMPSIZE(target,format,type,height)
glSeparableFilter2DEXT|void||GL_EXT_convolution|glSeparableFilter2D|target:GLenum:SeparableTargetEXT;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;row:const void *:::COMPSIZE(target,format,type,width);column:const void *:::COMPSIZE(target,format,type,height)
glSetFenceNV|void||GL_NV_fence||fence:GLuint;condition:GLenum:FenceConditionNV
glSetInvariantEXT|void||GL_EXT_vertex_shader||id:GLuint;type:GLenum:ScalarType;addr:const void *:::COMPSIZE(id,type)
glSetLocalConstantEXT|void||GL_EXT_vertex_shader||id:GLuint;type:GLenum:ScalarType;addr:const void *:::COMPSIZE(id,type)
glShadeModel|void|gl=1.0-|||mode:GLenum:ShadingModel
glShaderBinary|void|gl=4.1,gles2=2.0|GL_ARB_ES2_compatibility||count:GLsizei;shaders:const GLuint *::shader:count;binaryFormat:GLenum:ShaderBinaryFormat;binary:const void *:::length;length:GLsizei
glShaderOp1EXT|void||GL_EXT_vertex_shader||op:GLenum:VertexShaderOpEXT;res:GLuint;arg1:GLuint
glShaderOp2EXT|void||GL_EXT_vertex_shader||op:GLenum:VertexShaderOpEXT;res:GLuint;arg1:GLuint;arg2:GLuint
glShaderOp3EXT|void||GL_EXT_vertex_shader||op:GLenum:VertexShaderOpEXT;res:GLuint;arg1:GLuint;arg2:GLuint;arg3:GLuint
glShaderSource|void|gl=2.0,gles2=2.0|||shader:GLuint::shader;count:GLsizei;string:const GLchar * const *:::count;length:const GLint *:::count
glShaderSourceARB|void||GL_ARB_shader_objects|glShaderSource|shaderObj:GLhandleARB;count:GLsizei;string:const GLcharARB **:::count;length:const GLint *:::count
glShaderStorageBlockBinding|void|gl=4.3|GL_ARB_shader_storage_buffer_object||program:GLuint::program;storageBlockIndex:GLuint;storageBlockBinding:GLuint
glShadingRateCombinerOpsEXT|void||GL_EXT_fragment_shading_rate||combinerOp0:GLenum:ShadingRateCombinerOp;combinerOp1:GLenum:ShadingRateCombinerOp
glShadingRateEXT|void||GL_EXT_fragment_shading_rate||rate:GLenum:ShadingRate
glShadingRateImageBarrierNV|void||GL_NV_shading_rate_image||synchronize:GLboolean
glShadingRateImagePaletteNV|void||GL_NV_shading_rate_image||viewport:GLuint;first:GLuint;count:GLsizei;rates:const GLenum *:::count
glShadingRateQCOM|void||GL_QCOM_shading_rate||rate:GLenum:ShadingRateQCOM
glShadingRateSampleOrderCustomNV|void||GL_NV_shading_rate_image||rate:GLenum;samples:GLuint;locations:const GLint *:::COMPSIZE(rate,samples)
glShadingRateSampleOrderNV|void||GL_NV_shading_rate_image||order:GLenum
glSignalSemaphoreEXT|void||GL_EXT_semaphore||semaphore:GLuint;numBufferBarriers:GLuint;buffers:const GLuint *::buffer:COMPSIZE(numBufferBarriers);numTextureBarriers:GLuint;textures:const GLuint *::texture:COMPSIZE(numTextureBarriers);dstLayouts:const GLenum *:TextureLayout::COMPSIZE(numTextureBarriers)
glSignalVkFenceNV|void||GL_NV_draw_vulkan_image||vkFence:GLuint64
glSignalVkSemaphoreNV|void||GL_NV_draw_vulkan_image||vkSemaphore:GLuint64
glSpecializeShader|void|gl=4.6|||shader:GLuint::shader;pEntryPoint:const GLchar *;numSpecializationConstants:GLuint;pConstantIndex:const GLuint *:::numSpecializationConstants;pConstantValue:const GLuint *:::numSpecializationConstants
glSpecializeShaderARB|void||GL_ARB_gl_spirv|glSpecializeShader|shader:GLuint::shader;pEntryPoint:const GLchar *;numSpecializationConstants:GLuint;pConstantIndex:const GLuint *;pConstantValue:const GLuint *
glStartTilingQCOM|void||GL_QCOM_tiled_rendering||x:GLuint;y:GLuint;width:GLuint;height:GLuint;preserveMask:GLbitfield:BufferBitQCOM
glStencilClearTagEXT|void||GL_EXT_stencil_clear_tag||stencilTagBits:GLsizei;stencilClearTag:GLuint
glStencilFillPathInstancedNV|void||GL_NV_path_rendering||numPaths:GLsizei;pathNameType:GLenum:PathElementType;paths:const void *:::COMPSIZE(numPaths,pathNameType,paths);pathBase:GLuint;fillMode:GLenum:PathFillMode;mask:GLuint;transformType:GLenum:PathTransformType;transformValues:const GLfloat *:::COMPSIZE(numPaths,transformType)
glStencilFillPathNV|void||GL_NV_path_rendering||path:GLuint;fillMode:GLenum:PathFillMode;mask:GLuint
glStencilFunc|void|gl=1.0,gles2=2.0|||func:GLenum:StencilFunction;ref:GLint;mask:GLuint
glStencilFuncSeparate|void|gl=2.0,gles2=2.0|||face:GLenum:TriangleFace;func:GLenum:StencilFunction;ref:GLint;mask:GLuint
glStencilMask|void|gl=1.0,gles2=2.0|||mask:GLuint
glStencilMaskSeparate|void|gl=2.0,gles2=2.0|||face:GLenum:TriangleFace;mask:GLuint
glStencilOp|void|gl=1.0,gles2=2.0|||fail:GLenum:StencilOp;zfail:GLenum:StencilOp;zpass:GLenum:StencilOp
glStencilOpSeparate|void|gl=2.0,gles2=2.0|||face:GLenum:TriangleFace;sfail:GLenum:StencilOp;dpfail:GLenum:StencilOp;dppass:GLenum:StencilOp
glStencilStrokePathInstancedNV|void||GL_NV_path_rendering||numPaths:GLsizei;pathNameType:GLenum:PathElementType;paths:const void *:::COMPSIZE(numPaths,pathNameType,paths);pathBase:GLuint;reference:GLint;mask:GLuint;transformType:GLenum:PathTransformType;transformValues:const GLfloat *:::COMPSIZE(numPaths,transformType)
glStencilStrokePathNV|void||GL_NV_path_rendering||path:GLuint;reference:GLint;mask:GLuint
glStencilThenCoverFillPathInstancedNV|void||GL_NV_path_rendering||numPaths:GLsizei;pathNameType:GLenum:PathElementType;paths:const void *:::COMPSIZE(numPaths,pathNameType,paths);pathBase:GLuint;fillMode:GLenum:PathFillMode;mask:GLuint;coverMode:GLenum:InstancedPathCoverMode;transformType:GLenum:PathTransformType;transformValues:const GLfloat *:::COMPSIZE(numPaths,transformType)
glStencilThenCoverFillPathNV|void||GL_NV_path_rendering||path:GLuint;fillMode:GLenum:PathFillMode;mask:GLuint;coverMode:GLenum:PathCoverMode
glStencilThenCoverStrokePathInstancedNV|void||GL_NV_path_rendering||numPaths:GLsizei;pathNameType:GLenum:PathElementType;paths:const void *:::COMPSIZE(numPaths,pathNameType,paths);pathBase:GLuint;reference:GLint;mask:GLuint;coverMode:GLenum:InstancedPathCoverMode;transformType:GLenum:PathTransformType;transformValues:const GLfloat *:::COMPSIZE(numPaths,transformType)
glStencilThenCoverStrokePathNV|void||GL_NV_path_rendering||path:GLuint;reference:GLint;mask:GLuint;coverMode:GLenum:PathCoverMode
glStringMarkerGREMEDY|void||GL_GREMEDY_string_marker||len:GLsizei;string:const void *:::len
glSubpixelPrecisionBiasNV|void||GL_NV_conservative_raster||xbits:GLuint;ybits:GLuint
glSwizzleEXT|void||GL_EXT_vertex_shader||res:GLuint;in:GLuint;outX:GLenum:VertexShaderCoordOutEXT;outY:GLenum:VertexShaderCoordOutEXT;outZ:GLenum:VertexShaderCoordOutEXT;outW:GLenum:VertexShaderCoordOutEXT
glTangent3bEXT|void||GL_EXT_coordinate_frame||tx:GLbyte;ty:GLbyte;tz:GLbyte
glTangent3bvEXT|void||GL_EXT_coordinate_frame||v:const GLbyte *:::3
glTangent3dEXT|void||GL_EXT_coordinate_frame||tx:GLdouble;ty:GLdouble;tz:GLdouble
glTangent3dvEXT|void||GL_EXT_coordinate_frame||v:const GLdouble *:::3
glTangent3fEXT|void||GL_EXT_coordinate_frame||tx:GLfloat;ty:GLfloat;tz:GLfloat
glTangent3fvEXT|void||GL_EXT_coordinate_frame||v:const GLfloat *:::3
glTangent3iEXT|void||GL_EXT_coordinate_frame||tx:GLint;ty:GLint;tz:GLint
glTangent3ivEXT|void||GL_EXT_coordinate_frame||v:const GLint *:::3
glTangent3sEXT|void||GL_EXT_coordinate_frame||tx:GLshort;ty:GLshort;tz:GLshort
glTangent3svEXT|void||GL_EXT_coordinate_frame||v:const GLshort *:::3
glTangentPointerEXT|void||GL_EXT_coordinate_frame||type:GLenum:TangentPointerTypeEXT;stride:GLsizei;pointer:const void *:::COMPSIZE(type,stride)
glTestFenceNV|GLboolean||GL_NV_fence||fence:GLuint
glTexAttachMemoryNV|void||GL_NV_memory_attachment||target:GLenum:TextureTarget;memory:GLuint;offset:GLuint64
glTexBuffer|void|gl=3.1,gles2=3.2|||target:GLenum:TextureTarget;internalformat:GLenum:SizedInternalFormat;buffer:GLuint::buffer
glTexBufferARB|void||GL_ARB_texture_buffer_object|glTexBuffer|target:GLenum:TextureTarget;internalformat:GLenum:SizedInternalFormat;buffer:GLuint::buffer
glTexBufferEXT|void||GL_EXT_texture_buffer,GL_EXT_texture_buffer_object|glTexBuffer|target:GLenum:TextureTarget;internalformat:GLenum:SizedInternalFormat;buffer:GLuint::buffer
glTexBufferOES|void||GL_OES_texture_buffer|glTexBuffer|target:GLenum:TextureTarget;internalformat:GLenum:SizedInternalFormat;buffer:GLuint::buffer
glTexBufferRange|void|gl=4.3,gles2=3.2|GL_ARB_texture_buffer_range||target:GLenum:TextureTarget;internalformat:GLenum:SizedInternalFormat;buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr
glTexBufferRangeEXT|void||GL_EXT_texture_buffer|glTexBufferRange|target:GLenum:TextureTarget;internalformat:GLenum:SizedInternalFormat;buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr
glTexBufferRangeOES|void||GL_OES_texture_buffer|glTexBufferRange|target:GLenum:TextureTarget;internalformat:GLenum:SizedInternalFormat;buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr
glTexCoord1bOES|void||GL_OES_byte_coordinates||s:GLbyte
glTexCoord1bvOES|void||GL_OES_byte_coordinates||coords:const GLbyte *:::1
glTexCoord1d|void|gl=1.0-|||s:GLdouble
glTexCoord1dv|void|gl=1.0-|||v:const GLdouble *:::1
glTexCoord1f|void|gl=1.0-|||s:GLfloat
glTexCoord1fv|void|gl=1.0-|||v:const GLfloat *:::1
glTexCoord1i|void|gl=1.0-|||s:GLint
glTexCoord1iv|void|gl=1.0-|||v:const GLint *:::1
glTexCoord1s|void|gl=1.0-|||s:GLshort
glTexCoord1sv|void|gl=1.0-|||v:const GLshort *:::1
glTexCoord1xOES|void||GL_OES_fixed_point||s:GLfixed
glTexCoord1xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::1
glTexCoord2bOES|void||GL_OES_byte_coordinates||s:GLbyte;t:GLbyte
glTexCoord2bvOES|void||GL_OES_byte_coordinates||coords:const GLbyte *:::2
glTexCoord2d|void|gl=1.0-|||s:GLdouble;t:GLdouble
glTexCoord2dv|void|gl=1.0-|||v:const GLdouble *:::2
glTexCoord2f|void|gl=1.0-|||s:GLfloat;t:GLfloat
glTexCoord2fv|void|gl=1.0-|||v:const GLfloat *:::2
glTexCoord2i|void|gl=1.0-|||s:GLint;t:GLint
glTexCoord2iv|void|gl=1.0-|||v:const GLint *:::2
glTexCoord2s|void|gl=1.0-|||s:GLshort;t:GLshort
glTexCoord2sv|void|gl=1.0-|||v:const GLshort *:::2
glTexCoord2xOES|void||GL_OES_fixed_point||s:GLfixed;t:GLfixed
glTexCoord2xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::2
glTexCoord3bOES|void||GL_OES_byte_coordinates||s:GLbyte;t:GLbyte;r:GLbyte
glTexCoord3bvOES|void||GL_OES_byte_coordinates||coords:const GLbyte *:::3
glTexCoord3d|void|gl=1.0-|||s:GLdouble;t:GLdouble;r:GLdouble
glTexCoord3dv|void|gl=1.0-|||v:const GLdouble *:::3
glTexCoord3f|void|gl=1.0-|||s:GLfloat;t:GLfloat;r:GLfloat
glTexCoord3fv|void|gl=1.0-|||v:const GLfloat *:::3
glTexCoord3i|void|gl=1.0-|||s:GLint;t:GLint;r:GLint
glTexCoord3iv|void|gl=1.0-|||v:const GLint *:::3
glTexCoord3s|void|gl=1.0-|||s:GLshort;t:GLshort;r:GLshort
glTexCoord3sv|void|gl=1.0-|||v:const GLshort *:::3
glTexCoord3xOES|void||GL_OES_fixed_point||s:GLfixed;t:GLfixed;r:GLfixed
glTexCoord3xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::3
glTexCoord4bOES|void||GL_OES_byte_coordinates||s:GLbyte;t:GLbyte;r:GLbyte;q:GLbyte
glTexCoord4bvOES|void||GL_OES_byte_coordinates||coords:const GLbyte *:::4
glTexCoord4d|void|gl=1.0-|||s:GLdouble;t:GLdouble;r:GLdouble;q:GLdouble
glTexCoord4dv|void|gl=1.0-|||v:const GLdouble *:::4
glTexCoord4f|void|gl=1.0-|||s:GLfloat;t:GLfloat;r:GLfloat;q:GLfloat
glTexCoord4fv|void|gl=1.0-|||v:const GLfloat *:::4
glTexCoord4i|void|gl=1.0-|||s:GLint;t:GLint;r:GLint;q:GLint
glTexCoord4iv|void|gl=1.0-|||v:const GLint *:::4
glTexCoord4s|void|gl=1.0-|||s:GLshort;t:GLshort;r:GLshort;q:GLshort
glTexCoord4sv|void|gl=1.0-|||v:const GLshort *:::4
glTexCoord4xOES|void||GL_OES_fixed_point||s:GLfixed;t:GLfixed;r:GLfixed;q:GLfixed
glTexCoord4xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::4
glTexCoordP1ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:TexCoordPointerType;coords:GLuint
glTexCoordP1uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:TexCoordPointerType;coords:const GLuint *:::1
glTexCoordP2ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:TexCoordPointerType;coords:GLuint
glTexCoordP2uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:TexCoordPointerType;coords:const GLuint *:::1
glTexCoordP3ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:TexCoordPointerType;coords:GLuint
glTexCoordP3uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:TexCoordPointerType;coords:const GLuint *:::1
glTexCoordP4ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:TexCoordPointerType;coords:GLuint
glTexCoordP4uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:TexCoordPointerType;coords:const GLuint *:::1
glTexCoordPointer|void|gl=1.1-|||size:GLint;type:GLenum:TexCoordPointerType;stride:GLsizei;pointer:const void *:::COMPSIZE(size,type,stride)
glTexCoordPointerEXT|void||GL_EXT_vertex_array||size:GLint;type:GLenum:TexCoordPointerType;stride:GLsizei;count:GLsizei;pointer:const void *:::COMPSIZE(size,type,stride,count)
glTexEnvf|void|gl=1.0-|||target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;param:GLfloat
glTexEnvfv|void|gl=1.0-|||target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;params:const GLfloat *:::COMPSIZE(pname)
glTexEnvi|void|gl=1.0-|||target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;param:GLint
glTexEnviv|void|gl=1.0-|||target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;params:const GLint *:::COMPSIZE(pname)
glTexEnvxOES|void||GL_OES_fixed_point||target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;param:GLfixed
glTexEnvxvOES|void||GL_OES_fixed_point||target:GLenum:TextureEnvTarget;pname:GLenum:TextureEnvParameter;params:const GLfixed *:::COMPSIZE(pname)
glTexEstimateMotionQCOM|void||GL_QCOM_motion_estimation||ref:GLuint::texture;target:GLuint::texture;output:GLuint::texture
glTexEstimateMotionRegionsQCOM|void||GL_QCOM_motion_estimation||ref:GLuint::texture;target:GLuint::texture;output:GLuint::texture;mask:GLuint::texture
glTexGend|void|gl=1.0-|||coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;param:GLdouble
glTexGendv|void|gl=1.0-|||coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:const GLdouble *:::COMPSIZE(pname)
glTexGenf|void|gl=1.0-|||coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;param:GLfloat
glTexGenfv|void|gl=1.0-|||coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:const GLfloat *:::COMPSIZE(pname)
glTexGeni|void|gl=1.0-|||coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;param:GLint
glTexGeniv|void|gl=1.0-|||coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:const GLint *:::COMPSIZE(pname)
glTexGenxOES|void||GL_OES_fixed_point||coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;param:GLfixed
glTexGenxvOES|void||GL_OES_fixed_point||coord:GLenum:TextureCoordName;pname:GLenum:TextureGenParameter;params:const GLfixed *:::COMPSIZE(pname)
glTexImage1D|void|gl=1.0|||target:GLenum:TextureTarget;level:GLint;internalformat:GLint:InternalFormat;width:GLsizei;border:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width)
glTexImage2D|void|gl=1.0,gles2=2.0|||target:GLenum:TextureTarget;level:GLint;internalformat:GLint:InternalFormat;width:GLsizei;height:GLsizei;border:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height)
glTexImage2DMultisample|void|gl=3.2|GL_ARB_texture_multisample||target:GLenum:TextureTarget;samples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;fixedsamplelocations:GLboolean
glTexImage3D|void|gl=1.2,gles2=3.0|||target:GLenum:TextureTarget;level:GLint;internalformat:GLint:InternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;border:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height,depth)
glTexImage3DEXT|void||GL_EXT_texture3D|glTexImage3D|target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;border:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height,depth)
glTexImage3DMultisample|void|gl=3.2|GL_ARB_texture_multisample||target:GLenum:TextureTarget;samples:GLsizei;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;fixedsamplelocations:GLboolean
glTexImage3DOES|void||GL_OES_texture_3D|glTexImage3D|target:GLenum:TextureTarget;level:GLint;internalformat:GLenum:InternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;border:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height,depth)
glTexPageCommitmentARB|void||GL_ARB_sparse_texture||target:GLenum;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;commit:GLboolean
glTexPageCommitmentEXT|void||GL_EXT_sparse_texture|glTexPageCommitmentARB|target:GLenum;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;commit:GLboolean
glTexPageCommitmentMemNV|void||GL_NV_memory_object_sparse||target:GLenum:TextureTarget;layer:GLint;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;memory:GLuint;offset:GLuint64;commit:GLboolean
glTexParameterIiv|void|gl=3.0,gles2=3.2|||target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLint *:::COMPSIZE(pname)
glTexParameterIivEXT|void||GL_EXT_texture_border_clamp,GL_EXT_texture_integer|glTexParameterIiv|target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLint *:::COMPSIZE(pname)
glTexParameterIivOES|void||GL_OES_texture_border_clamp|glTexParameterIiv|target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLint *:::COMPSIZE(pname)
glTexParameterIuiv|void|gl=3.0,gles2=3.2|||target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLuint *:::COMPSIZE(pname)
glTexParameterIuivEXT|void||GL_EXT_texture_border_clamp,GL_EXT_texture_integer|glTexParameterIuiv|target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLuint *:::COMPSIZE(pname)
glTexParameterIuivOES|void||GL_OES_texture_border_clamp|glTexParameterIuiv|target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLuint *:::COMPSIZE(pname)
glTexParameterf|void|gl=1.0,gles2=2.0|||target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;param:GLfloat
glTexParameterfv|void|gl=1.0,gles2=2.0|||target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLfloat *:::COMPSIZE(pname)
glTexParameteri|void|gl=1.0,gles2=2.0|||target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;param:GLint
glTexParameteriv|void|gl=1.0,gles2=2.0|||target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLint *:::COMPSIZE(pname)
glTexParameterxOES|void||GL_OES_fixed_point||target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;param:GLfixed
glTexParameterxvOES|void||GL_OES_fixed_point||target:GLenum:TextureTarget;pname:GLenum:GetTextureParameter;params:const GLfixed *:::COMPSIZE(pname)
glTexStorage1D|void|gl=4.2|GL_ARB_texture_storage||target:GLenum:TextureTarget;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei
glTexStorage1DEXT|void||GL_EXT_texture_storage|glTexStorage1D|target:GLenum:TextureTarget;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei
glTexStorage2D|void|gl=4.2,gles2=3.0|GL_ARB_texture_storage||target:GLenum:TextureTarget;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei
glTexStorage2DEXT|void||GL_EXT_texture_storage|glTexStorage2D|target:GLenum:TextureTarget;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei
glTexStorage2DMultisample|void|gl=4.3,gles2=3.1|GL_ARB_texture_storage_multisample||target:GLenum:TextureTarget;samples:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;fixedsamplelocations:GLboolean
glTexStorage3D|void|gl=4.2,gles2=3.0|GL_ARB_texture_storage||target:GLenum:TextureTarget;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei
glTexStorage3DEXT|void||GL_EXT_texture_storage|glTexStorage3D|target:GLenum:TextureTarget;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei
glTexStorage3DMultisample|void|gl=4.3,gles2=3.2|GL_ARB_texture_storage_multisample||target:GLenum:TextureTarget;samples:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;fixedsamplelocations:GLboolean
glTexStorage3DMultisampleOES|void||GL_OES_texture_storage_multisample_2d_array|glTexStorage3DMultisample|target:GLenum:TextureTarget;samples:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;fixedsamplelocations:GLboolean
glTexStorageAttribs2DEXT|void||GL_EXT_texture_storage_compression||target:GLenum:TextureTarget;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;attrib_list:const GLint *:TexStorageAttribs
glTexStorageAttribs3DEXT|void||GL_EXT_texture_storage_compression||target:GLenum:TextureTarget;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;attrib_list:const GLint *:TexStorageAttribs
glTexStorageMem1DEXT|void||GL_EXT_memory_object||target:GLenum:TextureTarget;levels:GLsizei;internalFormat:GLenum:SizedInternalFormat;width:GLsizei;memory:GLuint;offset:GLuint64
glTexStorageMem2DEXT|void||GL_EXT_memory_object||target:GLenum:TextureTarget;levels:GLsizei;internalFormat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;memory:GLuint;offset:GLuint64
glTexStorageMem2DMultisampleEXT|void||GL_EXT_memory_object||target:GLenum:TextureTarget;samples:GLsizei;internalFormat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;fixedSampleLocations:GLboolean;memory:GLuint;offset:GLuint64
glTexStorageMem3DEXT|void||GL_EXT_memory_object||target:GLenum:TextureTarget;levels:GLsizei;internalFormat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;memory:GLuint;offset:GLuint64
glTexStorageMem3DMultisampleEXT|void||GL_EXT_memory_object||target:GLenum:TextureTarget;samples:GLsizei;internalFormat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;fixedSampleLocations:GLboolean;memory:GLuint;offset:GLuint64
glTexSubImage1D|void|gl=1.1|||target:GLenum:TextureTarget;level:GLint;xoffset:GLint;width:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width)
glTexSubImage1DEXT|void||GL_EXT_subtexture|glTexSubImage1D|target:GLenum:TextureTarget;level:GLint;xoffset:GLint;width:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width)
glTexSubImage2D|void|gl=1.1,gles2=2.0|||target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height)
glTexSubImage2DEXT|void||GL_EXT_subtexture|glTexSubImage2D|target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height)
glTexSubImage3D|void|gl=1.2,gles2=3.0|||target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height,depth)
glTexSubImage3DEXT|void||GL_EXT_texture3D|glTexSubImage3D|target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height,depth)
glTexSubImage3DOES|void||GL_OES_texture_3D|glTexSubImage3D|target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height,depth)
glTextureAttachMemoryNV|void||GL_NV_memory_attachment||texture:GLuint::texture;memory:GLuint;offset:GLuint64
glTextureBarrier|void|gl=4.5|GL_ARB_texture_barrier
glTextureBuffer|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;internalformat:GLenum:SizedInternalFormat;buffer:GLuint::buffer
glTextureBufferEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;internalformat:GLenum:SizedInternalFormat;buffer:GLuint::buffer
glTextureBufferRange|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;internalformat:GLenum:SizedInternalFormat;buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr
glTextureBufferRangeEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;internalformat:GLenum:SizedInternalFormat;buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr
glTextureFoveationParametersQCOM|void||GL_QCOM_texture_foveated||texture:GLuint::texture;layer:GLuint;focalPoint:GLuint;focalX:GLfloat;focalY:GLfloat;gainX:GLfloat;gainY:GLfloat;foveaArea:GLfloat
glTextureImage1DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;internalformat:GLint:InternalFormat;width:GLsizei;border:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width)
glTextureImage2DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;internalformat:GLint:InternalFormat;width:GLsizei;height:GLsizei;border:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height)
glTextureImage3DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;internalformat:GLint:InternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;border:GLint;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height,depth)
glTextureLightEXT|void||GL_EXT_light_texture||pname:GLenum:LightTexturePNameEXT
glTextureMaterialEXT|void||GL_EXT_light_texture||face:GLenum:TriangleFace;mode:GLenum:MaterialParameter
glTextureNormalEXT|void||GL_EXT_texture_perturb_normal||mode:GLenum:TextureNormalModeEXT
glTexturePageCommitmentEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;commit:GLboolean
glTexturePageCommitmentMemNV|void||GL_NV_memory_object_sparse||texture:GLuint::texture;layer:GLint;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;memory:GLuint;offset:GLuint64;commit:GLboolean
glTextureParameterIiv|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;pname:GLenum:TextureParameterName;params:const GLint *:::COMPSIZE(pname)
glTextureParameterIivEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLint *:::COMPSIZE(pname)
glTextureParameterIuiv|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;pname:GLenum:TextureParameterName;params:const GLuint *:::COMPSIZE(pname)
glTextureParameterIuivEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLuint *:::COMPSIZE(pname)
glTextureParameterf|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;pname:GLenum:TextureParameterName;param:GLfloat
glTextureParameterfEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;param:GLfloat
glTextureParameterfv|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;pname:GLenum:TextureParameterName;param:const GLfloat *:::COMPSIZE(pname)
glTextureParameterfvEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLfloat *:::COMPSIZE(pname)
glTextureParameteri|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;pname:GLenum:TextureParameterName;param:GLint
glTextureParameteriEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;param:GLint
glTextureParameteriv|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;pname:GLenum:TextureParameterName;param:const GLint *:::COMPSIZE(pname)
glTextureParameterivEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;pname:GLenum:TextureParameterName;params:const GLint *:::COMPSIZE(pname)
glTextureRenderbufferEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;renderbuffer:GLuint::renderbuffer
glTextureStorage1D|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei
glTextureStorage1DEXT|void||GL_EXT_direct_state_access,GL_EXT_texture_storage||texture:GLuint::texture;target:GLenum;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei
glTextureStorage2D|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei
glTextureStorage2DEXT|void||GL_EXT_direct_state_access,GL_EXT_texture_storage||texture:GLuint::texture;target:GLenum;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei
glTextureStorage2DMultisample|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;samples:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;fixedsamplelocations:GLboolean
glTextureStorage2DMultisampleEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;samples:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;fixedsamplelocations:GLboolean
glTextureStorage3D|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei
glTextureStorage3DEXT|void||GL_EXT_direct_state_access,GL_EXT_texture_storage||texture:GLuint::texture;target:GLenum;levels:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei
glTextureStorage3DMultisample|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;samples:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;fixedsamplelocations:GLboolean
glTextureStorage3DMultisampleEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum;samples:GLsizei;internalformat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;fixedsamplelocations:GLboolean
glTextureStorageMem1DEXT|void||GL_EXT_memory_object||texture:GLuint::texture;levels:GLsizei;internalFormat:GLenum:SizedInternalFormat;width:GLsizei;memory:GLuint;offset:GLuint64
glTextureStorageMem2DEXT|void||GL_EXT_memory_object||texture:GLuint::texture;levels:GLsizei;internalFormat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;memory:GLuint;offset:GLuint64
glTextureStorageMem2DMultisampleEXT|void||GL_EXT_memory_object||texture:GLuint::texture;samples:GLsizei;internalFormat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;fixedSampleLocations:GLboolean;memory:GLuint;offset:GLuint64
glTextureStorageMem3DEXT|void||GL_EXT_memory_object||texture:GLuint::texture;levels:GLsizei;internalFormat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;memory:GLuint;offset:GLuint64
glTextureStorageMem3DMultisampleEXT|void||GL_EXT_memory_object||texture:GLuint::texture;samples:GLsizei;internalFormat:GLenum:SizedInternalFormat;width:GLsizei;height:GLsizei;depth:GLsizei;fixedSampleLocations:GLboolean;memory:GLuint;offset:GLuint64
glTextureSubImage1D|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;xoffset:GLint;width:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *
glTextureSubImage1DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;width:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width)
glTextureSubImage2D|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;xoffset:GLint;yoffset:GLint;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *
glTextureSubImage2DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;width:GLsizei;height:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height)
glTextureSubImage3D|void|gl=4.5|GL_ARB_direct_state_access||texture:GLuint::texture;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *
glTextureSubImage3DEXT|void||GL_EXT_direct_state_access||texture:GLuint::texture;target:GLenum:TextureTarget;level:GLint;xoffset:GLint;yoffset:GLint;zoffset:GLint;width:GLsizei;height:GLsizei;depth:GLsizei;format:GLenum:PixelFormat;type:GLenum:PixelType;pixels:const void *:::COMPSIZE(format,type,width,height,depth)
glTextureView|void|gl=4.3|GL_ARB_texture_view||texture:GLuint::texture;target:GLenum:TextureTarget;origtexture:GLuint::texture;internalformat:GLenum:SizedInternalFormat;minlevel:GLuint;numlevels:GLuint;minlayer:GLuint;numlayers:GLuint
glTextureViewEXT|void||GL_EXT_texture_view|glTextureView|texture:GLuint::texture;target:GLenum:TextureTarget;origtexture:GLuint::texture;internalformat:GLenum:SizedInternalFormat;minlevel:GLuint;numlevels:GLuint;minlayer:GLuint;numlayers:GLuint
glTextureViewOES|void||GL_OES_texture_view|glTextureView|texture:GLuint::texture;target:GLenum:TextureTarget;origtexture:GLuint::texture;internalformat:GLenum:SizedInternalFormat;minlevel:GLuint;numlevels:GLuint;minlayer:GLuint;numlayers:GLuint
glTransformFeedbackBufferBase|void|gl=4.5|GL_ARB_direct_state_access||xfb:GLuint::transform feedback;index:GLuint;buffer:GLuint::buffer
glTransformFeedbackBufferRange|void|gl=4.5|GL_ARB_direct_state_access||xfb:GLuint::transform feedback;index:GLuint;buffer:GLuint::buffer;offset:GLintptr;size:GLsizeiptr
glTransformFeedbackVaryings|void|gl=3.0,gles2=3.0|||program:GLuint::program;count:GLsizei;varyings:const GLchar * const *:::count;bufferMode:GLenum:TransformFeedbackBufferMode
glTransformFeedbackVaryingsEXT|void||GL_EXT_transform_feedback|glTransformFeedbackVaryings|program:GLuint::program;count:GLsizei;varyings:const GLchar * const *:::count;bufferMode:GLenum:TransformFeedbackBufferMode
glTransformPathNV|void||GL_NV_path_rendering||resultPath:GLuint;srcPath:GLuint;transformType:GLenum:PathTransformType;transformValues:const GLfloat *:::COMPSIZE(transformType)
glTranslated|void|gl=1.0-|||x:GLdouble;y:GLdouble;z:GLdouble
glTranslatef|void|gl=1.0-|||x:GLfloat;y:GLfloat;z:GLfloat
glTranslatexOES|void||GL_OES_fixed_point||x:GLfixed;y:GLfixed;z:GLfixed
glUniform1d|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;x:GLdouble
glUniform1dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;value:const GLdouble *:::count*1
glUniform1f|void|gl=2.0,gles2=2.0|||location:GLint;v0:GLfloat
glUniform1fARB|void||GL_ARB_shader_objects|glUniform1f|location:GLint;v0:GLfloat
glUniform1fv|void|gl=2.0,gles2=2.0|||location:GLint;count:GLsizei;value:const GLfloat *:::count*1
glUniform1fvARB|void||GL_ARB_shader_objects|glUniform1fv|location:GLint;count:GLsizei;value:const GLfloat *:::count*1
glUniform1i|void|gl=2.0,gles2=2.0|||location:GLint;v0:GLint
glUniform1i64ARB|void||GL_ARB_gpu_shader_int64||location:GLint;x:GLint64
glUniform1i64NV|void||GL_NV_gpu_shader5||location:GLint;x:GLint64EXT
glUniform1i64vARB|void||GL_ARB_gpu_shader_int64||location:GLint;count:GLsizei;value:const GLint64 *:::count*1
glUniform1i64vNV|void||GL_NV_gpu_shader5||location:GLint;count:GLsizei;value:const GLint64EXT *:::count*1
glUniform1iARB|void||GL_ARB_shader_objects|glUniform1i|location:GLint;v0:GLint
glUniform1iv|void|gl=2.0,gles2=2.0|||location:GLint;count:GLsizei;value:const GLint *:::count*1
glUniform1ivARB|void||GL_ARB_shader_objects|glUniform1iv|location:GLint;count:GLsizei;value:const GLint *:::count*1
glUniform1ui|void|gl=3.0,gles2=3.0|||location:GLint;v0:GLuint
glUniform1ui64ARB|void||GL_ARB_gpu_shader_int64||location:GLint;x:GLuint64
glUniform1ui64NV|void||GL_NV_gpu_shader5||location:GLint;x:GLuint64EXT
glUniform1ui64vARB|void||GL_ARB_gpu_shader_int64||location:GLint;count:GLsizei;value:const GLuint64 *:::count*1
glUniform1ui64vNV|void||GL_NV_gpu_shader5||location:GLint;count:GLsizei;value:const GLuint64EXT *:::count*1
glUniform1uiEXT|void||GL_EXT_gpu_shader4|glUniform1ui|location:GLint;v0:GLuint
glUniform1uiv|void|gl=3.0,gles2=3.0|||location:GLint;count:GLsizei;value:const GLuint *:::count*1
glUniform1uivEXT|void||GL_EXT_gpu_shader4|glUniform1uiv|location:GLint;count:GLsizei;value:const GLuint *:::count*1
glUniform2d|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;x:GLdouble;y:GLdouble
glUniform2dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;value:const GLdouble *:::count*2
glUniform2f|void|gl=2.0,gles2=2.0|||location:GLint;v0:GLfloat;v1:GLfloat
glUniform2fARB|void||GL_ARB_shader_objects|glUniform2f|location:GLint;v0:GLfloat;v1:GLfloat
glUniform2fv|void|gl=2.0,gles2=2.0|||location:GLint;count:GLsizei;value:const GLfloat *:::count*2
glUniform2fvARB|void||GL_ARB_shader_objects|glUniform2fv|location:GLint;count:GLsizei;value:const GLfloat *:::count*2
glUniform2i|void|gl=2.0,gles2=2.0|||location:GLint;v0:GLint;v1:GLint
glUniform2i64ARB|void||GL_ARB_gpu_shader_int64||location:GLint;x:GLint64;y:GLint64
glUniform2i64NV|void||GL_NV_gpu_shader5||location:GLint;x:GLint64EXT;y:GLint64EXT
glUniform2i64vARB|void||GL_ARB_gpu_shader_int64||location:GLint;count:GLsizei;value:const GLint64 *:::count*2
glUniform2i64vNV|void||GL_NV_gpu_shader5||location:GLint;count:GLsizei;value:const GLint64EXT *:::count*2
glUniform2iARB|void||GL_ARB_shader_objects|glUniform2i|location:GLint;v0:GLint;v1:GLint
glUniform2iv|void|gl=2.0,gles2=2.0|||location:GLint;count:GLsizei;value:const GLint *:::count*2
glUniform2ivARB|void||GL_ARB_shader_objects|glUniform2iv|location:GLint;count:GLsizei;value:const GLint *:::count*2
glUniform2ui|void|gl=3.0,gles2=3.0|||location:GLint;v0:GLuint;v1:GLuint
glUniform2ui64ARB|void||GL_ARB_gpu_shader_int64||location:GLint;x:GLuint64;y:GLuint64
glUniform2ui64NV|void||GL_NV_gpu_shader5||location:GLint;x:GLuint64EXT;y:GLuint64EXT
glUniform2ui64vARB|void||GL_ARB_gpu_shader_int64||location:GLint;count:GLsizei;value:const GLuint64 *:::count*2
glUniform2ui64vNV|void||GL_NV_gpu_shader5||location:GLint;count:GLsizei;value:const GLuint64EXT *:::count*2
glUniform2uiEXT|void||GL_EXT_gpu_shader4|glUniform2ui|location:GLint;v0:GLuint;v1:GLuint
glUniform2uiv|void|gl=3.0,gles2=3.0|||location:GLint;count:GLsizei;value:const GLuint *:::count*2
glUniform2uivEXT|void||GL_EXT_gpu_shader4|glUniform2uiv|location:GLint;count:GLsizei;value:const GLuint *:::count*2
glUniform3d|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;x:GLdouble;y:GLdouble;z:GLdouble
glUniform3dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;value:const GLdouble *:::count*3
glUniform3f|void|gl=2.0,gles2=2.0|||location:GLint;v0:GLfloat;v1:GLfloat;v2:GLfloat
glUniform3fARB|void||GL_ARB_shader_objects|glUniform3f|location:GLint;v0:GLfloat;v1:GLfloat;v2:GLfloat
glUniform3fv|void|gl=2.0,gles2=2.0|||location:GLint;count:GLsizei;value:const GLfloat *:::count*3
glUniform3fvARB|void||GL_ARB_shader_objects|glUniform3fv|location:GLint;count:GLsizei;value:const GLfloat *:::count*3
glUniform3i|void|gl=2.0,gles2=2.0|||location:GLint;v0:GLint;v1:GLint;v2:GLint
glUniform3i64ARB|void||GL_ARB_gpu_shader_int64||location:GLint;x:GLint64;y:GLint64;z:GLint64
glUniform3i64NV|void||GL_NV_gpu_shader5||location:GLint;x:GLint64EXT;y:GLint64EXT;z:GLint64EXT
glUniform3i64vARB|void||GL_ARB_gpu_shader_int64||location:GLint;count:GLsizei;value:const GLint64 *:::count*3
glUniform3i64vNV|void||GL_NV_gpu_shader5||location:GLint;count:GLsizei;value:const GLint64EXT *:::count*3
glUniform3iARB|void||GL_ARB_shader_objects|glUniform3i|location:GLint;v0:GLint;v1:GLint;v2:GLint
glUniform3iv|void|gl=2.0,gles2=2.0|||location:GLint;count:GLsizei;value:const GLint *:::count*3
glUniform3ivARB|void||GL_ARB_shader_objects|glUniform3iv|location:GLint;count:GLsizei;value:const GLint *:::count*3
glUniform3ui|void|gl=3.0,gles2=3.0|||location:GLint;v0:GLuint;v1:GLuint;v2:GLuint
glUniform3ui64ARB|void||GL_ARB_gpu_shader_int64||location:GLint;x:GLuint64;y:GLuint64;z:GLuint64
glUniform3ui64NV|void||GL_NV_gpu_shader5||location:GLint;x:GLuint64EXT;y:GLuint64EXT;z:GLuint64EXT
glUniform3ui64vARB|void||GL_ARB_gpu_shader_int64||location:GLint;count:GLsizei;value:const GLuint64 *:::count*3
glUniform3ui64vNV|void||GL_NV_gpu_shader5||location:GLint;count:GLsizei;value:const GLuint64EXT *:::count*3
glUniform3uiEXT|void||GL_EXT_gpu_shader4|glUniform3ui|location:GLint;v0:GLuint;v1:GLuint;v2:GLuint
glUniform3uiv|void|gl=3.0,gles2=3.0|||location:GLint;count:GLsizei;value:const GLuint *:::count*3
glUniform3uivEXT|void||GL_EXT_gpu_shader4|glUniform3uiv|location:GLint;count:GLsizei;value:const GLuint *:::count*3
glUniform4d|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;x:GLdouble;y:GLdouble;z:GLdouble;w:GLdouble
glUniform4dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;value:const GLdouble *:::count*4
glUniform4f|void|gl=2.0,gles2=2.0|||location:GLint;v0:GLfloat;v1:GLfloat;v2:GLfloat;v3:GLfloat
glUniform4fARB|void||GL_ARB_shader_objects|glUniform4f|location:GLint;v0:GLfloat;v1:GLfloat;v2:GLfloat;v3:GLfloat
glUniform4fv|void|gl=2.0,gles2=2.0|||location:GLint;count:GLsizei;value:const GLfloat *:::count*4
glUniform4fvARB|void||GL_ARB_shader_objects|glUniform4fv|location:GLint;count:GLsizei;value:const GLfloat *:::count*4
glUniform4i|void|gl=2.0,gles2=2.0|||location:GLint;v0:GLint;v1:GLint;v2:GLint;v3:GLint
glUniform4i64ARB|void||GL_ARB_gpu_shader_int64||location:GLint;x:GLint64;y:GLint64;z:GLint64;w:GLint64
glUniform4i64NV|void||GL_NV_gpu_shader5||location:GLint;x:GLint64EXT;y:GLint64EXT;z:GLint64EXT;w:GLint64EXT
glUniform4i64vARB|void||GL_ARB_gpu_shader_int64||location:GLint;count:GLsizei;value:const GLint64 *:::count*4
glUniform4i64vNV|void||GL_NV_gpu_shader5||location:GLint;count:GLsizei;value:const GLint64EXT *:::count*4
glUniform4iARB|void||GL_ARB_shader_objects|glUniform4i|location:GLint;v0:GLint;v1:GLint;v2:GLint;v3:GLint
glUniform4iv|void|gl=2.0,gles2=2.0|||location:GLint;count:GLsizei;value:const GLint *:::count*4
glUniform4ivARB|void||GL_ARB_shader_objects|glUniform4iv|location:GLint;count:GLsizei;value:const GLint *:::count*4
glUniform4ui|void|gl=3.0,gles2=3.0|||location:GLint;v0:GLuint;v1:GLuint;v2:GLuint;v3:GLuint
glUniform4ui64ARB|void||GL_ARB_gpu_shader_int64||location:GLint;x:GLuint64;y:GLuint64;z:GLuint64;w:GLuint64
glUniform4ui64NV|void||GL_NV_gpu_shader5||location:GLint;x:GLuint64EXT;y:GLuint64EXT;z:GLuint64EXT;w:GLuint64EXT
glUniform4ui64vARB|void||GL_ARB_gpu_shader_int64||location:GLint;count:GLsizei;value:const GLuint64 *:::count*4
glUniform4ui64vNV|void||GL_NV_gpu_shader5||location:GLint;count:GLsizei;value:const GLuint64EXT *:::count*4
glUniform4uiEXT|void||GL_EXT_gpu_shader4|glUniform4ui|location:GLint;v0:GLuint;v1:GLuint;v2:GLuint;v3:GLuint
glUniform4uiv|void|gl=3.0,gles2=3.0|||location:GLint;count:GLsizei;value:const GLuint *:::count*4
glUniform4uivEXT|void||GL_EXT_gpu_shader4|glUniform4uiv|location:GLint;count:GLsizei;value:const GLuint *:::count*4
glUniformBlockBinding|void|gl=3.1,gles2=3.0|GL_ARB_uniform_buffer_object||program:GLuint::program;uniformBlockIndex:GLuint;uniformBlockBinding:GLuint
glUniformBufferEXT|void||GL_EXT_bindable_uniform||program:GLuint::program;location:GLint;buffer:GLuint::buffer
glUniformHandleui64ARB|void||GL_ARB_bindless_texture||location:GLint;value:GLuint64
glUniformHandleui64IMG|void||GL_IMG_bindless_texture|glUniformHandleui64ARB|location:GLint;value:GLuint64
glUniformHandleui64NV|void||GL_NV_bindless_texture||location:GLint;value:GLuint64
glUniformHandleui64vARB|void||GL_ARB_bindless_texture||location:GLint;count:GLsizei;value:const GLuint64 *:::count
glUniformHandleui64vIMG|void||GL_IMG_bindless_texture|glUniformHandleui64vARB|location:GLint;count:GLsizei;value:const GLuint64 *:::count
glUniformHandleui64vNV|void||GL_NV_bindless_texture||location:GLint;count:GLsizei;value:const GLuint64 *:::count
glUniformMatrix2dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*4
glUniformMatrix2fv|void|gl=2.0,gles2=2.0|||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*4
glUniformMatrix2fvARB|void||GL_ARB_shader_objects|glUniformMatrix2fv|location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*4
glUniformMatrix2x3dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*6
glUniformMatrix2x3fv|void|gl=2.1,gles2=3.0|||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*6
glUniformMatrix2x3fvNV|void||GL_NV_non_square_matrices|glUniformMatrix2x3fv|location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*6
glUniformMatrix2x4dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*8
glUniformMatrix2x4fv|void|gl=2.1,gles2=3.0|||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*8
glUniformMatrix2x4fvNV|void||GL_NV_non_square_matrices|glUniformMatrix2x4fv|location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*8
glUniformMatrix3dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*9
glUniformMatrix3fv|void|gl=2.0,gles2=2.0|||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*9
glUniformMatrix3fvARB|void||GL_ARB_shader_objects|glUniformMatrix3fv|location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*9
glUniformMatrix3x2dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*6
glUniformMatrix3x2fv|void|gl=2.1,gles2=3.0|||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*6
glUniformMatrix3x2fvNV|void||GL_NV_non_square_matrices|glUniformMatrix3x2fv|location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*6
glUniformMatrix3x4dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*12
glUniformMatrix3x4fv|void|gl=2.1,gles2=3.0|||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*12
glUniformMatrix3x4fvNV|void||GL_NV_non_square_matrices|glUniformMatrix3x4fv|location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*12
glUniformMatrix4dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*16
glUniformMatrix4fv|void|gl=2.0,gles2=2.0|||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*16
glUniformMatrix4fvARB|void||GL_ARB_shader_objects|glUniformMatrix4fv|location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*16
glUniformMatrix4x2dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*8
glUniformMatrix4x2fv|void|gl=2.1,gles2=3.0|||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*8
glUniformMatrix4x2fvNV|void||GL_NV_non_square_matrices|glUniformMatrix4x2fv|location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*8
glUniformMatrix4x3dv|void|gl=4.0|GL_ARB_gpu_shader_fp64||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLdouble *:::count*12
glUniformMatrix4x3fv|void|gl=2.1,gles2=3.0|||location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*12
glUniformMatrix4x3fvNV|void||GL_NV_non_square_matrices|glUniformMatrix4x3fv|location:GLint;count:GLsizei;transpose:GLboolean;value:const GLfloat *:::count*12
glUniformSubroutinesuiv|void|gl=4.0|GL_ARB_shader_subroutine||shadertype:GLenum:ShaderType;count:GLsizei;indices:const GLuint *:::count
glUnlockArraysEXT|void||GL_EXT_compiled_vertex_array
glUnmapBuffer|GLboolean|gl=1.5,gles2=3.0|||target:GLenum:BufferTargetARB
glUnmapBufferARB|GLboolean||GL_ARB_vertex_buffer_object|glUnmapBuffer|target:GLenum:BufferTargetARB
glUnmapBufferOES|GLboolean||GL_OES_mapbuffer|glUnmapBuffer|target:GLenum
glUnmapNamedBuffer|GLboolean|gl=4.5|GL_ARB_direct_state_access||buffer:GLuint::buffer
glUnmapNamedBufferEXT|GLboolean||GL_EXT_direct_state_access||buffer:GLuint::buffer
glUseProgram|void|gl=2.0,gles2=2.0|||program:GLuint::program
glUseProgramObjectARB|void||GL_ARB_shader_objects|glUseProgram|programObj:GLhandleARB
glUseProgramStages|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||pipeline:GLuint::program pipeline;stages:GLbitfield:UseProgramStageMask;program:GLuint::program
glUseProgramStagesEXT|void||GL_EXT_separate_shader_objects|glUseProgramStages|pipeline:GLuint::program pipeline;stages:GLbitfield:UseProgramStageMask;program:GLuint::program
glUseShaderProgramEXT|void||GL_EXT_separate_shader_objects||type:GLenum;program:GLuint::program
glValidateProgram|void|gl=2.0,gles2=2.0|||program:GLuint::program
glValidateProgramARB|void||GL_ARB_shader_objects|glValidateProgram|programObj:GLhandleARB
glValidateProgramPipeline|void|gl=4.1,gles2=3.1|GL_ARB_separate_shader_objects||pipeline:GLuint::program pipeline
glValidateProgramPipelineEXT|void||GL_EXT_separate_shader_objects|glValidateProgramPipeline|pipeline:GLuint::program pipeline
glVariantPointerEXT|void||GL_EXT_vertex_shader||id:GLuint;type:GLenum:ScalarType;stride:GLuint;addr:const void *:::COMPSIZE(id,type,stride)
glVariantbvEXT|void||GL_EXT_vertex_shader||id:GLuint;addr:const GLbyte *:::COMPSIZE(id)
glVariantdvEXT|void||GL_EXT_vertex_shader||id:GLuint;addr:const GLdouble *:::COMPSIZE(id)
glVariantfvEXT|void||GL_EXT_vertex_shader||id:GLuint;addr:const GLfloat *:::COMPSIZE(id)
glVariantivEXT|void||GL_EXT_vertex_shader||id:GLuint;addr:const GLint *:::COMPSIZE(id)
glVariantsvEXT|void||GL_EXT_vertex_shader||id:GLuint;addr:const GLshort *:::COMPSIZE(id)
glVariantubvEXT|void||GL_EXT_vertex_shader||id:GLuint;addr:const GLubyte *:::COMPSIZE(id)
glVariantuivEXT|void||GL_EXT_vertex_shader||id:GLuint;addr:const GLuint *:::COMPSIZE(id)
glVariantusvEXT|void||GL_EXT_vertex_shader||id:GLuint;addr:const GLushort *:::COMPSIZE(id)
glVertex2bOES|void||GL_OES_byte_coordinates||x:GLbyte;y:GLbyte
glVertex2bvOES|void||GL_OES_byte_coordinates||coords:const GLbyte *:::2
glVertex2d|void|gl=1.0-|||x:GLdouble;y:GLdouble
glVertex2dv|void|gl=1.0-|||v:const GLdouble *:::2
glVertex2f|void|gl=1.0-|||x:GLfloat;y:GLfloat
glVertex2fv|void|gl=1.0-|||v:const GLfloat *:::2
glVertex2i|void|gl=1.0-|||x:GLint;y:GLint
glVertex2iv|void|gl=1.0-|||v:const GLint *:::2
glVertex2s|void|gl=1.0-|||x:GLshort;y:GLshort
glVertex2sv|void|gl=1.0-|||v:const GLshort *:::2
glVertex2xOES|void||GL_OES_fixed_point||x:GLfixed
glVertex2xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::2
glVertex3bOES|void||GL_OES_byte_coordinates||x:GLbyte;y:GLbyte;z:GLbyte
glVertex3bvOES|void||GL_OES_byte_coordinates||coords:const GLbyte *:::3
glVertex3d|void|gl=1.0-|||x:GLdouble;y:GLdouble;z:GLdouble
glVertex3dv|void|gl=1.0-|||v:const GLdouble *:::3
glVertex3f|void|gl=1.0-|||x:GLfloat;y:GLfloat;z:GLfloat
glVertex3fv|void|gl=1.0-|||v:const GLfloat *:::3
glVertex3i|void|gl=1.0-|||x:GLint;y:GLint;z:GLint
glVertex3iv|void|gl=1.0-|||v:const GLint *:::3
glVertex3s|void|gl=1.0-|||x:GLshort;y:GLshort;z:GLshort
glVertex3sv|void|gl=1.0-|||v:const GLshort *:::3
glVertex3xOES|void||GL_OES_fixed_point||x:GLfixed;y:GLfixed
glVertex3xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::3
glVertex4bOES|void||GL_OES_byte_coordinates||x:GLbyte;y:GLbyte;z:GLbyte;w:GLbyte
glVertex4bvOES|void||GL_OES_byte_coordinates||coords:const GLbyte *:::4
glVertex4d|void|gl=1.0-|||x:GLdouble;y:GLdouble;z:GLdouble;w:GLdouble
glVertex4dv|void|gl=1.0-|||v:const GLdouble *:::4
glVertex4f|void|gl=1.0-|||x:GLfloat;y:GLfloat;z:GLfloat;w:GLfloat
glVertex4fv|void|gl=1.0-|||v:const GLfloat *:::4
glVertex4i|void|gl=1.0-|||x:GLint;y:GLint;z:GLint;w:GLint
glVertex4iv|void|gl=1.0-|||v:const GLint *:::4
glVertex4s|void|gl=1.0-|||x:GLshort;y:GLshort;z:GLshort;w:GLshort
glVertex4sv|void|gl=1.0-|||v:const GLshort *:::4
glVertex4xOES|void||GL_OES_fixed_point||x:GLfixed;y:GLfixed;z:GLfixed
glVertex4xvOES|void||GL_OES_fixed_point||coords:const GLfixed *:::4
glVertexArrayAttribBinding|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;attribindex:GLuint;bindingindex:GLuint
glVertexArrayAttribFormat|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;attribindex:GLuint;size:GLint;type:GLenum:VertexAttribType;normalized:GLboolean;relativeoffset:GLuint
glVertexArrayAttribIFormat|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;attribindex:GLuint;size:GLint;type:GLenum:VertexAttribIType;relativeoffset:GLuint
glVertexArrayAttribLFormat|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;attribindex:GLuint;size:GLint;type:GLenum:VertexAttribLType;relativeoffset:GLuint
glVertexArrayBindVertexBufferEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;bindingindex:GLuint;buffer:GLuint::buffer;offset:GLintptr;stride:GLsizei
glVertexArrayBindingDivisor|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;bindingindex:GLuint;divisor:GLuint
glVertexArrayColorOffsetEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer;size:GLint;type:GLenum:ColorPointerType;stride:GLsizei;offset:GLintptr
glVertexArrayEdgeFlagOffsetEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer;stride:GLsizei;offset:GLintptr
glVertexArrayElementBuffer|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer
glVertexArrayFogCoordOffsetEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer;type:GLenum:FogCoordinatePointerType;stride:GLsizei;offset:GLintptr
glVertexArrayIndexOffsetEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer;type:GLenum:IndexPointerType;stride:GLsizei;offset:GLintptr
glVertexArrayMultiTexCoordOffsetEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer;texunit:GLenum;size:GLint;type:GLenum:TexCoordPointerType;stride:GLsizei;offset:GLintptr
glVertexArrayNormalOffsetEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer;type:GLenum:NormalPointerType;stride:GLsizei;offset:GLintptr
glVertexArraySecondaryColorOffsetEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer;size:GLint;type:GLenum:ColorPointerType;stride:GLsizei;offset:GLintptr
glVertexArrayTexCoordOffsetEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer;size:GLint;type:GLenum:TexCoordPointerType;stride:GLsizei;offset:GLintptr
glVertexArrayVertexAttribBindingEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;attribindex:GLuint;bindingindex:GLuint
glVertexArrayVertexAttribDivisorEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;index:GLuint;divisor:GLuint
glVertexArrayVertexAttribFormatEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;attribindex:GLuint;size:GLint;type:GLenum:VertexAttribType;normalized:GLboolean;relativeoffset:GLuint
glVertexArrayVertexAttribIFormatEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;attribindex:GLuint;size:GLint;type:GLenum:VertexAttribIType;relativeoffset:GLuint
glVertexArrayVertexAttribIOffsetEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer;index:GLuint;size:GLint;type:GLenum:VertexAttribType;stride:GLsizei;offset:GLintptr
glVertexArrayVertexAttribLFormatEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;attribindex:GLuint;size:GLint;type:GLenum:VertexAttribLType;relativeoffset:GLuint
glVertexArrayVertexAttribLOffsetEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer;index:GLuint;size:GLint;type:GLenum:VertexAttribLType;stride:GLsizei;offset:GLintptr
glVertexArrayVertexAttribOffsetEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer;index:GLuint;size:GLint;type:GLenum:VertexAttribPointerType;normalized:GLboolean;stride:GLsizei;offset:GLintptr
glVertexArrayVertexBindingDivisorEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;bindingindex:GLuint;divisor:GLuint
glVertexArrayVertexBuffer|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;bindingindex:GLuint;buffer:GLuint::buffer;offset:GLintptr;stride:GLsizei
glVertexArrayVertexBuffers|void|gl=4.5|GL_ARB_direct_state_access||vaobj:GLuint::vertex array;first:GLuint;count:GLsizei;buffers:const GLuint *::buffer:count;offsets:const GLintptr *:::count;strides:const GLsizei *:::count
glVertexArrayVertexOffsetEXT|void||GL_EXT_direct_state_access||vaobj:GLuint::vertex array;buffer:GLuint::buffer;size:GLint;type:GLenum:VertexPointerType;stride:GLsizei;offset:GLintptr
glVertexAttrib1d|void|gl=2.0|||index:GLuint;x:GLdouble
glVertexAttrib1dARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib1d|index:GLuint;x:GLdouble
glVertexAttrib1dv|void|gl=2.0|||index:GLuint;v:const GLdouble *:::1
glVertexAttrib1dvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib1dv|index:GLuint;v:const GLdouble *:::1
glVertexAttrib1f|void|gl=2.0,gles2=2.0|||index:GLuint;x:GLfloat
glVertexAttrib1fARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib1f|index:GLuint;x:GLfloat
glVertexAttrib1fv|void|gl=2.0,gles2=2.0|||index:GLuint;v:const GLfloat *:::1
glVertexAttrib1fvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib1fv|index:GLuint;v:const GLfloat *:::1
glVertexAttrib1s|void|gl=2.0|||index:GLuint;x:GLshort
glVertexAttrib1sARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib1s|index:GLuint;x:GLshort
glVertexAttrib1sv|void|gl=2.0|||index:GLuint;v:const GLshort *:::1
glVertexAttrib1svARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib1sv|index:GLuint;v:const GLshort *:::1
glVertexAttrib2d|void|gl=2.0|||index:GLuint;x:GLdouble;y:GLdouble
glVertexAttrib2dARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib2d|index:GLuint;x:GLdouble;y:GLdouble
glVertexAttrib2dv|void|gl=2.0|||index:GLuint;v:const GLdouble *:::2
glVertexAttrib2dvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib2dv|index:GLuint;v:const GLdouble *:::2
glVertexAttrib2f|void|gl=2.0,gles2=2.0|||index:GLuint;x:GLfloat;y:GLfloat
glVertexAttrib2fARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib2f|index:GLuint;x:GLfloat;y:GLfloat
glVertexAttrib2fv|void|gl=2.0,gles2=2.0|||index:GLuint;v:const GLfloat *:::2
glVertexAttrib2fvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib2fv|index:GLuint;v:const GLfloat *:::2
glVertexAttrib2s|void|gl=2.0|||index:GLuint;x:GLshort;y:GLshort
glVertexAttrib2sARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib2s|index:GLuint;x:GLshort;y:GLshort
glVertexAttrib2sv|void|gl=2.0|||index:GLuint;v:const GLshort *:::2
glVertexAttrib2svARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib2sv|index:GLuint;v:const GLshort *:::2
glVertexAttrib3d|void|gl=2.0|||index:GLuint;x:GLdouble;y:GLdouble;z:GLdouble
glVertexAttrib3dARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib3d|index:GLuint;x:GLdouble;y:GLdouble;z:GLdouble
glVertexAttrib3dv|void|gl=2.0|||index:GLuint;v:const GLdouble *:::3
glVertexAttrib3dvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib3dv|index:GLuint;v:const GLdouble *:::3
glVertexAttrib3f|void|gl=2.0,gles2=2.0|||index:GLuint;x:GLfloat;y:GLfloat;z:GLfloat
glVertexAttrib3fARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib3f|index:GLuint;x:GLfloat;y:GLfloat;z:GLfloat
glVertexAttrib3fv|void|gl=2.0,gles2=2.0|||index:GLuint;v:const GLfloat *:::3
glVertexAttrib3fvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib3fv|index:GLuint;v:const GLfloat *:::3
glVertexAttrib3s|void|gl=2.0|||index:GLuint;x:GLshort;y:GLshort;z:GLshort
glVertexAttrib3sARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib3s|index:GLuint;x:GLshort;y:GLshort;z:GLshort
glVertexAttrib3sv|void|gl=2.0|||index:GLuint;v:const GLshort *:::3
glVertexAttrib3svARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib3sv|index:GLuint;v:const GLshort *:::3
glVertexAttrib4Nbv|void|gl=2.0|||index:GLuint;v:const GLbyte *:::4
glVertexAttrib4NbvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4Nbv|index:GLuint;v:const GLbyte *:::4
glVertexAttrib4Niv|void|gl=2.0|||index:GLuint;v:const GLint *:::4
glVertexAttrib4NivARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4Niv|index:GLuint;v:const GLint *:::4
glVertexAttrib4Nsv|void|gl=2.0|||index:GLuint;v:const GLshort *:::4
glVertexAttrib4NsvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4Nsv|index:GLuint;v:const GLshort *:::4
glVertexAttrib4Nub|void|gl=2.0|||index:GLuint;x:GLubyte;y:GLubyte;z:GLubyte;w:GLubyte
glVertexAttrib4NubARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4Nub|index:GLuint;x:GLubyte;y:GLubyte;z:GLubyte;w:GLubyte
glVertexAttrib4Nubv|void|gl=2.0|||index:GLuint;v:const GLubyte *:::4
glVertexAttrib4NubvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4Nubv|index:GLuint;v:const GLubyte *:::4
glVertexAttrib4Nuiv|void|gl=2.0|||index:GLuint;v:const GLuint *:::4
glVertexAttrib4NuivARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4Nuiv|index:GLuint;v:const GLuint *:::4
glVertexAttrib4Nusv|void|gl=2.0|||index:GLuint;v:const GLushort *:::4
glVertexAttrib4NusvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4Nusv|index:GLuint;v:const GLushort *:::4
glVertexAttrib4bv|void|gl=2.0|||index:GLuint;v:const GLbyte *:::4
glVertexAttrib4bvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4bv|index:GLuint;v:const GLbyte *:::4
glVertexAttrib4d|void|gl=2.0|||index:GLuint;x:GLdouble;y:GLdouble;z:GLdouble;w:GLdouble
glVertexAttrib4dARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4d|index:GLuint;x:GLdouble;y:GLdouble;z:GLdouble;w:GLdouble
glVertexAttrib4dv|void|gl=2.0|||index:GLuint;v:const GLdouble *:::4
glVertexAttrib4dvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4dv|index:GLuint;v:const GLdouble *:::4
glVertexAttrib4f|void|gl=2.0,gles2=2.0|||index:GLuint;x:GLfloat;y:GLfloat;z:GLfloat;w:GLfloat
glVertexAttrib4fARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4f|index:GLuint;x:GLfloat;y:GLfloat;z:GLfloat;w:GLfloat
glVertexAttrib4fv|void|gl=2.0,gles2=2.0|||index:GLuint;v:const GLfloat *:::4
glVertexAttrib4fvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4fv|index:GLuint;v:const GLfloat *:::4
glVertexAttrib4iv|void|gl=2.0|||index:GLuint;v:const GLint *:::4
glVertexAttrib4ivARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4iv|index:GLuint;v:const GLint *:::4
glVertexAttrib4s|void|gl=2.0|||index:GLuint;x:GLshort;y:GLshort;z:GLshort;w:GLshort
glVertexAttrib4sARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4s|index:GLuint;x:GLshort;y:GLshort;z:GLshort;w:GLshort
glVertexAttrib4sv|void|gl=2.0|||index:GLuint;v:const GLshort *:::4
glVertexAttrib4svARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4sv|index:GLuint;v:const GLshort *:::4
glVertexAttrib4ubv|void|gl=2.0|||index:GLuint;v:const GLubyte *:::4
glVertexAttrib4ubvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4ubv|index:GLuint;v:const GLubyte *:::4
glVertexAttrib4uiv|void|gl=2.0|||index:GLuint;v:const GLuint *:::4
glVertexAttrib4uivARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4uiv|index:GLuint;v:const GLuint *:::4
glVertexAttrib4usv|void|gl=2.0|||index:GLuint;v:const GLushort *:::4
glVertexAttrib4usvARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttrib4usv|index:GLuint;v:const GLushort *:::4
glVertexAttribBinding|void|gl=4.3,gles2=3.1|GL_ARB_vertex_attrib_binding||attribindex:GLuint;bindingindex:GLuint
glVertexAttribDivisor|void|gl=3.3,gles2=3.0|||index:GLuint;divisor:GLuint
glVertexAttribDivisorANGLE|void||GL_ANGLE_instanced_arrays|glVertexAttribDivisor|index:GLuint;divisor:GLuint
glVertexAttribDivisorARB|void||GL_ARB_instanced_arrays|glVertexAttribDivisor|index:GLuint;divisor:GLuint
glVertexAttribDivisorEXT|void||GL_EXT_instanced_arrays|glVertexAttribDivisor|index:GLuint;divisor:GLuint
glVertexAttribDivisorNV|void||GL_NV_instanced_arrays|glVertexAttribDivisor|index:GLuint;divisor:GLuint
glVertexAttribFormat|void|gl=4.3,gles2=3.1|GL_ARB_vertex_attrib_binding||attribindex:GLuint;size:GLint;type:GLenum:VertexAttribType;normalized:GLboolean;relativeoffset:GLuint
glVertexAttribI1i|void|gl=3.0|||index:GLuint;x:GLint
glVertexAttribI1iEXT|void||GL_EXT_gpu_shader4|glVertexAttribI1i|index:GLuint;x:GLint
glVertexAttribI1iv|void|gl=3.0|||index:GLuint;v:const GLint *:::1
glVertexAttribI1ivEXT|void||GL_EXT_gpu_shader4|glVertexAttribI1iv|index:GLuint;v:const GLint *:::1
glVertexAttribI1ui|void|gl=3.0|||index:GLuint;x:GLuint
glVertexAttribI1uiEXT|void||GL_EXT_gpu_shader4|glVertexAttribI1ui|index:GLuint;x:GLuint
glVertexAttribI1uiv|void|gl=3.0|||index:GLuint;v:const GLuint *:::1
glVertexAttribI1uivEXT|void||GL_EXT_gpu_shader4|glVertexAttribI1uiv|index:GLuint;v:const GLuint *:::1
glVertexAttribI2i|void|gl=3.0|||index:GLuint;x:GLint;y:GLint
glVertexAttribI2iEXT|void||GL_EXT_gpu_shader4|glVertexAttribI2i|index:GLuint;x:GLint;y:GLint
glVertexAttribI2iv|void|gl=3.0|||index:GLuint;v:const GLint *:::2
glVertexAttribI2ivEXT|void||GL_EXT_gpu_shader4|glVertexAttribI2iv|index:GLuint;v:const GLint *:::2
glVertexAttribI2ui|void|gl=3.0|||index:GLuint;x:GLuint;y:GLuint
glVertexAttribI2uiEXT|void||GL_EXT_gpu_shader4|glVertexAttribI2ui|index:GLuint;x:GLuint;y:GLuint
glVertexAttribI2uiv|void|gl=3.0|||index:GLuint;v:const GLuint *:::2
glVertexAttribI2uivEXT|void||GL_EXT_gpu_shader4|glVertexAttribI2uiv|index:GLuint;v:const GLuint *:::2
glVertexAttribI3i|void|gl=3.0|||index:GLuint;x:GLint;y:GLint;z:GLint
glVertexAttribI3iEXT|void||GL_EXT_gpu_shader4|glVertexAttribI3i|index:GLuint;x:GLint;y:GLint;z:GLint
glVertexAttribI3iv|void|gl=3.0|||index:GLuint;v:const GLint *:::3
glVertexAttribI3ivEXT|void||GL_EXT_gpu_shader4|glVertexAttribI3iv|index:GLuint;v:const GLint *:::3
glVertexAttribI3ui|void|gl=3.0|||index:GLuint;x:GLuint;y:GLuint;z:GLuint
glVertexAttribI3uiEXT|void||GL_EXT_gpu_shader4|glVertexAttribI3ui|index:GLuint;x:GLuint;y:GLuint;z:GLuint
glVertexAttribI3uiv|void|gl=3.0|||index:GLuint;v:const GLuint *:::3
glVertexAttribI3uivEXT|void||GL_EXT_gpu_shader4|glVertexAttribI3uiv|index:GLuint;v:const GLuint *:::3
glVertexAttribI4bv|void|gl=3.0|||index:GLuint;v:const GLbyte *:::4
glVertexAttribI4bvEXT|void||GL_EXT_gpu_shader4|glVertexAttribI4bv|index:GLuint;v:const GLbyte *:::4
glVertexAttribI4i|void|gl=3.0,gles2=3.0|||index:GLuint;x:GLint;y:GLint;z:GLint;w:GLint
glVertexAttribI4iEXT|void||GL_EXT_gpu_shader4|glVertexAttribI4i|index:GLuint;x:GLint;y:GLint;z:GLint;w:GLint
glVertexAttribI4iv|void|gl=3.0,gles2=3.0|||index:GLuint;v:const GLint *:::4
glVertexAttribI4ivEXT|void||GL_EXT_gpu_shader4|glVertexAttribI4iv|index:GLuint;v:const GLint *:::4
glVertexAttribI4sv|void|gl=3.0|||index:GLuint;v:const GLshort *:::4
glVertexAttribI4svEXT|void||GL_EXT_gpu_shader4|glVertexAttribI4sv|index:GLuint;v:const GLshort *:::4
glVertexAttribI4ubv|void|gl=3.0|||index:GLuint;v:const GLubyte *:::4
glVertexAttribI4ubvEXT|void||GL_EXT_gpu_shader4|glVertexAttribI4ubv|index:GLuint;v:const GLubyte *:::4
glVertexAttribI4ui|void|gl=3.0,gles2=3.0|||index:GLuint;x:GLuint;y:GLuint;z:GLuint;w:GLuint
glVertexAttribI4uiEXT|void||GL_EXT_gpu_shader4|glVertexAttribI4ui|index:GLuint;x:GLuint;y:GLuint;z:GLuint;w:GLuint
glVertexAttribI4uiv|void|gl=3.0,gles2=3.0|||index:GLuint;v:const GLuint *:::4
glVertexAttribI4uivEXT|void||GL_EXT_gpu_shader4|glVertexAttribI4uiv|index:GLuint;v:const GLuint *:::4
glVertexAttribI4usv|void|gl=3.0|||index:GLuint;v:const GLushort *:::4
glVertexAttribI4usvEXT|void||GL_EXT_gpu_shader4|glVertexAttribI4usv|index:GLuint;v:const GLushort *:::4
glVertexAttribIFormat|void|gl=4.3,gles2=3.1|GL_ARB_vertex_attrib_binding||attribindex:GLuint;size:GLint;type:GLenum:VertexAttribIType;relativeoffset:GLuint
glVertexAttribIPointer|void|gl=3.0,gles2=3.0|||index:GLuint;size:GLint;type:GLenum:VertexAttribIType;stride:GLsizei;pointer:const void *
glVertexAttribIPointerEXT|void||GL_EXT_gpu_shader4|glVertexAttribIPointer|index:GLuint;size:GLint;type:GLenum:VertexAttribIType;stride:GLsizei;pointer:const void *
glVertexAttribL1d|void|gl=4.1|GL_ARB_vertex_attrib_64bit||index:GLuint;x:GLdouble
glVertexAttribL1dEXT|void||GL_EXT_vertex_attrib_64bit|glVertexAttribL1d|index:GLuint;x:GLdouble
glVertexAttribL1dv|void|gl=4.1|GL_ARB_vertex_attrib_64bit||index:GLuint;v:const GLdouble *:::1
glVertexAttribL1dvEXT|void||GL_EXT_vertex_attrib_64bit|glVertexAttribL1dv|index:GLuint;v:const GLdouble *:::1
glVertexAttribL1ui64ARB|void||GL_ARB_bindless_texture||index:GLuint;x:GLuint64EXT
glVertexAttribL1ui64vARB|void||GL_ARB_bindless_texture||index:GLuint;v:const GLuint64EXT *
glVertexAttribL2d|void|gl=4.1|GL_ARB_vertex_attrib_64bit||index:GLuint;x:GLdouble;y:GLdouble
glVertexAttribL2dEXT|void||GL_EXT_vertex_attrib_64bit|glVertexAttribL2d|index:GLuint;x:GLdouble;y:GLdouble
glVertexAttribL2dv|void|gl=4.1|GL_ARB_vertex_attrib_64bit||index:GLuint;v:const GLdouble *:::2
glVertexAttribL2dvEXT|void||GL_EXT_vertex_attrib_64bit|glVertexAttribL2dv|index:GLuint;v:const GLdouble *:::2
glVertexAttribL3d|void|gl=4.1|GL_ARB_vertex_attrib_64bit||index:GLuint;x:GLdouble;y:GLdouble;z:GLdouble
glVertexAttribL3dEXT|void||GL_EXT_vertex_attrib_64bit|glVertexAttribL3d|index:GLuint;x:GLdouble;y:GLdouble;z:GLdouble
glVertexAttribL3dv|void|gl=4.1|GL_ARB_vertex_attrib_64bit||index:GLuint;v:const GLdouble *:::3
glVertexAttribL3dvEXT|void||GL_EXT_vertex_attrib_64bit|glVertexAttribL3dv|index:GLuint;v:const GLdouble *:::3
glVertexAttribL4d|void|gl=4.1|GL_ARB_vertex_attrib_64bit||index:GLuint;x:GLdouble;y:GLdouble;z:GLdouble;w:GLdouble
glVertexAttribL4dEXT|void||GL_EXT_vertex_attrib_64bit|glVertexAttribL4d|index:GLuint;x:GLdouble;y:GLdouble;z:GLdouble;w:GLdouble
glVertexAttribL4dv|void|gl=4.1|GL_ARB_vertex_attrib_64bit||index:GLuint;v:const GLdouble *:::4
glVertexAttribL4dvEXT|void||GL_EXT_vertex_attrib_64bit|glVertexAttribL4dv|index:GLuint;v:const GLdouble *:::4
glVertexAttribLFormat|void|gl=4.3|GL_ARB_vertex_attrib_binding||attribindex:GLuint;size:GLint;type:GLenum:VertexAttribLType;relativeoffset:GLuint
glVertexAttribLPointer|void|gl=4.1|GL_ARB_vertex_attrib_64bit||index:GLuint;size:GLint;type:GLenum:VertexAttribLType;stride:GLsizei;pointer:const void *
glVertexAttribLPointerEXT|void||GL_EXT_vertex_attrib_64bit|glVertexAttribLPointer|index:GLuint;size:GLint;type:GLenum:VertexAttribLType;stride:GLsizei;pointer:const void *
glVertexAttribP1ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||index:GLuint;type:GLenum:VertexAttribPointerType;normalized:GLboolean;value:GLuint
glVertexAttribP1uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||index:GLuint;type:GLenum:VertexAttribPointerType;normalized:GLboolean;value:const GLuint *:::1
glVertexAttribP2ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||index:GLuint;type:GLenum:VertexAttribPointerType;normalized:GLboolean;value:GLuint
glVertexAttribP2uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||index:GLuint;type:GLenum:VertexAttribPointerType;normalized:GLboolean;value:const GLuint *:::1
glVertexAttribP3ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||index:GLuint;type:GLenum:VertexAttribPointerType;normalized:GLboolean;value:GLuint
glVertexAttribP3uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||index:GLuint;type:GLenum:VertexAttribPointerType;normalized:GLboolean;value:const GLuint *:::1
glVertexAttribP4ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||index:GLuint;type:GLenum:VertexAttribPointerType;normalized:GLboolean;value:GLuint
glVertexAttribP4uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||index:GLuint;type:GLenum:VertexAttribPointerType;normalized:GLboolean;value:const GLuint *:::1
glVertexAttribPointer|void|gl=2.0,gles2=2.0|||index:GLuint;size:GLint;type:GLenum:VertexAttribPointerType;normalized:GLboolean;stride:GLsizei;pointer:const void *
glVertexAttribPointerARB|void||GL_ARB_vertex_program,GL_ARB_vertex_shader|glVertexAttribPointer|index:GLuint;size:GLint;type:GLenum:VertexAttribPointerType;normalized:GLboolean;stride:GLsizei;pointer:const void *
glVertexBindingDivisor|void|gl=4.3,gles2=3.1|GL_ARB_vertex_attrib_binding||bindingindex:GLuint;divisor:GLuint
glVertexBlendARB|void||GL_ARB_vertex_blend||count:GLint
glVertexP2ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:VertexPointerType;value:GLuint
glVertexP2uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:VertexPointerType;value:const GLuint *:::1
glVertexP3ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:VertexPointerType;value:GLuint
glVertexP3uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:VertexPointerType;value:const GLuint *:::1
glVertexP4ui|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:VertexPointerType;value:GLuint
glVertexP4uiv|void|gl=3.3|GL_ARB_vertex_type_2_10_10_10_rev||type:GLenum:VertexPointerType;value:const GLuint *:::1
glVertexPointer|void|gl=1.1-|||size:GLint;type:GLenum:VertexPointerType;stride:GLsizei;pointer:const void *:::COMPSIZE(size,type,stride)
glVertexPointerEXT|void||GL_EXT_vertex_array||size:GLint;type:GLenum:VertexPointerType;stride:GLsizei;count:GLsizei;pointer:const void *:::COMPSIZE(size,type,stride,count)
glVertexWeightPointerEXT|void||GL_EXT_vertex_weighting||size:GLint;type:GLenum:VertexWeightPointerTypeEXT;stride:GLsizei;pointer:const void *:::COMPSIZE(type,stride)
glVertexWeightfEXT|void||GL_EXT_vertex_weighting||weight:GLfloat
glVertexWeightfvEXT|void||GL_EXT_vertex_weighting||weight:const GLfloat *:::1
glViewport|void|gl=1.0,gles2=2.0|||x:GLint;y:GLint;width:GLsizei;height:GLsizei
glViewportArrayv|void|gl=4.1|GL_ARB_viewport_array||first:GLuint;count:GLsizei;v:const GLfloat *:::COMPSIZE(count)
glViewportArrayvNV|void||GL_NV_viewport_array|glViewportArrayv|first:GLuint;count:GLsizei;v:const GLfloat *:::COMPSIZE(count)
glViewportArrayvOES|void||GL_OES_viewport_array|glViewportArrayv|first:GLuint;count:GLsizei;v:const GLfloat *:::COMPSIZE(count)
glViewportIndexedf|void|gl=4.1|GL_ARB_viewport_array||index:GLuint;x:GLfloat;y:GLfloat;w:GLfloat;h:GLfloat
glViewportIndexedfNV|void||GL_NV_viewport_array|glViewportIndexedf|index:GLuint;x:GLfloat;y:GLfloat;w:GLfloat;h:GLfloat
glViewportIndexedfOES|void||GL_OES_viewport_array|glViewportIndexedf|index:GLuint;x:GLfloat;y:GLfloat;w:GLfloat;h:GLfloat
glViewportIndexedfv|void|gl=4.1|GL_ARB_viewport_array||index:GLuint;v:const GLfloat *:::4
glViewportIndexedfvNV|void||GL_NV_viewport_array|glViewportIndexedfv|index:GLuint;v:const GLfloat *:::4
glViewportIndexedfvOES|void||GL_OES_viewport_array|glViewportIndexedfv|index:GLuint;v:const GLfloat *:::4
glViewportPositionWScaleNV|void||GL_NV_clip_space_w_scaling||index:GLuint;xcoeff:GLfloat;ycoeff:GLfloat
glViewportSwizzleNV|void||GL_NV_viewport_swizzle||index:GLuint;swizzlex:GLenum;swizzley:GLenum;swizzlez:GLenum;swizzlew:GLenum
glWaitSemaphoreEXT|void||GL_EXT_semaphore||semaphore:GLuint;numBufferBarriers:GLuint;buffers:const GLuint *::buffer:COMPSIZE(numBufferBarriers);numTextureBarriers:GLuint;textures:const GLuint *::texture:COMPSIZE(numTextureBarriers);srcLayouts:const GLenum *:TextureLayout::COMPSIZE(numTextureBarriers)
glWaitSync|void|gl=3.2,gles2=3.0|GL_ARB_sync||sync:GLsync::sync;flags:GLbitfield:SyncBehaviorFlags;timeout:GLuint64
glWaitSyncAPPLE|void||GL_APPLE_sync|glWaitSync|sync:GLsync::sync;flags:GLbitfield:SyncBehaviorFlags;timeout:GLuint64
glWaitVkSemaphoreNV|void||GL_NV_draw_vulkan_image||vkSemaphore:GLuint64
glWeightPathsNV|void||GL_NV_path_rendering||resultPath:GLuint;numPaths:GLsizei;paths:const GLuint *:::numPaths;weights:const GLfloat *:::numPaths
glWeightPointerARB|void||GL_ARB_vertex_blend||size:GLint;type:GLenum:WeightPointerTypeARB;stride:GLsizei;pointer:const void *:::COMPSIZE(type,stride)
glWeightbvARB|void||GL_ARB_vertex_blend||size:GLint;weights:const GLbyte *:::size
glWeightdvARB|void||GL_ARB_vertex_blend||size:GLint;weights:const GLdouble *:::size
glWeightfvARB|void||GL_ARB_vertex_blend||size:GLint;weights:const GLfloat *:::size
glWeightivARB|void||GL_ARB_vertex_blend||size:GLint;weights:const GLint *:::size
glWeightsvARB|void||GL_ARB_vertex_blend||size:GLint;weights:const GLshort *:::size
glWeightubvARB|void||GL_ARB_vertex_blend||size:GLint;weights:const GLubyte *:::size
glWeightuivARB|void||GL_ARB_vertex_blend||size:GLint;weights:const GLuint *:::size
glWeightusvARB|void||GL_ARB_vertex_blend||size:GLint;weights:const GLushort *:::size
glWindowPos2d|void|gl=1.4-|||x:GLdouble;y:GLdouble
glWindowPos2dARB|void||GL_ARB_window_pos|glWindowPos2d|x:GLdouble;y:GLdouble
glWindowPos2dv|void|gl=1.4-|||v:const GLdouble *:::2
glWindowPos2dvARB|void||GL_ARB_window_pos|glWindowPos2dv|v:const GLdouble *:::2
glWindowPos2f|void|gl=1.4-|||x:GLfloat;y:GLfloat
glWindowPos2fARB|void||GL_ARB_window_pos|glWindowPos2f|x:GLfloat;y:GLfloat
glWindowPos2fv|void|gl=1.4-|||v:const GLfloat *:::2
glWindowPos2fvARB|void||GL_ARB_window_pos|glWindowPos2fv|v:const GLfloat *:::2
glWindowPos2i|void|gl=1.4-|||x:GLint;y:GLint
glWindowPos2iARB|void||GL_ARB_window_pos|glWindowPos2i|x:GLint;y:GLint
glWindowPos2iv|void|gl=1.4-|||v:const GLint *:::2
glWindowPos2ivARB|void||GL_ARB_window_pos|glWindowPos2iv|v:const GLint *:::2
glWindowPos2s|void|gl=1.4-|||x:GLshort;y:GLshort
glWindowPos2sARB|void||GL_ARB_window_pos|glWindowPos2s|x:GLshort;y:GLshort
glWindowPos2sv|void|gl=1.4-|||v:const GLshort *:::2
glWindowPos2svARB|void||GL_ARB_window_pos|glWindowPos2sv|v:const GLshort *:::2
glWindowPos3d|void|gl=1.4-|||x:GLdouble;y:GLdouble;z:GLdouble
glWindowPos3dARB|void||GL_ARB_window_pos|glWindowPos3d|x:GLdouble;y:GLdouble;z:GLdouble
glWindowPos3dv|void|gl=1.4-|||v:const GLdouble *:::3
glWindowPos3dvARB|void||GL_ARB_window_pos|glWindowPos3dv|v:const GLdouble *:::3
glWindowPos3f|void|gl=1.4-|||x:GLfloat;y:GLfloat;z:GLfloat
glWindowPos3fARB|void||GL_ARB_window_pos|glWindowPos3f|x:GLfloat;y:GLfloat;z:GLfloat
glWindowPos3fv|void|gl=1.4-|||v:const GLfloat *:::3
glWindowPos3fvARB|void||GL_ARB_window_pos|glWindowPos3fv|v:const GLfloat *:::3
glWindowPos3i|void|gl=1.4-|||x:GLint;y:GLint;z:GLint
glWindowPos3iARB|void||GL_ARB_window_pos|glWindowPos3i|x:GLint;y:GLint;z:GLint
glWindowPos3iv|void|gl=1.4-|||v:const GLint *:::3
glWindowPos3ivARB|void||GL_ARB_window_pos|glWindowPos3iv|v:const GLint *:::3
glWindowPos3s|void|gl=1.4-|||x:GLshort;y:GLshort;z:GLshort
glWindowPos3sARB|void||GL_ARB_window_pos|glWindowPos3s|x:GLshort;y:GLshort;z:GLshort
glWindowPos3sv|void|gl=1.4-|||v:const GLshort *:::3
glWindowPos3svARB|void||GL_ARB_window_pos|glWindowPos3sv|v:const GLshort *:::3
glWindowRectanglesEXT|void||GL_EXT_window_rectangles||mode:GLenum;count:GLsizei;box:const GLint *:::COMPSIZE(count)
glWriteMaskEXT|void||GL_EXT_vertex_shader||res:GLuint;in:GLuint;outX:GLenum:VertexShaderWriteMaskEXT;outY:GLenum:VertexShaderWriteMaskEXT;outZ:GLenum:VertexShaderWriteMaskEXT;outW:GLenum:VertexShaderWriteMaskEXT
eglBindAPI|EGLBoolean|egl=1.2|||api:EGLenum
eglBindTexImage|EGLBoolean|egl=1.1|||dpy:EGLDisplay;surface:EGLSurface;buffer:EGLint
eglChooseConfig|EGLBoolean|egl=1.0|||dpy:EGLDisplay;attrib_list:const EGLint *;configs:EGLConfig *;config_size:EGLint;num_config:EGLint *
eglClientWaitSync|EGLint|egl=1.5|||dpy:EGLDisplay;sync:EGLSync;flags:EGLint;timeout:EGLTime
eglClientWaitSyncKHR|EGLint||EGL_KHR_fence_sync|eglClientWaitSync|dpy:EGLDisplay;sync:EGLSyncKHR;flags:EGLint;timeout:EGLTimeKHR
eglCopyBuffers|EGLBoolean|egl=1.0|||dpy:EGLDisplay;surface:EGLSurface;target:EGLNativePixmapType
eglCreateContext|EGLContext|egl=1.0|||dpy:EGLDisplay;config:EGLConfig;share_context:EGLContext;attrib_list:const EGLint *
eglCreateImage|EGLImage|egl=1.5|||dpy:EGLDisplay;ctx:EGLContext;target:EGLenum;buffer:EGLClientBuffer;attrib_list:const EGLAttrib *
eglCreateImageKHR|EGLImageKHR||EGL_KHR_image,EGL_KHR_image_base||dpy:EGLDisplay;ctx:EGLContext;target:EGLenum;buffer:EGLClientBuffer;attrib_list:const EGLint *
eglCreatePbufferFromClientBuffer|EGLSurface|egl=1.2|||dpy:EGLDisplay;buftype:EGLenum;buffer:EGLClientBuffer;config:EGLConfig;attrib_list:const EGLint *
eglCreatePbufferSurface|EGLSurface|egl=1.0|||dpy:EGLDisplay;config:EGLConfig;attrib_list:const EGLint *
eglCreatePixmapSurface|EGLSurface|egl=1.0|||dpy:EGLDisplay;config:EGLConfig;pixmap:EGLNativePixmapType;attrib_list:const EGLint *
eglCreatePlatformPixmapSurface|EGLSurface|egl=1.5|||dpy:EGLDisplay;config:EGLConfig;native_pixmap:void *;attrib_list:const EGLAttrib *
eglCreatePlatformPixmapSurfaceEXT|EGLSurface||EGL_EXT_platform_base||dpy:EGLDisplay;config:EGLConfig;native_pixmap:void *;attrib_list:const EGLint *
eglCreatePlatformWindowSurface|EGLSurface|egl=1.5|||dpy:EGLDisplay;config:EGLConfig;native_window:void *;attrib_list:const EGLAttrib *
eglCreatePlatformWindowSurfaceEXT|EGLSurface||EGL_EXT_platform_base||dpy:EGLDisplay;config:EGLConfig;native_window:void *;attrib_list:const EGLint *
eglCreateSync|EGLSync|egl=1.5|||dpy:EGLDisplay;type:EGLenum;attrib_list:const EGLAttrib *
eglCreateSyncKHR|EGLSyncKHR||EGL_KHR_fence_sync||dpy:EGLDisplay;type:EGLenum;attrib_list:const EGLint *
eglCreateWindowSurface|EGLSurface|egl=1.0|||dpy:EGLDisplay;config:EGLConfig;win:EGLNativeWindowType;attrib_list:const EGLint *
eglDebugMessageControlKHR|EGLint||EGL_KHR_debug||callback:EGLDEBUGPROCKHR;attrib_list:const EGLAttrib *
eglDestroyContext|EGLBoolean|egl=1.0|||dpy:EGLDisplay;ctx:EGLContext
eglDestroyImage|EGLBoolean|egl=1.5|||dpy:EGLDisplay;image:EGLImage
eglDestroyImageKHR|EGLBoolean||EGL_KHR_image,EGL_KHR_image_base|eglDestroyImage|dpy:EGLDisplay;image:EGLImageKHR
eglDestroySurface|EGLBoolean|egl=1.0|||dpy:EGLDisplay;surface:EGLSurface
eglDestroySync|EGLBoolean|egl=1.5|||dpy:EGLDisplay;sync:EGLSync
eglDestroySyncKHR|EGLBoolean||EGL_KHR_fence_sync|eglDestroySync|dpy:EGLDisplay;sync:EGLSyncKHR
eglGetConfigAttrib|EGLBoolean|egl=1.0|||dpy:EGLDisplay;config:EGLConfig;attribute:EGLint;value:EGLint *
eglGetConfigs|EGLBoolean|egl=1.0|||dpy:EGLDisplay;configs:EGLConfig *;config_size:EGLint;num_config:EGLint *
eglGetCurrentContext|EGLContext|egl=1.4
eglGetCurrentDisplay|EGLDisplay|egl=1.0
eglGetCurrentSurface|EGLSurface|egl=1.0|||readdraw:EGLint
eglGetDisplay|EGLDisplay|egl=1.0|||display_id:EGLNativeDisplayType
eglGetError|EGLint|egl=1.0
eglGetPlatformDisplay|EGLDisplay|egl=1.5|||platform:EGLenum;native_display:void *;attrib_list:const EGLAttrib *
eglGetPlatformDisplayEXT|EGLDisplay||EGL_EXT_platform_base||platform:EGLenum;native_display:void *;attrib_list:const EGLint *
eglGetProcAddress|__eglMustCastToProperFunctionPointerType|egl=1.0|||procname:const char *
eglGetSyncAttrib|EGLBoolean|egl=1.5|||dpy:EGLDisplay;sync:EGLSync;attribute:EGLint;value:EGLAttrib *
eglGetSyncAttribKHR|EGLBoolean||EGL_KHR_fence_sync||dpy:EGLDisplay;sync:EGLSyncKHR;attribute:EGLint;value:EGLint *
eglInitialize|EGLBoolean|egl=1.0|||dpy:EGLDisplay;major:EGLint *;minor:EGLint *
eglLabelObjectKHR|EGLint||EGL_KHR_debug||display:EGLDisplay;objectType:EGLenum;object:EGLObjectKHR;label:EGLLabelKHR
eglMakeCurrent|EGLBoolean|egl=1.0|||dpy:EGLDisplay;draw:EGLSurface;read:EGLSurface;ctx:EGLContext
eglQueryAPI|EGLenum|egl=1.2
eglQueryContext|EGLBoolean|egl=1.0|||dpy:EGLDisplay;ctx:EGLContext;attribute:EGLint;value:EGLint *
eglQueryDebugKHR|EGLBoolean||EGL_KHR_debug||attribute:EGLint;value:EGLAttrib *
eglQueryDeviceAttribEXT|EGLBoolean||EGL_EXT_device_base,EGL_EXT_device_query||device:EGLDeviceEXT;attribute:EGLint;value:EGLAttrib *
eglQueryDeviceStringEXT|const char *||EGL_EXT_device_base,EGL_EXT_device_query||device:EGLDeviceEXT;name:EGLint
eglQueryDevicesEXT|EGLBoolean||EGL_EXT_device_base,EGL_EXT_device_enumeration||max_devices:EGLint;devices:EGLDeviceEXT *;num_devices:EGLint *
eglQueryDisplayAttribEXT|EGLBoolean||EGL_EXT_device_base,EGL_EXT_device_query||dpy:EGLDisplay;attribute:EGLint;value:EGLAttrib *
eglQueryString|const char *|egl=1.0|||dpy:EGLDisplay;name:EGLint
eglQuerySurface|EGLBoolean|egl=1.0|||dpy:EGLDisplay;surface:EGLSurface;attribute:EGLint;value:EGLint *
eglReleaseTexImage|EGLBoolean|egl=1.1|||dpy:EGLDisplay;surface:EGLSurface;buffer:EGLint
eglReleaseThread|EGLBoolean|egl=1.2
eglSetDamageRegionKHR|EGLBoolean||EGL_KHR_partial_update||dpy:EGLDisplay;surface:EGLSurface;rects:EGLint *;n_rects:EGLint
eglSurfaceAttrib|EGLBoolean|egl=1.1|||dpy:EGLDisplay;surface:EGLSurface;attribute:EGLint;value:EGLint
eglSwapBuffers|EGLBoolean|egl=1.0|||dpy:EGLDisplay;surface:EGLSurface
eglSwapBuffersWithDamageEXT|EGLBoolean||EGL_EXT_swap_buffers_with_damage||dpy:EGLDisplay;surface:EGLSurface;rects:const EGLint *;n_rects:EGLint
eglSwapBuffersWithDamageKHR|EGLBoolean||EGL_KHR_swap_buffers_with_damage||dpy:EGLDisplay;surface:EGLSurface;rects:const EGLint *;n_rects:EGLint
eglSwapInterval|EGLBoolean|egl=1.1|||dpy:EGLDisplay;interval:EGLint
eglTerminate|EGLBoolean|egl=1.0|||dpy:EGLDisplay
eglWaitClient|EGLBoolean|egl=1.2
eglWaitGL|EGLBoolean|egl=1.0
eglWaitNative|EGLBoolean|egl=1.0|||engine:EGLint
eglWaitSync|EGLBoolean|egl=1.5|||dpy:EGLDisplay;sync:EGLSync;flags:EGLint
eglWaitSyncKHR|EGLint||EGL_KHR_wait_sync||dpy:EGLDisplay;sync:EGLSyncKHR;flags:EGLint
glXChooseFBConfig|GLXFBConfig *|glx=1.3|||dpy:Display *;screen:int;attrib_list:const int *;nelements:int *
glXChooseVisual|XVisualInfo *|glx=1.0|||dpy:Display *;screen:int;attribList:int *
glXCopyContext|void|glx=1.0|||dpy:Display *;src:GLXContext;dst:GLXContext;mask:unsigned long
glXCreateContext|GLXContext|glx=1.0|||dpy:Display *;vis:XVisualInfo *;shareList:GLXContext;direct:Bool
glXCreateContextAttribsARB|GLXContext||GLX_ARB_create_context||dpy:Display *;config:GLXFBConfig;share_context:GLXContext;direct:Bool;attrib_list:const int *
glXCreateGLXPixmap|GLXPixmap|glx=1.0|||dpy:Display *;visual:XVisualInfo *;pixmap:Pixmap
glXCreateNewContext|GLXContext|glx=1.3|||dpy:Display *;config:GLXFBConfig;render_type:int;share_list:GLXContext;direct:Bool
glXCreatePbuffer|GLXPbuffer|glx=1.3|||dpy:Display *;config:GLXFBConfig;attrib_list:const int *
glXCreatePixmap|GLXPixmap|glx=1.3|||dpy:Display *;config:GLXFBConfig;pixmap:Pixmap;attrib_list:const int *
glXCreateWindow|GLXWindow|glx=1.3|||dpy:Display *;config:GLXFBConfig;win:Window;attrib_list:const int *
glXDestroyContext|void|glx=1.0|||dpy:Display *;ctx:GLXContext
glXDestroyGLXPixmap|void|glx=1.0|||dpy:Display *;pixmap:GLXPixmap
glXDestroyPbuffer|void|glx=1.3|||dpy:Display *;pbuf:GLXPbuffer
glXDestroyPixmap|void|glx=1.3|||dpy:Display *;pixmap:GLXPixmap
glXDestroyWindow|void|glx=1.3|||dpy:Display *;win:GLXWindow
glXFreeContextEXT|void||GLX_EXT_import_context||dpy:Display *;context:GLXContext
glXGetClientString|const char *|glx=1.1|||dpy:Display *;name:int
glXGetConfig|int|glx=1.0|||dpy:Display *;visual:XVisualInfo *;attrib:int;value:int *
glXGetContextIDEXT|GLXContextID||GLX_EXT_import_context||context:const GLXContext
glXGetCurrentContext|GLXContext|glx=1.0
glXGetCurrentDisplay|Display *|glx=1.2
glXGetCurrentDisplayEXT|Display *||GLX_EXT_import_context
glXGetCurrentDrawable|GLXDrawable|glx=1.0
glXGetCurrentReadDrawable|GLXDrawable|glx=1.3
glXGetFBConfigAttrib|int|glx=1.3|||dpy:Display *;config:GLXFBConfig;attribute:int;value:int *
glXGetFBConfigs|GLXFBConfig *|glx=1.3|||dpy:Display *;screen:int;nelements:int *
glXGetProcAddress|__GLXextFuncPtr|glx=1.4|||procName:const GLubyte *
glXGetProcAddressARB|__GLXextFuncPtr||GLX_ARB_get_proc_address||procName:const GLubyte *
glXGetSelectedEvent|void|glx=1.3|||dpy:Display *;draw:GLXDrawable;event_mask:unsigned long *
glXGetSwapIntervalMESA|int||GLX_MESA_swap_control
glXGetVisualFromFBConfig|XVisualInfo *|glx=1.3|||dpy:Display *;config:GLXFBConfig
glXImportContextEXT|GLXContext||GLX_EXT_import_context||dpy:Display *;contextID:GLXContextID
glXIsDirect|Bool|glx=1.0|||dpy:Display *;ctx:GLXContext
glXMakeContextCurrent|Bool|glx=1.3|||dpy:Display *;draw:GLXDrawable;read:GLXDrawable;ctx:GLXContext
glXMakeCurrent|Bool|glx=1.0|||dpy:Display *;drawable:GLXDrawable;ctx:GLXContext
glXQueryContext|int|glx=1.3|||dpy:Display *;ctx:GLXContext;attribute:int;value:int *
glXQueryContextInfoEXT|int||GLX_EXT_import_context||dpy:Display *;context:GLXContext;attribute:int;value:int *
glXQueryCurrentRendererIntegerMESA|Bool||GLX_MESA_query_renderer||attribute:int;value:unsigned int *
glXQueryCurrentRendererStringMESA|const char *||GLX_MESA_query_renderer||attribute:int
glXQueryDrawable|void|glx=1.3|||dpy:Display *;draw:GLXDrawable;attribute:int;value:unsigned int *
glXQueryExtension|Bool|glx=1.0|||dpy:Display *;errorb:int *;event:int *
glXQueryExtensionsString|const char *|glx=1.1|||dpy:Display *;screen:int
glXQueryRendererIntegerMESA|Bool||GLX_MESA_query_renderer||dpy:Display *;screen:int;renderer:int;attribute:int;value:unsigned int *
glXQueryRendererStringMESA|const char *||GLX_MESA_query_renderer||dpy:Display *;screen:int;renderer:int;attribute:int
glXQueryServerString|const char *|glx=1.1|||dpy:Display *;screen:int;name:int
glXQueryVersion|Bool|glx=1.0|||dpy:Display *;maj:int *;min:int *
glXSelectEvent|void|glx=1.3|||dpy:Display *;draw:GLXDrawable;event_mask:unsigned long
glXSwapBuffers|void|glx=1.0|||dpy:Display *;drawable:GLXDrawable
glXSwapIntervalEXT|void||GLX_EXT_swap_control||dpy:Display *;drawable:GLXDrawable;interval:int
glXSwapIntervalMESA|int||GLX_MESA_swap_control||interval:unsigned int
glXSwapIntervalSGI|int||GLX_SGI_swap_control||interval:int
glXUseXFont|void|glx=1.0|||font:Font;first:int;count:int;list:int
glXWaitGL|void|glx=1.0
glXWaitX|void|glx=1.0
"""
