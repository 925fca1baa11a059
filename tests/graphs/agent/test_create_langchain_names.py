"""Programs for LangChain rely on more than ``create_agent``: paths, names, classes, traces and streams."""

import asyncio
from importlib import import_module
from typing import Annotated, Any

import langchain.agents.middleware as langchains
import langchain.agents.structured_output as langchains_formats
import pytest
from langchain.agents import create_agent as langchains_create_agent
from langchain.agents.middleware import configure_trace_policy, omit_payload
from langchain.agents.structured_output import ToolStrategy as LangChainToolStrategy
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END
from langgraph.prebuilt import InjectedState
from langgraph.types import Command, TracePolicy
from langsmith import Client, tracing_context

from answergraph import AgentSpecError, ProviderStrategy, ToolStrategy, build_agent_graph, create_agent
from answergraph.middleware import AgentMiddleware, ExtendedModelResponse, ModelResponse
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import GOOD, QUESTION, Missing, Place, Route, Verdict, agent_of, call, calls
from tests.suite.tools import search

PATHS = ["agents", "agents.structured_output", "agents.middleware", "agents.middleware.types"]


@pytest.mark.parametrize("path", PATHS)
def test_a_search_and_replace_of_the_path_finds_every_name(path: str) -> None:
    theirs, ours = import_module(f"langchain.{path}"), import_module(f"answergraph.{path}")
    assert [name for name in getattr(theirs, "__all__", []) if not hasattr(ours, name)] == []
    assert not hasattr(ours, "no_such_name")


class TestStructuredOutputNames:
    @pytest.mark.parametrize("schema", [Verdict, Place, Route, {"title": "R", "type": "object", "properties": {"n": {}}}])
    def test_specs_and_bindings_say_what_langchains_say(self, schema: Any) -> None:
        ours: Any = import_module("answergraph.agents.structured_output")
        (spec,), (theirs,) = ours.ToolStrategy(schema).schema_specs, langchains_formats.ToolStrategy(schema).schema_specs
        for name in ("schema", "name", "description", "schema_kind", "json_schema", "strict"):
            assert getattr(spec, name) == getattr(theirs, name)
        mine = ours.OutputToolBinding.from_schema_spec(spec)
        assert (mine.tool.name, mine.tool.args) == (
            theirs.name,
            langchains_formats.OutputToolBinding.from_schema_spec(theirs).tool.args,
        )

    @pytest.mark.parametrize("strict", [None, True])
    def test_a_provider_strategy_shows_what_is_bound(self, strict: Any) -> None:
        mine, theirs = ProviderStrategy(Verdict, strict=strict), langchains_formats.ProviderStrategy(Verdict, strict=strict)
        assert mine.to_model_kwargs() == theirs.to_model_kwargs()
        assert (mine.schema_spec.strict, mine.schema_spec.name) == (strict, "Verdict")

    def test_bindings_parse_and_refuse(self) -> None:
        ours: Any = import_module("answergraph.agents.structured_output")
        spec = ProviderStrategy(Verdict).schema_spec
        verdict = Verdict(passed=True, score=7)
        assert ours.OutputToolBinding.from_schema_spec(spec).parse(GOOD) == verdict
        assert ours.ProviderStrategyBinding.from_schema_spec(spec).parse(AIMessage('{"passed": true, "score": 7}')) == verdict
        with pytest.raises(ValueError, match="expected valid JSON for Verdict"):
            ours.ProviderStrategyBinding.from_schema_spec(spec).parse(AIMessage("no"))

    def test_several_schemas_have_no_single_spec(self) -> None:
        with pytest.raises(AgentSpecError, match=r"strategy\.schemas"):
            _ = ProviderStrategy(Verdict | Missing).schema_spec


INNER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    "written",
    [
        {"type": "json_schema", "json_schema": {"name": "Count", "schema": INNER, "strict": True}},
        {"type": "json_schema", "name": "Count", "schema": INNER},
    ],
    ids=["chat completions", "responses"],
)
def test_a_format_as_openai_writes_it_is_its_schema(run: Any, written: Any) -> None:
    agent, model = agent_of(calls(call("Count", {"n": "x"})), calls(call("Count", {"n": 3}, "2")), response_format=written)
    assert run(agent, QUESTION)["structured_response"] == {"n": 3}
    assert "Count" in model.requests[0].tool_names


