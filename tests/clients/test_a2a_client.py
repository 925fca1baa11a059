"""An agent over A2A, asked by the protocol's own client in JavaScript."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from answergraph import Abstention, ToolStrategy
from answergraph.serving import to_a2a
from tests.answergraph.serving.served_agents import (
    EDIT,
    ENDINGS,
    GOOD,
    INVOICE,
    SHOW_CARD,
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
from tests.clients import javascript

pytestmark = pytest.mark.clients
QUESTION = {"text": "Did it pass?"}


async def ask(agent: Any, *steps: dict[str, Any]) -> list[dict[str, Any]]:
    async with mounted("/a2a", lambda address: to_a2a(agent, url=address)) as address:
        return await javascript.ask("a2a.mjs", f"{address}/", *steps)


async def test_an_answer_is_an_artifact_with_data_and_text() -> None:
    (task,) = await ask(agent_of(answers(**GOOD)), QUESTION)
    assert (task["state"], task["artifact"]) == ("TASK_STATE_COMPLETED", [GOOD, '{"passed": true, "score": 7}'])
    assert task["outcome"]["status"] == "answered"


async def test_an_answer_that_is_streamed_grows_in_its_artifact() -> None:
    (task,) = await ask(agent_of(answers(**GOOD)), {**QUESTION, "stream": True})
    assert (task["artifacts"][:2], task["artifacts"][-1]) == ([{}, {"passed": True}], GOOD)
    assert (task["state"], task["artifact"][0]) == ("TASK_STATE_COMPLETED", GOOD)


async def test_an_abstention_is_an_answer() -> None:
    nothing = call("Abstention", missing=["the log"])
    (task,) = await ask(agent_of(nothing, response_format=ToolStrategy(ScoredVerdict | Abstention)), QUESTION)
    assert (task["state"], task["artifact"][0]["missing"]) == ("TASK_STATE_COMPLETED", ["the log"])


@pytest.mark.parametrize(("replies", "options", "status"), ENDINGS)
async def test_a_run_without_an_answer_is_a_failed_task_with_its_status_and_reason(
    replies: list[Any], options: dict[str, Any], status: str
) -> None:
    (task,) = await ask(agent_of(*replies, tools=[approve, SHOW_CARD], **options), QUESTION)
    assert task["state"] == "TASK_STATE_FAILED"
    assert task["message"][0].startswith(f"{status}: ")


async def test_a_run_that_breaks_is_a_failed_task_that_keeps_the_text_of_others_to_itself() -> None:
    (task,) = await ask(agent_of(call("breaks", what="secret"), tools=[breaks]), QUESTION)
    assert (task["state"], task["message"]) == ("TASK_STATE_FAILED", ["failed: An internal error occurred."])


async def test_a_deferred_run_goes_on_with_the_results_of_its_calls() -> None:
    agent = agent_of(call("show_card", title="x"), answers(**GOOD), tools=[SHOW_CARD], checkpointer=InMemorySaver())
    waits, task = await ask(agent, QUESTION, {"data": {"results": {"call_show_card": "shown"}}})
    assert (waits["state"], waits["message"][1]["pending"][0]["name"]) == ("TASK_STATE_INPUT_REQUIRED", "show_card")
    assert (task["state"], task["artifact"][0]) == ("TASK_STATE_COMPLETED", GOOD)


async def test_a_question_to_a_person_goes_on_with_the_decision() -> None:
    agent = agent_of(call("approve", what="it"), answers(**GOOD), tools=[approve], checkpointer=InMemorySaver())
    waits, task = await ask(agent, QUESTION, {"text": "yes"})
    assert (waits["state"], waits["message"][1]["questions"][0]["value"]) == ("TASK_STATE_INPUT_REQUIRED", {"approve": "it"})
    assert task["artifact"][0] == GOOD


async def test_a_review_of_doubtful_fields_goes_on_with_what_the_person_changes() -> None:
    waits, task = await ask(reviewing(), {"text": INVOICE}, {"data": {"decision": EDIT}})
    assert waits["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert task["artifact"][0] == {"number": "A-17", "total": 20}


async def test_a_task_that_its_client_cancels_cancels_the_run() -> None:
    hangs, began, ended = hanging()
    (task,) = await ask(agent_of(call("hangs", what="x"), tools=[hangs]), {**QUESTION, "cancel": True})
    assert task["state"] == "TASK_STATE_CANCELED"
    assert not began.is_set() or await ended.wait()
