"""The response format passed by a caller with the run."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from langgraph.runtime import Runtime

from answergraph.answers.untrusted.untrusted_schema import UntrustedSchemaError, check_untrusted_schema, schema_text
from answergraph.runtime.errors import AgentSpecError, ResponseFormatError
from answergraph.runtime.explained_arguments import explains_arguments
from answergraph.runtime.recent_cache import RecentCache

_LIKE_THE_KEY = 0.8
"""Minimum similarity of a misspelt key, of 1."""


@explains_arguments('FromContext("response_format")')
class FromContext:
    """A response format that the caller passes with each run, as a JSON Schema in the run's context.

    With it as ``response_format``, one deployed graph answers in any shape. The schema is checked before the model is called: it
    must be valid and self-contained, and limited in size, depth and cost.

    Example:
        >>> from answergraph import create_agent
        >>> from answergraph.testing import ScriptedChatModel
        >>> agent = create_agent(ScriptedChatModel(replies=['{"n": 3}']), response_format=FromContext(), context_schema=dict)
        >>> schema = {"title": "Number", "type": "object", "properties": {"n": {"type": "integer"}}}
        >>> agent.invoke({"messages": ["How many?"]}, context={"response_format": schema})["structured_response"]
        {'n': 3}
    """

    def __init__(self, key: str = "response_format", *, default: object = None) -> None:
        """Read the schema from the run's context.

        Args:
            key: The context's key or attribute.
            default: The response format of a run whose context has none. With ``None``, such a run answers with a text: its
                outcome is ``answered``, without a schema.
        """
        if not isinstance(key, str):
            raise AgentSpecError(f"FromContext({key!r}) names no key of the context; write FromContext('response_format').")
        self.key = key
        self.default = default
        self._checked: RecentCache[dict[str, Any]] = RecentCache()

    def __call__(self, state: Mapping[str, object], runtime: Runtime[Any]) -> Any:
        """Return the run's schema; raise ``ResponseFormatError`` with the context's key if it cannot be used."""
        context: object = runtime.context
        brought = context.get(self.key) if isinstance(context, Mapping) else getattr(context, self.key, None)
        if brought is None:
            near = get_close_matches(self.key, map(str, context), 1, _LIKE_THE_KEY) if isinstance(context, Mapping) else ()
            if near and near[0] != self.key:
                raise ResponseFormatError(f"The context has {near[0]!r} and no {self.key!r}, which is read here.", context)
            return self.default
        try:
            # By content: a caller may change a dict between two runs.
            return self._checked.get_or_make(lambda: check_untrusted_schema(brought), key=schema_text(brought))
        except UntrustedSchemaError as error:
            raise ResponseFormatError(f"The context's {self.key!r} cannot be used: {error}", brought) from error
