"""The text protocol Thought / Action / Observation for models without tool calls."""
