"""What the graphs of add-ons take, and their schemas where the keys are known when a graph is built."""

from typing import Any, NamedTuple

from langgraph.checkpoint.base import BaseCheckpointSaver
from typing_extensions import TypedDict

Checkpointer = bool | BaseCheckpointSaver[Any] | None
"""LangGraph's leaves its type open, which strict pyright reports wherever a name with it is imported."""
Keys = dict[str, object]


class GraphSchemas(NamedTuple):
    """The schemas of a graph."""

    state: type[object]
    input: type[object]
    output: type[object]


def graph_schemas(name: str, state: Keys, input: Keys, output: Keys) -> GraphSchemas:
    """Return schemas with the given keys, called ``<name>State``, ``<name>Input`` and ``<name>Output``."""
    return GraphSchemas(
        _typed_dict(f"{name}State", state), _typed_dict(f"{name}Input", input), _typed_dict(f"{name}Output", output)
    )


def _typed_dict(name: str, keys: Keys) -> type[object]:
    schema: type[object] = TypedDict(name, keys)  # type: ignore[misc]  # mypy wants literal keys
    return schema
