"""Evidence is found even if the conversation was changed after the tools returned it."""

import json
from typing import Any

import pytest
from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware, SummarizationMiddleware
from langchain_core.messages import RemoveMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from answergraph.evidence import BUNDLE_KEYS, answer_bundle, verify_bundle
from answergraph.middleware import AgentMiddleware, GroundedAnswer
from answergraph.testing import ScriptedChatModel
from tests.middleware.test_grounded_answer import GOOD, QUESTION, agent_of, reading, verdict
from tests.suite.colors import Run
from tests.suite.fields import places


class Forgets(AgentMiddleware[Any, Any, Any]):
    """Removes every tool message and its call from the conversation before the model is called."""

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        gone = [m for m in state["messages"] if isinstance(m, ToolMessage) or getattr(m, "tool_calls", None)]
        return {"messages": [RemoveMessage(id=str(message.id)) for message in gone]} if gone else None


class Blanks(AgentMiddleware[Any, Any, Any]):
    """Replaces the text of every tool message."""

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any]:
        return {"messages": [m.model_copy(update={"content": "[cleared]"}) for m in state["messages"] if m.type == "tool"]}


def summarizing() -> SummarizationMiddleware:
    model = ScriptedChatModel(replies=lambda messages: "a summary")
    return SummarizationMiddleware(model, trigger=("messages", 3), keep=("messages", 1))


def editing() -> ContextEditingMiddleware:
    return ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=1, keep=0)])


@pytest.mark.parametrize("edit", [Forgets, Blanks, summarizing, editing])
@pytest.mark.parametrize("outside", [True, False])
def test_evidence_outlives_its_message(run: Run, edit: Any, outside: bool) -> None:
    both = [edit(), GroundedAnswer()]
    agent, model = agent_of(reading(), reading("other", "o"), verdict(GOOD), middleware=both if outside else both[::-1])
    result = run(agent, QUESTION, output_keys=BUNDLE_KEYS)
    assert not any("the disk “sda”" in message.text for message in model.requests[2].messages)
    assert result["outcome"]["status"] == "answered"
    bundle = json.loads(json.dumps(answer_bundle(result)))
    assert [verdict.holds for verdict in verify_bundle(bundle)] == [True]
    _, start, end = places(bundle["fields"])["quotes[0]"]
    assert "".join(bundle["results"][0]["texts"])[start:end] == "the disk “sda”\n      is not full"


def test_evidence_outlives_the_process(run: Run) -> None:
    saver = InMemorySaver()
    config: Any = {"configurable": {"thread_id": "1"}}
    options: dict[str, Any] = {"checkpointer": saver, "interrupt_before": ["structured_response"]}
    first, _ = agent_of(reading(), verdict(GOOD), middleware=[Forgets(), GroundedAnswer()], **options)
    run(first, QUESTION, config)
    second, _ = agent_of(middleware=[Forgets(), GroundedAnswer()], **options)
    assert places(run(second, None, config)["outcome"]["fields"])["quotes[0]"][0] == "log"


class Redacts(AgentMiddleware[Any, Any, Any]):
    """Changes the result of a tool before anything else reads it."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return self._redacted(handler(request))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return self._redacted(await handler(request))

    def _redacted(self, message: ToolMessage) -> ToolMessage:
        return message.model_copy(update={"content": message.text.replace("sda", "***")})


@pytest.mark.parametrize("outside", [True, False])
def test_what_counts_is_what_was_stored_not_what_the_tool_first_said(run: Run, outside: bool) -> None:
    both = [Redacts(), GroundedAnswer()]
    replies = [reading(), verdict(GOOD), verdict("the disk '***' is not full", call_id="w")]
    agent, _ = agent_of(*replies, middleware=both if outside else both[::-1])
    result = run(agent, QUESTION)
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "answered"]
    _, start, end = places(result["outcome"]["fields"])["quotes[0]"]
    assert result["messages"][2].text[start:end] == "the disk “***”\n      is not full"


def test_what_is_recorded_stays_out_of_streams_and_results(run: Run) -> None:
    agent, _ = agent_of(reading(), verdict(GOOD))
    updates = run.stream(agent, QUESTION, stream_mode="updates")
    assert {key for step in updates for update in step.values() for key in update} == {
        "messages",
        "structured_response",
        "outcome",
    }
    agent, _ = agent_of(reading(), verdict(GOOD))
    assert run(agent, QUESTION).keys() == {"messages", "structured_response", "outcome"}
