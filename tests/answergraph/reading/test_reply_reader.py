"""The reader finds the answer of a reply, if any, and knows which answers are equal."""

import json
import math
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from pydantic import BaseModel, Field, field_serializer

from answergraph import PromptedStrategy, ToolStrategy
from answergraph.answers.canonical_json import canonical_json
from answergraph.asking.strategies.strategy import AnswerRequest, Strategy
from answergraph.errors import MultipleStructuredOutputsError, StructuredOutputValidationError
from answergraph.reading.reply_reader import Reading, ReplyReader
from answergraph.state.field_record import record_of
from tests.graphs.agent.scripted_agents import BAD, GOOD, Missing, Verdict, call, calls


class Loose(BaseModel):
    """A number of any kind, or a flag."""

    value: bool | float


class Ticking(BaseModel):
    """Its JSON is different each time."""

    name: str

    @field_serializer("name")
    def _tick(self, name: str) -> str:
        return f"{name} {next(_ticks)}"


_ticks = count()


def reader(strategy: Strategy[Any], *declared: str) -> ReplyReader:
    return ReplyReader(AnswerRequest(strategy, frozenset(declared or strategy.schema_names)))


TOOL, EITHER, TEXT = reader(ToolStrategy(Verdict)), reader(ToolStrategy(Verdict | Missing)), reader(PromptedStrategy(Verdict))
LOOSE = reader(ToolStrategy(Loose))
DICTS = reader(ToolStrategy({"title": "Loose", "type": "object", "properties": {"value": {}, "other": {}}}))


PASSED = Verdict(passed=True, score=7)


def malformed(args: str, name: str = "Verdict") -> AIMessage:
    bad: Any = {"name": name, "args": args, "id": "1", "error": None, "type": "invalid_tool_call"}
    return AIMessage("", invalid_tool_calls=[bad])


