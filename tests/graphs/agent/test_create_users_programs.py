"""Programs from the documentation of LangChain's agents give the same results with both packages."""

from typing import Any

import langchain.agents
import pytest

import answergraph
from tests.graphs.agent.moving_over.users_programs import USERS_PROGRAMS


def seen(value: Any) -> Any:
    """Return the result of a program without the ids, which differ in each run."""
    if isinstance(value, dict):
        return {key: seen(part) for key, part in value.items() if key not in ("id", "outcome")}
    if isinstance(value, list | tuple):
        return [seen(part) for part in value]
    if hasattr(value, "model_dump"):
        return type(value).__name__, seen(value.model_dump())
    return value.value if type(value).__name__ == "Interrupt" else value


@pytest.mark.parametrize("program", USERS_PROGRAMS)
def test_a_users_program_comes_out_the_same(run: Any, program: Any) -> None:
    ours = seen(program(run, answergraph.create_agent))
    assert ours == seen(program(run, langchain.agents.create_agent))
    assert ours
