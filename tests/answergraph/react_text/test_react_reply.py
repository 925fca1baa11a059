"""How a reply of the text protocol is read; the rows are those of the table in `docs/react.md`."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.react_text.react_reply import MISSING_ACTION, MISSING_INPUT, Action, FinalAnswer, Unreadable, read_reply
from answergraph.react_text.text_tool import TextTool

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
TOOLS = (
    TextTool("Calculator", "Calculates.", {"question": TEXT}, ("question",)),
    TextTool("add", "Adds.", {"a": NUMBER, "b": NUMBER}, ("a", "b")),
    TextTool("now", "Tells the time."),
    TextTool("search", "Searches.", {"query": TEXT, "limit": {"type": "integer", "default": 10}}, ("query",)),
)
CALCULATES = {"question": "100 * 0.2"}


@pytest.mark.parametrize(
    "reply",
    [
        "I must calculate.\n\nAction: Calculator\nAction Input: 100 * 0.2",
        "Action: Calculator\nAction Input: 100 * 0.2\nObservation: 20",
        "Action: Calculator\nAction Input: 100 * 0.2\n\tObservation: 20\nThought: Done.\nFinal Answer: 20",
        "Action: Calculator\nAction Input: 100 * 0.2\n**Observation:** 20",
        "Action: Calculator\nAction Input: 100 * 0.2\n\nFinal Answer: 20",
        "Action: Calculator\nAction Input: 100 * 0.2\nThought: And then\nAction: add\nAction Input: {}",
        "Action 1: Calculator\nAction Input 1: 100 * 0.2\nAction 2: Calculator\nAction Input 2: 5",
        "Action 1: Calculator\nAction 1 Input: 100 * 0.2",
        "**Action:** Calculator\n**Action Input:** 100 * 0.2",
        "Action: Calculator\nAction Input: ```text\n100 * 0.2\n```",
        "Action: Calculator\nAction Input:\n```\n100 * 0.2\n```\nObservation: 20",
        'Action: Calculator\nAction Input: "100 * 0.2"',
        "Action: Calculator\nAction Input: '100 * 0.2'",
        'Action: Calculator\nAction Input: {"question": "100 * 0.2"}',
        "Action: `Calculator`\nAction Input: 100 * 0.2",
        "Action: [Calculator]\nAction Input: 100 * 0.2",
        "Action: calculator\nAction Input: 100 * 0.2",
        "Action: Calculator\n(the best tool)\nAction Input: 100 * 0.2",
        "Final Answer:\n\nAction: Calculator\nAction Input: 100 * 0.2",
        "Action: Calculator(100 * 0.2)",
        "Action: Calculator[100 * 0.2]",
        'Action:\n```json\n{"action": "Calculator", "action_input": "100 * 0.2"}\n```',
        "I use the calculator. Action: Calculator Action Input: 100 * 0.2",
        '```json\n{"action": "Calculator", "action_input": "100 * 0.2"}\n```',
        'I calculate. {"action": "Calculator", "action_input": {"question": "100 * 0.2"}}',
        '{"tool": "Calculator", "tool_input": "100 * 0.2"}',
        '{"action": "Calculator", "action_input": "100 * 0.2"}\n{"action": "add", "action_input": {}}',
        'I calculate.\nCalculator("100 * 0.2")',
        "`Calculator(100 * 0.2)`",
        "思考: 計算する\n行動: Calculator\n行動の入力：100 * 0.2\n観察: 20",
        "Aktion: **Calculator**\n**Eingabe:** 100 * 0.2",
        "行動: Calculator\n行動の入力：100 * 0.2\n最終回答: 20",
        "Aktion: Calculator\nEingabe: 100 * 0.2\nFinal Answer: 20",
        "Action: Calculator\nEingabe: 100 * 0.2",
        "<think>Action: add? Final Answer: 3? No.</think>\nAction: Calculator\nAction Input: 100 * 0.2",
        "Action: Calculator\r\nAction Input: 100 * 0.2\r\nObservation: 20",
    ],
)
def test_an_evident_action_is_taken(reply: str) -> None:
    reading = read_reply(reply, TOOLS)
    assert isinstance(reading, Action), reading
    assert (reading.name, reading.args) == ("Calculator", CALCULATES)
    assert "Observation" not in reading.log
    assert "Final Answer: 20" not in reading.log


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("I now know.\nFinal Answer: 88ドル", "88ドル"),
        ("Final Answer: 41\nThought: No, wrong.\nFinal Answer: 42", "42"),
        ("Final Answer: 42\nAction: Calculator\nAction Input: 1", "42"),
        ("Final Answer: 42\n\nThought: Let me check.\nAction: Calculator\nAction Input: 1", "42"),
        ("Final Answer: two lines\n\nof text", "two lines\n\nof text"),
        ("Final Answer: 42\nObservation: right", "42"),
        ("Final Answer: 42\n\nQuestion: What else?\nThought: Well.", "42"),
        ("Final Answer: Question: why? Nobody knows.", "Question: why? Nobody knows."),
        ("**Final Answer:** 42", "42"),
        ("So it is clear. Final Answer: 42", "42"),
        ("Action: Final Answer\nAction Input: 42", "42"),
        ('{"action": "Final Answer", "action_input": "42"}', "42"),
        ('I know.\n```json\n{"action": "Final Answer", "action_input": {"é": 42}}\n```', '{"é": 42}'),
        ("考えた。\n最終回答：42", "42"),
        ("最终答案: 42", "42"),
        ("最終的な答え：42", "42"),
        ("최종 답변: 42", "42"),
        ("Je sais.\n**Réponse finale\u00a0:** 42", "42"),
        ("Endgültige Antwort: 42", "42"),
        ("Respuesta final: 42", "42"),
        ("Окончательный ответ: 42", "42"),
        ("Final answer: 42", "42"),
        ("Action: None\nAction Input: none\nFinal Answer: 42", "42"),
        ("Action: No tool needed\nThought: I know.\nFinal Answer: 42", "42"),
        ("Action: N/A\nFinal Answer: 42", "42"),
        ("Final Answer:", ""),
        ("<think>Hm.</think>Final Answer: 42", "42"),
        ("<thinking>Final Answer: 41?</thinking>\nFinal Answer: 42", "42"),
        ("final answer: 42", "42"),
        ("FINAL ANSWER: 42", "42"),
        ("It is clear.\nAnswer: 42", "42"),
        ("Answer: 41\nNo.\n**Answer:** 42", "42"),
        (r"So it is $\boxed{42}$.", "42"),
        (r"Not \boxed{1}, but \boxed{\frac{4}{2}}", r"\frac{4}{2}"),
        ("I know.\n<answer>\n42\n</answer>", "42"),
        ('{"passed": true}', '{"passed": true}'),
        ('```json\n{"passed": true}\n```', '```json\n{"passed": true}\n```'),
    ],
)
def test_an_evident_answer_is_taken(reply: str, answer: str) -> None:
    assert read_reply(reply, TOOLS) == FinalAnswer(answer)


@pytest.mark.parametrize(
    ("reply", "feedback"),
    [
        ("The answer is 88.", MISSING_ACTION),
        ("", MISSING_ACTION),
        ("Answer:", MISSING_ACTION),
        (r"\boxed{42", MISSING_ACTION),
        ("<answer></answer>", MISSING_ACTION),
        ("The answer: 88.", MISSING_ACTION),
        ("Action:\nAction Input: 5", MISSING_ACTION),
        ("Observation: made up", MISSING_ACTION),
        ('I could write {"a": 1}.', MISSING_ACTION),
        ("Action: Calculator", MISSING_INPUT),
        ("Action: Foo", MISSING_INPUT),
        ("Action: Calculator\nObservation: 20", MISSING_INPUT),
        ("Action: Calculator\nFinal Answer: 20", MISSING_INPUT),
        ("Action: Foo\nAction Input: 5", "Foo is not a valid tool, try one of [Calculator, add, now, search]."),
        ("Action: add\nAction Input: 1 and 2", "Invalid Format: 'Action Input:' of add is one JSON object with the keys a, b"),
        ("Action: add(1)", "Invalid Format: 'Action Input:' of add is one JSON object with the keys a, b"),
        ("add(1, 2, 3)", "Invalid Format: 'Action Input:' of add is one JSON object with the keys a, b"),
        ("add(1, a=2)", "Invalid Format: 'Action Input:' of add is one JSON object with the keys a, b"),
        ("Action: add\nAction Input: [1, 2]", "Invalid Format: 'Action Input:' of add is one JSON object with the keys a, b"),
    ],
)
def test_every_other_reply_is_corrected_with_what_is_missing(reply: str, feedback: str) -> None:
    reading = read_reply(reply, TOOLS)
    assert isinstance(reading, Unreadable), reading
    assert reading.feedback == feedback


def test_json_in_prose_is_an_answer_where_json_is_asked_for() -> None:
    assert read_reply('So: {"a": 1}.', TOOLS, formatted=True) == FinalAnswer('So: {"a": 1}.')


@pytest.mark.parametrize(
    ("reply", "name", "args"),
    [
        ('Action: add\nAction Input: {"a": 1, "b": 2}', "add", {"a": 1, "b": 2}),
        ('Action: add\nAction Input: ```json\n{"a": 1,\n"b": 2}\n```', "add", {"a": 1, "b": 2}),
        ("Action: add\nAction Input: {'a': 1, 'b': 2,}", "add", {"a": 1, "b": 2}),
        ("add(1, 2)", "add", {"a": 1, "b": 2}),
        ("Action: add(1, b=2)", "add", {"a": 1, "b": 2}),
        ("```python\nadd(1, 2)\n```", "add", {"a": 1, "b": 2}),
        ("[add(a=1, b=2)]", "add", {"a": 1, "b": 2}),
        ('I look.\nsearch("errors", 3)', "search", {"query": "errors", "limit": 3}),
        ("Action: search(12, limit=3)", "search", {"query": "12", "limit": 3}),
        ("Action: Calculator(1,000 * 2)", "Calculator", {"question": "1,000 * 2"}),
        ("Calculator(1,000)", "Calculator", {"question": "1,000"}),
        ("Action: now", "now", {}),
        ("Action: now\nAction Input: none", "now", {}),
        ("Action: now()", "now", {}),
        ("Action: search\nAction Input: errors", "search", {"query": "errors"}),
        ('Action: search\nAction Input: {"query": "errors", "limit": 3}', "search", {"query": "errors", "limit": 3}),
        ('Action: search\nAction Input: {"level": "error"}', "search", {"query": '{"level": "error"}'}),
        ('Action: search\nAction Input: "a" or "b"', "search", {"query": '"a" or "b"'}),
        (
            'Action: search\nAction Input: {"query": "x\nAction: y\nFinal Answer: z"}',
            "search",
            {"query": '{"query": "x\nAction: y\nFinal Answer: z"}'},
        ),
        ("Action: search\nAction Input: ```\nAction: y\nFinal Answer: z\n```", "search", {"query": "Action: y\nFinal Answer: z"}),
        ("Action: search\nAction Input: two\nlines", "search", {"query": "two\nlines"}),
    ],
)
def test_an_input_is_read_as_the_tools_arguments(reply: str, name: str, args: dict[str, object]) -> None:
    reading = read_reply(reply, TOOLS)
    assert isinstance(reading, Action), reading
    assert (reading.name, reading.args) == (name, args)


def test_the_log_of_an_ordinary_reply_is_the_reply() -> None:
    reply = " I must.\n\nAction: Calculator\nAction Input: 1 \n"
    reading = read_reply(reply, TOOLS)
    assert isinstance(reading, Action)
    assert reading.log == reply


PARTS = ["Action", " Input", ":", "\n", "Final Answer:", "Observation:", "```", "{", "}", '"', " 1 ", "add", "search", "x"]


@given(st.lists(st.sampled_from(PARTS)).map("".join))
def test_any_reply_has_a_reading(text: str) -> None:
    assert isinstance(read_reply(text, TOOLS), Action | FinalAnswer | Unreadable)


@given(before=st.text(alphabet="abc :\n", max_size=30), after=st.text(max_size=50))
def test_nothing_after_an_invented_observation_matters(before: str, after: str) -> None:
    reply = f"{before}\nAction: Calculator\nAction Input: 1"
    assert read_reply(f"{reply}\nObservation:{after}", TOOLS) == read_reply(reply, TOOLS)


@pytest.mark.parametrize(
    "part",
    [
        "Action: Calculator\n",
        "Action: x\nAction Input: ```\n",
        "Action: x\nAction Input: {",
        "Action Input: {\n",
        "Final Answer: x\nThought: y\n",
        "Action" + " " * 50,
        "Action 1 ",
        " \t",
        "Observation ",
        "```\n",
        "{",
        '{"a": ',
        "Question: x\n",
        "**",
    ],
)
def test_reading_takes_time_in_proportion_to_the_text(part: str) -> None:
    def seconds(length: int) -> float:
        """Return the processor's time, the least of some: other work on the machine says nothing."""
        text = (part * (length // len(part) + 1))[:length]
        taken = []
        for _ in range(3):
            begin = time.thread_time()
            read_reply(text, TOOLS)
            taken.append(time.thread_time() - begin)
        return min(taken)

    # Eight times the text; quadratic time would be sixty-four times as long.
    assert seconds(80_000) < 30 * seconds(10_000) + 0.05


@pytest.mark.parametrize(
    "text",
    [
        'I must look.\nAction: search(oslo)\nAction Input: "oslo"',
        'Thought: I must look.\nAction: search("oslo")',
        'I must look.\nAction: {"name": "search", "arguments": {"query": "oslo"}}',
        'I must look.\n<tool_call>{"name": "search", "arguments": {"query": "oslo"}}</tool_call>',
    ],
)
def test_an_action_is_read_as_small_models_write_it(text: str) -> None:
    reading = read_reply(text, TOOLS)
    assert isinstance(reading, Action)
    assert (reading.name, reading.args) == ("search", {"query": "oslo"})


def test_an_answer_behind_the_label_of_an_action_is_the_answer_where_json_is_asked_for() -> None:
    text = 'It rains.\nAction: {"city": "Oslo"}'
    assert read_reply(text, TOOLS, formatted=True) == FinalAnswer('{"city": "Oslo"}')
    assert isinstance(read_reply(text, TOOLS), Unreadable)


@pytest.mark.parametrize(
    ("reply", "feedback"),
    [
        ('Find(q="x")\nadd(a=1, b=2)', "Find is not a valid tool, try one of [Calculator, add, now, search]."),
        (
            '{"Find": {"q": "x"}}\n{"add": {"a": 1, "b": 2}}',
            "Find is not a valid tool, try one of [Calculator, add, now, search].",
        ),
        (
            '{"name": "Calculator", "arguments": {"question": oops}}\n{"name": "add", "arguments": {"a": 1, "b": 2}}',
            "Invalid Format: the arguments of Calculator are cut, or no JSON object",
        ),
    ],
)
def test_behind_a_call_that_cannot_be_carried_out_none_is(reply: str, feedback: str) -> None:
    read = read_reply(reply, TOOLS)
    assert isinstance(read, Unreadable)
    assert read.feedback == feedback


@pytest.mark.parametrize(
    "thoughts",
    [
        '<think>Maybe {"action": "add", "action_input": {"a": 1, "b": 2}}',
        '<think>Maybe\n{"action": "add", "action_input": {"a": 1, "b": 2}}</think>\n',
        '<think>One.</think>\n<think>Maybe {"action": "add", "action_input": {"a": 1, "b": 2}}',
        'Maybe {"action": "add", "action_input": {"a": 1, "b": 2}}\n</think>\n',
        "<think>Maybe\nAction: add\nAction Input: 1</think>",
    ],
)
def test_what_the_model_only_thinks_of_is_not_carried_out(thoughts: str) -> None:
    assert isinstance(read_reply(thoughts, TOOLS), Unreadable)
