"""Calls the wrapped chat or text model, and returns its text as a message with usage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManager,
    AsyncCallbackManagerForLLMRun,
    CallbackManager,
    CallbackManagerForLLMRun,
    Callbacks,
)
from langchain_core.language_models import BaseLLM
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import LLMResult
from langchain_core.prompt_values import ChatPromptValue, PromptValue, StringPromptValue
from langchain_core.runnables import Runnable
from langgraph.constants import TAG_NOSTREAM

from answergraph.asking.providers.openai_requests import with_plain_requests

_TAGS = [TAG_NOSTREAM]
"""Token streams show the parsed reply, not the raw one."""

_INPUT_TOKENS = ("prompt_tokens", "input_tokens", "prompt_eval_count")
_OUTPUT_TOKENS = ("completion_tokens", "output_tokens", "eval_count")


@dataclass(frozen=True)
class TextModelCall:
    """The effect of one request to the wrapped model."""

    llm: Runnable[Any, Any]
    prompt: str | Sequence[BaseMessage]
    stop: Sequence[str]
    settings: Mapping[str, Any]
    callbacks: Callbacks

    def perform(self) -> AIMessage:
        if isinstance(self.llm, BaseLLM):
            # ``invoke`` of a text model drops the usage.
            return _generated(self.llm.generate_prompt(*self._generation(), tags=_TAGS, **self.settings))
        return _received(self._bound().invoke(self._input()))

    async def aperform(self) -> AIMessage:
        if isinstance(self.llm, BaseLLM):
            return _generated(await self.llm.agenerate_prompt(*self._generation(), tags=_TAGS, **self.settings))
        return _received(await self._bound().ainvoke(self._input()))

    def _bound(self) -> Runnable[Any, Any]:
        stop = {"stop": list(self.stop)} if self.stop else {}
        bound = self.llm.bind(**stop, **self.settings).with_config(callbacks=self.callbacks, tags=_TAGS)
        plain: Runnable[Any, Any] = with_plain_requests(bound)
        return plain

    def _input(self) -> object:
        return self.prompt if isinstance(self.prompt, str) else list(self.prompt)

    def _generation(self) -> tuple[list[PromptValue], list[str], Callbacks]:
        content = self.prompt
        prompt = StringPromptValue(text=content) if isinstance(content, str) else ChatPromptValue(messages=list(content))
        return [prompt], list(self.stop), self.callbacks


def callbacks_below(
    run: CallbackManagerForLLMRun | AsyncCallbackManagerForLLMRun | None,
    manager: type[CallbackManager] | type[AsyncCallbackManager],
) -> Callbacks:
    """Return callbacks that trace the request as part of the outer model's run."""
    if run is None:
        return None
    below = manager(handlers=[], parent_run_id=run.run_id)
    below.set_handlers(run.inheritable_handlers)
    below.add_tags(run.inheritable_tags)
    below.add_metadata(run.inheritable_metadata)
    return below


def _received(reply: object) -> AIMessage:
    return reply if isinstance(reply, AIMessage) else AIMessage(str(reply))


def _generated(result: LLMResult) -> AIMessage:
    generation = result.generations[0][0]
    info = dict(generation.generation_info or {})
    return AIMessage(
        generation.text,
        response_metadata=info,
        usage_metadata=_usage((result.llm_output or {}).get("token_usage") or info),
    )


def _usage(counts: Mapping[str, Any]) -> UsageMetadata | None:
    inputs, outputs = (next((counts[name] for name in names if counts.get(name)), 0) for names in (_INPUT_TOKENS, _OUTPUT_TOKENS))
    if not inputs and not outputs:
        return None
    return UsageMetadata(input_tokens=inputs, output_tokens=outputs, total_tokens=inputs + outputs)
