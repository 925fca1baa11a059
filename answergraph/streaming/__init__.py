"""Answers while the model writes them."""
