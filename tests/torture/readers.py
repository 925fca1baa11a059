"""The register of readers: every part of the library that reads text of a model, a caller or a file, with hostile input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, InvalidToolCall
from langchain_core.tools import ToolException
from pydantic import BaseModel

from answergraph import AgentSpecError, PromptedStrategy, ToolStrategy
from answergraph.answers.untrusted.untrusted_schema import UntrustedSchemaError, check_untrusted_schema
from answergraph.asking.model_request import ModelRequest
from answergraph.asking.providers.failed_samples import reply_in
from answergraph.asking.providers.refusals import objection_in
from answergraph.asking.strategies.strategy import AnswerRequest
from answergraph.errors import RuleEvaluationError
from answergraph.graphs.add_ons.calculator.llm_math.llm_math_tool import answer_in
from answergraph.graphs.add_ons.calculator.llm_math.math_expression import CalculationError, calculate
from answergraph.graphs.add_ons.judge.judging.grounding import grounded_in
from answergraph.graphs.add_ons.judge.judging.judged_text import JudgedText
from answergraph.graphs.add_ons.judge.judging.tags import tags_in, without_echo, without_tags
from answergraph.graphs.add_ons.judge.rules.rule import Rules, parse_rule
from answergraph.graphs.add_ons.triage.offline.normalised_text import normalised
from answergraph.graphs.add_ons.triage.offline.triage_rules import judge
from answergraph.graphs.add_ons.triage.run_files.file_search import read_lines, search
from answergraph.graphs.add_ons.triage.run_files.junit_results import read_junit
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import Folder, FolderError
from answergraph.graphs.add_ons.workflow.takt_files import filled, without_ai
from answergraph.graphs.add_ons.workflow.yaml_document import YamlDocument
from answergraph.json_text.json_in_text import closed_value
from answergraph.kit import parse_structured_output
from answergraph.offline.arithmetic_notation import ExpressionError
from answergraph.offline.expression_search import find_expression
from answergraph.react_text.react_reply import read_reply, thought_in
from answergraph.react_text.text_tool import TextTool
from answergraph.reading.calls_from_text import with_calls
from answergraph.reading.filled_schema import with_copies
from answergraph.reading.reply_reader import ReplyReader
from answergraph.state.field_path import FieldPath
from answergraph.state.messages import correction_message, repaired_history
from answergraph.streaming.growing_json import GrowingJson
from answergraph.testing import ScriptedChatModel
from tests.graphs.add_ons.triage.offline.test_triage_rules import case
from tests.torture.evidence_reader import look_for_evidence
from tests.torture.hostile_inputs import JUNIT, RULES_ON_FACTS, SCHEMAS, YAML
from tests.torture.hostile_texts import SHAPES


class Verdict(BaseModel):
    """The test's verdict."""

    passed: bool
    why: str = ""


LARGEST_TEXT = 32_000
"""Characters of the largest text of a model; growth is visible long before."""
LARGEST_OF_MANY = 128_000
"""Above a thousand objects a text is mended as a whole: a step in the time, which inputs on both sides of it tell from growth."""


@dataclass(frozen=True)
class Reader:
    """One reader and its input."""

    name: str
    read: Callable[[Any], object]
    modules: tuple[str, ...]
    """The modules of the library that are measured here."""
    hostile: Mapping[str, Callable[[int], Any]] = field(default_factory=lambda: SHAPES)
    largest: int = LARGEST_TEXT


_ASKED = [AnswerRequest(strategy, frozenset({"Verdict"})) for strategy in (PromptedStrategy(Verdict), ToolStrategy(Verdict))]
_SENT: ModelRequest[Any] = ModelRequest(model=ScriptedChatModel(replies=["Hello."]), messages=[])
_TOOLS = [
    TextTool("add", "Adds.", {"a": {"type": "integer"}, "b": {"type": "integer"}}, ("a", "b")),
    TextTool("look", "", {"q": {}}),
]


def _reply(text: str) -> None:
    for asked in _ASKED:
        ReplyReader(asked).read(AIMessage(text))
    ReplyReader(_ASKED[0]).read(AIMessage(text, response_metadata={"finish_reason": "length"}))


