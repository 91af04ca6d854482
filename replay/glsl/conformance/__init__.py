"""Conformance harness: ``python -m replay.glsl.conformance CASES.jsonl``.

Compiles, links and draws each case with an executor of the compiler, and runs a negative control on everything that
passes: what accepts or draws anything alike would pass too.
"""
