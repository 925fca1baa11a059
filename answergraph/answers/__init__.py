"""Answers as values: their schemas, their storage, schemas of callers."""
