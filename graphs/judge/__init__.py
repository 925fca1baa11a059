"""The judge graph."""
