"""Judging: asks a model which of several conditions a text meets, in up to three ways."""
