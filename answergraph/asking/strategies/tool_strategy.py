"""The tool strategy: the schema is a tool, and a call of it is the answer."""

from typing import Any, overload

from typing_extensions import TypeForm

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.asking.model_request import NO_CALLS, ModelRequest
from answergraph.asking.providers.model_capabilities import names_forced_tool
from answergraph.asking.strategies.strategy import CALLS_ARE_OVER, Binding, HandleErrors, SchemaT, Strategy
from answergraph.runtime.explained_arguments import explains_arguments


@explains_arguments("ToolStrategy(YourType)")
class ToolStrategy(Strategy[SchemaT]):
    """Ask for the answer as a tool call; works with every model that calls tools.

    Example:
        >>> from pydantic import BaseModel
        >>> class Verdict(BaseModel):
        ...     passed: bool
        >>> ToolStrategy(Verdict).schema_names
        ['Verdict']
    """

    name = "tool"
    corrects_briefly = False
    names_form = True
    """Whether corrections name the answer tool; in ``auto`` the next request may have none."""

    # The answer type follows from the schema; for a JSON Schema it is ``dict``.
    @overload
    def __init__(
        self: "ToolStrategy[dict[str, Any]]",
        schema: dict[str, Any],
        *,
        tool_message_content: str | None = ...,
        handle_errors: HandleErrors = ...,
        tool_choice: Any = ...,
    ) -> None: ...
    @overload
    def __init__(
        self,
        schema: TypeForm[SchemaT],
        *,
        tool_message_content: str | None = ...,
        handle_errors: HandleErrors = ...,
        tool_choice: Any = ...,
    ) -> None: ...
    def __init__(
        self,
        schema: object,
        *,
        tool_message_content: str | None = None,
        handle_errors: HandleErrors = True,
        tool_choice: object = "any",
    ) -> None:
        """Set the type of the answer.

        Args:
            schema: A type of answer, as ``create_agent`` accepts it. Each alternative of a union becomes an
                answer tool of its own.
            tool_message_content: The receipt for an accepted answer; LangChain's text by default.
            handle_errors: How an invalid answer is handled, as in LangChain.
            tool_choice: The tool choice of the request: ``"any"`` forces a call, ``"auto"`` does not.

        Raises:
            AgentSpecError: If the schema is not supported.
        """
        super().__init__(schema, handle_errors=handle_errors, tool_message_content=tool_message_content)
        self.tool_choice = tool_choice

    @property
    def schema_specs(self) -> list[AnswerSchema]:
        """One per answer tool, with LangChain's ``name``, ``description``, ``schema``, ``schema_kind`` and ``json_schema``."""
        return list(self.schemas)

    def binding(self, request: ModelRequest) -> Binding:
        """Bind the answer tools after the user's; a request's own tool choice wins."""
        tools = [*request.tools, *(schema.tool for schema in self.schemas)]
        if request.tool_choice is NO_CALLS:
            # No tool choice can exclude the user's tools and allow several answer tools.
            is_forced = self.tools_off and self.tool_choice == "any"
            prompt = None if is_forced else f"{CALLS_ARE_OVER} {self.request_text()}"
            return Binding(tools, {"tool_choice": self.tool_choice}, prompt=prompt)
        choice = self.tool_choice if request.tool_choice is None else request.tool_choice
        return Binding(tools, {"tool_choice": choice})

    def to_send(self, request: ModelRequest) -> ModelRequest:
        """Force the answer tool by name if it is the only callable tool and the client supports that."""
        is_off = self.tools_off or request.tool_choice is NO_CALLS
        if request.tools:
            is_one = is_off
        else:
            request = request.override(tool_choice=None) if is_off else request
            is_one = len(self.all_schemas) > 1 and request.tool_choice is None
        if is_one and len(self.schemas) == 1 and self.tool_choice == "any" and names_forced_tool(request.model):
            return request.override(tool_choice=self.schema_names[0])
        return request.override(tool_choice=NO_CALLS) if is_off and request.tools else request

    def request_text(self) -> str:
        return f"Give your answer by calling the tool {' or '.join(self.schema_names)}." if self.names_form else self.hands_over
