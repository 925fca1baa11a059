"""What chat templates leave in a reply, tokens, roles and thoughts, is no call, no tool's name and no answer."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from answergraph import AutoStrategy, ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.weather_calls import CALL, QUESTION, RAIN, STRATEGIES, Weather, get_weather
from tests.suite.colors import Run

ARGUMENTS = '{"city": "Oslo"}'
DRAFT = json.dumps({"city": "Oslo", "rain": False})

CALLS = {
    "ChatML": f"<|im_start|>assistant\n{CALL}",
    "Llama": f"<|start_header_id|>assistant<|end_header_id|>\n\n{CALL}",
    "DeepSeek R1": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{ARGUMENTS}\n```"
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "functionary": f"<|from|>assistant\n<|recipient|>get_weather\n<|content|>{ARGUMENTS}",
    "functionary 3.2": f">>>get_weather\n{ARGUMENTS}",
    "gpt-oss": f"<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>{ARGUMENTS}<|call|>",
    "gpt-oss, behind thoughts": "<|channel|>analysis<|message|>Which city?<|end|><|start|>assistant<|channel|>commentary "
    f"to=functions.get_weather <|constrain|>json<|message|>{ARGUMENTS}<|call|>",
    "Command R": f'Action: ```json\n[\n    {{"tool_name": "get_weather", "parameters": {ARGUMENTS}}}\n]\n```',
    "Command R7": '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", '
    f'"parameters": {ARGUMENTS}}}]<|END_ACTION|>',
    "Gemma": "<start_function_call>call:get_weather{city:<escape>Oslo<escape>}<end_function_call>",
    "Hunyuan": f"<tool_calls>\n<tool_call>get_weather\n```json\n{ARGUMENTS}\n```</tool_call>\n</tool_calls>",
    "GLM-4": f"get_weather\n{ARGUMENTS}",
    "by tool and input": f'{{"tool": "get_weather", "tool_input": {ARGUMENTS}}}',
}


@pytest.mark.parametrize("strategy", [AutoStrategy, ToolStrategy, None])
@pytest.mark.parametrize("form", CALLS.values(), ids=CALLS)
def test_a_call_in_the_form_of_a_chat_template_is_carried_out(run: Run, strategy: Any, form: str) -> None:
    model = ScriptedChatModel(replies=[form, RAIN, RAIN])
    result = run(create_agent(model, [get_weather], response_format=strategy and strategy(Weather)), QUESTION)
    _, asked, told, *_ = result["messages"]
    assert [(call["name"], call["args"]) for call in asked.tool_calls] == [("get_weather", {"city": "Oslo"})]
    assert told.text == "Rain in Oslo."


@STRATEGIES
@pytest.mark.parametrize(
    "form",
    [
        f"<|im_start|>assistant\n{RAIN}<|im_end|>",
        f"<|channel|>final<|message|>{RAIN}<|return|>",
        f"<|start_header_id|>assistant<|end_header_id|>\n\n{RAIN}",
    ],
)
def test_a_role_or_a_channel_before_the_answer_is_not_taken_for_a_tool(run: Run, strategy: Any, form: str) -> None:
    model = ScriptedChatModel(replies=[form])
    result = run(create_agent(model, [get_weather], response_format=strategy(Weather)), QUESTION)
    assert result["structured_response"] == Weather(city="Oslo", rain=True)


@pytest.mark.parametrize(
    "form",
    [
        f'[TOOL_CALLS]get_forecast{{"day": 1}}[TOOL_CALLS]get_weather{ARGUMENTS}',
        f"<|tool_call_begin|>get_forecast<|tool_call_argument_begin|>{{}}<|tool_call_end|>{CALL}",
        f"<start_function_call>call:get_forecast{{}}<end_function_call>{CALL}",
        f'{{"tool_name": "get_forecast", "parameters": {{}}}}\n{CALL}',
    ],
)
def test_nothing_runs_behind_the_call_of_an_unknown_tool(run: Run, form: str) -> None:
    model = ScriptedChatModel(replies=[form, RAIN, RAIN])
    result = run(create_agent(model, [get_weather], response_format=Weather), QUESTION)
    assert result["outcome"]["usage"]["tool_calls"] <= 1
    assert not any(message.text == "Rain in Oslo." for message in result["messages"])
    assert any("get_forecast is not a valid tool" in message.text for message in result["messages"])


TAGS = [
    ("<think>", "</think>"),
    ("<thinking>\n", "\n</thinking>\n"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("", "\n</think>\n\n"),
]
THOUGHTS = pytest.mark.parametrize(("opening", "closing"), TAGS, ids=[opening or "dropped" for opening, _ in TAGS])


@THOUGHTS
@pytest.mark.parametrize("shown", ["{}", "```json\n{}\n```"])
def test_the_answer_behind_the_thoughts_counts_and_no_draft_in_them(run: Run, opening: str, closing: str, shown: str) -> None:
    text = f"{opening}Perhaps\n{shown.format(DRAFT)}\nNo, it rains.{closing}{shown.format(RAIN)}"
    result = run(create_agent(ScriptedChatModel(replies=[text]), response_format=Weather), QUESTION)
    assert result["structured_response"] == Weather(city="Oslo", rain=True)


@STRATEGIES
@pytest.mark.parametrize(("opening", "closing"), [("<think>", ""), ("<think>", "</think>"), ("", "\n</think>")])
def test_thoughts_alone_are_no_answer(run: Run, strategy: Any, opening: str, closing: str) -> None:
    model = ScriptedChatModel(replies=[f"{opening}Perhaps {DRAFT}{closing}", RAIN])
    result = run(create_agent(model, response_format=strategy(Weather)), QUESTION)
    assert result["structured_response"] == Weather(city="Oslo", rain=True)
    assert result["outcome"]["usage"]["model_calls"] == 2


@STRATEGIES
def test_a_draft_in_thoughts_that_were_cut_is_no_answer(run: Run, strategy: Any) -> None:
    cut = AIMessage(f"<think>Perhaps {DRAFT}, or", response_metadata={"finish_reason": "length"})
    result = run(create_agent(ScriptedChatModel(replies=[cut] * 3), response_format=strategy(Weather)), QUESTION)
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "truncated")


@pytest.mark.parametrize(
    "text",
    [
        f"{RAIN}\n<thinking>I looked it up.</thinking>\n",
        f"<output>\n<answer>{RAIN}</answer>\n<reasoning>It rains.</reasoning>\n</output>",
        f"<answer>{RAIN}</answer>",
    ],
)
def test_thoughts_behind_the_answer_do_not_hide_it(run: Run, text: str) -> None:
    result = run(create_agent(ScriptedChatModel(replies=[text]), response_format=Weather), QUESTION)
    assert result["structured_response"] == Weather(city="Oslo", rain=True)
