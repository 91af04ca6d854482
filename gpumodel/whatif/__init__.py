"""What a change of a program would save: frames with the change, run through the model. See docs/guide/cost.md."""
