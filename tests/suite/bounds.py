"""The measures of the library in one place: how much each room may hold, and what one answer and one step may cost.

A bound is what was measured, with a little air. It is lowered when a room shrinks. To raise one, say in ``why`` or in the comment
beside it what a user gets for it; `make sizes` then writes the table of ``docs/architecture.md``.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("answergraph", "graphs", "middleware", "nodes", "pytest_answergraph")


@dataclass(frozen=True)
class Room:
    """One room: a folder, or the modules directly in it, with its bounds."""

    place: str
    lines: int
    """The largest number of lines of Python, comments and blank lines included."""
    any_uses: int
    """How often its code may say ``Any``."""
    why: str = ""
    """What it holds beyond the plan of decision 19, if its bound is above the plan's."""

    @property
    def files(self) -> tuple[Path, ...]:
        """Its Python files. The links of ``answergraph/`` are not followed, so that each file belongs to one room."""
        return files_of(self.place)


CORE = (
    Room("answergraph/*.py", 270, 0, "doors of errors and shapes; names that have left the top level"),
    Room(
        "answergraph/runtime",
        1476,
        72,
        "snapshots; wrong arguments, hooks that await nothing and misspelt imports say what to write, options handed on too, and "
        "what is no text or no switch, for every ready-made agent, and one item instead of a list; "
        "the visits of all nodes end in time in one place; expressions are read in any thread",
    ),
    Room("answergraph/json_text", 400, 9, "numbers that became infinite; thoughts, in which nothing is a call or an answer"),
    Room("answergraph/json_schema", 1192, 33, "an alternative that no grammar can say is dropped if a number says the same"),
    Room(
        "answergraph/state",
        2641,
        70,
        "turn, field records, what earlier versions stored; the caller's input; broken calls; calls that providers run; "
        "keys that no state has; conversations without wrong answers; runs whose calls all failed; charges that copy cheaply; "
        "what ended a reply",
    ),
    Room(
        "answergraph/answers",
        2620,  # a default that no client sends; types that say nothing, and required properties that nothing describes, are 40
        88,
        "the answer with its JSON; callers' schemas are bounded; errors, useless types explained; keys of items, names of JSON, "
        "also where those for reading are not those for writing; errors that say nothing, items checked too late; "
        "the one name of each field that does not fit; the text of a fraction",
    ),
    Room(
        "answergraph/patches", 496, 18, "an answer is repaired by field, and brought up to date by keys; results that hold none"
    ),
    Room(
        *("answergraph/asking", 2407, 53),
        "a call or the answer under one schema, for servers that enforce schemas but no calls; arguments that a client refuses",
    ),
    Room(
        *("answergraph/reading", 1198, 23),
        "calls written as text, in the forms of chat templates, of unknown tools in every form, behind which none runs; "
        "copies of what was shown are no answer",
    ),
    Room(
        *("answergraph/evidence", 6562, 39),
        "one walk for all fields, also of what validators made and of JSON under any alias; bundles; values by value and label; "
        "whole quotes; claims; "
        "zones, parts of the day, words of size in all languages, also where they may mean something else, units, boxes: "
        "no altered value is accepted; numbers are read where they are asked for, so that a source may have 20 MB; "
        "what is not read without an extra is said; heads of tables that span columns and rows; half hours, "
        "compounds with spaces, codes in every script; a label is looked for once above all rows of a column; "
        "words of size in two letters, one tenth, telephones, compounds of tools; days with a time in words, months of several "
        "words, days of a range, short words for the afternoon",
    ),
    Room(
        "answergraph/models",
        655,
        20,
        "in-process models, also scripted ones, written down by their names, whose functions may wait; a model on this machine",
    ),
    Room("answergraph/streaming", 449, 14, "stream helpers, which lay in graphs/compose; no draft in thoughts is shown"),
    Room(
        "answergraph/react_text",
        1019,
        31,
        "every written form of a call and of an answer that models use; calls by the one reader, none behind one that cannot be, "
        "and none in open thoughts",
    ),
    Room(
        "answergraph/calling",
        852,  # a choice of no tool is refused; prices that are unknown or no amount, and calls that nobody has paid for, are told
        16,
        "the model is asked in one place; histories are made legal, also where Python reads more than JSON; a cut reply is read; "
        "calls are priced; copies are noted, of what is said afresh too; a reply is read in one place; a stream ends when nobody "
        "waits for it",
    ),
    Room(
        "nodes",
        2779,  # small models are asked in time and afresh; a tool choice is told; the result of another call is refused; all ends
        61,
        "repair; runs without a format end in one table; limits and what comes first are named; reviews; functions run elsewhere"
        "; async checks",
    ),
    Room(
        *("middleware", 1356, 86),
        "a hook per node, in both colours; the caller's input as a source, whose files are read in a thread; "
        "one judging call for claims; what hooks do wrong; prompts whose context is typed",
    ),
    Room("graphs/*.py", 127, 11),
    Room(
        "graphs/agent",
        1788,  # jumps end with the budget, keys are those of the context, nothing of a call is dropped without a word
        106,
        "installation in place of LangChain's; claims are checked; checkers see a misspelt key, and an answer that is not None; "
        "misspelt stream modes and tools of an approval, commands for nothing, tools that cannot be called, formulas of nothing; "
        "what a hook returns for nobody is told; a run that names no thread is refused; what callers write that nobody reads",
    ),
    Room("graphs/compose", 436, 35, "an agent of a server is run as a local one, and refused where it waits"),
    Room("answergraph/testing", 42, 0),
    Room(
        "answergraph/kit",
        657,
        28,
        "thirty-two names instead of thirteen; the interval of a rate; graphs and shared runs that end in time",
    ),
    Room("answergraph/agents", 156, 4),
)
ADD_ONS = (
    Room("answergraph/offline", 777, 5),
    Room("answergraph/tapes", 1001, 51, "recorded runs, after the plan; what is wrong with a tape"),
    Room(
        *("answergraph/evaluation", 1132, 23),
        "scores by field, as an outcome names it, after the plan; wrong cases; judges, feedback; statistics; two libraries'; "
        "the key of a list that no answer has",
    ),
    Room(
        "graphs/add_ons/*.py",
        31,
        1,
        "schemas of graphs whose keys are known when they are built, once for two add-ons; a checkpointer whose type is known",
    ),
    Room("graphs/add_ons/calculator", 530, 18),
    Room("graphs/add_ons/extract", 190, 16, "a document in, a record out, after the plan; what is no document says why"),
    Room("graphs/add_ons/react", 150, 3),
    Room(
        "graphs/add_ons/ensemble",
        941,  # an agent that raises without an answer gives way; limits of one agent are refused
        44,
        "second opinions, what they settle, and the merging of partial answers, after the plan; an agent's names of fields; "
        "readers that lack a list which others agree on; all readers together end in time",
    ),
    Room("graphs/add_ons/judge", 1642, 44),
    Room("graphs/add_ons/workflow", 1430, 68, "TAKT's teams: a leader shares a step's work out; a run ends in time"),
    Room(
        "graphs/add_ons/triage",
        4389,
        19,  # a checkpointer whose type is known
        "witnesses: tests are run again on old and new code, and say which changed lines they run; a log names its test in full; "
        "a file that counts failures and does not list them is told, and that results are missing",
    ),
    Room("answergraph/experiment", 984, 10),
    Room(
        "answergraph/page",
        400,
        1,
        "steps that were read are kept, so that a long thread opens at once when it is read again; "
        "a PDF's pages are pictures with a box around each place",
    ),
    Room(
        *("answergraph/many", 2651, 52),  # a second pass, and what is no number, are refused; begins without a schema of messages
        "many rows, batches of two providers, after the plan; why a pass stopped; a person pauses it; what is wrong with rows "
        "and ledgers; "
        "rows that a full disk left are free; what a tool raises ends its row; types that JSON does not restore are refused",
    ),
    Room("answergraph/telemetry", 220, 4, "runs as OpenTelemetry spans, after the plan"),
    Room(
        "answergraph/serving",
        983,
        12,
        "agents over MCP, A2A and AG-UI, after the plan; forms for what a run waits for; a page that goes ends it; a run goes on "
        "once at a time, in all processes, and null is an answer",
    ),
    Room(
        "answergraph/cli",
        2697,
        32,
        "map, replay, eval and mcp; files, reports and maps on the page; both sides of a disagreement, and witnesses, "
        "in a triage; limits; schemas; lines wrap at every width; files that cannot be written, or have no threads or no text; "
        "your own graphs are drawn, and projects that would hide a module, and texts in another encoding, are refused; "
        "files that contradict themselves; where results are missing, no exit code says that none failed",
    ),
    Room("pytest_answergraph", 93, 3),
)
ANY_PER_THOUSAND_LINES = 40

