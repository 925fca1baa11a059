"""Programs with less common arguments, hooks and tools; and programs with intended differences, each with its reason."""

from typing import Any

from langchain.agents.middleware import (
    ModelCallLimitMiddleware,
    ModelResponse,
    PIIMiddleware,
    after_model,
    before_model,
)
from langchain.agents.structured_output import AutoStrategy, ProviderStrategy, StructuredOutputError, ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from tests.graphs.agent.langchain_programs import (
    BAD,
    GOOD,
    QUESTION,
    RECORD,
    Contact,
    Event,
    Place,
    Program,
    Route,
    call,
    decision,
    program,
    said,
    stop,
)
from tests.graphs.agent.moving_over.parts import (
    Answering,
    Written,
    approving,
    ask,
    attach,
    boom,
    delegating,
    every_hook,
    in_place_of_the_model,
    keys,
    look,
    noting,
    on_model,
    overriding,
    plus,
    scripted,
    until_it_parses,
    what_it_is_asked,
    with_a_message,
    with_a_note,
)
from tests.suite.tools import search

ADA = '{"name": "Ada", "age": 36}'
AS_TOOL = ToolStrategy(Contact)
AS_JSON = ProviderStrategy(Contact)
ASKS = said(call("search", query="q"))
EITHER: Any = Contact | Event
TITLE = call("Event", "7", title="t")
TWO_CALLS = said(call("search", query="a"), call("search", "2", query="b"))
PENDING = {"messages": [HumanMessage("a"), said(call("search", query="q"))]}
EMAIL = {"messages": [HumanMessage("Write to ada@example.org")]}
BOTH = {"decisions": [{"type": "approve"}, {"type": "reject", "message": "no"}]}

MORE_SAME: dict[str, Program] = {
    "provider strategy, dataclass": program('{"city": "Bern"}', response_format=ProviderStrategy(Place)),
    "provider strategy, typed dict": program('{"to": "x"}', response_format=ProviderStrategy(Route)),
    "provider strategy, json schema": program('{"n": 1}', response_format=ProviderStrategy(RECORD)),
    "provider strategy, strict": program(ADA, response_format=ProviderStrategy(Contact, strict=True)),
    "a bare dataclass": program(said(call("Place", city="Bern")), response_format=Place),
    "a bare json schema": program(said(call("Record", n=1)), response_format=RECORD),
    "auto strategy, union": program(said(TITLE), response_format=AutoStrategy(EITHER)),
    "auto strategy, a model with the mode": program(
        ADA, response_format=AutoStrategy(Contact), profile={"structured_output": True}
    ),
    "handle_errors=base class": program(
        said(BAD), said(GOOD), response_format=ToolStrategy(Contact, handle_errors=StructuredOutputError)
    ),
    "several turns with answers": program(*[said(GOOD)] * 3, inputs=(QUESTION,) * 3, response_format=AS_TOOL),
    "a function for a tool": program(said(call("plus", a=1)), "done", tools=[plus]),
    "a tool that fails": program(said(call("boom", text="x")), tools=[boom]),
    "a tool with injected state": program(said(call("look", text="x")), "done", tools=[look]),
    "a tool with a message of its own": program(said(call("attach", text="x")), "done", tools=[attach]),
    "a tool that asks a person": program(
        said(call("ask", text="x")), said(GOOD), tools=[ask], inputs=(QUESTION, Command(resume="y")), response_format=AS_TOOL
    ),
    "one direct tool of two": program(said(call("stop"), call("search", "2", query="q")), "done", tools=[stop, search]),
    "a tool of the provider's": program("done", tools=[{"type": "web_search"}, search]),
    "a stop before the tools": program(
        ASKS, said(GOOD), inputs=(QUESTION, None), interrupt_before=["tools"], response_format=AS_TOOL
    ),
    "a stop after the model": program(ASKS, "done", inputs=(QUESTION, None, None), interrupt_after=["model"]),
    "every hook": program(ASKS, "done", middleware=every_hook(), state_schema=Written),
    "every hook, an answer in json": program(ASKS, ADA, middleware=every_hook(), state_schema=Written, response_format=AS_JSON),
    "a hook that goes back to the model": program(
        "one", "two", middleware=[noting(after_model, "again", jump="model", once=True)], state_schema=Written
    ),
    "a hook that goes on to the tools": program(
        "done", middleware=[noting(before_model, "on", jump="tools", once=True, messages=[ASKS])], state_schema=Written
    ),
    "a hook that ends the run after the model": program(
        ASKS, middleware=[noting(after_model, "end", jump="end", messages=[AIMessage("bye")])], state_schema=Written
    ),
    "settings of a call": program(said(GOOD), middleware=[overriding(model_settings={"stop": ["x"]})], response_format=AS_TOOL),
    "the tools of a call": program("done", middleware=[overriding(tools=[], system_message=SystemMessage("s"))]),
    "the format of a call": program(ADA, middleware=[overriding(response_format=AS_JSON)], response_format=AS_TOOL),
    "a reply in the model's place": program(middleware=[in_place_of_the_model(AIMessage("short"))]),
    "an answer in the model's place": program(
        middleware=[in_place_of_the_model(ModelResponse([AIMessage("a")], structured_response=Contact(name="B", age=2)))],
        response_format=AS_TOOL,
    ),
    "a wrapper that tries until it parses": program("x", ADA, middleware=[Answering(until_it_parses)], response_format=AS_JSON),
    "a wrapper with a command": program("done", middleware=[Answering(with_a_note)], state_schema=Written),
    "a wrapper that adds a message to an answer": program(
        said(GOOD), middleware=[Answering(with_a_message)], response_format=AS_TOOL
    ),
    "a wrapper that reads the schema of a format": program(
        said(GOOD), middleware=[Answering(what_it_is_asked)], response_format=Contact, state_schema=Written
    ),
    "a limit that ends the run before an answer": program(
        ASKS, middleware=[ModelCallLimitMiddleware(run_limit=1)], response_format=AS_JSON
    ),
    "two decisions": program(TWO_CALLS, "done", inputs=(QUESTION, Command(resume=BOTH)), middleware=approving("search")),
    "no messages": program("done", inputs=({"messages": []},)),
    "a model with settings": on_model(lambda: scripted("done").bind(stop=["x"])),
    "a model with tags": on_model(lambda: scripted("done").with_config(tags=["x"])),
    "a model with fallbacks": on_model(lambda: scripted(ConnectionError("down")).with_fallbacks([scripted("done")])),
    "a subagent that hands its state over and back": Program(delegating),
}
"""Programs with the same results, in addition to those of ``langchain_programs``."""

