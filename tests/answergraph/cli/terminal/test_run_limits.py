"""``--limits`` ends a run of any command: with the agent's outcome, or with a reason."""

from threading import Event

import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import BaseModel

from answergraph import ToolStrategy, UsageLimits, create_agent
from answergraph.cli.terminal.run_limits import spent_so_far, within
from answergraph.testing import ScriptedChatModel
from tests.answergraph.cli.test_command_line import answergraph
from tests.openai_server import OpenAIServer, Reply, says

NEVER = Event()
PATIENCE = 120  # seconds: what hangs ends by itself long after the limit


class Stock(BaseModel):
    pieces: int


@tool
def count(item: str) -> str:
    """Count the pieces."""
    return "7"


@tool
def hangs(item: str) -> str:
    """Wait for a server that does not answer."""
    NEVER.wait(PATIENCE)
    return "7"


def calls_for_ever(messages: list[AnyMessage], name: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": {"item": f"bolt {len(messages)}"}, "id": str(len(messages))}])


COUNTING = create_agent(
    ScriptedChatModel(replies=lambda messages: calls_for_ever(messages, "count")), [count], response_format=ToolStrategy(Stock)
)
HANGING = create_agent(
    ScriptedChatModel(replies=lambda messages: calls_for_ever(messages, "hangs")), [hangs], response_format=ToolStrategy(Stock)
)


def hanging_node(state: MessagesState) -> dict[str, str]:
    return {"messages": hangs.invoke({"item": "bolt"})}


_graph = StateGraph(MessagesState)
_graph.add_node("hanging", hanging_node)
_graph.add_edge(START, "hanging")
PLAIN = _graph.compile()


def test_a_limit_of_calls_ends_your_agents_run_with_its_outcome() -> None:
    code, out, err = answergraph("ask", "How many bolts?", "--agent", f"{__name__}:COUNTING", "--limits", "model_calls=3")
    assert (code, out) == (1, "")
    assert err.startswith("out_of_budget: The run's budget is spent: 3 of 3 model calls.")


def test_a_limit_of_seconds_ends_a_run_whose_tool_hangs() -> None:
    code, out, err = answergraph("ask", "How many bolts?", "--agent", f"{__name__}:HANGING", "--limits", "seconds=1")
    assert (code, out) == (1, "")
    assert err.startswith("out_of_budget: The run's budget is spent: ")


def test_a_limit_of_seconds_ends_a_judge_whose_model_hangs() -> None:
    def reply(_: object) -> Reply:
        ended.wait(PATIENCE)
        return says("too late")

    ended = Event()
    with OpenAIServer(reply) as server:
        model = ("--model", "openai:small", "--base-url", server.base_url)
        rules = ("--rule", "tests pass", "--rule", "needs fix")
        code, out, err = answergraph("judge", "-", *rules, *model, "--limits", "seconds=1", stdin="Some tests pass.")
        ended.set()
    assert (code, out) == (1, "")
    # On a busy machine the judge may be left before it can say so.
    assert err.endswith(("The model call did not end in time.\n", "The run's budget is spent: 1 seconds.\n"))


def test_a_limit_of_seconds_ends_a_graph_that_is_no_agent() -> None:
    code, out, err = answergraph("ask", "Bolts?", "--agent", f"{__name__}:PLAIN", "--limits", "seconds=1")
    assert (code, out, err) == (1, "", "TimeoutError: The run's budget is spent: 1 seconds.\n")


def test_a_judge_asks_no_more_than_its_limit_allows() -> None:
    with OpenAIServer(lambda _: says("I cannot say.")) as server:
        model = ("--model", "openai:small", "--base-url", server.base_url)
        rules = ("--rule", "tests pass", "--rule", "needs fix")
        code, _, _ = answergraph("judge", "-", *rules, *model, "--limits", "model_calls=1", stdin="Some tests pass.")
    assert (code, len(server.requests)) == (1, 1)


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        ("seconds=soon", "NAME=NUMBER"),
        ("seconds", "NAME=NUMBER"),
        ("minutes=1", "seconds, cost; not 'minutes=1'"),
        ("model_calls=1.5", "NAME=NUMBER"),
        ("cost=-1", "write a positive amount of money"),
        ("model_calls=3,", "not ''"),
    ],
)
def test_what_is_no_limit_is_bad_usage(limits: str, why: str) -> None:
    code, out, err = answergraph("ask", "1 + 1", "--limits", limits)
    assert (code, out) == (2, "")
    assert why in err


def test_what_is_used_of_the_limits_is_known_while_a_run_goes_on() -> None:
    assert spent_so_far() == ""
    with within(UsageLimits(model_calls=4, total_tokens=5_000)):
        seen = []
        for _ in COUNTING.stream({"messages": ["How many bolts?"]}):
            seen.append(spent_so_far())
    assert seen[0] == "1 of 4 model calls · 8 of 5,000 tokens"
    assert seen[-1].startswith("4 of 4 model calls · ")
