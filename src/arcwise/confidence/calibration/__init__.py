"""From confidence to probability: curves, where they come from, and the decisions that follow."""
