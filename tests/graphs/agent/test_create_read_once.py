"""An answer is read once and validated at most twice: when it is read, and to check that its JSON restores it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from answergraph import AnswerRejected, PromptedStrategy, ProviderStrategy, ToolStrategy, create_agent
from answergraph.middleware import InputAgentState, after_model
from answergraph.runtime.recent_cache import MAX_KEPT
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.counted_answers import Doubt, Looks, Placed, Row, Score, Verdict, thread, validated, verdict_of
from tests.graphs.agent.scripted_agents import QUESTION, agent_of, call, calls
from tests.suite.colors import Run
from tests.suite.tools import search

RUNS = 50
"""The number of concurrent runs of one agent."""


@pytest.fixture(autouse=True)
def none_validated() -> None:
    validated.clear()


KINDS: list[Any] = [
    pytest.param(ToolStrategy(Verdict), calls(call("Verdict", {"score": 7})), id="tool"),
    pytest.param(ProviderStrategy(Verdict), '{"score": 7}', id="provider"),
    pytest.param(PromptedStrategy(Verdict), 'So:\n```json\n{"score": 7}\n```', id="prompted"),
    pytest.param(Verdict, calls(call("Verdict", {"score": 7})), id="automatic"),
    pytest.param(ToolStrategy(Verdict | Doubt), calls(call("Doubt", {"doubt": 7})), id="union"),
    pytest.param(PromptedStrategy(Verdict | Doubt), '{"schema": "Doubt", "value": {"doubt": 7}}', id="union in a text"),
    pytest.param(ToolStrategy(Placed), calls(call("Placed", {"score": 7})), id="dataclass"),
    pytest.param(ToolStrategy(Row), calls(call("Row", {"score": 7})), id="TypedDict"),
    pytest.param(PromptedStrategy(Row), '{"score": 7}', id="TypedDict in a text"),
    pytest.param(ToolStrategy(list[Doubt]), calls(call("list_Doubt", {"value": [{"doubt": 7}]})), id="list"),
    pytest.param(PromptedStrategy(list[Doubt]), '[{"doubt": 7}]', id="list in a text"),
    pytest.param(ToolStrategy(list[Score]), calls(call("list_int", {"value": [7]})), id="list of numbers"),
    pytest.param(ToolStrategy(Score), calls(call("int", {"value": 7})), id="number"),
]


@pytest.mark.parametrize("checkpointed", [False, True], ids=["in memory", "checkpointed"])
@pytest.mark.parametrize(("response_format", "reply"), KINDS)
def test_an_answer_is_validated_twice_at_most_and_is_the_object_that_middleware_saw(
    run: Run, response_format: Any, reply: Any, checkpointed: bool
) -> None:
    looks, saver = Looks(), InMemorySaver() if checkpointed else None
    agent, _ = agent_of(reply, response_format=response_format, middleware=[looks], checkpointer=saver)
    result = run(agent, QUESTION, thread())
    assert result["outcome"]["status"] == "answered"
    assert validated in ([7], [7, 7])
    assert result["structured_response"] is looks.seen[0]


def test_the_checks_of_an_answer_see_the_object_that_is_returned_and_cost_no_validation(run: Run) -> None:
    checked: list[Any] = []
    agent, _ = agent_of(
        verdict_of(7), response_format=ToolStrategy(Verdict), check_answer=lambda answer, *_: checked.append(answer)
    )
    assert checked == [run(agent, QUESTION)["structured_response"]]
    assert validated == [7, 7]


def test_each_reply_of_a_run_is_read_once_and_only_the_accepted_one_goes_on(run: Run) -> None:
    def at_least_three(answer: Verdict, state: Any, runtime: Any) -> None:
        if answer.score < 3:
            raise AnswerRejected("Too low.")

    replies = [verdict_of(1), verdict_of(2, "2"), verdict_of(3, "3")]
    agent, _ = agent_of(*replies, response_format=ToolStrategy(Verdict), check_answer=at_least_three)
    result = run(agent, QUESTION)
    assert (result["structured_response"].score, validated) == (3, [1, 2, 3, 3])


def test_an_answer_beside_a_tool_and_its_confirmation_are_each_read_once(run: Run) -> None:
    beside = calls(call("search", {"query": "logs"}, "s"), call("Verdict", {"score": 7}))
    looks = Looks()
    agent, _ = agent_of(beside, verdict_of(7, "2"), response_format=ToolStrategy(Verdict), middleware=[looks])
    assert run(agent, QUESTION)["structured_response"] is looks.seen[1]
    assert validated == [7, 7, 7]


def test_a_message_that_a_hook_adds_after_the_answer_costs_no_validation(run: Run) -> None:
    @after_model
    def signs(state: Any, runtime: Any) -> dict[str, Any] | None:
        return {"messages": [AIMessage("Yours, the bot.", id="signed")]}

    looks = Looks()
    agent, _ = agent_of(verdict_of(7), response_format=ToolStrategy(Verdict), middleware=[signs, looks])
    assert run(agent, QUESTION)["structured_response"] is looks.seen[0]
    assert validated == [7, 7]


def test_what_middleware_leaves_alone_keeps_its_defaults_made_for_it(run: Run) -> None:
    looks = Looks()
    agent, _ = agent_of(verdict_of(7), response_format=ToolStrategy(Verdict), middleware=[looks], checkpointer=InMemorySaver())
    assert (
        run(agent, QUESTION, thread())["structured_response"].id
        == looks.seen[0].id
        == run.state(agent, thread()).values["structured_response"].id
    )


def test_a_resumed_run_in_a_fresh_agent_reads_the_reply_again_and_answers(run: Run) -> None:
    saver = InMemorySaver()

    def agent(*replies: Any) -> Any:
        options: Any = {"checkpointer": saver, "interrupt_before": ["structured_response"]}
        return agent_of(*replies, response_format=ToolStrategy(Verdict), **options)[0]

    run(agent(verdict_of(7)), QUESTION, thread())
    result = run(agent(), None, thread())
    assert (result["outcome"]["status"], result["structured_response"].score) == ("answered", 7)
    assert validated == [7, 7, 7]


def test_a_resumed_run_of_the_same_agent_answers_with_what_the_checkpoint_holds(run: Run) -> None:
    agent, _ = agent_of(
        verdict_of(7),
        response_format=ToolStrategy(Verdict),
        checkpointer=InMemorySaver(),
        interrupt_before=["structured_response"],
    )
    run(agent, QUESTION, thread())
    edited = run.state(agent, thread()).values["messages"][-1].model_copy(update={"tool_calls": [call("Verdict", {"score": 8})]})
    agent.update_state(thread(), {"messages": [edited]})
    assert run(agent, None, thread())["structured_response"].score == 8


def test_answers_of_two_agents_that_share_a_checkpointer_are_not_mixed_up(run: Run) -> None:
    saver = InMemorySaver()
    agents = [
        create_agent(
            ScriptedChatModel(replies=[verdict_of(score)]), [search], response_format=ToolStrategy(Verdict), checkpointer=saver
        )
        for score in (3, 4)
    ]
    results = [run(agent, {"messages": [HumanMessage("q")]}, thread(str(i))) for i, agent in enumerate(agents)]
    assert [result["structured_response"].score for result in results] == [3, 4]


def _echoes(messages: list[AnyMessage]) -> AIMessage:
    return verdict_of(int(messages[0].text) % 11)


def _asked(number: int) -> InputAgentState:
    return {"messages": [HumanMessage(str(number))]}


@pytest.mark.parametrize("checkpointed", [False, True], ids=["in memory", "checkpointed"])
class TestRunsAtTheSameTime:
    """Concurrent runs of one agent have separate answers."""

    def agent(self, checkpointed: bool, *middleware: Any) -> Any:
        options: Any = {"checkpointer": InMemorySaver() if checkpointed else None, "middleware": middleware}
        return create_agent(ScriptedChatModel(replies=_echoes), response_format=ToolStrategy(Verdict), **options)

    def check(self, looks: Looks, results: list[Any]) -> None:
        answers = [result["structured_response"] for result in results]
        assert [answer.score for answer in answers] == [number % 11 for number in range(RUNS)]
        assert {id(answer) for answer in answers} == {id(answer) for answer in looks.seen}
        assert len({answer.id for answer in answers}) == RUNS
        assert len(validated) == 2 * RUNS

    def test_in_threads(self, checkpointed: bool) -> None:
        agent = self.agent(checkpointed, looks := Looks())
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda number: agent.invoke(_asked(number), thread(str(number))), range(RUNS)))
        self.check(looks, results)

    def test_on_an_event_loop(self, checkpointed: bool) -> None:
        agent = self.agent(checkpointed, looks := Looks())

        async def all_at_once() -> list[Any]:
            return await asyncio.gather(*(agent.ainvoke(_asked(number), thread(str(number))) for number in range(RUNS)))

        self.check(looks, asyncio.run(all_at_once()))


def test_more_runs_at_the_same_time_than_are_remembered_have_answers_of_their_own() -> None:
    agent = create_agent(ScriptedChatModel(replies=_echoes), response_format=ToolStrategy(Verdict))

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(agent.ainvoke(_asked(number)) for number in range(MAX_KEPT + RUNS)))

    scores = [result["structured_response"].score for result in asyncio.run(all_at_once())]
    assert scores == [number % 11 for number in range(MAX_KEPT + RUNS)]
