"""Results of the kit that measures GPUs (``samples/silicon``), held against the model: mapping, validation, fit."""
