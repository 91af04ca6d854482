"""The GPU trace: the FrameTrace contract, its checks, and the .gputrace file."""
