"""A server that enforces schemas but no calls is asked for a call or the answer, under one schema."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr

from answergraph import UsageLimits, create_agent
from answergraph.middleware import AgentMiddleware
from answergraph.models import known_refusals
from answergraph.testing import ScriptedChatModel, ScriptedRequest
from tests.openai_server import OpenAIServer
from tests.openai_server.behaviour import rejects_json_schema
from tests.openai_server.reply import says
from tests.suite.colors import Run

QUESTION = {"messages": ["How many are in stock?"]}


class Stock(BaseModel):
    """What is in stock."""

    sku: str
    count: int


class Unknown(BaseModel):
    """Nothing is known."""

    why: str


class Planned(BaseModel):
    """A step of a plan."""

    name: str
    arguments: dict[str, str]


@tool
def look_up(sku: str) -> int:
    """Look the stock of an SKU up."""
    return {"X": 17, "Y": 3}[sku]


@tool
def read_list() -> str:
    """Read the list of SKUs."""
    return "X, Y"


class LocalModel(ScriptedChatModel):
    """A model whose server has a schema mode."""

    base_url: str = "http://llama-cpp:8080/v1"


class Freely(AgentMiddleware[Any, Any, Any]):
    """Leaves it to the model whether it calls a tool."""

    def modify_model_request(self, request: Any) -> Any:
        return request.override(tool_choice="auto")


def written(name: str, /, **arguments: object) -> str:
    return json.dumps({"name": name, "arguments": arguments})


CALL, ANSWER = written("look_up", sku="X"), written("Stock", sku="X", count=17)
STOCK = Stock(sku="X", count=17)


def offered(request: ScriptedRequest) -> list[str] | None:
    """Return the names of the calls that a request's schema has; ``None`` for a request without one, or for the answer alone."""
    schema = request.kwargs.get("response_format", {}).get("json_schema", {}).get("schema", {})
    return [each["properties"]["name"]["const"] for each in schema["anyOf"]] if "anyOf" in schema else None


def asked(run: Run, replies: list[Any], declared: Any = Stock, **options: Any) -> tuple[Any, list[list[str] | None]]:
    model = LocalModel(replies=replies)
    result: Any = run(create_agent(model, [look_up, read_list], response_format=declared, **options), QUESTION)
    return result, [offered(request) for request in model.requests]


def test_after_a_free_reply_a_call_comes_first_and_the_answer_after_its_result(run: Run) -> None:
    result, offers = asked(run, ["I look it up.", CALL, ANSWER])
    assert result["structured_response"] == STOCK
    assert offers == [None, ["look_up", "read_list"], ["look_up", "read_list", "Stock"]]
    assert result["outcome"]["attempts"][0]["strategy"] == "call_or_answer"
    assert result["outcome"]["attempts"][0]["repairs"] == []


def test_a_tool_without_arguments_is_not_offered_again(run: Run) -> None:
    result, offers = asked(run, ["Let me see.", written("read_list"), CALL, ANSWER])
    assert offers[2:] == [["look_up", "Stock"]] * 2
    assert result["outcome"]["usage"]["tool_calls"] == 2


def test_a_call_that_is_repeated_leaves_only_the_answer(run: Run) -> None:
    result, offers = asked(run, ["Let me see.", CALL, CALL, '{"sku": "X", "count": 17}'])
    assert result["structured_response"] == STOCK
    assert offers == [None, ["look_up", "read_list"], ["look_up", "read_list", "Stock"], None]
    assert result["outcome"]["usage"]["tool_calls"] == 1


def test_the_model_is_told_in_words_what_it_may_call(run: Run) -> None:
    model = LocalModel(replies=["Let me see.", CALL, ANSWER])
    run(create_agent(model, [look_up], response_format=Stock), QUESTION)
    assert "- look_up(sku): Look the stock of an SKU up." in model.requests[1].messages[-1].text
    assert "- Stock(sku, count): Gives your answer. What is in stock." in model.requests[2].messages[-1].text
    assert model.requests[1].tool_names == []


def test_a_server_whose_calls_come_as_text_is_not_asked_freely_again(run: Run) -> None:
    asked(run, [CALL, ANSWER])
    _, offers = asked(run, [CALL, ANSWER])
    assert offers == [["look_up", "read_list"], ["look_up", "read_list", "Stock"]]
    assert [refusal.strategy for refusal in known_refusals()] == ["native_calls"]


