"""Calls that a provider ran itself are tool runs; tools that transform what they are given support no text."""

import json
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import AgentSpecError, Grounded, ToolStrategy, create_agent
from answergraph.evidence import BUNDLE_KEYS, answer_bundle, verify_bundle
from answergraph.middleware import GroundedAnswer, RequireTools
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run
from tests.suite.verdicts import Finding

WORDS = "the disk of db-7 is full"
SEARCH = {"type": "web_search"}
"""A tool that the provider runs."""


class Count(BaseModel):
    """A number and a name."""

    count: Annotated[int, Grounded()]
    host: Annotated[str | None, Grounded(min_items=0)] = None


def openai(*blocks: dict[str, Any]) -> AIMessage:
    return AIMessage([*blocks], response_metadata={"model_provider": "openai"}, id="reply")


def anthropic(*blocks: dict[str, Any]) -> AIMessage:
    return AIMessage([*blocks], response_metadata={"model_provider": "anthropic"}, id="reply")


def answering(value: BaseModel) -> list[AIMessage]:
    call = {"name": type(value).__name__, "args": value.model_dump(), "type": "tool_call"}
    return [AIMessage("", tool_calls=[{**call, "id": call_id}]) for call_id in ("8", "9")]


def asked(run: Run, value: BaseModel, *replies: AIMessage, tools: Any = (SEARCH,), **options: Any) -> Any:
    middleware = options.pop("middleware", None) or [GroundedAnswer(**options)]
    model = ScriptedChatModel(replies=[*replies, *answering(value)])
    agent = create_agent(model, [*tools], response_format=ToolStrategy(type(value)), middleware=middleware)
    return run(agent, {"messages": ["q"]}, output_keys=BUNDLE_KEYS)


def with_answer(reply: AIMessage, value: BaseModel) -> AIMessage:
    """Return a reply that its provider's tools worked for, with an answer at its end."""
    return reply.model_copy(update={"tool_calls": answering(value)[0].tool_calls})


def remote(words: str, **more: Any) -> AIMessage:
    call = {
        "type": "mcp_call",
        "id": "m1",
        "name": "look",
        "server_label": "it",
        "arguments": '{"host": "db-7"}',
        "output": words,
    }
    return openai({**call, **more})


def fetched(content: dict[str, Any]) -> AIMessage:
    call = {"type": "server_tool_use", "id": "w1", "name": "web_fetch", "input": {"url": "https://example.org/disks"}}
    return anthropic(call, {"type": "web_fetch_tool_result", "tool_use_id": "w1", "content": content})


DOCUMENT = {
    "type": "document",
    "title": "Disks",
    "source": {"type": "text", "media_type": "text/plain", "data": f"Today {WORDS}."},
}
PAGE = {"type": "web_fetch_result", "url": "https://example.org/disks", "content": DOCUMENT}


@pytest.mark.parametrize(
    ("reply", "source"),
    [
        (remote(f"Today {WORDS}."), {"id": "m1", "name": "look"}),
        (fetched(PAGE), {"id": "w1", "name": "web_fetch", "title": "Disks", "url": "https://example.org/disks"}),
    ],
    ids=["a remote tool", "a page"],
)
def test_what_a_tool_of_the_provider_returned_is_evidence_under_its_name(run: Run, reply: AIMessage, source: Any) -> None:
    finding = Finding(quote=WORDS)
    result = asked(run, finding, with_answer(reply, finding), sources=[source["name"]])
    [evidence] = result["outcome"]["fields"]["quote"]["evidence"]
    assert (evidence["unit"], evidence["source"]) == (f"Today {WORDS}.", {"kind": "tool", **source})
    saved = json.loads(json.dumps(answer_bundle(result)))
    assert [verdict.holds for verdict in verify_bundle(saved)] == [True]


