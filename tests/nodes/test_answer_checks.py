"""The verdicts of answer checks in a run: accepted, rejected, and invalid ones."""

from functools import cached_property, partial
from itertools import count
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, field_serializer

from answergraph import AgentSpecError, AnswerRejected, ToolStrategy, create_agent
from answergraph.kit import AnswerAccepted
from answergraph.middleware import AgentMiddleware
from answergraph.state.field_record import FieldRecord, record_of
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

QUESTION: dict[str, Any] = {"messages": ["q"]}


class ReasonedScore(BaseModel):
    """A verdict."""

    score: int
    reasons: list[str] = []


def calling(name: str, args: dict[str, Any], call_id: str = "a") -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": call_id, "type": "tool_call"}])


def verdict(score: float, call_id: str = "a") -> AIMessage:
    return calling("ReasonedScore", {"score": score}, call_id)


def agent_of(check: Any, *replies: AIMessage, **options: Any) -> Any:
    model = ScriptedChatModel(replies=list(replies or [verdict(1), verdict(2, "b")]))
    return create_agent(model, response_format=ToolStrategy(ReasonedScore), check_answer=check, **options)


def at_least_two(answer: Any, state: Any, runtime: Any) -> bool:
    """The score is two or more.

    Why that is so is of no interest to a model.
    """
    return bool(answer.score >= 2)


def undocumented(answer: Any, state: Any, runtime: Any) -> bool:
    return bool(answer.score >= 2)


class Says(AgentMiddleware[Any, Any, Any]):
    """Says the same of every answer."""

    def __init__(self, verdict: AnswerAccepted) -> None:
        super().__init__()
        self.verdict = verdict

    def check_answer(self, answer: Any, state: Any, runtime: Any) -> AnswerAccepted:
        return self.verdict


class AtLeast:
    """Accepts scores from a number on."""

    def __init__(self, score: int) -> None:
        self.score = score

    def __call__(self, answer: Any, state: Any, runtime: Any) -> bool:
        return bool(answer.score >= self.score)


def at_least(score: int, answer: Any, state: Any, runtime: Any) -> bool:
    return bool(answer.score >= score)


@pytest.mark.parametrize(
    ("check", "why"),
    [
        (at_least_two, "not accepted by the check 'at_least_two' (The score is two or more)."),
        (undocumented, "not accepted by the check 'undocumented'."),
        (AtLeast(2), "not accepted by the check 'AtLeast'."),
        (partial(at_least, 2), "not accepted by the check 'partial'."),
        (lambda answer, state, runtime: answer.score >= 2, "not accepted. Check it again"),
    ],
)
def test_a_check_that_returns_false_rejects_the_answer_and_the_model_is_told_by_which(run: Run, check: Any, why: str) -> None:
    result = run(agent_of(check), QUESTION)
    assert (result["structured_response"], result["outcome"]["status"]) == (ReasonedScore(score=2), "answered")
    assert why in result["messages"][2].text
    assert [attempt["error"] for attempt in result["outcome"]["attempts"]] == [result["messages"][2].text, None]


def test_a_middlewares_check_that_returns_false_rejects_the_answer_too(run: Run) -> None:
    class Scores(AgentMiddleware[Any, Any, Any]):
        def check_answer(self, answer: Any, state: Any, runtime: Any) -> bool:
            return bool(answer.score >= 2)

    result = run(agent_of(None, middleware=[Scores()]), QUESTION)
    assert result["structured_response"] == ReasonedScore(score=2)
    assert "'Scores.check_answer'" in result["messages"][2].text


@pytest.mark.parametrize("yes", [None, True, AnswerAccepted()])
def test_a_check_that_says_yes_in_any_way_accepts_the_answer(run: Run, yes: Any) -> None:
    assert run(agent_of(lambda *_: yes), QUESTION)["structured_response"] == ReasonedScore(score=1)


def test_the_records_of_a_check_are_on_the_outcome_and_in_a_checkpoint(run: Run) -> None:
    record = FieldRecord(status="given", evidence=[], problem=None)
    agent = agent_of(lambda *_: AnswerAccepted({"score": record}), checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "1"}}
    stored = run(agent, QUESTION, config)["outcome"], run.state(agent, config).values["outcome"]
    assert [(each["fields"], each["support"]) for each in stored] == [({"score": record}, 1)] * 2


def test_what_two_checks_say_of_a_field_is_said_together(run: Run) -> None:
    first = AnswerAccepted({"score": record_of(), "other": FieldRecord(status="given", evidence=[], problem=None)})
    second = AnswerAccepted({"score": FieldRecord(status="judged", evidence=[], problem=None), "other": record_of()})
    agent = agent_of(lambda *_: first, middleware=[Says(second)])
    fields = run(agent, QUESTION)["outcome"]["fields"]
    assert {path: record["status"] for path, record in fields.items()} == {"score": "judged", "other": "given"}


@pytest.mark.parametrize("record", [["call", 1, 2], {}, {"status": "supported"}, None])
def test_what_is_no_record_of_a_field_is_a_mistake_that_says_what_to_return(run: Run, record: Any) -> None:
    with pytest.raises(AgentSpecError, match=r"for the field 'score'. Return a record such as"):
        run(agent_of(lambda *_: AnswerAccepted({"score": record})), QUESTION)


