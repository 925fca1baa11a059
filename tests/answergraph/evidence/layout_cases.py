"""Faithful quotes whose layout is another one: fences, citations, lists, cells, pairs, literals, several ellipses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random

from tests.answergraph.evidence.passages import NEGATIONS, RealCase, case_of, counting, lines_of, passage, sentence
from tests.answergraph.evidence.real_texts import RealText

_WIDE = "\u4e00-\u9fff"


def in_a_code_fence(text: RealText, random: Random) -> RealCase | None:
    taken = lines_of(text.text, random)
    said = taken and counting("\n".join(taken))
    return case_of(text, f"```{random.choice(('', 'python', 'text'))}\n{said}\n```") if said and "```" not in said else None


def cited(text: RealText, random: Random) -> RealCase | None:
    taken = lines_of(text.text, random)
    said = taken and counting("\n".join(line.strip() for line in taken))
    return case_of(text, "\n".join(f"> {line}" for line in said.split("\n"))) if said and ">" not in said else None


def ellipsis_of_spaced_dots(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    return case_of(text, f"{said} . . .") if said else None


def two_ellipses(text: RealText, random: Random) -> RealCase | None:
    said = sentence(text.text, random)
    words = said.split() if said else []
    if len(words) < 18 or re.search(r"[;:!?]|\.(?=.)", said or ""):
        return None
    gaps = {word.lower().strip("(),") for word in [*words[4:7], *words[11:14]]}
    parts = [" ".join(words[:4]), " ".join(words[7:11]), " ".join(words[14:18])]
    if gaps & NEGATIONS or not all(map(counting, parts)):
        return None
    return RealCase((f"Before it.\n\n{said}\n\nBehind it.",), random.choice((" … ", " ... ", " [...] ")).join(parts))


def items_without_bullets(text: RealText, random: Random) -> RealCase | None:
    said = [passage(text.text, random) for _ in range(3)]
    items = [re.sub(r"^\W+", "", item) for item in said if item and re.match(r"[A-Za-z]{3}", item)]
    if len(items) != len(said) or any(one in other for one in items for other in items if one is not other):
        return None
    mark = random.choice(("- ", "* ", "• ", "{}. ", "{}) "))
    source = "\n".join(f"{mark.format(number)}{item}" for number, item in enumerate(items, 1))
    quote = counting("\n".join(items[:2]))
    return RealCase((f"The list:\n\n{source}\n\nBehind it.",), quote) if quote else None


def joined_literals(text: RealText, random: Random) -> RealCase | None:
    found = re.findall(r"((?:\"[^\"\n\\{}%]{12,}\"\s*\n\s*)+\"[^\"\n\\{}%]{12,}\")", text.text) if text.kind == "python" else []
    if found:
        block = random.choice(found)
        return case_of(text, counting("".join(re.findall(r'"([^"\n]*)"', block)).strip()))
    said = passage(text.text, random, low=8)
    if not said or re.search(r"[\"'\\]", said):
        return None
    words = said.split(" ")
    first, second = f"{' '.join(words[:4])} ", " ".join(words[4:])
    form = random.choice(('x = (\n    "{}"\n    "{}"\n)', 'const x = "{}" +\n  "{}";', 'msgid ""\n"{}"\n"{}"\nmsgstr ""'))
    return RealCase((form.format(first, second),), said)


def json_pair_as_text(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    if not said or re.search(r"[\"'\\:=]", said):
        return None
    data = {"id": random.randint(1, 999), "reason": said, "ok": True}
    quote = f"reason{random.choice((': ', ' = ', '='))}{said}"
    return RealCase((json.dumps(data, indent=random.choice((None, 2)), ensure_ascii=False),), quote)


def _row(text: RealText, random: Random) -> list[str]:
    found = re.findall(r"(?<!\S)[A-Za-z]{3,}(?: [A-Za-z]{4,}| \d{1,4}(?!\S)){1,2}(?!\S)", text.text)
    return random.sample(found, 4) if len(found) > 20 else []


def cells_joined_otherwise(text: RealText, random: Random) -> RealCase | None:
    rows = [row for row in (_row(text, random) for _ in range(6)) if row][:2]
    if len(rows) < 2:
        return None
    mark = random.choice((",", " | ", "\t"))
    joined = "\n".join(mark.join(row) for row in (["one", "two", "three", "four"], *rows))
    source = "\n".join(f"| {line} |" for line in joined.split("\n")) if mark == " | " else joined
    other = random.choice([each for each in (", ", " | ", " ") if each.strip() != mark.strip() or mark == "\t"])
    quote = counting(other.join(rows[0][1:3]))
    return RealCase((source,), quote) if quote else None


def _table(text: RealText, random: Random) -> tuple[list[list[str]], str] | None:
    rows = [_row(text, random) for _ in range(3)]
    mark = random.choice((",", " | ", "\t"))
    edge = mark.strip(",\t")
    source = "\n".join(f"{edge} {mark.join(row)} {edge}".strip() for row in rows)
    return (rows, source) if all(rows) and len({cell for row in rows for cell in row}) == sum(map(len, rows)) else None


def _of_table(text: RealText, random: Random, pick: Callable[[list[list[str]]], list[str]]) -> RealCase | None:
    made = _table(text, random)
    quote = counting(random.choice((", ", " | ", " ", "\t")).join(pick(made[0]))) if made else None
    if made is None or not quote or any(_plain_words(quote) in _plain_words(line) for line in made[1].split("\n")):
        return None  # by chance the words stand side by side in a row: such a quote is faithful
    return RealCase((made[1],), quote)


def _plain_words(text: str) -> str:
    return " ".join(["", *re.findall(r"[^\W_]+", text.lower()), ""])


def cells_of_two_rows(text: RealText, random: Random) -> RealCase | None:
    return _of_table(text, random, lambda rows: [rows[0][-1], rows[1][0]])


def cells_of_a_column(text: RealText, random: Random) -> RealCase | None:
    return _of_table(text, random, lambda rows: [rows[0][1], rows[1][1]])


def cells_swapped(text: RealText, random: Random) -> RealCase | None:
    return _of_table(text, random, lambda rows: [rows[1][2], rows[1][1]])


def cell_left_out(text: RealText, random: Random) -> RealCase | None:
    return _of_table(text, random, lambda rows: [rows[1][0], rows[1][2]])


def items_joined(text: RealText, random: Random) -> RealCase | None:
    case = items_without_bullets(text, random)
    return RealCase(case.texts, case.quote.replace("\n", " ")) if case else None


def item_left_out(text: RealText, random: Random) -> RealCase | None:
    case = items_without_bullets(text, random)
    if case is None:
        return None
    items = [re.sub(r"^\S+ ", "", line) for line in case.texts[0].split("\n\n")[1].split("\n")]
    return RealCase(case.texts, f"{items[0]}\n{items[2]}")


def literal_left_out(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random, low=9)
    if not said or re.search(r"[\"'\\]", said):
        return None
    words = said.split(" ")
    if len(words) < 9 or not all(word.isalpha() for word in words[3:6]):
        return None
    parts = [" ".join(words[:3]), " ".join(words[3:6]), " ".join(words[6:])]
    quote = counting(f"{parts[0]} {parts[2]}")
    source = "x = (\n" + "\n".join(f'    "{part} "' for part in parts) + "\n)"
    return RealCase((source,), quote) if quote and len(set(words)) == len(words) else None


def pair_of_another_key(text: RealText, random: Random) -> RealCase | None:
    one, other = passage(text.text, random), passage(text.text, random)
    if not one or not other or other in one or re.search(r"[\"'\\:=]", one + other):
        return None
    source = json.dumps([{"reason": one, "n": 1}, {"effect": other, "n": 2}], indent=random.choice((None, 2)), ensure_ascii=False)
    return RealCase((source,), f"reason{random.choice((': ', ' = '))}{other}")


def dots_of_code(text: RealText, random: Random) -> RealCase | None:
    words = list(dict.fromkeys(re.findall(r"[a-z]{4,}", text.text)))[:40]
    if len(words) < 12:
        return None
    one, two, left_out, three, four = random.sample(words, 5)
    source = f"{one}Config = merge({two}Options, {left_out}Options, {three}Options.{four}Value)"
    return RealCase((source,), f"{one}Config = merge({two}Options, ...{three}Options.{four}Value)")


def spaces_between_scripts(text: RealText, random: Random) -> RealCase | None:
    if not re.search(f"[{_WIDE}]", text.text):
        return None
    spaced = [line for line in text.text.split("\n") if re.search(rf"[{_WIDE}] ?[A-Za-z0-9]", line)]
    line = random.choice(spaced) if spaced else ""
    found = re.search(rf"[{_WIDE}]{{4,12}} ?[A-Za-z0-9]+ ?[{_WIDE}]{{4,12}}", line)
    if found is None:
        return None
    said = found.group()
    closed = said.replace(" ", "")
    other = closed if " " in said else re.sub(rf"(?<=[{_WIDE}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{_WIDE}])", " ", said)
    return case_of(text, counting(other)) if any(word in other for word in said.split()) else None


LAYOUT = (
    in_a_code_fence, cited, ellipsis_of_spaced_dots, two_ellipses, items_without_bullets, joined_literals, json_pair_as_text,
    cells_joined_otherwise, spaces_between_scripts,
)  # fmt: skip
ALTERED_LAYOUT = (
    cells_of_two_rows, cells_of_a_column, cells_swapped, cell_left_out, items_joined, item_left_out, literal_left_out,
    pair_of_another_key, dots_of_code,
)  # fmt: skip
