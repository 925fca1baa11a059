"""Requests for an answer, and reading the replies."""
