"""Measures how many right values of documents are kept, and how many wrong ones flagged, by ``Grounded()`` without settings.

``python -m tests.answergraph.evidence.measure_values FOLDER`` reads a folder of JSON files, one per document: its ``text``, and
``leaves`` with the ``value`` that a system gave, its ``path``, and whether it is ``right``. Every other file, by name, is kept
apart: rules are written with the first half only.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from answergraph import Grounded, check_evidence
from answergraph.evidence import ToolRun

Counts = Counter[tuple[bool, str]]


def label_of(path: str) -> str:
    """Return the name of a field in words: ``"policy number"`` for ``coverages.3.policyNumber``."""
    names = [name for name in path.split(".") if not re.fullmatch(r"\d+|extra\d+", name)]
    return " ".join(re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", names[-1])).lower()


def counts_of(document: dict[str, Any], *, labelled: bool) -> Counts:
    """Return how many values are right or wrong, by what is said of them."""
    run = ToolRun("document", "document", {}, (document["text"],))
    leaves = [leaf for leaf in document["leaves"] if leaf["value"] not in (None, "", [])]
    answer, marks = {}, {}
    for number, leaf in enumerate(leaves):
        label = label_of(leaf["path"])
        if not labelled or label in document["text"].lower():
            answer[f"field_{number}"] = leaf["value"]
            marks[f"field_{number}"] = Grounded(label=label) if labelled else Grounded()
    fields = check_evidence(answer, [run], marks=marks).fields if answer else {}
    return Counter((leaves[int(path.removeprefix("field_"))]["right"], record["status"]) for path, record in fields.items())


def line_of(name: str, counts: Counts) -> str:
    """Return a row of the table."""
    right, wrong = (sum(number for (is_right, _), number in counts.items() if is_right is kind) for kind in (True, False))
    kept, flagged = counts[True, "supported"] / max(right, 1), 1 - counts[False, "supported"] / max(wrong, 1)
    return f"| {name} | {right} | {kept:.1%} | {wrong} | {flagged:.1%} |"


def main(folder: Path) -> None:
    """Print the table."""
    documents = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    print("| values | right | kept | wrong | flagged |\n|---|---|---|---|---|")
    for title, labelled in (("no setting", False), ("with label=, the field's name in words where the text has it", True)):
        counts = [counts_of(document, labelled=labelled) for document in documents]
        for half, chosen in (("first half", counts[::2]), ("second half", counts[1::2]), ("all", counts)):
            print(line_of(f"{title}, {half}", sum(chosen, Counter())))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