INTENDED_DIFFERENCES: dict[str, tuple[str, Program]] = {
    "a tool that names the state's keys": (
        "a tool that lists the state's keys sees the graph's own as well",
        program(said(call("keys")), "done", tools=[keys], store=InMemoryStore()),
    ),
    "a text in the model's place, no answer": (
        "a run never returns None without a reason",
        program(middleware=[in_place_of_the_model(AIMessage("short"))], response_format=AS_JSON),
    ),
    "an answer left out by narrowing": (
        "what was not offered is not accepted",
        program(
            said(GOOD),
            said(TITLE),
            middleware=[overriding(response_format=ToolStrategy(Event))],
            response_format=ToolStrategy(Contact | Event),
        ),
    ),
    "an answer that a person turns down": (
        "the answer counts once it was approved; LangChain has accepted it before the person is asked",
        program(
            said(GOOD),
            said(GOOD),
            inputs=(QUESTION, decision(type="reject", message="no")),
            middleware=approving("Contact"),
            response_format=AS_TOOL,
        ),
    ),
    "a receipt seen by hooks": (
        "the receipt comes from a node of its own, after the hooks",
        program(said(GOOD), middleware=every_hook(), state_schema=Written, response_format=AS_TOOL),
    ),
    "a refusal": (
        "a refusal is an outcome, no parse error",
        program(AIMessage("", additional_kwargs={"refusal": "no"}), response_format=AS_JSON),
    ),
    "an email address in an answer": (
        "the answer is read once the hooks have redacted it",
        program(
            '{"title": "ada@example.org"}',
            middleware=[PIIMiddleware("email", apply_to_output=True)],
            response_format=ProviderStrategy(Event),
        ),
    ),
    "a call left without a result": (
        "every call is answered, as strict providers ask for",
        program("done", inputs=(PENDING,)),
    ),
    "a choice of tools beside a format": (
        "a tool choice set by middleware is honoured; the model may then write the answer as JSON",
        program(ADA, middleware=[overriding(tool_choice="auto")], response_format=AS_TOOL),
    ),
}
"""Programs with intended differences, in addition to those of ``langchain_programs``."""
