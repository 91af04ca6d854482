"""How PATrace stores the arguments of each function, as of r5p2.

A line is ``result:arguments | functions``; ``signatures`` says what the letters mean. The facts are
those of PATrace's own specification of the three GLES versions, their extensions and EGL; a function that is missing
here cannot be stepped over, since a record of fixed length does not tell it.
"""

from typing import Final

__all__ = ["TABLE"]

TABLE: Final = """\
-: | glBlendBarrier glBlendBarrierKHR glBlendBarrierNV glEndTransformFeedback glFinish glFlush
    glFramebufferFetchBarrierEXT glLoadIdentity glLoadPaletteFromModelViewMatrixOES glPauseTransformFeedback
    glPopDebugGroup glPopDebugGroupKHR glPopGroupMarkerEXT glPopMatrix glPushMatrix glReleaseShaderCompiler
    glResolveMultisampleFramebufferAPPLE glResumeTransformFeedback glStateDump_ARM
-:*I | glGetFirstPerfQueryIdINTEL
-:*i i AI | glGetPerfMonitorGroupsAMD
-:Af | glLoadMatrixf glMultMatrixf
-:Ai | glLoadMatrixx glMultMatrixx
-:B | glCoverageMaskNV glDepthMask
-:B B B B | glColor4ub glColorMask
-:I | glBeginPerfMonitorAMD glBeginPerfQueryINTEL glBindProgramPipeline glBindProgramPipelineEXT glBindVertexArray
    glBindVertexArrayOES glClear glCompileShader glCurrentPaletteMatrixOES glDeleteClientSideBuffer
    glDeleteGraphicBuffer_ARM glDeletePerfQueryINTEL glDeleteProgram glDeleteShader glDisableVertexAttribArray
    glEnableVertexAttribArray glEndPerfMonitorAMD glEndPerfQueryINTEL glEndTilingQCOM glLinkProgram glMemoryBarrier
    glMemoryBarrierByRegion glStencilMask glUseProgram glValidateProgram glValidateProgramPipeline
    glValidateProgramPipelineEXT
-:I *I | glCreatePerfQueryINTEL glGetNextPerfQueryIdINTEL
-:I *f | glVertexAttrib1fv
-:I *i *i i AI | glGetPerfMonitorCountersAMD
-:I AI | glVertexAttribI4uiv
-:I Af | glVertexAttrib2fv glVertexAttrib3fv glVertexAttrib4fv glViewportIndexedfvOES
-:I Ai | glScissorIndexedvOES glVertexAttribI4iv
-:I B | glLinkProgram2 glRasterSamplesEXT
-:I B B B B | glColorMaski glColorMaskiEXT glColorMaskiOES
-:I B I i AI | glSelectPerfMonitorCountersAMD
-:I I | glActiveShaderProgram glActiveShaderProgramEXT glAttachShader glBindSampler glDetachShader glSampleMaski
    glVertexAttribBinding glVertexAttribDivisor glVertexAttribDivisorEXT glVertexBindingDivisor
-:I I I | glDispatchCompute glTexEstimateMotionQCOM glUniformBlockBinding glUseProgramStages glUseProgramStagesEXT
-:I I I I | glTexEstimateMotionRegionsQCOM
-:I I I I I | glStartTilingQCOM glVertexAttribI4ui
-:I I I f | glExtrapolateTex2DQCOM
-:I I I f f f f f | glTextureFoveationParametersQCOM
-:I I I s | glBindFragDataLocationIndexedEXT
-:I I I s I s *I *I *I *I *Q | glGetPerfCounterInfoINTEL
-:I I i *i *i *I s | glGetActiveAttrib glGetActiveUniform glGetTransformFeedbackVarying
-:I I i *i s | glGetActiveUniformBlockName glGetPerfMonitorCounterStringAMD
-:I I i Ai | glGetActiveUniformBlockiv
-:I I i B i i i | glBindImageTexture
-:I I i i | glBindVertexBuffer
-:I I i o | glGetPerfMonitorCounterInfoAMD
-:I I i o *I | glGetPerfQueryDataINTEL
-:I I s | glBindAttribLocation glBindFragDataLocationEXT
-:I I s *I *I *I *I | glGetPerfQueryInfoINTEL
-:I Q i i | glImportMemoryFdEXT
-:I f | glVertexAttrib1f
-:I f f | glDepthRangeIndexedfOES glVertexAttrib2f
-:I f f f | glVertexAttrib3f
-:I f f f f | glVertexAttrib4f glViewportIndexedfOES
-:I i | glBlendEquationi glBlendEquationiEXT glBlendEquationiOES glFramebufferPixelLocalStorageSizeEXT
    glQueryCounterEXT
-:I i *i *I AB | glGetProgramBinary
-:I i *i *I o | glGetProgramBinaryOES
-:I i *i AI | glGetAttachedShaders
-:I i *i s | glGetPerfMonitorGroupStringAMD glGetProgramInfoLog glGetProgramPipelineInfoLog
    glGetProgramPipelineInfoLogEXT glGetShaderInfoLog glGetShaderSource
-:I i ? | glGetVertexAttribPointerv
-:I i AB | glClientSideBufferData glGraphicBufferData_ARM
-:I i AB i | glProgramBinary glProgramBinaryOES
-:I i AI | glGetQueryObjectuiv glGetQueryObjectuivEXT glGetSamplerParameterIuiv glGetSamplerParameterIuivEXT
    glGetSamplerParameterIuivOES glGetVertexAttribIuiv glSamplerParameterIuiv glSamplerParameterIuivEXT
    glSamplerParameterIuivOES
-:I i AI i Ai | glGetActiveUniformsiv
-:I i AQ | glGetQueryObjectui64vEXT
-:I i Af | glDepthRangeArrayfvOES glGetSamplerParameterfv glGetVertexAttribfv glSamplerParameterfv
    glViewportArrayvOES
-:I i Ai | glGetProgramPipelineiv glGetProgramPipelineivEXT glGetProgramiv glGetQueryObjectivEXT
    glGetSamplerParameterIiv glGetSamplerParameterIivEXT glGetSamplerParameterIivOES glGetSamplerParameteriv
    glGetShaderiv glGetVertexAttribIiv glGetVertexAttribiv glSamplerParameterIiv glSamplerParameterIivEXT
    glSamplerParameterIivOES glSamplerParameteriv glScissorArrayvOES
-:I i Aq | glGetQueryObjecti64vEXT
-:I i I | glProgramUniform1ui glProgramUniform1uiEXT
-:I i I I | glProgramUniform2ui glProgramUniform2uiEXT
-:I i I I I | glProgramUniform3ui glProgramUniform3uiEXT
-:I i I I I I | glProgramUniform4ui glProgramUniform4uiEXT
-:I i I i *i s | glGetProgramResourceName
-:I i I i AI i *i Ai | glGetProgramResourceiv
-:I i I i I I I I | glTextureViewEXT glTextureViewOES
-:I i S AI | glGetUniformIndices
-:I i S Ai | glShaderSource
-:I i S i | glTransformFeedbackVaryings
-:I i f | glProgramUniform1f glProgramUniform1fEXT glSamplerParameterf
-:I i f f | glProgramUniform2f glProgramUniform2fEXT
-:I i f f f | glProgramUniform3f glProgramUniform3fEXT
-:I i f f f f | glProgramUniform4f glProgramUniform4fEXT
-:I i i | glBlendEquationSeparatei glBlendEquationSeparateiEXT glBlendEquationSeparateiOES glBlendFunci
    glBlendFunciEXT glBlendFunciOES glProgramParameteri glProgramParameteriEXT glProgramUniform1i
    glProgramUniform1iEXT glSamplerParameteri
-:I i i AB | glClientSideBufferSubData
-:I i i AI | glGetnUniformuiv glGetnUniformuivKHR glProgramUniform1uiv glProgramUniform1uivEXT glProgramUniform2uiv
    glProgramUniform2uivEXT glProgramUniform3uiv glProgramUniform3uivEXT glProgramUniform4uiv
    glProgramUniform4uivEXT
-:I i i AI *i | glGetPerfMonitorCounterDataAMD
-:I i i Af | glGetnUniformfv glGetnUniformfvEXT glGetnUniformfvKHR glProgramUniform1fv glProgramUniform1fvEXT
    glProgramUniform2fv glProgramUniform2fvEXT glProgramUniform3fv glProgramUniform3fvEXT glProgramUniform4fv
    glProgramUniform4fvEXT
-:I i i Ai | glGetProgramInterfaceiv glGetnUniformiv glGetnUniformivEXT glGetnUniformivKHR glProgramUniform1iv
    glProgramUniform1ivEXT glProgramUniform2iv glProgramUniform2ivEXT glProgramUniform3iv glProgramUniform3ivEXT
    glProgramUniform4iv glProgramUniform4ivEXT
-:I i i B Af | glProgramUniformMatrix2fv glProgramUniformMatrix2fvEXT glProgramUniformMatrix2x3fv
    glProgramUniformMatrix2x3fvEXT glProgramUniformMatrix2x4fv glProgramUniformMatrix2x4fvEXT
    glProgramUniformMatrix3fv glProgramUniformMatrix3fvEXT glProgramUniformMatrix3x2fv
    glProgramUniformMatrix3x2fvEXT glProgramUniformMatrix3x4fv glProgramUniformMatrix3x4fvEXT
    glProgramUniformMatrix4fv glProgramUniformMatrix4fvEXT glProgramUniformMatrix4x2fv
    glProgramUniformMatrix4x2fvEXT glProgramUniformMatrix4x3fv glProgramUniformMatrix4x3fvEXT
-:I i i B I | glVertexAttribFormat
-:I i i B i o | glVertexAttribPointer
-:I i i I | glVertexAttribIFormat
-:I i i i | glProgramUniform2i glProgramUniform2iEXT
-:I i i i AB | glClearTexImageEXT
-:I i i i i | glBlendFuncSeparatei glBlendFuncSeparateiEXT glBlendFuncSeparateiOES glProgramUniform3i
    glProgramUniform3iEXT glScissorIndexedOES glVertexAttribI4i
-:I i i i i i | glProgramUniform4i glProgramUniform4iEXT
-:I i i i i i I i i i i i i i i | glCopyImageSubData glCopyImageSubDataEXT glCopyImageSubDataOES
-:I i i i i i i i i i AB | glClearTexSubImageEXT
-:I i i i o | glVertexAttribIPointer
-:I i o | glGetUniformfv glGetUniformiv glGetUniformuiv
-:Q | glDeleteSync paTimestamp
-:Q I Q | glWaitSync
-:Q i i *i Ai | glGetSynciv
-:f | glClearDepthf glClearDepthfOES glLineWidth glMinSampleShading glMinSampleShadingOES glPointSize
-:f B | glSampleCoverage
-:f f | glDepthRangef glDepthRangefOES glPolygonOffset
-:f f f | glNormal3f glPolygonOffsetClampEXT glScalef glTranslatef
-:f f f f | glBlendColor glClearColor glColor4f glRotatef
-:f f f f f f | glFrustumf glFrustumfOES glOrthof glOrthofOES
-:f f f f f f f f | glPrimitiveBoundingBox glPrimitiveBoundingBoxEXT glPrimitiveBoundingBoxOES
-:i | glActiveTexture glBeginTransformFeedback glBlendEquation glBlendEquationEXT glBlendEquationOES glClearDepthx
    glClearStencil glClientActiveTexture glCoverageOperationNV glCullFace glDepthFunc glDisable glDisableClientState
    glDispatchComputeIndirect glEnable glEnableClientState glEndQuery glEndQueryEXT glFrontFace glGenerateMipmap
    glGenerateMipmapOES glLineWidthx glLogicOp glMatrixMode glPointSizex glReadBuffer glReadBufferNV glShadeModel
    glShadingRateARM glShadingRateEXT glShadingRateQCOM
-:i ? | glGetPointerv glGetPointervKHR
-:i AB | glGetBooleanv
-:i AI | glCreateMemoryObjectsEXT glDeleteBuffers glDeleteFramebuffers glDeleteFramebuffersOES
    glDeleteMemoryObjectsEXT glDeletePerfMonitorsAMD glDeleteProgramPipelines glDeleteProgramPipelinesEXT
    glDeleteQueries glDeleteQueriesEXT glDeleteRenderbuffers glDeleteRenderbuffersOES glDeleteSamplers
    glDeleteTextures glDeleteTransformFeedbacks glDeleteVertexArrays glDeleteVertexArraysOES glDrawBuffers
    glDrawBuffersEXT glDrawBuffersNV glGenBuffers glGenFramebuffers glGenFramebuffersOES glGenPerfMonitorsAMD
    glGenProgramPipelines glGenProgramPipelinesEXT glGenQueries glGenQueriesEXT glGenRenderbuffers
    glGenRenderbuffersOES glGenSamplers glGenTextures glGenTransformFeedbacks glGenVertexArrays glGenVertexArraysOES
-:i AI Ai | glDrawBuffersIndexedEXT
-:i AI i AB i | glShaderBinary
-:i Af | glClipPlanef glClipPlanefOES glFogfv glGetClipPlanef glGetClipPlanefOES glGetFloatv glLightModelfv
    glPointParameterfv
-:i Ai | glClipPlanex glFogxv glGetClipPlanex glGetFixedv glGetIntegerv glLightModelxv glPointParameterxv
-:i Aq | glGetInteger64v
-:i B | glSampleCoveragex
-:i I | glBeginQuery glBeginQueryEXT glBindBuffer glBindFramebuffer glBindFramebufferOES glBindRenderbuffer
    glBindRenderbufferOES glBindTexture glBindTransformFeedback glCopyClientSideBuffer glDisablei glDisableiEXT
    glDisableiOES glDrawTransformFeedbackEXT glEnablei glEnableiEXT glEnableiOES glStencilMaskSeparate glUniform1ui
-:i I AB | glGetBooleani_v
-:i I Af | glGetFloati_vOES glGetMultisamplefv
-:i I Ai | glGetIntegeri_v glGetIntegeri_vEXT
-:i I Aq | glGetInteger64i_v
-:i I I | glBindBufferBase glUniform2ui
-:i I I I | glUniform3ui
-:i I I I I | glUniform4ui
-:i I I i i | glBindBufferRange
-:i I I i i o | glDrawRangeElements
-:i I I i i o i | glDrawRangeElementsBaseVertex glDrawRangeElementsBaseVertexEXT glDrawRangeElementsBaseVertexOES
-:i I i | glDrawTransformFeedbackInstancedEXT
-:i I i *i s | glGetObjectLabel glGetObjectLabelEXT glGetObjectLabelKHR
-:i I i s | glLabelObjectEXT glObjectLabel glObjectLabelKHR glPushDebugGroup glPushDebugGroupKHR
-:i S | paMandatoryExtensions
-:i f | glAlphaFunc glAlphaFuncQCOM glFogf glLightModelf glPointParameterf glUniform1f
-:i f f | glUniform2f
-:i f f f | glUniform3f
-:i f f f f | glMultiTexCoord4f glUniform4f
-:i i | glAlphaFuncx glBlendEquationSeparate glBlendEquationSeparateOES glBlendFunc glClipControlEXT glDepthRangex
    glEGLImageTargetRenderbufferStorageOES glEGLImageTargetTexture2DOES glFogx glHint glLightModelx
    glPatchParameteri glPatchParameteriEXT glPatchParameteriOES glPixelStorei glPointParameterx glPolygonOffsetx
    glReadBufferIndexedEXT glShadingRateCombinerOpsARM glShadingRateCombinerOpsEXT glUniform1i
-:i i *i *I | glGetFragmentShadingRatesEXT
-:i i ? | glGetBufferPointerv glGetBufferPointervOES
-:i i AB | glPatchClientSideBuffer
-:i i AB I | glBufferStorageEXT
-:i i AB i | glBufferData
-:i i AI | glClearBufferuiv glClearPixelLocalStorageuiEXT glDiscardFramebufferEXT glEGLImageTargetTexStorageEXT
    glGetTexParameterIuiv glGetTexParameterIuivEXT glGetTexParameterIuivOES glInvalidateFramebuffer
    glTexParameterIuiv glTexParameterIuivEXT glTexParameterIuivOES glUniform1uiv glUniform2uiv glUniform3uiv
    glUniform4uiv
-:i i AI i i i i | glInvalidateSubFramebuffer
-:i i Af | glClearBufferfv glGetLightfv glGetMaterialfv glGetTexEnvfv glGetTexGenfvOES glGetTexParameterfv glLightfv
    glMaterialfv glTexEnvfv glTexGenfvOES glTexParameterfv glUniform1fv glUniform2fv glUniform3fv glUniform4fv
-:i i Ai | glClearBufferiv glGetBufferParameteriv glGetFramebufferParameteriv glGetLightxv glGetMaterialxv
    glGetQueryiv glGetQueryivEXT glGetRenderbufferParameteriv glGetRenderbufferParameterivOES glGetTexEnviv
    glGetTexEnvxv glGetTexGenivOES glGetTexGenxvOES glGetTexParameterIiv glGetTexParameterIivEXT
    glGetTexParameterIivOES glGetTexParameteriv glGetTexParameterxv glLightxv glMaterialxv glTexEnviv glTexEnvxv
    glTexGenivOES glTexGenxvOES glTexParameterIiv glTexParameterIivEXT glTexParameterIivOES glTexParameteriv
    glTexParameterxv glUniform1iv glUniform2iv glUniform3iv glUniform4iv
-:i i Ai Ai | glGetShaderPrecisionFormat
-:i i Aq | glGetBufferParameteri64v
-:i i B Af | glUniformMatrix2fv glUniformMatrix2x3fv glUniformMatrix2x4fv glUniformMatrix3fv glUniformMatrix3x2fv
    glUniformMatrix3x4fv glUniformMatrix4fv glUniformMatrix4x2fv glUniformMatrix4x3fv
-:i i I | glStencilFunc glTexBuffer glTexBufferEXT glTexBufferOES
-:i i I Q | glBufferStorageMemEXT
-:i i I i | glFramebufferTexture glFramebufferTextureEXT glFramebufferTextureOES
-:i i I i i | glFramebufferTextureLayer glTexBufferRange glTexBufferRangeEXT glTexBufferRangeOES
-:i i I i i i | glFramebufferTextureMultiviewOVR
-:i i I i i i i | glFramebufferShadingRateARM glFramebufferShadingRateEXT
    glFramebufferTextureMultisampleMultiviewOVR
-:i i I i i s | glDebugMessageInsert glDebugMessageInsertKHR
-:i i f | glLightf glMaterialf glTexEnvf glTexGenfOES glTexParameterf
-:i i f i | glClearBufferfi
-:i i i | glDrawArrays glFlushMappedBufferRange glFlushMappedBufferRangeEXT glFramebufferParameteri glLightx
    glMaterialx glNormal3x glScalex glStencilOp glTexEnvi glTexEnvx glTexGeniOES glTexGenxOES glTexParameteri
    glTexParameterx glTranslatex glUniform2i
-:i i i AB | glBufferSubData
-:i i i Af | glGetTexLevelParameterfv
-:i i i Ai | glGetFramebufferAttachmentParameteriv glGetFramebufferAttachmentParameterivOES glGetTexLevelParameteriv
-:i i i I | glFramebufferRenderbuffer glFramebufferRenderbufferOES glStencilFuncSeparate
-:i i i I i | glFramebufferTexture2D glFramebufferTexture2DOES
-:i i i I i i | glFramebufferTexture2DMultisampleEXT glFramebufferTexture2DMultisampleIMG glFramebufferTexture3DOES
-:i i i i | glBlendFuncSeparate glBlendFuncSeparateOES glClearColorx glColor4x glDrawArraysInstanced
    glRenderbufferStorage glRenderbufferStorageOES glRotatex glScissor glStencilOpSeparate glTexStorage1DEXT
    glUniform3i glViewport
-:i i i i AI B | glDebugMessageControl glDebugMessageControlKHR
-:i i i i Ai | glGetInternalformativ
-:i i i i I | glDrawArraysInstancedBaseInstanceEXT
-:i i i i i | glCopyBufferSubData glDrawTexiOES glMultiTexCoord4x glRenderbufferStorageMultisample
    glRenderbufferStorageMultisampleANGLE glRenderbufferStorageMultisampleAPPLE glRenderbufferStorageMultisampleEXT
    glRenderbufferStorageMultisampleIMG glTexStorage2D glTexStorage2DEXT glUniform4i
-:i i i i i Ai | glTexStorageAttribs2DEXT
-:i i i i i B | glTexStorage2DMultisample
-:i i i i i B I Q | glTexStorageMem2DMultisampleEXT
-:i i i i i I Q | glTexStorageMem2DEXT
-:i i i i i i | glFrustumx glOrthox glTexStorage3D glTexStorage3DEXT
-:i i i i i i Ai | glTexStorageAttribs3DEXT
-:i i i i i i B | glTexStorage3DMultisample glTexStorage3DMultisampleOES
-:i i i i i i B I Q | glTexStorageMem3DMultisampleEXT
-:i i i i i i I Q | glTexStorageMem3DEXT
-:i i i i i i i i | glCopyTexImage2D glCopyTexSubImage2D
-:i i i i i i i i B | glTexPageCommitmentEXT
-:i i i i i i i i I i | glBlitFramebuffer glBlitFramebufferANGLE
-:i i i i i i i i i | glCopyTexSubImage3D glCopyTexSubImage3DOES
-:i i i i i i i i i i o | glCompressedTexSubImage3D glCompressedTexSubImage3DOES glTexSubImage3D glTexSubImage3DOES
-:i i i i i i i i i o | glTexImage3D glTexImage3DOES
-:i i i i i i i i o | glCompressedTexImage3D glCompressedTexImage3DOES glCompressedTexSubImage2D glTexImage2D
    glTexSubImage2D
-:i i i i i i i o | glCompressedTexImage2D glReadnPixels glReadnPixelsEXT glReadnPixelsKHR
-:i i i i i i o | glReadPixels
-:i i i o | glColorPointer glDrawElements glMatrixIndexPointerOES glTexCoordPointer glVertexPointer
    glWeightPointerOES
-:i i i o I | glBufferStorageExternalEXT
-:i i i o i | glDrawElementsBaseVertex glDrawElementsBaseVertexEXT glDrawElementsBaseVertexOES
    glDrawElementsInstanced
-:i i i o i I | glDrawElementsInstancedBaseInstanceEXT
-:i i i o i i | glDrawElementsInstancedBaseVertex glDrawElementsInstancedBaseVertexEXT
    glDrawElementsInstancedBaseVertexOES
-:i i i o i i I | glDrawElementsInstancedBaseVertexBaseInstanceEXT
-:i i i s | glAssertBuffer_ARM
-:i i o | glDrawElementsIndirect glNormalPointer glPointSizePointerOES
-:i i o i i | glMultiDrawElementsIndirectEXT
-:i o | glDrawArraysIndirect
-:i o i i | glMultiDrawArraysIndirectEXT
-:i s | glInsertEventMarkerEXT glPushGroupMarkerEXT
-:o i s | glObjectPtrLabel glObjectPtrLabelKHR
-:o o | glDebugMessageCallback glDebugMessageCallbackKHR
-:s *I | glGetPerfQueryIdByNameINTEL
B:I | glIsBuffer glIsFramebuffer glIsFramebufferOES glIsMemoryObjectEXT glIsProgram glIsProgramPipeline
    glIsProgramPipelineEXT glIsQuery glIsQueryEXT glIsRenderbuffer glIsRenderbufferOES glIsSampler glIsShader
    glIsTexture glIsTransformFeedback glIsVertexArray glIsVertexArrayOES
B:Q | glIsSync
B:i | glIsEnabled glUnmapBuffer glUnmapBufferOES
B:i I | glIsEnabledi glIsEnablediEXT glIsEnablediOES
I: | glCreateClientSideBuffer glCreateProgram
I:Ai Ai | glQueryMatrixxOES
I:I I i I | glGenGraphicBuffer_ARM
I:I i AI AI AI AI Ai s | glGetDebugMessageLog glGetDebugMessageLogKHR
I:I i s | glGetProgramResourceIndex
I:I s | glGetAttribLocation glGetUniformBlockIndex
I:i | glCreateShader
I:i i S | glCreateShaderProgramv glCreateShaderProgramvEXT
Q: | eglGetSystemTimeFrequencyNV eglGetSystemTimeNV
Q:i I | glFenceSync
i: | eglGetCurrentContext eglGetCurrentDisplay eglGetError eglQueryAPI eglReleaseThread eglWaitClient eglWaitGL
    glGetError glGetGraphicsResetStatus glGetGraphicsResetStatusEXT glGetGraphicsResetStatusKHR
i:I | glGetFramebufferPixelLocalStorageSizeEXT
i:I i s | glGetProgramResourceLocation glGetProgramResourceLocationIndexEXT
i:I s | glGetFragDataIndexEXT glGetFragDataLocation glGetUniformLocation
i:Q I Q | glClientWaitSync
i:i | eglBindAPI eglDestroySyncNV eglFenceNV eglGetCurrentSurface eglGetDisplay eglTerminate eglWaitNative
    glCheckFramebufferStatus glCheckFramebufferStatusOES
i:i *i *i | eglInitialize
i:i AI | eglCreateDRMImageMESA
i:i AI Ai i *i | eglChooseConfig
i:i Ai i *i | eglGetConfigs
i:i An | eglQueryDebugKHR
i:i i | eglDestroyContext eglDestroyImage eglDestroyImageKHR eglDestroySurface eglDestroySync eglDestroySyncKHR
    eglSignalSyncNV eglSwapBuffers eglSwapInterval eglUnlockSurfaceKHR
i:i i *i | eglGetSyncAttribNV
i:i i *i *i | eglGetMscRateANGLE
i:i i *i *i *i | eglExportDRMImageMESA
i:i i *q *q *q | eglGetSyncValuesCHROMIUM
i:i i ? | eglCreatePixmapSurfaceHI
i:i i AI | eglCreateFenceSyncNV eglCreatePbufferSurface eglCreateSyncKHR eglLockSurfaceKHR
i:i i Ai i | eglSetDamageRegionKHR eglSwapBuffersWithDamageEXT eglSwapBuffersWithDamageKHR
i:i i An | eglCreateSync
i:i i An *i i *i | eglQuerySupportedCompressionRatesEXT
i:i i Q | eglClientWaitSyncNV
i:i i i | eglBindTexImage eglCopyBuffers eglReleaseTexImage eglSignalSyncKHR eglWaitSync eglWaitSyncKHR
i:i i i *i | eglGetConfigAttrib eglGetSyncAttribKHR eglQueryContext eglQuerySurface
i:i i i *n | eglGetSyncAttrib
i:i i i ? | eglQuerySurfacePointerANGLE
i:i i i AI | eglCreateContext eglCreatePixmapSurface eglCreateWindowSurface
i:i i i AI i i i i | eglCreateWindowSurface2
i:i i i Q | eglClientWaitSync eglClientWaitSyncKHR
i:i i i i | eglMakeCurrent eglSurfaceAttrib
i:i i i i AI | eglCreateImageKHR eglCreatePbufferFromClientBuffer
i:i i i i An | eglCreateImage
i:i i i i i i | eglPostSubBufferNV
i:i i o AI | eglCreatePlatformPixmapSurfaceEXT eglCreatePlatformWindowSurfaceEXT
i:i i o An | eglCreatePlatformPixmapSurface eglCreatePlatformWindowSurface
i:i o AI | eglGetPlatformDisplayEXT
i:i o An | eglGetPlatformDisplay
i:o An | eglDebugMessageControlKHR
i:s | eglGetProcAddress
o:i I | glMapBufferOES
o:i i i I | glMapBufferRange glMapBufferRangeEXT
s:i | glGetString
s:i I | glGetStringi
s:i i | eglQueryString
"""
