"""The trace formats, FrameTrace, the exception tree, GL entry points and state."""
