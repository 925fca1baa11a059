"""What a run waits for as a form of MCP, filled by the client of the official SDK."""

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt
from mcp import Client
from mcp_types import ElicitResult
from pydantic import BaseModel

from answergraph.serving import to_mcp
from answergraph.serving.mcp_server import mcp_server
from answergraph.serving.served_agent import ServedAgent
from tests.answergraph.serving.served_agents import GOOD, INVOICE, SHOW_CARD, agent_of, answers, approve, call, mounted, reviewing
from tests.answergraph.serving.test_mcp_server import error_of

pytestmark = pytest.mark.parametrize("mode", ["auto", "legacy"])


class Person:
    """Enters one thing after another, and remembers the forms."""

    def __init__(self, *entered: Any, action: Literal["accept", "decline", "cancel"] = "accept") -> None:
        self.forms: list[Any] = []
        self._entered: Iterator[Any] = iter(entered)
        self._action = action

    async def __call__(self, context: object, params: Any) -> ElicitResult:
        self.forms.append(params)
        return ElicitResult(action=self._action, content=next(self._entered, None))


async def asked(agent: Any, person: Person | None, mode: str, **arguments: str) -> Any:
    """Call the agent's tool once."""
    async with Client(mcp_server([ServedAgent(agent)], "tests"), mode=mode, elicitation_callback=person) as client:
        return await client.call_tool(agent.name, arguments or {"request": "x"})


def asking(value: object, response_schema: Any = None) -> tuple[Any, list[object]]:
    """Return an agent whose tool asks a person, and what the tool was told."""
    told: list[object] = []

    @tool
    def ask() -> str:
        """Ask a person."""
        told.append(interrupt(value, response_schema=response_schema))
        return "done"

    return agent_of(call("ask"), answers(**GOOD), tools=[ask], checkpointer=InMemorySaver()), told


class Payment(BaseModel):
    """What to pay."""

    amount: int = 5
    to: str
    fast: bool | None = None
    kind: Literal["card", "cash"] = "card"


async def test_a_question_in_words_is_a_form_with_a_text(mode: str) -> None:
    (agent, told), person = asking("Shall I?"), Person({"decision": "yes"})
    result = await asked(agent, person, mode)
    assert (result.is_error, result.structured_content, told) == (False, GOOD, ["yes"])
    (form,) = person.forms
    assert (form.message, form.requested_schema["required"]) == ("Shall I?", ["decision"])


async def test_a_question_with_a_schema_is_its_form(mode: str) -> None:
    (agent, told), person = asking({"bill": 7}, Payment), Person({"amount": 7, "to": "Oslo"})
    result = await asked(agent, person, mode)
    assert (result.structured_content, told) == (GOOD, [Payment(amount=7, to="Oslo")])
    (form,) = person.forms
    assert (form.message, form.requested_schema) == (
        '{"bill": 7}',
        {
            "type": "object",
            "properties": {
                "amount": {"type": "integer", "title": "Amount", "default": 5},
                "to": {"type": "string", "title": "To"},
                "fast": {"type": "boolean", "title": "Fast"},
                "kind": {"type": "string", "title": "Kind", "enum": ["card", "cash"], "default": "card"},
            },
            "required": ["to"],
        },
    )


async def test_the_decisions_that_langchain_allows_for_a_call_are_a_form(mode: str) -> None:
    approval = HumanInTheLoopMiddleware(interrupt_on={"approve": True}, interrupt_mode="per_call")
    replies = [call("approve", what="x"), answers(**GOOD)]
    agent = agent_of(*replies, tools=[approve], middleware=[approval], checkpointer=InMemorySaver())
    person = Person({"type": "reject", "message": "too late"})
    result = await asked(agent, person, mode)
    assert (result.is_error, result.structured_content) == (False, GOOD)
    (form,) = person.forms
    assert form.requested_schema["properties"]["type"]["enum"] == ["approve", "reject", "respond"]
    assert form.requested_schema["required"] == ["type"]


