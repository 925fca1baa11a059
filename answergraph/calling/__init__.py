"""Calls of a model: what is bound to it, and the request."""
