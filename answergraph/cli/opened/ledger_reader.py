"""What a map's ledger says, read beside those who write it: nothing is changed, and no question looks at every row."""

import json
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from answergraph import AgentSpecError
from answergraph.many.ledger.control import LedgerControl
from answergraph.many.ledger.rows import Group

_GROUP = ("status", "field", "rule")
_MOST_ROWS = 50
_MOST_CHARACTERS = 300
_SECONDS_TO_WAIT = 10.0


class LedgerReader:
    """A ledger in a SQLite file, and with ``control`` what a person may ask of its map.

    Raises:
        AgentSpecError: If the file is none.
    """

    def __init__(self, path: Path, *, control: bool = False) -> None:
        self._uri = f"{path.absolute().as_uri()}?mode=ro"
        try:
            self._select("SELECT 1 FROM answergraph_map LIMIT 1")
        except sqlite3.Error as error:
            raise AgentSpecError(f"{path} cannot be shown: it is no ledger of a map ({error}).") from error
        self._control = LedgerControl(path) if control else None

    def summary(self, _: Mapping[str, str]) -> dict[str, object]:
        """Return how rows ended, what they used, and who is at work."""
        kept = dict(self._select("SELECT name, value FROM answergraph_map"))
        open_rows = "SELECT state, count(*), sum(lease > ?) FROM answergraph_rows WHERE state <> 'done' GROUP BY state"
        states = {state: (count, live) for state, count, live in self._select(open_rows, time.time())}
        running, live = states.get("running", (0, 0))
        groups = self._select("SELECT status, field, rule, count FROM answergraph_groups WHERE count > 0 ORDER BY count DESC")
        return {
            "kind": "ledger",
            "groups": [dict(zip((*_GROUP, "count"), group, strict=True)) for group in groups],
            "usage": dict(self._select("SELECT name, amount FROM answergraph_usage")),
            "at_work": live,
            "left_behind": running - live,
            "again": states.get("again", (0, 0))[0],
            "stopped": json.loads(kept["stopped"]) if "stopped" in kept else None,
            "paused": "pause" in kept,
            "asked_again": [dict(zip(_GROUP, group, strict=True)) for group in json.loads(kept.get("again", "[]"))],
            "control": self._control is not None,
        }

    @property
    def actions(self) -> dict[str, Callable[[Mapping[str, object]], object]]:
        """What a person may ask, by its path; each answers with what the ledger says afterwards."""
        if (control := self._control) is None:
            return {}

        def pause(_: Mapping[str, object]) -> object:
            control.pause()
            return self.summary({})

        def again(wish: Mapping[str, object]) -> object:
            control.again(Group._make(str(wish[name]) for name in _GROUP), wanted=bool(wish["wanted"]))
            return self.summary({})

        return {"/pause": pause, "/again": again}

    def rows(self, query: Mapping[str, str]) -> dict[str, object]:
        """Return some rows of a group, in the order of their keys, after a key."""
        group = [query.get(name, "") for name in ("status", "field", "rule", "after")]
        sql = "SELECT key, seconds, outcome FROM answergraph_rows WHERE status = ? AND field = ? AND rule = ? AND key > ?"
        rows = self._select(f"{sql} ORDER BY key LIMIT {_MOST_ROWS + 1}", *group)
        items = [{"key": key, "seconds": seconds, **_summary(json.loads(outcome))} for key, seconds, outcome in rows[:_MOST_ROWS]]
        return {"rows": items, "more": len(rows) > _MOST_ROWS}

    def row(self, query: Mapping[str, str]) -> dict[str, object]:
        """Return one row by its key, with all that is known of its run."""
        sql = "SELECT status, field, rule, answer, outcome, seconds, agent, state FROM answergraph_rows WHERE key = ?"
        names = ("status", "field", "rule", "answer", "outcome", "seconds", "agent", "state")
        for row in self._select(sql, query.get("key", "")):
            named = dict(zip(names, row, strict=True))
            answer = json.loads(named["answer"] or "null")
            # The ledger has the form of a checkpoint, which names the schema beside the JSON.
            plain = answer.get("value") if isinstance(answer, dict) and answer.keys() == {"answergraph", "value"} else answer
            return {**named, "key": query["key"], "answer": plain, "outcome": json.loads(named["outcome"] or "null")}
        return {"key": None}

    def _select(self, sql: str, *values: object) -> list[Any]:
        # A connection for each question, since questions come on several threads.
        with closing(sqlite3.connect(self._uri, uri=True, timeout=_SECONDS_TO_WAIT)) as connection:
            return connection.execute(sql, values).fetchall()


def _summary(outcome: Mapping[str, Any]) -> dict[str, object]:
    return {"reason": outcome["reason"][:_MOST_CHARACTERS], "cost": (outcome.get("usage") or {}).get("cost")}
