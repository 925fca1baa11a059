"""The name of ``langchain.agents.factory``."""

from answergraph.graphs.agent.create import create_agent

__all__ = ["create_agent"]
