"""Runs other projects' test suites with our ``create_agent`` and with theirs: ``make compat`` writes ``docs/compatibility.md``.

Nothing in a suite is changed but where ``create_agent`` comes from. A test that fails although it passes in the control run has
to be explained in ``tests/compat/suites.py``, or this fails. With names of packages only those are run; the rows of the others
stay as they are.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.compat.suites import BESIDE_EVERY_SUITE, SUITES, Suite
from tests.compat.swapped import REPORT, SWAP

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"
MAX_SECONDS_OF_A_SUITE = 3_600

ABOVE = """# Compatibility

`make compat` runs the test suites of other projects twice in the same environment: with LangChain's `create_agent` (the control
run) and with ours, which `answergraph.install()` puts in its place in a fresh process. Nothing else in a suite is changed. The
figures in brackets count the tests that build an agent. Where a suite uses LangGraph's older `create_react_agent`, both runs use
`create_agent`. A test that also fails in the control run fails for reasons of its suite, for example because of drawings of
another LangGraph version.

`make compat COMPAT_ARGS="langchain langgraph_swarm"` runs only the named suites. The sources of LangChain, supervisor and swarm
come from the package index, those of deepagents, CopilotKit and open-swe from GitHub. A difference without a reason fails the
command.

| suite | tests | control | answergraph |
|---|---|---|---|
"""
BELOW = """
## Every difference

"""


@dataclass
class Row:
    """The result of one suite."""

    suite: Suite
    figures: str
    """Empty if it was not run."""
    wrong: list[str] = field(default_factory=list)
    """Differences without an explanation, and explanations without a difference."""

    def __str__(self) -> str:
        return f"| {self.suite.name} | {self.figures} |"


def unpacked(suite: Suite, into: Path) -> Path:
    """Return the folder of the package's sources, from the package index or from its repository."""
    if suite.repository:
        checked_out = into / "repository"
        git = ["git", "-C", str(checked_out)]
        subprocess.run(
            ["git", "clone", "--quiet", "--filter=blob:none", "--no-checkout", suite.repository, str(checked_out)], check=True
        )
        if suite.folder:
            # The package itself is installed; beside the tests it would hide the installed one.
            subprocess.run([*git, "sparse-checkout", "set", suite.folder], check=True)
        subprocess.run([*git, "checkout", "--quiet", suite.tag], check=True)
        return checked_out / suite.folder
    # The backend that reads the metadata comes as a wheel.
    source = ["--no-deps", "--no-binary", suite.distribution, "--dest", str(into), f"{suite.distribution}=={suite.version}"]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *source], check=True)
    (archive,) = into.glob(f"{suite.package}-*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    return into / archive.name.removesuffix(".tar.gz")


def interpreter(suite: Suite) -> str:
    """Return the Python that runs a suite; one that needs other packages than this has an environment of its own beside it."""
    if not suite.needs:
        return sys.executable
    python = Path(sys.prefix, "suites", suite.package, "bin", "python")
    done = python.parents[1] / "installed"
    itself = [f"{suite.distribution}=={suite.version}"] if suite.is_published else []
    wanted = [*itself, *BESIDE_EVERY_SUITE, *suite.needs]
    if not done.exists() or done.read_text() != str(wanted):
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(python.parents[1])], check=True)
        options = ["--quiet", "--disable-pip-version-check", *(["--constraint", suite.constraints] if suite.constraints else [])]
        subprocess.run(
            [str(python), "-m", "pip", "install", *options, "--editable", ".", *wanted], cwd=PAGE.parents[1], check=True
        )
        done.write_text(str(wanted))
    return str(python)


