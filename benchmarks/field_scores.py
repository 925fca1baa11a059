"""``python -m benchmarks.field_scores FOLDER``: whether ``evaluate`` marks fields as DocuBench does.

``FOLDER`` holds one JSON file per document: its schema, its label, the answers of several systems, and per leaf whether the
benchmark calls it right. Scripted models play the systems.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage

from answergraph import ToolStrategy, create_agent
from answergraph.kit import FieldPath
from answergraph.testing import Case, ScriptedChatModel, evaluate

ANY_OBJECT = {"title": "Document", "type": "object"}
"""The systems' answers were not held to the documents' schemas."""


def docubench_text(text: str) -> str:
    """Return what DocuBench compares of a text."""
    return re.sub(r"\W", "", text.lower())


def whole(schema: Mapping[str, Any], value: Any) -> Any:
    """Return a label with the fields that it leaves out, which are expected to be empty."""
    if isinstance(value, list):
        return [whole(schema["items"], item) for item in value]
    if "properties" not in schema:
        return value
    return {name: whole(part, (value or {}).get(name)) for name, part in schema["properties"].items()}


def marks(document: Mapping[str, Any], system: str, **options: Any) -> Iterator[tuple[bool, bool]]:
    """Yield for each leaf of a system's answer whether the benchmark calls it right, and whether we do."""
    call = {"name": "Document", "args": document["outputs"][system], "id": "1", "type": "tool_call"}
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[call])])
    case = Case("Read it.", whole(document["schema"], document["label"]))
    report = evaluate(create_agent(model, response_format=ToolStrategy(ANY_OBJECT)), [case], **options)
    ours = {".".join(map(str, FieldPath(each["field"]).parts)): each["mark"] for each in report.runs[0]["fields"]}
    leaves = {leaf["path"]: leaf["right"] for leaf in document["leaves"] if leaf["system"] == system}
    rows = {tuple(path.split(".")[:2]) for path in leaves if ".extra" in path}
    extra = sum(mark == "extra" and path not in leaves for path, mark in ours.items())
    for path, right in leaves.items():
        # The benchmark names the fields of extra rows; we count the rows.
        yield (True, len(rows) == extra) if ".extra" in path else (right, ours.get(path) == "right")


def main(folder: str) -> None:
    """Print how many leaves are marked alike."""
    documents = [json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.json"))]
    rules: Mapping[str, Mapping[str, Callable[[str], str]]] = {"its rule": {"normalize": docubench_text}, "ours": {}}
    for name, options in rules.items():
        every = [each for document in documents for system in document["outputs"] for each in marks(document, system, **options)]
        same = sum(theirs == ours for theirs, ours in every)
        sys.stdout.write(f"Texts by {name}: {same:,} of {len(every):,} leaves are marked alike ({same / len(every):.2%})\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
