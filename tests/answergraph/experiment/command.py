"""Runs the experiment's command and reads its files."""

import csv
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from answergraph.cli.command_line import app

Rows = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Ended:
    """How the command ended."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def rows(self) -> Rows:
        """The lines of the CSV file, per setting."""
        with (self.folder / "summary.csv").open(encoding="utf-8", newline="") as file:
            return {row["setting"]: row for row in csv.DictReader(file)}


def evidence_effect(folder: Path, *options: str, base_url: str | None = None, settings: tuple[str, ...] = ()) -> Ended:
    """Run ``answergraph experiment evidence-effect`` in this process.

    Args:
        folder: Folder for the results.
        *options: Further options.
        base_url: A server's address; ``None`` for the offline model.
        settings: The settings, all if none is named.
    """
    server = () if base_url is None else ("--model", "openai:small", "--base-url", base_url)
    chosen = [part for name in settings for part in ("--setting", name)]
    result = CliRunner().invoke(app, ["experiment", "evidence-effect", "--out", str(folder), *server, *chosen, *options])
    return Ended(result.exit_code, result.stdout, result.stderr, folder)
