"""``python -m benchmarks.repair``: the output of a model that repairs an answer of 200 fields, over a server that counts it.

The played model writes the answer with 1, 5 or 20 wrong fields, then a patch if it is asked for one, else the whole answer.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, Literal

from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr

from answergraph import ProviderStrategy, ToolStrategy, create_agent
from tests.openai_server import OpenAIServer, Reply, ToolCall, calls, says

WRONG = (1, 5, 20)
MOST = {1: 1 / 10, 5: 1 / 5, 20: 1 / 2}
"""The largest share of the whole answer that a patch may cost, by the number of wrong fields."""


class Position(BaseModel):
    """A position of an invoice."""

    article: str
    unit: Literal["piece", "kg"]
    pieces: int
    price: float


class Invoice(BaseModel):
    """An invoice of 200 fields."""

    positions: list[Position]


RIGHT = {
    "positions": [
        {"article": f"article number {place}", "unit": "piece", "pieces": place, "price": place + 0.5} for place in range(50)
    ]
}


class PlayedModel:
    """Writes an answer with wrong fields, then what it is asked for; counts the characters of what follows the first reply."""

    def __init__(self, wrong: int, *, by_tool: bool) -> None:
        """Set the number of wrong fields."""
        self.wrong = [place * 50 // wrong for place in range(wrong)]
        self.by_tool = by_tool
        self.requests = 0
        self.written = 0

    def reply(self, body: Mapping[str, Any]) -> Reply:
        """Return the reply to a request."""
        self.requests += 1
        if self.requests == 1:
            positions = [
                {**position, "pieces": "many"} if place in self.wrong else position
                for place, position in enumerate(RIGHT["positions"])
            ]
            return self._written({"positions": positions})
        patch = [{"path": f"positions[{place}].pieces", "value": place} for place in self.wrong]
        answer = {"changes": patch} if '"changes"' in json.dumps([body.get("tools"), body.get("response_format")]) else RIGHT
        self.written += len(json.dumps(answer))
        return self._written(answer)

    def _written(self, answer: Mapping[str, Any]) -> Reply:
        return calls(ToolCall("Invoice", answer)) if self.by_tool else says(json.dumps(answer))


def output_of(wrong: int, repair: Literal["auto", "whole"], *, by_tool: bool) -> int:
    """Return the characters that the model writes after its first answer."""
    played = PlayedModel(wrong, by_tool=by_tool)
    with OpenAIServer(played.reply) as server:
        model = ChatOpenAI(model="gpt-4o-mini", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)
        strategy = ToolStrategy(Invoice) if by_tool else ProviderStrategy(Invoice)
        result = create_agent(model, response_format=strategy, repair=repair).invoke({"messages": ["Read it."]})
    assert result["structured_response"] == Invoice.model_validate(RIGHT), result["outcome"]
    assert played.requests == 2
    return played.written


def main() -> None:
    """Print the table of ``docs/strategies.md``."""
    sys.stdout.write("| strategy | wrong fields of 200 | whole answer | patch | share |\n|---|---|---|---|---|\n")
    for by_tool in (True, False):
        for wrong in WRONG:
            whole, patch = (output_of(wrong, repair, by_tool=by_tool) for repair in ("whole", "auto"))
            name = "`ToolStrategy`" if by_tool else "`ProviderStrategy`"
            sys.stdout.write(f"| {name} | {wrong} | {whole:,} | {patch:,} | {patch / whole:.1%} |\n")
            assert patch / whole <= MOST[wrong], "the repair costs more than it may"


if __name__ == "__main__":
    main()
