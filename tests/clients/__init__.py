"""Agents asked by clients in JavaScript that are not ours, over MCP, A2A and AG-UI: `make test-clients`."""
