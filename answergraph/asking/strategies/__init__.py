"""The ways to ask a model for an answer."""
