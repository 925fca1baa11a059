"""Judging: asking a model which of several conditions holds for a piece of work, in up to three ways."""
