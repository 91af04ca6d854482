"""Window systems: how a program gets contexts, drawables and swaps (EGL, GLX), seen at their C entry points."""
