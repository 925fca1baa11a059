"""The strategy for models without tool calls: the model is wrapped so that it speaks the text protocol, its answer is JSON."""

from __future__ import annotations

from typing import Any

from answergraph.response_format.model_request import ModelRequest
from answergraph.response_format.schemas.schema_kinds import tool_name
from answergraph.response_format.strategies.strategy import Binding, SchemaT, Strategy


class TextProtocolStrategy(Strategy[SchemaT]):
    """Ask in the text protocol Thought / Action / Observation; the automatic strategy takes it for models without tool calls."""

    name = "react_text"

    def binding(self, request: ModelRequest[Any]) -> Binding:
        choice = {} if request.tool_choice is None else {"tool_choice": request.tool_choice}
        return Binding(request.tools, {"response_format": self._format(), **choice}, text_protocol=True)

    def request_text(self) -> str:
        return f"Write 'Final Answer:' and after it a JSON object of the schema {' or '.join(self.schema_names)}."

    def _format(self) -> dict[str, Any]:
        name = tool_name("_or_".join(self.schema_names))
        return {"type": "json_schema", "json_schema": {"name": name, "schema": dict(self.reply_schema())}}