@pytest.mark.parametrize(
    "reply",
    [
        remote(f"Noted: {WORDS}", arguments=json.dumps({"note": WORDS})),
        remote(WORDS, error="the server is down"),
        remote(WORDS, arguments=f"Note that {WORDS}"),
        openai({"type": "file_search_call", "id": "f1", "queries": [], "status": "incomplete", "results": [{"text": WORDS}]}),
        openai({"type": "code_interpreter_call", "id": "c1", "code": "…", "outputs": [{"type": "logs", "logs": WORDS}]}),
        fetched({"type": "web_fetch_tool_result_error", "error_code": "unavailable", "content": DOCUMENT}),
        anthropic({"type": "server_tool_use", "id": "w1", "name": "web_fetch", "input": {"url": WORDS}}),
    ],
    ids=["its arguments", "an error", "arguments that are no JSON", "not ended", "printed by code", "a failed page", "no result"],
)
def test_what_the_provider_only_repeats_computes_or_failed_to_get_supports_no_quote(run: Run, reply: AIMessage) -> None:
    finding = Finding(quote=WORDS)
    assert asked(run, finding, with_answer(reply, finding))["outcome"]["status"] == "invalid"


def test_code_that_the_provider_ran_supports_numbers_and_no_names(run: Run) -> None:
    logs = [{"type": "logs", "logs": "db-7 has 4711 files"}]
    block = {"type": "code_interpreter_call", "id": "c1", "code": "…", "status": "completed", "outputs": logs}
    fields = asked(run, Count(count=4711, host="db-7"), with_answer(openai(block), Count(count=4711)))["outcome"]["fields"]
    assert {path: record["status"] for path, record in fields.items()} == {"count": "supported"}
    wrong = with_answer(openai(block), Count(count=4711, host="db-7"))
    attempts = asked(run, Count(count=4711), wrong)["outcome"]["attempts"]
    assert [list(attempt["fields"]) for attempt in attempts] == [["host"], []]


def test_a_result_that_came_after_a_pause_belongs_to_its_call(run: Run) -> None:
    blocks: list[Any] = [*fetched(PAGE).content]
    paused = anthropic(blocks[0]).model_copy(update={"id": "first", "response_metadata": {"stop_reason": "pause_turn"}})
    paused.response_metadata["model_provider"] = "anthropic"
    finding = Finding(quote=WORDS)
    outcome = asked(run, finding, paused, with_answer(anthropic(blocks[1]), finding))["outcome"]
    assert outcome["fields"]["quote"]["evidence"][0]["source"]["name"] == "web_fetch"


def test_a_call_that_the_provider_ran_is_one_that_may_be_required(run: Run) -> None:
    searched = openai({"type": "web_search_call", "id": "s1", "status": "completed", "action": {"type": "search", "query": "q"}})
    count = Count(count=7)
    for reply, statuses in ((searched, ["answered"]), (openai(), ["invalid", "invalid"])):
        outcome = asked(run, count, with_answer(reply, count), middleware=[RequireTools("web_search"), Unchecked()])["outcome"]
        assert [attempt["status"] for attempt in outcome["attempts"]] == statuses


class Unchecked(GroundedAnswer):
    """Accepts everything."""

    def check_answer(self, answer: Any, state: Any, runtime: Any) -> Any:
        return None


@tool
def render(template: str, name: str) -> str:
    """Fill a template."""
    return template.replace("%", name) + " in 4711 ms"


def calling_render(value: BaseModel) -> list[AIMessage]:
    call = {"name": "render", "args": {"template": "the % of db-7 is full", "name": "disk"}, "id": "1", "type": "tool_call"}
    return [AIMessage("", tool_calls=[call]), *answering(value)]


def test_a_tool_that_transforms_what_it_is_given_supports_numbers_and_no_text(run: Run) -> None:
    made: list[tuple[BaseModel, str]] = [(Finding(quote=WORDS), "invalid"), (Count(count=4711, host="disk"), "invalid")]
    for value, status in [*made, (Count(count=4711), "answered")]:
        marks = GroundedAnswer(computes=render)
        result = asked(run, value, calling_render(value)[0], tools=[render], middleware=[marks])
        assert result["outcome"]["status"] == status
        if status == "answered":
            assert [verdict.holds for verdict in verify_bundle(answer_bundle(result))] == [True]


@pytest.mark.parametrize("named", ["rendr", ["render", "rendr"]], ids=str)
def test_a_tool_that_computes_is_one_of_the_agent(named: Any) -> None:
    model, middleware = ScriptedChatModel(replies=[]), [GroundedAnswer(computes=named)]
    with pytest.raises(AgentSpecError, match="there is no tool 'rendr'"):
        create_agent(model, [render], response_format=ToolStrategy(Finding), middleware=middleware)
