"""Other people's test suites with our ``create_agent``, beside a control run: ``make compat`` writes ``docs/compatibility.md``.

Nothing in a suite is changed but where ``create_agent`` comes from. A test that fails although it passes in the control run has
to be explained in ``tests/compat/suites.py``, or this fails. With names of packages only those are run, and no page is written.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.compat.suites import SUITES, Suite
from tests.compat.swapped import REPORT, SWAP

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"
MAX_SECONDS_OF_A_SUITE = 1_200

ABOVE = """# Compatibility

The test suites of other people's packages, run with nothing changed but where `create_agent` comes from, beside a control run
with LangChain's: `make compat` runs them and writes this page. In brackets: the tests that build an agent. Agents that a suite
makes with LangGraph's older `create_react_agent` are made with `create_agent` in both runs.

| suite | tests | control | answergraph |
|---|---|---|---|
"""
BELOW = """
## Every difference

"""


@dataclass
class Row:
    """What came of one suite."""

    suite: Suite
    figures: str
    wrong: list[str] = field(default_factory=list)
    """Differences that nobody explained, and explanations of what is no difference."""

    def __str__(self) -> str:
        return f"| {self.suite.name} | {self.figures} |"


def unpacked(suite: Suite, into: Path) -> Path:
    """Return the folder of the package's sources, from the package index or from its repository."""
    if suite.repository:
        clone = ["git", "clone", "--quiet", "--depth", "1", "--filter=blob:none", "--sparse", "--branch", suite.tag]
        checked_out = into / "repository"
        subprocess.run([*clone, suite.repository, str(checked_out)], check=True)
        subprocess.run(["git", "-C", str(checked_out), "sparse-checkout", "set", suite.folder], check=True)
        # The package itself is installed; beside the tests it would hide the installed one.
        return checked_out / suite.folder
    name = f"{suite.package.replace('_', '-')}=={suite.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(into), name]
    subprocess.run(command, check=True)
    (archive,) = into.glob(f"{suite.package}-*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    return into / archive.name.removesuffix(".tar.gz")


def results(suite: Suite, folder: Path, *, swap: bool) -> dict[str, Any]:
    """Run the tests; return what came of each, and whether it builds an agent."""
    report = folder / f"report-{swap}.json"
    # By another name: the suite has a package ``tests`` of its own.
    shutil.copy(Path(__file__).with_name("swapped.py"), folder / "create_agent_swapped.py")
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, REPORT: str(report), "PYTHONPATH": path, **({SWAP: "1"} if swap else {})}
    options = ["-q", "--tb=short", "-p", "create_agent_swapped", "-p", "no:cacheprovider", "-W", "default"]
    command = [sys.executable, "-m", "pytest", *options, suite.tests]
    done = subprocess.run(
        command, cwd=folder, env=environment, check=False, capture_output=True, text=True, timeout=MAX_SECONDS_OF_A_SUITE
    )
    if kept := os.environ.get("COMPAT_LOGS"):
        (Path(kept) / f"{suite.package}-{'answergraph' if swap else 'control'}.log").write_text(done.stdout + done.stderr)
    found: dict[str, Any] = json.loads(report.read_text()) if report.exists() else {}
    if not found:
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise ValueError(next((line.removeprefix("E ").strip() for line in lines if line.startswith("E  ")), lines[-1]))
    return found


def compared(suite: Suite) -> Row:
    """Run a suite twice and compare; a suite that cannot be had, or that breaks off, is a row as well."""
    try:
        with tempfile.TemporaryDirectory() as into:
            folder = unpacked(suite, Path(into))
            control, ours = results(suite, folder, swap=False), results(suite, folder, swap=True)
    except subprocess.TimeoutExpired:
        return Row(suite, f"not run: it takes longer than {MAX_SECONDS_OF_A_SUITE} seconds | |", [f"{suite.name}: too long"])
    except subprocess.CalledProcessError:
        return Row(suite, "not run: its tests could not be fetched | |")
    except ValueError as error:
        return Row(suite, f"not run: {error} | |", [f"{suite.name}: {error}"])
    return _row(suite, control, ours)


def _row(suite: Suite, control: dict[str, Any], ours: dict[str, Any]) -> Row:
    builds = {name for name in control if control[name].get("builds") or ours.get(name, {}).get("builds")}
    passed = [{name for name in control if run.get(name, {}).get("outcome") == "passed"} for run in (control, ours)]
    missing = sorted(passed[0] - passed[1])
    unexplained = [name for name in missing if not any(name.endswith(end) for end in suite.explained)]
    stale = [end for end in suite.explained if not any(name.endswith(end) for name in missing)]
    figures = [f"{len(names)} ({len(names & builds)})" for names in (control.keys(), *passed)]
    wrong = [*(f"not explained: {name}" for name in unexplained), *(f"passes now: {end}" for end in stale)]
    return Row(suite, " | ".join(figures), wrong)


def main(names: list[str]) -> int:
    """Run the suites, write the page, and say what is wrong."""
    rows = []
    for suite in SUITES:
        if not names or suite.package in names:
            rows.append(compared(suite))
            print(rows[-1], *rows[-1].wrong, sep="\n", flush=True)
    if not names:
        lines = [f"- {suite.package} `{end}`: {why}." for suite in SUITES for end, why in suite.explained.items()]
        PAGE.write_text(ABOVE + "\n".join(map(str, rows)) + "\n" + BELOW + "\n".join(lines) + "\n")
    return 1 if any(row.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
