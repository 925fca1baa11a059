"""The prompted strategy: the prompt has the schema, the answer is JSON in the text."""

import json
from dataclasses import replace
from typing import Any, Literal, overload

from typing_extensions import TypeForm

from answergraph.answers.schemas.json_envelope import without
from answergraph.answers.schemas.schema_example import needs_schema
from answergraph.asking.model_request import NO_CALLS, ModelRequest
from answergraph.asking.strategies.provider_strategy import native_format_binding, without_refused_tools
from answergraph.asking.strategies.strategy import Binding, HandleErrors, SchemaT, Strategy
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import explains_arguments

EXAMPLE_FORM = "{when} with ONLY a valid JSON object like this one, your values in place of <...>:\n{example}"
"""Ends the prompt, because small models repeat a schema but fill in an example."""
SCHEMA_TOO = "{example}\nIt must fit this JSON Schema: {schema}"
"""For schemas that an example cannot express."""

IMPORTANT_FORM = """---
IMPORTANT: {when} respond with ONLY a valid JSON object matching this schema. \
No other text, no markdown code blocks, no explanation.
```json
{schema}
```"""
"""The same with the schema, in the words of TAKT's prompt."""


@explains_arguments("PromptedStrategy(YourType)")
class PromptedStrategy(Strategy[SchemaT]):
    """Ask for the answer in the prompt, with an example made from the schema; works with every model that can write JSON.

    The instructions end the prompt of each call and are never stored in the conversation.
    """

    name = "prompted"
    answers_in_text = True

    # The answer type follows from the schema; for a JSON Schema it is ``dict``.
    @overload
    def __init__(
        self: "PromptedStrategy[dict[str, Any]]",
        schema: dict[str, Any],
        *,
        json_mode: bool = ...,
        show: Literal["example", "schema"] = ...,
        handle_errors: HandleErrors = ...,
    ) -> None: ...
    @overload
    def __init__(
        self,
        schema: TypeForm[SchemaT],
        *,
        json_mode: bool = ...,
        show: Literal["example", "schema"] = ...,
        handle_errors: HandleErrors = ...,
    ) -> None: ...
    def __init__(
        self,
        schema: object,
        *,
        json_mode: bool = False,
        show: Literal["example", "schema"] = "example",
        handle_errors: HandleErrors = True,
    ) -> None:
        """Set the type of the answer.

        Args:
            schema: A type of answer, as ``create_agent`` accepts it.
            json_mode: Whether the request also sets the provider's ``json_object`` mode.
            show: With ``"example"`` the model sees an example made from the schema, and the schema too if that says more. With
                ``"schema"`` it sees the schema in the words of TAKT's prompt (``IMPORTANT: You MUST respond with ONLY …``).
            handle_errors: How an invalid answer is handled, as in LangChain.

        Raises:
            AgentSpecError: If the schema is not supported.
        """
        super().__init__(schema, handle_errors=handle_errors)
        if show not in ("example", "schema"):
            raise AgentSpecError(f'show={show!r} is not supported; write show="example" or show="schema".')
        self.json_mode = json_mode
        self.show = show

    def binding(self, request: ModelRequest) -> Binding:
        binding = native_format_binding(request, {"type": "json_object"}) if self.json_mode else Binding(request.tools)
        settings = {"tool_choice": request.tool_choice, **binding.settings}
        has_tools = bool(request.tools) and request.tool_choice is not NO_CALLS
        prompt = self.derived.get_or_make(lambda: self._prompt(has_tools), key=("prompt", has_tools))
        return replace(binding, settings=settings, prompt=prompt)

    def to_send(self, request: ModelRequest) -> ModelRequest:
        request = super().to_send(request)
        return without_refused_tools(request, self) if self.json_mode else request

    def request_text(self) -> str:
        return "Answer with the JSON object that was asked for, and with no other text."

    def _prompt(self, has_tools: bool) -> str:
        if self.show == "schema":
            when = "When you need no further tool, you MUST" if has_tools else "You MUST"
            return IMPORTANT_FORM.format(when=when, schema=json.dumps(self.reply_schema(), ensure_ascii=False))
        (example, is_whole, _), schema = self.whole_example(), self.reply_schema()
        if not is_whole or needs_schema(schema):
            example = SCHEMA_TOO.format(example=example, schema=json.dumps(without("title", schema), ensure_ascii=False))
        return EXAMPLE_FORM.format(when="When you need no further tool, answer" if has_tools else "Answer", example=example)
