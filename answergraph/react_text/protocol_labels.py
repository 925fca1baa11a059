"""Finds the labels of the text protocol in a reply, in time linear in its length."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from answergraph.json_text.json_in_text import end_of_thoughts, ends_in_thoughts

Kind = Literal["input", "action", "answer", "thought", "question"]

_FINAL_ANSWER = "|".join(
    (
        *("(?i:Final answer)", "Réponse [Ff]inale", "Respuesta [Ff]inal", "Resposta [Ff]inal", "Risposta [Ff]inale"),
        *("Endgültige Antwort", "Finale Antwort", "Abschließende Antwort", "Eindantwoord", "Definitief antwoord"),
        *("Slutligt svar", "Endelig svar", "Lopullinen vastaus", "Ostateczna odpowiedź", "Konečná odpověď"),
        *("Окончательный ответ", "Итоговый ответ", "Остаточна відповідь", "Nihai [Cc]evap", "Jawaban [Aa]khir"),
        *("Câu trả lời cuối cùng", "الإجابة النهائية", "अंतिम उत्तर", "คำตอบสุดท้าย"),
        *("最終的?な?(?:回答|答え|解答)", "最终(?:答案|回答)", "最終答案", "최종 ?(?:답변|답)"),
    )
)
"""The label of the answer, also in other languages."""
_NUMBER = r"[ \t]*+(?:\d++[ \t]*+)?"
_NAMES = "|".join(
    [
        rf"(?P<input>Action{_NUMBER}Input)",
        "(?P<action>Action)",
        f"(?P<answer>{_FINAL_ANSWER})",
        "(?P<thought>Thought)",
        "(?P<question>Question)",
    ]
)
# Possessive quantifiers: no backtracking.
_END = rf"{_NUMBER}(?:\*\*)?+[ \t\u00a0\u202f]*+[:：](?:\*\*)?+"
_AT_LINE_START = re.compile(rf"^[ \t]*+(?:[*#>]{{1,3}}+[ \t]*+)?+(?:{_NAMES}){_END}", re.MULTILINE)
_ANYWHERE = re.compile(rf"\b(?:{_NAMES}){_END}")
_ANSWER = re.compile(rf"^[ \t]*+(?:[*#>]{{1,3}}+[ \t]*+)?+Answer{_END}", re.MULTILINE | re.IGNORECASE)
_INVENTED = re.compile(rf"(?:\A|\n)[ \t]*+(?:\*\*)?+Observation{_END}")
_FENCE = re.compile(r"\s*+```[^\n`]*+\n")
_FENCE_START = re.compile(r"\s*+(```|~~~)[^\n`]*+\n")


@dataclass(frozen=True)
class Label:
    """One label of a reply."""

    kind: Kind
    start: int
    end: int
    """The start of its value."""


def without_inventions(text: str) -> str:
    """Remove leading blocks of thoughts and an invented observation."""
    # Small models forget to close one, so labels in it count.
    text = text if ends_in_thoughts(text) else text[end_of_thoughts(text) :]
    invented = _INVENTED.search(text)
    return text if invented is None else text[: invented.start()]


def labels_in(text: str) -> list[Label]:
    """Return the labels at line starts, or all labels if those are not a reply.

    Labels inside the fence or JSON object of the first action's input are part of that input.
    """
    at_line_start = list(_labels(text, _AT_LINE_START))
    if _is_reply(at_line_start):
        return at_line_start
    anywhere = list(_labels(text, _ANYWHERE))
    return anywhere if _is_reply(anywhere) else at_line_start


def marked_answer(text: str) -> str | None:
    """Return the last answer that a text without labels marks: in tags, in LaTeX's box, or after ``Answer:``."""
    _, tagged, answer = text.rpartition("</answer>")[0].rpartition("<answer>")
    _, boxed, rest = text.rpartition("\\boxed{")
    if boxed and not tagged:
        depths = accumulate(({"{": 1, "}": -1}.get(character, 0) for character in rest), initial=1)
        answer = rest[: next((end for end, depth in enumerate(depths) if not depth), 1) - 1]
    elif not tagged:
        answer = text[max((label.end() for label in _ANSWER.finditer(text)), default=len(text)) :]
    return answer.strip() or None


def input_end(text: str, start: int) -> int | None:
    """Return the end of an input that is a fence or a JSON object, else ``None``."""
    if fence := _FENCE.match(text, start):
        end = text.find("\n```", fence.end() - 1)
        return None if end < 0 else end + len("\n```")
    begin = start + len(text[start:]) - len(text[start:].lstrip())
    if text[begin : begin + 1] != "{":
        return None
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, begin)[1]
    except (ValueError, RecursionError):
        return None


def unfenced(text: str) -> str:
    start, whole = _FENCE_START.match(text), text.rstrip()
    if start is None or not whole.endswith(start[1]) or len(whole) - len(start[1]) < start.end():
        return text
    return whole[start.end() : -len(start[1])].rstrip(" \t").removesuffix("\n")


def is_action(labels: Sequence[Label], index: int) -> bool:
    return labels[index].kind == "action" and index + 1 < len(labels) and labels[index + 1].kind == "input"


def _is_reply(labels: Sequence[Label]) -> bool:
    return any(label.kind == "answer" or is_action(labels, index) for index, label in enumerate(labels))


def _labels(text: str, pattern: re.Pattern[str]) -> Iterator[Label]:
    inside_until: int | None = None
    for match in pattern.finditer(text):
        if inside_until is not None and match.start() < inside_until:
            continue
        kind: Kind = match.lastgroup  # type: ignore[assignment]  # the pattern's groups are named after the kinds
        yield Label(kind, match.start(), match.end())
        if kind == "input" and inside_until is None:
            # Only for the first input: nothing after the first action is read.
            inside_until = input_end(text, match.end()) or 0
