"""Studies: many configurations on many traces, described in a file, run on any number of machines, kept as tables."""
