"""Between Python and compiled code: typed records, and memory by its address."""
