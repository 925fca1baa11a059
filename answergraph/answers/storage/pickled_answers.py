"""What a development server keeps of an answer: JSON, not the user's class.

``langgraph dev`` pickles the values of its threads, and loads a graph's file under a name that no later process can import. One
answer of a type from such a file would end the writing of all threads, or their reading at the next start.
"""

import copyreg
import warnings
from collections.abc import Iterable
from importlib.machinery import PathFinder
from typing import Any

from pydantic import BaseModel

from answergraph.answers.schemas.answer_schema import AnswerSchema


def pickle_as_json(schemas: Iterable[AnswerSchema]) -> None:
    """Let answers of types that no other process can import be pickled as JSON.

    A dataclass cannot: it would be copied as JSON too. Of one, a warning says where to put it.
    """
    for schema in schemas:
        kind = schema.declared
        if not isinstance(kind, type) or PathFinder.find_spec(kind.__module__.partition(".")[0]):
            continue
        if issubclass(kind, BaseModel):
            copyreg.pickle(kind, _reduced)
        elif schema.schema_kind == "dataclass":
            warnings.warn(
                f"{kind.__name__!r} is a dataclass in the graph's own file {kind.__module__!r}, so "
                "`langgraph dev` cannot keep its threads over a restart. Move it to a module that can be imported, or make it a "
                "pydantic model.",
                stacklevel=2,
            )


def stored(data: object) -> Any:
    """Return what was stored of an answer; pickles name this function, so it keeps its name."""
    return data


def _reduced(value: BaseModel) -> tuple[Any, tuple[Any]]:
    return stored, (value.model_dump(mode="json"),)
