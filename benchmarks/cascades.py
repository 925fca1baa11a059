"""``python -m benchmarks.cascades FOLDER``: two real systems, and a third one for what they dispute, on documents of DocuBench.

``FOLDER`` holds one JSON file per document: its schema, its label, and the answers of several systems. Scripted models play them.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from itertools import permutations, product
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage

from answergraph import ToolStrategy, create_agent
from answergraph.graphs import create_ensemble
from answergraph.testing import Case, ScriptedChatModel, evaluate
from benchmarks.field_scores import docubench_text, whole

Document = Mapping[str, Any]


def fields_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with its fields alone, all of them optional: the systems were not held to its types."""
    if "properties" in schema:
        return {"type": "object", "properties": {name: fields_of(part) for name, part in schema["properties"].items()}}
    return {"type": ["array", "null"], "items": fields_of(schema["items"])} if "items" in schema else {}


def reader(system: str, document: Document) -> Any:
    """Return an agent that gives a system's answer."""
    call = {"name": "Document", "args": document["outputs"][system], "id": "1", "type": "tool_call"}
    declared = {"title": "Document", **fields_of(document["schema"])}
    model = ScriptedChatModel(replies=lambda request: AIMessage("", tool_calls=[call]))
    return create_agent(model, response_format=ToolStrategy(declared), name=system)


def cascade(document: Document, *, first: str, second: str, third: str, agree: int) -> Any:
    """Return two readers and a third one; a field without ``agree`` equal readings is left out. With one, the third decides."""
    asked = [reader(first, document), reader(second, document)]
    return create_ensemble(asked, then=[reader(third, document)], agree=agree, on_doubt="omit")


def marks(documents: list[Document], agent_of: Callable[[Document], Any]) -> Counter[str]:
    """Return how many labelled fields are right, wrong and missing, and how many rows no label has."""
    found: Counter[str] = Counter()
    for document in documents:
        case = Case("Read it.", whole(document["schema"], document["label"]))
        (run,) = evaluate(agent_of(document), [case], normalize=docubench_text).runs
        found.update(field["mark"] for field in run["fields"])
    return found


def row(name: str, found: Counter[str]) -> str:
    return f"| {name} | {found['right']:,} | {found['wrong']:,} | {found['missing']:,} | {found['extra']:,} |\n"


def main(folder: str) -> None:
    """Print the table of ``docs/how-to/second-opinion.md``, with rows for each cascade."""
    documents = [json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.json"))]
    systems = list(documents[0]["outputs"])
    sys.stdout.write("| reader | right | wrong | missing | extra rows |\n|---|---|---|---|---|\n")
    for system in systems:
        sys.stdout.write(row(system, marks(documents, partial(reader, system))))
    for agree, (first, second, third) in product((2, 1), permutations(systems, 3)):
        if systems.index(first) < systems.index(second):
            found = marks(documents, partial(cascade, first=first, second=second, third=third, agree=agree))
            sys.stdout.write(row(f"{first} and {second}, then {third}, agree={agree}", found))


if __name__ == "__main__":
    main(sys.argv[1])
