"""Values: whether a scalar stands in a text, by value, and where."""