def results(suite: Suite, folder: Path, *, swap: bool, only: Sequence[str] = ()) -> dict[str, Any]:
    """Run the tests, or some of them; return what came of each, and whether it builds an agent.

    Raises:
        ValueError: If nothing came of it: the suite broke off, or took too long.
    """
    report = folder / f"report-{swap}.json"
    report.unlink(missing_ok=True)
    # By another name: the suite has a package ``tests`` of its own.
    shutil.copy(Path(__file__).with_name("swapped.py"), folder / "create_agent_swapped.py")
    python = interpreter(suite)
    options = ["-q", "--tb=short", "-p", "create_agent_swapped", "-p", "no:cacheprovider", "-W", "default"]
    folder_of_tests, *suites_own = suite.tests.split()
    command = [python, "-m", "pytest", *options, *suites_own, *(only or [folder_of_tests])]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=_environment(python, folder, report, swap=swap),
            check=False,
            capture_output=True,
            text=True,
            timeout=MAX_SECONDS_OF_A_SUITE,
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"it takes longer than {MAX_SECONDS_OF_A_SUITE} seconds") from error
    if kept := os.environ.get("COMPAT_LOGS"):
        (Path(kept) / f"{suite.package}-{'answergraph' if swap else 'control'}.log").write_text(done.stdout + done.stderr)
    found: dict[str, Any] = json.loads(report.read_text()) if report.exists() else {}
    if not found:
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise ValueError(next((line.removeprefix("E ").strip() for line in lines if line.startswith("E  ")), lines[-1]))
    return found


def _environment(python: str, folder: Path, report: Path, *, swap: bool) -> dict[str, str]:
    # Servers that a suite starts run by the name ``python``.
    first = {"PYTHONPATH": folder, "PATH": Path(python).parent}
    paths = {name: os.pathsep.join([str(place), os.environ.get(name, "")]) for name, place in first.items()}
    return {**os.environ, **paths, REPORT: str(report), **({SWAP: "1"} if swap else {})}


def compared(suite: Suite) -> Row:
    """Run a suite twice and compare."""
    try:
        with tempfile.TemporaryDirectory() as into:
            folder = unpacked(suite, Path(into))
            control, ours = results(suite, folder, swap=False), results(suite, folder, swap=True)
            if again := _unexplained(suite, control, ours):
                # A test that waits for a time may fail on a busy machine.
                ours |= results(suite, folder, swap=True, only=again)
    except (subprocess.CalledProcessError, ValueError) as error:
        return Row(suite, "", [f"{suite.name} was not run: {error}"])
    builds = {name for name in control if control[name]["builds"] or ours.get(name, {}).get("builds")}
    passed = [_passed(control), _passed(ours) & control.keys()]
    stale = [end for end in suite.explained if not any(name.endswith(end) for name in passed[0] - passed[1])]
    wrong = [f"not explained: {name}" for name in _unexplained(suite, control, ours)]
    figures = [f"{len(names)} ({len(names & builds)})" for names in (control.keys(), *passed)]
    return Row(suite, " | ".join(figures), [*wrong, *(f"passes now: {end}" for end in stale)])


def _passed(run: dict[str, Any]) -> set[str]:
    return {name for name, result in run.items() if result["outcome"] == "passed"}


def _unexplained(suite: Suite, control: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    return [name for name in sorted(_passed(control) - _passed(ours)) if not name.endswith(tuple(suite.explained))]


def _rows_on_the_page() -> dict[str, str]:
    """Return the rows of the last runs, by the names of their packages."""
    lines = PAGE.read_text().splitlines() if PAGE.exists() else []
    return {line.split()[1]: line for line in lines if line.startswith("| ")}


def main(names: list[str]) -> int:
    """Run the suites, write the page, and say what is wrong."""
    made, wrong = dict[str, str](), False
    for suite in SUITES:
        if not names or suite.package in names:
            row = compared(suite)
            print(row, *row.wrong, sep="\n", flush=True)
            made |= {suite.package: str(row)} if row.figures else {}
            wrong = wrong or bool(row.wrong)
    known = _rows_on_the_page() | made
    rows = [known.get(suite.package, f"| {suite.name} | not run yet | | |") for suite in SUITES]
    lines = [f"- {suite.package} `{end}`: {why}." for suite in SUITES for end, why in suite.explained.items()]
    PAGE.write_text(ABOVE + "\n".join(rows) + "\n" + BELOW + "\n".join(lines) + "\n")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
