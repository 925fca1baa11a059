"""Before there is evidence, only the abstention is offered; as an answer, it has its own status."""

import json
from typing import Any

import pytest

from answergraph import (
    Abstention,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    create_agent,
)
from answergraph.middleware import AgentMiddleware, GroundedAnswer, ModelRequest
from answergraph.testing import ScriptedChatModel
from tests.middleware.test_grounded_answer import GOOD, QUESTION, QuotedVerdict, agent_of, reading, verdict
from tests.suite.colors import Run
from tests.suite.fields import places
from tests.suite.replies import calling

ABSTAINED = calling("Abstention", {"missing": ["the log"], "tried": ["read_log"]}, "a")
FORMAT = ToolStrategy(QuotedVerdict | Abstention)


def test_the_conclusive_schema_is_offered_once_there_is_evidence(run: Run) -> None:
    replies = [reading("other", "o"), reading(), verdict(GOOD)]
    agent, model = agent_of(*replies, grounded=GroundedAnswer(sources="read_log", abstain=Abstention), response_format=FORMAT)
    assert run(agent, QUESTION)["structured_response"] == QuotedVerdict(quotes=[GOOD])
    offered = [set(request.tool_names) & {"QuotedVerdict", "Abstention"} for request in model.requests]
    assert offered == [{"Abstention"}, {"Abstention"}, {"QuotedVerdict", "Abstention"}]


@pytest.mark.parametrize("found", [True, False])
def test_an_abstention_is_always_allowed_and_has_a_status_of_its_own(run: Run, found: bool) -> None:
    agent, _ = agent_of(
        *([reading()] if found else []), ABSTAINED, grounded=GroundedAnswer(abstain=Abstention), response_format=FORMAT
    )
    result = run(agent, QUESTION)
    assert result["structured_response"] == Abstention(missing=["the log"], tried=["read_log"])
    assert (result["outcome"]["status"], places(result["outcome"]["fields"])) == ("abstained", {})


def test_an_abstention_is_not_raised_as_a_failure(run: Run) -> None:
    agent, _ = agent_of(ABSTAINED, grounded=GroundedAnswer(abstain=Abstention), response_format=FORMAT, on_failure="raise")
    assert run(agent, QUESTION)["outcome"]["status"] == "abstained"


def test_an_abstention_that_misses_nothing_is_rejected(run: Run) -> None:
    empty = calling("Abstention", {"missing": []}, "a")
    agent, _ = agent_of(empty, ABSTAINED, grounded=GroundedAnswer(abstain=Abstention), response_format=FORMAT)
    assert [attempt["status"] for attempt in run(agent, QUESTION)["outcome"]["attempts"]] == ["invalid", "answered"]


def test_a_conclusion_without_evidence_is_not_accepted_even_where_another_middleware_offers_it(run: Run) -> None:
    class Offers(AgentMiddleware[Any, Any, Any]):
        def modify_model_request(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
            return request.override(response_format=FORMAT)

    middleware = [GroundedAnswer(abstain=Abstention), Offers()]
    replies = [verdict(GOOD), verdict(GOOD, call_id="w")]
    agent, model = agent_of(*replies, middleware=middleware, response_format=FORMAT)
    result = run(agent, QUESTION)
    assert "QuotedVerdict" in model.requests[0].tool_names
    assert (result["outcome"]["status"], result["structured_response"]) == ("invalid", None)
    assert "There is no evidence yet" in result["outcome"]["reason"] + result["messages"][2].text


def test_a_custom_abstention_may_say_more(run: Run) -> None:
    class NotSure(Abstention):
        """Say that you are not sure."""

        confidence: float

    given = calling("NotSure", {"missing": ["the log"], "confidence": 0.2}, "n")
    agent, _ = agent_of(given, grounded=GroundedAnswer(abstain=NotSure), response_format=ToolStrategy(QuotedVerdict | NotSure))
    result = run(agent, QUESTION)
    assert (result["outcome"]["status"], result["structured_response"].confidence) == ("abstained", 0.2)


FORMATS: dict[str, Any] = {
    "a bare type": QuotedVerdict,
    "tool": ToolStrategy(QuotedVerdict),
    "provider": ProviderStrategy(QuotedVerdict),
    "prompted": PromptedStrategy(QuotedVerdict),
    "deferred": DeferredStrategy(ToolStrategy(QuotedVerdict)),
    "fallback": FallbackStrategy([ToolStrategy(QuotedVerdict), PromptedStrategy(QuotedVerdict)]),
    "made at run time": lambda state, runtime: QuotedVerdict,
}


@pytest.mark.parametrize("response_format", FORMATS.values(), ids=FORMATS.keys())
def test_an_abstention_that_was_not_declared_is_added_to_the_format(run: Run, response_format: Any) -> None:
    given = json.dumps({"missing": ["the log"], "tried": []})
    model = ScriptedChatModel(replies=[given, given, given])
    agent = create_agent(model, response_format=response_format, middleware=[GroundedAnswer(abstain=Abstention)])
    result = run(agent, QUESTION)
    assert (result["outcome"]["status"], result["structured_response"]) == (
        "abstained",
        Abstention(missing=["the log"], tried=[]),
    )
