"""The reference lists every public name, once."""

import inspect
import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from answergraph import create_agent
from answergraph.graphs.agent.signature import DEFAULTS
from tests.test_public_names import DOORS

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
LISTED = Counter(
    name for page in REFERENCE.glob("*.md") for name in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
)


PAGE_OF = {
    entry: page for page in REFERENCE.glob("*.md") for entry in LISTED if f"::: {entry}\n" in page.read_text(encoding="utf-8")
}


def shown_below(text: str) -> set[str]:
    """Return the names whose example follows their heading; headings that follow each other share the examples below."""
    shown: set[str] = set()
    for headings, below in re.findall(r"((?:^::: \S+\n+)+)(.*?)(?=^::: |^## |\Z)", text, re.MULTILINE | re.DOTALL):
        programs = "".join(re.findall(r"```python\n(.*?)```", below, re.DOTALL))
        names = {entry.rpartition(".")[2] for entry in headings.replace(":::", "").split()}
        shown |= {name for name in names if re.search(rf"\b{name}\b", programs)}
    return shown


SHOWN_BELOW = {name for page in REFERENCE.glob("*.md") for name in shown_below(page.read_text(encoding="utf-8"))}


def named(entry: str) -> Any:
    door, _, name = entry.rpartition(".")
    return getattr(import_module(door), name)


def docstrings(value: object) -> str:
    return "".join(inspect.getdoc(each) or "" for each in (value, getattr(value, "__init__", None)))


@pytest.mark.parametrize("door", DOORS)
def test_each_public_name_is_in_the_reference(door: str) -> None:
    module = import_module(door)
    # A name that several doors show is listed at one of them; what is not ours has its own reference.
    values = {id(getattr(import_module(place), name)) for place, _, name in (entry.rpartition(".") for entry in LISTED)}
    ours = [name for name in DOORS[door] if str(getattr(getattr(module, name), "__module__", door)).startswith("answergraph")]
    assert [name for name in ours if id(getattr(module, name)) not in values] == []


ANY_VALUE = {"answer", "declared", "expected_output", "value", "options"}
"""Arguments that take a value of any type, or the arguments of another function."""


@pytest.mark.parametrize("entry", LISTED)
def test_the_signature_that_the_reference_shows_has_a_type_and_a_default_for_each_argument(entry: str) -> None:
    door, _, name = entry.rpartition(".")
    value = getattr(import_module(door), name)
    arguments = inspect.signature(value).parameters.values() if inspect.isfunction(value) else ()
    named = [each for each in arguments if each.name not in ANY_VALUE]
    assert [each.name for each in named if each.annotation in (each.empty, Any, "Any") or each.default is ...] == []


def test_create_agent_shows_the_defaults_that_it_uses() -> None:
    shown = {name: each.default for name, each in inspect.signature(create_agent).parameters.items() if each.default is not None}
    assert shown == {"model": inspect.Parameter.empty, **DEFAULTS}
    assert "inspect.signature(answergraph.create_agent)" in (REFERENCE.parent / "griffe_answergraph.py").read_text()


def test_no_name_is_listed_twice() -> None:
    assert [name for name, times in LISTED.items() if times > 1] == []


def test_each_public_name_says_what_it_is() -> None:
    found = {entry: getattr(import_module(entry.rpartition(".")[0]), entry.rpartition(".")[2]) for entry in LISTED}
    assert [entry for entry, value in found.items() if inspect.isroutine(value) and not (value.__doc__ or "").strip()] == []


@pytest.mark.parametrize("entry", LISTED)
def test_each_documented_function_has_a_text_for_each_argument(entry: str) -> None:
    value, text = named(entry), PAGE_OF[entry].read_text(encoding="utf-8")
    said = docstrings(value)
    arguments = inspect.signature(value).parameters if inspect.isroutine(value) else ()
    unsaid = [argument for argument in arguments if argument not in said and f"`{argument}" not in text]
    assert not unsaid or "the same arguments" in said, f"{entry} says nothing of {unsaid}"


@pytest.mark.parametrize("door", DOORS)
def test_each_public_name_has_an_example_in_its_docstring_or_below_its_heading(door: str) -> None:
    module = import_module(door)
    own = [name for name in DOORS[door] if "langgraph" not in str(getattr(getattr(module, name), "__module__", ""))]
    assert [name for name in own if ">>>" not in docstrings(getattr(module, name)) and name not in SHOWN_BELOW] == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("::: a.One\n\n```python\nOne()\n```\n", {"One"}),
        ("::: a.One\n\n::: a.Two\n\nText.\n\n```python\nOne(Two)\n```\n", {"One", "Two"}),
        ("::: a.One\n\n```python\nOther()\n```\n", set()),
        ("::: a.One\n\n## Later\n\n```python\nOne()\n```\n", set()),
        ("::: a.One\n\nText.\n\n::: a.Two\n\n```python\nOne(Two)\n```\n", {"Two"}),
    ],
)
def test_an_example_belongs_to_the_names_right_above_it(text: str, names: set[str]) -> None:
    assert shown_below(text) == names
