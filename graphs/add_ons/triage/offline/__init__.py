"""The rules that triage test failures without a model."""
