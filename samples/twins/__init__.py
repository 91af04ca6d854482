"""Twins: programs of our own content whose frames have the statistics of commercial games, in their genres.

``python -m samples.twins bbr --variant b --frames 300 --size 1280x720``; recipes in ``recipes/``, scenes in
``scenes/``. Content: CC0 (see ``LICENSE.content``), made by the formulas in this folder.
"""
