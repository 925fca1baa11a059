"""Measures how many edits of saved bundles the verifier finds; ``make evidence`` runs it.

Prints the table of ``docs/evidence-figures.md``; the exit code is 1 if an edit that is not harmless was not found.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Annotated, Any

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import Quote, ToolStrategy, create_agent
from answergraph.evidence import BUNDLE_KEYS, FromTools, answer_bundle
from answergraph.evidence.bundles import BUNDLES_FORMAT, sealed
from answergraph.middleware import GroundedAnswer
from answergraph.testing import ScriptedChatModel
from tests.answergraph.evidence.bundle_edits import as_read, edited, is_found, one_character_changed

EDITS = 10_000
SEED = 20261122
KEY = b"secret"
FIELD_DEPTH = 2
LOG = "12:00 ERROR the disk of the east wing is not full after 1.5 s\n12:01 the price is 12.30 EUR"


class QuotedVerdict(BaseModel):
    """Is it real?"""

    is_real: bool
    summary: str
    quotes: Annotated[list[str], Quote()]
    ms: Annotated[float, FromTools(units={"s": 1000})]


@tool
def read_log(path: str) -> str:
    """Read a log."""
    return LOG


def saved_bundle() -> dict[str, Any]:
    """Return the bundle of an answer with checked and unchecked fields, as it is read from its file."""
    quotes = ["the disk … is not full", "the price is 12.30 EUR"]
    calls = [
        ("read_log", {"path": "a.log"}),
        ("QuotedVerdict", {"is_real": True, "summary": "It is full.", "quotes": quotes, "ms": 1500}),
    ]
    replies = [AIMessage("", tool_calls=[{"name": name, "args": args, "id": name}]) for name, args in calls]
    model = ScriptedChatModel(replies=replies)
    agent = create_agent(model, [read_log], response_format=ToolStrategy(QuotedVerdict), middleware=[GroundedAnswer()])
    bundle: dict[str, Any] = json.loads(json.dumps(answer_bundle(agent.invoke({"messages": ["q"]}, output_keys=BUNDLE_KEYS))))
    return bundle


def of_a_place(saved: dict[str, Any], random: Random) -> tuple[bool, str]:
    """Return whether an edit is found, and why it is harmless if it is not."""
    return is_found(edited(saved, random)[2]), ""


def of_a_signed_one(saved: dict[str, Any], random: Random) -> tuple[bool, str]:
    """As above, for an edit with a new digest and the old signature."""
    _, place, changed = edited(saved, random)
    changed["digest"] = sealed(changed)["digest"]
    return is_found(changed, key=KEY), "the digest, which is made anew" if place == ("digest",) else ""


def of_the_file(saved: dict[str, Any], random: Random) -> tuple[bool, str]:
    text = json.dumps(saved, indent=1, ensure_ascii=False)
    changed = one_character_changed(text, random)
    why = "the same JSON: white space between values, a letter or number written in another way"
    return is_found(changed), why if as_read(changed) == as_read(text) else ""


def of_a_checked_part(saved: dict[str, Any], random: Random) -> tuple[bool, str]:
    """As above, for an edit with a new digest, without a signature."""
    kind, place, changed = edited(saved, random)
    is_new_field = kind == "put_in" and len(place) == FIELD_DEPTH
    is_checked = place[0] == "answer" and place[1:2] in {("quotes",), ("ms",)} and not is_new_field
    if is_checked and str(changed["answer"]).split() == str(saved["answer"]).split():
        return is_found(sealed(changed)), "white space in a quote"
    part = f"`{place[0]}`" + (": a field without a mark" if place[0] == "answer" else "")
    return is_found(sealed(changed)), "" if is_checked else part


Try = Callable[[dict[str, Any], Random], tuple[bool, str]]


def main(count: int = EDITS) -> int:
    """Measure and print the table; returns 1 if an edit was not found that is not harmless."""
    saved = saved_bundle()
    signed = sealed(saved, KEY)
    many = sealed({"format": BUNDLES_FORMAT, "bundles": [{"case": "a", **saved}, {"case": "b", **saved}]})
    rows: tuple[tuple[str, dict[str, Any], Try], ...] = (
        ("one place of the bundle", saved, of_a_place),
        ("one place of a triage's bundles", many, of_a_place),
        ("one place of a signed bundle, its digest made anew", signed, of_a_signed_one),
        ("one character of its file", saved, of_the_file),
        ("one place of the bundle, its digest made anew", saved, of_a_checked_part),
    )
    missed = 0
    print("| edited | edits | found | not found: harmless | not found |\n|---|---|---|---|---|")
    for title, bundle, try_edit in rows:
        random = Random(SEED)
        tried = [try_edit(bundle, random) for _ in range(count)]
        harmless = Counter(why for found, why in tried if not found and why)
        wrong = sum(not found and not why for found, why in tried)
        missed += wrong
        listed = "; ".join(f"{number:,} {why}" for why, number in harmless.most_common()) or "0"
        print(f"| {title} | {count:,} | {sum(found for found, _ in tried):,} | {listed} | {wrong} |", flush=True)
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
