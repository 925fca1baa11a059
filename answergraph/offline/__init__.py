"""The rule-based chat model, and its arithmetic."""
