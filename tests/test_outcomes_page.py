"""The table of `docs/endings.md`: each row runs as a test, and the page shows its result.

`python -m tests.test_outcomes_page` rewrites the page.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from answergraph import (
    AnswerRejected,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    UsageLimits,
    create_agent,
)
from answergraph.middleware import after_model
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import BAD, GOOD, QUESTION, Verdict, bad, call, calls, lookup
from tests.suite.tools import search

PAGE = Path(__file__).parents[1] / "docs" / "endings.md"

ABOVE = """# Every way to end

[How a run ends](outcomes.md) explains the outcome; this page lists what leads to which. `tests/test_outcomes_page.py` runs
each row of the first table and counts the calls of the model. A row that names no strategy uses `ToolStrategy`. With a bare
schema, as in the tutorial, it ends the same after as many calls; only a mistake made twice, and prose or an echo twice,
then lead to the next strategies: four calls in all. There is one tool; limits and all other options have their defaults.

| what the model does | what happens | status | calls |
|---|---|---|---|
"""
BELOW = """
If a check rejects an early answer, the tools beside it run, and the answer is read again with their results. A check that returns
`False` rejects too; the model is sent the check's name and docstring. A check that returns anything else, or changes the answer,
raises `AgentSpecError`: a run ends with the value that was validated.
With `on_failure="raise"`, a run without a value raises `NoAnswerError`, which carries the outcome of the table.
Without a response format, `outcome` is only set in two cases: a limit ended the run, or the run ended `deferred` and waits for
the results of external calls ([moving-over.md](moving-over.md)).
"""

WRITE_IT = "docs/endings.md does not say what the rows of this file say; write it anew: python -m tests.test_outcomes_page"

ANSWER = '{"passed": true, "score": 7}'
CUT = AIMessage('{"passed": tr', response_metadata={"finish_reason": "length"})
SEARCH = call("search", {"query": "x"}, "s")
SEARCHES: list[Any] = [calls({**SEARCH, "id": f"s{n}"}) for n in range(9)]
CUT_SEARCH = AIMessage("", tool_calls=[SEARCH], response_metadata={"finish_reason": "length"})
BOTH = calls(call("Verdict", GOOD, "a"), SEARCH)


def good(call_id: str = "g") -> AIMessage:
    return calls(call("Verdict", GOOD, call_id))


def malformed(name: str, args: str, call_id: str = "m") -> AIMessage:
    return AIMessage(
        "", invalid_tool_calls=[{"name": name, "args": args, "id": call_id, "error": None, "type": "invalid_tool_call"}]
    )


def reject(answer: Any, state: Any, runtime: Any) -> None:
    raise AnswerRejected("There is no such test.")


@after_model(can_jump_to=["end"])
def stop(state: Any, runtime: Any) -> dict[str, Any]:
    return {"jump_to": "end"}


@dataclass(frozen=True)
class Row:
    """One situation: its text on the page, and its program."""

    situation: str
    happens: str
    status: str
    calls: int
    script: list[Any]
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.situation

    @property
    def line(self) -> str:
        return f"| {self.situation} | {self.happens} | `{self.status}` | {self.calls} |"


def under(strategy: Any) -> dict[str, Any]:
    return {"response_format": strategy}


def within(**limits: Any) -> dict[str, Any]:
    return {"limits": UsageLimits(**limits)}


FALLBACK = FallbackStrategy([ToolStrategy(Verdict), PromptedStrategy(Verdict)])
DEFERRED = DeferredStrategy(ToolStrategy(Verdict))

FREE = under(DEFERRED)

ROWS = [
    # A value
    Row("a valid answer", "accepted", "answered", 1, [good()]),
    Row("JSON as the whole text, in a fence or in prose", "read; the repair is recorded", "answered", 1, [f"It is {ANSWER}."]),
    Row(
        "JSON with a small syntax error, such as an extra comma",
        "repaired if no data changes; the repair is recorded",
        "answered",
        1,
        [f"{ANSWER[:-1]},}}"],
    ),
    Row("an answer in malformed arguments", "read from them", "answered", 1, [malformed("Verdict", f"Sure: {ANSWER}")]),
    Row("an answer call under `ProviderStrategy`", "read", "answered", 1, [good()], under(ProviderStrategy(Verdict))),
    Row(
        "two equal answers in one message",
        "one answer",
        "answered",
        1,
        [calls(call("Verdict", GOOD, "a"), call("Verdict", GOOD))],
    ),
    Row(
        "the result of a `return_direct` tool that holds an answer",
        "read once",
        "answered",
        1,
        [calls(call("lookup", {"key": "good"}))],
        {"tools": [lookup]},
    ),
    # Answers that cannot be used
    Row("an invalid answer, then a valid one", "sent back with what is wrong", "answered", 2, [bad(0), good()]),
    Row("the same invalid answer twice", "not asked a third time in the same way", "invalid", 2, [bad(0), bad(0)]),
    Row("a different invalid answer each time", "four attempts, see `answer_attempts`", "invalid", 4, [bad(n) for n in range(5)]),
    Row(
        "two different answers in one message",
        "sent back: which one is meant?",
        "answered",
        2,
        [calls(call("Verdict", GOOD, "a"), call("Verdict", {**GOOD, "score": 1}, "b")), good()],
    ),
    Row(
        "two different answers in prose",
        "sent back",
        "answered",
        2,
        [f'{ANSWER} or {{"passed": false, "score": 1}}', good()],
    ),
    Row("malformed arguments that hold no answer", "sent back", "answered", 2, [malformed("Verdict", "{"), good()]),
    Row(
        "the same valid answer, rejected twice by `check_answer`",
        "sent back once",
        "invalid",
        2,
        [good("a"), good("b")],
        {"check_answer": reject},
    ),
    Row(
        "different valid answers, each rejected by `check_answer`, even in the same words",
        "sent back until no attempt is left",
        "invalid",
        4,
        [calls(call("Verdict", {**GOOD, "score": score}, f"d{score}")) for score in range(4)],
        {"check_answer": reject},
    ),
    Row(
        "the same invalid answer twice, with another strategy left",
        "asked with the next strategy",
        "answered",
        3,
        [bad(0), bad(0), ANSWER],
        under(FALLBACK),
    ),
    # No answer
    Row("prose, then an answer", "the answer is requested", "answered", 2, ["It passed.", good()]),
    Row("prose twice", "asked once", "unanswered", 2, ["It passed.", "As I said."]),
    Row("prose to a bare schema", "asked with each strategy", "unanswered", 4, ["It passed."] * 4, under(Verdict)),
    Row("an echo of the schema", "treated like prose", "unanswered", 2, [json.dumps(Verdict.model_json_schema())] * 2),
    Row(
        "a `return_direct` result that holds no answer",
        "never asked again",
        "unanswered",
        1,
        [calls(call("lookup", {"key": "bad"}))],
        {"tools": [lookup]},
    ),
    Row(
        "a refusal, or a content filter", "never asked again", "refused", 1, [AIMessage("", additional_kwargs={"refusal": "No."})]
    ),
    Row("a reply cut at the token limit, then an answer", "asked once to be brief", "answered", 2, [CUT, good()]),
    Row("two replies cut at the token limit, whether they parse or not", "the run ends", "truncated", 2, [CUT, CUT]),
    Row("a tool call in a cut reply", "not executed; answered with an error", "answered", 2, [CUT_SEARCH, good()]),
    Row("the same twice", "the run ends", "truncated", 2, [CUT_SEARCH, CUT_SEARCH]),
    Row(
        "a draft in a `<think>` block, then an answer",
        "the draft is no answer",
        "answered",
        2,
        [f"<think>Perhaps {ANSWER}</think>", good()],
    ),
    Row("nothing, or reasoning only, twice", "asked once", "empty", 2, [AIMessage(""), AIMessage("")]),
    # Answers and tools
    Row(
        "an answer beside a tool call", "held until the model has seen the result and confirms it", "answered", 2, [BOTH, good()]
    ),
    Row(
        'the same, `end_strategy="exhaustive"`',
        "the tool runs, the answer counts",
        "answered",
        1,
        [BOTH],
        {"end_strategy": "exhaustive"},
    ),
    Row(
        'the same, `end_strategy="early"`',
        "the answer counts, the tool does not run",
        "answered",
        1,
        [BOTH],
        {"end_strategy": "early"},
    ),
    Row(
        "an invalid answer beside a tool call",
        "the tool runs, the answer is sent back",
        "answered",
        2,
        [calls(call("Verdict", BAD, "a"), SEARCH), good()],
    ),
    Row("a tool that does not exist", "answered with the list of tools", "answered", 2, [calls(call("grep", {})), good()]),
    Row("malformed arguments of a tool", "answered with an error", "answered", 2, [malformed("search", "{"), good()]),
    # The free loop
    Row("prose that holds an answer, under `DeferredStrategy`", "the final step is skipped", "answered", 1, [ANSWER], FREE),
    Row("prose, under `DeferredStrategy`", "the final step asks for the answer", "answered", 2, ["It passed.", good()], FREE),
    # Limits
    Row(
        "tools until the budget's last call, then an answer",
        "the last call forces the answer and switches the tools off",
        "answered",
        3,
        [*SEARCHES[:2], good()],
        within(model_calls=3),
    ),
    Row(
        "tool calls until the budget is used up",
        "the last calls are not executed",
        "out_of_budget",
        3,
        SEARCHES,
        within(model_calls=3),
    ),
    Row("an invalid answer in the budget's last call", "not sent back", "out_of_budget", 1, [bad(0)], within(model_calls=1)),
    Row(
        "more tool calls than `tool_calls` allows",
        "the other calls are answered as not available; the answer is requested",
        "answered",
        2,
        [calls(SEARCH, {**SEARCH, "id": "t"}), good()],
        within(tool_calls=1),
    ),
    Row(
        "a hook jumps to the end after a valid answer", "it is read and accepted", "answered", 1, [good()], {"middleware": [stop]}
    ),
    Row("a hook jumps to the end after prose", "read, never asked again", "unanswered", 1, ["Hm."], {"middleware": [stop]}),
]


def page() -> str:
    return ABOVE + "".join(f"{row.line}\n" for row in ROWS) + BELOW


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_situation_ends_as_the_page_says(run: Callable[..., Any], row: Row) -> None:
    model = ScriptedChatModel(replies=[reply if isinstance(reply, str) else reply.model_copy() for reply in row.script])
    options = {"response_format": ToolStrategy(Verdict), "tools": [search], **row.options}
    result = run(create_agent(model, **options), QUESTION)
    assert (result["outcome"]["status"], len(model.requests)) == (row.status, row.calls)
    assert (result["structured_response"] is not None) == (row.status == "answered")


def test_the_page_shows_the_rows() -> None:
    assert PAGE.read_text().partition("\n## ")[0] == page(), WRITE_IT


if __name__ == "__main__":
    PAGE.write_text(page() + "".join(PAGE.read_text().partition("\n## ")[1:]))
