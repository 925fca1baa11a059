"""Runs a case of a work tree in a process of its own, within a time limit, and reads how it ended."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from answergraph import AgentSpecError
from answergraph.graphs.add_ons.triage.offline.normalised_text import normalised
from answergraph.graphs.add_ons.triage.offline.stack_frames import frames_of
from answergraph.graphs.add_ons.triage.offline.witness_table import Ending
from answergraph.graphs.add_ons.triage.run_files.junit_results import JUnitCase, read_junit
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import Folder

RUN_AGAIN = f"{shlex.quote(sys.executable)} -m pytest {{case}}"
"""The command that runs a case again, if none is given."""
MAX_OUTPUT_CHARACTERS = 2_000
"""Characters of a run's output that are kept, from its end."""
MAX_COMPARED_CHARACTERS = 100
"""Characters of two failures that are compared, without their values."""
_GUARD = Path(__file__).with_name("witness_guard.py")
_LINES = "lines.txt"
_NOT_FOUND = (126, 127)
"""Exit codes of a shell and of env: the command itself could not be run."""
_OF_OTHER_RUNS = ("PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST", "COV_CORE_", "GIT_")


@dataclass(frozen=True)
class TestLocation:
    """Where a case stands in the repository."""

    __test__ = False

    file: str
    case: str
    """As pytest names it: ``tests/test_cart.py::TestCart::test_total[2]``."""
    name: str
    """As unittest names it: ``tests.test_cart.TestCart.test_total``."""

    @classmethod
    def of(cls, result: JUnitCase, files: Sequence[str]) -> "TestLocation | None":
        """Return the location of a result; ``None`` unless exactly one file can be meant."""
        parts = (result.class_name or result.name).split(".")
        for path, classes in (
            (result.source, []),
            (result.class_name, []),
            *(("/".join(parts[:end]) + ".py", parts[end:]) for end in range(len(parts), 0, -1)),
        ):
            meant = [file for file in files if path and (file == path or file.endswith(f"/{path}"))]
            if path in meant or len(meant) == 1:
                file = path if path in meant else meant[0]
                module = file.removesuffix(".py").replace("/", ".")
                # Where a file could not be imported, pytest reports the file itself.
                own = [*classes, result.name] if result.class_name else []
                return cls(file, "::".join([file, *own]), ".".join([module, *own]))
        # Some runners name no file; the stack trace of the failure does.
        shown = [frame.path for frame in frames_of(result.details) if frame.is_test]
        named = {file for file in files if any(f"/{path}".endswith(f"/{file}") for path in shown)}
        return cls(file := named.pop(), file, file) if len(named) == 1 else None


