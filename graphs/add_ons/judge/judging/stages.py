"""The stages of a judgment: each asks the model once and reads the chosen condition.

A failure in a stage is recorded and leads to the next one: a provider may reject one kind of request and accept another.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime

from answergraph.graphs.add_ons.judge.judging.grounding import grounded_in
from answergraph.graphs.add_ons.judge.judging.judged_text import JudgedText
from answergraph.graphs.add_ons.judge.judging.judgment import JUDGING, StageName, StageRecord, StageStatus
from answergraph.graphs.add_ons.judge.judging.questions import SYSTEM, JudgePrompt
from answergraph.graphs.add_ons.judge.judging.tags import shortened, tag, tags_in, without_echo, without_tags
from answergraph.json_text.json_in_text import find_json
from answergraph.kit import Reading, Work, ask_model, off_loop

NO_REASON = "The reply gives no reason."
NO_CALL_LEFT = "The surrounding run has no model call left for the judge."

_DIGITS = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class JudgeReply:
    """The content of a model's reply, unchecked."""

    number: int | None
    """The number of the condition, counted from 1."""
    reason: str
    message: AIMessage | None
    """``None`` if the surrounding run had no call left."""
    strategy: str | None = None
    method: StageName | None = None
    """How it was found, if not in the stage's own way."""


@dataclass(frozen=True)
class Stage:
    """One stage of a judgment; ``step`` is its node."""

    name: StageName
    question: "AskForNumber | AskForTag | ReadOwnTag"
    grounded: bool = False

    def step(self, state: Mapping[str, Any], runtime: Runtime) -> Work[dict[str, Any]]:
        judging = state[JUDGING]
        work = JudgedText(judging["work"])
        try:
            reply = yield from self.question.ask(work, judging["candidates"])
            record = yield from off_loop(self._record, reply, work, judging["candidates"])
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001 - clients raise errors of any class; the next stage asks in another way
            record = _without_reply(self.name, "error", f"{type(error).__name__}: {shortened(str(error))}")
        return {JUDGING: {**judging, "stages": [*judging["stages"], record]}}

    def _record(self, reply: JudgeReply, work: JudgedText, conditions: Sequence[str]) -> StageRecord:
        if reply.message is None:
            return _without_reply(self.name, "out_of_budget", NO_CALL_LEFT)
        problem, grounding = self._problem(reply, len(conditions)), None
        if problem is None and self.grounded:
            grounding = grounded_in(work.text, reply.reason, conditions)
            problem = grounding.problem
        return StageRecord(
            method=reply.method or self.name,
            status="no_match" if problem else "matched",
            selected=None if problem else reply.number,
            reason=problem or reply.reason,
            strategy=reply.strategy,
            response=_written(reply.message),
            usage=dict(reply.message.usage_metadata) if reply.message.usage_metadata else None,
            evidence=None if grounding is None else [list(span) for span in grounding.spans],
        )

    def _problem(self, reply: JudgeReply, candidates: int) -> str | None:
        if reply.number is None:
            return reply.reason
        if not 1 <= reply.number <= candidates:
            return f"There is no condition {reply.number}; there are {candidates}."
        return None


