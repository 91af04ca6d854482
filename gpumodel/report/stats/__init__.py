"""Workload statistics: what a trace consists of, in the columns of the thesis's Tables 3.2 and 3.3.

:mod:`.columns` declares what is counted and which ratios are made of it, :mod:`.early_z` tests depth without time,
:mod:`.frame` counts one frame by draw, :mod:`.groups` adds up by frame, draw, object, program and texture,
:mod:`.document` writes JSON and CSV, :mod:`.table` the terminal's tables.
"""
