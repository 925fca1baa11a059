"""One model call in a run with time limits: what had streamed when its time was up is its reply."""

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from time import monotonic
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk

from answergraph.runtime.steps import Effect, Step
from answergraph.runtime.time_limits import NOT_ENDED, InTime, NotInTimeError, TimedVisit
from answergraph.state.stop_reasons import OUT_OF_TIME

SECONDS_TO_READ = 0.05
"""Kept of a visit's time for reading what had streamed."""


def call_in_time(
    call: Callable[[Sequence[BaseCallbackHandler]], Effect],
    listeners: Sequence[BaseCallbackHandler],
    model: Any,
    timed: TimedVisit,
) -> Step[Any]:
    """Call the model; if the call does not end in time, return what had streamed."""
    clock, began = timed.clock, monotonic()
    # A client that does not count the tokens of a streamed reply is not made to stream.
    so_far = ReplySoFar(streams=getattr(model, "stream_usage", None) is not False)
    seconds = min(clock.per_model_call, clock.left, timed.ends - SECONDS_TO_READ - began)
    try:
        return (yield InTime(call([*listeners, so_far]), seconds, blocks=_only_blocks(model)))
    except NotInTimeError:
        return so_far.cut_reply()
    finally:
        so_far.is_over = True
        clock.note_model_call(monotonic() - began)


class ReplySoFar(BaseCallbackHandler):
    """Keeps what a reply has streamed; with ``streams``, an invoked model streams, as for LangGraph's ``messages``."""

    run_inline = True
    raise_error = True
    is_over = False
    """Whether nobody waits for the reply any more: then its next part ends the stream, which would be paid for to its end."""

    def __init__(self, *, streams: bool) -> None:
        self._chunks: list[AIMessageChunk] = []
        if streams:
            self.tap_output_iter = self.tap_output_aiter = lambda run_id, output: output

    def on_llm_new_token(self, token: object, *, chunk: object = None, **kwargs: object) -> None:
        if self.is_over:
            raise NotInTimeError(NOT_ENDED)
        if isinstance(chunk, ChatGenerationChunk) and isinstance(chunk.message, AIMessageChunk):
            self._chunks.append(chunk.message)

    def cut_reply(self) -> AIMessage:
        """Return the reply as far as it came: its complete calls, else its text, marked as cut.

        Raises:
            NotInTimeError: If nothing came.
        """
        # The end mark makes LangChain parse the calls strictly: an open call is not a complete one.
        chunks = [*self._chunks, AIMessageChunk(content="", chunk_position="last")]
        reply: AIMessageChunk = reduce(operator.add, chunks)
        if not reply.tool_calls and not reply.text.strip():
            raise NotInTimeError("The model call did not end in time.")
        metadata = {**reply.response_metadata, **({} if reply.tool_calls else {"finish_reason": OUT_OF_TIME})}
        return AIMessage(
            reply.text, id=reply.id, tool_calls=reply.tool_calls, response_metadata=metadata, usage_metadata=reply.usage_metadata
        )


def _only_blocks(model: Any) -> bool:
    """Return whether a chat model has no method of its own for awaiting."""
    own = [kind for kind in type(model).__mro__ if kind not in BaseChatModel.__mro__]
    return isinstance(model, BaseChatModel) and not any({"_agenerate", "_astream", "ainvoke"} & vars(kind).keys() for kind in own)
