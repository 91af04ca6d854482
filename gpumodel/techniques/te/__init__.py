"""Transaction Elimination: a finished tile with the colours that its back buffer has already is not written.

Source: RE §IV-C and Figure 13.
"""

from gpumodel.techniques.te.technique import TransactionElimination

__all__ = ["TransactionElimination"]
