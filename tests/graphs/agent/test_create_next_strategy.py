"""If a provider refuses a strategy, or a model ignores it, the next strategy asks."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from answergraph import (
    AgentSpecError,
    AnswerRejected,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    create_agent,
)
from answergraph.models import known_refusals
from answergraph.testing import ScriptedChatModel
from tests.openai_server import (
    Failure,
    OpenAIServer,
    ToolCall,
    calls,
    rejects_any,
    rejects_json_schema,
    rejects_response_format,
    rejects_tool_choice_required,
    says,
)
from tests.suite.tools import search
from tests.suite.verdicts import Verdict

SEARCH = {"name": "search", "args": {"query": "q"}, "id": "1", "type": "tool_call"}
VERDICT = {"name": "Verdict", "args": {"passed": True}, "id": "2", "type": "tool_call"}
QUESTION: dict[str, Any] = {"messages": ["Did it pass?"]}


def scripted(*replies: Any, **fields: Any) -> ScriptedChatModel:
    return ScriptedChatModel(replies=list(replies), **fields)


def on_the_wire(server: OpenAIServer) -> list[tuple[Any, Any]]:
    formats = [(body.body.get("response_format") or {}).get("type") for body in server.requests]
    return list(zip([body.body.get("tool_choice") for body in server.requests], formats, strict=True))


@pytest.mark.parametrize(
    ("behave", "reply", "asked", "rung"),
    [
        (
            rejects_response_format,
            calls(ToolCall("Verdict", {"passed": True})),
            [(None, "json_schema"), ("required", None)],
            "tool",
        ),
        (
            rejects_any(rejects_response_format, rejects_tool_choice_required),
            calls(ToolCall("Verdict", {"passed": True})),
            [(None, "json_schema"), ("required", None), ("auto", None)],
            "free_tool",
        ),
    ],
    ids=["no response format", "nor a forced call"],
)
def test_a_refused_request_is_made_on_the_next_rung_at_once_and_is_not_an_attempt(
    run: Any, behave: Any, reply: Any, asked: Any, rung: str
) -> None:
    with OpenAIServer([reply, reply], behave=behave) as server:
        model = ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)
        agent = create_agent(model, [search], response_format=Verdict)
        outcome = run(agent, QUESTION)["outcome"]
        assert on_the_wire(server) == asked
        assert (outcome["status"], outcome["strategy"], len(outcome["attempts"])) == ("answered", rung, 1)
        # What was learned is remembered: the second run asks once.
        run(agent, QUESTION)
        assert len(server.requests) == len(asked) + 1
        assert {refusal.strategy for refusal in known_refusals()} == {"provider", "tool"} - (
            {"tool"} if rung == "tool" else set()
        )


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500])
def test_other_errors_are_raised_as_they_are_and_teach_nothing(run: Any, status: int) -> None:
    with OpenAIServer([Failure(status, message="about tool_choice")]) as server:
        model = ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)
        with pytest.raises(Exception, match="about tool_choice"):
            run(create_agent(model, [search], response_format=Verdict), QUESTION)
        assert len(server.requests) == 1
    assert known_refusals() == []


def test_an_explicit_strategy_stays_what_it_is(run: Any) -> None:
    with OpenAIServer([says("x")], behave=rejects_tool_choice_required) as server:
        model = ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)
        with pytest.raises(Exception, match="tool_choice"):
            run(create_agent(model, [search], response_format=ToolStrategy(Verdict)), QUESTION)
        assert len(server.requests) == 1


def test_a_provider_with_json_mode_only_is_asked_for_a_json_object(run: Any) -> None:
    fallback = FallbackStrategy([ProviderStrategy(Verdict), PromptedStrategy(Verdict, json_mode=True)])
    with OpenAIServer([says('{"passed": true}')], behave=rejects_json_schema) as server:
        model = ChatOpenAI(model="deepseek-chat", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)
        result = run(create_agent(model, response_format=fallback), QUESTION)
        assert [format for _, format in on_the_wire(server)] == ["json_schema", "json_object"]
        assert "valid JSON object like this one" in server.requests[1].body["messages"][-1]["content"]
    assert result["structured_response"] == Verdict(passed=True)


def test_a_model_that_ignores_every_constraint_is_asked_in_each_way_and_then_given_up(run: Any) -> None:
    model = scripted("no", "no", "no", "no")
    result = run(create_agent(model, [search], response_format=Verdict), QUESTION)
    assert [attempt["strategy"] for attempt in result["outcome"]["attempts"]] == ["tool", "free_tool", "json_mode", "prompted"]
    assert result["outcome"]["status"] == "unanswered"
    assert [request.tool_choice for request in model.requests[:2]] == ["any", "auto"]


@pytest.mark.parametrize(
    "refusal",
    [TypeError("bind_tools() got an unexpected keyword argument 'x'"), ValueError("response_format needs another API version")],
    ids=["an unknown keyword", "a mode the client does not take"],
)
def test_what_the_client_itself_does_not_take_steps_down(run: Any, refusal: Exception) -> None:
    class Strict(ScriptedChatModel):
        def bind_tools(self, tools: Any, *, tool_choice: Any = None, **kwargs: Any) -> Any:
            if kwargs:
                raise refusal
            return super().bind_tools(tools, tool_choice=tool_choice)

    model = Strict(replies=[AIMessage("", tool_calls=[VERDICT])], profile={"structured_output": True})
    assert run(create_agent(model, [search], response_format=Verdict), QUESTION)["outcome"]["strategy"] == "tool"


def test_thinking_with_a_budget_is_not_combined_with_a_forced_call(run: Any) -> None:
    class Thinking(ScriptedChatModel):
        thinking: Any

    model = Thinking(replies=[AIMessage("", tool_calls=[VERDICT])], thinking={"type": "enabled", "budget_tokens": 1024})
    run(create_agent(model, [search], response_format=Verdict), QUESTION)
    assert model.requests[0].tool_choice == "auto"


EXAMPLE = """When you need no further tool, answer with ONLY a valid JSON object like this one, your values in place of <...>:
{"passed": "<true or false>"}"""
IMPORTANT = "---\nIMPORTANT: When you need no further tool, you MUST respond with ONLY a valid JSON object matching this schema."


@pytest.mark.parametrize(("show", "words"), [("example", EXAMPLE), ("schema", IMPORTANT)])
def test_prompted_ends_the_prompt_with_its_words_and_leaves_no_trace_in_the_history(run: Any, show: Any, words: str) -> None:
    model = scripted(AIMessage("", tool_calls=[SEARCH]), '{"passed": true}')
    result = run(create_agent(model, [search], response_format=PromptedStrategy(Verdict, show=show)), QUESTION)
    assert result["structured_response"] == Verdict(passed=True)
    assert [m.type for m in result["messages"]] == ["human", "ai", "tool", "ai"]
    assert result["messages"][0].text == "Did it pass?"
    first, second = (request.messages[-1].text for request in model.requests)
    assert first.startswith(f"Did it pass?\n\n{words}")
    assert second.startswith(words)
    assert '"passed"' in second
    assert model.requests[0].tool_names == ["search"]


def test_prompted_corrects_with_a_user_message(run: Any) -> None:
    model = scripted('{"passed": 7}', '{"passed": true}')
    result = run(create_agent(model, response_format=PromptedStrategy(Verdict)), QUESTION)
    assert result["structured_response"] == Verdict(passed=True)
    assert [m.type for m in result["messages"]] == ["human", "ai", "human", "ai"]


@pytest.mark.parametrize("last", [AIMessage("", tool_calls=[VERDICT])])
def test_deferred_binds_nothing_but_the_tools_until_the_final_step(run: Any, last: AIMessage) -> None:
    model = scripted(AIMessage("", tool_calls=[SEARCH]), "I found it.", last)
    result = run(create_agent(model, [search], response_format=DeferredStrategy(ToolStrategy(Verdict))), QUESTION)
    assert [request.tool_names for request in model.requests] == [["search"], ["search"], ["search", "Verdict"]]
    assert [request.tool_choice for request in model.requests] == [None, None, "Verdict"]
    assert model.requests[-1].messages[-1].type == "human"
    assert result["structured_response"] == Verdict(passed=True)
    assert [attempt["strategy"] for attempt in result["outcome"]["attempts"]] == ["tool"]


def test_deferred_skips_the_final_step_when_the_last_text_already_parses(run: Any) -> None:
    model = scripted('Well: {"passed": true}')
    result = run(create_agent(model, [search], response_format=DeferredStrategy(Verdict)), QUESTION)
    assert (result["structured_response"], len(model.requests)) == (Verdict(passed=True), 1)


@pytest.mark.parametrize("strategies", [[], [ToolStrategy(Verdict), ToolStrategy({"title": "Other", "type": "object"})]])
def test_a_ladder_without_rungs_or_with_different_schemas_is_refused(strategies: Any) -> None:
    with pytest.raises(AgentSpecError):
        FallbackStrategy(strategies)


def test_the_next_rung_does_not_call_for_an_answer_where_a_check_asks_for_a_tool_first(run: Any) -> None:
    def searched(answer: Any, state: Any, runtime: Any) -> None:
        if not any(message.type == "tool" and message.name == "search" for message in state["messages"]):
            raise AnswerRejected("First call search.")

    replies = ['{"passed": true}', '{"passed": true}', AIMessage("", tool_calls=[SEARCH]), '{"passed": true}']
    ladder = FallbackStrategy([ProviderStrategy(Verdict), PromptedStrategy(Verdict)])
    agent = create_agent(scripted(*replies), [search], response_format=ladder, check_answer=searched)
    result = run(agent, QUESTION)
    asked = [message.text for message in result["messages"] if message.type == "human"][1:]
    form = "When you give your answer, give it in the form you are asked for."
    assert asked == ["First call search.", f"First call search.\n{form}"]
    assert (result["outcome"]["status"], result["outcome"]["strategy"]) == ("answered", "prompted")
