"""Break packages of the index on purpose, and count what the triage says: ``python -m examples.failures.measure_mutants``.

One line of a package is changed so that a test fails: the application is wrong. Then, at the same place, the check that failed is
changed instead: the test is wrong. Both are triaged with witnesses, which know the commit before, and by the text alone.
"""

from __future__ import annotations

import ast
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from answergraph.graphs.add_ons.triage import Witnesses
from examples.failures.checkouts import PACKAGES, Checkout, Package, unpacked
from examples.failures.intervals import share

MUTANTS = 3
"""Pairs per package."""
SWAPPED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "+": "-", "-": "+", "*": "+"}


def mutations(source: str, lines: set[int] | None = None) -> Iterator[str]:
    """Yield a source with one operator swapped, one number changed, or one check turned round, for each place that can be."""
    rows = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if lines is not None and not lines & {getattr(node, "lineno", 0)}:
            continue
        if isinstance(node, ast.Constant) and type(node.value) is int and node.lineno == node.end_lineno:
            yield _replaced(rows, node.lineno, node.col_offset, node.end_col_offset or 0, str(node.value + 1))
        pair = (node.left, node.comparators[0]) if isinstance(node, ast.Compare) else None
        pair = (node.left, node.right) if isinstance(node, ast.BinOp) else pair
        if pair and pair[0].end_lineno == pair[1].lineno:
            start, end = pair[0].end_col_offset or 0, pair[1].col_offset
            operator = rows[pair[1].lineno - 1].encode()[start:end].decode().strip()
            if operator in SWAPPED:
                yield _replaced(rows, pair[1].lineno, start, end, f" {SWAPPED[operator]} ")
        if (
            lines is not None
            and isinstance(node, ast.Attribute)
            and node.attr == "assertEqual"
            and node.lineno == node.end_lineno
        ):
            end = node.end_col_offset or 0
            yield _replaced(rows, node.lineno, end - len("assertEqual"), end, "assertNotEqual")


def _replaced(rows: list[str], line: int, start: int, end: int, text: str) -> str:
    row = rows[line - 1].encode()
    changed = (row[:start] + text.encode() + row[end:]).decode()
    return "".join([*rows[: line - 1], changed, *rows[line:]])


def judged(checkout: Checkout, chance: random.Random) -> Iterator[tuple[str, str, str, float]]:
    """Yield what was made wrong, the verdict with witnesses, that of the text, and the seconds of the witnesses."""
    mutants = [(file, text) for file in checkout.files(checkout.package.code) for text in mutations(file.read_text())]
    chance.shuffle(mutants)
    pairs = 0
    for file, text in mutants:
        if pairs == MUTANTS:
            return
        before = file.read_text()
        file.write_text(text)
        report = None if checkout.passes() else _verdicts(checkout)
        file.write_text(before)
        if report is None:
            continue
        pairs += 1
        place, verdicts = report
        yield ("source", *verdicts)
        test, _, line = place.rpartition(":")
        path = checkout.root / test
        if not path.is_file():
            continue
        written = path.read_text()
        for changed in mutations(written, {int(line)}):
            path.write_text(changed)
            broken = None if checkout.passes() else _verdicts(checkout)
            path.write_text(written)
            if broken is not None:
                yield ("test", *broken[1])
                break


def _verdicts(checkout: Checkout) -> tuple[str, tuple[str, str, float]] | None:
    by_text, _ = checkout.triaged()
    start = time.monotonic()
    by_witnesses, _ = checkout.triaged(Witnesses(checkout.root, last_green="HEAD", repeats=3))
    seconds = time.monotonic() - start
    if not by_text or not by_witnesses:
        return None
    place = str((by_text[0]["answer"] or {}).get("test_place") or by_text[0]["cases"][0]["source"])
    return place, (by_witnesses[0]["verdict"], by_text[0]["verdict"], seconds)


def measured(package: Package) -> Iterator[tuple[str, str, str, float]]:
    """Fetch a package, break it, and yield what ``judged`` does; nothing if its tests fail here."""
    with tempfile.TemporaryDirectory() as folder:
        root = unpacked(package, Path(folder))
        checkout = Checkout(package, root, Path(folder, "run"))
        yield from judged(checkout, random.Random(package.name)) if checkout.passes() else ()


def main(names: list[str]) -> None:
    """Print a table per half of the packages."""
    found: dict[tuple[bool, str, str], Counter[str]] = {}
    seconds: list[float] = []
    chosen = [package for package in PACKAGES if not names or package.name.partition("==")[0] in names]
    cases = ((package, case) for package in chosen for case in measured(package))
    for broken, (wrong, by_witnesses, by_text, took) in cases:
        print(f"{broken.name}: {wrong} wrong, {by_witnesses} with witnesses, {by_text} by the text, {took:.1f} s", flush=True)
        seconds.append(took)
        for way, verdict in (("witnesses", by_witnesses), ("text", by_text)):
            found.setdefault((broken.seen, way, wrong), Counter())[verdict] += 1
    print("\n| packages | way | what was wrong | cases | called real | verdicts |\n|---|---|---|---|---|---|")
    for (seen, way, wrong), counts in sorted(found.items(), reverse=True):
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        half = "seen" if seen else "unseen"
        print(f"| {half} | {way} | {wrong} | {counts.total()} | {share(counts['real'], counts.total())} | {told} |")
    print(f"\n{sum(seconds) / max(1, len(seconds)):.1f} seconds of witnesses per cause.")


if __name__ == "__main__":
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # plugins are loaded for each of a thousand runs
    main(sys.argv[1:])
