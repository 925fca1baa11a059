"""How each strategy asks: what the model is sent, by what is declared, and what a wrong answer is told."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from answergraph import (
    AgentSpecError,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    create_agent,
)
from answergraph.errors import StructuredOutputError
from answergraph.testing import ScriptedChatModel, ScriptedRequest
from tests.suite.colors import Run
from tests.suite.verdicts import Verdict


class Unsure(BaseModel):
    missing: list[str]


def search(query: str) -> str:
    """Search the logs."""
    return f"found {query}"


ASKED: dict[str, Any] = {"messages": ["Did it pass?"]}
RIGHT = '{"passed": true}'


def call(name: str, **args: object) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call_{name}"}])


def requests(run: Run, strategy: Any, *replies: Any, tools: Any = (search,)) -> list[ScriptedRequest]:
    model = ScriptedChatModel(replies=list(replies))
    run(create_agent(model, list(tools), response_format=strategy), ASKED)
    return list(model.requests)


def last_words(request: ScriptedRequest) -> str:
    return request.messages[-1].text


def test_a_tool_strategy_offers_an_answer_tool_for_each_type_after_the_users_and_forces_a_call(run: Run) -> None:
    (request,) = requests(run, ToolStrategy(Verdict | Unsure), call("Verdict", passed=True))
    assert (request.tool_names, request.tool_choice) == (["search", "Verdict", "Unsure"], "any")
    assert last_words(request) == "Did it pass?"


def test_a_tool_strategy_may_leave_the_choice_to_the_model(run: Run) -> None:
    (request,) = requests(run, ToolStrategy(Verdict, tool_choice="auto"), call("Verdict", passed=True))
    assert request.tool_choice == "auto"


def test_a_provider_strategy_sends_the_schema_as_the_response_format_beside_the_users_tools(run: Run) -> None:
    (request,) = requests(run, ProviderStrategy(Verdict), RIGHT)
    sent = request.kwargs["response_format"]
    assert (request.tool_names, sent["type"], sent["json_schema"]["name"]) == (["search"], "json_schema", "Verdict")
    assert sent["json_schema"]["schema"]["properties"]["passed"] == {"type": "boolean"}


def test_a_provider_strategy_puts_several_types_into_one_envelope_by_name(run: Run) -> None:
    (request,) = requests(run, ProviderStrategy(Verdict | Unsure), '{"schema": "Unsure", "value": {"missing": ["log"]}}')
    assert request.kwargs["response_format"]["json_schema"]["name"] == "Verdict_or_Unsure"


def test_a_prompted_strategy_ends_the_prompt_of_the_call_with_an_example_and_stores_nothing(run: Run) -> None:
    model = ScriptedChatModel(replies=[RIGHT])
    result: dict[str, Any] = run(create_agent(model, [search], response_format=PromptedStrategy(Verdict)), ASKED)
    assert '{"passed": "<' in last_words(model.requests[0])
    assert "response_format" not in model.requests[0].kwargs
    assert [message.text for message in result["messages"]] == ["Did it pass?", RIGHT]


def test_a_prompted_strategy_may_show_the_schema_and_set_the_providers_json_mode(run: Run) -> None:
    (request,) = requests(run, PromptedStrategy(Verdict, json_mode=True, show="schema"), RIGHT)
    assert '"passed": {"title": "Passed", "type": "boolean"}' in last_words(request)
    assert request.kwargs["response_format"] == {"type": "json_object"}


def test_a_deferred_strategy_binds_nothing_until_the_tools_are_done(run: Run) -> None:
    first, second, last = requests(
        run, DeferredStrategy(ToolStrategy(Verdict)), call("search", query="log"), "It did.", call("Verdict", passed=True)
    )
    assert [request.tool_names for request in (first, second)] == [["search"], ["search"]]
    assert (first.tool_choice, last.tool_choice) == (None, "Verdict")
    assert "Verdict" in last.tool_names


def test_a_deferred_strategy_takes_a_last_text_that_already_is_the_answer(run: Run) -> None:
    assert len(requests(run, DeferredStrategy(ToolStrategy(Verdict)), call("search", query="log"), RIGHT)) == 2


def test_a_fallback_strategy_asks_in_the_next_way_when_the_first_one_is_ignored(run: Run) -> None:
    first, second = requests(run, FallbackStrategy([ToolStrategy(Verdict), PromptedStrategy(Verdict)]), "It did.", RIGHT)
    assert ("Verdict" in first.tool_names, "Verdict" in second.tool_names) == (True, False)
    assert '{"passed": "<' in last_words(second)


@pytest.mark.parametrize(
    ("strategies", "message"),
    [
        ([], r"write FallbackStrategy\(\[ToolStrategy\(YourType\), …\]\)"),
        (ToolStrategy(Verdict), r"takes a list; write FallbackStrategy\(\[ToolStrategy\(…\), …\]\)"),
        ([ToolStrategy(Verdict), PromptedStrategy(Unsure)], "ask for the same schemas"),
    ],
)
def test_strategies_that_are_no_list_of_one_type_are_refused(strategies: Any, message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        FallbackStrategy(strategies)


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy, PromptedStrategy])
@pytest.mark.parametrize(
    ("handle_errors", "told"),
    [
        ("Look again.", "Look again."),
        (lambda error: f"{type(error).__name__}!", "!"),
        (StructuredOutputError, "passed"),
        (True, "passed"),
    ],
    ids=["a text", "a function", "an exception", "the default"],
)
def test_a_wrong_answer_is_told_what_handle_errors_says(run: Run, strategy: Any, handle_errors: Any, told: str) -> None:
    wrong = call("Verdict", passed="perhaps") if strategy is ToolStrategy else '{"passed": "perhaps"}'
    right = call("Verdict", passed=True) if strategy is ToolStrategy else RIGHT
    _, second = requests(run, strategy(Verdict, handle_errors=handle_errors), wrong, right)
    assert any(told in message.text for message in second.messages[2:])


def test_a_narrowed_strategy_asks_for_fewer_types_and_is_the_same_object_each_time() -> None:
    strategy: Any = ToolStrategy(Verdict | Unsure)
    narrowed = strategy.narrowed(["Unsure"])
    assert (narrowed.schema_names, strategy.schema_names) == (["Unsure"], ["Verdict", "Unsure"])
    assert narrowed is strategy.narrowed({"Unsure"})
    assert strategy.narrowed(["Verdict", "Unsure"]) is strategy
