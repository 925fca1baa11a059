"""``python -m benchmarks.second_opinions FOLDER``: what agreement of real systems says, on documents of DocuBench.

``FOLDER`` holds one JSON file per document: its text, the answers of several systems, and per field whether each is right.
The systems are played by scripted models; the ensemble compares them.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage

from answergraph import ToolStrategy, check_evidence, create_agent
from answergraph.graphs import create_ensemble
from answergraph.kit import AnswerAccepted, FieldPath
from answergraph.testing import ScriptedChatModel

ANY_OBJECT = {"title": "Document", "type": "object"}
"""The systems' answers were not held to the documents' schemas."""


def reader(system: str, document: Mapping[str, Any], *, with_evidence: bool) -> Any:
    """Return an agent that gives a system's answer."""

    def found(answer: Any, state: Any, runtime: Any) -> AnswerAccepted:
        return AnswerAccepted(check_evidence(answer, [document["text"]], fields="all").fields)

    call = {"name": "Document", "args": document["outputs"][system], "id": "1", "type": "tool_call"}
    model = ScriptedChatModel(replies=lambda request: AIMessage("", tool_calls=[call]))
    check = found if with_evidence else None
    return create_agent(model, response_format=ToolStrategy(ANY_OBJECT), check_answer=check, name=system)


def outcomes(documents: list[Mapping[str, Any]], *, with_evidence: bool) -> Iterator[tuple[bool, bool]]:
    """Yield for each field of each system, and each other system as second opinion, whether it is right and whether it stands."""
    for document in documents:
        systems = list(document["outputs"])
        readers = {system: reader(system, document, with_evidence=with_evidence) for system in systems}
        for first, second in permutations(systems, 2):
            fields = create_ensemble([readers[first], readers[second]]).invoke({"messages": ["Read it."]})["outcome"]["fields"]
            standing = {_parts(path) for path, record in fields.items() if "accepted_by" in record}
            for leaf in document["leaves"]:
                if leaf["system"] == first and leaf["value"] not in (None, ""):
                    yield leaf["right"], tuple(leaf["path"].split(".")) in standing


def _parts(path: str) -> tuple[str, ...]:
    return tuple(map(str, FieldPath(path).parts))


def main(folder: str) -> None:
    """Print the table of ``docs/how-to/second-opinion.md``."""
    documents = [json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.json"))]
    sys.stdout.write(
        "| second opinion | right fields that stand | wrong fields in doubt | right among those that stand |\n|---|---|---|---|\n"
    )
    for name, with_evidence in (("agrees", False), ("agrees, and the value is in the document or has no letters", True)):
        counts = Counter(outcomes(documents, with_evidence=with_evidence))
        right, wrong = (counts[is_right, True] + counts[is_right, False] for is_right in (True, False))
        sure = counts[True, True] / (counts[True, True] + counts[False, True])
        row = f"| {counts[True, True] / right:.1%} of {right:,} | {counts[False, False] / wrong:.1%} of {wrong:,} | {sure:.1%} |"
        sys.stdout.write(f"| {name} {row}\n")


if __name__ == "__main__":
    main(sys.argv[1])
