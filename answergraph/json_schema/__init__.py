"""Compiles a JSON Schema to each provider's dialect, and restores the answers."""