@dataclass(frozen=True)
class Runner:
    """How cases are run again."""

    command: str
    seconds: float
    network: bool
    own_tree: Path
    traces: bool = False
    """Whether Python programs note which lines of the work tree they run; that is slower."""

    def __post_init__(self) -> None:
        """Refuse a command that names no case."""
        if not any(name in self.command for name in ("{file}", "{case}", "{name}")):
            raise AgentSpecError(f"The command {self.command!r} names no test; write {{file}}, {{case}} or {{name}} into it.")

    @property
    def is_pytest(self) -> bool:
        """Whether pytest reports each case, so that several can be run in an order."""
        return "pytest" in self.command and "{case}" in self.command

    def run(self, tree: Path, cases: Sequence[TestLocation], result: JUnitCase) -> tuple[Ending, str]:
        """Run cases in a work tree, and return how the last of them ended, with its failure or its output."""
        folder = tree.parent
        log, report = folder / "guard.log", folder / "results.xml"
        for file in (log, report):
            file.unlink(missing_ok=True)
        code, output = self._process(tree, cases)
        notes = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        if code is None or code in _NOT_FOUND:
            return "not run", output
        ending, failure = self._ending(code, report, cases[-1], result)
        if "imported from" in notes or (notes and ending != "passes"):
            return "not run", notes
        return ending, failure or output

    def lines_run(self, tree: Path) -> frozenset[str]:
        """Return the lines of a work tree that were run, such as ``shop/cart.py:12``, if ``traces`` is set."""
        file = tree.parent / _LINES
        return frozenset(file.read_text(encoding="utf-8", errors="surrogateescape").splitlines() if file.exists() else ())

    def _ending(self, code: int, report: Path, case: TestLocation, result: JUnitCase) -> tuple[Ending, str]:
        if not self.is_pytest:
            return ("passes" if code == 0 else "fails"), ""
        results = read_junit(Folder(report.parent), report.name).cases if report.exists() else ()
        module = case.file.removesuffix(".py").replace("/", ".")
        own = [one for one in results if _is_of(one, result)] or [
            one for one in results if not one.class_name and one.has_failed and one.name in {module, case.file}
        ]
        if not own and not result.class_name:
            # A file that could not be imported is reported by itself, and by its cases as soon as it can be.
            inside = [one for one in results if f".{one.class_name}.".startswith(f".{module}.")]
            own = sorted(inside, key=lambda one: one.has_failed)
        if not own or own[-1].status == "skipped":
            return ("absent" if code == _USAGE and not results else "not run"), ""
        if not own[-1].has_failed:
            return "passes", ""
        return ("fails" if _cause(own[-1]) == _cause(result) else "fails otherwise"), f"{own[-1].message}\n{own[-1].details}"

    def _process(self, tree: Path, cases: Sequence[TestLocation]) -> tuple[int | None, str]:
        """Return the exit code, ``None`` if the time ran out, and the end of the output."""
        output_file = tree.parent / "output.txt"
        with output_file.open("wb") as output:
            try:
                process = subprocess.Popen(
                    self._command(tree.parent, cases),
                    cwd=tree,
                    env=self._environment(tree),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                return None, str(error)
            try:
                code: int | None = process.wait(self.seconds)
            except subprocess.TimeoutExpired:
                code = None
            _end(process)
        text = output_file.read_text(encoding="utf-8", errors="replace")[-MAX_OUTPUT_CHARACTERS:]
        return code, text if code is not None else f"It did not end within {self.seconds:g} seconds.\n{text}"

    def _command(self, folder: Path, cases: Sequence[TestLocation]) -> list[str]:
        last = cases[-1]
        command: list[str] = []
        for part in shlex.split(self.command):
            several = [case.case for case in cases] if part == "{case}" else []
            command += several or [part.replace("{case}", last.case).replace("{file}", last.file).replace("{name}", last.name)]
        plain = ["-p", "no:cacheprovider", "-p", "no:randomly", f"--junitxml={folder / 'results.xml'}"]
        return [*command, *(plain if self.is_pytest else [])]

    def _environment(self, tree: Path) -> dict[str, str]:
        guard, temporary = tree.parent / "guard", tree.parent / "tmp"
        for folder in (guard, temporary):
            folder.mkdir(exist_ok=True)
        (guard / "sitecustomize.py").write_bytes(_GUARD.read_bytes())
        before = [Path(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
        moved = [tree / entry.relative_to(self.own_tree) if entry.is_relative_to(self.own_tree) else entry for entry in before]
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith(_OF_OTHER_RUNS)},
            "PYTHONPATH": os.pathsep.join(map(str, (guard, tree, tree / "src", *moved))),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(temporary),
            "ANSWERGRAPH_WITNESS_LOG": str(tree.parent / "guard.log"),
            "ANSWERGRAPH_WITNESS_OWN_TREE": str(self.own_tree),
            "ANSWERGRAPH_WITNESS_NETWORK": "1" if self.network else "",
            "ANSWERGRAPH_WITNESS_LINES": str(tree.parent / _LINES) if self.traces else "",
            "ANSWERGRAPH_WITNESS_TREE": f"{tree}{os.sep}",
        }


_USAGE = 4
"""The exit code of pytest for a case that it does not find."""


def _is_of(one: JUnitCase, result: JUnitCase) -> bool:
    if not result.class_name:
        return not one.class_name and one.name == result.name
    # The folder from which the tests were run may be another.
    ours, theirs = f".{one.class_name}", f".{result.class_name}"
    return one.name == result.name and (ours.endswith(theirs) or theirs.endswith(ours))


def _cause(result: JUnitCase) -> str:
    return normalised(result.message or result.details)[:MAX_COMPARED_CHARACTERS]


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End what a run left behind, too."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.wait()
