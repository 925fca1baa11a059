"""The names of ``langchain.agents.middleware``: ours where there is one, LangChain's own where it is installed."""

from langgraph.runtime import Runtime
from langgraph.types import TracePolicy

import answergraph.middleware as ours
from answergraph.agents.langchains_modules import handed_through
from answergraph.middleware import *  # noqa: F403 - the whole door

__all__ = list(ours.__all__)
__all__ += ["Runtime", "TracePolicy"]

__getattr__ = handed_through("langchain.agents.middleware")
