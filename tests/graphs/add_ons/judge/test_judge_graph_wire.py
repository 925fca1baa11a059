"""The judge and real servers: requests to servers that refuse, ignore or fail."""

import json
from typing import Any

import pytest
from langchain_openai import ChatOpenAI

from answergraph.graphs import create_judge
from answergraph.offline.offline_policy import attach
from tests.openai_server import Failure, OpenAIServer, Reply, ToolCall, calls, says
from tests.openai_server.behaviour import Behaviour, rejects_json_schema, rejects_response_format, rejects_tool_choice_required
from tests.openai_server.reply import JSONObject
from tests.suite.colors import Run

RULES = ["approved", "needs fix"]
REPORT = {"report": "Two tests fail."}
ANSWER = {"step": 2, "reason": "Two tests fail."}


def reply(body: JSONObject) -> Reply | Failure:
    """Answer each stage in the form it asks for."""
    prompt = str(body["messages"][-1]["content"])
    is_third = "as matched_index" in prompt
    answer = {"matched_index": 2, "reason": "R"} if is_third else ANSWER
    if body.get("tools"):
        return calls(ToolCall(body["tools"][0]["function"]["name"], answer))
    return says(json.dumps(answer) if is_third or "as step" in prompt else "[STEP:2]")


def judge_at(server: OpenAIServer, model: str) -> Any:
    chat = ChatOpenAI(model=model, base_url=server.base_url, api_key="none", max_retries=0)  # type: ignore[arg-type]  # a str does
    return create_judge(chat, RULES)


def refusing(behaviour: Behaviour) -> Any:
    return lambda body: behaviour(body) or reply(body)


@pytest.mark.parametrize(
    ("model", "behaviour"),
    [
        ("gpt-4.1", rejects_json_schema),
        ("gpt-4.1", rejects_response_format),
        ("gpt-4-turbo", rejects_tool_choice_required),
    ],
    ids=["json schema", "response format", "forced tool"],
)
def test_a_server_that_refuses_a_form_is_asked_in_another_by_the_same_stage_and_remembered(
    run: Run, model: str, behaviour: Behaviour
) -> None:
    with OpenAIServer(refusing(behaviour)) as server:
        judge = judge_at(server, model)
        judgments = [run(judge, REPORT)["judgment"] for _ in range(2)]
        assert len(server.requests) == 3
    assert [(judgment["index"], judgment["method"]) for judgment in judgments] == [(1, "structured_output")] * 2
    assert [len(judgment["stages"]) for judgment in judgments] == [1, 1]


def test_a_sample_that_failed_the_servers_grammar_is_a_reply_without_an_answer(run: Run) -> None:
    failed = Failure(status=400, code="json_validate_failed", message="Failed to generate JSON.")
    with OpenAIServer(lambda body: failed if body.get("response_format") else reply(body)) as server:
        judgment = run(judge_at(server, "gpt-4.1"), REPORT)["judgment"]
    assert [stage["status"] for stage in judgment["stages"]] == ["no_match", "matched"]
    assert "Failed to generate JSON." in judgment["stages"][0]["reason"]


def test_a_native_format_holds_the_choice_to_the_words_of_the_conditions(run: Run) -> None:
    with OpenAIServer(reply) as server:
        assert run(judge_at(server, "gpt-4.1"), REPORT)["judgment"]["method"] == "structured_output"
        body = server.requests[0].body
    assert body["response_format"]["json_schema"]["schema"]["properties"] == {
        "step": {"type": "string", "enum": RULES, "description": "The condition that is met, word for word"},
        "reason": {"type": "string", "description": "Brief justification"},
    }
    assert "tools" not in body


@pytest.mark.parametrize("choice", ["needs fix", 2, "2"], ids=["words", "number", "text"])
def test_a_condition_is_chosen_by_its_words_or_by_its_number(run: Run, choice: object) -> None:
    with OpenAIServer(lambda body: says(json.dumps({"step": choice, "reason": "Two tests fail."}))) as server:
        judgment = run(judge_at(server, "gpt-4.1"), REPORT)["judgment"]
        assert len(server.requests) == 1
    assert (judgment["index"], judgment["method"]) == (1, "structured_output")


def test_words_of_no_condition_choose_none(run: Run) -> None:
    with OpenAIServer(lambda body: says(json.dumps({"step": "rejected", "reason": "R", "matched_index": "?"}))) as server:
        assert run(judge_at(server, "gpt-4.1"), REPORT)["judgment"]["index"] is None


def test_a_server_that_is_down_ends_in_no_match_after_three_requests(run: Run) -> None:
    with OpenAIServer(lambda body: Failure(status=503, message="overloaded")) as server:
        judgment = run(judge_at(server, "gpt-4.1"), REPORT)["judgment"]
        assert len(server.requests) == 3
    assert [stage["status"] for stage in judgment["stages"]] == ["error", "error", "error"]
    assert (judgment["index"], "overloaded" in judgment["reason"]) == (None, True)


@pytest.mark.parametrize("responses_api", [False, True])
def test_what_a_prompt_carries_as_data_is_not_sent(responses_api: bool) -> None:
    prompt = attach("Which one?", "answergraph_judged", {"secret": 1})
    with OpenAIServer(lambda body: says("The first.")) as server:
        address = {"base_url": server.base_url, "api_key": "none", "use_responses_api": responses_api}
        ChatOpenAI(model="small", **address).invoke([prompt])  # type: ignore[arg-type]  # each has its type
        assert "secret" not in json.dumps(server.requests[-1].body)
