"""LangChain's middleware around the text protocol: its changes reach the model."""

from typing import Any

from langchain.agents.middleware import (
    HumanInTheLoopMiddleware,
    ModelFallbackMiddleware,
    ModelRetryMiddleware,
    PIIMiddleware,
    SummarizationMiddleware,
    ToolCallLimitMiddleware,
)
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from answergraph import UsageLimits, create_agent
from answergraph.middleware import NarrowResponseFormat
from answergraph.models import ReActTextModel
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run
from tests.suite.tools import search
from tests.suite.verdicts import Missing, Verdict

QUESTION: dict[str, Any] = {"messages": ["Did it pass?"]}
THREAD: Any = {"configurable": {"thread_id": "1"}}
LOOKS = "I must look.\nAction: search\nAction Input: error"
PASSED = 'I now know.\nFinal Answer: {"passed": true}'


def prompts(llm: ScriptedChatModel) -> list[str]:
    return [request.messages[0].text for request in llm.requests]


def test_the_decision_of_a_person_about_a_call_is_the_observation(run: Run) -> None:
    llm = ScriptedChatModel(replies=[LOOKS, PASSED])
    approval = HumanInTheLoopMiddleware(interrupt_on={"search": True})
    options: dict[str, Any] = {"response_format": Verdict, "middleware": [approval], "checkpointer": InMemorySaver()}
    agent = create_agent(ReActTextModel(llm), [search], **options)
    run(agent, QUESTION, THREAD)
    edit = {"type": "edit", "edited_action": {"name": "search", "args": {"query": "warning"}}}
    result = run(agent, Command(resume={"decisions": [edit]}), THREAD)
    assert result["structured_response"] == Verdict(passed=True)
    assert prompts(llm)[1].startswith(f"{prompts(llm)[0]}{LOOKS}\nObservation: Note: a human reviewer replaced this tool call")
    assert "found warning" in prompts(llm)[1]


def test_a_model_with_tool_calls_takes_over_and_hands_back(run: Run) -> None:
    fails = ScriptedChatModel(replies=[LOOKS, ConnectionError("gone"), PASSED])
    call = {"name": "search", "args": {"query": "more"}, "id": "2", "type": "tool_call"}
    helps = ScriptedChatModel(replies=[AIMessage("Once more.", tool_calls=[call])], profile={"structured_output": True})
    options: dict[str, Any] = {"response_format": Verdict, "middleware": [ModelFallbackMiddleware(helps)]}
    result = run(create_agent(ReActTextModel(fails), [search], **options), QUESTION)
    assert result["structured_response"] == Verdict(passed=True)
    assert "Thought:Once more.\nAction: search\nAction Input: more\nObservation: found more\nThought:" in prompts(fails)[-1]


def test_retries_limits_and_redaction_work(run: Run) -> None:
    llm = ScriptedChatModel(replies=[ConnectionError("gone"), LOOKS, LOOKS, PASSED])
    middleware = [
        ModelRetryMiddleware(initial_delay=0, jitter=False),
        ToolCallLimitMiddleware(run_limit=1),
        PIIMiddleware("email", apply_to_input=True),
    ]
    question = {"messages": ["Did the test of ada@example.com pass?"]}
    result = run(create_agent(ReActTextModel(llm), [search], response_format=Verdict, middleware=middleware), question)
    assert result["structured_response"] == Verdict(passed=True)
    assert "Question: Did the test of [REDACTED_EMAIL] pass?" in prompts(llm)[-1]
    assert "Observation: Tool call limit exceeded" in prompts(llm)[-1]


def test_a_summary_takes_the_place_of_the_rounds_before(run: Run) -> None:
    llm = ScriptedChatModel(replies=[LOOKS, "They looked for errors.", PASSED])
    model = ReActTextModel(llm)
    summary = SummarizationMiddleware(model, trigger=("messages", 3), keep=("messages", 1))
    result = run(create_agent(model, [search], response_format=Verdict, middleware=[summary]), QUESTION)
    assert result["structured_response"] == Verdict(passed=True)
    assert "They looked for errors." in prompts(llm)[-1]


def test_a_narrowed_format_is_the_one_in_the_prompt(run: Run) -> None:
    llm = ScriptedChatModel(replies=['Final Answer: {"passed": true}', 'Final Answer: {"facts": ["the log"]}'])
    narrow = NarrowResponseFormat(lambda request: Missing)
    agent = create_agent(ReActTextModel(llm), [search], response_format=Verdict | Missing, middleware=[narrow])
    result = run(agent, QUESTION)
    assert result["structured_response"] == Missing(facts=["the log"])
    assert "facts" in prompts(llm)[0]
    assert "passed" not in prompts(llm)[0]


def test_tools_that_a_limit_turns_off_leave_the_answer_to_be_given(run: Run) -> None:
    llm = ScriptedChatModel(replies=[LOOKS, PASSED])
    limits = UsageLimits(tool_calls=1)
    result = run(create_agent(ReActTextModel(llm), [search], response_format=Verdict, limits=limits), QUESTION)
    assert result["structured_response"] == Verdict(passed=True)
    assert "I now need to return a final answer" in prompts(llm)[-1]
