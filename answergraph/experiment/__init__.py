"""Experiments that anyone can repeat with a model of their own; the command line is their door."""