@dataclass(frozen=True)
class AskForNumber:
    """Ask for an object with the number of the condition, in the best way the model has."""

    model: BaseChatModel
    prompt: JudgePrompt
    strategy: Any
    """How the model is asked."""
    key: str
    """The field with the condition; its number counts too."""
    tag_word: str
    """The tag word for replies without an object."""
    tag_method: StageName | None = None
    """The method recorded for an answer by tag, whose last tag counts. ``None``: the stage's own, and the first tag counts."""

    def ask(self, work: JudgedText, conditions: Sequence[str]) -> Work[JudgeReply]:
        messages = self.prompt.messages(work, conditions)
        reading = yield from ask_model(self.model, [SYSTEM, *messages], self.strategy)
        if reading.turn.reply is None:
            return JudgeReply(None, reading.reason, None)
        reply = yield from off_loop(self._read, reading, reading.turn.reply, messages[-1].text, work, conditions)
        return replace(reply, strategy=reading.strategy)

    def _read(
        self, reading: Reading, message: AIMessage, question: str, work: JudgedText, conditions: Sequence[str]
    ) -> JudgeReply:
        own = without_echo(message.text, question)
        objects, is_fenced = self._objects(reading, message)
        answers = [data for data in objects if not work.holds_answer(data, message.text)]
        if objects and not answers:
            return JudgeReply(None, "The reply only repeats an answer from the work.", message)
        # A model that reasons in fences ends with its answer.
        numbers = {_number(data[self.key], conditions) for data in (answers[-1:] if is_fenced else answers)}
        if len(numbers) == 1 and (number := numbers.pop()) is not None:
            reason = answers[-1].get("reason")
            return JudgeReply(number, reason if isinstance(reason, str) else NO_REASON, message)
        if self.tag_method is not None and tags_in(own, self.tag_word):
            return replace(tag_reply(message, own, self.tag_word, len(conditions)), method=self.tag_method)
        if tags := tags_in(own, self.tag_word):
            return JudgeReply(tags[0], without_tags(own, self.tag_word), message)
        return JudgeReply(None, reading.reason, message)

    def _objects(self, reading: Reading, message: AIMessage) -> tuple[list[dict[str, object]], bool]:
        """Return the answer, else numbered objects that do not fit the schema, and whether they are in fences."""
        if reading.answer is not None:
            return [reading.answer.value], False
        findings = find_json(message.text) if reading.status in ("invalid", "unanswered") and not message.tool_calls else []
        data = [item.data for item in findings] or [call["args"] for call in message.tool_calls]
        numbered = [each for each in data if isinstance(each, dict) and self.key in each]
        return numbered, bool(findings) and findings[0].origin == "fence"


@dataclass(frozen=True)
class AskForTag:
    """Ask for a tag in plain text, which every model can write."""

    model: BaseChatModel
    prompt: JudgePrompt
    tag_word: str

    def ask(self, work: JudgedText, conditions: Sequence[str]) -> Work[JudgeReply]:
        messages = self.prompt.messages(work, conditions)
        reading = yield from ask_model(self.model, [SYSTEM, *messages], None)
        message = reading.turn.reply
        if message is None:
            return JudgeReply(None, reading.reason, None)
        own = yield from off_loop(without_echo, message.text, messages[-1].text)
        return (yield from off_loop(tag_reply, message, own, self.tag_word, len(conditions)))


@dataclass(frozen=True)
class ReadOwnTag:
    """Read the tag that the agent wrote in its work, without a call."""

    tag_word: str

    def ask(self, work: JudgedText, conditions: Sequence[str]) -> Work[JudgeReply]:
        return (yield from off_loop(tag_reply, AIMessage(work.text), work.text, self.tag_word, len(conditions)))


def tag_reply(message: AIMessage, own: str, word: str, conditions: int) -> JudgeReply:
    """Read the tags in the model's own part of a message; the last one that names a condition counts."""
    tags = tags_in(own, word)
    valid = [number for number in tags if 1 <= number <= conditions]
    if valid:
        reason = without_tags(own, word)
        return JudgeReply(valid[-1], reason or f"The tag {tag(word, valid[-1])} was written.", message)
    if tags:
        return JudgeReply(tags[-1], "", message)
    return JudgeReply(None, f"There is no tag {tag(word, 1)} or the like in: {shortened(message.text)}", message)


def _number(value: object, conditions: Sequence[str]) -> int | None:
    """Return the number of a condition from its words, or a whole number, also from a string."""
    if value in conditions:
        return conditions.index(str(value)) + 1
    if isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if float(value).is_integer() else None


def _written(message: AIMessage) -> str:
    calls = [json.dumps({"name": call["name"], "args": call["args"]}, ensure_ascii=False) for call in message.tool_calls]
    return "\n".join(part for part in (message.text, *calls) if part)


def _without_reply(name: StageName, status: StageStatus, reason: str) -> StageRecord:
    return StageRecord(
        method=name, status=status, selected=None, reason=reason, strategy=None, response="", usage=None, evidence=None
    )
