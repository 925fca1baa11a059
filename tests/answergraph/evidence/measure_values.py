"""Measures how many right values of documents are kept, and how many wrong ones flagged, by ``Grounded()`` without settings.

``python -m tests.answergraph.evidence.measure_values FOLDER`` reads a folder of JSON files, one per document: its ``text``, and
``leaves`` with the ``value`` that a system gave, its ``path``, and whether it is ``right``. Every other file, by name, is kept
apart: rules are written with the first half only.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from answergraph import Grounded, check_evidence
from answergraph.evidence import ToolRun
from answergraph.evidence.texts.value_text import words_of

Counts = Counter[tuple[bool, str]]


def label_of(path: str) -> str:
    """Return the name of a field in words: ``"policy number"`` for ``coverages.3.policyNumber``."""
    names = [name for name in path.split(".") if not re.fullmatch(r"\d+|extra\d+", name)]
    return " ".join(re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", names[-1])).lower()


def records_of(document: dict[str, Any], *, labelled: bool = False) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the leaves of a document, and what is said of each; ``accepted`` if its label has other values too."""
    run = ToolRun("document", "document", {}, (document["text"],))
    leaves = [leaf for leaf in document["leaves"] if leaf["value"] not in (None, "", [])]
    answer, marks = {}, {}
    for number, leaf in enumerate(leaves):
        label = label_of(leaf["path"])
        if not labelled or label in document["text"].lower():
            # The items of a list share a label.
            answer[f"field_{number}"] = [leaf["value"]] if re.search(r"\.(?:\d|extra)", leaf["path"]) else leaf["value"]
            marks[f"field_{number}"] = Grounded(label=label) if labelled else Grounded()
    fields = check_evidence(answer, [run], marks=marks).fields if answer else {}
    for path, record in fields.items():
        number = int(path.removeprefix("field_").removesuffix("[0]"))
        yield leaves[number], "accepted" if record["problem"] is None and "others" in record else record["status"]


def reason_of(leaf: dict[str, Any], text: str) -> str:
    """Return what a text lacks of a right value that is not kept, or why a wrong one is accepted."""
    value = leaf["value"]
    if not leaf["right"]:
        same = letters_of(value) == letters_of(leaf["label"])
        return "is the label in other characters, no lie" if same else "stands there, as something else"
    if isinstance(value, int | float):
        opposite = {**leaf, "value": -value}
        (_, status), *_ = records_of({"text": text, "leaves": [opposite]})
        if status == "supported":
            return "only the negative of it stands there"
        return "stands as a part of something" if f"{abs(value):g}" in text.replace(",", "") else "its digits stand nowhere"
    words, known = words_of(str(value)), {*words_of(text)}
    return "its words stand apart" if known.issuperset(words) else "a word of it stands nowhere"


def letters_of(value: object) -> str:
    """Return the letters and digits of a value in their plain form."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", str(value)).casefold()))


def counts_of(records: Iterable[tuple[dict[str, Any], str]]) -> Counts:
    """Return how many values are right or wrong, by what is said of them."""
    return Counter((leaf["right"], status) for leaf, status in records)


def reasons_of(documents: Iterable[dict[str, Any]]) -> Counter[tuple[bool, str]]:
    """Return how many right values are not kept, and wrong ones accepted, by the reason."""
    return Counter(
        (leaf["right"], reason_of(leaf, document["text"]))
        for document in documents
        for leaf, status in records_of(document)
        if leaf["right"] != (status == "supported")
    )


def line_of(name: str, counts: Counts) -> str:
    """Return a row of the table."""
    right, wrong = (sum(number for (is_right, _), number in counts.items() if is_right is kind) for kind in (True, False))
    kept, accepted = (sum(counts[kind, status] for status in ("supported", "accepted")) for kind in (True, False))
    listed = counts[True, "accepted"], counts[False, "accepted"]
    flagged = 1 - accepted / max(wrong, 1)
    return f"| {name} | {right} | {kept / max(right, 1):.1%} | {wrong} | {flagged:.1%} | {listed[0]} and {listed[1]} |"


def main(folder: Path) -> None:
    """Print the tables."""
    documents = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    print("| values | right | kept | wrong | flagged | kept as ambiguous, right and wrong |\n|---|---|---|---|---|---|")
    for title, labelled in (("no setting", False), ("with label=, the field's name in words where the text has it", True)):
        counts = [counts_of(records_of(document, labelled=labelled)) for document in documents]
        for half, chosen in (("first half", counts[::2]), ("second half", counts[1::2]), ("all", counts)):
            print(line_of(f"{title}, {half}", sum(chosen, Counter())))
    print("\n| right and not kept, or wrong and accepted | values |\n|---|---|")
    for (is_right, reason), count in reasons_of(documents).most_common():
        print(f"| {'right' if is_right else 'wrong'}: {reason} | {count} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
