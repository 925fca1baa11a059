"""The calculator for word problems."""
