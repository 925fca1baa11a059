"""Rules for the code that no other tool checks: sizes, cycles, private imports, the tree."""

import ast
import re
import subprocess
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

from tests.suite.python_sources import Function, Source, decisions_in, nesting_of, read_source

ROOT = Path(__file__).parents[1]
LAYERS = ("graphs", "middleware", "nodes")
PACKAGE = (*LAYERS, "answergraph")

FILE_LINES = 300
FUNCTION_LINES = 50
NESTING = 3
FOLDER_FILES = 15
DECISIONS = 12
FUNCTIONS_WITH_MORE = 36
"""How many functions of the library may decide more often, one of them at most ``MOST_DECISIONS`` times; to be lowered."""
MOST_DECISIONS = 19
# Complexity and the number of parameters are ruff's to count (C901, PLR0913).

_ROOMS = ("errors", "evidence", "graphs", "many", "middleware", "models", "serving", "streaming", "telemetry", "testing", "types")
DOORS = frozenset({"answergraph", *(f"answergraph.{room}" for room in _ROOMS)})
"""The public doors, which import from everywhere below them."""

_SILENCED = re.compile(r"#.*?(noqa|type: ignore|pragma)\b(:? ?[A-Z]+\d+,?| no cover|\[[a-z, -]+\])*(?P<reason>.*)")
_REASON = re.compile(r"\w+ \w+")
_OF_THIS_MACHINE = re.compile(
    r"""(?<![\w.~$}-])/(?:home|root|Users|opt|work|tmp/\w+)/[\w.-]+"""  # a folder that only one machine has
    r"""|(?:pypi|pythonhosted|npmjs|debian)\.(?:org|com|net)|index[-_]url"""  # where packages come from
)


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        # rglob does not follow the symlinks of answergraph/: each layer is seen once, at the top.
        yield from sorted((ROOT / folder).rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def all_sources() -> dict[str, Source]:
    return {name(path): read_source(path.read_text(), name(path)) for path in sources(*PACKAGE, "tests", "examples")}


def all_functions() -> list[Function]:
    return [function for source in all_sources().values() for function in source.functions]


def silenced_without_reason(comments: Iterable[str]) -> list[str]:
    matches = [(comment, _SILENCED.search(comment)) for comment in comments]
    return [comment for comment, match in matches if match and not _REASON.search(match["reason"])]


@cache
def imports_of_the_library() -> dict[str, set[str]]:
    """Return the imports of each module, those for types included."""
    graph = grimp.build_graph("answergraph", cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def folder_of(module: str) -> str:
    return module if module in DOORS else module.rpartition(".")[0]


def test_no_file_is_longer_than_the_limit() -> None:
    # The scenarios of failed test runs are data: the programs that were run, as texts.
    paths = [path for path in sources(*PACKAGE, "tests", "examples") if "scenarios" not in path.name]
    lengths = {name(path): len(path.read_text().splitlines()) for path in paths}
    assert {path: length for path, length in lengths.items() if length > FILE_LINES} == {}


def test_no_function_is_longer_than_the_limit() -> None:
    assert {each.place: each.lines for each in all_functions() if each.lines > FUNCTION_LINES and not each.waived} == {}


def test_no_function_nests_deeper_than_the_limit() -> None:
    assert {each.place: each.nesting for each in all_functions() if each.nesting > NESTING and not each.waived} == {}


def test_few_functions_decide_often() -> None:
    # ruff's count leaves out what is decided within an expression, and so makes short code look simple.
    functions = [each for each in all_functions() if each.place.startswith(PACKAGE)]
    often = {each.place: each.decisions for each in functions if each.decisions > DECISIONS}
    assert len(often) <= FUNCTIONS_WITH_MORE, often
    assert max(often.values()) <= MOST_DECISIONS, often


def test_no_conditional_expression_stands_in_another() -> None:
    library = {place: source for place, source in all_sources().items() if place.startswith(PACKAGE)}
    assert [f"{place}:{line}" for place, source in library.items() for line in source.nested_choices] == []


def test_a_silenced_check_says_why_on_its_line() -> None:
    silent: dict[str, list[str]] = {}
    for path in sources(*PACKAGE, "tests", "examples"):
        if not _SILENCED.search(path.read_text()):
            continue  # the tokens of all files take a minute
        with tokenize.open(path) as file:
            tokens = list(tokenize.generate_tokens(file.readline))
        found = silenced_without_reason(token.string for token in tokens if token.type == tokenize.COMMENT)
        silent |= {name(path): found} if found else {}
    assert silent == {}


def test_no_module_imports_what_imports_it() -> None:
    # The library's own door imports each name when it is first used, so add-ons may use it.
    imports = {**imports_of_the_library(), "answergraph": set[str]()}
    assert len(imports) > len(PACKAGE)
    TopologicalSorter(imports).prepare()  # raises CycleError, which shows the cycle


def test_no_folder_imports_what_imports_it() -> None:
    folders: dict[str, set[str]] = {}
    for module, imported in imports_of_the_library().items():
        # The door of a package stands above what lies in it, and so does the program.
        if module not in DOORS and module != "answergraph.__main__":
            others = {folder_of(each) for each in imported} - {folder_of(module)}
            folders.setdefault(folder_of(module), set()).update(others)
    TopologicalSorter(folders).prepare()


def test_no_folder_is_a_bag() -> None:
    sizes = Counter(path.parent for path in sources(*PACKAGE))
    assert {name(folder): size for folder, size in sizes.items() if size > FOLDER_FILES} == {}


def test_no_two_modules_have_one_name() -> None:
    # A door in one file, such as ``answergraph.types``, is called as what it shows.
    doors = {ROOT / f"{door.replace('.', '/')}.py" for door in DOORS}
    stems = Counter(path.stem for path in sources(*PACKAGE) if path.stem != "__init__" and path not in doors)
    assert [stem for stem, times in stems.items() if times > 1] == []


def test_nobody_elses_private_names_are_imported() -> None:
    assert {place: source.private_imports for place, source in all_sources().items() if source.private_imports} == {}


def test_the_tests_of_a_module_lie_where_the_module_lies() -> None:
    lost = []
    for path in sources(*(f"tests/{folder}" for folder in PACKAGE)):
        folder = ROOT / path.parent.relative_to(ROOT / "tests")
        tested = [source.stem for source in folder.iterdir()] if folder.is_dir() else []
        subject = path.stem.removeprefix("test_")
        if path.stem != subject and not any(f"{subject}_".startswith(f"{module}_") for module in tested):
            lost.append(name(path))
    assert lost == [], "name it test_<module>.py or test_<module>_<aspect>.py"


def test_every_folder_of_tests_is_a_package() -> None:
    folders = {path.parent for path in sources("tests")}
    assert [name(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_no_file_names_the_machine_it_was_written_on() -> None:
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    told: dict[str, list[str]] = {}
    for path in filter(Path.is_file, (ROOT / entry for entry in listed if entry)):
        found = _OF_THIS_MACHINE.findall(path.read_text(errors="replace"))
        told |= {name(path): found} if found else {}
    assert told == {}


@pytest.mark.parametrize(
    ("body", "nesting"),
    [
        ("pass", 0),
        ("if a: pass\n elif b: pass\n elif c: pass\n else: pass", 1),
        ("if a:\n  for b in c:\n   with d: pass", 3),
        ("try:\n  while a: pass\n except E:\n  match a:\n   case 1:\n    if b: pass", 3),
        ("if a:\n  def inner():\n   if b: pass", 1),
    ],
)
def test_nesting_counts_blocks_in_blocks(body: str, nesting: int) -> None:
    assert nesting_of(ast.parse(f"def f():\n {body}").body[0]) == nesting


@pytest.mark.parametrize(
    ("body", "decisions"),
    [
        ("pass", 0),
        ("if a and b or c: pass\n elif d: pass", 4),
        ("return a if b else c", 1),
        ("return [d for d in a if b if c]", 2),
        ("for a in b:\n  try: pass\n  except E: pass", 2),
        ("def inner():\n  if a: pass", 0),
    ],
)
def test_decisions_within_expressions_count(body: str, decisions: int) -> None:
    assert decisions_in(ast.parse(f"def f():\n {body}").body[0]) == decisions


def test_a_conditional_expression_in_another_is_seen() -> None:
    choices = "a = 1 if b else 2\nc = 1 if b else 2 if d else 3\ne = [0 if f else 1] if g else []"
    assert read_source(choices).nested_choices == [2, 3]


def test_the_length_of_a_function_leaves_out_its_docstring() -> None:
    (function,) = read_source('def f():  # waiver: a good reason\n    """One.\n\n    Two.\n    """\n    return 1\n').functions
    assert (function.lines, function.waived) == (2, True)


def test_a_reason_is_more_than_the_name_of_a_rule() -> None:
    bare = ["# noqa: E501", "# type: ignore[arg-type]", "# noqa", "# noqa: PLR0913, C901"]
    reasoned = ["# noqa: E501 - a long address", "# type: ignore[misc]  # their stub is wrong", "# what a line does"]
    assert silenced_without_reason(bare + reasoned) == bare


def test_a_private_import_is_seen_in_each_spelling() -> None:
    seen = ["langgraph._internal._config", "openai.types._x", "langchain_core.messages._hidden"]
    text = "import langgraph._internal._config\nfrom openai.types import _x\nfrom langchain_core.messages import _hidden"
    assert read_source(f"{text}\nfrom langgraph.version import __version__\nfrom answergraph.x import y").private_imports == seen
