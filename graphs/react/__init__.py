"""The agent on a model without tool calls."""
