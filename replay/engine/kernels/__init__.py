"""Compiled inner loops of the engine; results go into arrays that the caller allocates."""
