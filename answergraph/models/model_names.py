"""The name of the offline model; the command line imports it without importing a model."""

OFFLINE = "offline"
"""A set of rules, not a language model."""
MODEL_NAMES = (
    "'openai:NAME', 'provider:NAME', or 'offline', a set of rules for arithmetic that needs no key and is not a language model"
)
