"""An agent over A2A, asked by the client of the official SDK over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.helpers import get_data_parts, get_text_parts, new_data_part, new_message, new_text_part
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import CancelTaskRequest, GetTaskRequest, Message, Role, SendMessageRequest, Task, TaskState
from google.protobuf.json_format import MessageToDict
from langgraph.checkpoint.memory import InMemorySaver

from answergraph import Abstention, AgentSpecError, PromptedStrategy, ToolStrategy, create_agent
from answergraph.graphs import create_extractor
from answergraph.serving import to_a2a
from answergraph.testing import ScriptedChatModel
from tests.answergraph.serving.served_agents import (
    EDIT,
    ENDINGS,
    GOOD,
    INVOICE,
    SHOW_CARD,
    Card,
    ScoredVerdict,
    agent_of,
    answers,
    approve,
    breaks,
    call,
    hanging,
    mounted,
    reviewing,
)


@asynccontextmanager
async def client_of(agent: Any, *, streaming: bool = False, **options: Any) -> AsyncIterator[Client]:
    """Mount the agent in an application of somebody's own, and connect to it by its card."""

    def app(address: str) -> Any:
        return to_a2a(agent, url=address, **options)

    async with mounted("/a2a", app) as address, httpx.AsyncClient(timeout=60) as http:
        card = await A2ACardResolver(http, address).get_agent_card()
        yield ClientFactory(ClientConfig(streaming=streaming, httpx_client=http)).create(card)


def message_of(*parts: Any, task: Task | None = None) -> Message:
    ids = {"task_id": task.id, "context_id": task.context_id} if task else {}
    return new_message(list(parts), role=Role.ROLE_USER, **ids)


async def ask(client: Client, *parts: Any, task: Task | None = None) -> Task:
    """Send one message, and return the task as it then is."""
    request = SendMessageRequest(message=message_of(*(parts or [new_text_part("Did it pass?")]), task=task))
    (response,) = [each async for each in client.send_message(request)]
    return response.task


def state_of(task: Task) -> str:
    return TaskState.Name(task.status.state).removeprefix("TASK_STATE_").lower()


def reason_of(task: Task) -> str:
    """Return the text of a task that failed, whose outcome says the same. No part of an answer is with it."""
    assert state_of(task) == "failed"
    assert [data for each in task.artifacts for data in get_data_parts(each.parts)] == []
    (text,) = get_text_parts(task.status.message.parts)
    outcome = MessageToDict(task.status.message.metadata)["answergraph/outcome"]
    assert text == f"{outcome['status']}: {outcome['reason']}"
    return str(text)


def answer_of(task: Task) -> Any:
    """Return the data of the one artifact of a completed task."""
    assert state_of(task) == "completed"
    (artifact,) = task.artifacts
    (data,) = get_data_parts(artifact.parts)
    return data


async def test_the_card_has_the_schemas_and_the_address() -> None:
    async with mounted("/a2a", lambda address: to_a2a(agent_of(), url=address)) as address, httpx.AsyncClient(timeout=60) as http:
        card = MessageToDict(await A2ACardResolver(http, address).get_agent_card())
    assert (card["name"], card["description"]) == ("verdict", "Answers with ScoredVerdict. Whether the test passed.")
    assert [each["url"] for each in card["supportedInterfaces"]] == [f"{address}/"]
    (extension,) = card["capabilities"]["extensions"]
    assert extension["params"]["output"]["properties"] == ScoredVerdict.model_json_schema()["properties"]
    assert extension["params"]["input"]["required"] == ["request"]
    assert [each["name"] for each in card["skills"]] == ["verdict"]


async def test_the_card_names_the_skills_that_are_given() -> None:
    def app(address: str) -> Any:
        return to_a2a(agent_of(), url=address, skills={"judge": "Judges a test run."})

    async with mounted("/a2a", app) as address, httpx.AsyncClient(timeout=60) as http:
        card = await A2ACardResolver(http, address).get_agent_card()
    assert [(each.id, each.description) for each in card.skills] == [("judge", "Judges a test run.")]


