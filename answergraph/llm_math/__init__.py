"""The two-step calculator: a model writes an expression, numexpr evaluates it."""
