"""External tool calls: the run ends, and resumes with their results."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.types import Command
from pydantic import BaseModel

from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.state.agent_state import RunState
from answergraph.state.ledger import LEDGER
from answergraph.state.messages import calls_taken_out
from answergraph.state.own_keys import updates_in, written_messages
from answergraph.state.turn import Turn, as_pending


class ExternalTool(BaseTool):
    """A tool with a description and no function."""

    def _run(self, **_: object) -> object:
        raise AgentSpecError(f"{self.name!r} is an external tool: an agent of answergraph ends its run when it is called.")


def external_tool(
    tool: str | BaseTool | Callable[..., object] | Mapping[str, Any],
    description: str = "",
    parameters: type[BaseModel] | Mapping[str, object] | None = None,
) -> BaseTool:
    """Make a tool that is executed elsewhere: in a browser, by another service, or later.

    When the model calls it, the run ends with status ``deferred`` once the ordinary tools called beside it are done, and
    ``outcome["pending"]`` lists the waiting calls. Send their tool messages on the same thread, and the run resumes with
    its attempts and limits.

    Args:
        tool: A function, a tool or a function described by a ``dict``: its name, description and arguments are taken, and it is
            never called. Or the tool's name.
        description: With a name: what the tool is for, as shown to the model.
        parameters: With a name: the arguments, as a Pydantic model or a JSON Schema; ``None`` for none.

    Returns:
        The tool, for the ``tools`` of an agent or of a middleware.

    Raises:
        AgentSpecError: If there is no description, the parameters are neither a model nor a JSON Schema of an object, or a tool
            that has its own gets another.

    Example:
        >>> @external_tool
        ... def pick_colour(shade: str) -> str:
        ...     '''Lets the user pick a colour.'''
        >>> pick_colour.name, list(pick_colour.args)
        ('pick_colour', ['shade'])
        >>> external_tool("confirm", "Ask the user to confirm.").name
        'confirm'
    """
    if not isinstance(tool, str):
        if description or parameters is not None:
            raise AgentSpecError(
                f"external_tool({shown(tool)}, …): the description and the parameters are its own; leave them out."
            )
        return _described(tool)
    schema = {"type": "object", "properties": {}} if parameters is None else parameters
    is_model = isinstance(schema, type) and issubclass(schema, BaseModel)
    if not description or not (is_model or (isinstance(schema, Mapping) and schema.get("type") == "object")):
        raise AgentSpecError(
            f"external_tool({tool!r}, {description!r}, {parameters!r}): give a description, and the parameters as a Pydantic "
            "model or as a JSON Schema of an object: {'type': 'object', 'properties': {…}}."
        )
    return ExternalTool(name=tool, description=description, args_schema=schema if isinstance(schema, type) else dict(schema))


def _described(tool: BaseTool | Callable[..., object] | Mapping[str, Any]) -> BaseTool:
    """Return the external tool that the model sees as this one."""
    try:
        function = convert_to_openai_tool(dict(tool) if isinstance(tool, Mapping) else tool)["function"]
    except (ValueError, TypeError, KeyError) as error:  # the last: a tool that the provider runs
        raise AgentSpecError(
            f"external_tool({shown(tool)}): give a function with a docstring, a tool, or a name and a description."
        ) from error
    return external_tool(function["name"], function.get("description", ""), function.get("parameters"))


def described_name(description: Mapping[str, Any]) -> str | None:
    """Return the name of a tool described as a function by a ``dict``; ``None`` for a tool that the provider runs."""
    function = description.get("function", description) if description.get("type") in ("function", None) else {}
    is_function = "parameters" in function or "input_schema" in function or description.get("type") == "function"
    return function.get("name") if is_function else None


def noting_calls_taken_out(before: Sequence[ToolCall], state: RunState, update: object) -> Any:
    """Add to a hook's update a note of the calls it removed from the last reply."""
    turn = Turn(state)
    ledger = turn.ledger
    if not before or turn.reply is None or ledger is None:
        return update
    if not (calls := calls_taken_out(turn.reply, before, written_messages(update))):
        return update
    note: Command[str] = Command(update={LEDGER: {**ledger, "taken_out": [*ledger.get("taken_out", []), *as_pending(calls)]}})
    return [*updates_in(update), note]
