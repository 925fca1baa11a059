"""The name of the offline model, which the command line imports without a model."""

OFFLINE = "offline"
"""A set of rules, not a language model."""
