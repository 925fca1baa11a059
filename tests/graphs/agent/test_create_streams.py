"""Every stream mode works, and the signature extends LangChain's."""

import inspect
from typing import Annotated, Any

import langchain.agents
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import ToolException, tool
from langgraph.errors import GraphRecursionError
from langgraph.prebuilt import InjectedStore
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from answergraph import create_agent
from answergraph.testing import ScriptedChatModel
from tests.suite.verdicts import Answer

ANSWER = {"name": "Answer", "args": {"text": "forty-two"}, "id": "9", "type": "tool_call"}
SEARCH = {"name": "search", "args": {"query": "q"}, "id": "1", "type": "tool_call"}
QUESTION: dict[str, Any] = {"messages": [HumanMessage("q")]}


@tool
def search(query: str) -> str:
    """Search."""
    if query == "forbidden":
        raise ToolException("not allowed")
    return f"found {query}"


def agent_of(*replies: Any, **options: Any) -> Any:
    return create_agent(ScriptedChatModel(replies=list(replies)), [search], **{"response_format": Answer, **options})


def test_every_argument_of_langchains_create_agent_is_there_under_its_name_and_in_its_place() -> None:
    theirs = inspect.signature(langchain.agents.create_agent).parameters
    ours = inspect.signature(create_agent).parameters
    assert list(ours)[: len(theirs)] == list(theirs)
    assert [ours[name].kind for name in theirs] == [parameter.kind for parameter in theirs.values()]
    assert [ours[name].default for name in theirs] == [parameter.default for parameter in theirs.values()]


@pytest.mark.parametrize("mode", ["values", "updates", "messages", "custom", "debug", "tasks", "checkpoints"])
def test_each_stream_mode_runs_to_the_answer(run: Any, mode: str) -> None:
    agent = agent_of(AIMessage("", tool_calls=[SEARCH]), AIMessage("", tool_calls=[ANSWER]))
    events = run.stream(agent, QUESTION, stream_mode=[mode, "values"])
    assert events[-1][1]["structured_response"] == Answer(text="forty-two")
    # Nothing here writes to the custom stream, and without a checkpointer there are no checkpoints.
    assert (mode in {name for name, _ in events}) or mode in ("custom", "checkpoints")


def test_tokens_stream_while_the_model_writes(run: Any) -> None:
    events = run.stream(agent_of("It is forty-two, I would say.", response_format=None), QUESTION, stream_mode="messages")
    pieces = [message.text for message, metadata in events if metadata["langgraph_node"] == "model"]
    assert len(pieces) > 1
    assert "".join(pieces) == "It is forty-two, I would say."


def test_a_tool_error_is_raised_as_toolnode_does(run: Any) -> None:
    forbidden = {**SEARCH, "args": {"query": "forbidden"}}
    with pytest.raises(ToolException, match="not allowed"):
        run(agent_of(AIMessage("", tool_calls=[forbidden])), QUESTION)


def test_arguments_a_tool_does_not_take_are_sent_back_to_the_model(run: Any) -> None:
    wrong = {**SEARCH, "args": {"q": 1}}
    result = run(agent_of(AIMessage("", tool_calls=[wrong]), AIMessage("", tool_calls=[ANSWER])), QUESTION)
    assert result["messages"][2].status == "error"
    assert result["structured_response"] == Answer(text="forty-two")


def test_a_tool_gets_the_store(run: Any) -> None:
    @tool
    def recall(store: Annotated[BaseStore, InjectedStore()]) -> str:
        """Recall."""
        item = store.get(("facts",), "answer")
        return str(item.value["is"]) if item else "nothing"

    store = InMemoryStore()
    store.put(("facts",), "answer", {"is": 42})
    call = {"name": "recall", "args": {}, "id": "1", "type": "tool_call"}
    agent = create_agent(ScriptedChatModel(replies=[AIMessage("", tool_calls=[call]), "ok"]), [recall], store=store)
    assert run(agent, QUESTION)["messages"][2].text == "42"


def test_a_provider_tool_is_bound_as_it_is_and_never_run(run: Any) -> None:
    model = ScriptedChatModel(replies=["done"])
    run(create_agent(model, [{"type": "web_search"}]), QUESTION)
    assert list(model.requests[0].tools) == [{"type": "web_search"}]


def test_the_callers_recursion_limit_is_left_alone(run: Any) -> None:
    def search_for_ever(messages: Any) -> AIMessage:
        return AIMessage("", tool_calls=[{**SEARCH, "id": str(len(messages))}])

    agent = create_agent(ScriptedChatModel(replies=search_for_ever), [search], response_format=Answer)
    with pytest.raises(GraphRecursionError):
        run(agent, QUESTION, {"recursion_limit": 7})


def test_a_named_agent_signs_its_messages(run: Any) -> None:
    agent = agent_of(AIMessage("", tool_calls=[ANSWER]), name="scout")
    assert agent.name == "scout"
    assert run(agent, QUESTION)["messages"][1].name == "scout"


def test_the_models_tools_are_bound_once_for_a_whole_run(run: Any) -> None:
    binds: list[Any] = []

    class Counting(ScriptedChatModel):
        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            binds.append(tools)
            return super().bind_tools(tools, **kwargs)

    replies = [AIMessage("", tool_calls=[{**SEARCH, "id": str(n)}]) for n in range(5)]
    model = Counting(replies=[*replies, AIMessage("", tool_calls=[ANSWER])])
    run(create_agent(model, [search], response_format=Answer), QUESTION)
    assert len(binds) == 1
