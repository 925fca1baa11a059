"""LangChain's middleware runs unchanged: each test asserts its effect on an agent with a typed answer."""

from typing import Any

import pytest
from langchain.agents.middleware import (
    ClearToolUsesEdit,
    ContextEditingMiddleware,
    HumanInTheLoopMiddleware,
    LLMToolEmulator,
    LLMToolSelectorMiddleware,
    ModelCallLimitMiddleware,
    ModelFallbackMiddleware,
    ModelRetryMiddleware,
    PIIMiddleware,
    SummarizationMiddleware,
    TodoListMiddleware,
    ToolCallLimitMiddleware,
    ToolRetryMiddleware,
)
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from answergraph import ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.suite.tools import search
from tests.suite.verdicts import Verdict


@tool
def delete(path: str) -> str:
    """Delete a file."""
    return f"deleted {path}"


QUESTION: dict[str, Any] = {"messages": [HumanMessage("Did it pass?")]}
PASSED = Verdict(passed=True)


def call(name: str, call_id: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


def searches(call_id: str = "1", query: str = "log") -> AIMessage:
    return AIMessage("", tool_calls=[call("search", call_id, query=query)])


def answers(call_id: str = "a") -> AIMessage:
    return AIMessage("", tool_calls=[call("Verdict", call_id, passed=True)])


def selecting(*names: str) -> ScriptedChatModel:
    def reply(messages: Any, request: Any) -> AIMessage:
        return AIMessage("", tool_calls=[call(request.tool_names[0], "s", tools=list(names))])

    return ScriptedChatModel(replies=reply)


def agent_of(*replies: Any, middleware: Any, tools: Any = (search,), **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=list(replies))
    middleware = middleware if isinstance(middleware, list) else [middleware]
    agent = create_agent(model, list(tools), middleware=middleware, response_format=ToolStrategy(Verdict), **options)
    return agent, model


@pytest.mark.parametrize(
    ("decision", "seen"),
    [
        ({"type": "approve"}, "deleted /tmp/a"),
        ({"type": "edit", "edited_action": {"name": "delete", "args": {"path": "/tmp/b"}}}, "deleted /tmp/b"),
        ({"type": "reject", "message": "Keep it."}, "Keep it."),
    ],
    ids=["approve", "edit", "reject"],
)
def test_human_in_the_loop_decides_before_the_tool_runs(run: Any, decision: dict[str, Any], seen: str) -> None:
    asks = AIMessage("", tool_calls=[call("delete", "1", path="/tmp/a")])
    agent, _ = agent_of(
        asks,
        answers(),
        middleware=HumanInTheLoopMiddleware(interrupt_on={"delete": True}),
        tools=[delete],
        checkpointer=InMemorySaver(),
    )
    config = {"configurable": {"thread_id": "1"}}
    assert run(agent, QUESTION, config)["__interrupt__"][0].value["action_requests"][0]["name"] == "delete"
    result = run(agent, Command(resume={"decisions": [decision]}), config)
    assert seen in result["messages"][2].text
    assert result["structured_response"] == PASSED


def test_summarization_shortens_the_history_and_the_answer_still_comes(run: Any) -> None:
    summarizer = ScriptedChatModel(replies=lambda messages: AIMessage("They talked."))
    agent, model = agent_of(
        searches(), answers(), middleware=SummarizationMiddleware(summarizer, trigger=("messages", 6), keep=("messages", 2))
    )
    history = [HumanMessage("a"), AIMessage("b"), HumanMessage("c"), AIMessage("d"), HumanMessage("e"), AIMessage("f")]
    result = run(agent, {"messages": [*history, HumanMessage("Did it pass?")]})
    assert "They talked." in model.requests[0].messages[0].text
    assert len(model.requests[0].messages) < len(history)
    assert result["structured_response"] == PASSED


def test_model_fallback_takes_the_next_model(run: Any) -> None:
    spare = ScriptedChatModel(replies=[answers()])
    agent, model = agent_of(ConnectionError("down"), middleware=ModelFallbackMiddleware(spare))
    assert run(agent, QUESTION)["structured_response"] == PASSED
    assert (len(model.requests), len(spare.requests)) == (1, 1)


def test_model_retry_calls_again_after_an_error(run: Any) -> None:
    agent, model = agent_of(ConnectionError("down"), answers(), middleware=ModelRetryMiddleware(initial_delay=0.0, jitter=False))
    result = run(agent, QUESTION)
    assert (result["structured_response"], len(model.requests)) == (PASSED, 2)


def test_tool_retry_runs_a_failing_tool_again(run: Any) -> None:
    tries: list[str] = []

    @tool
    def flaky(query: str) -> str:
        """Fail at first."""
        tries.append(query)
        if len(tries) == 1:
            raise ConnectionError("down")
        return "up again"

    asks = AIMessage("", tool_calls=[call("flaky", "1", query="x")])
    agent, _ = agent_of(asks, answers(), middleware=ToolRetryMiddleware(initial_delay=0.0, jitter=False), tools=[flaky])
    result = run(agent, QUESTION)
    assert (tries, result["messages"][2].text, result["structured_response"]) == (["x", "x"], "up again", PASSED)


def test_model_call_limit_ends_the_run_and_the_outcome_says_that_there_is_no_answer(run: Any) -> None:
    agent, model = agent_of(searches("1"), searches("2"), middleware=ModelCallLimitMiddleware(run_limit=2, exit_behavior="end"))
    result = run(agent, QUESTION)
    assert len(model.requests) == 2
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "unanswered")


