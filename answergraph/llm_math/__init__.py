"""The two-step calculator: a model writes an expression, which is evaluated here."""
