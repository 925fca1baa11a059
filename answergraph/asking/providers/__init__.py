"""Capabilities of providers, and their refusals."""