def test_tool_call_limit_blocks_further_calls_and_the_model_goes_on(run: Any) -> None:
    limit = ToolCallLimitMiddleware(run_limit=1, exit_behavior="continue")
    agent, _ = agent_of(searches("1"), searches("2"), answers(), middleware=limit)
    result = run(agent, QUESTION)
    assert result["messages"][2].text == "found log"
    assert "limit" in result["messages"][4].text.lower()
    assert result["structured_response"] == PASSED


def test_pii_is_redacted_before_the_model_sees_it(run: Any) -> None:
    agent, model = agent_of(answers(), middleware=PIIMiddleware("email", strategy="redact"))
    run(agent, {"messages": [HumanMessage("Write to ada@example.org")]})
    assert model.requests[0].messages[0].text == "Write to [REDACTED_EMAIL]"


def test_the_todo_list_adds_its_tool_and_keeps_its_list(run: Any) -> None:
    todos = [{"content": "read the log", "status": "in_progress"}]
    plans = AIMessage("", tool_calls=[call("write_todos", "1", todos=todos)])
    agent, model = agent_of(plans, answers(), middleware=TodoListMiddleware())
    result = run(agent, QUESTION)
    assert result["todos"] == todos
    assert model.requests[0].tool_names == ["write_todos", "search", "Verdict"]
    assert result["structured_response"] == PASSED


def test_the_tool_selector_narrows_the_tools_and_never_the_answer(run: Any) -> None:
    selector = selecting("delete")
    agent, model = agent_of(answers(), middleware=LLMToolSelectorMiddleware(model=selector, max_tools=1), tools=[search, delete])
    assert run(agent, QUESTION)["structured_response"] == PASSED
    assert model.requests[0].tool_names == ["delete", "Verdict"]


def test_context_editing_clears_old_results_from_the_prompt_alone(run: Any) -> None:
    edit = ClearToolUsesEdit(trigger=10, keep=1, placeholder="[cleared]")
    agent, model = agent_of(
        searches("1", "a" * 200), searches("2", "b"), answers(), middleware=ContextEditingMiddleware(edits=[edit])
    )
    result = run(agent, QUESTION)
    assert [m.text for m in model.requests[2].messages if m.type == "tool"] == ["[cleared]", "found b"]
    assert result["messages"][2].text == "found " + "a" * 200
    assert result["structured_response"] == PASSED


def test_the_tool_emulator_answers_in_place_of_the_tool(run: Any) -> None:
    emulator = ScriptedChatModel(replies=lambda messages: AIMessage("emulated"))
    agent, _ = agent_of(searches(), answers(), middleware=LLMToolEmulator(tools=["search"], model=emulator))
    result = run(agent, QUESTION)
    assert (result["messages"][2].text, result["structured_response"]) == ("emulated", PASSED)


def test_all_that_can_go_together_go_together(run: Any) -> None:
    def helper(text: str) -> ScriptedChatModel:
        return ScriptedChatModel(replies=lambda messages: AIMessage(text))

    middleware = [
        TodoListMiddleware(),
        PIIMiddleware("email", strategy="redact"),
        SummarizationMiddleware(helper("They talked."), trigger=("messages", 50), keep=("messages", 10)),
        HumanInTheLoopMiddleware(interrupt_on={"delete": True}),
        ModelCallLimitMiddleware(run_limit=10),
        ToolCallLimitMiddleware(run_limit=10),
        LLMToolSelectorMiddleware(model=selecting("search", "delete"), max_tools=2, always_include=["write_todos"]),
        ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=100_000)]),
        ModelFallbackMiddleware(ScriptedChatModel(replies=[AIMessage("spare")])),
        ModelRetryMiddleware(initial_delay=0.0, jitter=False),
        ToolRetryMiddleware(initial_delay=0.0, jitter=False),
        LLMToolEmulator(tools=["search"], model=helper("emulated")),
    ]
    both = AIMessage("", tool_calls=[call("search", "1", query="x"), call("delete", "2", path="/tmp/a")])
    agent, model = agent_of(
        ConnectionError("down"), both, answers(), middleware=middleware, tools=[search, delete], checkpointer=InMemorySaver()
    )
    config = {"configurable": {"thread_id": "1"}}
    asked = {"messages": [HumanMessage("Write to ada@example.org")]}
    assert run(agent, asked, config)["__interrupt__"][0].value["action_requests"][0]["name"] == "delete"
    result = run(agent, Command(resume={"decisions": [{"type": "approve"}]}), config)
    texts = {message.tool_call_id: message.text for message in result["messages"] if message.type == "tool"}
    assert (texts["1"], texts["2"]) == ("emulated", "deleted /tmp/a")
    assert "[REDACTED_EMAIL]" in model.requests[1].messages[-1].text
    assert (result["structured_response"], result["outcome"]["status"]) == (PASSED, "answered")


def test_a_person_turns_the_answer_down_and_the_model_is_asked_again(run: Any) -> None:
    review = HumanInTheLoopMiddleware(interrupt_on={"Verdict": True})
    second = AIMessage("", tool_calls=[call("Verdict", "b", passed=False)])
    agent, _ = agent_of(answers(), second, middleware=review, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    run(agent, QUESTION, config)
    run(agent, Command(resume={"decisions": [{"type": "reject", "message": "Look again."}]}), config)
    result = run(agent, Command(resume={"decisions": [{"type": "approve"}]}), config)
    assert result["structured_response"] == Verdict(passed=False)


def test_a_person_edits_the_answer_and_the_edited_one_counts(run: Any) -> None:
    review = HumanInTheLoopMiddleware(interrupt_on={"Verdict": True})
    agent, _ = agent_of(answers(), middleware=review, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    run(agent, QUESTION, config)
    edit = {"type": "edit", "edited_action": {"name": "Verdict", "args": {"passed": False}}}
    result = run(agent, Command(resume={"decisions": [edit]}), config)
    assert result["structured_response"] == Verdict(passed=False)
