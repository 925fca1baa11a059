"""Answers that a development server pickles, of types that no other process can import."""

import copy
import pickle
from dataclasses import make_dataclass
from typing import Any

import pytest
from pydantic import create_model

from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.answers.storage.pickled_answers import pickle_as_json

GRAPHS_FILE = "__a_graphs_own_file"


def model(module: str) -> Any:
    return create_model("Finding", __module__=module, lines=(list[int], ...))


def test_an_answer_of_a_type_in_a_graphs_file_is_pickled_as_json_and_copied_as_it_is() -> None:
    kind = model(GRAPHS_FILE)
    pickle_as_json(answer_schemas(kind))
    answer = kind(lines=[7])
    assert pickle.loads(pickle.dumps({"answer": answer})) == {"answer": {"lines": [7]}}
    assert copy.deepcopy(answer) == copy.copy(answer) == answer
    assert type(copy.deepcopy(answer)) is kind


def test_an_answer_of_a_type_that_can_be_imported_is_pickled_as_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = model(__name__)
    monkeypatch.setitem(globals(), "Finding", kind)
    pickle_as_json(answer_schemas(kind))
    assert type(pickle.loads(pickle.dumps(kind(lines=[7])))) is kind


def test_a_dataclass_in_a_graphs_file_is_warned_of_while_building() -> None:
    kind = make_dataclass("Finding", [("line", int)])
    kind.__module__ = GRAPHS_FILE
    with pytest.warns(UserWarning, match="Move it to a module that can be imported"):
        pickle_as_json(answer_schemas(kind))
