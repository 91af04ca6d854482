"""What four papers print, and the experiments that repeat it."""
