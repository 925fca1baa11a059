"""Tapes: recorded runs that can be run again without the network."""
