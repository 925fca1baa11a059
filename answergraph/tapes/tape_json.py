"""The JSON of a tape: messages, commands, requests and errors as plain values, and back."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage, message_to_dict, messages_from_dict
from langchain_core.runnables.config import ensure_config
from langgraph.types import Command
from pydantic_core import PydanticSerializationError, to_jsonable_python

from answergraph.runtime.steps import Invoke

_MESSAGE, _COMMAND = "$message", "$command"
_SECRET = ("api_key", "apikey", "authorization", "headers", "password", "secret", "token_provider", "client")
"""Parts of the names of settings that are never written: they hold keys, or objects that hold them."""
_NOT_SENT = ("callbacks", "config", "run_name", "tags", "metadata")


def to_json(value: Any) -> Any:
    """Return a value as JSON; a message or command is marked, so that ``from_json`` restores it."""
    if isinstance(value, BaseMessage):
        return {_MESSAGE: to_json(message_to_dict(value))}
    if isinstance(value, Command):
        parts = {"update": value.update, "resume": value.resume, "goto": value.goto}
        return {_COMMAND: {name: to_json(part) for name, part in parts.items() if part is not None and part != ()}}
    if isinstance(value, Mapping):
        return {str(key): to_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(each) for each in value]
    try:
        return to_jsonable_python(value, by_alias=True)
    except PydanticSerializationError:
        return str(value)


def from_json(value: object) -> Any:
    """Restore what ``to_json`` wrote."""
    if isinstance(value, list):
        return [from_json(each) for each in value]
    if not isinstance(value, dict):
        return value
    if _MESSAGE in value:
        return messages_from_dict([value[_MESSAGE]])[0]
    if _COMMAND in value:
        return Command(**from_json(value[_COMMAND]))
    return {key: from_json(each) for key, each in value.items()}


def messages_as_sent(messages: Sequence[BaseMessage]) -> list[dict[str, object]]:
    """Return what is sent of each message. Ids are drawn anew in each run: those of messages are left out, calls are numbered."""
    numbers: dict[str, int] = {}
    return [_as_sent(message, numbers) for message in messages]


def _as_sent(message: BaseMessage, numbers: dict[str, int]) -> dict[str, object]:
    parts: dict[str, object] = {"type": message.type, "content": message.content, "name": message.name}
    if isinstance(message, AIMessage):
        parts["tool_calls"] = [
            {"name": call["name"], "args": call["args"], "id": numbers.setdefault(str(call["id"]), len(numbers) + 1)}
            for call in message.tool_calls
        ]
    if isinstance(message, ToolMessage):
        parts |= {"tool_call_id": numbers.get(message.tool_call_id), "status": message.status}
    return {name: to_json(part) for name, part in parts.items() if part}


def settings_as_sent(settings: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments that a model is called with, without secrets and without what stays in this process."""
    return {
        name: to_json(value)
        for name, value in sorted(settings.items())
        if name not in _NOT_SENT and not any(part in name.lower() for part in _SECRET)
    }


def sent_messages(input: Any) -> Sequence[BaseMessage]:
    """Return the messages of a model's input: a list of them, or a prompt value."""
    messages: Sequence[BaseMessage] = getattr(input, "messages", input)
    return messages


def end_of(values: Mapping[str, object]) -> dict[str, object]:
    """Return the end of a run as JSON: its outcome and its answer."""
    return {"outcome": to_json(values.get("outcome")), "answer": to_json(values.get("structured_response"))}


def request_of(call: Invoke) -> dict[str, Any]:
    """Return a model call as JSON: where it is made, by which model, and what is sent."""
    namespace = ensure_config().get("configurable", {}).get("checkpoint_ns", "")
    # The ids of tasks are drawn anew in each run.
    at = [part.partition(":")[0] for part in namespace.split("|") if part]
    name = next(
        (str(value) for key in ("model_name", "model") if isinstance(value := getattr(call.runnable, key, None), str)), ""
    )
    settings, messages = settings_as_sent(call.settings), messages_as_sent(sent_messages(call.input))
    return {"at": at, "model": name, "model_settings": _model_settings(call.runnable), "settings": settings, "messages": messages}


def _model_settings(model: object) -> dict[str, object]:
    """Return what the model was made with, of LangChain's standard parameters those that are in requests."""
    standard = {name: getattr(model, name, None) for name in ("temperature", "max_tokens", "stop")}
    return {name: to_json(value) for name, value in standard.items() if value is not None}


def error_as_json(error: Exception) -> dict[str, Any]:
    """Return an error as JSON, with what providers' errors carry."""
    kind = type(error)
    shown = {name: to_json(getattr(error, name)) for name in ("status_code", "code", "body", "param") if hasattr(error, name)}
    return {"type": f"{kind.__module__}.{kind.__qualname__}", "text": str(error), **shown}


def recorded_error(record: Mapping[str, Any]) -> Exception:
    """Return an error with the name and the parts of a recorded one."""
    module, _, name = record["type"].rpartition(".")
    kind: Any = type(name, (Exception,), {"__module__": module})
    error: Exception = kind(record["text"])
    vars(error).update({key: value for key, value in record.items() if key not in ("type", "text")})
    return error
