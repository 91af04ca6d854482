"""Main memory: the command-level LPDDR3/LPDDR4 model and its check against reference runs.

``python -m gpumodel.memory.dram_check`` runs a request trace through it.
"""
