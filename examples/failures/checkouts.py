"""Packages of the index with their own tests, each in a git repository of its own, to be broken on purpose."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from answergraph.graphs import create_triage_agent
from answergraph.graphs.add_ons.triage import CaseReport, Witnesses


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
SECONDS = 120
HUNG = -1
"""How a run of the tests ends that does not end by itself."""


def unpacked(package: Package, folder: Path) -> Path:
    """Fetch a package's source distribution, and return the folder that it holds."""
    fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", str(folder), package.name]
    subprocess.run(fetch, check=True)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "package", filter="data")
    (root,) = (path for path in (folder / "package").iterdir() if path.is_dir())
    return root


class Checkout:
    """A package in a git repository of its own, and a folder for what its runs leave."""

    def __init__(self, package: Package, root: Path, run: Path) -> None:
        self.package, self.root, self.run = package, root, run
        self.run.mkdir()
        self.git("init", "-q")
        self.commit("As published")

    def git(self, *arguments: str) -> None:
        """Run a command of git in the repository."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        who = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
        subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, env=own)

    def commit(self, title: str) -> None:
        """Commit all files."""
        self.git("add", "--all", "--force")
        self.git("commit", "-q", "--allow-empty", "-m", title)

    def files(self, pattern: str) -> list[Path]:
        """Return the Python files of a pattern, or below a folder."""
        place = self.root / pattern
        return sorted(place.rglob("*.py") if place.is_dir() else self.root.glob(pattern))

    def passes(self) -> bool:
        """Run the tests, and return whether they pass; the results are in the folder ``run``."""
        return self.ended()[0] != 1  # a mutant that hangs leaves no report

    def ended(self, env: Mapping[str, str] | None = None, prefix: str = "") -> tuple[int, str]:
        """Run the tests behind a prefix of the shell, and return the exit code and the output."""
        (self.run / "results.xml").unlink(missing_ok=True)
        report = f"--junitxml={self.run / 'results.xml'}"
        command = [sys.executable, "-m", "pytest", "-q", "--maxfail=20", "-p", "no:cacheprovider", report]
        paths = os.pathsep.join([str(self.root), str(self.root / "src")])
        env = {**os.environ, "PYTHONPATH": paths, **(env or {}), "PYTHONDONTWRITEBYTECODE": "1"}
        shell = ["sh", "-c", f'{prefix}exec "$0" "$@"', *command, self.package.tests]
        try:
            done = subprocess.run(shell, cwd=self.root, env=env, check=False, capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return HUNG, ""
        # A shell that runs a command, instead of becoming it, would end so when a signal ends the command.
        code = done.returncode if done.returncode >= 0 else 128 - done.returncode
        return code, (done.stdout + done.stderr).decode(errors="replace")

    def triaged(self, witnesses: Witnesses | None = None) -> tuple[list[CaseReport], list[str]]:
        """Return the reports on the last run, on its first cause alone if witnesses are asked, and its problems."""
        result = create_triage_agent(act=witnesses, limit=1 if witnesses else None).invoke({"folder": str(self.run)})
        return [report for report in result["reports"] if report["status"] != "not_judged"], result["problems"]
