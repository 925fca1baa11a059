"""The rule-based chat model that needs no server, and its arithmetic."""
