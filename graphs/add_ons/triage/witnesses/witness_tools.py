"""The witnesses as tools of the triage agents."""

import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.prebuilt import ToolRuntime

from answergraph.graphs.add_ons.triage.offline.witness_table import WITNESSES, Ending, WitnessName, WitnessResult
from answergraph.graphs.add_ons.triage.run_files.case_survey import Survey, survey_of
from answergraph.graphs.add_ons.triage.run_files.junit_results import JUnitCase
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import Folder, folder_of
from answergraph.graphs.add_ons.triage.witnesses.case_runs import RUN_AGAIN, Runner, TestLocation
from answergraph.graphs.add_ons.triage.witnesses.work_trees import MAX_CHANGES, Repository
from answergraph.kit.intervals import wilson

_COMPARED: Mapping[WitnessName, str] = {
    "run_on_last_green": "Run on the old code with the old tests",
    "run_old_tests": "Run on the code as it stands with the old tests",
    "run_on_old_code": "Run on the old code with the tests as they stand",
}
MAX_CASES_BEFORE = 2_000
"""Cases that are run before one, the last of those before it."""


@dataclass(frozen=True)
class Witnesses:
    """Runs failed cases again, in work trees of their own, so that a verdict can follow from what happens.

    It runs the code and the tests of the repository, so use it where you would run them yourself.

    Example:
        >>> Witnesses(".", last_green="HEAD").repeats
        5
    """

    repository: str | Path = "."
    """A folder in the git repository of the tests."""
    last_green: str | None = None
    """The commit at which the tests passed last; without it, nothing is compared with older code."""
    rerun: str | None = None
    """The command that runs a case again, with ``{case}`` (pytest's name), ``{name}`` (unittest's) or ``{file}``; by default
    pytest, with the Python that runs this."""
    repeats: int = 5
    """How often a case is run alone."""
    seconds_per_run: float = 60
    """Time for one run, in seconds."""
    seconds_per_cause: float = 600
    """Time for all runs of one cause, in seconds; a run that has begun may end."""
    network: bool = False
    """Whether Python programs that are run may reach other machines."""

    def __post_init__(self) -> None:
        """Refuse a repository, commit or command that cannot be used."""
        repository = Repository.around(Path(self.repository))
        if self.last_green is not None:
            repository.commit(self.last_green)
        self._runner(repository)

    def tools(self) -> list[BaseTool]:
        """Return a tool per witness."""
        repository = Repository.around(Path(self.repository))
        green = None if self.last_green is None else repository.commit(self.last_green)
        stand = _Stand(repository, self._runner(repository), green, self)
        return [_tool(stand, name, about) for name, about in WITNESSES.items()]

    def _runner(self, repository: Repository) -> Runner:
        return Runner(self.rerun or RUN_AGAIN, self.seconds_per_run, self.network, repository.root)


