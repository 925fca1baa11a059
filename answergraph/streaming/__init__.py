"""Streaming of partial answers."""
