"""Calls that a model wrote as text are found in every known form, and other text is never read as a call."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.reading.call_forms import names_called
from answergraph.reading.text_calls import TextCall, TextCalls, find_text_calls
from tests.torture.growth import MAX_EXPONENT, growth

NAMES = ["get_weather", "Person", "read-log"]
OSLO = ("get_weather", {"city": "Oslo"})
ANNA = ("Person", {"name": "Anna", "age": 34})
CALL = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
PERSON = '{"name": "Person", "arguments": {"name": "Anna", "age": 34}}'


def calls_in(text: str) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.args) for call in find_text_calls(text, NAMES).calls]


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        *(CALL.replace("arguments", key) for key in ("parameters", "args", "input")),
        '{"name": "get_weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}',
        '{"name": "functions.get_weather", "arguments": {"city": "Oslo"}}',
        '{"type": "function", "name": "get_weather", "parameters": {"city": "Oslo"}}',
        '{"name": "get_weather", "description": "The weather.", "parameters": {"city": "Oslo"}}',
        '{"function": "get_weather", "arguments": {"city": "Oslo"}}',
        f'{{"function": {CALL}}}',
        f'{{"type": "function", "function": {CALL}}}',
        f'{{"tool_calls": [{CALL}]}}',
        '{"tool_calls": [{"id": "1", "type": "function", "function": '
        '{"name": "get_weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}}]}',
        '{"get_weather": {"city": "Oslo"}}',
        f"[{CALL}]",
        f"```json\n{CALL}\n```",
        f"```\n{CALL}\n```",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tool_call>\n{CALL}",
        f"<function_call>{CALL}</function_call>",
        f"<|python_tag|>{CALL}",
        f"<|tool_call|>[{CALL}]",
        f"[TOOL_CALLS] [{CALL}]",
        '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}',
        '[TOOL_CALLS]get_weather[CALL_ID]8x2Qd0aBc[ARGS]{"city": "Oslo"}',
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜>',
        '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|>',
        '<|python_tag|>get_weather.call(city="Oslo")',
        '```tool_code\nprint(default_api.get_weather(city="Oslo"))\n```',
        "{'name': 'get_weather', 'arguments': {'city': 'Oslo'}}",
        'get_weather(city="Oslo")',
        'get_weather({"city": "Oslo"})',
        "get_weather({'city': 'Oslo'})",
        '[get_weather(city="Oslo")]',
        '`get_weather(city="Oslo")`',
        '```python\nget_weather(\n    city="Oslo",\n)\n```',
        '<tool_call>get_weather(city="Oslo")</tool_call>',
        '<|python_tag|>functions.get_weather(city="Oslo")',
        '<function=get_weather>{"city": "Oslo"}</function>',
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
        '<function_calls><invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke></function_calls>',
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>",
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
    ],
)
def test_a_call_is_read_in_each_form(text: str) -> None:
    assert find_text_calls(text, NAMES) == TextCalls((TextCall(*OSLO),), "")


@pytest.mark.parametrize(
    "text",
    [
        f"{CALL}\n{PERSON}",
        f"{CALL}, {PERSON}",
        f"[{CALL}, {PERSON}]",
        f"```json\n{CALL}\n{PERSON}\n```",
        f"```json\n{CALL}\n```\n\n```json\n{PERSON}\n```",
        f"<tool_call>{CALL}</tool_call>\n<tool_call>{PERSON}</tool_call>",
        f'{{"role": "assistant", "content": null, "tool_calls": [{CALL}, {PERSON}]}}',
        '[get_weather(city="Oslo"), Person(name="Anna", age=34)]',
        'get_weather(city="Oslo")\nPerson(name="Anna", age=34)',
    ],
)
def test_several_calls_are_read_in_order(text: str) -> None:
    assert find_text_calls(text, NAMES) == TextCalls((TextCall(*OSLO), TextCall(*ANNA)), "")


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (f"{CALL}. Please wait.", "Please wait."),
        (f"Let me see.\n\n```json\n{CALL}\n```\n\nThis tells the weather.", "Let me see.\nThis tells the weather."),
        (f"I call get_weather(city): {CALL}", "I call get_weather(city):"),
        (f"Data:\n```\nx\n```\n{CALL}", "Data:\n```\nx\n```"),
        (f'{CALL}\n{{"name": "other", "arguments": {{}}}}', '{"name": "other", "arguments": {}}'),
        (f"{CALL}{chr(10) * 60}", ""),
        (f"{{{CALL}}}", "{"),
        (f"A brace {{ and a [note] first: {CALL}", "A brace { and a [note] first:"),
        (f"<think>Which tool? {PERSON}</think>{CALL}", f"<think>Which tool? {PERSON}</think>"),
    ],
)
def test_the_text_around_a_call_stays(text: str, rest: str) -> None:
    assert find_text_calls(text, NAMES) == TextCalls((TextCall(*OSLO),), rest)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "It rains in Oslo.",
        '{"name": "get_weather", "city": "Oslo"}',
        '{"name": "get_weather"}',
        '{"name": "get_forecast", "arguments": {"city": "Oslo"}} and get_weather',
        '{"name": "Get_Weather", "arguments": {}} is not get_weather',
        '{"get_weather": "Oslo"}',
        '{"get_weather": {"city": "Oslo"}, "Person": {"name": "Anna"}}',
        f'{{"answer": 3, "log": [{CALL}]}}',
        f'{{"answer": 3, "tool_calls": [{CALL}]}}',
        f'{{"answer": {CALL}}}',
        f"[1, {CALL}]",
        f'[{CALL}, {{"city": "Oslo"}}]',
        f'{{"cut": [{CALL}, {{"ci',
        f'{{"broken": [{CALL}], oops}}',
        json.dumps({"note": f"{CALL} and\nget_weather(city=1)\n<function=get_weather>{{}}</function>"}),
        'Use get_weather(city="Oslo") for it.',
        "get_weather(city) tells the weather.",
        "def get_weather(city: str): ...",
        f"<think>I could call {CALL}",
    ],
)
def test_a_call_of_a_tool_that_was_not_offered_is_unchanged(text: str) -> None:
    assert find_text_calls(text, NAMES) == TextCalls((), text)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "get_weather", "arguments": {"city": "Os',
        '```json\n{"name": "get_weather", "arguments": ',
        '{"name": "get_weather", "arguments": {"celsius": 2 + 3}}',
        '{"name": "get_weather", "arguments": {"city": "Oslo", "city": "Rome"}}',
        '{"name": "get_weather", "arguments": ["Oslo"]}',
        '{"name": "get_weather", "arguments": null}',
        '{"name": "get_weather", "arguments": "Oslo"}',
        '{"name": "get_weather", "arguments": {"city": "Oslo"}, "input": {"city": "Rome"}}',
        '{"tool_calls": [{"type": "function", "function": {"name": "get_weather", "arguments": {"city": oops}}}]}',
        '{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}',
        '{"get_weather": {"city": oops}}',
        '<function=get_weather>{"city": "Oslo"',
        "<function=get_weather><parameter=city>Os",
        "<function=get_weather><parameter=city>Oslo</parameter><parameter=city>Rome</parameter></function>",
        'get_weather("Oslo")',
        'get_weather("Oslo", celsius=True)',
        "get_weather(city=oslo)",
        'get_weather(city="Oslo", city="Rome")',
        'get_weather(**{"city": "Oslo"})',
        'get_weather(city={"Oslo"})',
        'get_weather(city=b"Oslo")',
        'get_weather(city="\\d")',
        'get_weather({"city": "Oslo"} ',
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</tool_call>",
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value><arg_key>day</arg_key><arg_va",
    ],
)
def test_a_call_whose_arguments_cannot_be_read_is_only_named(text: str) -> None:
    assert find_text_calls(text, NAMES) == TextCalls((TextCall("get_weather", None),), "")


def test_a_call_that_is_cut_hides_none_before_it() -> None:
    assert calls_in(f'{CALL}.\n{CALL}.\n{{"name": "Person", "arguments": {{"na') == [*calls_in(CALL) * 2, ("Person", None)]


def test_parameters_in_tags_are_texts_unless_they_are_lists_or_objects() -> None:
    text = '<invoke name="Person"><parameter name="age">34</parameter><parameter name="tags">["a"]</parameter></invoke>'
    assert calls_in(text) == [("Person", {"age": "34", "tags": ["a"]})]
    pairs = '<arg_key>age</arg_key>\n<arg_value>34</arg_value>\n<arg_key>tags</arg_key>\n<arg_value>["a"]</arg_value>\n'
    assert calls_in(f"<tool_call>Person\n{pairs}</tool_call>") == [("Person", {"age": "34", "tags": ["a"]})]


def test_a_call_in_tags_may_have_no_arguments() -> None:
    assert calls_in("<tool_call>get_weather\n</tool_call>") == [("get_weather", {})]


def test_a_name_may_be_no_identifier() -> None:
    assert calls_in('read-log(lines=3)\n{"read-log": {}}') == [("read-log", {"lines": 3}), ("read-log", {})]


def test_without_names_there_are_no_calls() -> None:
    assert find_text_calls(CALL, []) == TextCalls((), CALL)
    assert find_text_calls(CALL, [""]) == TextCalls((), CALL)


ARGS = st.dictionaries(
    st.text(max_size=5),
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=5),
    max_size=3,
)


@given(ARGS, st.text(alphabet=st.characters(exclude_characters="{}[]`<>(\"'"), max_size=30))
def test_arguments_come_back_unchanged(args: dict[str, Any], prose: str) -> None:
    for text in (json.dumps({"name": "get_weather", "arguments": args}), json.dumps({"get_weather": args})):
        assert calls_in(f"{prose} {text} {prose}") == [("get_weather", args)]


TAGS = [
    "<tool_call>",
    "<arg_key>a</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "<function=f>",
    "<parameter=a>",
    "</parameter>",
    "</",
    '<invoke name="f">',
    "<think>",
    "</think>",
]
PIECES = st.sampled_from(
    [*"{}[]()\"'\\`,:\n ", "f", "f(", "f()", "a=1", '"name"', '"f"', '"args"', '"tool_calls"', "```json\n", "[TOOL_CALLS]", *TAGS]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = find_text_calls(text, ["f"])
    assert found.calls or found.rest == text


BRACKETS = ["{", "[", "{x}", "[x]", "{}", '{"', '["', "[{", "{[", "\n[", "\n", '\\"', "```json\n"]
PYTHON = ["f(", "f(\n", "f(\n)x", "f(a=1),", "f(-", "[f("]
TAGGED = ["<function=f>", "<function=f><parameter=a>", '<invoke name="f">{', "[TOOL_CALLS]f{", "[TOOL_CALLS]"]
SPECIAL = [
    "<｜",
    '<｜DSML｜invoke name="f">',
    '<|DSML|invoke name="f"><|DSML|parameter name="a" string="true">',
    "✿FUNCTION✿: f\n",
]
SPECIAL += [
    "✿",
    "<function=f{",
    "<tool_call><name>f</name>",
    '\n"{\\"name\\":\\"f\\"',
    '"name":"\\u0066"',
    '<|tool_call>call:f{a:<|"|>',
]
PAIRED = ["<tool_call>f", "<tool_call>f<arg_key>", "<tool_call>f<arg_key>a</arg_key><arg_value>", "<tool_call>\n"]
JSON = [
    '{"f":{',
    '{"name":"f","args":{}},',
    '{"name":"f","args":',
    "{'name':'f','args':{'a':1}}\n",
    '{"function":{',
    '{"type":"a",',
]


@pytest.mark.parametrize("piece", [*BRACKETS, *PYTHON, *TAGGED, *SPECIAL, *PAIRED, *JSON])
def test_a_hostile_text_is_read_in_linear_time(piece: str) -> None:
    for read in (lambda text: find_text_calls(text, ["f"]), lambda text: list(names_called(text))):
        assert growth(read, lambda size: "f " + piece * (size // len(piece)), 300_000).exponent <= MAX_EXPONENT


@pytest.mark.parametrize("piece", ["-", "not ", "1+", "2**", "a.", "f(", "[", "lambda:", "1 if 1 else ", "'' "])
def test_deep_python_is_refused_without_harm(piece: str) -> None:
    text = f"f(a={piece * (50_000 // len(piece))}1)"
    assert find_text_calls(text, ["f"]).calls == (TextCall("f", None),)


def test_a_text_of_a_megabyte_is_read_in_linear_time() -> None:
    def read(text: str) -> None:
        assert len(find_text_calls(text, NAMES).calls) == 1

    assert growth(read, lambda size: CALL + "{x [y] " * (size // 7), 1_000_000).exponent <= MAX_EXPONENT
