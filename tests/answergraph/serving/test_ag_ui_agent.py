"""An agent over AG-UI, through the endpoint of the official package; its events are read by the types of the protocol."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any

import httpx
import jsonpatch
import pytest
from ag_ui.core import Event, RunAgentInput, ToolMessage, UserMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, Field, TypeAdapter
from starlette.applications import Starlette
from starlette.routing import Mount

from answergraph import Abstention, AgentSpecError, ToolStrategy, create_agent
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

# The package asks LangGraph for the schema of its settings by the old name.
pytestmark = pytest.mark.filterwarnings("ignore:.get_config_jsonschema. is deprecated")
EVENT: TypeAdapter[Any] = TypeAdapter(Event)
ASKED = UserMessage(id="1", role="user", content="Did it pass?")


class Page:
    """What a page knows of a thread: the messages it sent, the state that it shares, and the events."""

    def __init__(self, http: httpx.AsyncClient, address: str) -> None:
        self._http = http
        self._address = address
        self.state: Any = {}
        self.states: list[Any] = []
        self.events: list[Any] = []

    async def run(self, *messages: Any, resume: Any = None) -> Any:
        """Run the agent once, and return the state at the end."""
        async for event in self.events_of(*messages, resume=resume):
            self.events.append(event)
            if event.type == "STATE_SNAPSHOT":
                self.state = event.snapshot
            elif event.type == "STATE_DELTA":
                self.state = jsonpatch.apply_patch(self.state, [each.model_dump(by_alias=True) for each in event.delta])
            self.states += [self.state] if str(event.type.value).startswith("STATE_") else []
        return self.state

    async def events_of(self, *messages: Any, resume: Any = None) -> AsyncIterator[Any]:
        props = {"command": {"resume": resume}} if resume else {}
        asked = RunAgentInput(
            thread_id="a", run_id="b", state=self.state, messages=[*messages], tools=[], context=[], forwarded_props=props
        )
        body = asked.model_dump(mode="json", by_alias=True)
        async with self._http.stream("POST", self._address, json=body) as response:
            assert response.status_code == 200
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    yield EVENT.validate_json(line.removeprefix("data: "))

    def last(self) -> str:
        return str(self.events[-1].type.value)


@asynccontextmanager
async def page_of(agent: Any) -> AsyncIterator[Page]:
    """Mount the agent in an application of somebody's own, and open a page."""
    app = Starlette(routes=[Mount("/verdict", to_ag_ui(agent))])
    async with mounted("/pages", lambda _: app) as address, httpx.AsyncClient(timeout=60) as http:
        yield Page(http, f"{address}/verdict/")


def with_threads(*replies: Any, **options: Any) -> Any:
    return agent_of(*replies, checkpointer=InMemorySaver(), **options)


async def test_the_answer_grows_in_the_shared_state_and_ends_with_its_outcome() -> None:
    agent = with_threads(answers(**GOOD))
    async with page_of(agent) as page:
        state = await page.run(ASKED)
    grown = [each["structured_response"] for each in page.states if each.get("structured_response") is not None]
    assert (grown[:2], grown[-1], page.last()) == ([{}, {"passed": True}], GOOD, "RUN_FINISHED")
    kept = (await agent.aget_state({"configurable": {"thread_id": "a"}})).values
    assert state["outcome"] == kept["outcome"]
    assert state["outcome"]["status"] == "answered"


async def test_what_a_page_sends_back_changes_nothing() -> None:
    async with page_of(with_threads(answers(**GOOD), answers(passed=False, score=1))) as page:
        await page.run(ASKED)
        page.state = {**page.state, "outcome": {"status": "made up"}, "structured_response": {"passed": "made up"}}
        state = await page.run(ASKED, UserMessage(id="2", role="user", content="Again?"))
    assert (state["structured_response"], state["outcome"]["status"]) == ({"passed": False, "score": 1}, "answered")


async def test_a_rejected_answer_leaves_the_state_until_the_next_one_grows() -> None:
    async with page_of(with_threads(answers(passed=True), answers(**GOOD))) as page:
        state = await page.run(ASKED)
    shown = [each.get("structured_response") for each in page.states]
    assert None in shown[shown.index({"passed": True}) :]
    assert (state["structured_response"], len(state["outcome"]["attempts"])) == (GOOD, 2)


