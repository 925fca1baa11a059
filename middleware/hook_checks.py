"""What the hooks of middleware are called and return: what nothing would call or read is refused, by name."""

from collections.abc import AsyncGenerator, Collection, Generator, Iterable, Mapping
from difflib import get_close_matches
from inspect import isroutine
from typing import Any

from langchain_core.messages import BaseMessage

from answergraph.asking.model_request import ModelRequest
from answergraph.runtime.argument_checks import check_list, one_of, shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.state.agent_state import JumpTo

_LIKE_A_HOOK = 0.9
"""Minimum similarity of a misspelt hook name, of 1."""


def check_update(hook: str, update: object, can_jump_to: tuple[JumpTo, ...]) -> None:
    """Raise ``AgentSpecError`` if a ``before_*`` or ``after_*`` hook returned no update, or jumps where no edge leads."""
    parts = update if isinstance(update, list) else [update]
    if any(isinstance(each, BaseMessage | str | int | float | Generator | AsyncGenerator) for each in parts):
        raise AgentSpecError(f"{hook} returned {shown(update)}; return a dict, such as {{'messages': […]}}, a Command or None.")
    for each in parts:
        if isinstance(each, Mapping) and isinstance(each.get("messages", ()), int | float | bytes | None):
            raise AgentSpecError(
                f"{hook} returned messages={shown(each['messages'])}; write {{'messages': […]}} with messages or texts."
            )
    jump = update.get("jump_to") if isinstance(update, Mapping) else None
    # The edges of a turn's end lead everywhere, and a hook before the model goes on to it.
    if jump in {None, "model", *can_jump_to} or ".before_" not in hook:
        return
    one_of(f"{hook}: jump_to", JumpTo, jump)
    declared = f"(can_jump_to=[{jump!r}])"
    raise AgentSpecError(f"{hook} jumps to {jump!r}, where it has no edge; write @hook_config{declared} or @before_…{declared}.")


def check_request(middleware: str, before: ModelRequest, after: ModelRequest) -> None:
    """Raise ``AgentSpecError`` for fields that a middleware changed to what no model could be asked with."""
    messages, prompt, settings = vars(after)["messages"], vars(after)["system_message"], vars(after)["model_settings"]
    if messages is not before.messages:
        items = messages if isinstance(messages, list) else check_list(f"{middleware}: messages", messages)
        if (wrong := next((each for each in items if isinstance(each, int | float | bytes | None)), items)) is not items:
            raise AgentSpecError(f"{middleware}: {shown(wrong)} in messages is no message; write HumanMessage(…), or a text.")
    if not isinstance(after.state, Mapping):
        raise AgentSpecError(f"{middleware}: state={shown(after.state)}; write state={{**request.state, 'key': …}}.")
    if not isinstance(prompt, BaseMessage | None):
        raise AgentSpecError(f"{middleware}: system_message={shown(prompt)}; write system_prompt={shown(prompt)}.")
    if not isinstance(settings, Mapping):
        raise AgentSpecError(f"{middleware}: model_settings={shown(settings)}; write model_settings={{'temperature': 0}}.")
    if after.tools is not before.tools:
        _check_tools(middleware, check_list(f"{middleware}: tools", after.tools))


def _check_tools(middleware: str, tools: Iterable[object]) -> None:
    for each in tools:
        if isinstance(each, str):
            advice = f"write [tool for tool in request.tools if tool.name == {each!r}]."
            raise AgentSpecError(f"{middleware}: {each!r} in tools is a name; {advice}")
        if isroutine(each):
            advice = f"write tool({shown(each)}), and pass it to create_agent(tools=[…]) too."
            raise AgentSpecError(f"{middleware}: {shown(each)} in tools is a function; {advice}")


def check_methods(middleware: Any, methods: Collection[str], hooks: Collection[str], *, has_hook: bool) -> None:
    """Raise ``AgentSpecError`` for a method that would never run: one like a hook, or any if there is no hook at all."""
    # ``modify_model_request`` is pure: one function serves both kinds of run.
    names = [*hooks, *(f"a{hook}" for hook in hooks if hook != "modify_model_request")]
    for method in [each for each in methods if each not in names]:
        if near := get_close_matches(method, names, 1, _LIKE_A_HOOK):
            raise AgentSpecError(f"{middleware.name}.{method} would never run. Did you mean the hook {near[0]!r}?")
    brings = any(getattr(middleware, part, None) for part in ("tools", "transformers", "answer_types"))
    if methods and not has_hook and not brings and "state_schema" not in vars(type(middleware)):
        line = f"{middleware.name} has no hook, and nothing calls {', '.join(methods)}. The hooks are {', '.join(hooks)}."
        raise AgentSpecError(line)
