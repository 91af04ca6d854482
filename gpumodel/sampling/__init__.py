"""Representative frames of a long film: chosen by what the replay knows, with a bound of their error."""
