"""The smoke test of ``langgraph.json``: a real LangGraph server on loopback, asked through its SDK."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from answergraph.graphs.add_ons.calculator.calculator import CALCULATOR_TOOLS
from answergraph.graphs.served import MODELS
from tests.openai_server import OpenAIServer, calls
from tests.openai_server.reply import JSONObject, Reply, ToolCall, says
from tests.suite.langgraph_dev import langgraph_dev, lay_out, shipped

SCHEMA: dict[str, Any] = {
    "title": "Sum",
    "type": "object",
    "properties": {"final_answer": {"type": "number"}, "reasoning": {"type": "string"}},
    "required": ["final_answer", "reasoning"],
}
SUM = {"final_answer": 7.0, "reasoning": "3 + 4 = 7"}


def asks(question: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": question}]}


def reply(body: JSONObject) -> Reply:
    """Answer as a model would that reads its system prompt."""
    system = next((m["content"] for m in body["messages"] if m["role"] == "system"), "nothing")
    names = {tool["function"]["name"] for tool in body.get("tools", ())}
    text = json.dumps({"final_answer": 7, "reasoning": f"I was told: {system}"})
    return calls(ToolCall("Sum", text)) if "Sum" in names else says(text)


@pytest.fixture(scope="module")
def provider() -> Iterator[OpenAIServer]:
    with OpenAIServer(reply) as server:
        yield server


@pytest.fixture(scope="module")
def client(provider: OpenAIServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SyncLangGraphClient]:
    folder = tmp_path_factory.mktemp("server")
    lay_out(folder, shipped())
    environment = {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": "none", MODELS: "openai:small, openai:without-tools"}
    with langgraph_dev(folder, environment) as url:
        sdk = get_sync_client(url=url)
        yield sdk
        sdk.http.client.close()


def assistant_id(client: SyncLangGraphClient, graph: str) -> str:
    (assistant,) = client.assistants.search(graph_id=graph, metadata={"created_by": "system"})
    return assistant["assistant_id"]


def test_all_graphs_are_assistants_with_a_description(client: SyncLangGraphClient) -> None:
    found = {a["graph_id"]: a["description"] for a in client.assistants.search(metadata={"created_by": "system"})}
    assert found.keys() == {"agent", "calculator", "extract", "judge", "react", "triage", "workflow"}
    assert all(found.values())


def test_the_graph_shows_nodes_conditional_edges_and_their_labels(client: SyncLangGraphClient) -> None:
    graph = client.assistants.get_graph("calculator")
    assert [node["id"] for node in graph["nodes"]] == ["__start__", "model", "tools", "structured_response", "__end__"]
    edges = {(edge["source"], edge["target"]): edge for edge in graph["edges"]}
    assert {ends: edge["data"] for ends, edge in edges.items() if edge.get("conditional")} == {
        ("model", "tools"): "call_tools",
        ("model", "structured_response"): "read_answer",
        ("model", "model"): "ask_again",
        ("tools", "model"): "ask_again",
        ("tools", "structured_response"): "read_answer",
        ("structured_response", "model"): "ask_again",
        ("structured_response", "__end__"): "finish",
    }
    assert edges["__start__", "model"].get("conditional") is not True


def test_the_schemas_show_the_typed_answer_and_a_form_for_the_context(client: SyncLangGraphClient) -> None:
    calculator = client.assistants.get_schemas(assistant_id(client, "calculator"))
    assert "final_answer" in json.dumps(calculator["output_schema"])
    context = client.assistants.get_schemas(assistant_id(client, "agent"))["context_schema"]
    assert context is not None
    assert list(context["properties"]) == [
        "model",
        "system_prompt",
        "response_format",
        "strategy",
        "max_model_calls",
        "max_seconds",
    ]
    assert context["properties"]["model"]["default"] == "offline"
    assert all(field["description"] for field in context["properties"].values())


def test_the_calculator_streams_its_steps_and_ends_in_a_typed_answer(client: SyncLangGraphClient) -> None:
    thread = client.threads.create()["thread_id"]
    question = asks("(17 × 23) + (89 ÷ 4) - 156")
    parts = list(client.runs.stream(thread, "calculator", input=question, stream_mode="updates"))
    updates = [part.data for part in parts if part.event == "updates"]
    assert [node for update in updates for node in update] == ["model", "tools"] * 5 + ["model", "structured_response"]
    last = updates[-1]["structured_response"]
    assert last["structured_response"]["final_answer"] == 257.25
    assert last["outcome"]["status"] == "answered"
    values: Any = client.threads.get_state(thread)["values"]
    assert values["structured_response"] == last["structured_response"]


def test_the_custom_stream_shows_the_growing_answer(client: SyncLangGraphClient) -> None:
    parts = list(client.runs.stream(None, "calculator", input=asks("3 + 4"), stream_mode=["custom", "messages-tuple"]))
    events: list[Any] = [part.data for part in parts if part.event == "custom"]
    growing = [event["value"] for event in events if event["status"] == "growing"]
    assert len(growing) > 1
    assert growing[-1].items() <= events[-1]["value"].items()
    assert (events[-1]["status"], events[-1]["value"]["final_answer"]) == ("accepted", 7)


def test_the_agent_needs_no_context(client: SyncLangGraphClient) -> None:
    result: Any = client.runs.wait(None, "agent", input=asks("3 + 4"))
    assert result["messages"][-1]["content"] == "The result of 3 + 4 is 7."


def test_a_run_of_the_agent_sets_model_prompt_and_schema(client: SyncLangGraphClient, provider: OpenAIServer) -> None:
    context: dict[str, Any] = {"model": "openai:small", "system_prompt": "Be brief.", "response_format": SCHEMA}
    result: Any = client.runs.wait(None, "agent", input=asks("3 + 4"), context=context)
    assert result["structured_response"] == {"final_answer": 7, "reasoning": "I was told: Be brief."}
    assert result["outcome"]["status"] == "answered"
    assert provider.requests[-1].body["model"] == "small"
    offered = [tool["function"]["name"] for tool in provider.requests[-1].body["tools"]]
    assert offered[: len(CALCULATOR_TOOLS)] == [tool.name for tool in CALCULATOR_TOOLS]


def test_the_react_graph_needs_no_context(client: SyncLangGraphClient) -> None:
    result: Any = client.runs.wait(None, "react", input=asks("What is 3 + 4?"))
    assert [message["type"] for message in result["messages"]] == ["human", "ai", "tool", "ai"]
    assert result["messages"][-1]["content"] == "7"


def test_a_run_of_the_react_graph_sets_its_model(client: SyncLangGraphClient, provider: OpenAIServer) -> None:
    result: Any = client.runs.wait(None, "react", input=asks("3 + 4"), context={"model": "openai:without-tools"})
    assert json.loads(result["messages"][-1]["content"])["final_answer"] == 7
    body = provider.requests[-1].body
    assert body["model"] == "without-tools"
    assert "tools" not in body
    assert "Calculator(question: str)" in body["messages"][0]["content"]


def test_an_assistant_keeps_its_context_and_its_graph_shows_the_schema(client: SyncLangGraphClient) -> None:
    assistant = client.assistants.create("agent", context={"response_format": SCHEMA})["assistant_id"]
    assert "structured_response" in [node["id"] for node in client.assistants.get_graph(assistant)["nodes"]]
    result: Any = client.runs.wait(None, assistant, input=asks("3 + 4"))
    assert result["structured_response"] == SUM


@pytest.mark.parametrize(
    ("context", "why"),
    [
        ({"model": "openai:costly"}, "AgentSpecError: Model 'openai:costly' cannot be used: this server permits 'offline', "),
        ({"response_format": {"type": "objekt"}}, "(?s)ResponseFormatError: The context's 'response_format' cannot.*objekt"),
        ({"response_format": "Sum"}, "(?s)response_format.*(dictionary|object)"),
        ({"model": 5}, "ValidationError: 1 validation error for GeneralAgentContext"),
    ],
)
def test_a_bad_context_is_a_clear_error(client: SyncLangGraphClient, context: dict[str, Any], why: str) -> None:
    with pytest.raises(Exception, match=why):
        client.runs.wait(None, "agent", input=asks("3 + 4"), context=context)


@pytest.mark.parametrize("graph", ["agent", "extract", "judge", "react"])
@pytest.mark.parametrize("key", ["context", "config"])
def test_a_caller_can_only_choose_models_that_the_operator_listed(
    client: SyncLangGraphClient, provider: OpenAIServer, graph: str, key: str
) -> None:
    chosen = {"model": "openai:costly"}
    requests = len(provider.requests)
    extra: dict[str, Any] = {"context": chosen} if key == "context" else {"config": {"configurable": chosen}}
    with pytest.raises(Exception, match="'openai:costly' cannot be used: this server permits 'offline'"):
        client.runs.wait(None, graph, input={**asks("3 + 4"), "work": "It passed."}, **extra)
    assert len(provider.requests) == requests


def test_the_judge_takes_its_rules_from_the_context(client: SyncLangGraphClient) -> None:
    context: dict[str, Any] = {"rules": ["all is well", "something is wrong"]}
    result: Any = client.runs.wait(None, "judge", input={"report": "Sorry, something is wrong."}, context=context)
    assert (result["judgment"]["index"], result["judgment"]["method"]) == (1, "structured_output")


def test_the_workflow_shows_rules_on_its_edges_and_repairs_a_project(client: SyncLangGraphClient) -> None:
    edges = {(edge["source"], edge["target"]): edge.get("data") for edge in client.assistants.get_graph("workflow")["edges"]}
    assert edges["review.judge", "COMPLETE"] == "approved"
    result: Any = client.runs.wait(None, "workflow", input={"facts": {"fault": "misspelt_name", "seed": 4}})
    assert result["status"] == "COMPLETE"


def test_the_triage_judges_a_run_below_its_folder_and_looks_into_no_other(client: SyncLangGraphClient) -> None:
    judged: Any = client.runs.wait(None, "triage", input={"folder": "seen/run-02"})
    (report,) = judged["reports"]
    assert report["status"] == "answered"
    for folder in ("/etc", "../..", "seen/../../../tests"):
        refused: Any = client.runs.wait(None, "triage", input={"folder": folder})
        assert refused["reports"] == []
        assert "not below the folder" in refused["problems"][0]
