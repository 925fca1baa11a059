"""``python -m benchmarks.asked_again FOLDER``: ways to ask a third system about two that differ, on documents of DocuBench.

Only what is in dispute, or the whole answer again, or as trustcall does: a patch of the first answer, where the third one reads
something else. ``FOLDER`` is that of ``benchmarks.cascades``; scripted models play the systems.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jsonpatch
from langchain_core.messages import AIMessage
from pydantic import BaseModel
from trustcall import create_extractor

from answergraph.graphs import create_ensemble
from answergraph.testing import ScriptedChatModel
from benchmarks.cascades import Document, cascade, marks, reader

FIRST, SECOND, THIRD = "gpt", "extend", "gemini"
"""The last one is the best alone."""
QUESTION: Any = {"messages": ["Read it."]}


class Written:
    """Counts the characters that the third system has to write, as JSON."""

    def __init__(self) -> None:
        self.characters = 0

    def add(self, value: object) -> None:
        self.characters += len(json.dumps(value, ensure_ascii=False))


def disputed(document: Document, written: Written) -> Any:
    """Return an ensemble whose third reader is asked for the fields in dispute; its patch holds those that it was asked for."""
    graph = cascade(document, first=FIRST, second=SECOND, third=THIRD, agree=2)

    changes = [
        {"path": path, "value": reading["value"]}
        for path, record in graph.invoke(QUESTION)["outcome"]["fields"].items()
        for reading in record.get("readings", ())
        if reading["reader"] == THIRD
    ]
    if changes:
        written.add({"changes": changes})
    return graph


def vote(document: Document, written: Written) -> Any:
    """Return three readers that each read the whole document."""
    written.add(document["outputs"][THIRD])
    return create_ensemble([reader(name, document) for name in (FIRST, SECOND, THIRD)], agree=2, on_doubt="omit")


def whole_answer(document: Document, written: Written) -> Any:
    """Return the third reader, whose answer takes the place of the others'."""
    written.add(document["outputs"][THIRD])
    return reader(THIRD, document)


class Answer(BaseModel, extra="allow"):
    """The record of a document; the systems were not held to its types."""


def trustcall_update(document: Document, written: Written) -> Any:
    """Return trustcall's update of the first answer by the patch that leads to the third one's."""
    first, third = document["outputs"][FIRST], document["outputs"][THIRD]
    patch = jsonpatch.make_patch(first, third).patch
    written.add(patch)
    arguments = {"json_doc_id": "Answer", "planned_edits": "", "patches": patch}
    model = ScriptedChatModel(
        replies=lambda request: AIMessage("", tool_calls=[{"name": "PatchDoc", "args": arguments, "id": "1"}])
    )
    extractor = create_extractor(model, tools=[Answer], tool_choice="Answer")
    updated = extractor.invoke({**QUESTION, "existing": {"Answer": first}})["responses"]
    # An agent gives it, so that all rows are scored alike.
    return reader(THIRD, {**document, "outputs": {THIRD: updated[0].model_dump() if updated else first}})


WAYS: dict[str, Callable[[Document, Written], Any]] = {
    "the fields in dispute": disputed,
    "the whole answer, for a vote of three": vote,
    "the whole answer, which stands": whole_answer,
    "trustcall: a patch of the first answer": trustcall_update,
}


def main(folder: str) -> None:
    """Print the table of ``docs/how-to/second-opinion.md``."""
    documents = [json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.json"))]
    sys.stdout.write(
        "| asked of the third one | characters it writes | right | wrong | missing | extra rows |\n|---|---|---|---|---|---|\n"
    )
    for name, way in WAYS.items():
        written = Written()
        found: Counter[str] = marks(documents, partial(way, written=written))
        counts = " | ".join(f"{found[mark]:,}" for mark in ("right", "wrong", "missing", "extra"))
        sys.stdout.write(f"| {name} | {written.characters:,} | {counts} |\n")


if __name__ == "__main__":
    main(sys.argv[1])
