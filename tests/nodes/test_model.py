"""The model node, step by step: its request, and its record of the reply."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langgraph.types import Command

from answergraph import DeferredStrategy, FallbackStrategy, PromptedStrategy, ToolStrategy, UsageLimits
from answergraph.errors import StructuredOutputValidationError
from answergraph.middleware import ExtendedModelResponse, ModelResponse, wrap_model_call
from answergraph.models import forget_refusals
from answergraph.runtime.steps import Invoke
from answergraph.state.ledger import ANSWER_REQUEST, LEDGER, RUNNING, empty_ledger
from answergraph.state.usage import NO_USAGE
from tests.graphs.agent.scripted_agents import BAD, GOOD, Verdict, call, calls
from tests.nodes.heart_steps import Nodes, merged, next_call
from tests.suite.tools import search

ASKED = HumanMessage("q", id="q")
ANSWER = calls(call("Verdict", GOOD))
TOOL = ToolStrategy(Verdict)


class BadRequestError(Exception):
    """An HTTP error in the manner of a provider's client."""

    status_code = 400


def tools_of(call: Invoke) -> list[str]:
    return [tool["function"]["name"] for tool in call.settings.get("tools", ())]


def messages_of(effect: Any) -> list[Any]:
    return list(getattr(effect.input, "messages", effect.input))


class TestRequest:
    """What the model is asked."""

    def test_it_is_sent_the_system_message_and_the_conversation_with_tools_and_format(self) -> None:
        nodes = Nodes(search, response_format=TOOL, system_prompt="Be brief.")
        _, effect = nodes.asked({"messages": [ASKED]})
        assert messages_of(effect) == [SystemMessage("Be brief."), ASKED]
        assert tools_of(effect) == ["search", "Verdict"]

    def test_the_last_call_of_the_budget_asks_for_the_answer_alone(self) -> None:
        nodes = Nodes(search, response_format=TOOL, limits=UsageLimits(model_calls=1))
        _, effect = nodes.asked({"messages": [ASKED]})
        assert tools_of(effect) == ["search", "Verdict"]
        assert effect.settings["tool_choice"] == "Verdict"

    def test_a_model_is_not_called_without_a_call_left(self) -> None:
        ledger = {**empty_ledger(), "usage": {**NO_USAGE, "model_calls": 2}, "run": "r"}
        nodes = Nodes(search, response_format=TOOL, limits=UsageLimits(model_calls=2))
        with pytest.raises(StopIteration) as stop:
            next(nodes.step("model", {"messages": [ASKED, AIMessage("a")], LEDGER: ledger}))
        assert stop.value.value[LEDGER]["last_call_made"]

    def test_a_provider_that_refuses_the_format_is_asked_with_the_next_strategy(self) -> None:
        forget_refusals()
        nodes = Nodes(response_format=FallbackStrategy([TOOL, PromptedStrategy(Verdict)]))
        step, first = nodes.asked({"messages": [ASKED]})
        second = next_call(step, step.throw(BadRequestError("tool_choice is not supported")))
        assert (tools_of(first), tools_of(second)) == (["Verdict"], [])
        with pytest.raises(StopIteration) as stop:
            step.send(AIMessage('{"passed": true, "score": 7}'))
        update = stop.value.value
        assert update[ANSWER_REQUEST]["strategy"] == "prompted"
        assert update[LEDGER]["usage"]["model_calls"] == 1
        assert len(update[LEDGER]["used_strategies"]) == 1
        _, next_run = nodes.asked({"messages": [ASKED]})
        assert tools_of(next_run) == []
        forget_refusals()

    @pytest.mark.parametrize("strategy", [TOOL, FallbackStrategy([TOOL, PromptedStrategy(Verdict)])])
    def test_any_other_error_of_the_provider_is_raised(self, strategy: Any) -> None:
        step, _ = Nodes(response_format=strategy).asked({"messages": [ASKED]})
        with pytest.raises(TimeoutError):
            step.throw(TimeoutError("slow"))


