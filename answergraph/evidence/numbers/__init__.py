"""Reads the numbers of a text."""
