"""An agent over AG-UI, asked by the protocol's own client in JavaScript."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from answergraph import Abstention, ToolStrategy
from answergraph.serving import to_ag_ui
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

pytestmark = [
    pytest.mark.clients,
    # The package asks LangGraph for the schema of its settings by the old name.
    pytest.mark.filterwarnings("ignore:.get_config_jsonschema. is deprecated"),
]
QUESTION = {"message": "Did it pass?"}


def with_threads(*replies: Any, **options: Any) -> Any:
    return agent_of(*replies, checkpointer=InMemorySaver(), **options)


async def ask(agent: Any, *steps: dict[str, Any]) -> list[dict[str, Any]]:
    async with mounted("/verdict", lambda _: to_ag_ui(agent)) as address:
        return await javascript.ask("ag_ui.mjs", f"{address}/", *steps)


async def test_the_answer_grows_in_the_pages_state_and_ends_with_its_outcome() -> None:
    (end,) = await ask(with_threads(answers(**GOOD)), QUESTION)
    assert end["answers"][:2] == [{}, {"passed": True}]
    assert (end["state"]["structured_response"], end["state"]["outcome"]["status"]) == (GOOD, "answered")
    assert (end["events"][0], end["events"][-1]) == ("RUN_STARTED", "RUN_FINISHED")


async def test_a_second_message_of_a_thread_gets_a_second_answer() -> None:
    first, second = await ask(with_threads(answers(**GOOD), answers(passed=False, score=1)), QUESTION, {"message": "Again?"})
    assert first["state"]["structured_response"] == GOOD
    assert second["state"]["structured_response"] == {"passed": False, "score": 1}


async def test_an_abstention_is_an_answer() -> None:
    nothing = call("Abstention", missing=["the log"])
    (end,) = await ask(with_threads(nothing, response_format=ToolStrategy(ScoredVerdict | Abstention)), QUESTION)
    assert end["state"]["structured_response"]["missing"] == ["the log"]


@pytest.mark.parametrize(("replies", "options", "status"), ENDINGS)
async def test_a_run_without_an_answer_shares_its_status_and_reason(
    replies: list[Any], options: dict[str, Any], status: str
) -> None:
    (end,) = await ask(with_threads(*replies, tools=[approve, SHOW_CARD], **options), QUESTION)
    assert (end["state"]["structured_response"], end["state"]["outcome"]["status"]) == (None, status)
    assert end["state"]["outcome"]["reason"]
    assert end["events"][-1] == ("RUN_ERROR" if "on_failure" in options else "RUN_FINISHED")


async def test_a_deferred_run_goes_on_with_the_results_of_its_calls() -> None:
    agent = with_threads(call("show_card", title="x"), answers(**GOOD), tools=[SHOW_CARD])
    waits, end = await ask(agent, QUESTION, {"results": {"call_show_card": "shown"}})
    assert waits["state"]["outcome"]["pending"] == [{"id": "call_show_card", "name": "show_card", "args": {"title": "x"}}]
    assert end["state"]["structured_response"] == GOOD


async def test_a_question_to_a_person_goes_on_with_the_decision() -> None:
    agent = with_threads(call("approve", what="it"), answers(**GOOD), tools=[approve])
    waits, end = await ask(agent, QUESTION, {"resume": "yes"})
    assert (waits["questions"], end["state"]["structured_response"]) == ([{"approve": "it"}], GOOD)


async def test_a_review_of_doubtful_fields_goes_on_with_what_the_person_changes() -> None:
    waits, end = await ask(reviewing(), {"state": {"document": INVOICE}}, {"resume": EDIT})
    (question,) = waits["questions"]
    assert (list(question["fields"]), end["state"]["structured_response"]) == (["total"], {"number": "A-17", "total": 20})


async def test_a_run_that_breaks_keeps_the_text_of_others_to_itself() -> None:
    (end,) = await ask(with_threads(call("breaks", what="secret"), tools=[breaks]), QUESTION)
    assert (end["events"][-1], end["error"]) == ("RUN_ERROR", "An internal error occurred.")


async def test_a_page_that_leaves_cancels_the_run() -> None:
    hangs, began, ended = hanging()
    await ask(with_threads(call("hangs", what="x"), tools=[hangs]), {**QUESTION, "leaveAt": "TOOL_CALL_END"})
    assert not began.is_set() or await ended.wait()
