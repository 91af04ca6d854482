"""A kit that measures GPUs: small programs of known work, timers and counters, one file of results.

It needs Python, numpy and PyOpenGL alone, so this folder can be copied to a board and run there as it is:
``python3 silicon run -o results.json.gz``. ``python3 silicon --help`` says the rest; docs/SILICON.md has the format.

``table`` lists the benchmarks, ``families`` has what each family draws, ``stage`` is what they draw with, ``device``
opens the GPU, ``meters`` read its counters, ``measuring`` does the run, ``results`` is the file.
"""