async def test_an_answer_is_an_artifact_with_data_and_text() -> None:
    async with client_of(agent_of(answers(**GOOD))) as client:
        task = await ask(client)
        again = await client.get_task(GetTaskRequest(id=task.id))
    assert answer_of(task) == answer_of(again) == GOOD
    assert get_text_parts(task.artifacts[0].parts) == ['{"passed": true, "score": 7}']
    assert MessageToDict(task.artifacts[0].metadata)["answergraph/outcome"]["status"] == "answered"


async def test_an_answer_that_grows_is_one_artifact_that_is_replaced() -> None:
    async with client_of(agent_of(answers(**GOOD)), streaming=True) as client:
        request = SendMessageRequest(message=message_of(new_text_part("Did it pass?")))
        responses = [each async for each in client.send_message(request)]
    updates = [each.artifact_update for each in responses if each.HasField("artifact_update")]
    assert {each.artifact.artifact_id for each in updates} == {"answer"}
    values = [get_data_parts(each.artifact.parts)[0] for each in updates]
    assert (values[0], values[-1], updates[-1].last_chunk) == ({}, GOOD, True)
    assert responses[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED


async def test_an_abstention_is_an_answer() -> None:
    nothing = call("Abstention", missing=["the log"])
    async with client_of(agent_of(nothing, response_format=ToolStrategy(ScoredVerdict | Abstention))) as client:
        assert answer_of(await ask(client))["missing"] == ["the log"]


async def test_a_null_answer_completes_the_task() -> None:
    model = ScriptedChatModel(replies=['{"value": null}'])
    async with client_of(create_agent(model, response_format=PromptedStrategy(int | None), name="value")) as client:
        assert answer_of(await ask(client)) == {"answer": None}


@pytest.mark.parametrize(("replies", "options", "status"), ENDINGS)
async def test_a_run_without_an_answer_is_a_failed_task_with_its_status_and_reason(
    replies: list[Any], options: dict[str, Any], status: str
) -> None:
    async with client_of(agent_of(*replies, tools=[approve, SHOW_CARD], **options)) as client:
        assert reason_of(await ask(client)).startswith(f"{status}: ")


async def test_a_run_that_breaks_is_a_failed_task_that_keeps_the_text_of_others_to_itself(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with client_of(agent_of(call("breaks", what="secret"), tools=[breaks])) as client:
        assert reason_of(await ask(client)) == "failed: An internal error occurred."
    assert "the password is secret" in caplog.text


@pytest.mark.parametrize("parts", [[new_data_part({"request": 7})], [new_data_part([1])], [new_data_part({"extra": 1})]])
async def test_wrong_data_is_a_failed_task_that_says_what_is_wrong(parts: Iterable[Any]) -> None:
    async with client_of(agent_of()) as client:
        assert reason_of(await ask(client, *parts)).startswith("failed: The arguments do not fit. ")


async def test_a_deferred_run_requires_the_results_of_its_calls_and_goes_on_with_them() -> None:
    agent = agent_of(call("show_card", title="x"), answers(**GOOD), tools=[SHOW_CARD], checkpointer=InMemorySaver())
    async with client_of(agent) as client:
        waits = await ask(client)
        (data,) = get_data_parts(waits.status.message.parts)
        assert (state_of(waits), data["status"]) == ("input_required", "deferred")
        assert data["pending"] == [{"id": "call_show_card", "name": "show_card", "args": {"title": "x"}}]
        unclear = await ask(client, new_text_part("Done."), task=waits)
        assert (state_of(unclear), get_text_parts(unclear.status.message.parts)) == (
            "input_required",
            ["failed: The run waits for 'results'."],
        )
        task = await ask(client, new_data_part({"results": {"call_show_card": {"shown": True}}}), task=waits)
    assert (task.id, answer_of(task)) == (waits.id, GOOD)


@pytest.mark.parametrize("part", [new_text_part("yes"), new_data_part({"decision": "yes"})], ids=["text", "data"])
async def test_a_review_requires_a_decision_and_goes_on_with_it(part: Any) -> None:
    agent = agent_of(call("approve", what="it"), answers(**GOOD), tools=[approve], checkpointer=InMemorySaver())
    async with client_of(agent) as client:
        waits = await ask(client)
        (data,) = get_data_parts(waits.status.message.parts)
        assert (state_of(waits), data["questions"][0]["value"]) == ("input_required", {"approve": "it"})
        task = await ask(client, part, task=waits)
    assert (task.id, answer_of(task)) == (waits.id, GOOD)


async def test_a_review_of_doubtful_fields_goes_on_with_what_the_person_changes() -> None:
    async with client_of(reviewing()) as client:
        waits = await ask(client, new_text_part(INVOICE))
        (data,) = get_data_parts(waits.status.message.parts)
        assert (state_of(waits), list(data["questions"][0]["value"]["fields"])) == ("input_required", ["total"])
        task = await ask(client, new_data_part({"decision": EDIT}), task=waits)
    assert answer_of(task) == {"number": "A-17", "total": 20}


async def test_another_server_with_the_same_stores_goes_on_with_a_task_that_waits() -> None:
    tasks, threads = InMemoryTaskStore(), InMemorySaver()
    async with client_of(agent_of(call("approve", what="it"), tools=[approve], checkpointer=threads), task_store=tasks) as client:
        waits = await ask(client)
    async with client_of(agent_of(answers(**GOOD), tools=[approve], checkpointer=threads), task_store=tasks) as client:
        task = await ask(client, new_text_part("yes"), task=waits)
    assert (task.id, answer_of(task)) == (waits.id, GOOD)


async def test_a_task_that_its_client_cancels_cancels_the_run() -> None:
    hangs, began, ended = hanging()
    async with client_of(agent_of(call("hangs", what="x"), tools=[hangs])) as client:
        request = SendMessageRequest(message=message_of(new_text_part("x")), configuration={"return_immediately": True})
        (response,) = [each async for each in client.send_message(request)]
        await began.wait()
        task = await client.cancel_task(CancelTaskRequest(id=response.task.id))
        await ended.wait()
    assert state_of(task) == "canceled"


async def test_a_task_that_waits_can_be_cancelled() -> None:
    agent = agent_of(call("approve", what="it"), tools=[approve], checkpointer=InMemorySaver())
    async with client_of(agent) as client:
        waits = await ask(client)
        assert state_of(await client.cancel_task(CancelTaskRequest(id=waits.id))) == "canceled"


async def test_runs_at_the_same_time_keep_their_answers_apart() -> None:
    async with client_of(agent_of(*[answers(**GOOD)] * 8)) as client:
        tasks = await asyncio.gather(*[ask(client) for _ in range(8)])
    assert [answer_of(task) for task in tasks] == [GOOD] * 8
    assert len({task.id for task in tasks}) == 8


async def test_an_extractor_takes_the_text_of_a_document() -> None:
    agent = create_extractor(ScriptedChatModel(replies=['{"title": "Oslo"}']), Card)
    async with client_of(agent) as client:
        assert answer_of(await ask(client, new_text_part("The title: Oslo"))) == {"title": "Oslo"}


@pytest.mark.parametrize(
    ("agent", "url", "message"),
    [
        (create_agent("offline", response_format=int), "http://x", r"needs a name; write create_agent\(…, name='…'\)"),
        (create_agent("offline", name="a"), "http://x", "has no typed answer"),
        (create_agent("offline", response_format=int, name="a"), "/a2a", r"url='/a2a' is no address; write to_a2a"),
    ],
)
def test_what_cannot_be_served_is_refused_while_building(agent: Any, url: str, message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        to_a2a(agent, url=url)
