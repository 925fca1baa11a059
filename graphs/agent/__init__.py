"""The agent graph."""
