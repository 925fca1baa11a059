import asyncio
import csv
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import AgentSpecError, UsageLimits, create_agent
from answergraph.many import Group, MapRun, map_answers
from answergraph.many.ledger.agent_door import mark_of, used_definitions
from answergraph.many.ledger.map_ledger import MapLedger
from answergraph.testing import ScriptedChatModel
from tests.answergraph.many.invoices import Invoice, agent_of, collected, model_of, read_number, rows
from tests.suite.colors import Run


def test_each_row_ends_in_an_answer_of_the_declared_type(run: Run) -> None:
    ends = collected(run, map_answers(agent_of(), rows(40), key="id", input="body"))
    assert {key: row.answer for key, row in ends.items()} == {f"k{number}": Invoice(number=number) for number in range(40)}
    assert {row.status for row in ends.values()} == {"answered"}


def test_a_row_without_an_answer_says_why_by_status_field_and_rule(run: Run) -> None:
    given = [*rows(3), {"id": "poor", "body": "no invoice"}]
    mapped = map_answers(agent_of(), given, key="id", input="body")
    ends = collected(run, mapped)
    assert ends["poor"].answer is None
    assert ends["poor"].group == Group("invalid", "number", "schema")
    assert "number" in ends["poor"].reason
    assert mapped.counts() == {"answered": 3, "invalid": 1}
    assert mapped.groups() == {Group("answered"): 3, Group("invalid", "number", "schema"): 1}


def test_what_an_agent_raises_is_the_end_of_one_row(run: Run) -> None:
    def poisoned(text: str) -> str | Exception:
        return ZeroDivisionError("the poison") if "13" in text else read_number(text)

    ends = collected(run, map_answers(agent_of(poisoned), rows(20), key="id", input="body"))
    assert len(ends) == 20
    assert (ends["k13"].status, ends["k13"].group.rule) == ("unanswered", "ZeroDivisionError")
    assert "the poison" in ends["k13"].reason


@pytest.mark.parametrize(
    ("raised", "named"),
    [
        (SystemExit(2), "SystemExit: 2"),
        (KeyboardInterrupt(), "KeyboardInterrupt: "),
        (BaseException("odd"), "BaseException: odd"),
        (asyncio.CancelledError(), "NodeCancelledError: "),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_tool_that_ends_its_program_or_its_task_ends_one_row(raised: BaseException, named: str) -> None:
    @tool
    async def parse(text: str) -> str:
        """Read the options in a text."""
        raise raised

    def reply(messages: list[Any]) -> AIMessage | str:
        text = messages[0].text
        call = {"name": "parse", "args": {"text": text}, "id": "1", "type": "tool_call"}
        return AIMessage("", tool_calls=[call]) if "13" in text else read_number(text)

    agent = create_agent(ScriptedChatModel(replies=reply), [parse], response_format=Invoice)
    ends = {row.key: row for row in map_answers(agent, rows(20), key="id", input="body")}
    assert [key for key, row in ends.items() if row.status != "answered"] == ["k13"]
    assert ends["k13"].reason.startswith(f"The run raised {named}")


def test_an_agent_that_raises_without_an_answer_gives_its_outcome(run: Run) -> None:
    agent = agent_of(lambda _: '{"number": "none"}', on_failure="raise")
    ends = collected(run, map_answers(agent, rows(1), key="id", input="body"))
    assert ends["k0"].group == Group("invalid", "number", "schema")


def test_a_row_without_the_column_of_the_input_has_an_end(run: Run) -> None:
    ends = collected(run, map_answers(agent_of(), [*rows(2), {"id": "bare"}], key="id", input="body"))
    assert (ends["bare"].status, ends["bare"].group.rule) == ("unanswered", "input")
    assert "'body'" in ends["bare"].reason


def test_a_row_without_a_key_is_an_error_after_the_rows_under_way_have_ended(run: Run) -> None:
    seen: list[str] = []

    def consume() -> None:
        seen.extend(row.key for row in map_answers(agent_of(), [*rows(5), {"body": "7"}], key="id", input="body"))

    with pytest.raises(AgentSpecError, match="Row 6 has no key"):
        consume()
    assert sorted(seen) == [f"k{number}" for number in range(5)]


def test_key_and_input_may_be_functions(run: Run) -> None:
    mapped = map_answers(
        agent_of(),
        rows(3),
        key=lambda row: (row["id"], 1),
        input=lambda row: {"messages": [("user", row["body"])]},
    )
    assert collected(run, mapped)["('k2', 1)"].answer == Invoice(number=2)


def test_rows_are_read_from_files_and_from_a_cursor(run: Run, tmp_path: Path) -> None:
    import pyarrow as pa  # noqa: PLC0415 - an optional dependency
    from pyarrow import parquet  # noqa: PLC0415 - an optional dependency

    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows(9))))
    with (tmp_path / "rows.csv").open("w") as file:
        writer = csv.DictWriter(file, ["id", "body"])
        writer.writeheader()
        writer.writerows(rows(9))
    parquet.write_table(pa.Table.from_pylist(rows(9)), tmp_path / "rows.parquet")
    for name in ("rows.jsonl", "rows.csv", "rows.parquet"):
        ends = collected(run, map_answers(agent_of(), tmp_path / name, key="id", input="body"))
        assert {row.answer.number for row in ends.values()} == set(range(9)), name
    if not run.is_async:  # SQLite's cursors belong to the thread that made them
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.row_factory = sqlite3.Row
            cursor = connection.execute("SELECT 'k' || value AS id, 'Invoice ' || value AS body FROM json_each('[1, 2, 3]')")
            mapped = map_answers(agent_of(), cursor, key="id", input="body")
            assert {row.answer.number for row in mapped} == {1, 2, 3}


