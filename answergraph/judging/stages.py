"""The stages of a judgment: each asks the model once, in its own way, and says which condition its reply names.

Whatever goes wrong in a stage is written down and leads to the next one: a provider that is down for one way of asking may
answer another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime

from answergraph.judging.grounding import grounded_in
from answergraph.judging.judged_text import JudgedText
from answergraph.judging.judgment import StageName, StageRecord, StageStatus
from answergraph.judging.questions import SYSTEM, Question
from answergraph.judging.tags import tag, tags_in, without_echo, without_tags
from answergraph.models.bound_model import BoundModel, BoundModels
from answergraph.response_format.model_request import ModelRequest
from answergraph.response_format.providers.refusals import refuses_format, remember_refusal
from answergraph.response_format.reading.reply_reader import Reading, ReplyReader, shortened
from answergraph.response_format.strategies.declared_format import DeclaredFormat
from answergraph.response_format.strategies.strategy import AnswerRequest
from answergraph.runtime.steps import Invoke, Step
from answergraph.state.budget import NoCallLeftError, current_budget

JUDGING = "judging"
"""State key: how far the judgment has come."""

NO_CALL_LEFT = "The run around the judge has no call of a model left for it."


@dataclass(frozen=True)
class Reply:
    """What the model's reply says, before anyone has looked whether it may be true."""

    number: int | None
    """The number of the condition, counted from 1."""
    reason: str
    message: AIMessage
    strategy: str | None = None


class Asking(Protocol):
    """One way to ask and to read the reply."""

    calls_model: ClassVar[bool]
    """Whether a model is called for it."""

    def ask(self, work: JudgedText, conditions: Sequence[str]) -> Step[Reply]:
        """Call the model once, and read what it replied."""


@dataclass(frozen=True)
class Stage:
    """One stage; ``step`` is the node."""

    name: StageName
    asking: Asking
    grounded: bool = False
    """Whether a reason counts only if it quotes the work."""

    def step(self, state: Mapping[str, Any], runtime: Runtime[Any]) -> Step[dict[str, Any]]:
        """Ask, and write down what came back.

        Args:
            state: The judge's state.
            runtime: LangGraph's runtime.

        Returns:
            The state update.
        """
        judging = state[JUDGING]
        work = JudgedText(judging["work"])
        try:
            reply: Reply = yield from self._asked(work, judging["candidates"])
            record = self._record(reply, work, judging["candidates"])
        except GraphBubbleUp:
            raise
        except NoCallLeftError:
            record = _without_reply(self.name, "out_of_budget", NO_CALL_LEFT)
        except Exception as error:  # noqa: BLE001 - whatever a provider's client raises: the next stage asks in another way
            record = _without_reply(self.name, "error", f"{type(error).__name__}: {shortened(str(error))}")
        return {JUDGING: {**judging, "stages": [*judging["stages"], record]}}

    def _asked(self, work: JudgedText, conditions: Sequence[str]) -> Step[Reply]:
        account = current_budget() if self.asking.calls_model else None
        if account is None:
            return (yield from self.asking.ask(work, conditions))
        with account.charge_single_call() as charge:
            reply: Reply = yield from self.asking.ask(work, conditions)
            charge(reply.message)
        return reply

    def _record(self, reply: Reply, work: JudgedText, conditions: Sequence[str]) -> StageRecord:
        problem, grounding = self._problem(reply, len(conditions)), None
        if problem is None and self.grounded:
            grounding = grounded_in(work.text, reply.reason, conditions)
            problem = grounding.problem
        return StageRecord(
            method=self.name,
            status="no_match" if problem else "matched",
            selected=None if problem else reply.number,
            reason=problem or reply.reason,
            strategy=reply.strategy,
            response=_written(reply.message),
            usage=_usage(reply.message),
            evidence=None if grounding is None else [list(span) for span in grounding.spans],
        )

    def _problem(self, reply: Reply, candidates: int) -> str | None:
        if reply.number is None:
            return reply.reason
        if not 1 <= reply.number <= candidates:
            return f"There is no condition {reply.number}; there are {candidates}."
        return None


