"""If a hook, a middleware or a user changes an answer after it was read, it is read and checked again."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from answergraph import PromptedStrategy, ToolStrategy
from answergraph.middleware import after_model
from tests.graphs.agent.counted_answers import ChangesAnswer, Grade, Looks, Row, Verdict, thread, validated, verdict_of
from tests.graphs.agent.scripted_agents import QUESTION, agent_of, call, calls
from tests.suite.colors import Run


@pytest.fixture(autouse=True)
def none_validated() -> None:
    validated.clear()


class TestChangedSince:
    """What a hook or a middleware has changed is read and checked again."""

    def changed_by(self, run: Run, middleware: Any, **options: Any) -> dict[str, Any]:
        agent, _ = agent_of(
            verdict_of(7), verdict_of(1, "2"), response_format=ToolStrategy(Verdict), middleware=[middleware], **options
        )
        result: dict[str, Any] = run(agent, QUESTION)
        return result

    def test_a_call_that_a_hook_edits_in_place_counts(self, run: Run) -> None:
        @after_model
        def edits(state: Any, runtime: Any) -> None:
            state["messages"][-1].tool_calls[0]["args"]["score"] = 8

        assert self.changed_by(run, edits)["structured_response"].score == 8
        assert validated == [7, 8, 8]

    def test_a_call_that_a_hook_edits_in_place_to_something_invalid_is_sent_back(self, run: Run) -> None:
        @after_model
        def edits(state: Any, runtime: Any) -> None:
            if state["messages"][-1].tool_calls[0]["args"]["score"] == 7:
                state["messages"][-1].tool_calls[0]["args"]["score"] = 70

        result = self.changed_by(run, edits)
        assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "answered"]
        assert result["structured_response"].score == 1

    def test_a_message_that_a_hook_replaces_counts(self, run: Run) -> None:
        @after_model
        def replaces(state: Any, runtime: Any) -> dict[str, Any]:
            return {"messages": [verdict_of(9).model_copy(update={"id": state["messages"][-1].id})]}

        assert self.changed_by(run, replaces)["structured_response"].score == 9
        assert validated == [7, 9, 9]

    def test_a_shown_answer_that_is_changed_in_place_counts(self, run: Run) -> None:
        result = self.changed_by(run, ChangesAnswer(lambda response: setattr(response.structured_response, "score", 8)))
        assert result["structured_response"].score == 8

    def test_a_shown_answer_that_is_changed_in_place_to_something_invalid_is_sent_back(self, run: Run) -> None:
        def breaks(response: Any) -> None:
            if response.structured_response.score == 7:
                response.structured_response.score = 70

        result = self.changed_by(run, ChangesAnswer(breaks))
        assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "answered"]

    def test_a_shown_answer_that_can_no_longer_be_written_as_json_is_sent_back(self, run: Run) -> None:
        def breaks(response: Any) -> None:
            if response.structured_response.score == 7:
                response.structured_response.score = object()

        result = self.changed_by(run, ChangesAnswer(breaks))
        assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "answered"]

    def test_an_answer_that_is_replaced_counts(self, run: Run) -> None:
        given = Verdict(score=6)
        result = self.changed_by(run, ChangesAnswer(lambda response: setattr(response, "structured_response", given)))
        assert result["structured_response"] == given

    def test_an_answer_that_is_replaced_by_something_else_is_sent_back(self, run: Run) -> None:
        def replaces(response: Any) -> None:
            if response.structured_response.score == 7:
                response.structured_response = "seven"

        result = self.changed_by(run, ChangesAnswer(replaces))
        assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "answered"]
        assert "'seven'" in str(result["outcome"]["attempts"][0]["error"])

    def test_a_changed_answer_passes_the_checks_again(self, run: Run) -> None:
        checked: list[int] = []
        change = ChangesAnswer(lambda response: setattr(response.structured_response, "score", 8))
        self.changed_by(run, change, check_answer=lambda answer, *_: checked.append(answer.score))
        assert checked == [8]

    @pytest.mark.parametrize(
        "response_format", [ToolStrategy(Row), ToolStrategy({"title": "Row", "type": "object", "properties": {}})]
    )
    def test_a_dict_that_is_changed_in_place_counts(self, run: Run, response_format: Any) -> None:
        change = ChangesAnswer(lambda response: response.structured_response.update(score=8))
        agent, _ = agent_of(calls(call("Row", {"score": 7})), response_format=response_format, middleware=[change])
        assert run(agent, QUESTION)["structured_response"] == {"score": 8}


class TestAfterTheRun:
    """What users do with an answer changes neither another run's answer nor what they write."""

    @pytest.mark.parametrize(
        ("response_format", "reply"), [(ToolStrategy(Grade), calls(call("Grade", {"value": 7}))), (PromptedStrategy(Grade), "7")]
    )
    def test_two_runs_with_equal_answers_do_not_share_one_object(self, run: Run, response_format: Any, reply: Any) -> None:
        agent, _ = agent_of(reply, reply, response_format=response_format)
        first = run(agent, QUESTION)["structured_response"]
        first.root = 1
        assert run(agent, QUESTION)["structured_response"] == Grade(7)

    def test_two_threads_keep_objects_of_their_own(self, run: Run) -> None:
        looks = Looks()
        agent, _ = agent_of(
            *[verdict_of(7)] * 2, response_format=ToolStrategy(Verdict), middleware=[looks], checkpointer=InMemorySaver()
        )
        results = [run(agent, QUESTION, thread(name))["structured_response"] for name in "ab"]
        assert [result is seen for result, seen in zip(results, looks.seen, strict=True)] == [True, True]

    def test_json_that_was_streamed_is_changed_and_written_back(self, run: Run) -> None:
        agent, _ = agent_of(verdict_of(7), response_format=ToolStrategy(Verdict), checkpointer=InMemorySaver())
        updates = [update for part in run.stream(agent, QUESTION, thread(), stream_mode="updates") for update in part.values()]
        (written,) = [update["structured_response"] for update in updates if update.get("structured_response")]
        written["score"] = 8
        agent.update_state(thread(), {"structured_response": written})
        assert run.state(agent, thread()).values["structured_response"].score == 8

    def test_json_that_was_streamed_is_written_back_after_the_answer_was_changed(self, run: Run) -> None:
        looks = Looks()
        agent, _ = agent_of(
            verdict_of(7), response_format=ToolStrategy(Verdict), middleware=[looks], checkpointer=InMemorySaver()
        )
        updates = [update for part in run.stream(agent, QUESTION, thread(), stream_mode="updates") for update in part.values()]
        (written,) = [update["structured_response"] for update in updates if update.get("structured_response")]
        looks.seen[0].score = 8
        agent.update_state(thread(), {"structured_response": written})
        assert run.state(agent, thread()).values["structured_response"].score == 7