READINGS: list[tuple[str, ReplyReader, AIMessage, str, Any]] = [
    ("an answer call", TOOL, calls(call("Verdict", GOOD)), "answered", PASSED),
    ("an answer call of one of several", EITHER, calls(call("Missing", {"facts": []})), "answered", Missing(facts=[])),
    ("a wrong answer call", TOOL, calls(call("Verdict", BAD)), "invalid", None),
    ("a malformed answer call that can be mended", TOOL, malformed('{"passed": true, "score": 7,}'), "answered", PASSED),
    ("a malformed answer call", TOOL, malformed("{{"), "invalid", None),
    ("a call of a schema that is not asked for", reader(ToolStrategy(Verdict), "Verdict", "Missing"),
     calls(call("Missing", {"facts": []})), "invalid", None),
    ("a text", TOOL, AIMessage("It passed."), "unanswered", None),
    ("a text that holds the answer", TOOL, AIMessage(json.dumps(GOOD)), "answered", PASSED),
    ("a text in prose", TEXT, AIMessage(f"So it is: {json.dumps(GOOD)}"), "answered", PASSED),
    ("a call wins over the text beside it", TOOL, calls(call("Verdict", GOOD), text='{"passed": false, "score": 1}'),
     "answered", PASSED),
    ("two equal answers", TOOL, calls(call("Verdict", GOOD), call("Verdict", GOOD, "2")), "answered", PASSED),
    ("two different answers", TOOL, calls(call("Verdict", GOOD), call("Verdict", {**GOOD, "score": 1}, "2")), "invalid", None),
    ("a right and a wrong answer", TOOL, calls(call("Verdict", GOOD), call("Verdict", BAD, "2")), "invalid", None),
    ("two equal answers in a text", TEXT, AIMessage(f"{json.dumps(GOOD)} or {json.dumps(GOOD)}"), "answered", PASSED),
    ("two different answers in a text", TEXT,
     AIMessage(f'{json.dumps(GOOD)} or {{"passed": false, "score": 1}}'), "invalid", None),
    ("nothing", TOOL, AIMessage(" "), "empty", None),
    ("a refusal", TOOL, AIMessage("", additional_kwargs={"refusal": "no"}), "refused", None),
    ("a cut answer that parses", TOOL, AIMessage("", tool_calls=[call("Verdict", GOOD)],
     response_metadata={"finish_reason": "length"}), "truncated", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("reader", "message", "status", "value"), [row[1:] for row in READINGS], ids=[row[0] for row in READINGS]
)
def test_a_reply_is_read(reader: ReplyReader, message: AIMessage, status: str, value: Any) -> None:
    reading = reader.read(message)
    assert (reading.status, reading.value) == (status, value)
    # Each answer call needs a tool message, accepted or not.
    answers = [c["id"] for c in [*message.tool_calls, *message.invalid_tool_calls] if c["name"] in reader.request.declared]
    assert [c["id"] for c in reading.calls] == answers


def test_the_error_of_a_wrong_answer_is_the_strategys_and_names_its_source() -> None:
    reading = TOOL.read(calls(call("Verdict", BAD)))
    assert isinstance(reading.error, StructuredOutputValidationError)
    assert isinstance(reading.error.__cause__, ValueError)
    assert (reading.meant, reading.schema, reading.error_text) == ("Verdict", None, str(reading.error))


def test_several_wrong_answers_are_as_ambiguous_as_several_right_ones() -> None:
    for one, two in ((BAD, BAD), (GOOD, BAD), (GOOD, {**GOOD, "score": 1})):
        reading = TOOL.read(calls(call("Verdict", one), call("Verdict", two, "2")))
        assert isinstance(reading.error, MultipleStructuredOutputsError)


def test_a_wrong_text_for_several_schemas_was_meant_for_no_certain_one() -> None:
    class Other(BaseModel):
        """Of the same keys."""

        passed: str
        score: str

    reading = reader(PromptedStrategy(Verdict | Other)).read(AIMessage('{"passed": [], "score": []}'))
    assert (reading.status, reading.meant) == ("invalid", None)


class TestMiddlewareValues:
    """A value with which a middleware replaced the answer is validated as its JSON."""

    def test_one_of_a_schema_counts_and_the_replys_calls_are_answered(self) -> None:
        reading = TOOL.read_middleware_value({"schema": "Verdict", "value": GOOD}, calls(call("Verdict", BAD)))
        assert (reading.status, reading.value, len(reading.calls)) == ("answered", PASSED, 1)

    @pytest.mark.parametrize("given", [{"schema": "Verdict", "value": BAD}, {"schema": None, "value": "seven"}])
    def test_one_that_does_not_fit_is_invalid(self, given: Any) -> None:
        reading = TOOL.read_middleware_value(given, AIMessage("x"))
        assert (reading.status, reading.meant) == ("invalid", "Verdict")

    def test_one_of_a_schema_that_is_not_asked_for_is_invalid(self) -> None:
        narrowed = reader(ToolStrategy(Verdict), "Verdict", "Missing")
        assert narrowed.read_middleware_value({"schema": "Missing", "value": {"facts": []}}, AIMessage("x")).status == "invalid"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def turned(data: Any) -> Any:
    """Return equal JSON: keys in another order, whole numbers as floats and the other way round."""
    if isinstance(data, dict):
        return {key: turned(data[key]) for key in reversed(data)}
    if isinstance(data, list):
        return [turned(item) for item in data]
    if isinstance(data, float) and data.is_integer():
        return int(data)
    return float(data) if type(data) is int and abs(data) < 2**53 else data


EQUAL = [
    ({"value": 1, "other": 2}, {"other": 2, "value": 1}, True),
    ({"value": 1}, {"value": 1.0}, True),
    ({"value": {"a": [1, {"b": 2.0}], "c": 3}}, {"value": {"c": 3.0, "a": [1.0, {"b": 2}]}}, True),
    ({"value": True}, {"value": 1}, False),
    ({"value": False}, {"value": 0.0}, False),
    ({"value": 1}, {"value": "1"}, False),
    ({"value": 1.5}, {"value": 1}, False),
    ({"value": [1, 2]}, {"value": [2, 1]}, False),
    ({"value": None}, {}, False),
]


class TestEqualAnswers:
    """Answers are equal if their JSON is: keys in any order, 1 and 1.0 one number, True none."""

    @given(JSON)
    def test_equal_json_has_one_canonical_form(self, data: Any) -> None:
        assert canonical_json(data) == canonical_json(turned(data))
        assert canonical_json(data) == canonical_json(json.loads(canonical_json(data)))

    @given(JSON, JSON)
    def test_different_json_has_different_forms(self, one: Any, other: Any) -> None:
        # ``repr`` distinguishes True from 1, which are equal in Python.
        assert (canonical_json(one) == canonical_json(other)) == (repr(ordered(one)) == repr(ordered(other)))

    @pytest.mark.parametrize(("one", "other", "equal"), EQUAL)
    def test_two_answer_calls_with_equal_json_are_one_answer(self, one: Any, other: Any, equal: bool) -> None:
        reading = DICTS.read(calls(call("Loose", one), call("Loose", other, "2")))
        assert (reading.status, reading.value) == (("answered", one) if equal else ("invalid", None))

    @pytest.mark.parametrize(("one", "other", "equal"), [(1, 1.0, True), (True, 1, False), (True, True, True), (1, 2, False)])
    def test_two_answers_of_a_model_are_compared_by_their_json(self, one: Any, other: Any, equal: bool) -> None:
        reading = LOOSE.read(calls(call("Loose", {"value": one}), call("Loose", {"value": other}, "2")))
        assert reading.status == ("answered" if equal else "invalid")

    def test_answers_of_two_schemas_are_two_answers(self) -> None:
        class Same(BaseModel):
            """The same members as ``Missing``."""

            facts: list[str]

        both = reader(ToolStrategy(Missing | Same))
        reading = both.read(calls(call("Missing", {"facts": []}), call("Same", {"facts": []}, "2")))
        assert reading.status == "invalid"

    @pytest.mark.parametrize(("one", "other", "same"), [(70, 70.0, True), (70, 71, False), (True, 1, False)])
    def test_a_wrong_answer_is_the_same_mistake_if_its_json_is_equal(self, one: Any, other: Any, same: bool) -> None:
        first, second = (TOOL.read(calls(call("Verdict", {"score": score}))) for score in (one, other))
        assert (first.mistake == second.mistake) is same

    def test_what_is_nested_too_deeply_to_be_compared_equals_nothing_else(self) -> None:
        one: Any = []
        for _ in range(10_000):
            one = [one]
        assert canonical_json(one) == canonical_json(one) != canonical_json([one])


def ordered(data: Any) -> Any:
    if isinstance(data, dict):
        return [(key, ordered(data[key])) for key in sorted(data)], "dict"
    if isinstance(data, list):
        return [ordered(item) for item in data]
    return int(data) if isinstance(data, float) and data.is_integer() else data


def is_unchanged(reading: Reading) -> bool:
    return reading.answer is not None and reading.answer.is_unchanged


class TestChanges:
    """A reading knows whether its value was changed in place."""

    def answered(self) -> Reading:
        return TOOL.read(calls(call("Verdict", GOOD)))

    def test_an_untouched_value_is_not_changed(self) -> None:
        assert is_unchanged(self.answered())

    @pytest.mark.parametrize("score", [8, 70, math.nan, object()])
    def test_any_change_is_seen(self, score: Any) -> None:
        reading = self.answered()
        reading.value.score = score
        assert not is_unchanged(reading)

    def test_not_a_number_does_not_count_as_a_change(self) -> None:
        class Measured(BaseModel):
            """A measurement."""

            value: float = Field(allow_inf_nan=True)

        assert is_unchanged(reader(ToolStrategy(Measured)).read(calls(call("Measured", {"value": math.nan}))))

    def test_a_value_whose_json_is_different_each_time_is_not_changed(self) -> None:
        assert is_unchanged(reader(ToolStrategy(Ticking)).read(calls(call("Ticking", {"name": "x"}))))

    def test_a_rejected_answer_is_invalid_and_its_mistake_is_the_answer_not_the_words(self) -> None:
        wrong = {"passed": record_of("no")}
        one = self.answered().rejected("no", wrong, "sure")
        other = self.answered().rejected("really not", {**wrong, "score": record_of(), "why": record_of("no")}, "sure")
        assert (one.status, one.error_text, one.feedback) == ("invalid", "no", "no")
        assert one.mistake == other.mistake is not None
        assert one.reason == "The check 'sure' rejected passed: no"
        assert other.reason == "The check 'sure' rejected passed (and 1 more): no"
