"""How answers are kept in the state and in checkpoints."""
