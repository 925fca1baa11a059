"""Schemas that a middleware leaves out are neither offered nor accepted."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from answergraph import ProviderStrategy, ToolStrategy, UsageLimits, create_agent
from answergraph.errors import ResponseFormatError
from answergraph.middleware import AgentMiddleware, ModelRequest, NarrowResponseFormat
from answergraph.testing import ScriptedChatModel
from tests.suite.tools import search


class Found(BaseModel):
    """Found it."""

    where: str


class Missing(BaseModel):
    """Not found."""

    tried: list[str]


class Undeclared(BaseModel):
    """Never declared."""

    x: int


class Other(BaseModel):
    """Something else."""

    what: str


FOUND = {"name": "Found", "args": {"where": "log"}, "id": "1", "type": "tool_call"}
MISSING = {"name": "Missing", "args": {"tried": ["grep"]}, "id": "2", "type": "tool_call"}
QUESTION: dict[str, Any] = {"messages": ["Where?"]}


class Override(AgentMiddleware[Any, Any, Any]):
    """Overrides the format with what it was given."""

    def __init__(self, response_format: Any) -> None:
        super().__init__()
        self.response_format = response_format

    def modify_model_request(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        return request.override(response_format=self.response_format)


def offered(model: ScriptedChatModel, call: int = 0) -> list[str]:
    return [tool["function"]["name"] for tool in model.requests[call].tools]


@pytest.mark.parametrize(
    "narrowing",
    [NarrowResponseFormat(lambda request: Missing), Override(Missing), Override(ToolStrategy(Missing))],
    ids=["NarrowResponseFormat", "a bare type", "a strategy"],
)
def test_a_left_out_schema_is_neither_offered_nor_accepted(run: Any, narrowing: Any) -> None:
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[FOUND]), AIMessage("", tool_calls=[MISSING])])
    agent = create_agent(model, response_format=ToolStrategy(Found | Missing), middleware=[narrowing])
    result = run(agent, QUESTION)
    assert offered(model) == ["Missing"]
    assert result["structured_response"] == Missing(tried=["grep"])
    assert "'Found' is not offered now; answer with one of ['Missing']" in result["messages"][2].text


def test_a_left_out_schema_is_not_accepted_from_a_text_either(run: Any) -> None:
    model = ScriptedChatModel(replies=[AIMessage('{"where": "log"}'), AIMessage("", tool_calls=[MISSING])])
    agent = create_agent(model, response_format=Found | Missing, middleware=[Override(Missing)])
    assert run(agent, QUESTION)["structured_response"] == Missing(tried=["grep"])


def test_the_choice_may_change_with_the_conversation(run: Any) -> None:
    def conclude_later(request: ModelRequest[Any]) -> Any:
        return [Missing] if len(request.messages) == 1 else None

    model = ScriptedChatModel(replies=[AIMessage("hm"), AIMessage("", tool_calls=[FOUND])])
    agent = create_agent(model, response_format=Found | Missing, middleware=[NarrowResponseFormat(conclude_later)])
    assert run(agent, QUESTION)["structured_response"] == Found(where="log")
    assert (offered(model, 0), offered(model, 1)) == (["Missing"], ["Found", "Missing"])


def test_narrowing_keeps_the_strategy_and_its_options(run: Any) -> None:
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[MISSING])])
    strategy = ToolStrategy(Found | Missing, tool_message_content="Noted.", tool_choice="auto")
    agent = create_agent(model, response_format=strategy, middleware=[NarrowResponseFormat(lambda request: Missing)])
    assert run(agent, QUESTION)["messages"][-1].text == "Noted."
    assert model.requests[0].tool_choice == "auto"


def test_narrowing_holds_across_an_interrupt_between_the_model_and_the_answer(run: Any) -> None:
    def agent(saver: InMemorySaver, model: ScriptedChatModel) -> Any:
        return create_agent(
            model,
            response_format=ToolStrategy(Found | Missing),
            middleware=[NarrowResponseFormat(lambda request: Missing)],
            checkpointer=saver,
            interrupt_before=["structured_response"],
        )

    saver = InMemorySaver()
    config = {"configurable": {"thread_id": "1"}}
    run(agent(saver, ScriptedChatModel(replies=[AIMessage("", tool_calls=[FOUND])])), QUESTION, config)
    # Another process: a new graph that knows the offer by what the state says of it.
    later = agent(saver, ScriptedChatModel(replies=[AIMessage("", tool_calls=[MISSING])]))
    state = run(later, None, config)
    assert state["structured_response"] is None
    assert "not offered now" in state["messages"][2].text


@pytest.mark.parametrize("response_format", [Found | Missing, ToolStrategy(Found), ProviderStrategy(Found), None])
@pytest.mark.parametrize("override", [Undeclared, ToolStrategy(Undeclared), ProviderStrategy(Undeclared)])
def test_a_schema_that_was_not_declared_is_refused_before_any_model_call(run: Any, response_format: Any, override: Any) -> None:
    model = ScriptedChatModel(replies=[])
    agent = create_agent(model, response_format=response_format, middleware=[Override(override)])
    with pytest.raises(ValueError, match=r"specifies tool 'Undeclared' which wasn't declared in the original response format"):
        run(agent, QUESTION)
    assert model.requests == []


@pytest.mark.parametrize(("chosen", "words"), [([], "to nothing"), (Undeclared, "wasn't declared"), ("Found", "Unsupported")])
def test_a_choice_of_nothing_or_of_the_undeclared_names_the_middleware(run: Any, chosen: Any, words: str) -> None:
    agent = create_agent(
        ScriptedChatModel(replies=[]), response_format=Found | Missing, middleware=[NarrowResponseFormat(lambda request: chosen)]
    )
    with pytest.raises(ValueError, match=f"{words}.*set by the middleware 'NarrowResponseFormat'"):
        run(agent, QUESTION)


def test_overridden_to_none_nothing_is_offered_and_a_text_is_still_checked(run: Any) -> None:
    model = ScriptedChatModel(replies=[AIMessage('{"tried": ["grep"]}')])
    agent = create_agent(model, response_format=Found | Missing, middleware=[Override(None)])
    result = run(agent, QUESTION)
    assert result["structured_response"] == Missing(tried=["grep"])
    assert model.requests[0].tools in ([], None, ())


class WrapOverride(AgentMiddleware[Any, Any, Any]):
    """Overrides the format around the call, with the format for each call of the handler."""

    def __init__(self, *response_formats: Any) -> None:
        super().__init__()
        self.response_formats = response_formats

    def wrap_model_call(self, request: ModelRequest[Any], handler: Any) -> Any:
        return [handler(request.override(response_format=each)) for each in self.response_formats][-1]

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Any) -> Any:
        return [await handler(request.override(response_format=each)) for each in self.response_formats][-1]


def narrowed(run: Any, *middleware: Any, replies: Any = ()) -> tuple[list[Any], Any]:
    model = ScriptedChatModel(replies=list(replies or [AIMessage("", tool_calls=[MISSING])]))
    declared = ToolStrategy(Found | Missing | Other)
    result = run(create_agent(model, response_format=declared, middleware=list(middleware)), QUESTION)
    return [(n["middleware"], n["from"], n["to"]) for n in result["outcome"]["narrowed"]], model


ALL = ["Found", "Missing", "Other"]


@pytest.mark.parametrize("middleware", [Override, WrapOverride])
def test_the_outcome_names_what_narrowed_the_format(run: Any, middleware: Any) -> None:
    twice = [AIMessage("", tool_calls=[FOUND]), AIMessage("", tool_calls=[MISSING])]
    assert narrowed(run, middleware(Missing), replies=twice)[0] == [(middleware.__name__, ALL, ["Missing"])]


def test_each_middleware_narrows_what_the_ones_around_it_have_left(run: Any) -> None:
    outer = NarrowResponseFormat(lambda _: Found | Missing)
    inner = NarrowResponseFormat(lambda _: Missing | Other, name="inner")
    narrowings, model = narrowed(run, outer, inner)
    assert narrowings == [("NarrowResponseFormat", ALL, ["Found", "Missing"]), ("inner", ["Found", "Missing"], ["Missing"])]
    assert offered(model) == ["Missing"]


def test_a_change_of_strategy_alone_narrows_nothing(run: Any) -> None:
    assert narrowed(run, Override(ToolStrategy(Found | Missing | Other, tool_choice="auto")))[0] == []


def test_only_the_call_that_counts_is_recorded_where_a_hook_calls_twice(run: Any) -> None:
    narrowings, _ = narrowed(run, WrapOverride(Found, Missing), replies=[AIMessage(""), AIMessage("", tool_calls=[MISSING])])
    assert narrowings == [("WrapOverride", ALL, ["Missing"])]


def test_a_format_set_to_none_is_recorded_as_narrowed_to_nothing(run: Any) -> None:
    assert narrowed(run, Override(None), replies=['{"tried": []}'])[0] == [("Override", ALL, [])]


NO_SCHEMAS: Any = ()


@pytest.mark.parametrize("middleware", [Override, WrapOverride])
@pytest.mark.parametrize(
    ("override", "words"),
    [(Undeclared, "'Undeclared'"), (ToolStrategy(NO_SCHEMAS), "to nothing"), (3, "Unsupported schema type: 3")],
)
def test_an_override_that_cannot_be_used_names_the_schema_and_the_middleware(
    run: Any, middleware: Any, override: Any, words: str
) -> None:
    model, saver, config = ScriptedChatModel(replies=[]), InMemorySaver(), {"configurable": {"thread_id": "1"}}
    options: dict[str, Any] = {"response_format": Found | Missing, "checkpointer": saver}
    agent = create_agent(model, middleware=[NarrowResponseFormat(lambda _: None), middleware(override)], **options)
    with pytest.raises(ResponseFormatError, match=f"{words}.*set by the middleware '{middleware.__name__}'"):
        run(agent, QUESTION, config)
    assert model.requests == []
    later = create_agent(ScriptedChatModel(replies=[AIMessage("", tool_calls=[FOUND])]), **options)
    assert run(later, None, config)["structured_response"] == Found(where="log")


@pytest.mark.parametrize(
    ("choose", "tools", "choice"),
    [
        (lambda _: Missing, [], "Missing"),
        (lambda _: Missing, [search], "any"),
        (lambda _: Found | Missing, [], "any"),
        (lambda _: None, [], "any"),
    ],
)
def test_one_schema_left_and_no_tools_is_forced_by_name(run: Any, choose: Any, tools: Any, choice: str) -> None:
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[MISSING])])
    middleware = [NarrowResponseFormat(choose)]
    run(create_agent(model, tools, response_format=ToolStrategy(Found | Missing), middleware=middleware), QUESTION)
    assert model.requests[0].tool_choice == choice


def test_the_reserved_answer_is_forced_by_name_too(run: Any) -> None:
    again = AIMessage("", tool_calls=[{"name": "search", "args": {"query": "q"}, "id": "9", "type": "tool_call"}])
    model = ScriptedChatModel(replies=[again, AIMessage("", tool_calls=[MISSING])])
    options: dict[str, Any] = {"middleware": [NarrowResponseFormat(lambda _: Missing)], "limits": UsageLimits(model_calls=2)}
    result = run(create_agent(model, [search], response_format=Found | Missing, **options), QUESTION)
    assert [request.tool_choice for request in model.requests] == ["any", "Missing"]
    assert result["structured_response"] == Missing(tried=["grep"])
