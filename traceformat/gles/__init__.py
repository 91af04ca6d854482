"""GL entry points, enums and sizes: one table for capture, replay and dump."""
