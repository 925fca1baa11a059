"""Keeps the caller's own messages of a run, which are a source of evidence with ``Input()``."""

import asyncio
from typing import Annotated, Any, NotRequired

from langgraph.runtime import Runtime

from answergraph.evidence.source_runs import input_records
from answergraph.state.agent_state import INPUT_TEXTS, PrivateStateAttr
from answergraph.state.delta_channels import RecordedResult
from answergraph.state.tool_results import EvidenceState


class InputState(EvidenceState):
    """The state of a middleware that takes the caller's own messages as a source."""

    answergraph_input_texts: NotRequired[Annotated[list[RecordedResult], PrivateStateAttr]]


class KeepsInput:
    """Keeps the caller's messages at the start of a run, before any middleware can change them."""

    __slots__ = ()
    state_schema: type[object] = InputState
    private_keys = frozenset({INPUT_TEXTS})

    def before_agent(self, state: Any, runtime: Runtime) -> dict[str, Any]:
        return {INPUT_TEXTS: input_records(state["messages"])}

    async def abefore_agent(self, state: Any, runtime: Runtime) -> dict[str, Any]:
        # A file is read in a thread: `langgraph dev` refuses what blocks its event loop, as the first use of a parser does.
        if any(isinstance(message.content, list) for message in state["messages"]):
            return await asyncio.to_thread(self.before_agent, state, runtime)
        return self.before_agent(state, runtime)
