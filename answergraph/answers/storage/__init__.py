"""Storage of answers in state and checkpoints."""
