"""The agent for models without tool calls."""
