"""Graphs made with the public names and the kit only."""
