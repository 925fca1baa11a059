"""The react graph: the protocol's first seed, replayed request by request, and the limits."""

from itertools import pairwise
from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from answergraph import UsageLimits
from answergraph.graphs import create_react
from answergraph.graphs.add_ons.react.react_graph import react_agent
from answergraph.runtime.errors import AgentSpecError
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

QUESTION = "ある店舗が製品を100ドルで販売しています。20%割引した後10%値上げしました。最終価格はいくら？"
HEAD = f"""\
Answer the following questions as best you can. You have access to the following tools:

Calculator(question: str) - Useful for when you need to answer questions about math.

Use the following format:

Question: the input question you must answer
Thought: you should always think about what to do
Action: the action to take, should be one of [Calculator]
Action Input: the input to the action
Observation: the result of the action
... (this Thought/Action/Action Input/Observation can repeat N times)
Thought: I now know the final answer
Final Answer: the final answer to the original input question

Begin!

Question: {QUESTION}
Thought:"""
ROUNDS = (
    """\
最初の価格は100ドルです。まず、20%の割引を計算し、その後10%の値上げを計算する必要があります。

Action: Calculator
Action Input: 100 * 0.2""",
    """\
20ドルの割引が適用されるので、最初の価格から20ドルを引きます。

Action: Calculator
Action Input: 100 - 20""",
    """\
割引後の価格は80ドルです。次に、この価格に10%の値上げを計算します。

Action: Calculator
Action Input: 80 * 0.1""",
    """\
10%の値上げは8ドルです。次に、割引後の価格にこの値上げを加えます。

Action: Calculator
Action Input: 80 + 8""",
)
RESULTS = ("20.0", "80", "8.0", "88")
LAST = "最終価格は88ドルです。\nFinal Answer: 88ドル"
STOPS = ["\nObservation:", "\n\tObservation:"]


def expression_of(reply: str) -> str:
    expression = reply.rpartition("Action Input: ")[2]
    return f'```text\n{expression}\n```\n...numexpr.evaluate("{expression}")...\n'


def script() -> list[str]:
    return [*(part for reply in ROUNDS for part in (reply, expression_of(reply))), LAST]


def prompts() -> list[str]:
    """The five outer prompts, byte for byte as in the seed, except the tool's line."""
    grown = [HEAD]
    for reply, result in zip(ROUNDS, RESULTS, strict=True):
        grown.append(f"{grown[-1]}{reply}\nObservation: Answer: {result}\nThought:")
    return grown


def test_the_shop_question_takes_the_nine_requests_of_the_seed(run: Run) -> None:
    model = ScriptedChatModel(replies=list(script()))
    result = run(create_react(model), {"messages": [QUESTION]})
    outer, inner = model.requests[::2], model.requests[1::2]
    assert (len(outer), len(inner)) == (5, 4)
    assert [request.messages[0].text for request in outer] == prompts()
    assert [request.kwargs["stop"] for request in outer] == [STOPS] * 5
    assert [request.kwargs["stop"] for request in inner] == [["```output"]] * 4
    asked = [request.messages[0].text.rpartition("Question: ")[2] for request in inner]
    assert asked == ["100 * 0.2\n", "100 - 20\n", "80 * 0.1\n", "80 + 8\n"]
    observations = [message.text for message in result["messages"] if isinstance(message, ToolMessage)]
    assert observations == [f"Answer: {value}" for value in RESULTS]
    assert result["messages"][-1].text == "88ドル"
    assert "outcome" not in result


def test_each_round_is_a_prefix_of_the_next_across_questions_too(run: Run) -> None:
    model = ScriptedChatModel(replies=[*script(), *script()])
    agent = create_react(model)
    first = run(agent, {"messages": [QUESTION]})
    run(agent, {"messages": [*first["messages"], ("user", "もう一度")]})
    sent = [request.messages[0].text for request in model.requests if request.kwargs["stop"] == STOPS]
    assert len(sent) == 10
    assert all(later.startswith(earlier) for earlier, later in pairwise(sent))


def test_every_round_has_its_tokens(run: Run) -> None:
    model = ScriptedChatModel(replies=list(script()))
    messages = run(create_react(model), {"messages": [QUESTION]})["messages"]
    counted = [message.usage_metadata["input_tokens"] for message in messages if message.type == "ai"]
    assert len(counted) == 5
    assert counted == sorted(counted)


def test_at_the_limit_the_last_call_is_the_final_answer_in_the_classic_words(run: Run) -> None:
    model = ScriptedChatModel(replies=[ROUNDS[0], expression_of(ROUNDS[0]), "20ドル引きます。\nFinal Answer: 80ドル"])
    result = run(create_react(model, limits=UsageLimits(model_calls=2)), {"messages": [QUESTION]})
    last = model.requests[-1].messages[0].text
    assert last.endswith("Thought:\n\nI now need to return a final answer based on the previous steps:")
    assert "Calculator(" not in last
    assert result["messages"][-1].text == "80ドル"
    assert result["outcome"]["status"] == "out_of_budget"


def test_an_action_in_the_final_call_is_not_run_and_its_raw_text_is_the_answer(run: Run) -> None:
    model = ScriptedChatModel(replies=[ROUNDS[0], expression_of(ROUNDS[0]), ROUNDS[1]])
    result = run(create_react(model, limits=UsageLimits(model_calls=2)), {"messages": [QUESTION]})
    assert result["messages"][-1].text == ROUNDS[1]
    assert len(model.requests) == 3


def test_without_a_reserved_answer_the_run_is_stopped_by_force(run: Run) -> None:
    model = ScriptedChatModel(replies=[ROUNDS[0], expression_of(ROUNDS[0]), ROUNDS[1]])
    limits = UsageLimits(model_calls=2, reserve_final_answer=False)
    result = run(create_react(model, limits=limits), {"messages": [QUESTION]})
    assert result["outcome"]["status"] == "out_of_budget"
    assert result["messages"][-1].text == "Tool Calculator is not available: the run's budget is spent."


def test_fifteen_calls_are_the_limit(run: Run) -> None:
    def reply(messages: Any) -> str:
        return expression_of(ROUNDS[0]) if messages[0].text.startswith("Turn a math") else ROUNDS[0]

    result = run(create_react(ScriptedChatModel(replies=reply)), {"messages": [QUESTION]})
    assert result["outcome"]["usage"]["model_calls"] == 15


def test_the_graph_of_a_name_is_made_once() -> None:
    assert react_agent() is react_agent("offline")
    with pytest.raises(AgentSpecError, match="5 is not the name of a model"):
        react_agent(5)  # type: ignore[arg-type]  # a server's caller may send anything
