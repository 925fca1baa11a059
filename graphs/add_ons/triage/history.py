"""The history of triages in an SQLite file: results of tests per run, and verdicts of models.

The same model does not judge a known failure again. Only tests that failed at least once are kept.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from answergraph import AgentSpecError
from answergraph.graphs.add_ons.triage.run_files.case_identity import environment
from answergraph.graphs.add_ons.triage.run_files.case_survey import Survey
from answergraph.graphs.add_ons.triage.run_files.junit_results import JUnitCase
from answergraph.state.older_records import with_fields

MAX_NIGHTS = 30
"""Number of runs examined for alternating results."""
MIN_CHANGES = 2
"""Minimum changes between failing and passing of a flaky test."""
MAX_WAIT_SECONDS = 30
"""Time to wait for another writer of the file."""

_TABLES = """
CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY, digest TEXT UNIQUE, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS endings (run INTEGER, test TEXT, status TEXT NOT NULL, PRIMARY KEY (run, test)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verdicts (cluster TEXT, model TEXT, at TEXT NOT NULL, report TEXT NOT NULL, bundle TEXT NOT NULL,
    PRIMARY KEY (cluster, model)) WITHOUT ROWID;
"""


class Changes(TypedDict):
    """The changes since earlier runs, as test titles."""

    since: str
    """When the run before this one was triaged; empty if there is none."""
    new: list[str]
    """Failed in this run and not in the one before."""
    new_cases: list[str]
    """The results of these tests in this run, as a report names its cases."""
    fixed: list[str]
    """Failed in the run before and passed in this one."""
    flaky: list[str]
    """Failed and passed in turn over the last runs."""


class History:
    """The record of earlier triages in one file."""

    def __init__(self, path: str | Path) -> None:
        """Open or create the file.

        Raises:
            AgentSpecError: If the file is not a history or cannot be written.
        """
        self._path = str(path)
        try:
            with self._open() as store:
                store.executescript(_TABLES)
        except sqlite3.Error as error:
            raise AgentSpecError(f"{self._path!r} cannot be used as a history: {error}. Name a new file to begin one.") from error

    def remembered(self, clusters: Sequence[str], model: str) -> dict[str, tuple[str, dict[str, object], dict[str, object]]]:
        """Return date, report and bundle of each known cluster."""
        query = "SELECT cluster, at, report, bundle FROM verdicts WHERE cluster = ? AND model = ?"
        with self._open() as store:
            rows = [store.execute(query, (cluster, model)).fetchone() for cluster in clusters]
        return {row[0]: (row[1], with_fields(json.loads(row[2])), json.loads(row[3])) for row in rows if row is not None}

    def remember(self, reports: Sequence[Mapping[str, Any]], bundles: Mapping[str, Any], model: str) -> None:
        """Keep the verdicts of a model, abstentions too."""
        rows = [
            (report["cluster"], model, _now(), json.dumps(report), json.dumps(bundles.get(report["case"]), default=str))
            for report in reports
            if report["status"] in {"answered", "abstained"} and not report["remembered"]
        ]
        with self._open() as store:
            store.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?)", rows)

    def add_run(self, survey: Survey) -> Changes:
        """Store the results of a run, once per run, and return the changes."""
        ended, ran = _endings(survey)
        results = sorted((result.id, result.title, result.status, result.started) for result in survey.results)
        digest = hashlib.sha256(json.dumps(results).encode())
        with self._open() as store:
            store.execute("INSERT OR IGNORE INTO runs (digest, at) VALUES (?, ?)", (digest.hexdigest(), _now()))
            (run,) = store.execute("SELECT id FROM runs WHERE digest = ?", (digest.hexdigest(),)).fetchone()
            known = {test for (test,) in store.execute("SELECT DISTINCT test FROM endings")}
            kept = [(run, test, status) for test, status in ended.items() if status != "passed" or test in known]
            store.executemany("INSERT OR REPLACE INTO endings VALUES (?, ?, ?)", kept)
            before = store.execute("SELECT id, at FROM runs WHERE id < ? ORDER BY id DESC LIMIT ?", (run, MAX_NIGHTS)).fetchall()
            nights = [dict(store.execute("SELECT test, status FROM endings WHERE run = ?", (night,))) for night, _ in before]
        last = nights[0] if nights else {}
        course = [ended, *nights]
        new = [test for test, status in ended.items() if nights and status == "failed" and last.get(test) != "failed"]
        return Changes(
            since=before[0][1] if before else "",
            new=[ran[test][-1].title for test in new],
            new_cases=[result.id for test in new for result in ran[test]],
            fixed=[ran[test][-1].title for test, status in ended.items() if status == "passed" and last.get(test) == "failed"],
            flaky=[ran[test][-1].title for test in ended if (test in known) and _changes(test, course) >= MIN_CHANGES],
        )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        # A connection per use, because nodes run in any thread.
        with closing(sqlite3.connect(self._path, timeout=MAX_WAIT_SECONDS)) as store, store:
            yield store


def _endings(survey: Survey) -> tuple[dict[str, str], dict[str, list[JUnitCase]]]:
    """Return the status and the results of each test by its stable name."""
    hosts = {environment(result).get("hostname") for result in survey.results}
    ended: dict[str, str] = {}
    ran: dict[str, list[JUnitCase]] = {}
    for result in survey.results:
        if result.status == "skipped":
            continue
        test = _lasting_name(result, with_host=len(hosts) > 1)
        passed = "flaky" if result.is_flaky else "passed"
        status = "failed" if result.has_failed else passed
        ended[test] = max(ended.get(test, "passed"), status, key=("passed", "flaky", "failed").index)
        ran.setdefault(test, []).append(result)
    return ended, ran


def _lasting_name(result: JUnitCase, *, with_host: bool) -> str:
    settings = {name: value for name, value in environment(result).items() if with_host or name != "hostname"}
    return json.dumps([result.class_name, result.name, result.source, result.occurrence, settings])


def _changes(test: str, nights: Sequence[Mapping[str, str]]) -> int:
    """Count a test's changes between failing and passing, and its flaky runs."""
    course = [night[test] for night in nights if test in night]
    return sum(1 for one, other in pairwise(course) if one != other)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
