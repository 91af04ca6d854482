"""Importers: other tools' traces, turned into ``.gltrace``."""
