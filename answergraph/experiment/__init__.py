"""Experiments to repeat with your own model, run by the command line."""