# What one answer passes. The compiled agent takes its own keys out of a caller's command, ``own_keys`` out of what traces record.
# The model node compares what was sent with the conversation (``shown_update``), so that a redaction is known.
# Two files and five functions are the answer with its JSON, and the snapshots that show whether it was changed.
# One file is the loop that asks the model, which the judge and the kit use as well.
# One function refuses numbers that became infinite when they were read, one keeps two calls for the answer of a small model, one
# copies the channel of inner usage without its constructor, one spares untraced runs what is done for tracers.
# What is sent is looked at before (``legal_history``), so that no server refuses a thread for what is in it.
# One file is the turn, which every node and router reads instead of the messages.
# What a run uses and may use is apart from the budgets that nested runs share; the outcome names the limits in force.
FILES_OF_AN_ANSWER = 29
FUNCTIONS_OF_AN_ANSWER = 130
VALIDATIONS_OF_AN_ANSWER = 1
VALIDATIONS_WITH_DEFAULTS = 2
DUMPS_OF_AN_ANSWER = 1
REPRS_OF_AN_ANSWER = 1
"""The receipt, the tool message in LangChain's words."""
FACTS_OF_A_TURN = 1
"""How often a visit of a node or router derives each fact of the turn."""
CORE_DEPENDENCIES = 8

