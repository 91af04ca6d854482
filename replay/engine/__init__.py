"""The rendering engine: what a GLES context draws, computed in software."""
