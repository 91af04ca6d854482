"""What does each thing cost: a frame's figures by draw, and rolled up. See docs/ATTRIBUTION.md."""