def test_rows_are_read_lazily(run: Run) -> None:
    read: list[int] = []

    def endless() -> Iterator[dict[str, Any]]:
        for number in range(10**9):
            read.append(number)
            yield {"id": number, "body": str(number)}

    for number, _ in enumerate(map_answers(agent_of(), endless(), key="id", input="body", concurrency=4)):
        if number == 50:
            break
    assert len(read) < 100


def test_the_same_key_is_done_once_and_equal_inputs_are_asked_once(run: Run) -> None:
    model = model_of()
    agent = create_agent(model, response_format=Invoice)
    given = [*rows(5), *rows(5), *({"id": f"copy{number}", "body": "Invoice 3"} for number in range(10))]
    ends = collected(run, map_answers(agent, given, key="id", input="body"))
    assert (len(ends), len(model.requests)) == (15, 5)
    assert ends["copy7"].answer == Invoice(number=3)


def test_equal_inputs_are_asked_for_each_where_they_may_differ(run: Run) -> None:
    model = model_of()
    agent = create_agent(model, response_format=Invoice)
    given = [{"id": number, "body": "Invoice 3"} for number in range(6)]
    collected(run, map_answers(agent, given, key="id", input="body", share_equal_inputs=False))
    assert len(model.requests) == 6


def test_a_second_run_on_a_ledger_asks_for_nothing_that_has_ended(run: Run, tmp_path: Path) -> None:
    first = collected(run, map_answers(agent_of(), rows(10), key="id", input="body", ledger=tmp_path / "run.db"))
    model = ScriptedChatModel(replies=['{"number": 99}'])
    agent = create_agent(model, response_format=Invoice)
    again = collected(
        run, map_answers(agent, [*rows(10), {"id": "new", "body": "x"}], key="id", input="body", ledger=tmp_path / "run.db")
    )
    assert len(model.requests) == 1
    assert again == {**first, "new": again["new"]}
    assert again["new"].answer == Invoice(number=99)


def test_a_pass_that_was_left_early_gives_its_rows_back(run: Run, tmp_path: Path) -> None:
    mapped = map_answers(agent_of(), rows(100), key="id", input="body", ledger=tmp_path / "run.db")
    for _ in mapped:
        break
    assert len(collected(run, map_answers(agent_of(), rows(100), key="id", input="body", ledger=tmp_path / "run.db"))) == 100


def test_again_asks_for_the_rows_that_ended_so_by_another_agent(run: Run, tmp_path: Path) -> None:
    poor = agent_of(lambda text: read_number(text) if "1" in text else '{"number": "none"}')
    mapped = map_answers(poor, rows(20), key="id", input="body", ledger=tmp_path / "run.db")
    before = collected(run, mapped)
    better = model_of()
    after = collected(run, mapped.again(create_agent(better, response_format=Invoice), status={"invalid"}))
    failed = [key for key, row in before.items() if row.status == "invalid"]
    assert len(failed) == len(better.requests) == 9
    assert {row.answer.number for row in after.values()} == set(range(20))
    assert mapped.counts() == {"answered": 20}


def test_again_needs_rows_that_can_be_read_again_and_the_same_schema(run: Run) -> None:
    mapped = map_answers(agent_of(), iter(rows(2)), key="id", input="body")
    collected(run, mapped)
    with pytest.raises(AgentSpecError, match="not an iterator"):
        mapped.again(status={"invalid"})
    other = create_agent(model_of(), response_format=int)
    with pytest.raises(AgentSpecError, match="same response format"):
        map_answers(agent_of(), rows(2), key="id", input="body").again(other, status={"invalid"})


class Outcome(BaseModel):
    """An answer with a name that the agent's own output has as well."""

    number: int


