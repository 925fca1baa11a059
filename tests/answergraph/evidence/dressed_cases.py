"""Faithful quotes of texts with colours, comment marks or markup; written without code of the package."""

from __future__ import annotations

import html
import json
import re
import textwrap
import unicodedata
from collections.abc import Callable
from random import Random

from tests.answergraph.evidence.passages import PROSE, RealCase, case_of, counting, lines_of, passage, sentence
from tests.answergraph.evidence.real_texts import RealText


def colours_stripped(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    if not said or said not in text.text:
        return None
    colour = random.choice(("31", "1;32", "38;5;196", "0;33"))
    return RealCase((_around(text.text, said, lambda word: f"\x1b[{colour}m{word}\x1b[0m", random),), said)


def _around(text: str, said: str, dress: Callable[[str], str], random: Random) -> str:
    words = re.split(r"(\s+)", said)
    dressed = [dress(word) if word and not word.isspace() and random.random() < 0.5 else word for word in words]
    return text.replace(said, "".join(dressed), 1)


def comment_marks_dropped(text: RealText, random: Random) -> RealCase | None:
    taken = lines_of(text.text, random, 2, 4)
    if not taken or any(re.match(r"\s*[#/*>+;%-]|.*\*/", line) for line in taken):
        return None
    mark = random.choice(("# ", "// ", "> ", ";; ", "-- "))
    source = "\n".join(f"{mark}{line}" for line in taken)
    return _dressed(source, counting("\n".join(taken).strip()))


def comment_marks_dropped_and_unwrapped(text: RealText, random: Random) -> RealCase | None:
    said = sentence(text.text, random) if text.kind in PROSE else None
    if said is None or len(said) < 90 or re.search(r"[#*>`]", said):
        return None
    before, mark, after = random.choice((("", "# ", ""), ("", "// ", ""), ("/**\n", " * ", "\n */"), ("", "> ", "")))
    wrapped = textwrap.wrap(said, random.randint(50, 76), break_on_hyphens=False, break_long_words=False)
    return RealCase((before + "\n".join(f"{mark}{line}" for line in wrapped) + after,), said) if len(wrapped) > 1 else None


def _dressed(source: str, said: str | None) -> RealCase | None:
    return RealCase((f"head of it\n\n{source}\n\nend of it",), said) if said else None


def line_numbers_dropped(text: RealText, random: Random) -> RealCase | None:
    taken = lines_of(text.text, random, 2, 5)
    said = taken and counting("\n".join(taken).strip())
    if not taken or not said:
        return None
    form = random.choice(("{:6}\t{}", "{:>5}→{}", "{}: {}", "{}:{}", "{:4} | {}", "{}\t{}"))
    start = random.randint(1, 200)
    lines = ["a line before it", *taken, "a line behind it"]
    return RealCase(("\n".join(form.format(start + index, line) for index, line in enumerate(lines)),), said)


def added_lines_of_a_diff(text: RealText, random: Random) -> RealCase | None:
    taken = lines_of(text.text, random, 2, 4)
    said = taken and counting("\n".join(taken).strip())
    if not taken or not said:
        return None
    lines = "\n".join(f"+{line}" for line in taken)
    return RealCase((f"--- a/x\n+++ b/x\n@@ -1,2 +1,{len(taken) + 2} @@\n context\n{lines}\n more",), said)


def emphasis_dropped(text: RealText, random: Random) -> RealCase | None:
    return _marked_up(text, random, random.choice(("**", "*", "***")))


def code_ticks_dropped(text: RealText, random: Random) -> RealCase | None:
    return _marked_up(text, random, random.choice(("`", "``")))


def _marked_up(text: RealText, random: Random, mark: str) -> RealCase | None:
    said = passage(text.text, random)
    if not said or re.search(r"[*_`\[\]<>]", said):
        return None
    words = said.split(" ")
    at = random.choice([index for index, word in enumerate(words) if re.fullmatch(r"\w{2,}", word)] or [-1])
    if at < 0:
        return None
    words[at] = f"{mark}{words[at]}{mark}"
    return RealCase((text.text.replace(said, " ".join(words)),), said)


def link_targets_dropped(text: RealText, random: Random) -> RealCase | None:
    found = list(re.finditer(r"(?<![\w\])!])\[([^\[\]\n`*_]{3,60})\]\(([^()\s]+)\)", text.text))
    if found:
        link = random.choice(found)
        line = text.text[text.text.rfind("\n", 0, link.start()) + 1 : text.text.find("\n", link.end())].strip()
        shown = re.sub(r"\[([^\[\]\n]*)\]\([^()\s]+\)", r"\1", line)
        return case_of(text, counting(shown)) if not re.search(r"[*_`\[\]!|<]", shown) else None
    said = passage(text.text, random)
    if not said or re.search(r"[*_`\[\]<>()]", said):
        return None
    words = said.split(" ")
    at = random.randrange(len(words))
    linked = " ".join([*words[:at], f"[{words[at]}](https://example.org/{at}.html)", *words[at + 1 :]])
    return RealCase((text.text.replace(said, linked),), said) if words[at] else None


def html_tags_stripped(text: RealText, random: Random) -> RealCase | None:
    if text.kind == "html" and "</" in text.text:
        parts = re.findall(
            r"<(?:p|li|td|h[1-6])\b[^<>]*>((?:[^<>]|</?(?:a|b|i|em|strong|code|span|tt)\b[^<>]*>){30,400})</", text.text
        )
        if not parts:
            return None
        part = random.choice(parts)
        said = counting(" ".join(html.unescape(re.sub(r"<[^<>]*>", "", part)).split()))
        return RealCase((f"<html><body><p>{part}</p></body></html>",), said) if said and "<" in part else None
    said = passage(text.text, random)
    if not said:
        return None
    words = html.escape(said, quote=False).split(" ")
    at = random.randrange(len(words))
    words[at] = random.choice(("<b>{}</b>", '<a href="x.html">{}</a>', "<code>{}</code>", '<span class="k">{}</span>')).format(
        words[at]
    )
    return RealCase((f"<html>\n<body>\n<p>Before.</p><p>{' '.join(words)}</p>\n<p>Behind.</p></body></html>",), said)


def _object(text: RealText, random: Random) -> tuple[dict[str, object], str, object] | None:
    said = passage(text.text, random)
    if not said:
        return None
    words = [word for word in re.findall(r"[a-z_]{3,}", said.lower())] or ["reason"]
    data: dict[str, object] = {
        "id": random.randint(1, 999),
        words[0]: said,
        "ok": random.random() < 0.5,
        "duration_ms": random.randint(1, 9999),
    }
    return data, words[0], said


def json_pair_spaced_otherwise(text: RealText, random: Random) -> RealCase | None:
    made = _object(text, random)
    if made is None:
        return None
    data, key, value = made
    source, quoted = random.choice((((",", ":"), ": "), ((", ", ": "), ":"), ((",", ": "), " : ")))
    pair = f"{json.dumps(key)}{quoted}{json.dumps(value, ensure_ascii=False)}"
    return RealCase((json.dumps(data, separators=source, ensure_ascii=False),), pair)


def json_pairs_on_one_line(text: RealText, random: Random) -> RealCase | None:
    made = _object(text, random)
    if made is None:
        return None
    data, key, value = made
    pairs = f'{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}, "ok": {json.dumps(data["ok"])}'
    return RealCase((json.dumps(data, indent=2, ensure_ascii=False),), pairs) if list(data)[1] == key else None


def plain_words_of_escaped_json(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    return RealCase((json.dumps({"log": text.text, "ok": True}, ensure_ascii=random.random() < 0.5),), said) if said else None


def copied_with_escapes(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    escaped = said and json.dumps(said)[1:-1]
    return RealCase((json.dumps([text.text]),), escaped) if escaped and escaped != said else None


def invisible_characters_in_the_source(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    if not said:
        return None
    at = random.randrange(1, len(said))
    if unicodedata.combining(said[at]):
        return None
    return RealCase((text.text.replace(said, said[:at] + random.choice("\u00ad\u200b\u2060\ufeff") + said[at:], 1),), said)


def hyphenated_at_a_line_end(text: RealText, random: Random) -> RealCase | None:
    said = sentence(text.text, random) or passage(text.text, random, low=8)
    if not said:
        return None
    words = [match for match in re.finditer(r"[a-zà-ÿ]{7,}", said)][1:]
    if not words:
        return None
    word = random.choice(words)
    at = word.start() + random.randint(3, len(word.group()) - 3)
    return RealCase((f"Before it.\n\n{said[:at]}-\n{said[at:]}\n\nBehind it.",), said)


def one_of_many_documents(text: RealText, random: Random) -> RealCase | None:
    said = passage(text.text, random)
    return RealCase(("All of it follows.", f"x\n\n{text.text}", "The end of it."), said) if said else None


DRESSED = (
    colours_stripped, comment_marks_dropped, comment_marks_dropped_and_unwrapped, line_numbers_dropped,
    added_lines_of_a_diff, emphasis_dropped, code_ticks_dropped, link_targets_dropped, html_tags_stripped,
    json_pair_spaced_otherwise, json_pairs_on_one_line, plain_words_of_escaped_json, copied_with_escapes,
    invisible_characters_in_the_source, hyphenated_at_a_line_end, one_of_many_documents,
)  # fmt: skip
