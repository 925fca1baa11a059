"""Schemas from callers, checked before use."""