async def test_calls_of_a_deferred_run_are_forms_with_their_results(mode: str) -> None:
    agent = agent_of(call("show_card", title="x"), answers(**GOOD), tools=[SHOW_CARD], checkpointer=InMemorySaver())
    person = Person({"result": "shown"})
    result = await asked(agent, person, mode)
    assert (result.is_error, result.structured_content) == (False, GOOD)
    assert [form.message for form in person.forms] == ['What is the result of show_card {"title": "x"}?']


@pytest.mark.parametrize(("entered", "total"), [({"total": 20}, 20.0), ({"total": 21}, 21.0), ({}, 21.0)])
async def test_a_review_is_a_form_with_the_doubtful_fields_and_what_is_changed_is_an_edit(
    mode: str, entered: dict[str, Any], total: float
) -> None:
    person = Person(entered)
    result = await asked(reviewing(), person, mode, document=INVOICE)
    assert result.structured_content == {"number": "A-17", "total": total}
    assert result.meta["answergraph/outcome"]["fields"]["total"]["accepted_by"] == "person"
    (form,) = person.forms
    assert form.requested_schema["properties"] == {
        "total": {"type": "number", "title": "total", "default": 21, "description": "21.0: it stands in no source."}
    }


async def test_what_does_not_fit_is_asked_for_again(mode: str) -> None:
    person = Person({"total": "much"}, {"total": 20})
    result = await asked(reviewing(), person, mode, document=INVOICE)
    assert (result.structured_content, len(person.forms)) == ({"number": "A-17", "total": 20.0}, 2)
    assert person.forms[1].requested_schema["properties"]["total"]["description"] != "21.0: it stands in no source."


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_person_who_does_not_answer_leaves_the_run_waiting(mode: str, action: Any) -> None:
    (agent, _), person = asking("Shall I?"), Person(action=action)
    waits = (await asked(agent, person, mode)).structured_content
    assert (waits["status"], waits["go_on_with"], len(person.forms)) == ("waits_for_person", "verdict_resume", 1)
    async with Client(mcp_server([ServedAgent(agent)], "tests"), mode=mode) as client:
        result = await client.call_tool("verdict_resume", {"thread_id": waits["thread_id"], "decision": "yes"})
    assert result.structured_content == GOOD


class Nested(BaseModel):
    inner: Payment


@pytest.mark.parametrize(("value", "schema"), [({"shall": "I?"}, None), ("Shall I?", Nested)])
async def test_what_fits_into_no_form_is_a_result_that_waits(mode: str, value: object, schema: Any) -> None:
    (agent, _), person = asking(value, schema), Person()
    waits = (await asked(agent, person, mode)).structured_content
    assert (waits["status"], waits["questions"][0]["value"], person.forms) == ("waits_for_person", value, [])
    assert ("schema" in waits["questions"][0]) == (schema is not None)


async def test_a_client_over_http_is_asked_where_it_can_be(mode: str) -> None:
    (agent, told), person = asking("Shall I?"), Person({"decision": "yes"})
    async with (
        mounted("/mcp", lambda _: to_mcp(agent)) as address,
        Client(f"{address}/", mode=mode, elicitation_callback=person) as client,
    ):
        result: Any = (await client.call_tool("verdict", {"request": "x"})).structured_content
    if mode == "legacy":  # its protocol asks within a session, which this server does not keep
        assert (result["status"], person.forms) == ("waits_for_person", [])
    else:
        assert (result, told) == (GOOD, ["yes"])


async def test_a_made_up_state_goes_on_with_nothing(mode: str) -> None:
    (agent, _) = asking("Shall I?")
    await agent.ainvoke({"messages": ["x"]}, {"configurable": {"thread_id": "1"}})
    async with Client(mcp_server([ServedAgent(agent)], "tests"), mode=mode) as client:
        result = await client.session.call_tool("verdict", {"request": "x"}, request_state="1")
    assert error_of(result) == "failed: No run waits under the thread_id '1'."
