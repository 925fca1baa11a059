"""What chat templates leave in a reply, tokens, roles and thoughts, is no call, no tool's name and no answer."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import AutoStrategy, PromptedStrategy, ToolStrategy, create_agent
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
    "DeepSeek V3.2": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" '
    'string="true">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    "DeepSeek V4, from a tokenizer without its tokens": '<||DSML||tool_calls><||DSML||invoke name="get_weather">'
    '<||DSML||parameter name="city" string="true">Oslo</||DSML||parameter></||DSML||invoke></||DSML||tool_calls>',
    "Qwen, older": f"✿FUNCTION✿: get_weather\n✿ARGS✿: {ARGUMENTS}\n✿RESULT✿",
    "Kimi K2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    f"{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>",
    "MiniMax M2": '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n'
    "</minimax:tool_call>",
    "Gemma 4": '<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>}<tool_call|>',
    "Solar": "<|tool_calls|><|tool_call:begin|>a1<|tool_call:name|>get_weather<|tool_call:args|>"
    f"{ARGUMENTS}<|tool_call:end|><|calls|>",
    "Step": '<steptml:invoke name="get_weather"><steptml:parameter name="city">Oslo</steptml:parameter></steptml:invoke>',
    "Llama 3": f"<function=get_weather>{ARGUMENTS}</function>",
    "Llama 3, without an end of the tag": f"<function=get_weather{ARGUMENTS}</function>",
    "Llama 3, in brackets": f"<function=get_weather({ARGUMENTS})></function>",
    "a name in an attribute": f'<function name="get_weather">{ARGUMENTS}</function>',
    "a name in a tag": f"<tool_call><name>get_weather</name><arguments>{ARGUMENTS}</arguments></tool_call>",
    "a tag with the name": f"<get_weather>{ARGUMENTS}</get_weather>",
    "ReAct": f"Action: get_weather\nAction Input: {ARGUMENTS}",
    "JSON in a string": json.dumps(CALL),
    "JSON in a string in a tag": f"<tool_call>{json.dumps(CALL)}</tool_call>",
    "arguments encoded twice": json.dumps({"name": "get_weather", "arguments": json.dumps(ARGUMENTS)}),
    "an escaped name": CALL.replace("_", "\\u005f"),
}
IS_SAID = [form for name, form in CALLS.items() if name not in ("GLM-4", "a tag with the name")]
"""Those whose words say that they are calls, of whatever tool."""


@pytest.mark.parametrize("strategy", [AutoStrategy, ToolStrategy, None])
@pytest.mark.parametrize("form", CALLS.values(), ids=CALLS)
def test_a_call_in_the_form_of_a_chat_template_is_carried_out(run: Run, strategy: Any, form: str) -> None:
    model = ScriptedChatModel(replies=[form, RAIN, RAIN])
    result = run(create_agent(model, [get_weather], response_format=strategy and strategy(Weather)), QUESTION)
    _, asked, told, *_ = result["messages"]
    assert [(call["name"], call["args"]) for call in asked.tool_calls] == [("get_weather", {"city": "Oslo"})]
    assert told.text == "Rain in Oslo."


class City(BaseModel):
    """An answer with the key that the arguments of a call have."""

    city: str


@pytest.mark.parametrize("strategy", [ToolStrategy, PromptedStrategy])
@pytest.mark.parametrize("form", IS_SAID)
def test_the_call_of_an_unknown_tool_is_no_answer_and_nothing_behind_it_runs(run: Run, strategy: Any, form: str) -> None:
    unknown = form.replace("get_weather", "refund").replace("get\\u005fweather", "re\\u0066und")
    for text in (unknown, f"{unknown}\n{CALL}"):
        model = ScriptedChatModel(replies=[text, *["I do not know."] * 3])
        result = run(create_agent(model, [get_weather], response_format=strategy(City)), QUESTION)
        assert (result["structured_response"], result["outcome"]["usage"]["tool_calls"]) == (None, 1)
        assert "refund is not a valid tool" in result["messages"][2].text


@pytest.mark.parametrize("form", CALLS.values(), ids=CALLS)
def test_nothing_runs_behind_a_call_whose_arguments_are_cut(run: Run, form: str) -> None:
    broken = form[: form.rindex("Oslo")] + "Os"
    model = ScriptedChatModel(replies=[broken, *["I do not know."] * 3])
    result = run(create_agent(model, [get_weather], response_format=ToolStrategy(City)), QUESTION)
    assert (result["structured_response"], result["outcome"]["usage"]["tool_calls"]) == (None, 0)
    assert "get_weather was not carried out" in result["messages"][2].text


@pytest.mark.parametrize("strategy", [ToolStrategy, PromptedStrategy])
@pytest.mark.parametrize("form", ["<City><city>Oslo</city></City>", "<function=City>{city}</function>", "City(city=oslo)"])
def test_a_written_answer_that_cannot_be_read_is_sent_back_as_such(run: Run, strategy: Any, form: str) -> None:
    model = ScriptedChatModel(replies=[form, '{"city": "Oslo"}'])
    result = run(create_agent(model, response_format=strategy(City)), QUESTION)
    assert result["structured_response"] == City(city="Oslo")
    assert "the arguments of the call are not valid JSON" in model.requests[1].messages[-1].text


def test_a_parameter_is_json_or_a_text_as_its_tag_says(run: Run) -> None:
    parameters = {"a": ("true", "[1]"), "b": ("false", "[1]"), "c": ("false", "null"), "d": ("true", "null"), "e": ("false", "2")}
    tags = "".join(f'<｜DSML｜parameter name="{key}" string="{s}">{v}</｜DSML｜parameter>' for key, (s, v) in parameters.items())

    @tool
    def keep(a: Any, b: Any, c: Any, d: Any, e: Any) -> str:
        """Keep values."""
        return json.dumps([a, b, c, d, e])

    model = ScriptedChatModel(replies=[f'<｜DSML｜invoke name="keep">{tags}</｜DSML｜invoke>', "Done."])
    assert run(create_agent(model, [keep]), QUESTION)["messages"][2].text == '["[1]", [1], null, "null", 2]'


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
