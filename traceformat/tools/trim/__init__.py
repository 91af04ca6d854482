"""Trimming: a trace cut down to frames or calls and to what these depend on.

``effects`` says what each call reads and writes, ``slicing`` walks back over the calls from those that are wanted and
keeps whatever made what they read, ``writing`` writes the result. The calls that are kept are the program's own.
"""
