"""An agent as users see it: every run ends, in a typed answer or in a typed reason why there is none."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool

from answergraph import AgentSpecError, ProviderStrategy, ToolStrategy, create_agent
from answergraph.errors import StructuredOutputValidationError
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import (
    BAD,
    GOOD,
    QUESTION,
    Missing,
    Place,
    Route,
    Verdict,
    agent_of,
    call,
    calls,
    every_call_is_answered,
)
from tests.suite.tools import search


def test_tools_run_and_the_answer_is_an_instance_of_the_declared_type(run: Any) -> None:
    agent, _ = agent_of(calls(call("search", {"query": "x"})), calls(call("Verdict", GOOD, "2")))
    result = run(agent, QUESTION)
    assert result["structured_response"] == Verdict(passed=True, score=7)
    assert result["outcome"]["status"] == "answered"
    assert result["outcome"]["schema"] == "Verdict"
    assert result["outcome"]["usage"]["model_calls"] == 2
    assert [m.type for m in result["messages"]] == ["human", "ai", "tool", "ai", "tool"]


@pytest.mark.parametrize(
    ("declared", "args", "expected"),
    [
        (Verdict, GOOD, Verdict(passed=True, score=7)),
        (Place, {"city": "Bern"}, Place("Bern")),
        (Route, {"to": "billing"}, {"to": "billing"}),
        ({"title": "Record", "type": "object", "properties": {"n": {"type": "integer"}}}, {"n": 1}, {"n": 1}),
    ],
    ids=["pydantic", "dataclass", "typeddict", "json schema"],
)
@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy], ids=["tool", "provider"])
def test_each_kind_of_schema_comes_back_as_declared(
    run: Any, strategy: Any, declared: Any, args: dict[str, Any], expected: Any
) -> None:
    name = declared["title"] if isinstance(declared, dict) else declared.__name__
    reply = (
        calls(call(name, args)) if strategy is ToolStrategy else AIMessage(str(args).replace("'", '"').replace("True", "true"))
    )
    agent, _ = agent_of(reply, response_format=strategy(declared))
    assert run(agent, QUESTION)["structured_response"] == expected


def test_prose_is_asked_again_once_and_then_ends_unanswered(run: Any) -> None:
    agent, model = agent_of("It passed, I think.", "Really, it passed.")
    result = run(agent, QUESTION)
    assert result["structured_response"] is None
    assert result["outcome"]["status"] == "unanswered"
    assert len(model.requests) == 2
    assert "Verdict" in result["messages"][2].text


def test_prose_without_tools_does_not_loop(run: Any) -> None:
    agent, model = agent_of("Hm.", "Hm.", "Hm.", tools=())
    assert run(agent, QUESTION)["outcome"]["status"] == "unanswered"
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    "text",
    [
        '{"passed": true, "score": 7}',
        '```json\n{"passed": true, "score": 7}\n```',
        'My verdict is {"passed": true, "score": 7}, for the log {says so}.',
    ],
    ids=["whole", "fence", "prose"],
)
@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy])
def test_json_in_a_text_is_accepted_without_a_further_call(run: Any, text: str, strategy: Any) -> None:
    agent, model = agent_of(text, response_format=strategy(Verdict))
    result = run(agent, QUESTION)
    assert result["structured_response"] == Verdict(passed=True, score=7)
    assert len(model.requests) == 1


def test_two_different_answers_in_prose_are_refused(run: Any) -> None:
    agent, _ = agent_of('{"passed": true, "score": 7} or {"passed": false, "score": 1}', calls(call("Verdict", GOOD)))
    result = run(agent, QUESTION)
    assert "multiple structured responses" in result["outcome"]["attempts"][0]["error"]
    assert result["structured_response"] == Verdict(passed=True, score=7)


def test_an_invalid_answer_is_sent_back_and_the_corrected_one_accepted(run: Any) -> None:
    agent, _ = agent_of(calls(call("Verdict", BAD)), calls(call("Verdict", GOOD, "2")))
    result = run(agent, QUESTION)
    assert result["structured_response"] == Verdict(passed=True, score=7)
    assert "less than or equal to 10" in result["messages"][2].text
    assert [a["error"] is None for a in result["outcome"]["attempts"]] == [False, True]


def test_the_same_invalid_answer_twice_ends_the_run_invalid_with_every_call_answered(run: Any) -> None:
    agent, model = agent_of(calls(call("Verdict", BAD)), calls(call("Verdict", BAD, "2")))
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "invalid")
    assert len(model.requests) == 2
    assert every_call_is_answered(result["messages"])


def test_answers_that_stay_invalid_in_new_ways_end_after_four_attempts(run: Any) -> None:
    replies = [calls(call("Verdict", {"passed": True, "score": 11 + n}, str(n))) for n in range(9)]
    agent, model = agent_of(*replies)
    assert run(agent, QUESTION)["outcome"]["status"] == "invalid"
    assert len(model.requests) == 4


def test_an_invalid_answer_under_the_provider_strategy_is_sent_back(run: Any) -> None:
    agent, _ = agent_of('{"passed": 1}', '{"passed": true, "score": 7}', response_format=ProviderStrategy(Verdict))
    assert run(agent, QUESTION)["structured_response"] == Verdict(passed=True, score=7)


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy])
def test_handle_errors_false_raises(run: Any, strategy: Any) -> None:
    reply = calls(call("Verdict", BAD)) if strategy is ToolStrategy else '{"passed": 1}'
    agent, _ = agent_of(reply, response_format=strategy(Verdict, handle_errors=False))
    with pytest.raises(StructuredOutputValidationError, match="Failed to parse structured output for tool 'Verdict'"):
        run(agent, QUESTION)


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (AIMessage("", additional_kwargs={"refusal": "I can't help with that."}), "refused"),
        (AIMessage("No.", response_metadata={"stop_reason": "refusal"}), "refused"),
        (AIMessage('{"passed": tr', response_metadata={"finish_reason": "length"}), "truncated"),
        (AIMessage(""), "empty"),
    ],
    ids=["openai refusal", "anthropic refusal", "truncated", "empty"],
)
def test_a_reply_that_cannot_hold_an_answer_is_diagnosed(run: Any, reply: AIMessage, status: str) -> None:
    agent, model = agent_of(reply, reply.model_copy())
    assert run(agent, QUESTION)["outcome"]["status"] == status
    assert len(model.requests) == (1 if status == "refused" else 2)


def test_a_cut_answer_is_not_accepted_though_it_parses(run: Any) -> None:
    cut = AIMessage("", tool_calls=[call("Missing", {"facts": ["a"]})], response_metadata={"finish_reason": "length"})
    agent, _ = agent_of(cut, calls(call("Missing", {"facts": ["a", "b"]}, "2")), response_format=Missing)
    assert run(agent, QUESTION)["structured_response"] == Missing(facts=["a", "b"])


def test_an_answer_beside_a_tool_call_is_held_until_its_result_was_seen(run: Any) -> None:
    both = calls(call("Verdict", GOOD), call("search", {"query": "x"}, "2"))
    agent, model = agent_of(both, calls(call("Verdict", {"passed": False, "score": 1}, "3")))
    result = run(agent, QUESTION)
    assert result["structured_response"] == Verdict(passed=False, score=1)
    seen = model.requests[1].messages
    assert {m.text.split(":")[0] for m in seen if isinstance(m, ToolMessage)} == {"found x", "Your answer is held back"}


def test_an_invalid_answer_beside_a_tool_call_does_not_end_the_run(run: Any) -> None:
    both = calls(call("Verdict", BAD), call("search", {"query": "x"}, "2"))
    agent, _ = agent_of(both, calls(call("Verdict", GOOD, "3")))
    result = run(agent, QUESTION)
    assert result["structured_response"] == Verdict(passed=True, score=7)
    assert every_call_is_answered(result["messages"])


def test_the_same_answer_beside_tools_again_is_its_confirmation(run: Any) -> None:
    replies = [calls(call("Verdict", GOOD, f"a{n}"), call("search", {"query": "x"}, f"b{n}")) for n in range(5)]
    agent, model = agent_of(*replies)
    assert run(agent, QUESTION)["structured_response"] == Verdict(passed=True, score=7)
    assert len(model.requests) == 2


def test_two_equal_answers_in_one_message_cost_no_call(run: Any) -> None:
    agent, model = agent_of(calls(call("Verdict", GOOD), call("Verdict", GOOD, "2")))
    result = run(agent, QUESTION)
    assert result["structured_response"] == Verdict(passed=True, score=7)
    assert len(model.requests) == 1
    assert every_call_is_answered(result["messages"])


def test_a_model_that_only_calls_tools_is_made_to_answer_with_its_last_call(run: Any) -> None:
    def reply(messages: Any) -> AIMessage:
        return calls(call("search", {"query": "x"}, str(len(messages))))

    model = ScriptedChatModel(replies=reply)
    result = run(create_agent(model, [search], response_format=Verdict), QUESTION, {"recursion_limit": 500})
    assert result["outcome"]["status"] == "out_of_budget"
    assert result["outcome"]["usage"]["model_calls"] == 50
    assert (model.requests[-1].tool_names, model.requests[-1].tool_choice) == (["search", "Verdict"], "Verdict")
    assert every_call_is_answered(result["messages"])


def test_a_malformed_answer_call_is_read_from_its_text(run: Any) -> None:
    bad = {"name": "Verdict", "args": 'Sure: {"passed": true, "score": 7}', "id": "1", "error": None, "type": "invalid_tool_call"}
    agent, model = agent_of(AIMessage("", invalid_tool_calls=[bad]))
    result = run(agent, QUESTION)
    assert result["structured_response"] == Verdict(passed=True, score=7)
    assert every_call_is_answered(result["messages"])
    assert len(model.requests) == 1


BAD_SPECS: list[tuple[str, dict[str, Any], str]] = [
    ("an empty model name", {"model": ""}, "is not a model"),
    ("a runnable that is no chat model", {"model": RunnableLambda(str)}, "is not a model"),
    ("an unknown provider", {"model": "nowhere:x"}, "cannot be used"),
    ("two tools of one name", {"tools": [search, tool("search", description="x")(lambda query: "other")]}, "Two tools"),
    ("a tool named like an answer", {"tools": [tool("Verdict", description="x")(lambda: "")]}, "Rename one of them"),
    ("an unsupported schema", {"response_format": "Verdict"}, "Unsupported schema type"),
    ("a JSON Schema that is none", {"response_format": {"type": "nonsense"}}, "not a valid JSON Schema"),
    ("an empty JSON Schema", {"response_format": {}}, "does not describe the answer"),
    ("a remote reference", {"response_format": {"$ref": "https://example.org/s.json"}}, "remote reference"),
    (
        "two schemas of one name",
        {"response_format": {"oneOf": [{"title": "A", "type": "object"}] * 2}},
        "different names",
    ),
    ("a function without types", {"tools": [lambda: 1]}, "cannot be made a tool"),
    ("an unknown end strategy", {"end_strategy": "never"}, "must be one of"),
    ("an unknown way to fail", {"on_failure": "explode"}, "must be one of"),
    ("a check with nothing to check", {"response_format": None, "check_answer": print}, "nothing to check"),
]


@pytest.mark.parametrize(("arguments", "words"), [row[1:] for row in BAD_SPECS], ids=[row[0] for row in BAD_SPECS])
def test_a_mistake_is_found_while_building(arguments: dict[str, Any], words: str) -> None:
    model = arguments.pop("model", ScriptedChatModel(replies=[]))
    with pytest.raises(AgentSpecError, match=words):
        create_agent(model, **{"response_format": Verdict, **arguments})
