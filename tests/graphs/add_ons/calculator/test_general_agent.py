"""The general agent: everything comes from the run's context."""

from typing import Any

import pytest

from answergraph import AgentSpecError
from answergraph.errors import ResponseFormatError
from answergraph.graphs.add_ons.calculator.general_agent import GeneralAgentContext, general_agent
from answergraph.graphs.served import calculator
from tests.openai_server import OpenAIServer, says
from tests.suite.colors import Run

SCHEMA: dict[str, Any] = {
    "title": "Sum",
    "type": "object",
    "properties": {"final_answer": {"type": "number"}, "reasoning": {"type": "string"}},
    "required": ["final_answer", "reasoning"],
}
QUESTION: dict[str, Any] = {"messages": ["3 + 4"]}


def test_without_a_context_the_offline_model_answers_in_a_text(run: Run) -> None:
    result = run(general_agent(), QUESTION)
    assert result["messages"][-1].text == "The result of 3 + 4 is 7."
    assert result["outcome"]["reason"] == "The run has no response format: its answer is the last message."


def test_a_response_format_ends_in_an_answer_of_its_shape(run: Run) -> None:
    result = run(general_agent(), QUESTION, context={"response_format": SCHEMA})
    assert result["structured_response"] == {"final_answer": 7, "reasoning": "3 + 4 = 7"}


def test_the_context_names_the_model_and_the_system_prompt(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer([says("Seven.")]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        name = f"openai:{run.color}"  # models are kept by name
        context = GeneralAgentContext(model=name, system_prompt="Be brief.")
        result = run(general_agent(), QUESTION, context=context)
    assert result["messages"][-1].text == "Seven."
    body = server.requests[0].body
    assert body["model"] == run.color
    assert [message["content"] for message in body["messages"]] == ["Be brief.", "3 + 4"]


@pytest.mark.parametrize(
    ("response_format", "why"),
    [({"type": "objekt"}, "objekt"), ({"title": {1}}, "set")],
    ids=["no JSON Schema", "no JSON"],
)
def test_the_error_for_a_bad_response_format_names_the_key_of_the_context(run: Run, response_format: Any, why: str) -> None:
    with pytest.raises(ResponseFormatError, match=f"The context's 'response_format' cannot be used: .*{why}"):
        run(general_agent(), QUESTION, context={"response_format": response_format})


@pytest.mark.parametrize(("model", "why"), [("nope", "'nope' cannot be used"), ("", "'' is not a model")])
def test_an_unknown_model_is_a_mistake_in_the_specification(run: Run, model: str, why: str) -> None:
    with pytest.raises(AgentSpecError, match=why):
        run(general_agent(), QUESTION, context={"model": model})


def test_factories_return_the_same_graph_for_every_request() -> None:
    assert calculator() is calculator()
    assert general_agent() is general_agent() is general_agent({"max_model_calls": 50, "model": "openai:small"})


@pytest.mark.parametrize(("strategy", "used"), [("auto", "provider"), ("tool", "tool"), ("provider", "provider")])
def test_the_context_says_how_the_model_is_asked(run: Run, strategy: str, used: str) -> None:
    result = run(general_agent(), QUESTION, context={"response_format": SCHEMA, "strategy": strategy})
    assert result["structured_response"] == {"final_answer": 7, "reasoning": "3 + 4 = 7"}
    assert result["outcome"]["strategy"] == used


def test_the_context_may_ask_in_words(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer([says('{"final_answer": 7, "reasoning": "counted"}')]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        context = {"model": f"openai:words-{run.color}", "response_format": SCHEMA, "strategy": "prompted"}
        result = run(general_agent(), QUESTION, context=context)
    assert result["structured_response"] == {"final_answer": 7, "reasoning": "counted"}
    assert result["outcome"]["strategy"] == "prompted"


def test_the_context_limits_the_calls_of_the_model(run: Run) -> None:
    context = {"response_format": SCHEMA, "max_model_calls": 2}
    result = run(general_agent(context), {"messages": ["1 + 2 + 3 + 4 + 5"]}, context=context)
    assert result["outcome"]["usage"]["model_calls"] <= 2


def test_the_context_limits_the_seconds_of_a_run(run: Run) -> None:
    context = {"response_format": SCHEMA, "max_seconds": 60}
    result = run(general_agent(context), QUESTION, context=context)
    assert (result["outcome"]["status"], result["outcome"]["limits"]["seconds"]) == ("answered", 60)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("strategy", "telepathy"),
        ("max_model_calls", 0),
        ("max_model_calls", 201),
        ("max_model_calls", "x"),
        ("max_seconds", 0),
        ("max_seconds", "x"),
    ],
)
def test_a_bad_field_of_the_context_is_named(run: Run, field: str, value: Any) -> None:
    context = {field: value}
    with pytest.raises(ValueError, match=field):
        run(general_agent(context), QUESTION, context=context)
