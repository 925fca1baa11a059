"""What a person asks of a map through its ledger: to pause, and to ask for rows again. A pass reads it between rows."""

import json
from pathlib import Path

from answergraph.many.ledger.databases import Execute, SQLiteDatabase
from answergraph.many.ledger.rows import Group

PAUSED = "A person paused the map."

_SET = "INSERT INTO answergraph_map (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"


class LedgerControl:
    """Writes into a ledger what a person asks, beside those who write its rows.

    Raises:
        AgentSpecError: If the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._database = SQLiteDatabase(str(path))
        with self._database.transaction() as execute:
            asked_again(execute)

    def pause(self) -> None:
        """Ask every pass that writes the ledger to begin no more rows; the next start goes on."""
        with self._database.transaction() as execute:
            execute(_SET, ("pause", "true"))

    def again(self, group: Group, *, wanted: bool) -> None:
        """Ask for the rows that ended so at the next start, or no longer."""
        with self._database.transaction() as execute:
            others = [each for each in asked_again(execute) if each != group]
            execute(_SET, ("again", json.dumps([*others, group] if wanted else others)))


def is_paused(execute: Execute) -> bool:
    """Return whether a person has asked for a pause since the last start."""
    return bool(execute("SELECT 1 FROM answergraph_map WHERE name = 'pause'", ()))


def asked_again(execute: Execute) -> list[Group]:
    """Return the groups whose rows a person wants at the next start."""
    kept = execute("SELECT value FROM answergraph_map WHERE name = 'again'", ())
    return [Group(*group) for group in json.loads(kept[0][0])] if kept else []


def take_up_again(execute: Execute) -> bool:
    """Mark the rows that a person wants again; return whether there were any wishes, which are then fulfilled."""
    groups = asked_again(execute)
    for group in groups:
        sql = "UPDATE answergraph_rows SET state = 'again' WHERE state = 'done' AND status = ? AND field = ? AND rule = ?"
        execute(sql, group)
    execute("DELETE FROM answergraph_map WHERE name = 'again'", ())
    return bool(groups)
