"""A call that a model writes as text is a weaker intention than a native one: one of a reply runs, and none in vain."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import ToolException, tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from answergraph import AutoStrategy, DeferredStrategy, PromptedStrategy, ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.weather_calls import CALL, QUESTION, RAIN, STRATEGIES, Weather, get_weather
from tests.openai_server import OpenAIServer, says
from tests.suite.colors import Run


def tool_texts(result: Any) -> list[str]:
    return [message.text for message in result["messages"] if isinstance(message, ToolMessage)]


ROME = CALL.replace("Oslo", "Rome")
BOTH = ["Rain in Oslo.", "Rain in Rome."]


@STRATEGIES
def test_a_written_call_whose_result_is_there_is_not_carried_out_again(run: Any, strategy: Any) -> None:
    model = ScriptedChatModel(replies=[CALL, f"```{CALL}```", RAIN])
    result = run(create_agent(model, [get_weather], response_format=strategy(Weather)), QUESTION)
    assert tool_texts(result)[:2].count("Rain in Oslo.") == 1
    assert result["structured_response"] == Weather(city="Oslo", rain=True)


def refunding(done: list[tuple[str, int]]) -> Any:
    @tool
    def refund(order: str, amount: int = 5) -> str:
        """Pay an order back."""
        done.append((order, amount))
        return "Paid back."

    return refund


@pytest.mark.parametrize(
    "again",
    [
        '{"name": "refund", "arguments": {"amount": 5, "order": "A1"}}',
        '{"name": "refund", "arguments": {"order": "A1", "amount": "5"}}',
        '{"name": "refund", "arguments": {"order": "A1", "amount": 5.0, "why": "it broke"}}',
        'refund(order="A1", amount=5)',
    ],
)
@pytest.mark.parametrize("response_format", [Weather, None])
def test_the_same_written_call_in_other_words_is_not_carried_out_again(run: Any, again: str, response_format: Any) -> None:
    done: list[tuple[str, int]] = []
    first = '{"name": "refund", "arguments": {"order": "A1"}}'
    other = '{"name": "refund", "arguments": {"order": "A1", "amount": 6}}'
    model = ScriptedChatModel(replies=[first, again, other, RAIN, RAIN])
    run(create_agent(model, [refunding(done)], response_format=response_format), QUESTION)
    assert done[0] == ("A1", 5)
    assert done.count(("A1", 5)) == 1


def test_without_a_response_format_a_repeated_written_call_is_told_that_its_result_is_there(run: Any) -> None:
    model = ScriptedChatModel(replies=[CALL, CALL, ROME, "Both rainy."])
    texts = tool_texts(run(create_agent(model, [get_weather]), QUESTION))
    assert texts == ["Rain in Oslo.", "This call was not carried out again: its result is above.", "Rain in Rome."]


def test_a_written_call_that_failed_is_carried_out_once_more(run: Any) -> None:
    carried_out: list[str] = []

    @tool
    def get_state(job: str) -> str:
        """Look the state of a job up."""
        carried_out.append(job)
        raise ToolException("busy")

    get_state.handle_tool_error = True
    asks = '{"name": "get_state", "arguments": {"job": "build"}}'
    model = ScriptedChatModel(replies=[asks, asks, asks, RAIN, RAIN])
    run(create_agent(model, [get_state], response_format=Weather), QUESTION)
    assert carried_out == ["build", "build"]


def test_one_call_of_a_text_is_carried_out_and_the_next_one_when_the_model_writes_it_again(run: Any) -> None:
    model = ScriptedChatModel(replies=[f"{CALL}\n{CALL}\n{ROME}", f"{CALL}\n{ROME}", "Both rainy.", RAIN])
    result = run(create_agent(model, [get_weather], response_format=DeferredStrategy(ToolStrategy(Weather))), QUESTION)
    assert tool_texts(result)[:2] == BOTH
    assert result["outcome"]["usage"]["tool_calls"] == 2
    assert result["messages"][1].text == ""


def test_nothing_behind_the_first_call_of_a_cut_text_is_carried_out(run: Any) -> None:
    cut = AIMessage(f"{CALL}\n{ROME}\n" * 5, response_metadata={"finish_reason": "length"})
    model = ScriptedChatModel(replies=[cut, cut, RAIN, RAIN])
    result = run(create_agent(model, [get_weather], response_format=Weather), QUESTION)
    assert result["outcome"]["usage"]["tool_calls"] == 1


@pytest.mark.parametrize(
    "first", ['{"name": "get_wind", "arguments": {"city": "Oslo"}}', '{"name": "get_weather", "arguments": ["Oslo"]}']
)
@pytest.mark.parametrize("metadata", [{}, {"finish_reason": "length"}])
@pytest.mark.parametrize("response_format", [Weather, ToolStrategy(Weather), None])
def test_behind_a_call_that_cannot_be_carried_out_none_is(run: Run, response_format: Any, metadata: Any, first: str) -> None:
    asked = AIMessage(f"{first}\n{ROME}", response_metadata=metadata)
    model = ScriptedChatModel(replies=[asked, CALL, RAIN, RAIN, RAIN])
    result = run(create_agent(model, [get_weather], response_format=response_format), QUESTION)
    assert "Rain in Rome." not in tool_texts(result)


@pytest.mark.parametrize(
    "args",
    [
        '{"city": "\\ud800"}',
        '{"\\udfff": "Oslo"}',
        '{"city": 123456789012345678901234567890}',
    ],
)
@STRATEGIES
def test_a_call_whose_arguments_cannot_be_stored_is_a_broken_one(run: Run, strategy: Any, args: str) -> None:
    with OpenAIServer([says(f'{{"name": "get_weather", "arguments": {args}}}'), says(CALL), *[says(RAIN)] * 3]) as server:
        model = ChatOpenAI(model="qwen2.5-0.5b", base_url=server.base_url, api_key=SecretStr("key"), max_retries=0)
        agent = create_agent(model, [get_weather], response_format=strategy(Weather), checkpointer=InMemorySaver())
        result = run(agent, QUESTION, {"configurable": {"thread_id": "1"}})
    assert tool_texts(result)[0] == "Rain in Oslo."
    assert result["structured_response"] == Weather(city="Oslo", rain=True)


@pytest.mark.parametrize(
    "text",
    [
        f'Let me see.\nget_wind(place="Oslo")\n{CALL}',
        f'get_wind("Oslo")\n{CALL}',
        f"get_wind(place)\n{CALL}",
        f'{{"name": "Ada"}}\n{{"name": "get_wind", "arguments": {{}}}}\n{CALL}',
        '[get_wind(place="Oslo"), get_weather(city="Oslo")]',
        '```tool_code\nprint(get_wind(place="Oslo"))\nprint(get_weather(city="Oslo"))\n```',
        '<｜tool▁call▁begin｜>get_wind<｜tool▁sep｜>{"place": "Oslo"}<｜tool▁call▁end｜>'
        '<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜>',
    ],
)
@pytest.mark.parametrize("response_format", [Weather, ToolStrategy(Weather), None])
def test_behind_the_call_of_an_unknown_tool_none_is_carried_out_in_any_form(run: Any, response_format: Any, text: str) -> None:
    model = ScriptedChatModel(replies=[text, text, text, text, RAIN, RAIN, RAIN])
    texts = tool_texts(run(create_agent(model, [get_weather], response_format=response_format), QUESTION))
    assert texts[:2] == ["Error: get_wind is not a valid tool, try one of [get_weather]."] * 2
    assert "Rain in Oslo." not in texts


@pytest.mark.parametrize("response_format", [Weather, None])
def test_behind_a_call_that_failed_twice_none_is_carried_out(run: Any, response_format: Any) -> None:
    carried_out: list[str] = []

    @tool
    def build(job: str) -> str:
        """Build it."""
        raise ToolException("busy")

    @tool
    def deploy(job: str) -> str:
        """Deploy what was built."""
        carried_out.append(job)
        return "deployed"

    build.handle_tool_error = True
    model = ScriptedChatModel(replies=['build(job="1")\ndeploy(job="1")'] * 4 + [RAIN] * 3)
    run(create_agent(model, [build, deploy], response_format=response_format), QUESTION)
    assert carried_out == []


def test_what_a_text_prints_beside_its_call_is_no_call(run: Any) -> None:
    model = ScriptedChatModel(replies=[f'print("I look.")\n{CALL}', RAIN, RAIN])
    assert tool_texts(run(create_agent(model, [get_weather], response_format=Weather), QUESTION))[0] == "Rain in Oslo."


def test_without_a_response_format_a_text_has_one_call_too(run: Any) -> None:
    model = ScriptedChatModel(replies=[f"{CALL}\n{ROME}", ROME, "Both rainy."])
    assert tool_texts(run(create_agent(model, [get_weather]), QUESTION)) == BOTH


def test_a_run_that_ends_with_repeated_calls_says_so(run: Any) -> None:
    outcome = run(create_agent(ScriptedChatModel(replies=[CALL] * 9), [get_weather], response_format=Weather), QUESTION)[
        "outcome"
    ]
    assert outcome["status"] == "empty"
    assert outcome["reason"] == "The model repeated its calls."


WIND = '{"name": "get_wind", "arguments": {"city": "Oslo"}}'


@pytest.mark.parametrize(
    "unknown",
    [
        f"<tool_call>{WIND}</tool_call>",
        f"I look at the wind first: {WIND} Then I answer.",
        "<function=get_wind><parameter=city>Oslo</parameter></function>",
        '[TOOL_CALLS]get_wind[ARGS]{"city": "Oslo"}',
        'get_wind(place="Oslo")',
        "get_wind()",
        '{"get_wind": {"place": "Oslo"}}',
    ],
)
@pytest.mark.parametrize("strategy", [ToolStrategy, DeferredStrategy, AutoStrategy])
def test_the_written_call_of_an_unknown_tool_is_answered_with_the_tools_there_are(run: Any, strategy: Any, unknown: str) -> None:
    model = ScriptedChatModel(replies=[unknown, CALL, RAIN, RAIN])
    result = run(create_agent(model, [get_weather], response_format=strategy(Weather)), QUESTION)
    assert "get_wind is not a valid tool, try one of [get_weather]" in tool_texts(result)[0]
    assert tool_texts(result)[1] == "Rain in Oslo."
    assert result["structured_response"] == Weather(city="Oslo", rain=True)


@pytest.mark.parametrize("unknown", [WIND, f"<tool_call>{WIND}</tool_call>", '[TOOL_CALLS]get_wind[ARGS]{"city": "Oslo"}'])
def test_without_a_response_format_it_is_answered_twice_and_then_is_the_last_word(run: Run, unknown: str) -> None:
    model = ScriptedChatModel(replies=[unknown] * 9)
    result = run(create_agent(model, [get_weather]), QUESTION)
    assert tool_texts(result) == ["Error: get_wind is not a valid tool, try one of [get_weather]."] * 2
    assert result["messages"][-1].text == unknown


@pytest.mark.parametrize("text", ["get_wind()", f"Such a call is {WIND}", '{"get_wind": {"city": "Oslo"}}', '{"name": "Ada"}'])
def test_without_a_response_format_any_other_text_is_the_last_word(run: Run, text: str) -> None:
    model = ScriptedChatModel(replies=[text])
    assert run(create_agent(model, [get_weather]), QUESTION)["messages"][-1].text == text


@pytest.mark.parametrize(
    "text",
    ['{"weather": {"city": "Oslo", "rain": true}}', '{"city": {"name": "Oslo"}}', "sin(x)", "Look at this: get_wind()", "f(1"],
)
def test_what_may_be_an_answer_is_no_call_of_an_unknown_tool(run: Run, text: str) -> None:
    model = ScriptedChatModel(replies=[text, RAIN, RAIN])
    result = run(create_agent(model, [get_weather], response_format=PromptedStrategy(Weather)), QUESTION)
    assert not any("not a valid tool" in each for each in tool_texts(result))


def test_a_text_is_an_answer_where_the_answer_is_a_text(run: Run) -> None:
    for text in ("get_wind()", '{"get_wind": {}}'):
        model = ScriptedChatModel(replies=[text, text, text])
        result = run(create_agent(model, [get_weather], response_format=PromptedStrategy(str | list[str])), QUESTION)
        assert tool_texts(result) == []


BROKEN = '{"name": "get_weather", "arguments": {"place": {"city": "Oslo"}'


@pytest.mark.parametrize("strategy", [ToolStrategy, DeferredStrategy, AutoStrategy])
def test_a_broken_call_of_an_unknown_tool_is_answered_with_the_tools_there_are(run: Any, strategy: Any) -> None:
    model = ScriptedChatModel(replies=['{"name": "get_wind", "arguments": {"place": {"city": "Oslo"}', CALL, RAIN, RAIN])
    result = run(create_agent(model, [get_weather], response_format=strategy(Weather)), QUESTION)
    assert tool_texts(result)[:2] == ["Error: get_wind is not a valid tool, try one of [get_weather].", "Rain in Oslo."]
    assert result["structured_response"] == Weather(city="Oslo", rain=True)


@pytest.mark.parametrize("strategy", [ToolStrategy, DeferredStrategy, AutoStrategy])
def test_a_written_call_that_cannot_be_read_stays_text_and_can_be_made_again(run: Any, strategy: Any) -> None:
    model = ScriptedChatModel(replies=[BROKEN, CALL, RAIN, RAIN])
    result = run(create_agent(model, [get_weather], response_format=strategy(Weather)), QUESTION)
    sent = model.requests[1].messages
    assert sent[1].text == BROKEN
    assert not [each for each in sent if isinstance(each, AIMessage) and each.tool_calls]
    assert "Your call of get_weather was not carried out" in sent[-1].text
    assert tool_texts(result)[0] == "Rain in Oslo."
    assert result["structured_response"] == Weather(city="Oslo", rain=True)


def test_a_run_ends_whose_model_writes_the_same_broken_call_again_and_again(run: Any) -> None:
    model = ScriptedChatModel(replies=[BROKEN] * 20)
    outcome = run(create_agent(model, [get_weather], response_format=ToolStrategy(Weather)), QUESTION)["outcome"]
    assert (outcome["status"], len(model.requests)) == ("invalid", 2)
    assert "get_weather" in outcome["reason"]