@pytest.mark.parametrize("verdict", [0, 1, "too low", AnswerRejected("Too low."), ReasonedScore(score=2)], ids=repr)
def test_what_is_neither_yes_nor_no_is_a_mistake_that_names_the_check(run: Run, verdict: Any) -> None:
    def unclear(answer: Any, state: Any, runtime: Any) -> Any:
        return verdict

    with pytest.raises(AgentSpecError, match=r"'unclear' returned .*None, True or AnswerAccepted"):
        run(agent_of(unclear), QUESTION)


@pytest.mark.parametrize("feedback", ["", " \n"])
def test_a_rejection_without_words_still_tells_the_model_something(run: Run, feedback: str) -> None:
    def picky(answer: Any, state: Any, runtime: Any) -> None:
        if answer.score < 2:
            raise AnswerRejected(feedback)

    result = run(agent_of(picky), QUESTION)
    assert result["messages"][2].text == "Your answer was not accepted. Check it again and give a better one."
    assert result["structured_response"] == ReasonedScore(score=2)


@pytest.mark.parametrize("feedback", [None, ["too low"], ValueError("too low")], ids=repr)
def test_a_rejection_with_anything_but_a_text_is_a_mistake(run: Run, feedback: Any) -> None:
    def confused(answer: Any, state: Any, runtime: Any) -> None:
        raise AnswerRejected(feedback)

    with pytest.raises(AgentSpecError, match="write the feedback for the model as a string"):
        run(agent_of(confused), QUESTION)


def raises_the_score(answer: Any, state: Any, runtime: Any) -> None:
    answer.score += 1


def adds_a_reason(answer: Any, state: Any, runtime: Any) -> bool:
    answer.reasons.append("I say so")
    return True


def breaks_the_type(answer: Any, state: Any, runtime: Any) -> None:
    answer.score = object()


@pytest.mark.parametrize("fields", [{"a": 5}, {"a": None}, [3]])
def test_a_rejection_of_fields_without_texts_is_a_mistake(fields: Any) -> None:
    with pytest.raises(AgentSpecError, match="write each path, and the sentence for it, as a string"):
        AnswerRejected("Look again.", fields=fields)


@pytest.mark.parametrize("check", [raises_the_score, adds_a_reason, breaks_the_type])
def test_a_check_that_changes_the_answer_is_a_mistake_that_names_it(run: Run, check: Any) -> None:
    with pytest.raises(AgentSpecError, match=f"'{check.__name__}' changed the answer"):
        run(agent_of(check), QUESTION)


def test_a_check_of_a_dict_may_not_change_it_either(run: Run) -> None:
    def tidies(answer: Any, state: Any, runtime: Any) -> None:
        answer["score"] = round(answer["score"])

    schema = {"title": "ReasonedScore", "type": "object", "properties": {"score": {"type": "number"}}}
    model = ScriptedChatModel(replies=[verdict(1.5)])
    with pytest.raises(AgentSpecError, match="'tidies' changed the answer"):
        run(create_agent(model, response_format=ToolStrategy(schema), check_answer=tidies), QUESTION)


def test_a_check_may_change_an_answer_that_it_rejects(run: Run) -> None:
    def picky(answer: Any, state: Any, runtime: Any) -> None:
        answer.reasons.sort()
        if answer.score < 2:
            answer.score = 9
            raise AnswerRejected("Too low.")

    assert run(agent_of(picky), QUESTION)["structured_response"] == ReasonedScore(score=2)


class Measured(BaseModel):
    """A measurement, and what a program works out of it."""

    score: float

    @cached_property
    def squared(self) -> float:
        return self.score**2


@pytest.mark.parametrize("score", [float("nan"), 2.0])
def test_a_check_that_only_looks_may_look_at_any_answer(run: Run, score: float) -> None:
    def looks(answer: Any, state: Any, runtime: Any) -> bool:
        return bool(answer.squared != 1)

    model = ScriptedChatModel(replies=[calling("Measured", {"score": score})])
    result = run(create_agent(model, response_format=ToolStrategy(Measured), check_answer=looks), QUESTION)
    assert result["outcome"]["status"] == "answered"


class bool_:  # noqa: N801  # the name of numpy's
    """What a comparison of numpy returns."""

    def __init__(self, value: bool) -> None:
        self.value = value

    def __bool__(self) -> bool:
        return self.value


def test_the_bool_of_another_library_counts_as_one(run: Run) -> None:
    agent = agent_of(lambda answer, state, runtime: bool_(answer.score >= 2))
    result = run(agent, QUESTION)
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "answered"]


class Stamped(BaseModel):
    """An answer whose JSON is another one every time."""

    score: int

    @field_serializer("score")
    def _stamp(self, score: int) -> str:
        return f"{score}-{next(_STAMPS)}"


_STAMPS = count()


def test_a_type_whose_json_always_differs_does_not_count_as_changed(run: Run) -> None:
    model = ScriptedChatModel(replies=[calling("Stamped", {"score": 1})])
    agent = create_agent(model, response_format=ToolStrategy(Stamped), check_answer=lambda answer, state, runtime: None)
    assert run(agent, QUESTION)["outcome"]["status"] == "answered"
