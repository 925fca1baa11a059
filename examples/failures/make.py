"""Make a corpus of failing runs, by really running small suites: ``python examples/failures/make.py seen``.

The runs go to a folder of that name, under numbers that say nothing; the labels go to ``labels/``, apart from what the triage
is shown.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

from scenario import Scenario

HERE = Path(__file__).parent
CORPORA: Mapping[str, str] = {"seen": "seen_scenarios", "unseen": "unseen_scenarios"}
"""Per corpus, the module with its scenarios."""


def make(corpus: str) -> None:
    """Run every scenario of a corpus, and write runs and labels anew."""
    scenarios: Sequence[Scenario] = import_module(CORPORA[corpus]).SCENARIOS
    order = list(range(len(scenarios)))
    random.Random(corpus).shuffle(order)
    names = {index: f"run-{number:02}" for number, index in enumerate(order, start=1)}
    shutil.rmtree(HERE / corpus, ignore_errors=True)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda index: scenarios[index].run(HERE / corpus / names[index]), order))
    labels = {names[index]: scenarios[index].label() for index in order}
    target = HERE / "labels" / f"{corpus}.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(labels, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for chosen in sys.argv[1:] or CORPORA:
        make(chosen)
