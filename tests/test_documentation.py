"""The documentation is correct: its Python runs, and its links have targets."""

import doctest
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.suite.page_examples import PAGES, ROOT, Example, examples_in, page_examples

MAX_README_LINES = 110
MAX_LINES_TO_A_RECORD = 15
"""What a person types in: a type with marks takes more lines than a number, which took five."""
MAX_MINUTES_OF_A_STEP, WORDS_PER_MINUTE, LINES_OF_CODE_PER_MINUTE = 10, 150, 12
"""Of a slow reader, who types the programs in."""

_CODE = re.compile(r"```.*?```", re.DOTALL)
_OUTPUT = re.compile(r"```text\n(?P<output>.*?)```", re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)(?P<path>[^)#\s]+)")

EXAMPLES = page_examples()


@pytest.fixture
def namespace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, object]:
    """The namespace of a module of its own: LangGraph and Pydantic look annotations up in `sys.modules`."""
    module = ModuleType("documentation_example")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.chdir(tmp_path)
    return vars(module)


@pytest.mark.parametrize("example", [example for example in EXAMPLES if example.is_run], ids=str)
def test_an_example_runs(example: Example, namespace: dict[str, object]) -> None:
    example.run(namespace)


def test_the_readme_is_short_and_begins_with_a_record_in_fifteen_lines() -> None:
    readme = ROOT / "README.md"
    assert len(readme.read_text().splitlines()) <= MAX_README_LINES
    first = _first_example(readme)
    assert first.is_run
    assert len([line for line in first.code.splitlines() if line]) <= MAX_LINES_TO_A_RECORD


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_program_prints_what_the_page_shows(
    page: str, namespace: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    _first_example(ROOT / page).run(namespace)
    shown = _OUTPUT.search((ROOT / page).read_text())
    assert shown is not None
    assert capsys.readouterr().out == shown["output"]


def test_the_site_begins_with_the_program_of_the_readme() -> None:
    assert _first_example(ROOT / "docs/index.md").code == _first_example(ROOT / "README.md").code


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "tutorial").glob("*.md")), ids=lambda page: page.stem)
def test_a_step_of_the_tutorial_is_read_in_ten_minutes(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    lines = sum(block.count("\n") - 1 for block in _CODE.findall(text))
    minutes = len(_CODE.sub("", text).split()) / WORDS_PER_MINUTE + lines / LINES_OF_CODE_PER_MINUTE
    assert minutes <= MAX_MINUTES_OF_A_STEP


def _first_example(page: Path) -> Example:
    return next(example for example in EXAMPLES if example.page == page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_to_files_lead_somewhere(page: Path) -> None:
    links = [match["path"] for match in _LINK.finditer(page.read_text())]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("response_format", "tutorial/2-tools.md"),
        ("None", "tutorial/5-limits.md"),
        ("None", "outcomes.md"),
        ("hangs", "how-to/limits.md"),
        ("too expensive", "how-to/limits.md"),
    ],
)
def test_a_heading_has_the_words_that_a_person_in_trouble_searches_for(words: str, page: str) -> None:
    headings = re.findall(r"^##? .*", (ROOT / "docs" / page).read_text(), re.MULTILINE)
    assert [heading for heading in headings if words in heading.replace("`", "")] != []


PAGE = """
```python
x = 1
```

<!-- not run: needs a key -->
```python
x = 2
```

<!-- not run: -->

1. In a list:

   ```python
   x = 3
   if x:
       x = 4
   ```
"""


def test_only_a_reason_keeps_an_example_from_running() -> None:
    first, second, third = examples_in(PAGE, ROOT / "PAGE.md")
    assert [first.is_run, second.is_run, third.is_run] == [True, False, True]


def test_an_example_is_found_with_its_line_and_without_its_indentation() -> None:
    first, _, third = examples_in(PAGE, ROOT / "PAGE.md")
    assert (str(first), first.code) == ("PAGE.md:3", "x = 1\n")
    assert (third.line, third.code) == (16, "x = 3\nif x:\n    x = 4\n")


@pytest.mark.parametrize("code", ["assert 1 == 2", ">>> 1 + 1\n3\n"])
def test_a_wrong_example_fails(code: str, namespace: dict[str, object]) -> None:
    with pytest.raises((AssertionError, doctest.DocTestFailure)):
        Example(ROOT / "PAGE.md", 1, code, "").run(namespace)
