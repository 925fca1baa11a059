"""Agents as nodes, tools and streams, and resuming runs."""
