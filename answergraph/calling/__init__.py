"""Calls of a model: the one loop that asks it, and what is bound to it."""
