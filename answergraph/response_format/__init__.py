"""How a model is asked for an answer, and how its reply is read."""
