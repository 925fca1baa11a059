"""Plays a tape in the place of models and tools."""

import json
import threading
from collections.abc import Collection, Mapping
from typing import Any, Literal

from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata
from langgraph.errors import GraphInterrupt
from langgraph.types import interrupt

from answergraph.models.in_process.scripted_model import ScriptedChatModel
from answergraph.runtime.argument_checks import tool_names
from answergraph.runtime.steps import Call, Effect, Invoke
from answergraph.tapes.differences import Difference, TapeMismatch, first_difference
from answergraph.tapes.redaction import is_same
from answergraph.tapes.tape import Tape
from answergraph.tapes.tape_json import from_json, recorded_error, request_of, to_json

Match = Literal["exact", "order"]


class Player:
    """Plays a tape: the replies of models, and the results of tools but for those that run live."""

    def __init__(self, tape: Tape, match: Match, live_tools: Collection[str] = ()) -> None:
        self.difference: Difference | None = None
        """The first request that differs, and was answered all the same."""
        self.calls = 0
        """The number of model calls so far."""
        self._match, self._live = match, frozenset(tool_names("live_tools", live_tools))
        self._lock = threading.Lock()
        replies = {record["to"]: record for record in tape.records if record["kind"] == "reply" and "to" in record}
        answered = [(request, replies[number]) for number, request in enumerate(tape.requests()) if number in replies]
        # A tape of a thread has replies alone.
        alone = [(None, record) for record in tape.records if record["kind"] == "reply" and "to" not in record]
        self._replies: list[tuple[dict[str, object] | None, dict[str, object]]] = [*answered, *alone]
        self._tools = [record for record in tape.records if record["kind"] == "tool"]

    def model_call(self, call: Invoke) -> Effect:
        """Return the recorded reply as the call of a model.

        Raises:
            TapeMismatch: If the request differs, or the tape holds no further reply.
        """
        request = request_of(call)
        with self._lock:
            self.calls += 1
            record = self._reply_to(request)
        if "error" in record:
            raise recorded_error(record["error"])
        reply: AIMessage = from_json(record["message"])
        # Without usage, the scripted model would estimate it.
        usage = reply.usage_metadata or UsageMetadata(input_tokens=0, output_tokens=0, total_tokens=0)
        model = ScriptedChatModel(replies=[reply.model_copy(update={"usage_metadata": usage})])
        return Invoke(model, call.input, call.listeners)

    def tool_call(self, call: Mapping[str, object], effect: Effect) -> Effect:
        """Return the recorded result; a tool that is live, or that asked models, runs.

        Raises:
            TapeMismatch: If the tape holds no result for the call.
        """
        if call["name"] in self._live:
            return effect
        with self._lock:
            record = self._result_of(call)
        if record["asks_models"]:
            return effect

        def result() -> Any:
            try:
                for value in record["interrupts"]:
                    interrupt(value)
            except GraphInterrupt:
                self._tools.insert(0, record)  # the call comes again when the person has answered
                raise
            if "error" in record:
                raise recorded_error(record["error"])
            message = from_json(record["result"])
            # The reply may have drawn another id for its call.
            is_message = hasattr(message, "tool_call_id")
            return message.model_copy(update={"tool_call_id": str(call["id"])}) if is_message else message

        async def awaited() -> Any:
            return result()

        return Call(result, awaited)

    def _reply_to(self, request: dict[str, Any]) -> dict[str, Any]:
        here = [each for each in self._replies if each[0] is None or each[0]["at"] == request["at"]]
        if not here:
            last = request["messages"][-1] if request["messages"] else None
            text = f"The tape holds no further reply for {' > '.join(request['at']) or 'the model'}, which is sent:\n"
            text += json.dumps(last, ensure_ascii=False, indent=1)
            raise TapeMismatch(Difference(self.calls, "message", str(len(request["messages"])), text))
        recording = next((each for each in here if each[0] is None or first_difference(0, each[0], request) is None), None)
        if recording is None:
            recorded = here[0][0]
            difference = first_difference(self.calls, recorded, request) if recorded else None
            if self._match == "exact" and difference is not None:
                raise TapeMismatch(difference)
            self.difference = self.difference or difference
        # In order means in order: an equal request further on does not jump the queue.
        chosen = here[0] if recording is None or self._match == "order" else recording
        self._replies.remove(chosen)
        return chosen[1]

    def _result_of(self, call: Mapping[str, Any]) -> dict[str, Any]:
        named = [record for record in self._tools if record["name"] == call["name"]]
        args = to_json(call["args"])
        match = next((record for record in named if is_same(record["args"], args)), None)
        if match is None:
            known = ", ".join(json.dumps(record["args"], ensure_ascii=False) for record in named[:3])
            text = (
                f"The tape holds no result of {call['name']}({json.dumps(args, ensure_ascii=False)}); it holds {known or 'none'}."
            )
            text += f" To run the tool, pass live_tools=[{call['name']!r}]."
            raise TapeMismatch(Difference(self.calls, "tool", call["name"], text))
        self._tools.remove(match)
        return match
