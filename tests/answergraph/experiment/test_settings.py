"""The settings: the seed's word for word, and controls that differ in one thing."""

import json
from pathlib import Path
from typing import Any

import pytest

from answergraph.evidence import ToolRun
from answergraph.experiment.seed_experiment import NO_FORMAT_NAMED_PROMPT, NO_FORMAT_PROMPT, SYSTEM_PROMPT, TASKS
from answergraph.experiment.settings import SETTINGS, confirms
from answergraph.experiment.summary import METRICS
from answergraph.graphs import create_calculator
from answergraph.models.resolve import resolve_model
from tests.openai_server import OpenAIServer, ToolCall, calls

PAGE = Path(__file__).parents[3] / "docs" / "experiment.md"
NAMED = {setting.name: setting for setting in SETTINGS}


def first_request(name: str) -> dict[str, Any]:
    """Return what a setting sends first, over the wire."""
    answer = {"final_answer": 1, "validation_result": {}, "reasoning": "r"}

    def reply(body: Any) -> Any:
        offered = [tool["function"]["name"] for tool in body["tools"]]
        return calls(ToolCall(offered[-1], answer)) if len(offered) > 5 else calls(text=json.dumps(answer))

    with OpenAIServer(reply) as server:
        model = resolve_model("openai:gpt-4o-mini", base_url=server.base_url, api_key="none")
        NAMED[name].agent(model).invoke({"messages": [("user", TASKS[0].question)]})
    return server.requests[0].body


def answer_schema(body: dict[str, Any]) -> dict[str, Any]:
    if "response_format" in body:
        return dict(body["response_format"]["json_schema"]["schema"])
    return dict(body["tools"][-1]["function"]["parameters"])


def test_without_a_format_only_the_prompt_and_the_tools_are_sent() -> None:
    body = first_request("no_format")
    assert [message["content"] for message in body["messages"]] == [NO_FORMAT_PROMPT, TASKS[0].question]
    assert body.keys() <= {"model", "messages", "tools", "stream"}
    told = {tool["function"]["name"]: tool["function"]["description"] for tool in body["tools"]}
    assert list(told) == ["add", "subtract", "multiply", "divide", "validate_calculation"]
    assert (told["add"], told["validate_calculation"]) == ("2つの数値を加算します。", "計算結果を検証します。")


def test_the_tool_strategy_offers_the_schema_and_forces_a_call() -> None:
    body = first_request("tool_strategy")
    assert body["messages"][0]["content"] == SYSTEM_PROMPT
    assert body["tool_choice"] == "required"
    assert (len(body["tools"]), body["tools"][-1]["function"]["name"]) == (6, "SchemaWithValidation")
    assert "response_format" not in body


def test_the_provider_strategy_sends_the_schema_as_it_is() -> None:
    body = first_request("provider_strategy")
    assert body["messages"][0]["content"] == SYSTEM_PROMPT
    assert body["response_format"]["type"] == "json_schema"
    assert not body["response_format"]["json_schema"].get("strict")
    assert len(body["tools"]) == 5
    assert "tool_choice" not in body


@pytest.mark.parametrize("kind", ["tool", "provider"])
def test_a_control_differs_from_the_seed_in_the_field_alone(kind: str) -> None:
    seeds, required, without = (first_request(f"{kind}_{name}") for name in ("strategy", "required", "no_field"))
    for body in (required, without):
        assert body["messages"] == seeds["messages"]
        assert body.get("tool_choice") == seeds.get("tool_choice")
        assert body["tools"][:5] == seeds["tools"][:5]
    field = answer_schema(seeds)["properties"]["validation_result"]
    assert answer_schema(required)["properties"]["validation_result"]["description"] == field["description"]
    assert "validation_result" not in answer_schema(seeds)["required"]
    assert "validation_result" in answer_schema(required)["required"]
    assert "validat" not in json.dumps([without.get("response_format"), without["tools"][5:]]).lower()
    if kind == "tool":
        told = [{key: body["tools"][-1]["function"][key] for key in ("name", "description")} for body in (seeds, required)]
        assert told[0] == told[1]


def test_naming_the_field_is_all_that_the_named_prompt_adds() -> None:
    named = '"validation_result": <validate_calculation の結果>, '
    assert NO_FORMAT_NAMED_PROMPT.replace(named, "") == NO_FORMAT_PROMPT
    assert NO_FORMAT_PROMPT.startswith(SYSTEM_PROMPT)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_the_known_value_of_a_task_is_what_the_calculator_finds(task: Any) -> None:
    answer = create_calculator().invoke({"messages": [task.question]})["structured_response"]
    assert answer is not None
    assert answer.final_answer == task.value
    assert "検証" not in task.question


def test_the_page_describes_every_setting_and_every_figure() -> None:
    page = PAGE.read_text(encoding="utf-8")
    told = [*NAMED, *(metric for metric in METRICS if not metric.startswith("calls_"))]
    assert [name for name in told if f"`{name}`" not in page] == []


def test_the_prompted_setting_says_of_the_field_what_the_others_say() -> None:
    described = answer_schema(first_request("tool_strategy"))["properties"]["validation_result"]["description"]
    assert described in first_request("prompted")["messages"][-1]["content"]


@pytest.mark.parametrize(("answer", "accepted"), [(169.67, True), (169.68, False)])
def test_an_answer_rounded_as_the_seeds_is_validated_by_what_was_validated(answer: float, accepted: bool) -> None:
    value = next(task.value for task in TASKS if task.id == "calc_06")
    run = ToolRun("call_1", "validate_calculation", {"actual": value}, ('{"is_correct": true}',))
    assert confirms(run, answer) is accepted
