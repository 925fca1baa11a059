"""Response formats made at run time: by a function of the run's state and context."""

import json
from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any

from langgraph.runtime import Runtime

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.schema_kinds import is_schema
from answergraph.asking.strategies.declared_format import DeclaredFormat
from answergraph.runtime.argument_checks import check_function, shown
from answergraph.runtime.errors import AgentSpecError, ResponseFormatError
from answergraph.runtime.recent_cache import RecentCache
from answergraph.state.agent_state import RunState
from answergraph.state.turn import Turn

MakeFormat = Callable[[Mapping[str, Any], Runtime[Any]], object]
"""A function of state and runtime, not async, that returns the format of a call, or ``None`` for text."""

CheckSchemas = Callable[[tuple[AnswerSchema, ...]], None] | None


class RunTimeFormat:
    """A response format made by a function of state and context for each model call."""

    declared: frozenset[str] = frozenset()
    """Unknown while building."""
    schemas: tuple[AnswerSchema, ...] = ()
    reads_answers = True

    def __init__(
        self, make: MakeFormat, tool_names: Collection[str] = (), more: tuple[AnswerSchema, ...] = (), check: CheckSchemas = None
    ) -> None:
        self._make: MakeFormat = check_function(f"response_format={shown(make)}", make, "state", "runtime")
        self._check = check
        self._tool_names = frozenset(tool_names)
        self._more = more
        self._known: RecentCache[DeclaredFormat] = RecentCache()
        self._by_token: RecentCache[DeclaredFormat] = RecentCache()

    def check(self, model: object) -> None:
        """Do nothing: there is no format to check yet."""

    def for_call(self, state: RunState, runtime: Runtime[Any]) -> DeclaredFormat:
        """Return the format of the next call; raise ``ResponseFormatError`` if it cannot be used."""
        response_format = self._make(state, runtime)
        key = _key(response_format)
        declared = self._known.get(key) or self._known.put(key, self._declare(response_format), response_format)
        return self._by_token.put(declared.token, declared)

    def for_reply(self, state: RunState, runtime: Runtime[Any]) -> DeclaredFormat:
        """Return the format of the last call; another process makes it again from the state before that call.

        Raise ``ResponseFormatError`` if the format made again lacks a requested schema.
        """
        turn = Turn(state)
        record = turn.request
        if record is None or (not turn.running and turn.is_over):
            return self.for_call(state, runtime)
        known = self._by_token.get(record["key"].partition(":")[0])
        if known is not None:
            return known
        before_reply = turn.run_ledger(begins_run=False)["last_reply_index"]
        declared = self.for_call({**state, "messages": state["messages"][:before_reply]}, runtime)
        if not declared.declared.issuperset(record["schemas"]):
            raise ResponseFormatError(
                f"The model was offered {record['schemas']!r}, but the format now made for the same call has "
                f"{sorted(declared.declared)!r}: compute it from the state and the context only.",
                declared.response_format,
            )
        return declared

    def _declare(self, made: object) -> DeclaredFormat:
        try:
            declared = DeclaredFormat(made, self._tool_names, self._more, at_run_time=True)
            if self._check is not None:
                self._check(declared.schemas)
        except ResponseFormatError:
            raise
        except AgentSpecError as error:
            raise ResponseFormatError(f"The response format made for this run cannot be used: {error}", made) from error
        return declared


def declared_format(
    response_format: object, tool_names: Collection[str] = (), more: tuple[AnswerSchema, ...] = (), check: CheckSchemas = None
) -> DeclaredFormat | RunTimeFormat:
    """Return the response format of an agent; a callable that is neither a schema nor a strategy makes it at run time.

    ``check`` raises ``AgentSpecError`` for schemas that cannot be used; it is called for the declared schemas, or for those of
    each format made at run time. ``AgentSpecError`` is also raised if the format is not supported, or a schema has the name of a
    tool.
    """
    is_form = type(response_format).__module__ in {"typing", "typing_extensions"}  # such as ``Never``, which Python can call
    if callable(response_format) and not (is_form or is_schema(response_format) or hasattr(response_format, "schema")):
        return RunTimeFormat(response_format, tool_names, more, check)
    declared = DeclaredFormat(response_format, tool_names, more)
    if check is not None:
        check(declared.schemas)
    return declared


def _key(made: object) -> Hashable:
    if isinstance(made, dict):
        # The order counts, because the model sees the fields in this order.
        return "json", json.dumps(made, default=repr)
    try:
        hash(made)
    except TypeError:
        return "id", id(made)
    return type(made), made