def test_a_format_of_openais_without_a_schema_is_refused() -> None:
    with pytest.raises(AgentSpecError, match="needs a 'schema'"):
        create_agent("offline", response_format={"type": "json_schema"})


class Extends(AgentMiddleware):
    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return ExtendedModelResponse(handler(request), Command(update={}))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return ExtendedModelResponse(await handler(request), Command(update={}))


class LangChainExtends(langchains.AgentMiddleware[Any, Any, Any]):
    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        response = handler(request)
        return langchains.ExtendedModelResponse(langchains.ModelResponse(result=response.result))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        response = await handler(request)
        return langchains.ExtendedModelResponse(langchains.ModelResponse(result=response.result))


@pytest.mark.parametrize("inner", [[], [Extends()], [LangChainExtends()]], ids=["model", "ours", "LangChain's"])
def test_a_response_is_an_instance_of_both_classes(run: Any, inner: Any) -> None:
    seen: list[Any] = []

    class Looks(AgentMiddleware):
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            seen.append(handler(request))
            return seen[-1]

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            seen.append(await handler(request))
            return seen[-1]

    agent, _ = agent_of("fine", response_format=None, middleware=[Looks(), *inner])
    run(agent, QUESTION)
    assert isinstance(seen[0], langchains.ModelResponse)
    assert isinstance(seen[0], ModelResponse)
    assert seen[0].result[0].text == "fine"


def append(messages: list[Any]) -> None:
    messages.append(HumanMessage("Be brief."))


def put_first(messages: list[Any]) -> None:
    messages.insert(0, HumanMessage("Be brief."))


def replace_first(messages: list[Any]) -> None:
    messages[0] = HumanMessage("Be brief.")


def keep_the_last(messages: list[Any]) -> None:
    del messages[:-1]


@pytest.mark.parametrize("change", [append, put_first, replace_first, keep_the_last])
@pytest.mark.parametrize("response_format", [None, LangChainToolStrategy(Verdict)])
def test_what_a_middleware_changes_in_place_in_the_requests_messages_stays_in_the_conversation(
    run: Any, change: Any, response_format: Any
) -> None:
    class Changes(langchains.AgentMiddleware):
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            change(request.messages)
            return handler(request)

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            change(request.messages)
            return await handler(request)

    def conversation(create: Any) -> Any:
        last = "fine" if response_format is None else calls(call("Verdict", GOOD, "2"))
        model = ScriptedChatModel(replies=[calls(call("search", {"query": "q"})), last])
        agent = create(model, [search], response_format=response_format, middleware=[Changes()], checkpointer=InMemorySaver())
        result = run(agent, {"messages": [HumanMessage("Did it pass?")]}, {"configurable": {"thread_id": "1"}})
        told = [[(m.type, m.text) for m in messages] for messages in (result["messages"], *(r.messages for r in model.requests))]
        return told, [m.text for m in agent.get_state({"configurable": {"thread_id": "1"}}).values["messages"]]

    assert conversation(create_agent) == conversation(langchains_create_agent)


def test_the_tools_node_shows_its_tools_by_name() -> None:
    agent, _ = agent_of()
    assert agent.nodes["tools"].bound.tools_by_name == {"search": search}


class Spans(Client):
    """Records everything that would be sent to LangSmith."""

    def __init__(self) -> None:
        super().__init__(api_key="none", api_url="http://localhost:1", auto_batch_tracing=False)
        self.seen: list[dict[str, Any]] = []

    def create_run(self, name: str, inputs: Any, run_type: Any, **rest: Any) -> None:
        self.seen.append({"name": name, "inputs": inputs, "outputs": rest.get("outputs")})

    def update_run(self, run_id: Any, **rest: Any) -> None:
        self.seen.append({"name": rest.get("name"), "inputs": rest.get("inputs"), "outputs": rest.get("outputs")})

    def inputs(self, name: str) -> Any:
        return next(span["inputs"] for span in self.seen if span["name"] == name)


