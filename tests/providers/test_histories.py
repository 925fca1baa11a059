"""Whatever is in a thread, each provider takes the request made of it."""

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call

from answergraph import create_agent
from answergraph.models import forget_refusals
from tests.providers.providers import PROVIDERS, Provider
from tests.providers.situations import Found, look_up, works
from tests.providers.stub import Stub

pytestmark = [pytest.mark.providers, pytest.mark.filterwarnings("default")]

ids = st.sampled_from(["callA1234", "callB1234", "callC1234", None])
names = st.sampled_from(["look_up", "Found", "gone", "two words", None])
broken = st.sampled_from(['{"key": "it', "not JSON", "[1]", '"text"', "{'key': 1}", "", None])
calls = st.builds(lambda name, id: tool_call(name=name or "look_up", args={"key": "it"}, id=id), names, ids)
malformed = st.builds(lambda name, args, id: invalid_tool_call(name=name, args=args, id=id, error=None), names, broken, ids)
texts: Any = st.sampled_from(["", "Well.", " ", [{"type": "text", "text": " "}]])
replies = st.builds(
    lambda text, good, bad, name: AIMessage(text, tool_calls=good, invalid_tool_calls=bad, name=name),
    texts,
    st.lists(calls, max_size=2),
    st.lists(malformed, max_size=2),
    st.sampled_from([None, "helper", "my agent"]),
)
results = st.builds(
    lambda id, status: ToolMessage("it is 42", tool_call_id=id or "callD1234", status=status),
    ids,
    st.sampled_from(["success", "error"]),
)
questions = st.builds(lambda name: HumanMessage("Find it.", name=name), st.sampled_from([None, "Ada Lovelace"]))
greetings = st.just(AIMessage("How can I help?"))
histories = st.tuples(st.one_of(questions, greetings), st.lists(st.one_of(questions, replies, results, results), max_size=7))


@pytest.mark.parametrize("provider", PROVIDERS, ids=str)
@settings(
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
    phases=[Phase.generate],
)
@given(history=histories, ends_asking=st.booleans())
def test_the_next_request_is_legal(provider: Provider, history: tuple[AnyMessage, list[AnyMessage]], ends_asking: bool) -> None:
    forget_refusals()
    messages: list[Any] = [history[0], *history[1], *([HumanMessage("And now?")] if ends_asking else [])]
    with Stub(provider.api, provider.rules, works) as stub:
        agent = create_agent(provider.client(stub.url), [look_up], response_format=Found)
        outcome = agent.invoke({"messages": messages})["outcome"]
    assert stub.refused == []
    assert outcome["status"] == "answered", outcome
