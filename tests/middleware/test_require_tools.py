"""An answer counts only after the tools it requires have succeeded in this run."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver

from answergraph import Abstention, AgentSpecError, ToolStrategy, UsageLimits, create_agent
from answergraph.evidence import ToolRun
from answergraph.middleware import RequireTools
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run
from tests.suite.replies import calling
from tests.suite.verdicts import Score


@tool
def check(score: int) -> dict[str, Any]:
    """Check a score."""
    return {"good": score > 1, "score": score}


@tool
def broken(score: int) -> str:
    """Fail."""
    raise ToolException("out of order")


broken.handle_tool_error = True
QUESTION: dict[str, Any] = {"messages": ["q"]}


def verdict(score: int = 2, call_id: str = "a") -> AIMessage:
    return calling("Score", {"score": score}, call_id)


def agent_of(*replies: Any, required: Any, **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=list(replies))
    guards = required if isinstance(required, list) else [required]
    options = {"response_format": ToolStrategy(Score), **options}
    return create_agent(model, [check, broken], middleware=guards, **options), model


def good_check_of_the_score(run: ToolRun, answer: Any) -> bool:
    """Check the very score you give."""
    return run.name == "check" and run.value["good"] and (answer is None or run.args["score"] == answer.score)


def test_an_answer_before_its_tools_is_sent_back_saying_which_are_missing(run: Run) -> None:
    agent, model = agent_of(verdict(), calling("check", {"score": 2}, "c"), verdict(2, "b"), required=RequireTools("check"))
    result = run(agent, QUESTION)
    assert (
        result["messages"][2].text
        == "Your answer does not count yet: first call check. Do that now, then give your answer again."
    )
    assert (result["structured_response"], result["outcome"]["status"]) == (Score(score=2), "answered")
    assert "Score" in model.requests[0].tool_names


@pytest.mark.parametrize("end_strategy", ["defer", "exhaustive", "early"])
def test_an_answer_that_always_comes_beside_its_tool_counts_once_the_tool_has_succeeded(run: Run, end_strategy: Any) -> None:
    def both(messages: Any) -> AIMessage:
        calls = [*verdict(2, f"a{len(messages)}").tool_calls, *calling("check", {"score": 2}, f"c{len(messages)}").tool_calls]
        return AIMessage("", tool_calls=calls)

    model = ScriptedChatModel(replies=both)
    options: Any = {"response_format": ToolStrategy(Score), "end_strategy": end_strategy}
    result = run(create_agent(model, [check], middleware=[RequireTools("check")], **options), QUESTION)
    assert (result["structured_response"], result["outcome"]["status"]) == (Score(score=2), "answered")
    assert "check" in [message.name for message in result["messages"] if message.type == "tool"]


def test_a_call_that_failed_does_not_count(run: Run) -> None:
    agent, _ = agent_of(calling("broken", {"score": 1}, "c"), verdict(), verdict(2, "b"), required=RequireTools("broken"))
    assert run(agent, QUESTION)["outcome"]["status"] == "invalid"


@pytest.mark.parametrize("required", [RequireTools("check", "broken"), RequireTools(["check", "broken"])])
def test_all_of_several_tools_are_required(run: Run, required: RequireTools) -> None:
    agent, _ = agent_of(calling("check", {"score": 2}, "c"), verdict(), verdict(2, "b"), required=required)
    result = run(agent, QUESTION)
    assert "first call broken" in result["messages"][4].text
    assert result["outcome"]["status"] == "invalid"


def test_a_predicate_sees_the_call_its_result_and_the_answer(run: Run) -> None:
    replies = [calling("check", {"score": 3}, "c"), verdict(2), calling("check", {"score": 2}, "d"), verdict(2, "b")]
    agent, _ = agent_of(*replies, required=RequireTools(good_check_of_the_score))
    result = run(agent, QUESTION)
    assert "first check the very score you give." in result["messages"][4].text
    assert result["structured_response"] == Score(score=2)


def test_what_is_missing_can_be_put_into_other_words(run: Run) -> None:
    required = RequireTools(good_check_of_the_score, missing="look before you leap")
    agent, _ = agent_of(verdict(), verdict(2, "b"), required=required)
    assert "yet: look before you leap." in run(agent, QUESTION)["messages"][2].text


def test_hidden_answers_are_not_offered_and_a_tool_must_be_called(run: Run) -> None:
    required = RequireTools(good_check_of_the_score, mode="hide")
    agent, model = agent_of(calling("check", {"score": 2}, "c"), verdict(), required=required)
    assert run(agent, QUESTION)["structured_response"] == Score(score=2)
    assert [request.tool_names for request in model.requests] == [["check", "broken"], ["check", "broken", "Score"]]
    assert [request.tool_choice for request in model.requests] == ["any", "any"]


def test_a_hidden_answer_is_not_accepted_if_given_anyway(run: Run) -> None:
    replies = [verdict(), AIMessage('{"score": 2}'), verdict(2, "c")]
    agent, _ = agent_of(*replies, required=RequireTools("check", mode="hide"))
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "invalid")


@pytest.mark.parametrize("mode", ["hold", "hide"])
@pytest.mark.parametrize(("calls", "status"), [(50, "invalid"), (1, "out_of_budget")])
def test_a_model_that_never_calls_the_tool_never_answers(run: Run, mode: Any, calls: int, status: str) -> None:
    model = ScriptedChatModel(replies=lambda messages: verdict(2, f"a{len(messages)}"))
    limits = UsageLimits(model_calls=calls)
    agent = create_agent(model, [check], response_format=Score, middleware=[RequireTools("check", mode=mode)], limits=limits)
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["outcome"]["status"]) == (None, status)


@pytest.mark.parametrize("mode", ["hold", "hide"])
def test_an_abstention_needs_no_tool(run: Run, mode: Any) -> None:
    abstained = calling("Abstention", {"missing": ["a tool"]}, "a")
    agent, model = agent_of(
        abstained, required=RequireTools("check", mode=mode), response_format=ToolStrategy(Score | Abstention)
    )
    assert run(agent, QUESTION)["structured_response"] == Abstention(missing=["a tool"])
    assert ("Score" in model.requests[0].tool_names) == (mode == "hold")


def test_a_call_of_an_earlier_turn_of_the_thread_does_not_count(run: Run) -> None:
    replies = [calling("check", {"score": 2}, "c"), verdict(), verdict(2, "b"), verdict(2, "d")]
    agent, _ = agent_of(*replies, required=RequireTools("check"), checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    assert run(agent, QUESTION, config)["outcome"]["status"] == "answered"
    assert run(agent, {"messages": [HumanMessage("again")]}, config)["outcome"]["status"] == "invalid"


def test_a_call_made_before_an_interrupt_counts_after_it(run: Run) -> None:
    saver = InMemorySaver()
    config: Any = {"configurable": {"thread_id": "1"}}
    options: dict[str, Any] = {
        "required": RequireTools("check"),
        "checkpointer": saver,
        "interrupt_before": ["structured_response"],
    }
    first, _ = agent_of(calling("check", {"score": 2}, "c"), verdict(), **options)
    run(first, QUESTION, config)
    # Another process goes on.
    second, _ = agent_of(**options)
    assert run(second, None, config)["structured_response"] == Score(score=2)


def test_two_requirements_stand_side_by_side(run: Run) -> None:
    agent, _ = agent_of(
        calling("check", {"score": 2}, "c"), verdict(), required=[RequireTools("check"), RequireTools(good_check_of_the_score)]
    )
    assert run(agent, QUESTION)["outcome"]["status"] == "answered"


@pytest.mark.parametrize(
    ("required", "mode", "words"),
    [([], "hold", "needs a tool or a predicate"), (["check"], "hold on", "mode='hold on' must be one of")],
)
def test_a_requirement_that_makes_no_sense_is_refused(required: Any, mode: Any, words: str) -> None:
    with pytest.raises(AgentSpecError, match=words):
        RequireTools(*required, mode=mode)