@dataclass(frozen=True)
class AskForNumber:
    """Ask for an object with the number of the condition, in the best way the model has."""

    calls_model: ClassVar[bool] = True
    model: BaseChatModel
    question: Question
    format: DeclaredFormat
    """The response format, which chooses the rung of the ladder."""
    key: str
    """The field with the number."""
    tag_word: str | None = None
    """The word of the tag that a text without an object may answer with; the first one counts."""
    bound: BoundModels = field(default_factory=BoundModels)

    def ask(self, work: JudgedText, conditions: Sequence[str]) -> Step[Reply]:
        """Call the model once; a way of asking that the provider refuses is remembered, and not used the next time."""
        request: ModelRequest[Any] = ModelRequest(
            model=self.model,
            messages=self.question.messages(work, conditions),
            system_message=SYSTEM,
            response_format=self.format.response_format,
        )
        asked, bound = self._bound(request)
        try:
            message: AIMessage = yield bound.call(request)
        except Exception as error:
            self._remember(error, asked)
            raise
        own = without_echo(message.text, request.messages[-1].text)
        number, reason = self._read(own, message, ReplyReader(asked).read(message), work)
        return Reply(number, reason, message, asked.strategy.name)

    def _bound(self, request: ModelRequest[Any]) -> tuple[AnswerRequest, BoundModel]:
        """Bind the best strategy; a model that cannot be bound to it has not been called yet, so the next one is taken."""
        used: list[str] = []
        while True:
            asked = self.format.request(request, used, answer_only=True)
            try:
                return asked, self.bound.bind(request, asked.strategy)
            except Exception as error:
                # Whatever the client raises; what is not about the format is raised on.
                if not self._remember(error, asked) or not asked.has_next_strategy:
                    raise
                used.append(asked.strategy_id)

    def _remember(self, error: Exception, asked: AnswerRequest) -> bool:
        refused = refuses_format(error, asked.strategy.schema_names)
        if refused:
            remember_refusal(self.model, asked.strategy.name, beside_tools=False)
        return refused

    def _read(self, own: str, message: AIMessage, reading: Reading, work: JudgedText) -> tuple[int | None, str]:
        if reading.status == "answered":
            data = reading.value
            if work.holds_answer(data, message.text):
                return None, "The reply only repeats an answer that stands in the work."
            return int(data[self.key]), data["reason"]
        if self.tag_word is not None and (found := tags_in(own, self.tag_word)):
            return found[0], without_tags(own, self.tag_word)
        return None, reading.reason


@dataclass(frozen=True)
class AskForTag:
    """Ask for a tag in plain text, which every model can write."""

    calls_model: ClassVar[bool] = True
    model: BaseChatModel
    question: Question
    tag_word: str

    def ask(self, work: JudgedText, conditions: Sequence[str]) -> Step[Reply]:
        """Call the model once; the last tag that names a condition counts."""
        messages = self.question.messages(work, conditions)
        message: AIMessage = yield Invoke(self.model, [SYSTEM, *messages])
        return tag_reply(message, without_echo(message.text, messages[-1].text), self.tag_word, len(conditions))


@dataclass(frozen=True)
class ReadOwnTag:
    """Ask nobody: read the tag that the agent wrote itself."""

    calls_model: ClassVar[bool] = False
    tag_word: str

    def ask(self, work: JudgedText, conditions: Sequence[str]) -> Step[Reply]:
        """Read the work; the last tag that names a condition counts."""
        yield from ()  # a step like the others
        return tag_reply(AIMessage(work.text), work.text, self.tag_word, len(conditions))


def tag_reply(message: AIMessage, own: str, word: str, conditions: int) -> Reply:
    """Read a text for tags.

    Args:
        message: What was written.
        own: What of it counts.
        word: The tags' word.
        conditions: How many conditions there are.

    Returns:
        The reply; its number is that of the last tag in range.
    """
    found = tags_in(own, word)
    valid = [number for number in found if 1 <= number <= conditions]
    if valid:
        reason = without_tags(own, word)
        return Reply(valid[-1], reason or f"The tag {tag(word, valid[-1])} was written.", message)
    if found:
        return Reply(found[-1], "", message)
    return Reply(None, f"There is no tag {tag(word, 1)} or the like in: {shortened(message.text)}", message)


def _written(message: AIMessage) -> str:
    calls = [json.dumps({"name": call["name"], "args": call["args"]}, ensure_ascii=False) for call in message.tool_calls]
    return "\n".join(part for part in (message.text, *calls) if part)


def _usage(message: AIMessage) -> dict[str, Any] | None:
    return dict(message.usage_metadata) if message.usage_metadata else None


def _without_reply(name: StageName, status: StageStatus, reason: str) -> StageRecord:
    return StageRecord(
        method=name, status=status, selected=None, reason=reason, strategy=None, response="", usage=None, evidence=None
    )
