"""The name of the offline model; the command line imports it without importing a model."""

OFFLINE = "offline"
"""A set of rules, not a language model."""