# Counts of Python calls, the same on every machine.
CALLS_PER_STEP = 1340
CALLS_TO_THOSE_BY_HAND = 1.13
CALLS_OF_A_SHORT_RUN = 1.2
"""Of one call and a typed answer with ten tools, to those of LangChain's ``create_agent``, blocking or awaited."""
SHORT_RUN_TO_THAT_BY_HAND = 1.32
SHORT_RUN_TO_AN_IDLE_ONE = 1.12
"""To a graph of the agent's shape, state and writes, whose nodes do nothing of their own."""
BYTES_PER_STEP = 3970
CALLS_PER_BUILD = 1100
CALLS_PER_FIRST_BUILD = 2400
CALLS_PER_TOOL_WHILE_BUILDING = 1.1
# The checks while building and the reader of calls written as text are eleven of them; a field's name and its record are two.
# The strategy that asks for a call or the answer is one, the compiled agent with the checks of its calls another.
# 22 were imported inside functions before, only for this number; the import takes as long as it did (decision 26).
# The forms of calls written as text are one.
MODULES_OF_OURS = 146


@cache
def files_of(place: str) -> tuple[Path, ...]:
    """Return the Python files of a folder, or with ``/*.py`` at its end those directly in it."""
    folder = ROOT / place.removesuffix("/*.py")
    return tuple(sorted(folder.glob("*.py") if place.endswith("/*.py") else folder.rglob("*.py")))


def lines_of(files: Iterable[Path]) -> int:
    """Return the lines of files, comments and blank lines included."""
    return sum(len(path.read_text().splitlines()) for path in files)


def uses_of_any(files: Iterable[Path]) -> int:
    """Return how often the code of files says ``Any``; imports do not count."""
    return sum(_counted(path)[0] for path in files)


def code_lines(files: Iterable[Path]) -> int:
    """Return the lines of code of files: without blank lines, comments and docstrings."""
    return sum(_counted(path)[1] for path in files)


@cache
def _counted(path: Path) -> tuple[int, int]:
    """Return the uses of ``Any`` and the lines of code of a file, which is parsed once."""
    text = path.read_text()
    nodes = list(ast.walk(ast.parse(text)))
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in nodes), code_lines_in(text, nodes)


def code_lines_in(text: str, nodes: Iterable[ast.AST]) -> int:
    """Return the lines of code of a text.

    >>> text = '"A docstring."\\n\\n# A comment.\\nvalue = 1\\n'
    >>> code_lines_in(text, ast.walk(ast.parse(text)))
    1
    """
    prose: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            prose.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(text.splitlines(), start=1)
    return sum(bool(line.strip()) and not re.match(r"\s*#", line) and number not in prose for number, line in lines)


def table() -> str:
    """Return the table of the rooms for ``docs/architecture.md``."""
    rows = ["| room | lines | `Any` | beyond the plan |", "|---|---|---|---|"]
    for name, rooms in (("the core", CORE), ("the add-ons", ADD_ONS)):
        rows += [f"| `{room.place}` | {room.lines:,} | {room.any_uses} | {room.why} |" for room in rooms]
        rows += [f"| **{name}** | **{sum(room.lines for room in rooms):,}** | **{sum(room.any_uses for room in rooms)}** | |"]
    return "\n".join(rows)
