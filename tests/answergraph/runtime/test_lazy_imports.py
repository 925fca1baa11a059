"""An agent imports only what it needs; all other names are imported on first use."""

import subprocess
import sys

import pytest

import answergraph.nodes
from answergraph.runtime.lazy_imports import imported_later

NOT_NEEDED = [
    "yaml",
    "re2",
    "defusedxml",
    "openai",
    "jsonschema_rs",
    "answergraph.graphs.add_ons.triage",
    "answergraph.graphs.add_ons.workflow",
]


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120)
    return done.stdout.strip()


@pytest.mark.program
def test_importing_the_agent_imports_no_other_graph_and_nothing_only_they_need() -> None:
    code = f"import sys; from answergraph import create_agent; print([name for name in {NOT_NEEDED!r} if name in sys.modules])"
    assert run_python(code) == "[]"


@pytest.mark.program
def test_dir_lists_the_public_names_before_they_are_imported_and_a_star_import_gives_every_one() -> None:
    code = """
from importlib import import_module
doors = [import_module(name) for name in ("answergraph", "answergraph.graphs", "answergraph.middleware")]
print([name for door in doors for name in door.__all__ if name not in dir(door)])
for door in doors:
    names = {}
    exec(f"from {door.__name__} import *", names)
    print([name for name in door.__all__ if name not in names])
"""
    assert run_python(code) == "[]\n[]\n[]\n[]"


def test_a_name_that_is_nowhere_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'answergraph[.]nodes' has no attribute 'nothing'"):
        imported_later(answergraph.nodes.__name__)[0]("nothing")
