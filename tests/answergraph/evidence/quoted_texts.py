"""Generated tool results and true quotes from them, for the evidence cases."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any

from langchain_core.messages import ToolMessage

from answergraph.evidence import ToolRun
from answergraph.state.messages import texts_of

_WORDS = """
disk volume worker connection timeout assertion expected retry queue commit snapshot login button screen element driver server
certificate schema payload checksum fixture build deploy config cache memory socket handler upload token session found failed
passed reached refused missing visible ready valid stable loaded opened closed written reverted rejected
"""
_GLUE = "the a of in is was and to for by on with after before its while has"
WORDS = _WORDS.split()
GLUE = _GLUE.split()
NEGATIONS = ("not", "never", "without", "cannot", "wasn't", "doesn't")
JAPANESE = (
    "接続に失敗しました。",
    "再試行は、行われませんでした。",
    "画面の要素「保存」が見つかりません。",
    "テストは成功しました。",
    "データベースを更新した後、",
)
KOREAN = ("연결에 실패했습니다.", "화면을 찾을 수 없습니다.", "테스트가 통과했습니다.")
MARKS = ("'", '"', "“”", "‘’", "«»", "„“", "「」")


@dataclass(frozen=True)
class TrueQuote:
    """A literal quote of one result, and its tokens."""

    text: str
    tokens: tuple[str, ...]
    result: int
    """The index of its result."""
    before: str
    """The token before it, empty at the start."""
    after: str
    """The token after it, empty at the end."""


def word(random: Random) -> str:
    return random.choice(GLUE if random.random() < 0.3 else WORDS)


def number(random: Random) -> str:
    value = random.randint(10, 99_999_999)
    form = random.choice(("{}", "{:,}", "-{}", "0.{}", "{}%", "{}ms", "v1.{}.3"))
    return form.format(value)


def token(random: Random) -> str:
    kind = random.random()
    if kind < 0.62:
        return word(random) + random.choice(("", "", "", "", ",", ".", ":"))
    if kind < 0.74:
        return number(random)
    if kind < 0.84:
        return random.choice(NEGATIONS)
    if kind < 0.9:
        mark = random.choice(MARKS)
        return f"{mark[0]}{word(random)}{mark[-1]}"
    if kind < 0.95:
        return random.choice(JAPANESE + KOREAN)
    return random.choice(
        ("ERROR:root:Disk", "tests/test_login.py::test_ok", "exit_code=137", "naïve", "ｆｕｌｌ", "[worker-3]", "x²")
    )


def lines(random: Random) -> list[list[str]]:
    return [[token(random) for _ in range(random.randint(3, 14))] for _ in range(random.randint(1, 6))]


def results(random: Random) -> list[list[list[str]]]:
    """Return the lines of one to three results, as tokens."""
    return [lines(random) for _ in range(random.randint(1, 3))]


def written(result: list[list[str]]) -> str:
    return "\n".join(" ".join(line) for line in result)


def content_of(text: str, random: Random) -> Any:
    """Return a text as a tool may return it: plain, as a content block among others, or inside JSON."""
    kind = random.randrange(4)
    if kind == 0:
        return [{"type": "text", "text": "Results follow:"}, {"type": "text", "text": text}]
    if kind == 1:
        return json.dumps({"status": "done", "log": text}, ensure_ascii=random.random() < 0.5)
    return json.dumps([text, "the end"], indent=1) if kind == 2 else text


def run_of(content: Any, call_id: str, **args: Any) -> ToolRun:
    message = ToolMessage(content, name="read_log", tool_call_id=call_id)
    return ToolRun(call_id, "read_log", args, tuple(texts_of(message)))


def true_quote(texts: list[list[list[str]]], random: Random) -> TrueQuote | None:
    """Take a quote that counts; ``None`` if there is none at the chosen place."""
    place = random.randrange(len(texts))
    at_line = random.randrange(len(texts[place]))
    tokens = texts[place][at_line]
    start = random.randrange(len(tokens))
    end = min(start + random.randint(2, 18), len(tokens))
    taken = tokens[start:end]
    preceding = tokens[:start] or (texts[place][at_line - 1] if at_line else [])
    before = preceding[-1] if preceding else ""
    says_much = sum(token.strip(",.:") in WORDS for token in taken) > 1 and len(" ".join(taken)) > 12
    # "Not to" and "failed to" deny what follows as "not" does.
    if not says_much or before in (*NEGATIONS, "to"):
        return None
    spaced = " ".join(tokens)
    at = 0
    for earlier in tokens[:start]:
        at = spaced.index(earlier, at) + len(earlier)
    text = spaced[at:].lstrip()
    length = 0
    for each in taken:
        length = text.index(each, length) + len(each)
    return TrueQuote(text[:length], tuple(taken), place, before, tokens[end] if end < len(tokens) else "")
