"""The name of the model that needs no key; the command line imports it, and no model."""

OFFLINE = "offline"
"""A set of rules, not a language model."""
