"""The rows of docs/endings.md end with a bare schema as the page says."""

from collections.abc import Callable
from typing import Any

import pytest

from answergraph import create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import QUESTION, Verdict
from tests.suite.tools import search
from tests.test_outcomes_page import ROWS, Row

TWICE = {
    "the same invalid answer twice",
    "the same valid answer, rejected twice by `check_answer`",
    "prose twice",
    "an echo of the schema",
}
"""The rows after which a bare schema is asked for with the next strategies."""


@pytest.mark.parametrize("row", [row for row in ROWS if "response_format" not in row.options], ids=str)
def test_a_bare_schema_ends_as_the_page_says(run: Callable[..., Any], row: Row) -> None:
    script = [*row.script, *[row.script[-1]] * 4]
    model = ScriptedChatModel(replies=[reply if isinstance(reply, str) else reply.model_copy() for reply in script])
    options = {"response_format": Verdict, "tools": [search], **row.options}
    result = run(create_agent(model, **options), QUESTION)
    assert (result["outcome"]["status"], len(model.requests)) == (row.status, 4 if row.situation in TWICE else row.calls)
