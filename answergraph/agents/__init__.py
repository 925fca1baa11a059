"""LangChain's paths: replace ``langchain.agents`` with ``answergraph.agents``."""

import sys

from answergraph.agents.langchains_modules import LangChainsModules
from answergraph.graphs.agent.create import create_agent
from answergraph.state.agent_state import AgentState

__all__ = ["AgentState", "create_agent"]

sys.meta_path.append(LangChainsModules())
