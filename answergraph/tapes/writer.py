"""Writes what models and tools reply, and how runs begin and end."""

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tracers.context import register_configure_hook
from langgraph.errors import GraphInterrupt

from answergraph.runtime import steps
from answergraph.runtime.steps import Effect, Invoke
from answergraph.tapes.recorder_in_use import recorded_by
from answergraph.tapes.tape import Tape
from answergraph.tapes.tape_json import end_of, error_as_json, request_of, to_json

_RECORDING = "ANSWERGRAPH_RECORDING"
"""The variable by which LangChain knows that the handler of runs takes part; set while a tape is written."""

_IN_TOOL: ContextVar[dict[str, bool] | None] = ContextVar("answergraph_recorded_tool", default=None)
"""The tool call that is running: whether models were asked inside it."""


@dataclass(frozen=True)
class _Watched:
    """An effect whose result or error is told."""

    effect: Effect
    when_ended: Callable[[Any, Exception | None], None]

    def perform(self) -> Any:
        try:
            result = self.effect.perform()
        except Exception as error:
            self.when_ended(None, error)
            raise
        self.when_ended(result, None)
        return result

    async def aperform(self) -> Any:
        try:
            result = await self.effect.aperform()
        except Exception as error:
            self.when_ended(None, error)
            raise
        self.when_ended(result, None)
        return result


class Writer:
    """Writes a tape: the input and the end of each run, each request with its reply, each tool call with its result."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._lock = threading.Lock()
        self._sent: dict[str, list[object]] = {}
        self._interrupts: dict[str, list[object]] = {}

    def run(self, input: Any) -> None:
        """Write the input of a run."""
        self._write(kind="run", input=to_json(input))

    def end(self, values: Mapping[str, Any]) -> None:
        """Write the end of a run."""
        self._write(kind="end", **end_of(values))

    def model_call(self, call: Invoke) -> Effect:
        """Return the call, whose request and reply are written."""
        _mark_model_call()
        request = request_of(call)
        path = json.dumps(request["at"])
        with self._lock:
            before, self._sent[path] = self._sent.get(path, []), request["messages"]
            same = next(
                (at for at, (one, other) in enumerate(zip(before, request["messages"], strict=False)) if one != other), None
            )
            same = min(len(before), len(request["messages"])) if same is None else same
            number = sum(record["kind"] == "request" for record in self.tape.records)
            self.tape.records.append({"kind": "request", **request, "same": same, "messages": request["messages"][same:]})

        def write_end(reply: object, error: Exception | None) -> None:
            answered = {"message": to_json(reply)} if error is None else {"error": error_as_json(error)}
            self._write(kind="reply", to=number, **answered)

        return _Watched(call, write_end)

    def tool_call(self, call: Mapping[str, object], effect: Effect) -> Effect:
        """Return the call, whose result is written."""
        inside = {"asks_models": False}

        def write_end(result: object, error: Exception | None) -> None:
            call_id = str(call.get("id"))
            if isinstance(error, GraphInterrupt):
                interrupts = [each.value for each in error.args[0]] if error.args else []
                self._interrupts.setdefault(call_id, []).extend(interrupts)
                return
            ending = {"result": to_json(result)} if error is None else {"error": error_as_json(error)}
            interrupts = to_json(self._interrupts.pop(call_id, []))
            self._write(kind="tool", name=call["name"], args=to_json(call["args"]), interrupts=interrupts, **inside, **ending)

        return _InTool(_Watched(effect, write_end), inside)

    def _write(self, **record: object) -> None:
        with self._lock:
            self.tape.records.append(record)


class RunHandler(BaseCallbackHandler):
    """Tells the writer in use of the runs that nobody else has called."""

    run_inline = True

    def __init__(self) -> None:
        self._runs: set[UUID] = set()

    def on_chain_start(
        self, serialized: object, inputs: object, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: object
    ) -> None:
        if parent_run_id is None and isinstance(writer := steps.recorder, Writer):
            self._runs.add(run_id)
            writer.run(inputs)

    def on_chain_end(self, outputs: object, *, run_id: UUID, **kwargs: object) -> None:
        if run_id in self._runs and isinstance(writer := steps.recorder, Writer) and isinstance(outputs, Mapping):
            writer.end(outputs)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: object) -> None:
        outcome = getattr(error, "outcome", None)
        if run_id in self._runs and isinstance(writer := steps.recorder, Writer) and outcome is not None:
            writer.end({"outcome": outcome})


register_configure_hook(ContextVar("answergraph_runs", default=None), True, RunHandler, _RECORDING)


@contextmanager
def written_by(writer: Writer) -> Iterator[None]:
    """Let a writer take part in the runs of a block."""
    with recorded_by(writer):
        os.environ[_RECORDING] = "true"
        try:
            yield
        finally:
            del os.environ[_RECORDING]


@dataclass(frozen=True)
class _InTool:
    """The effect of a tool call, inside which model calls are noticed."""

    effect: Effect
    inside: dict[str, bool]

    def perform(self) -> Any:
        token = _IN_TOOL.set(self.inside)
        try:
            return self.effect.perform()
        finally:
            _IN_TOOL.reset(token)

    async def aperform(self) -> Any:
        token = _IN_TOOL.set(self.inside)
        try:
            return await self.effect.aperform()
        finally:
            _IN_TOOL.reset(token)


def _mark_model_call() -> None:
    """Note that the running tool, if there is one, asks models."""
    if (inside := _IN_TOOL.get()) is not None:
        inside["asks_models"] = True