class TestRecord:
    """What is written of a reply."""

    def test_the_reply_is_named_charged_and_its_place_is_known(self) -> None:
        update = Nodes(response_format=TOOL, name="judge").replied({"messages": [ASKED]}, ANSWER)
        (reply,) = update["messages"]
        assert (reply.name, reply.tool_calls, bool(reply.id)) == ("judge", ANSWER.tool_calls, True)
        ledger = update[LEDGER]
        assert (ledger["last_reply_index"], ledger["last_reply_id"]) == (1, reply.id)
        assert (ledger["usage"]["model_calls"], ledger["usage"]["tool_calls"], update[RUNNING].is_traced) == (1, 0, False)

    @pytest.mark.parametrize(("reply", "valid"), [(ANSWER, True), (calls(call("Verdict", BAD)), False), (AIMessage("x"), False)])
    def test_how_the_answer_was_asked_for_is_recorded(self, reply: AIMessage, valid: bool) -> None:
        record = Nodes(response_format=TOOL).replied({"messages": [ASKED]}, reply)[ANSWER_REQUEST]
        assert (record["strategy"], record["schemas"], record["of_model"]) == ("tool", ["Verdict"], True)
        assert (record["valid"], record["middleware_value"]) == (valid, None)

    def test_a_record_that_is_as_it_was_is_not_written_again(self) -> None:
        nodes, reply = Nodes(search, response_format=TOOL), calls(call("search", {"query": "x"}))
        state = merged({"messages": [ASKED]}, nodes.replied({"messages": [ASKED]}, reply))
        state["messages"].append(ToolMessage("r", tool_call_id="1"))
        assert nodes.replied(state, reply).keys() == {"messages", LEDGER}

    def test_the_answer_of_an_earlier_run_is_cleared_once(self) -> None:
        nodes = Nodes(search, response_format=TOOL)
        state = {"messages": [ASKED], "structured_response": 1, "outcome": {"status": "answered"}}
        update = nodes.replied(state, calls(call("search", {"query": "x"})))
        assert (update["structured_response"], update["outcome"]) == (None, None)
        later = {**state, **update, "messages": [ASKED, *update["messages"], ToolMessage("r", tool_call_id="1")]}
        assert "structured_response" not in nodes.replied(later, ANSWER)

    def test_an_agent_without_a_format_writes_no_keys_of_an_answer(self) -> None:
        assert Nodes(search).replied({"messages": [ASKED]}, AIMessage("x")).keys() == {"messages", LEDGER, RUNNING}

    def test_a_history_that_was_repaired_replaces_the_old_one(self) -> None:
        waiting = calls(call("search", {"query": "x"}))
        written = Nodes(search, response_format=TOOL).replied({"messages": [ASKED, waiting, ASKED]}, ANSWER)["messages"]
        assert [type(message) for message in written] == [
            RemoveMessage, HumanMessage, AIMessage, ToolMessage, HumanMessage, AIMessage,
        ]  # fmt: skip

    def test_a_mistake_is_raised_where_handle_errors_says_so(self) -> None:
        nodes = Nodes(response_format=ToolStrategy(Verdict, handle_errors=False))
        step, _ = nodes.asked({"messages": [ASKED]})
        with pytest.raises(StructuredOutputValidationError):
            step.send(calls(call("Verdict", BAD)))

    def test_a_text_beside_tool_calls_is_not_a_mistake_yet(self) -> None:
        nodes = Nodes(search, response_format=PromptedStrategy(Verdict, handle_errors=False))
        reply = calls(call("search", {"query": "x"}), text='{"passed": 1}')
        assert nodes.replied({"messages": [ASKED]}, reply)[ANSWER_REQUEST]["valid"] is False


def cut(reply: AIMessage) -> AIMessage:
    return reply.model_copy(update={"response_metadata": {"finish_reason": "length"}})


class TestToolCalls:
    """Which tool calls of a reply are carried out, and what the others are answered."""

    TWO = calls(call("search", {"query": "x"}), call("search", {"query": "y"}, "2"))

    def test_calls_beyond_the_limit_are_answered_and_not_charged(self) -> None:
        update = Nodes(search, response_format=TOOL, limits=UsageLimits(tool_calls=1)).replied({"messages": [ASKED]}, self.TWO)
        assert update[LEDGER]["usage"]["tool_calls"] == 1
        (answered,) = update["messages"][1:]
        assert (answered.tool_call_id, "not available" in answered.text) == ("2", True)

    def test_calls_of_a_cut_reply_are_answered_and_not_run(self) -> None:
        update = Nodes(search, response_format=TOOL).replied({"messages": [ASKED]}, cut(self.TWO))
        assert [message.tool_call_id for message in update["messages"][1:]] == ["1", "2"]
        assert all("cut at the token limit" in message.text for message in update["messages"][1:])
        assert update[LEDGER]["usage"]["tool_calls"] == 0

    def test_without_a_format_calls_of_a_cut_reply_run_as_in_langchain(self) -> None:
        update = Nodes(search).replied({"messages": [ASKED]}, cut(self.TWO))
        assert (len(update["messages"]), update[LEDGER]["usage"]["tool_calls"]) == (1, 2)

    def test_calls_of_the_last_reply_of_the_budget_are_told_that_it_is_spent(self) -> None:
        nodes = Nodes(search, response_format=TOOL, limits=UsageLimits(model_calls=1))
        update = nodes.replied({"messages": [ASKED]}, cut(self.TWO))
        assert ["budget is spent" in message.text for message in update["messages"][1:]] == [True, True]

    def test_an_answer_call_is_not_charged_as_a_tool_call(self) -> None:
        update = Nodes(search, response_format=TOOL).replied(
            {"messages": [ASKED]}, calls(call("Verdict", GOOD), call("search", {}, "2"))
        )
        assert update[LEDGER]["usage"]["tool_calls"] == 1

    def test_malformed_calls_are_answered_but_for_those_of_an_answer(self) -> None:
        bad: list[Any] = [
            {"name": name, "args": "{", "id": name, "error": None, "type": "invalid_tool_call"} for name in ("search", "Verdict")
        ]
        written = Nodes(search, response_format=TOOL).replied({"messages": [ASKED]}, AIMessage("", invalid_tool_calls=bad))[
            "messages"
        ]
        assert [message.tool_call_id for message in written[1:]] == ["search"]