def test_a_server_whose_free_replies_call_nothing_twice_is_not_asked_freely_again(run: Run) -> None:
    first = [asked(run, ["I do not know.", CALL, ANSWER])[1] for _ in range(2)]
    result, offers = asked(run, [CALL, ANSWER])
    assert result["structured_response"] == STOCK
    assert [each[0] for each in first] == [None, None]
    assert offers == [["look_up", "read_list"], ["look_up", "read_list", "Stock"]]


def test_a_server_that_parses_calls_is_left_to_call_them_itself(run: Run) -> None:
    native = AIMessage("", tool_calls=[{"name": "look_up", "args": {"sku": "X"}, "id": "1"}])
    asked(run, [native, ANSWER])
    result, offers = asked(run, ["It is 17.", '{"sku": "X", "count": 17}'])
    assert result["structured_response"] == STOCK
    assert offers == [None, None]
    assert [refusal.strategy for refusal in known_refusals()] == ["call_or_answer"]


def test_a_tool_choice_of_the_developer_allows_the_answer_at_once(run: Run) -> None:
    model = LocalModel(replies=["Hm.", ANSWER])
    agent: Any = create_agent(model, [look_up], response_format=Stock, middleware=[Freely()])
    assert run(agent, QUESTION)["structured_response"] == STOCK
    assert offered(model.requests[1]) == ["look_up", "Stock"]


@pytest.mark.parametrize(
    ("declared", "reply", "answer"),
    [
        (Stock | Unknown, written("Unknown", why="no list"), Unknown(why="no list")),
        (int, written("int", value=17), 17),
        (list[Stock], written("list_Stock", value=[{"sku": "X", "count": 17}]), [STOCK]),
        (Planned, written("Planned", name="look_up", arguments={"sku": "Y"}), Planned(name="look_up", arguments={"sku": "Y"})),
        (dict[str, int], written("dict_str_int", value={"X": 17}), {"X": 17}),
    ],
)
def test_every_type_of_answer_is_read_from_its_call(run: Run, declared: Any, reply: str, answer: object) -> None:
    model = LocalModel(replies=["Let me see.", CALL, reply])
    result = run(create_agent(model, [look_up], response_format=declared), QUESTION)
    assert result["structured_response"] == answer


def test_an_answer_that_does_not_fit_is_asked_for_alone(run: Run) -> None:
    wrong = written("Stock", sku="X", count="many")
    result, offers = asked(run, ["Let me see.", CALL, wrong, '{"sku": "X", "count": 17}'])
    assert result["structured_response"] == STOCK
    assert offers[3] is None


def test_an_answer_that_a_check_rejected_may_be_mended_with_a_tool(run: Run) -> None:
    def known(answer: Any, state: Any, runtime: Any) -> bool:
        """Use the list of SKUs."""
        return any(message.name == "read_list" for message in state["messages"])

    result, offers = asked(run, ["Let me see.", CALL, ANSWER, written("read_list"), ANSWER], check_answer=known)
    assert result["structured_response"] == STOCK
    assert offers[3:] == [["look_up", "read_list", "Stock"], ["look_up", "Stock"]]


def test_a_server_without_a_schema_mode_is_asked_as_before(run: Run) -> None:
    script = [says("Let me see."), says('{"sku": "X", "count": 17}')] * 2
    with OpenAIServer(script, behave=rejects_json_schema) as server:
        model = ChatOpenAI(model="qwen2.5-0.5b", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)
        agent = create_agent(model, [look_up], response_format=Stock)
        answers = [run(agent, QUESTION)["structured_response"] for _ in range(2)]
        names = [request.body.get("response_format", {}).get("json_schema", {}).get("name") for request in server.requests]
    assert answers == [STOCK, STOCK]
    assert names.count("call") == 1


def test_the_answer_is_asked_for_while_it_can_be_corrected(run: Run) -> None:
    cut = AIMessage('{"sku": "X', response_metadata={"finish_reason": "length"})
    replies = ["Let me see.", CALL, written("look_up", sku="Y"), cut, '{"sku": "X", "count": 17}']
    result, offers = asked(run, replies, limits=UsageLimits(model_calls=5))
    assert result["structured_response"] == STOCK
    assert offers[3:] == [None, None]


def test_with_few_calls_a_tool_comes_before_a_correction(run: Run) -> None:
    replies = ["Let me see.", CALL, written("look_up", sku="Y"), '{"sku": "X", "count": 17}']
    result, offers = asked(run, replies, limits=UsageLimits(model_calls=4))
    assert result["outcome"]["usage"]["tool_calls"] == 2
    assert offers[2:] == [["look_up", "read_list", "Stock"], None]
