"""The names of ``langchain.agents.middleware.types``."""

from answergraph.agents import middleware
from answergraph.agents.langchains_modules import handed_through
from answergraph.agents.middleware import *  # noqa: F403 - the whole door
from answergraph.state.agent_state import JumpTo, OmitFromInput, PrivateStateAttr, ResponseT

__all__ = list(middleware.__all__)
__all__ += ["JumpTo", "OmitFromInput", "PrivateStateAttr", "ResponseT"]

__getattr__ = handed_through("langchain.agents.middleware.types")
