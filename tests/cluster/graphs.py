"""A graph whose tools write a record outside the graph. A server loads this file by its path: factories only."""

from functools import cache
from typing import Any

from answergraph import create_agent
from answergraph.graphs.add_ons.calculator.calculator import Calculation
from answergraph.middleware import GroundedAnswer
from tests.cluster.ledger import LEDGER_TOOLS


@cache
def bookkeeper() -> Any:
    """Return a calculator that enters every operation in the ledger."""
    return create_agent("offline", LEDGER_TOOLS, response_format=Calculation, middleware=[GroundedAnswer()], name="bookkeeper")
