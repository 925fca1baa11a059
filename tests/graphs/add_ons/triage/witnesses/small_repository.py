"""A git repository with a few lines of code and tests, which the tests of witnesses break."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from answergraph.graphs import create_triage_agent
from answergraph.graphs.add_ons.triage import Witnesses
from answergraph.graphs.add_ons.triage.triage_graph import TriageInput

CODE = "def total(prices):\n    return sum(prices)\n"
WRONG = CODE.replace("sum(prices)", "sum(prices) + 1")
TESTS = "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"


class SmallRepository:
    """A repository whose first commit passes its tests."""

    def __init__(self, root: Path, **files: str) -> None:
        self.root = root
        self.root.mkdir()
        self.git("init", "-q", "-b", "main")
        self.commit(**{"shop": CODE, "test_shop": TESTS, **files})
        self.green = self.git("rev-parse", "HEAD").strip()

    def git(self, *arguments: str) -> str:
        who = {f"GIT_{role}_{what}": "tester" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(["git", *arguments], cwd=self.root, env={**own, **who}, check=True, capture_output=True, text=True)
        return done.stdout

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.root / f"{name}.py").write_text(text)

    def commit(self, **files: str) -> None:
        self.write(**files)
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "-m", "A change")

    def results(self, place: Path) -> TriageInput:
        """Run the tests, and return the input of a triage of their results."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={place / 'results.xml'}"]
        subprocess.run(
            command, cwd=self.root, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, check=False, capture_output=True
        )
        return {"folder": str(place)}

    def state(self) -> dict[str, object]:
        """Return everything of the user's that must stay as it is, git's index, refs and logs too; git only adds objects."""
        files = (path for path in sorted(self.root.rglob("*")) if path.is_file() and "objects" not in path.parts)
        return {str(path.relative_to(self.root)): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def triaged(shop: SmallRepository, place: Path, **options: Any) -> dict[str, Any]:
    """Return the report of the repository's one failure, with witnesses."""
    run = place / "run"
    run.mkdir(exist_ok=True)
    given = {"last_green": shop.green, "repeats": 1, **options}
    agent = create_triage_agent(act=Witnesses(shop.root, **given))
    (report,) = agent.invoke(shop.results(run))["reports"]
    return dict(report)
