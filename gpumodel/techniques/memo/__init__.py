"""Fragment Memoization: fragments with the inputs of one that was shaded before take its colour from a table.

Source: Arnau et al., Eliminating Redundant Fragment Shader Executions (ISCA 2014), as RE §V-A models it.
"""

from gpumodel.techniques.memo.technique import FragmentMemoization

__all__ = ["FragmentMemoization"]
