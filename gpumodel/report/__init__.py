"""Reports: what a result says, as sentences, tables and pictures."""
