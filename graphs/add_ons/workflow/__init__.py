"""Workflows: agents as steps, connected by rules."""
