"""Fragment prepass: hidden surfaces are removed on chip where it pays, and hidden primitives are not fetched again."""

from gpumodel.techniques.frag_prepass.technique import FragmentPrepass

__all__ = ["FragmentPrepass"]