class TestMiddleware:
    """What middleware returns around the call is what is recorded."""

    def replied(self, wrap: Any, *replies: AIMessage) -> Any:
        """Return the update for a hook around the call of a model that gives an answer, or these replies."""
        options: Any = {"replies": replies or [ANSWER], "response_format": TOOL, "middleware": [wrap_model_call(wrap)]}
        return Nodes(search, **options).performed("model", {"messages": [ASKED]})

    def test_an_untouched_answer_does_not_count_as_a_value_of_middleware(self) -> None:
        assert self.replied(lambda request, handler: handler(request))[ANSWER_REQUEST]["middleware_value"] is None

    def test_a_value_in_place_of_the_answer_is_recorded_as_json_with_its_schema(self) -> None:
        given = Verdict(passed=False, score=1)
        record = self.replied(lambda request, handler: ModelResponse(handler(request).result, given))[ANSWER_REQUEST]
        assert record["middleware_value"] == {"schema": "Verdict", "value": {"passed": False, "score": 1}}

    def test_a_value_of_no_schema_is_recorded_as_it_is(self) -> None:
        record = self.replied(lambda request, handler: ModelResponse(handler(request).result, "x"))[ANSWER_REQUEST]
        assert (record["middleware_value"], record["valid"]) == ({"schema": None, "value": "x"}, False)

    def test_a_message_in_place_of_the_models_is_not_of_the_model(self) -> None:
        update = self.replied(lambda request, handler: AIMessage("mine", id="mine"))
        assert (update[ANSWER_REQUEST]["of_model"], update[LEDGER]["usage"]["model_calls"]) == (False, 0)

    def test_a_second_call_is_charged_as_a_retry(self) -> None:
        def twice(request: Any, handler: Any) -> Any:
            handler(request)
            return handler(request)

        usage = self.replied(twice, calls(call("Verdict", BAD)), ANSWER)[LEDGER]["usage"]
        assert (usage["model_calls"], usage["by_cause"]["retry"]["model_calls"]) == (2, 1)

    def test_a_reply_notes_what_was_unusual_about_its_call(self) -> None:
        def twice(request: Any, handler: Any) -> Any:
            handler(request)
            return handler(request)

        usual, unusual = (self.replied(wrap, *[ANSWER] * 2)["messages"][-1] for wrap in (lambda r, handler: handler(r), twice))
        assert "answergraph" not in usual.response_metadata
        assert unusual.response_metadata["answergraph"] == {"strategy": "tool", "unused_replies": 1}

    def test_commands_come_after_the_nodes_own_update(self) -> None:
        command: Any = Command(update={"messages": []})
        update = self.replied(lambda request, handler: ExtendedModelResponse(handler(request), command))
        assert (update[0].update[LEDGER]["usage"]["model_calls"], update[1]) == (1, command)

    @pytest.mark.parametrize("command", [Command(goto="x"), Command(resume=1), Command(graph=Command.PARENT)])
    def test_a_command_that_goes_elsewhere_is_refused(self, command: Any) -> None:
        with pytest.raises(NotImplementedError, match="jump_to"):
            self.replied(lambda request, handler: ExtendedModelResponse(handler(request), command))

    def test_a_tool_that_nobody_knows_is_refused(self) -> None:
        adds = wrap_model_call(lambda request, handler: handler(request.override(tools=[search])))
        nodes = Nodes(response_format=TOOL, middleware=[adds])
        with pytest.raises(ValueError, match=r"(?s)Unknown tools: \['search'\].*Registered tools: \[\]"):
            nodes.performed("model", {"messages": [ASKED]})


def test_a_free_strategy_lets_the_model_work_and_is_passed_over_when_the_answer_is_forced() -> None:
    deferred = DeferredStrategy(TOOL)
    _, free = Nodes(search, response_format=deferred).asked({"messages": [ASKED]})
    _, forced = Nodes(search, response_format=deferred, limits=UsageLimits(model_calls=1)).asked({"messages": [ASKED]})
    assert (tools_of(free), tools_of(forced)) == (["search"], ["search", "Verdict"])