class Wraps(AgentMiddleware):
    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(request)

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(request)

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return handler(request)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return await handler(request)

    def after_model(self, state: Any, runtime: Any) -> Any:
        return None


def traced(run: Any, middleware: Any) -> Spans:
    replies: list[Any] = [calls(call("search", {"query": "q"})), calls(call("Verdict", GOOD, "2"))]
    model = ScriptedChatModel(replies=replies)
    return spans_of(run, create_agent(model, [search], response_format=ToolStrategy(Verdict), middleware=[middleware]))


def spans_of(run: Any, agent: Any) -> Spans:
    spans = Spans()
    with tracing_context(enabled=True, client=spans):
        # The event loop of the ``run`` fixture has a context of its own.
        asyncio.run(agent.ainvoke(QUESTION)) if run.color == "async" else agent.invoke(QUESTION)
    return spans


class TestTraces:
    def test_each_wrapping_hook_has_a_span_without_handler_runtime_and_private_keys(self, run: Any) -> None:
        spans = traced(run, Wraps())
        prefix = "a" if run.color == "async" else ""
        for hook in ("wrap_model_call", "wrap_tool_call"):
            inputs = spans.inputs(f"Wraps.{prefix}{hook}")
            assert "handler" not in inputs
            assert "runtime" not in inputs["request"]
        assert "answergraph_" not in repr(spans.seen)

    def test_no_private_key_is_recorded_of_an_agent_inside_or_of_a_node_of_the_developer(self, run: Any) -> None:
        helper = create_agent(
            ScriptedChatModel(replies=[calls(call("Verdict", GOOD))] * 2), response_format=ToolStrategy(Verdict)
        )

        @tool
        def task(state: Annotated[Any, InjectedState]) -> str:
            """Hand the whole state to another agent, as the task tool of deepagents does."""
            return str(helper.invoke(state)["structured_response"])

        graph = build_agent_graph(
            ScriptedChatModel(replies=[calls(call("task", {}), call("task", {}, "2")), calls(call("Verdict", GOOD, "3"))]),
            [task],
            response_format=ToolStrategy(Verdict),
        )
        graph.add_node("mine", lambda state: {**state}).add_edge("structured_response", "mine").add_edge("mine", END)
        assert "answergraph_" not in repr(spans_of(run, graph.compile()).seen)

    def test_the_integration_has_langchains_name(self, run: Any) -> None:
        agent, _ = agent_of("fine", response_format=None, name="helper")
        assert agent.config["metadata"] == {"ls_integration": "langchain_create_agent", "lc_agent_name": "helper"}

    def test_a_middlewares_policy_and_the_global_default_shape_what_is_recorded(self, run: Any) -> None:
        class Silent(Wraps):
            trace_policy = TracePolicy(process_inputs=lambda _: {"left": "out"})

        prefix = "a" if run.color == "async" else ""
        for name in (f"Silent.{prefix}wrap_model_call", "Silent.after_model"):
            assert traced(run, Silent()).inputs(name) == {"left": "out"}
        configure_trace_policy(TracePolicy(process_inputs=omit_payload))
        try:
            default = traced(run, Wraps())
            assert default.inputs(f"Wraps.{prefix}wrap_model_call") == omit_payload({})
            assert traced(run, Silent()).inputs("Silent.after_model") == {"left": "out"}
        finally:
            configure_trace_policy(None)


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
def test_a_named_agent_inside_is_a_subagent_of_the_stream() -> None:
    helper = create_agent(ScriptedChatModel(replies=["sunny"]), name="helper")

    @tool
    def ask(question: str) -> str:
        """Ask the helper."""
        return str(helper.invoke({"messages": [HumanMessage(question)]})["messages"][-1].text)

    agent, _ = agent_of(calls(call("ask", {"question": "weather?"})), "done", tools=[ask], response_format=None, name="chief")
    stream = agent.stream_events(QUESTION, version="v3")
    found = []
    for handle in stream.subagents:
        found.append((handle.name, handle.cause["type"]))
        assert list(handle)
    assert found == [("helper", "toolCall")]
