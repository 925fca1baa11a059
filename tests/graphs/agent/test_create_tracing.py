"""A tracer sees every model call and tool call, including direct tool calls."""

from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain_core.tracers import BaseTracer

from answergraph import create_agent
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run


class Tracer(BaseCallbackHandler):
    """Records each start and end, with its parent."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.parents: set[Any] = set()

    def on_chat_model_start(self, serialized: Any, messages: Any, *, parent_run_id: Any = None, **kwargs: Any) -> None:
        self.seen.append("model")
        self.parents.add(parent_run_id)

    def on_tool_start(self, serialized: Any, input_str: str, *, parent_run_id: Any = None, **kwargs: Any) -> None:
        self.seen.append("tool")
        self.parents.add(parent_run_id)

    def on_tool_end(self, output: Any, **kwargs: Any) -> None:
        self.seen.append(f"tool said {output.content}")


@tool
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


def test_a_tracer_sees_every_model_and_tool_call(run: Run) -> None:
    calls: list[Any] = [{"name": "double", "args": {"number": number}, "id": f"call_{number}"} for number in (1, 2)]
    replies = [AIMessage("", tool_calls=[call]) for call in calls]
    agent = create_agent(ScriptedChatModel(replies=[*replies, "Done."]), [double])
    tracer = Tracer()
    run(agent, {"messages": ["Go"]}, {"callbacks": [tracer]})
    assert tracer.seen == ["model", "tool", "tool said 2", "model", "tool", "tool said 4", "model"]
    assert None not in tracer.parents  # each belongs to its node's run


class Recorder(BaseTracer):
    """Records the inputs and outputs of nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[tuple[str, Any, Any]] = []

    def _persist_run(self, run: Any) -> None:
        self.nodes += [(child.name, child.inputs, child.outputs) for child in run.child_runs]


def test_a_custom_tracer_records_no_private_keys_at_any_step(run: Run) -> None:
    calls: list[Any] = [{"name": "double", "args": {"number": number}, "id": f"call_{number}"} for number in (1, 2)]
    replies = [AIMessage("", tool_calls=[call]) for call in calls]
    agent = create_agent(ScriptedChatModel(replies=[*replies, "Done."]), [double])
    recorder = Recorder()
    run(agent, {"messages": ["Go"]}, {"callbacks": [recorder]})
    assert [name for name, _, _ in recorder.nodes] == ["model", "tools", "model", "tools", "model"]
    assert "answergraph_" not in repr(recorder.nodes)
