"""Numbers of GLX, as its header calls them without the prefix (GLX 1.4, GLX_ARB_create_context, GLX_EXT_*)."""

from __future__ import annotations

from typing import Final

BAD_ATTRIBUTE: Final = 2
DONT_CARE: Final = -1
NONE: Final = 0x8000

# Attributes of visuals and configurations.
USE_GL: Final = 1
BUFFER_SIZE: Final = 2
LEVEL: Final = 3
RGBA: Final = 4
DOUBLEBUFFER: Final = 5
STEREO: Final = 6
AUX_BUFFERS: Final = 7
RED_SIZE: Final = 8
GREEN_SIZE: Final = 9
BLUE_SIZE: Final = 10
ALPHA_SIZE: Final = 11
DEPTH_SIZE: Final = 12
STENCIL_SIZE: Final = 13
ACCUM_RED_SIZE: Final = 14
ACCUM_GREEN_SIZE: Final = 15
ACCUM_BLUE_SIZE: Final = 16
ACCUM_ALPHA_SIZE: Final = 17
CONFIG_CAVEAT: Final = 0x20
X_VISUAL_TYPE: Final = 0x22
TRANSPARENT_TYPE: Final = 0x23
TRUE_COLOR: Final = 0x8002
VISUAL_ID: Final = 0x800B
SCREEN: Final = 0x800C
DRAWABLE_TYPE: Final = 0x8010
RENDER_TYPE: Final = 0x8011
X_RENDERABLE: Final = 0x8012
FBCONFIG_ID: Final = 0x8013
RGBA_TYPE: Final = 0x8014
MAX_PBUFFER_WIDTH: Final = 0x8016
MAX_PBUFFER_HEIGHT: Final = 0x8017
MAX_PBUFFER_PIXELS: Final = 0x8018
FRAMEBUFFER_SRGB_CAPABLE: Final = 0x20B2
SAMPLE_BUFFERS: Final = 100000
SAMPLES: Final = 100001
RGBA_BIT: Final = 1
WINDOW_BIT: Final = 1
PBUFFER_BIT: Final = 4

# Drawables.
WIDTH: Final = 0x801D
HEIGHT: Final = 0x801E
PBUFFER_HEIGHT: Final = 0x8040
PBUFFER_WIDTH: Final = 0x8041

# Contexts.
CONTEXT_MAJOR_VERSION: Final = 0x2091
CONTEXT_MINOR_VERSION: Final = 0x2092
CONTEXT_PROFILE_MASK: Final = 0x9126
CONTEXT_CORE_PROFILE_BIT: Final = 1
CONTEXT_ES_PROFILE_BIT: Final = 4

# Strings.
VENDOR: Final = 1
VERSION: Final = 2
EXTENSIONS: Final = 3
