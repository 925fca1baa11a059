"""The state of a run: keys and channels, the outcome, limits and usage, messages, errors."""
