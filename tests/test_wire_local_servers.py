"""Requests to a server that is in no row of the provider table: a client of OpenAI's API at another address."""

from typing import Annotated, Any

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, Field, SecretStr

from answergraph import create_agent
from answergraph.models import known_refusals
from tests.openai_server import OpenAIServer
from tests.openai_server.behaviour import rejects_json_schema
from tests.openai_server.reply import JSONObject, Reply, ToolCall, calls, says
from tests.suite.colors import Run

QUESTION: dict[str, Any] = {"messages": ["How was it?"]}


class Rating(BaseModel):
    """A rating."""

    comment: Annotated[str, Field(max_length=60)]


class Failure(BaseModel):
    """No rating."""

    error: str


RATING = '{"comment": "fine"}'


@tool
def look_up(key: str) -> str:
    """Look a value up."""
    return f"{key} is 42"


def answered(run: Run, script: list[Reply], tools: Any = (), declared: Any = Rating) -> tuple[Any, list[JSONObject]]:
    with OpenAIServer(script) as server:
        model = ChatOpenAI(model="qwen2.5-0.5b", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)
        result: Any = run(create_agent(model, list(tools), response_format=declared), QUESTION)
        return result, [dict(request.body) for request in server.requests]


def schema_of(body: JSONObject) -> Any:
    return body["response_format"]["json_schema"]["schema"]


def test_without_tools_it_is_asked_in_its_schema_mode_at_once(run: Run) -> None:
    result, bodies = answered(run, [says(RATING)])
    assert result["structured_response"] == Rating(comment="fine")
    assert [body["response_format"]["type"] for body in bodies] == ["json_schema"]


def test_it_is_sent_the_whole_schema_for_it_may_enforce_all_of_it(run: Run) -> None:
    _, bodies = answered(run, [says(RATING)])
    assert schema_of(bodies[0])["properties"]["comment"]["maxLength"] == 60


def test_with_tools_it_is_free_to_call_them_and_asked_for_the_answer_after_them(run: Run) -> None:
    script = [calls(ToolCall("look_up", {"key": "it"})), says("It was fine."), says(RATING)]
    result, bodies = answered(run, script, [look_up])
    assert result["structured_response"] == Rating(comment="fine")
    assert [len(body["tools"]) for body in bodies] == [1, 1, 1]
    assert ["response_format" in body for body in bodies] == [False, False, True]
    assert [body.get("tool_choice", "auto") for body in bodies] == ["auto", "auto", "none"]


def test_a_text_after_the_tools_that_is_the_answer_costs_no_further_call(run: Run) -> None:
    result, bodies = answered(run, [calls(ToolCall("look_up", {"key": "it"})), says(RATING)], [look_up])
    assert result["structured_response"] == Rating(comment="fine")
    assert len(bodies) == 2


def test_each_name_of_a_union_is_tied_to_its_value(run: Run) -> None:
    result, bodies = answered(run, [says('{"schema": "Failure", "value": {"error": "no"}}')], declared=Rating | Failure)
    assert result["structured_response"] == Failure(error="no")
    tied = {
        each["properties"]["schema"]["const"]: {*each["properties"]["value"]["properties"]}
        for each in schema_of(bodies[0])["anyOf"]
    }
    assert tied == {declared.__name__: {*declared.model_fields} for declared in (Rating, Failure)}


def test_a_server_without_a_schema_mode_refuses_one_request_and_is_remembered(run: Run) -> None:
    answer = calls(ToolCall("Rating", {"comment": "fine"}))
    with OpenAIServer([answer, answer], behave=rejects_json_schema) as server:
        model = ChatOpenAI(model="qwen2.5-0.5b", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)
        agent = create_agent(model, response_format=Rating)
        answers = [run(agent, QUESTION)["structured_response"] for _ in range(2)]
        asked = ["response_format" in request.body for request in server.requests]
    assert answers == [Rating(comment="fine")] * 2
    assert asked == [True, False, False]
    assert [refusal.strategy for refusal in known_refusals()] == ["provider"]
