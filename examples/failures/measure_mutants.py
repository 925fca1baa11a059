"""Break packages of the index on purpose, and count what the triage says: ``python -m examples.failures.measure_mutants``.

One line of a package is changed so that a test fails: the application is wrong. Then, at the same place, the check that failed is
changed instead: the test is wrong. Both are triaged with witnesses, which know the commit before, and by the text alone.
"""

from __future__ import annotations

import ast
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from answergraph.graphs import create_triage_agent
from answergraph.graphs.add_ons.triage import CaseReport, Witnesses
from examples.failures.intervals import share


@dataclass(frozen=True)
class Package:
    """A package, its code, and the tests in its source distribution that pass without other packages."""

    name: str
    code: str
    tests: str
    seen: bool


PACKAGES = (
    Package("inflection==0.5.1", "inflection/__init__.py", "test_inflection.py", seen=True),
    Package("xmltodict==0.13.0", "xmltodict.py", "tests", seen=True),
    Package("toolz==1.0.0", "toolz/itertoolz.py", "toolz/tests/test_itertoolz.py", seen=True),
    Package("webcolors==24.11.1", "src/webcolors/*.py", "tests", seen=True),
    Package("idna==3.10", "idna/c*.py", "tests/test_idna.py", seen=False),
    Package("more-itertools==10.5.0", "more_itertools/recipes.py", "tests/test_recipes.py", seen=False),
    Package("jmespath==1.0.1", "jmespath/*.py", "tests", seen=False),
    Package("cachetools==5.5.0", "src/cachetools/__init__.py", "tests", seen=False),
    Package("sqlparse==0.5.2", "sqlparse/engine/*.py", "tests", seen=False),
    Package("parse==1.20.2", "parse.py", "tests", seen=False),
    Package("isodate==0.7.2", "src/isodate/*.py", "tests", seen=False),
    Package("tabulate==0.9.0", "tabulate/__init__.py", "test", seen=False),
)
MUTANTS = 3
"""Pairs per package."""
SECONDS = 120
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


class Checkout:
    """A package in a git repository of its own."""

    def __init__(self, package: Package, sdist: Path, place: Path) -> None:
        with tarfile.open(sdist) as archive:
            archive.extractall(place, filter="data")
        (self.root,) = (path for path in place.iterdir() if path.is_dir())
        self.package, self.run = package, place / "run"
        self.run.mkdir()
        for arguments in (["init", "-q"], ["add", "--all", "--force"], ["commit", "-q", "-m", "As published"]):
            who = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
            subprocess.run(["git", *who, *arguments], cwd=self.root, check=True)

    def passes(self) -> bool:
        """Run the tests, and return whether they pass; the results are in the folder ``run``."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={self.run / 'results.xml'}"]
        paths = os.pathsep.join([str(self.root), str(self.root / "src")])
        env = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            options = {"cwd": self.root, "env": env, "capture_output": True, "timeout": SECONDS}
            done = subprocess.run([*command, self.package.tests], check=False, **options)
        except subprocess.TimeoutExpired:
            return True  # a mutant that hangs leaves no report
        return done.returncode != 1

    def triaged(self, *, act: bool) -> list[CaseReport]:
        """Triage the first cause of the last run."""
        witnesses = Witnesses(self.root, last_green="HEAD", repeats=3) if act else None
        reports: list[CaseReport] = create_triage_agent(act=witnesses, limit=1).invoke({"folder": str(self.run)})["reports"]
        return [report for report in reports if report["status"] != "not_judged"]


def judged(checkout: Checkout, chance: random.Random) -> Iterator[tuple[str, str, str, float]]:
    """Yield what was made wrong, the verdict with witnesses, that of the text, and the seconds of the witnesses."""
    files = sorted(checkout.root.glob(checkout.package.code))
    mutants = [(file, text) for file in files for text in mutations(file.read_text())]
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
    by_text = checkout.triaged(act=False)
    start = time.monotonic()
    by_witnesses = checkout.triaged(act=True)
    seconds = time.monotonic() - start
    if not by_text or not by_witnesses:
        return None
    place = str((by_text[0]["answer"] or {}).get("test_place") or by_text[0]["cases"][0]["source"])
    return place, (by_witnesses[0]["verdict"], by_text[0]["verdict"], seconds)


def measured(package: Package) -> Iterator[tuple[str, str, str, float]]:
    """Fetch a package, break it, and yield what ``judged`` does; nothing if its tests fail here."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", folder, package.name]
        subprocess.run(fetch, check=True)
        (sdist,) = place.glob("*.tar.gz")
        checkout = Checkout(package, sdist, place / "package")
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