def _arguments(text: str) -> None:
    call = InvalidToolCall(name="Verdict", args=text, id="1", error=None, type="invalid_tool_call")
    ReplyReader(_ASKED[1]).read(AIMessage("", invalid_tool_calls=[call]))


def _copies(text: str) -> None:
    sent, example = [HumanMessage("Go."), correction_message("Field required")], _ASKED[0].strategy.example()
    attempts: Any = [{"fields": {"passed": "Field required"}}]
    with_copies(AIMessage(f'"<boolean>" Field required {text}'), _ASKED[0].strategy, sent, example, attempts)


def _metadata(text: str) -> None:
    ReplyReader(_ASKED[0]).read(AIMessage("x", response_metadata={"finish_reason": text, "stop_reason": text}))


def _react(text: str) -> None:
    read_reply(text, _TOOLS)
    read_reply(text, _TOOLS, formatted=True)
    thought_in(text)


class _ServerError(Exception):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.status_code, self.body = 400, {"message": text, "error": {"message": text, "failed_generation": text}}


def _provider_error(text: str) -> None:
    reply_in(_ServerError(text), None)
    objection_in(_ServerError(text), None, ("Verdict",))


def _grow(text: str) -> None:
    # A thousand pieces: ten times as many show the same growth and take ten times as long to measure.
    growing, step = GrowingJson(), max(1, len(text) // 1000)
    for start in range(0, len(text), step):
        growing.add(text[start : start + step])


def _judged(text: str) -> None:
    work = JudgedText(text)
    work.without_tags("STEP", "JUDGE")
    work.holds_answer({"step": 1, "reason": "x"}, text)
    grounded_in(text, text[:2000], ["one"])


def _judge_reply(text: str) -> None:
    own = without_echo(text, text)
    tags_in(own, "STEP")
    without_tags(own, "STEP")
    JudgedText("All good.").holds_answer({"step": 1, "reason": "x"}, text)
    grounded_in("All the tests pass, and the linter is happy.", text, ["one", "two"])


def _quiet(read: Callable[[Any], object], *errors: type[Exception]) -> Callable[[Any], None]:
    def quietly(given: Any) -> None:
        with suppress(*errors):
            read(given)

    return quietly


def _rule(text: str) -> None:
    for form in (text, f"when({text})", f"when(exists(items, {text}))"):
        with suppress(AgentSpecError):
            parse_rule(form)


def _facts(given: tuple[str, int]) -> None:
    rule, items = given
    facts = {"items": list(range(items)), "long": "a" * 50_000, "deep": [[[1] * 10] * 10] * (items // 100)}
    with suppress(RuleEvaluationError):
        Rules([rule]).match_without_judge(facts, [])


@contextmanager
def _file(name: str, content: str | bytes) -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode(errors="replace"))
        yield path


def _instruction(text: str) -> None:
    filled(text, {}, 9)
    without_ai(f"ai('{text}")


def _path(text: str) -> None:
    for path in (text, f"items[{text!r}]"):
        with suppress(AgentSpecError):
            FieldPath(path)


def _yaml(text: str) -> None:
    with _file("workflow.yaml", text) as path, suppress(AgentSpecError):
        YamlDocument(path)


def _junit(content: str | bytes) -> None:
    with _file("results.xml", content) as path:
        read_junit(Folder(path.parent), path.name)


def _log(text: str) -> None:
    with _file("test.log", text) as path, suppress(FolderError):
        folder = Folder(path.parent)
        read_lines(folder, path.name, -5, 400)
        search(folder, r"(a+)+$|ERROR.*x{2,}", folder.listing().files, regex=True)


def _history(given: list[Any]) -> None:
    repaired_history(given)


def _calls(size: int) -> list[Any]:
    call = [{"name": "add", "args": {"a": 1}, "id": str(at)} for at in range(size // 20)]
    return [HumanMessage("?"), AIMessage("", tool_calls=call)]


def _many_replies(size: int) -> list[Any]:
    return [AIMessage("", tool_calls=[{"name": "add", "args": {}, "id": str(at)}]) for at in range(size // 20)]


_ANSWERS = "answergraph.answers"
_READING = "answergraph.reading"
_JSON = "answergraph.json_text"
_REACT = "answergraph.react_text"
_ADD_ONS = "answergraph.graphs.add_ons"
_JUDGING = f"{_ADD_ONS}.judge.judging"
_MATH = f"{_ADD_ONS}.calculator.llm_math"
_FILES = f"{_ADD_ONS}.triage.run_files"

READERS = (
    Reader(
        "a reply",
        _reply,
        (
            *(f"{_READING}.{name}" for name in ("reply_reader", "text_calls")),
            *(f"{_JSON}.{name}" for name in ("json_in_text", "json_syntax_repair", "strict_json")),
        ),
    ),
    Reader("arguments of an answer call", _arguments, (f"{_READING}.reply_reader",), largest=LARGEST_OF_MANY),
    Reader("marks of the provider", _metadata, ("answergraph.state.stop_reasons",)),
    Reader("parse_structured_output", parse_structured_output, (f"{_JSON}.json_in_text",), largest=LARGEST_OF_MANY),
    Reader("a text that was cut", closed_value, (f"{_JSON}.json_in_text",)),
    Reader(
        "calls written as text",
        lambda text: with_calls(AIMessage(text), ["add", "Verdict"], _ASKED[1].strategy, _SENT),
        tuple(f"{_READING}.{name}" for name in ("text_calls", "call_forms", "calls_from_text")),
    ),
    Reader("copies of what was shown", _copies, (f"{_READING}.filled_schema",)),
    Reader(
        "errors of a provider",
        _provider_error,
        tuple(f"answergraph.asking.providers.{name}" for name in ("provider_error", "failed_samples", "refusals")),
    ),
    Reader("a growing answer", _grow, ("answergraph.streaming.growing_json",)),
    Reader(
        "a reply of the text protocol",
        _react,
        tuple(f"{_REACT}.{name}" for name in ("protocol_labels", "react_reply", "text_tool")),
    ),
    Reader("judged text", _judged, (f"{_JUDGING}.judged_text", f"{_JUDGING}.grounding")),
    Reader(
        "a judge's reply",
        _judge_reply,
        tuple(f"{_JUDGING}.{name}" for name in ("tags", "stages", "judged_text", "grounding")),
    ),
    Reader("the text of a rule", _rule, (f"{_ADD_ONS}.judge.rules.rule", f"{_ADD_ONS}.judge.rules.rule_parser")),
    Reader("facts under a rule", _facts, (f"{_ADD_ONS}.judge.rules.when_expression",), RULES_ON_FACTS, 32_000),
    Reader(
        "a reply of llm-math",
        _quiet(answer_in, ToolException),
        (f"{_MATH}.llm_math_tool", f"{_MATH}.math_expression"),
    ),
    Reader("an expression", _quiet(calculate, CalculationError), (f"{_MATH}.math_expression",)),
    Reader(
        "a question to the offline model",
        _quiet(find_expression, ExpressionError),
        ("answergraph.offline.expression_search", "answergraph.offline.arithmetic_notation"),
    ),
    Reader(
        "a caller's schema",
        _quiet(check_untrusted_schema, UntrustedSchemaError),
        (f"{_ANSWERS}.untrusted.untrusted_schema",),
        SCHEMAS,
    ),
    Reader("workflow YAML", _yaml, (f"{_ADD_ONS}.workflow.yaml_document",), YAML, 128_000),
    Reader("a workflow's instruction", _instruction, (f"{_ADD_ONS}.workflow.takt_files",)),
    Reader("JUnit XML", _junit, (f"{_FILES}.junit_xml", f"{_FILES}.junit_results"), JUNIT, 512_000),
    Reader("the path of a field", _path, ("answergraph.state.field_path",)),
    Reader("evidence in a result, and a quote", look_for_evidence, ("answergraph.evidence",)),
    Reader("what a failure says", normalised, (f"{_ADD_ONS}.triage.clusters", f"{_ADD_ONS}.triage.offline.normalised_text")),
    Reader("the details of a failure", lambda text: judge(case(text)), (f"{_ADD_ONS}.triage.offline",)),
    Reader("a log", _log, (f"{_FILES}.file_search", f"{_FILES}.text_stream")),
    Reader(
        "a conversation",
        _history,
        ("answergraph.state.messages",),
        {"calls without results": _calls, "replies without results": _many_replies},
        512_000,
    ),
)
"""Each reader once; ``test_readers`` measures all of them, and fails if a module that reads has no row."""
