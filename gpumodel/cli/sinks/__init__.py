"""What ``gpureplay run`` gives: each output is a sink in a file of its own."""