class Invoice(BaseModel):
    number: Annotated[str, Field(alias="invoice-no")]


async def test_the_answer_is_the_json_that_its_schema_declares() -> None:
    agent = with_threads(call("Invoice", **{"invoice-no": "A-17"}), response_format=ToolStrategy(Invoice))
    async with page_of(agent) as page:
        assert (await page.run(ASKED))["structured_response"] == {"invoice-no": "A-17"}


async def test_an_abstention_is_an_answer() -> None:
    nothing = call("Abstention", missing=["the log"])
    async with page_of(with_threads(nothing, response_format=ToolStrategy(ScoredVerdict | Abstention))) as page:
        state = await page.run(ASKED)
    assert (state["structured_response"]["missing"], state["outcome"]["schema"]) == (["the log"], "Abstention")


@pytest.mark.parametrize(("replies", "options", "status"), [each for each in ENDINGS if "on_failure" not in each[1]])
async def test_a_run_without_an_answer_shares_its_status_and_reason(
    replies: list[Any], options: Mapping[str, Any], status: str
) -> None:
    async with page_of(with_threads(*replies, tools=[approve, SHOW_CARD], **options)) as page:
        state = await page.run(ASKED)
    assert (state["structured_response"], state["outcome"]["status"], page.last()) == (None, status, "RUN_FINISHED")
    assert state["outcome"]["reason"]


async def test_a_deferred_run_goes_on_with_the_results_of_its_calls() -> None:
    async with page_of(with_threads(call("show_card", title="x"), answers(**GOOD), tools=[SHOW_CARD])) as page:
        (pending,) = (await page.run(ASKED))["outcome"]["pending"]
        shown = ToolMessage(id="2", role="tool", content="shown", tool_call_id=pending["id"])
        state = await page.run(ASKED, shown)
    assert (pending["args"], state["structured_response"]) == ({"title": "x"}, GOOD)


async def test_a_review_is_an_interrupt_and_goes_on_with_the_decision() -> None:
    async with page_of(with_threads(call("approve", what="it"), answers(**GOOD), tools=[approve])) as page:
        await page.run(ASKED)
        assert [each.value for each in page.events if each.type == "CUSTOM"] == ['{"approve": "it"}']
        state = await page.run(ASKED, resume='"yes"')
    assert state["structured_response"] == GOOD


async def test_a_review_of_doubtful_fields_goes_on_with_what_the_person_changes() -> None:
    async with page_of(reviewing()) as page:
        page.state = {"document": INVOICE}
        await page.run()
        (question,) = [json.loads(each.value) for each in page.events if each.type == "CUSTOM"]
        state = await page.run(resume=json.dumps(EDIT))
    assert (list(question["fields"]), state["structured_response"]) == (["total"], {"number": "A-17", "total": 20})


async def test_a_run_that_breaks_keeps_the_text_of_others_to_itself(caplog: pytest.LogCaptureFixture) -> None:
    async with page_of(with_threads(call("breaks", what="secret"), tools=[breaks])) as page:
        await page.run(ASKED)
    assert (page.last(), page.events[-1].message) == ("RUN_ERROR", "An internal error occurred.")
    assert "secret" not in page.events[-1].model_dump_json()
    assert "the password is secret" in caplog.text


async def test_events_hold_nothing_of_langgraph_besides() -> None:
    async with page_of(with_threads(answers(**GOOD))) as page:
        await page.run(ASKED)
    assert [each.type for each in page.events if each.type == "RAW" or each.raw_event is not None] == []


async def test_who_stops_listening_cancels_the_run() -> None:
    hangs, began, ended = hanging()
    async with page_of(with_threads(call("hangs", what="x"), tools=[hangs])) as page:
        listening = asyncio.create_task(page.run(ASKED))
        await began.wait()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        await ended.wait()
    assert listening.cancelled()


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (create_agent("offline", response_format=int, name="a"), r"write create_agent\(…, name='…', checkpointer="),
        (create_agent("offline", response_format=int, checkpointer=InMemorySaver()), "needs a name and a checkpointer"),
        (create_agent("offline", name="a", checkpointer=InMemorySaver()), "has no typed answer"),
    ],
)
def test_what_cannot_be_served_is_refused_while_building(agent: Any, message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        to_ag_ui(agent)
