"""Compares two results of the experiment, for example of two models, per setting on the same tasks."""

from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from answergraph import AgentSpecError
from answergraph.experiment.journal import Record, RunKey, readable
from answergraph.experiment.report_table import comparisons_table
from answergraph.experiment.settings import SETTINGS
from answergraph.experiment.summary import SMALL_SAMPLE_NOTE, compare, provenance

Runs = dict[str, dict[RunKey, Record]]


def compared_results(first: Path, second: Path) -> RenderableType:
    """Return the table for two journals; raise ``AgentSpecError`` if they share no setting, or mix configurations."""
    results = {path: _runs_in(path) for path in (first, second)}
    one, other = results[first], results[second]
    shared = [setting.name for setting in SETTINGS if setting.name in one and setting.name in other]
    if not shared:
        raise AgentSpecError(f"{first} and {second} have no setting in common.")
    lines = [f"{path}: {_made(runs)}" for path, runs in results.items()]
    compared = [compare(name, str(second.parent), one[name], other[name]) for name in shared]
    return Group(*map(Text, lines), "", comparisons_table(compared), Text(f"\n{SMALL_SAMPLE_NOTE}"))


def _made(runs: Runs) -> str:
    every = [record for records in runs.values() for record in records.values()]
    lines = {"model": every[0].key.model, **provenance(every)}
    return ", ".join(f"{name} {value}" for name, value in lines.items())


def _runs_in(path: Path) -> Runs:
    runs: Runs = {}
    for record in readable(path.read_bytes()):
        runs.setdefault(record.key.setting, {})[record.key] = record
    for setting, records in runs.items():
        if len({(key.task, key.repeat) for key in records}) < len(records):
            raise AgentSpecError(f"{path} holds runs of {setting!r} in several configurations: use a folder for each.")
    return runs
