"""Runs that are recorded once, and played without the model and the tools."""

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from answergraph import AgentSpecError, ToolStrategy, as_tool, create_agent
from answergraph.testing import ScriptedChatModel, Tape, TapeMismatch, replay, use_tape
from tests.suite.colors import Run
from tests.suite.verdicts import CaseVerdict

RAN: list[str] = []


@tool
def look_up(case: str) -> str:
    """Look a case up."""
    RAN.append(case)
    return json.dumps({"case": case, "card": "4111 1111", "passed": True})


def call(name: str, args: dict[str, Any], call_id: str = "c1") -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": call_id}])


REPLIES = [call("look_up", {"case": "A-17"}), call("CaseVerdict", {"passed": True, "case": "A-17"}, "c2")]
INPUT = {"messages": "Did A-17 pass?"}


def agent_of(*replies: Any, tools: Any = (look_up,), **options: Any) -> Any:
    wanted: dict[str, Any] = {"response_format": ToolStrategy(CaseVerdict), "system_prompt": "Be exact."} | options
    return create_agent(ScriptedChatModel(replies=list(replies)), list(tools), **wanted)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the file of a tape with one run."""
    RAN.clear()
    with use_tape(tmp_path / "tapes" / "verdict.jsonl"):
        agent_of(*REPLIES).invoke(INPUT)
    assert RAN == ["A-17"]
    return tmp_path / "tapes" / "verdict.jsonl"


def test_a_recorded_run_is_played_without_model_and_tools(run: Run, path: Path) -> None:
    with use_tape(path):
        result = run(agent_of(), INPUT)
    assert result["structured_response"] == CaseVerdict(passed=True, case="A-17")
    assert RAN == ["A-17"]


def test_a_tape_holds_input_requests_replies_results_and_the_outcome(path: Path) -> None:
    tape = Tape.load(path)
    assert [record["kind"] for record in tape.records] == ["run", "request", "reply", "tool", "request", "reply", "end"]
    assert tape.input["messages"] == "Did A-17 pass?"
    assert tape.outcome["status"] == "answered"
    # A request holds only what was added since the one before.
    assert [len(record["messages"]) for record in tape.records if record["kind"] == "request"] == [2, 2]
    assert [len(request["messages"]) for request in tape.requests()] == [2, 4]


@pytest.mark.parametrize(
    ("change", "what", "field"),
    [
        ({"system_prompt": "Be kind."}, "message", "1"),
        ({"response_format": ToolStrategy(CaseVerdict, tool_message_content="Done.")}, None, None),
        ({"tools": [look_up.model_copy(update={"description": "Find a case."})]}, "tool", "look_up"),
        ({"tools": []}, "tool", "look_up"),
    ],
)
def test_a_request_that_differs_ends_the_run_and_is_named(
    run: Run, path: Path, change: dict[str, Any], what: str | None, field: str | None
) -> None:
    with use_tape(path):
        if what is None:
            run(agent_of(**change), INPUT)
            return
        with pytest.raises(TapeMismatch) as raised:
            run(agent_of(**change), INPUT)
    assert (raised.value.difference.step, raised.value.difference.what, raised.value.difference.field) == (1, what, field)


def test_in_order_a_changed_prompt_does_not_end_the_run(run: Run, path: Path) -> None:
    with use_tape(path, match="order"):
        assert run(agent_of(system_prompt="Be kind."), INPUT)["structured_response"].passed is True


def test_a_live_tool_runs_while_the_tape_is_played(run: Run, path: Path) -> None:
    with use_tape(path, live_tools=["look_up"]):
        run(agent_of(), INPUT)
    assert RAN == ["A-17", "A-17"]


def test_a_further_model_call_is_not_made(run: Run, path: Path) -> None:
    with use_tape(path):
        run(agent_of(), INPUT)
        with pytest.raises(TapeMismatch, match="no further reply for model"):
            run(agent_of(), INPUT)


def test_without_a_tape_nothing_is_recorded_in_mode_none(tmp_path: Path) -> None:
    with pytest.raises(AgentSpecError, match="record it with mode='once'"), use_tape(tmp_path / "no.jsonl", mode="none"):
        pytest.fail("The block runs.")


def test_mode_all_records_anew(run: Run, path: Path) -> None:
    with use_tape(path, mode="all"):
        run(agent_of(call("CaseVerdict", {"passed": False, "case": "B"})), INPUT)
    assert Tape.load(path).end["answer"] == {"passed": False, "case": "B"}


def test_a_block_that_fails_writes_no_tape(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), use_tape(tmp_path / "half.jsonl"):
        agent_of(REPLIES[0], RuntimeError("overloaded")).invoke(INPUT)
    assert not (tmp_path / "half.jsonl").exists()


def test_a_second_tape_is_refused_and_the_first_one_goes_on(run: Run, tmp_path: Path) -> None:
    agent = agent_of("one", "two", response_format=None)
    with use_tape(tmp_path / "first.jsonl") as tape:
        run(agent, INPUT)
        with pytest.raises(AgentSpecError, match="Another tape is in use"), use_tape(tmp_path / "second.jsonl"):
            pass
        run(agent, INPUT)
    assert [record["kind"] for record in tape.records] == ["run", "request", "reply", "end"] * 2


def test_a_streamed_run_is_played_in_chunks(run: Run, path: Path) -> None:
    with use_tape(path):
        chunks = list(run.stream(agent_of(), INPUT, None, stream_mode="messages"))
    assert len(chunks) > len(REPLIES)


def test_an_error_of_the_model_is_played(run: Run, tmp_path: Path) -> None:
    for agent in (agent_of(RuntimeError("overloaded")), agent_of()):
        with use_tape(tmp_path / "error.jsonl"):
            with pytest.raises(Exception, match="overloaded") as raised:
                run(agent, INPUT)
            assert type(raised.value).__name__ == "RuntimeError"


def test_a_replay_says_where_a_changed_agent_goes_another_way(path: Path) -> None:
    assert replay(path, agent_of()).difference is None
    changed = replay(path, agent_of(system_prompt="Be kind."))
    assert changed.difference is not None
    assert "Be kind." in changed.difference.text
    assert changed.answer is None
    kept = replay(path, agent_of(system_prompt="Be kind."), match="order")
    assert (kept.answer, kept.difference.what if kept.difference else None) == (CaseVerdict(passed=True, case="A-17"), "message")


def test_a_field_that_changed_is_named() -> None:
    class Strict(BaseModel):
        passed: bool
        case: str = "none"

    tape = Tape(
        [
            {"kind": "run", "input": INPUT},
            {"kind": "reply", "message": {"$message": {"type": "ai", "data": {"content": '{"passed": true}'}}}},
            {"kind": "end", "outcome": {"status": "answered"}, "answer": {"passed": True, "case": "A-17"}},
        ]
    )
    again = replay(tape, create_agent(ScriptedChatModel(replies=[]), response_format=Strict), match="order")
    assert again.difference is not None
    assert (again.difference.what, again.difference.field) == ("field", "case")


def test_what_a_person_answered_is_played(run: Run, tmp_path: Path) -> None:
    @tool
    def ask(question: str) -> str:
        """Ask a person."""
        return str(interrupt(question))

    replies = [call("ask", {"question": "Really?"}), call("CaseVerdict", {"passed": True, "case": "A"}, "c2")]
    config: Any = {"configurable": {"thread_id": "1"}}
    with use_tape(tmp_path / "asked.jsonl"):
        agent = agent_of(*replies, tools=[ask], checkpointer=InMemorySaver())
        run(agent, INPUT, config)
        run(agent, Command(resume="yes"), config)
    again = replay(tmp_path / "asked.jsonl", agent_of(tools=[ask]))
    assert (again.answer, again.difference) == (CaseVerdict(passed=True, case="A"), None)


def test_an_agent_in_a_tool_runs_again_and_its_model_is_played(run: Run, tmp_path: Path) -> None:
    def outer(*replies: Any, inner: list[Any]) -> Any:
        helper = create_agent(ScriptedChatModel(replies=inner), response_format=CaseVerdict, name="helper")
        return agent_of(*replies, tools=[as_tool(helper, description="Helps.")])

    replies = [call("helper", {"request": "A?"}), call("CaseVerdict", {"passed": True, "case": "A"}, "c2")]
    with use_tape(tmp_path / "inner.jsonl"):
        first = run(outer(*replies, inner=['{"passed": true, "case": "A"}']), INPUT)
    again = replay(tmp_path / "inner.jsonl", outer(inner=[]))
    assert again.difference is None
    assert again.outcome["usage"]["model_calls"] == first["outcome"]["usage"]["model_calls"]


def test_a_stored_thread_becomes_a_tape_of_its_last_run(run: Run, tmp_path: Path) -> None:
    saver, config = InMemorySaver(), RunnableConfig(configurable={"thread_id": "4711"})
    first = create_agent(ScriptedChatModel(replies=["Hello."]), checkpointer=saver)
    run(first, {"messages": [HumanMessage("Hi")]}, config)
    run(agent_of(*REPLIES, checkpointer=saver), INPUT, config)
    Tape.from_thread(saver, "4711", redact=["card"]).save(tmp_path / "4711.jsonl")
    assert "4111 1111" not in (tmp_path / "4711.jsonl").read_text()
    tape = Tape.load(tmp_path / "4711.jsonl")
    assert [message.text for message in tape.input["messages"]] == ["Hi", "Hello.", "Did A-17 pass?"]
    again = replay(tape, agent_of(), match="order")
    assert (again.answer, again.difference) == (CaseVerdict(passed=True, case="A-17"), None)


def test_an_unknown_thread_and_a_file_that_is_no_tape_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AgentSpecError, match="Nothing is stored"):
        Tape.from_thread(InMemorySaver(), "1")
    (tmp_path / "no.jsonl").write_text("[]\n")
    with pytest.raises(AgentSpecError, match="no tape"):
        Tape.load(tmp_path / "no.jsonl")
    (tmp_path / "later.jsonl").write_text('{"answergraph_tape": 99}\n')
    with pytest.raises(AgentSpecError, match="version 99"):
        Tape.load(tmp_path / "later.jsonl")


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        (lambda text: text[:-40], r"line \d+, is no JSON; the file may have been cut"),
        (lambda text: f"{text}[1]\n", r"line \d+, is no record of a tape"),
        (lambda text: "", "its first line must be"),
        (lambda text: text.replace("1}", '"one"}', 1), "its first line must be"),
    ],
    ids=["cut", "no record", "empty", "no version"],
)
def test_a_damaged_tape_says_where_and_what_to_do(path: Path, cut: Any, words: str) -> None:
    path.write_text(cut(path.read_text()))
    with pytest.raises(AgentSpecError, match=rf"{words}.* Record it anew: use_tape\(…, mode='all'\)"):
        replay(path, agent_of())


def test_a_block_without_a_run_records_nothing_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(AgentSpecError, match="nothing was recorded"), use_tape(tmp_path / "empty.jsonl"):
        pass
    assert not (tmp_path / "empty.jsonl").exists()


def test_a_single_name_may_be_a_text(run: Run, tmp_path: Path) -> None:
    with use_tape(tmp_path / "case.jsonl", redact="card"):
        run(agent_of(*REPLIES), INPUT)
    assert "4111 1111" not in (tmp_path / "case.jsonl").read_text()
    RAN.clear()
    replay(tmp_path / "case.jsonl", agent_of(), live_tools="look_up")
    assert RAN == ["A-17"]


def test_only_an_agent_is_run_again(path: Path) -> None:
    wrong: Any = "app:agent"
    with pytest.raises(AgentSpecError, match="agent='app:agent' is no agent"):
        replay(path, wrong)


def test_a_replay_that_ended_at_a_difference_has_no_outcome_and_says_which(run: Run, tmp_path: Path) -> None:
    with use_tape(tmp_path / "case.jsonl"):
        run(agent_of(*REPLIES), INPUT)
    again = replay(tmp_path / "case.jsonl", agent_of(system_prompt="Be quick."))
    with pytest.raises(TapeMismatch, match="Be quick"):
        _ = again.outcome["status"]
    assert again.end is None