@pytest.mark.parametrize("schema", [Invoice, Outcome, Literal[7], list[int]])
def test_a_ledger_goes_on_whose_schema_was_named_as_the_whole_output_has_it(tmp_path: Path, schema: Any) -> None:
    agent = create_agent(model_of(), response_format=schema)
    output = agent.get_output_jsonschema()
    answer = output["properties"]["structured_response"]
    mark = mark_of({"$defs": used_definitions(answer, output["$defs"]), **answer})
    MapLedger(tmp_path / "run.db", mark, earlier=lambda: mark, shares_equal_inputs=True)
    assert map_answers(agent, rows(1), key="id", input="body", ledger=tmp_path / "run.db").counts() == {}


def test_a_ledger_of_another_schema_is_refused(tmp_path: Path) -> None:
    map_answers(agent_of(), rows(1), key="id", input="body", ledger=tmp_path / "run.db")
    with pytest.raises(AgentSpecError, match="another schema"):
        map_answers(create_agent(model_of(), response_format=int), rows(1), key="id", input="body", ledger=tmp_path / "run.db")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rows": "rows.xls"}, r"\.parquet"),
        ({"rows": "missing.csv"}, "no file"),
        ({"rows": 3}, "iterable"),
        ({"via": "batch"}, r"BatchAPI\(\)"),
        ({"ledger": "mysql://x"}, "postgresql://"),
        ({"concurrency": 0}, "at least 1"),
        ({"stop_after": 0}, "at least 1"),
        ({"limits": UsageLimits(answer_attempts=2)}, "answer_attempts is a run's"),
        ({"agent": create_agent("offline")}, "response_format"),
    ],
)
def test_what_cannot_be_mapped_is_refused_at_once(options: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"agent": agent_of(), "rows": rows(1), "key": "id", "input": "body", **options}
    with pytest.raises(AgentSpecError, match=words):
        map_answers(**arguments)


def test_a_row_that_has_changed_is_asked_anew(run: Run, tmp_path: Path) -> None:
    asked: list[str] = []

    def noted(text: str) -> str:
        asked.append(text)
        return read_number(text)

    def mapped(*documents: dict[str, Any], **options: Any) -> MapRun[Any]:
        return map_answers(agent_of(noted), documents, key="id", input="body", ledger=tmp_path / "run.db", **options)

    collected(run, mapped(*rows(3)))
    asked.clear()
    again = mapped(rows(1)[0], {"id": "k1", "body": "Invoice 12"}, *rows(3)[2:])
    assert collected(run, again)["k1"].answer.number == 12
    assert (asked, again.counts()) == (["Invoice 12"], {"answered": 3})


def test_what_no_ledger_has_is_counted_too(run: Run) -> None:
    mapped = map_answers(agent_of(), [*rows(2), {"id": "bare"}], key="id", input="body")
    collected(run, mapped)
    assert mapped.counts() == {"answered": 2, "unanswered": 1}
    assert mapped.examples[Group("unanswered", rule="input")].key == "bare"


def test_a_wrong_name_of_the_input_is_the_developers_mistake(run: Run) -> None:
    with pytest.raises(AgentSpecError, match="no column 'text'; the first row has id, body"):
        collected(run, map_answers(agent_of(), rows(2), key="id", input="text"))


@pytest.mark.parametrize("status", ["invalid", {"invalit"}])
def test_a_status_that_no_row_can_have_is_not_asked_again(status: Any) -> None:
    with pytest.raises(AgentSpecError, match="'invalid'"):
        map_answers(agent_of(), rows(2), key="id", input="body").again(status=status)


def test_a_change_of_the_agent_or_of_an_input_is_said(run: Run, tmp_path: Path) -> None:
    ledger = tmp_path / "run.db"
    collected(run, map_answers(agent_of(system_prompt="Read."), rows(3), key="id", input="body", ledger=ledger))
    same = map_answers(agent_of(system_prompt="Read."), rows(4), key="id", input="body", ledger=ledger)
    collected(run, same)
    assert same.notes == []
    given = [{**row, "body": "Another"} if row["id"] == "k1" else row for row in rows(5)]
    other = map_answers(agent_of(system_prompt="Read well."), given, key="id", input="body", ledger=ledger)
    collected(run, other)
    assert any("agent changed" in note for note in other.notes)
    assert any("'k1'" in note for note in other.notes)


@pytest.mark.parametrize("wrong", ["a text", 5, (1, "a text")])
def test_a_row_that_is_no_dict_is_refused_by_its_number(run: Run, wrong: Any) -> None:
    with pytest.raises(AgentSpecError, match=r"Row 2 is .*; each row is a dict"):
        collected(run, map_answers(agent_of(), [*rows(1), wrong], key="id", input="body"))
