"""The tools of the triage agents: show a test run's folder as quotable plain text.

The folder is in the agent's state; links, binary files and paths outside are answered with a sentence.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.tools import BaseTool, ToolException, tool
from langgraph.prebuilt import ToolRuntime

from answergraph.graphs.add_ons.triage.run_files import file_search
from answergraph.graphs.add_ons.triage.run_files.case_facts import MAX_LISTED, CaseFacts, facts_of
from answergraph.graphs.add_ons.triage.run_files.case_survey import survey_of
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import folder_of

MAX_PROBLEMS = 20
"""How many unreadable files one call names."""


@tool
def list_files(runtime: ToolRuntime, under: str = "") -> str:
    """List the files of the test run's folder with their sizes in bytes, or those below one of its folders."""
    listing = folder_of(runtime.state).listing(under)
    about = {entry.path: entry.size if entry.kind == "file" else f"({entry.kind}, not read)" for entry in listing.entries}
    lines = [f"{path} {size}" for path, size in about.items()]
    return _with_problems(lines, listing.problems, instead="; name a folder to list") or "[There are no files.]"


@tool
def read_lines(path: str, runtime: ToolRuntime, start: int = 1, count: int = 100) -> str:
    """Read lines of a text file; a negative start counts from the end.

    The first line of the result says which lines follow; these are unchanged, without numbers.
    """
    excerpt = file_search.read_lines(folder_of(runtime.state), path, start, count)
    last = excerpt.first + len(excerpt.lines) - 1
    cut = ", cut: too much text for one call" if excerpt.is_cut else ""
    return "\n".join([f"[{path} lines {excerpt.first} to {last} of {excerpt.total}, {excerpt.encoding}{cut}]", *excerpt.lines])


@tool
def search(text: str, runtime: ToolRuntime, regex: bool = False, under: str = "") -> str:
    """Find lines in the files of the folder, upper and lower case alike: by plain text, or by an RE2 regular expression.

    Each line of the result is PATH:LINE NUMBER: and the line. With `under`, only that file or folder is searched.
    """
    folder = folder_of(runtime.state)
    path = str(folder.relative(under))
    files = tuple(entry for entry in folder.whole.files if path in {".", entry.path} or entry.path.startswith(f"{path}/"))
    result = file_search.search(folder, text, files, regex=regex)
    lines = [f"{match.path}:{match.number}: {match.line}" for match in result.matches]
    lines += ["[There are more; search for something rarer, or under a folder.]"] * result.is_cut
    return _with_problems(lines, result.problems) or "[No line matches.]"


@tool
def list_failed_cases(runtime: ToolRuntime) -> str:
    """List the cases to judge: failed ones, and passed ones whose logs show a failure."""
    survey = survey_of(folder_of(runtime.state))
    said = ((case.result, " ".join((case.result.message or case.sign).split())[:200]) for case in survey.cases)
    lines = [f"{result.id} {result.status} {result.title}: {text}" for result, text in said]
    return _with_problems(lines, survey.problems) or "[No case failed.]"


@tool(response_format="content_and_artifact")
def read_case(case: str, runtime: ToolRuntime) -> tuple[str, dict[str, Any]]:
    """Read what the result files say about a case: its message, stack trace and output, and the test's other results."""
    survey = survey_of(folder_of(runtime.state))
    chosen = survey.case(case)
    if chosen is None:
        raise ToolException(f"There is no case {case!r}; list_failed_cases names them.")
    facts = facts_of(chosen, survey)
    return CaseFacts(**facts).text, facts


TRIAGE_TOOLS: tuple[BaseTool, ...] = (list_failed_cases, read_case, list_files, read_lines, search)
"""The tools, in the order the model sees them."""


for _tool in TRIAGE_TOOLS:
    _tool.handle_tool_error = True  # the model gets the error; the run continues


def _with_problems(lines: Sequence[str], problems: Sequence[str], *, instead: str = "") -> str:
    left_out = len(lines) - MAX_LISTED
    more = f"[{left_out} more are left out{instead}]" if left_out > 0 else ""
    named = [f"[{problem}]" for problem in problems[:MAX_PROBLEMS]]
    unnamed = len(problems) - len(named)
    return "\n".join(
        filter(None, [*lines[:MAX_LISTED], more, *named, f"[{unnamed} more files could not be read]" if unnamed else ""])
    )