@dataclass
class _Stand:
    """Hears witnesses, one at a time, and each once per case."""

    repository: Repository
    runner: Runner
    green: str | None
    options: Witnesses
    head: str = ""
    heard: dict[tuple[str, str, str, WitnessName], WitnessResult] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def hear(self, folder: Folder, case: str, name: WitnessName) -> WitnessResult:
        """Return what a witness says of a case."""
        with self._lock:  # runs at the same time would disturb each other
            self.head = self.repository.snapshot()
            key = (self.head, str(folder.root), case, name)
            if key not in self.heard:
                self.heard[key] = self._hear(folder, case, name)
            return self.heard[key]

    def _hear(self, folder: Folder, case: str, name: WitnessName) -> WitnessResult:
        survey = survey_of(folder)
        result = survey.by_id.get(case)
        if result is None:
            raise ToolException(f"There is no case {case!r}; list_failed_cases names them.")
        test = TestLocation.of(result, self.repository.files(self.head))
        spent = sum(one["seconds"] for (_, _, of, _), one in self.heard.items() if of == case)
        if test is None:
            return _not_run(name, f"No one file of the repository is that of {result.title!r}.")
        if spent >= self.options.seconds_per_cause:
            return _not_run(name, f"The {self.options.seconds_per_cause:g} seconds for one cause are spent.")
        start = time.monotonic()
        try:
            testimony = self._testimony(name, test, result, survey)
        except (OSError, subprocess.SubprocessError) as error:
            return _not_run(name, f"The work tree could not be made: {error}")
        return {**testimony, "seconds": round(time.monotonic() - start, 2)}

    def _testimony(self, name: WitnessName, test: TestLocation, result: JUnitCase, survey: Survey) -> WitnessResult:
        if name == "rerun_alone":
            return self._alone(test, result)
        if name in {"rerun_in_order", "rerun_in_another_order"}:
            return self._after_others(name, test, result, survey)
        if self.green is None:
            return _not_run(name, "No commit is named at which the tests passed.")
        if name == "run_changed_lines":
            return self._through_changes(test, result, self.green)
        code = self.head if name == "run_old_tests" else self.green
        tests = self.head if name == "run_on_old_code" else self.green
        # A flaky case may pass once by chance: what passed on the last green code has passed as often as it failed alone.
        times = self.options.repeats if name == "run_on_last_green" else 1
        runs = self._runs(test, result, code=code, tests=tests, times=times)
        statement = f"{_COMPARED[name]}: {_ending(runs)} (the tests passed last at {self.green[:10]})."
        if name == "run_old_tests" and runs[-1][0].startswith("fails"):
            statement += self._blame(test, result)
        return _witness_result(name, runs, statement)

    def _alone(self, test: TestLocation, result: JUnitCase) -> WitnessResult:
        runs = self._runs(test, result, code=self.head, tests=self.head, times=self.options.repeats)
        failed = _failed(runs)
        low, high = wilson(failed / len(runs), len(runs))
        rate = f"failed {failed} of {len(runs)} times (95 % interval {low:.0%} to {high:.0%})"
        return _witness_result("rerun_alone", runs, f"Run alone on the code as it stands: {_ending(runs)}; it {rate}.")

    def _after_others(self, name: WitnessName, test: TestLocation, result: JUnitCase, survey: Survey) -> WitnessResult:
        before = [one for one in survey.files[result.file] if one.number < result.number and one.status != "skipped"]
        files = self.repository.files(self.head)
        tests = [TestLocation.of(one, files) for one in before[-MAX_CASES_BEFORE:]]
        others = [one for one in tests if one is not None and one.case != test.case]
        if not self.runner.is_pytest:
            return _not_run(name, "Only pytest, named with {case}, runs several cases in an order.")
        order = others if name == "rerun_in_order" else others[::-1]
        runs = self._runs(test, result, *order, code=self.head, tests=self.head)
        how = "in their order" if name == "rerun_in_order" else "in the opposite order"
        statement = f"Run after the {len(order)} cases before it, {how}, on the code as it stands: {_ending(runs)}."
        return _witness_result(name, runs, statement)

    def _through_changes(self, test: TestLocation, result: JUnitCase, green: str) -> WitnessResult:
        runner = replace(self.runner, traces=True)
        with self.repository.work_tree(self.head, tests=green, test_file=test.file) as tree:
            run = runner.run(tree, [test], result)
            lines = runner.lines_run(tree)
        changes = self.repository.changes(green, self.head, test.file)
        through = [str(change) for change in changes if change.is_among(lines)]
        seen = ", ".join(through[:MAX_CHANGES]) if lines else "unknown, since no Python program was seen"
        statement = f"Changed places that it runs through, of {len(changes)} outside the tests: {seen or 'none'}."
        return _witness_result("run_changed_lines", [run], statement)

    def _runs(
        self, test: TestLocation, result: JUnitCase, *before: TestLocation, code: str, tests: str, times: int = 1
    ) -> list[tuple[Ending, str]]:
        with self.repository.work_tree(code, tests=tests, test_file=test.file) as tree:
            if not (tree / test.file).is_file():
                return [("absent", f"There is no {test.file} yet.")]
            return [self.runner.run(tree, [*before, test], result) for _ in range(times)]

    def _blame(self, test: TestLocation, result: JUnitCase) -> str:
        """Return the first commit after the green one at which the old test fails, and what it changed outside the tests."""
        green = self.green or self.head
        commits = [green, *self.repository.between(green, self.head)]
        good, bad = 0, len(commits) - 1
        while bad - good > 1:
            middle = (good + bad) // 2
            ((ending, _),) = self._runs(test, result, code=commits[middle], tests=green)
            good, bad = (middle, bad) if ending == "passes" else (good, middle)
        changes = self.repository.changes(commits[good], commits[bad], test.file)
        named = ", ".join(map(str, changes[:MAX_CHANGES])) or "no line outside the tests"
        return f" Broken by {commits[bad][:10]}, which changed {named}."


def _witness_result(name: WitnessName, runs: Sequence[tuple[Ending, str]], statement: str) -> WitnessResult:
    output = next((text for ending, text in runs if ending != "passes"), "")
    return WitnessResult(
        witness=name, ending=_ending(runs), runs=len(runs), failed=_failed(runs), seconds=0, statement=statement, output=output
    )


def _ending(runs: Sequence[tuple[Ending, str]]) -> Ending:
    """Return how runs of a case ended that should end alike."""
    endings = {ending for ending, _ in runs}
    if len(endings) == 1:
        return runs[-1][0]
    return "varies" if _failed(runs) and "passes" in endings else "not run"


def _failed(runs: Sequence[tuple[Ending, str]]) -> int:
    return sum(ending.startswith("fails") for ending, _ in runs)


def _not_run(name: WitnessName, why: str) -> WitnessResult:
    return WitnessResult(witness=name, ending="not run", runs=0, failed=0, seconds=0, statement=why, output="")


def _tool(stand: _Stand, name: WitnessName, about: str) -> BaseTool:
    def hear(case: str, runtime: ToolRuntime) -> tuple[str, WitnessResult]:
        result = stand.hear(folder_of(runtime.state), case, name)
        return f"{result['statement']}\n{result['output']}".rstrip(), result

    return StructuredTool.from_function(
        hear, name=name, description=about, response_format="content_and_artifact", handle_tool_error=True
    )
