"""Evaluation: cases with expected answers, scored field by field."""
